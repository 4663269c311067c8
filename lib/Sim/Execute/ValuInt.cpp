//===- ValuInt.cpp - Integer and bit operations of the vector ALU ---------===//

#include "Groups.h"
#include "Lanes.h"

#include <algorithm>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

template <class T> constexpr T saturate(i64 X) {
  return T(std::clamp<i64>(X, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}
constexpr i32 low24(i32 X) { return i32(u32(X) << 8) >> 8; }
constexpr u32 low24(u32 X) { return X & 0xffffff; }

template <class T> constexpr T min3(T A, T B, T C) { return std::min(std::min(A, B), C); }
template <class T> constexpr T max3(T A, T B, T C) { return std::max(std::max(A, B), C); }
template <class T> constexpr T med3(T A, T B, T C) {
  return std::max(std::min(A, B), std::min(std::max(A, B), C));
}

constexpr u32 byteOf(u32 X, unsigned N) { return X >> (8 * N) & 0xff; }
constexpr u32 absDifference(u32 A, u32 B) { return A > B ? A - B : B - A; }
constexpr u32 sadBytes(u32 A, u32 B) {
  u32 Sum = 0;
  for (unsigned N = 0; N != 4; ++N)
    Sum += absDifference(byteOf(A, N), byteOf(B, N));
  return Sum;
}
/// Bytes of the second operand that are 0 do not count.
constexpr u32 maskedSad(u32 A, u32 B) {
  u32 Sum = 0;
  for (unsigned N = 0; N != 4; ++N)
    Sum += byteOf(B, N) ? absDifference(byteOf(A, N), byteOf(B, N)) : 0;
  return Sum;
}

constexpr u32 reverse(u32 X) {
  X = (X >> 1 & 0x55555555) | (X & 0x55555555) << 1;
  X = (X >> 2 & 0x33333333) | (X & 0x33333333) << 2;
  X = (X >> 4 & 0x0f0f0f0f) | (X & 0x0f0f0f0f) << 4;
  X = (X >> 8 & 0x00ff00ff) | (X & 0x00ff00ff) << 8;
  return X >> 16 | X << 16;
}

constexpr u32 countBits(u32 X) {
  X -= X >> 1 & 0x55555555;
  X = (X & 0x33333333) + (X >> 2 & 0x33333333);
  X = (X + (X >> 4)) & 0x0f0f0f0f;
  return X * 0x01010101 >> 24;
}

/// v_perm_b32: each selector byte picks one of 8 bytes, a sign, 0 or 0xff.
constexpr u32 permuteBytes(u32 A, u32 B, u32 Selector) {
  u64 Data = u64(A) << 32 | B;
  u32 Out = 0;
  for (unsigned N = 0; N != 4; ++N) {
    u32 S = byteOf(Selector, N), X;
    if (S < 8)
      X = u32(Data >> (8 * S)) & 0xff;
    else if (S < 12)
      X = Data >> (16 * (S - 8) + 15) & 1 ? 0xff : 0;
    else
      X = S == 12 ? 0 : 0xff;
    Out |= X << (8 * N);
  }
  return Out;
}

//===- Carries -------------------------------------------------------------===//

enum class Carry { Add, Sub, SubReverse };

template <Carry Kind, bool In> void runCarry(Wave &W, const Inst &I) {
  alignas(64) u32 T0[NumLanes], T1[NumLanes], Out[NumLanes];
  alignas(64) uint8_t CarryIn[NumLanes], CarryOut[NumLanes];
  const u32 *A = fetch<u32>(W, I, 0, T0), *B = fetch<u32>(W, I, 1, T1);
  if (Kind == Carry::SubReverse)
    std::swap(A, B);
  if (In)
    spreadBits(scalar64(W, I.Src[2]), CarryIn);
  else
    std::memset(CarryIn, 0, sizeof(CarryIn));
  for (unsigned L = 0; L != NumLanes; ++L) {
    u32 C = CarryIn[L];
    if (Kind == Carry::Add) {
      u32 Sum = A[L] + B[L];
      Out[L] = Sum + C;
      CarryOut[L] = (Sum < A[L]) | (Out[L] < Sum);
    } else {
      u32 Difference = A[L] - B[L];
      Out[L] = Difference - C;
      CarryOut[L] = (A[L] < B[L]) | (Difference < C);
    }
  }
  u64 Mask = gatherBits(CarryOut) & W.exec();
  store<u32>(W, I, Out);
  storeMask(W, I.SDst, Mask);
}

template <class T> void runMad64(Wave &W, const Inst &I) {
  using Wide = std::conditional_t<std::is_signed_v<T>, i64, u64>;
  alignas(64) T T0[NumLanes], T1[NumLanes];
  alignas(64) Wide T2[NumLanes], Out[NumLanes];
  alignas(64) uint8_t CarryOut[NumLanes];
  const T *A = fetch<T>(W, I, 0, T0), *B = fetch<T>(W, I, 1, T1);
  const Wide *C = fetch<Wide>(W, I, 2, T2);
  for (unsigned L = 0; L != NumLanes; ++L) {
    Wide Product = Wide(A[L]) * Wide(B[L]);
    Out[L] = Wide(u64(Product) + u64(C[L]));
    CarryOut[L] = std::is_signed_v<T>
                      ? ((Product < 0) != (C[L] < 0) ? 0 : (Out[L] < 0) != (C[L] < 0))
                      : u64(Out[L]) < u64(Product);
  }
  u64 Mask = gatherBits(CarryOut) & W.exec();
  store<Wide>(W, I, Out);
  storeMask(W, I.SDst, Mask);
}

void runCndmask(Wave &W, const Inst &I) {
  alignas(64) u32 T0[NumLanes], T1[NumLanes], Out[NumLanes];
  const u32 *A = fetch<u32>(W, I, 0, T0), *B = fetch<u32>(W, I, 1, T1);
  u64 Mask = scalar64(W, I.Src[2]);
  for (unsigned Half = 0; Half != NumLanes; Half += 32) {
    u32 Part = u32(Mask >> Half);
    for (unsigned L = 0; L != 32; ++L)
      Out[Half + L] = Part & 1u << L ? B[Half + L] : A[Half + L];
  }
  if (I.Plain)
    writeActive(W, I.Dst, Out);
  else
    store<u32>(W, I, Out);
}

template <bool High> void runMbcnt(Wave &W, const Inst &I) {
  alignas(64) u32 T0[NumLanes], T1[NumLanes], Out[NumLanes];
  const u32 *A = fetch<u32>(W, I, 0, T0), *B = fetch<u32>(W, I, 1, T1);
  for (unsigned L = 0; L != NumLanes; ++L) {
    u64 Below = (u64(1) << L) - 1;
    Out[L] = B[L] + countBits(A[L] & u32(High ? Below >> 32 : Below));
  }
  store<u32>(W, I, Out);
}

void runSwap(Wave &W, const Inst &I) {
  const u32 *M = W.execMask();
  u32 *A = W.V[I.Dst], *B = W.V[I.Src[0].Reg];
  for (unsigned L = 0; L != NumLanes; ++L) {
    u32 X = (A[L] ^ B[L]) & M[L];
    A[L] ^= X;
    B[L] ^= X;
  }
}

/// gfx950: rows of one register trade places with rows of another.
template <unsigned Row> void runPermlaneSwap(Wave &W, const Inst &I) {
  u32 *A = W.V[I.Dst], *B = W.V[I.Src[0].Reg];
  for (unsigned L = 0; L != NumLanes; ++L)
    if (!(L & Row))
      std::swap(A[L + Row], B[L]);
}

/// Any function of three bits, its table spread over the fields of modifiers.
template <class T> void runBitop3(Wave &W, const Inst &I) {
  alignas(64) T T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  Inst Raw = I;
  u32 Table = I.Omod << 6;
  for (unsigned N = 0; N != 3; ++N) {
    Table |= (I.Src[N].Mods & Operand::Abs ? 8 : 0) << N | (I.Src[N].Mods & Operand::Neg ? 1 : 0)
                                                               << N;
    Raw.Src[N].Mods = 0;
  }
  Raw.Omod = 0;
  const T *A = fetch<T>(W, Raw, 0, T0), *B = fetch<T>(W, Raw, 1, T1), *C = fetch<T>(W, Raw, 2, T2);
  for (unsigned L = 0; L != NumLanes; ++L) {
    T X = 0;
    for (unsigned N = 0; N != 8; ++N) {
      T P = N & 4 ? A[L] : T(~A[L]), Q = N & 2 ? B[L] : T(~B[L]), R = N & 1 ? C[L] : T(~C[L]);
      X |= Table >> N & 1 ? T(P & Q & R) : T(0);
    }
    Out[L] = X;
  }
  store<T>(W, Raw, Out);
}

/// The sums of absolute differences of 4 bytes at 4 places, packed in 16 bits each or 32.
template <bool Masked, bool Wide> void runQuadSad(Wave &W, const Inst &I) {
  u64 Exec = W.exec();
  u32 Out[4][NumLanes];
  alignas(64) u64 T0[NumLanes];
  alignas(64) u32 T1[NumLanes];
  const u64 *A = fetch<u64>(W, I, 0, T0);
  const u32 *B = fetch<u32>(W, I, 1, T1);
  const Operand &C = I.Src[2];
  for (unsigned L = 0; L != NumLanes; ++L) {
    for (unsigned N = 0; N != 4; ++N) {
      u32 Part = u32(A[L] >> (8 * N));
      u32 Sum = Masked ? maskedSad(Part, B[L]) : sadBytes(Part, B[L]);
      unsigned Dword = Wide ? N : N / 2;
      u32 Addend = C.K == Operand::Vgpr ? W.V[C.Reg + Dword][L] : 0;
      if (Wide)
        Out[N][L] = Sum + Addend;
      else if (N % 2 == 0)
        Out[Dword][L] = (Sum + (Addend & 0xffff)) & 0xffff;
      else
        Out[Dword][L] |= (Sum + (Addend >> 16)) << 16;
    }
  }
  for (unsigned D = 0; D != (Wide ? 4 : 2); ++D)
    for (unsigned L = 0; L != NumLanes; ++L)
      if (Exec >> L & 1)
        W.V[I.Dst + D][L] = Out[D][L];
}

//===- Lanes as scalars ----------------------------------------------------===//

unsigned firstLane(Wave &W) {
  u64 Exec = W.exec();
  return Exec ? std::countr_zero(Exec) : 0;
}

void runReadfirstlane(Wave &W, const Inst &I) {
  W.S[I.Dst] =
      I.Src[0].K == Operand::Vgpr ? W.V[I.Src[0].Reg][firstLane(W)] : scalar32(W, I.Src[0]);
}
void runReadlane(Wave &W, const Inst &I) {
  W.S[I.Dst] = W.V[I.Src[0].Reg][scalar32(W, I.Src[1]) & 63];
}
void runWritelane(Wave &W, const Inst &I) {
  W.V[I.Dst][scalar32(W, I.Src[1]) & 63] = scalar32(W, I.Src[0]);
}
void runNop(Wave &, const Inst &) {}

void runAccCopy(Wave &W, const Inst &I) {
  alignas(64) u32 T0[NumLanes];
  const u32 *A = fetch<u32>(W, I, 0, T0);
  const u32 *M = W.execMask();
  u32 *D = W.V[I.Dst];
  for (unsigned L = 0; L != NumLanes; ++L)
    D[L] = (D[L] & ~M[L]) | (A[L] & M[L]);
}

void addShifts(Adder &T) {
  T.op("v_lshlrev_b32", [](u32 A, u32 B) { return B << (A & 31); });
  T.op("v_lshrrev_b32", [](u32 A, u32 B) { return B >> (A & 31); });
  T.op("v_ashrrev_i32", [](u32 A, i32 B) { return B >> (A & 31); });
  T.op("v_lshlrev_b16", [](u16 A, u16 B) { return u16(B << (A & 15)); });
  T.op("v_lshrrev_b16", [](u16 A, u16 B) { return u16(B >> (A & 15)); });
  T.op("v_ashrrev_i16", [](u16 A, i16 B) { return i16(B >> (A & 15)); });
  T.op("v_lshlrev_b64", [](u32 A, u64 B) { return B << (A & 63); });
  T.op("v_lshrrev_b64", [](u32 A, u64 B) { return B >> (A & 63); });
  T.op("v_ashrrev_i64", [](u32 A, i64 B) { return B >> (A & 63); });
  T.op("v_alignbit_b32", [](u32 A, u32 B, u32 C) { return u32((u64(A) << 32 | B) >> (C & 31)); });
  T.op("v_alignbyte_b32",
       [](u32 A, u32 B, u32 C) { return u32((u64(A) << 32 | B) >> (8 * (C & 3))); });
  T.op("v_lshl_add_u32", [](u32 A, u32 B, u32 C) { return (A << (B & 31)) + C; });
  T.op("v_add_lshl_u32", [](u32 A, u32 B, u32 C) { return (A + B) << (C & 31); });
  T.op("v_lshl_or_b32", [](u32 A, u32 B, u32 C) { return A << (B & 31) | C; });
  T.op("v_lshl_add_u64", [](u64 A, u32 B, u64 C) { return (A << (B & 7)) + C; }).Class =
      InstClass::Valu;
}

void addBits(Adder &T) {
  T.op("v_mov_b32", [](u32 A) { return A; });
  T.op("v_mov_b64", [](u64 A) { return A; }).Class = InstClass::Valu;
  T.op("v_not_b32", [](u32 A) { return ~A; });
  T.op("v_bfrev_b32", [](u32 A) { return reverse(A); });
  T.op("v_ffbh_u32", [](u32 A) { return A ? u32(std::countl_zero(A)) : ~0u; });
  T.op("v_ffbl_b32", [](u32 A) { return A ? u32(std::countr_zero(A)) : ~0u; });
  T.op("v_ffbh_i32", [](i32 A) {
    u32 X = u32(A < 0 ? ~A : A);
    return X ? u32(std::countl_zero(X)) : ~0u;
  });
  T.op("v_and_b32", [](u32 A, u32 B) { return A & B; });
  T.op("v_or_b32", [](u32 A, u32 B) { return A | B; });
  T.op("v_xor_b32", [](u32 A, u32 B) { return A ^ B; });
  T.op("v_xnor_b32", [](u32 A, u32 B) { return ~(A ^ B); });
  T.op("v_and_or_b32", [](u32 A, u32 B, u32 C) { return (A & B) | C; });
  T.op("v_or3_b32", [](u32 A, u32 B, u32 C) { return A | B | C; });
  T.op("v_xad_u32", [](u32 A, u32 B, u32 C) { return (A ^ B) + C; });
  T.op("v_bfe_u32", [](u32 A, u32 B, u32 C) {
    u32 Width = C & 31;
    return A >> (B & 31) & ((1u << Width) - 1);
  });
  T.op("v_bfe_i32", [](i32 A, u32 B, u32 C) {
    u32 Width = C & 31, Offset = B & 31;
    if (!Width)
      return 0;
    i32 X = A >> Offset;
    // A field that reaches beyond the top ends there.
    return Offset + Width < 32 ? i32(u32(X) << (32 - Width)) >> (32 - Width) : X;
  });
  T.op("v_bfi_b32", [](u32 A, u32 B, u32 C) { return (A & B) | (~A & C); });
  T.op("v_bfm_b32", [](u32 A, u32 B) { return ((1u << (A & 31)) - 1) << (B & 31); });
  T.op("v_bcnt_u32_b32", [](u32 A, u32 B) { return countBits(A) + B; });
  T.op("v_perm_b32", [](u32 A, u32 B, u32 C) { return permuteBytes(A, B, C); });
  T.op("v_pack_b32_f16", [](half A, half B) {
    return u32(std::bit_cast<u16>(A)) | u32(std::bit_cast<u16>(B)) << 16;
  });
  T.op("v_sat_pk_u8_i16", [](u32 A) {
    return u32(std::clamp<i32>(i16(A), 0, 255)) | u32(std::clamp<i32>(i16(A >> 16), 0, 255)) << 8;
  });
}

void addSums(Adder &T) {
  T.saturating(
      "v_add_u32", [](u32 A, u32 B) { return A + B; },
      [](u32 A, u32 B) { return saturate<u32>(i64(A) + i64(B)); });
  T.saturating(
      "v_sub_u32", [](u32 A, u32 B) { return A - B; },
      [](u32 A, u32 B) { return saturate<u32>(i64(A) - i64(B)); });
  T.saturating(
      "v_subrev_u32", [](u32 A, u32 B) { return B - A; },
      [](u32 A, u32 B) { return saturate<u32>(i64(B) - i64(A)); });
  T.saturating(
      "v_add_i32", [](i32 A, i32 B) { return i32(u32(A) + u32(B)); },
      [](i32 A, i32 B) { return saturate<i32>(i64(A) + B); });
  T.saturating(
      "v_sub_i32", [](i32 A, i32 B) { return i32(u32(A) - u32(B)); },
      [](i32 A, i32 B) { return saturate<i32>(i64(A) - B); });
  T.saturating(
      "v_add_u16", [](u16 A, u16 B) { return u16(A + B); },
      [](u16 A, u16 B) { return saturate<u16>(i64(A) + B); });
  T.saturating(
      "v_sub_u16", [](u16 A, u16 B) { return u16(A - B); },
      [](u16 A, u16 B) { return saturate<u16>(i64(A) - B); });
  T.saturating(
      "v_subrev_u16", [](u16 A, u16 B) { return u16(B - A); },
      [](u16 A, u16 B) { return saturate<u16>(i64(B) - A); });
  T.saturating(
       "v_add_i16", [](i16 A, i16 B) { return i16(A + B); },
       [](i16 A, i16 B) { return saturate<i16>(i64(A) + B); })
      .Flags |= OpKeepsHigh;
  T.saturating(
       "v_sub_i16", [](i16 A, i16 B) { return i16(A - B); },
       [](i16 A, i16 B) { return saturate<i16>(i64(A) - B); })
      .Flags |= OpKeepsHigh;
  T.op("v_add3_u32", [](u32 A, u32 B, u32 C) { return A + B + C; });
  using S = SourceType;
  T.raw("v_add_co_u32", runCarry<Carry::Add, false>, InstClass::Valu, {S::B32, S::B32}, OpSdst);
  T.raw("v_sub_co_u32", runCarry<Carry::Sub, false>, InstClass::Valu, {S::B32, S::B32}, OpSdst);
  T.raw("v_subrev_co_u32", runCarry<Carry::SubReverse, false>, InstClass::Valu, {S::B32, S::B32},
        OpSdst);
  T.raw("v_addc_co_u32", runCarry<Carry::Add, true>, InstClass::Valu, {S::B32, S::B32},
        OpSdst | OpCarryIn);
  T.raw("v_subb_co_u32", runCarry<Carry::Sub, true>, InstClass::Valu, {S::B32, S::B32},
        OpSdst | OpCarryIn);
  T.raw("v_subbrev_co_u32", runCarry<Carry::SubReverse, true>, InstClass::Valu, {S::B32, S::B32},
        OpSdst | OpCarryIn);
}

void addProducts(Adder &T) {
  using S = SourceType;
  T.op("v_mul_i32_i24", [](i32 A, i32 B) { return i32(i64(low24(A)) * low24(B)); });
  T.op("v_mul_hi_i32_i24", [](i32 A, i32 B) { return i32(i64(low24(A)) * low24(B) >> 32); });
  T.op("v_mul_u32_u24", [](u32 A, u32 B) { return low24(A) * low24(B); });
  T.op("v_mul_hi_u32_u24", [](u32 A, u32 B) { return u32(u64(low24(A)) * low24(B) >> 32); });
  T.saturating(
      "v_mad_i32_i24",
      [](i32 A, i32 B, i32 C) { return i32(u32(i64(low24(A)) * low24(B)) + u32(C)); },
      [](i32 A, i32 B, i32 C) { return saturate<i32>(i64(low24(A)) * low24(B) + C); });
  T.saturating(
      "v_mad_u32_u24", [](u32 A, u32 B, u32 C) { return low24(A) * low24(B) + C; },
      [](u32 A, u32 B, u32 C) {
        return u32(std::min<u64>(u64(low24(A)) * low24(B) + C, 0xffffffff));
      });
  constexpr InstClass Quarter = InstClass::ValuTranscendental;
  T.op("v_mul_lo_u32", [](u32 A, u32 B) { return A * B; }, Quarter);
  T.op("v_mul_hi_u32", [](u32 A, u32 B) { return u32(u64(A) * B >> 32); }, Quarter);
  T.op("v_mul_hi_i32", [](i32 A, i32 B) { return i32(i64(A) * B >> 32); }, Quarter);
  T.op("v_mul_lo_u16", [](u16 A, u16 B) { return u16(u32(A) * B); });
  for (const char *Name : {"v_mad_u16", "v_mad_legacy_u16"})
    T.saturating(
        Name, [](u16 A, u16 B, u16 C) { return u16(u32(A) * B + C); },
        [](u16 A, u16 B, u16 C) { return saturate<u16>(i64(A) * B + C); });
  for (const char *Name : {"v_mad_i16", "v_mad_legacy_i16"})
    T.saturating(
        Name, [](i16 A, i16 B, i16 C) { return i16(u32(i32(A) * B) + u32(C)); },
        [](i16 A, i16 B, i16 C) { return saturate<i16>(i64(A) * B + C); });
  T.saturating(
      "v_mad_u32_u16", [](u16 A, u16 B, u32 C) { return u32(A) * B + C; },
      [](u16 A, u16 B, u32 C) { return u32(std::min<u64>(u64(u32(A) * B) + C, 0xffffffff)); });
  T.saturating(
      "v_mad_i32_i16", [](i16 A, i16 B, i32 C) { return i32(u32(i32(A) * B) + u32(C)); },
      [](i16 A, i16 B, i32 C) { return saturate<i32>(i64(A) * B + C); });
  T.raw("v_mad_u64_u32", runMad64<u32>, Quarter, {S::B32, S::B32, S::B64}, OpSdst, 2);
  T.raw("v_mad_i64_i32", runMad64<i32>, Quarter, {S::B32, S::B32, S::B64}, OpSdst, 2);
}

template <class V> void addOrder(Adder &T, const char *Type, V, bool Halves) {
  auto Name = [&](StringRef Op) { return (Op + Type).str(); };
  T.op(Name("v_min_"), [](V A, V B) { return std::min(A, B); });
  T.op(Name("v_max_"), [](V A, V B) { return std::max(A, B); });
  unsigned Flags = Halves ? OpKeepsHigh : 0;
  T.op(Name("v_min3_"), [](V A, V B, V C) { return min3(A, B, C); }).Flags |= Flags;
  T.op(Name("v_max3_"), [](V A, V B, V C) { return max3(A, B, C); }).Flags |= Flags;
  T.op(Name("v_med3_"), [](V A, V B, V C) { return med3(A, B, C); }).Flags |= Flags;
}

void addSad(Adder &T) {
  using S = SourceType;
  T.op("v_sad_u8", [](u32 A, u32 B, u32 C) { return sadBytes(A, B) + C; });
  T.op("v_sad_hi_u8", [](u32 A, u32 B, u32 C) { return (sadBytes(A, B) << 16) + C; });
  T.op("v_sad_u16", [](u32 A, u32 B, u32 C) {
    return absDifference(A & 0xffff, B & 0xffff) + absDifference(A >> 16, B >> 16) + C;
  });
  T.op("v_sad_u32", [](u32 A, u32 B, u32 C) { return absDifference(A, B) + C; });
  T.op("v_msad_u8", [](u32 A, u32 B, u32 C) { return maskedSad(A, B) + C; });
  T.op("v_lerp_u8", [](u32 A, u32 B, u32 C) {
    u32 Out = 0;
    for (unsigned N = 0; N != 4; ++N)
      Out |= ((byteOf(A, N) + byteOf(B, N) + (byteOf(C, N) & 1)) >> 1 & 0xff) << (8 * N);
    return Out;
  });
  T.raw("v_qsad_pk_u16_u8", runQuadSad<false, false>, InstClass::Valu, {S::B64, S::B32, S::B64}, 0,
        2);
  T.raw("v_mqsad_pk_u16_u8", runQuadSad<true, false>, InstClass::Valu, {S::B64, S::B32, S::B64}, 0,
        2);
  T.raw("v_mqsad_u32_u8", runQuadSad<true, true>, InstClass::Valu, {S::B64, S::B32, S::B64}, 0, 4);
}

} // namespace

void addValuInt(OpTable &Table) {
  Adder T(Table);
  using S = SourceType;
  addShifts(T);
  addBits(T);
  addSums(T);
  addProducts(T);
  addOrder(T, "i32", i32(), false);
  addOrder(T, "u32", u32(), false);
  addOrder(T, "i16", i16(), true);
  addOrder(T, "u16", u16(), true);
  // The two-operand forms are the older ones, which clear the high half.
  for (const char *Name : {"v_min_i16", "v_max_i16", "v_min_u16", "v_max_u16"})
    Table.all()[Name].Flags &= ~OpKeepsHigh;
  for (const char *Name : {"v_mad_u16", "v_mad_i16"})
    Table.all()[Name].Flags |= OpKeepsHigh;
  addSad(T);
  T.raw("v_permlane16_swap_b32", runPermlaneSwap<16>, InstClass::Valu, {S::B32});
  T.raw("v_permlane32_swap_b32", runPermlaneSwap<32>, InstClass::Valu, {S::B32});
  T.raw("v_bitop3_b32", runBitop3<u32>, InstClass::Valu, {S::B32, S::B32, S::B32});
  T.raw("v_bitop3_b16", runBitop3<u16>, InstClass::Valu, {S::B16, S::B16, S::B16}, OpKeepsHigh);
  // Two numbers shifted and cut to a byte each; the other half of the register stays.
  T.op("v_ashr_pk_i8_i32", [](i32 A, i32 B, u32 C) {
     u32 Low = u32(saturate<int8_t>(A >> (C & 31))) & 0xff,
         High = u32(saturate<int8_t>(B >> (C & 31))) & 0xff;
     return u16(Low | High << 8);
   }).Flags |= OpKeepsHigh;
  T.op("v_ashr_pk_u8_i32", [](i32 A, i32 B, u32 C) {
     u32 Low = saturate<uint8_t>(A >> (C & 31)), High = saturate<uint8_t>(B >> (C & 31));
     return u16(Low | High << 8);
   }).Flags |= OpKeepsHigh;
  T.op("v_prng_b32", [](u32 A) { return A << 1 ^ (A >> 31 ? 0xc5 : 0); });
  T.raw("v_cndmask_b32", runCndmask, InstClass::Valu, {S::B32, S::B32}, OpCarryIn);
  T.raw("v_mbcnt_lo_u32_b32", runMbcnt<false>, InstClass::Valu, {S::B32, S::B32});
  T.raw("v_mbcnt_hi_u32_b32", runMbcnt<true>, InstClass::Valu, {S::B32, S::B32});
  T.raw("v_swap_b32", runSwap, InstClass::Valu, {S::B32});
  T.raw("v_readfirstlane_b32", runReadfirstlane, InstClass::Valu, {S::B32}, OpScalarDst);
  T.raw("v_readlane_b32", runReadlane, InstClass::Valu, {S::B32, S::B32}, OpScalarDst);
  T.raw("v_writelane_b32", runWritelane, InstClass::Valu, {S::B32, S::B32}, OpTiedDst);
  T.raw("v_nop", runNop, InstClass::Valu, {}, OpNoDst);
  T.raw("v_accvgpr_read_b32", runAccCopy, InstClass::Valu, {S::B32});
  T.raw("v_accvgpr_write_b32", runAccCopy, InstClass::Valu, {S::B32});
  T.raw("v_accvgpr_mov_b32", runAccCopy, InstClass::Valu, {S::B32});
}

HK_SIM_END
