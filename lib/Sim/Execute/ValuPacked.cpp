//===- ValuPacked.cpp - Two or more numbers in a register -----------------===//

#include "../FloatTranscendental.h"
#include "Groups.h"
#include "HalfMath.h"
#include "Lanes.h"

#include <algorithm>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

using S = SourceType;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using i64 = int64_t;

template <class T> constexpr T saturate(i64 X) {
  return T(std::clamp<i64>(X, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

//===- Pairs of f32 --------------------------------------------------------===//

/// Source N of the low or high result: which dword that is follows from op_sel and op_sel_hi.
const float *fetchPart(Wave &W, const Inst &I, unsigned N, bool High, u32 *Tmp) {
  const Operand &O = I.Src[N];
  unsigned Dword = (High ? I.OpSelHi : I.OpSel) >> N & 1;
  u32 Flip = O.Mods & (High ? Operand::NegHi : Operand::Neg) ? 0x80000000 : 0;
  if (O.K == Operand::Vgpr) {
    const u32 *Row = W.V[O.Reg + Dword];
    if (!Flip)
      return reinterpret_cast<const float *>(Row);
    for (unsigned L = 0; L != NumLanes; ++L)
      Tmp[L] = Row[L] ^ Flip;
  } else {
    u32 X =
        (O.K == Operand::Sgpr ? W.S[O.Reg + Dword] : u32(scalar64(W, O) >> (32 * Dword))) ^ Flip;
    for (unsigned L = 0; L != NumLanes; ++L)
      Tmp[L] = X;
  }
  return reinterpret_cast<const float *>(Tmp);
}

template <class F, unsigned Count> void runPairs(Wave &W, const Inst &I) {
  alignas(64) u32 Tmp[3][NumLanes];
  alignas(64) float Out[2][NumLanes];
  for (bool High : {false, true}) {
    const float *In[3];
    for (unsigned N = 0; N != Count; ++N)
      In[N] = fetchPart(W, I, N, High, Tmp[N]);
    const float *A = In[0], *B = In[1], *C = In[Count - 1];
    float *D = Out[High];
    u32 Nan = 0;
#pragma clang loop vectorize(assume_safety)
    for (unsigned L = 0; L != NumLanes; ++L) {
      float X = F{}(A[L], B[L], C[L]);
      Nan |= X != X;
      D[L] = X;
    }
    if (Nan) {
      if (Count == 3)
        replaceNan<float>(D, NumLanes, A, B, C);
      else
        replaceNan<float>(D, NumLanes, A, B);
    }
  }
  if (!I.Clamp) {
    for (unsigned Half = 0; Half != 2; ++Half)
      writeActive(W, I.Dst + Half, reinterpret_cast<const u32 *>(Out[Half]));
    return;
  }
  Inst Part = I;
  for (unsigned Half = 0; Half != 2; ++Half) {
    Part.Dst = I.Dst + Half;
    store32(W, Part, reinterpret_cast<u32 *>(Out[Half]), true);
  }
}

/// The low result is a dword of source 0, the high one of source 1, each chosen by op_sel.
void runPkMov(Wave &W, const Inst &I) {
  alignas(64) u32 Tmp[2][NumLanes], Out[2][NumLanes];
  for (unsigned N = 0; N != 2; ++N)
    std::memcpy(Out[N], fetchPart(W, I, N, false, Tmp[N]), sizeof(Out[N]));
  Inst Part = I;
  for (unsigned N = 0; N != 2; ++N) {
    Part.Dst = I.Dst + N;
    store32(W, Part, Out[N], false);
  }
}

//===- Dot products --------------------------------------------------------===//

template <class T> constexpr T element(u32 X, unsigned N, unsigned Bits) {
  u32 Field = X >> (N * Bits) << (32 - Bits);
  return std::is_signed_v<T> ? T(i32(Field) >> (32 - Bits)) : T(Field >> (32 - Bits));
}

template <class T, unsigned Bits> void runDot(Wave &W, const Inst &I) {
  alignas(64) u32 T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  // Which half of a pair of words is asked for applies to the 16-bit forms only.
  bool Select = Bits == 16 && I.Format == Encoding::Vop3p;
  Inst Raw = I;
  for (Operand &O : Raw.Src)
    O.Mods = 0;
  fetch32(W, Raw, 0, T0);
  fetch32(W, Raw, 1, T1);
  fetch32(W, Raw, 2, T2);
  for (unsigned L = 0; L != NumLanes; ++L) {
    i64 Sum = std::is_signed_v<T> ? i64(i32(T2[L])) : i64(T2[L]);
    for (unsigned N = 0; N != 32 / Bits; ++N) {
      unsigned P = N, Q = N;
      if (Select) {
        P = (N ? I.OpSelHi : I.OpSel) & 1;
        Q = (N ? I.OpSelHi : I.OpSel) >> 1 & 1;
      }
      Sum += i64(element<T>(T0[L], P, Bits)) * i64(element<T>(T1[L], Q, Bits));
    }
    Out[L] = I.Clamp ? u32(saturate<T>(Sum)) : u32(Sum);
  }
  Inst Plain = I;
  Plain.Clamp = false;
  store32(W, Plain, Out, false);
}

/// f16 or bf16 pairs, summed in f32.
template <bool Brain> void runDotFloat(Wave &W, const Inst &I) {
  alignas(64) u32 Raw[3][NumLanes];
  alignas(64) float Out[NumLanes];
  Inst Copy = I;
  for (Operand &O : Copy.Src)
    O.Mods &= I.Format == Encoding::Vop3p ? 0 : ~0;
  for (unsigned N = 0; N != 3; ++N)
    fetch32(W, Copy, N, Raw[N]);
  bool Packed = I.Format == Encoding::Vop3p;
  auto Value = [&](unsigned N, unsigned L, bool High) {
    bool Upper = Packed ? (High ? I.OpSelHi : I.OpSel) >> N & 1 : High;
    u16 Bits = u16(Raw[N][L] >> (Upper ? 16 : 0));
    float X = Brain ? std::bit_cast<float>(u32(Bits) << 16) : float(std::bit_cast<half>(Bits));
    bool Flip = Packed && (I.Src[N].Mods & (High ? Operand::NegHi : Operand::Neg));
    return Flip ? -X : X;
  };
  for (unsigned L = 0; L != NumLanes; ++L) {
    float C = std::bit_cast<float>(Raw[2][L]);
    if (Packed && (I.Src[2].Mods & Operand::Neg))
      C = -C;
    float Products =
        Value(0, L, false) * Value(1, L, false) + Value(0, L, true) * Value(1, L, true);
    Out[L] = Products + C;
  }
  store32(W, I, reinterpret_cast<u32 *>(Out), true);
}

half orderedHalf(u16 Bits) { return std::bit_cast<half>(Bits); }
u16 bits(half X) { return std::bit_cast<u16>(X); }

} // namespace

void addValuPacked(OpTable &Table) {
  Adder T(Table);
  T.packedArith("v_pk_add_f16", [](half A, half B) { return half(A + B); });
  T.packedArith("v_pk_mul_f16", [](half A, half B) { return half(A * B); });
  T.packedArith("v_pk_fma_f16", [](half A, half B, half C) { return fmaHalf(A, B, C); });
  T.packedArith("v_pk_fmac_f16", [](half A, half B, half C) { return fmaHalf(A, B, C); }).Flags |=
      OpTiedDst;
  T.packed("v_pk_min_f16", [](half A, half B) { return orderedHalf(halfMin(bits(A), bits(B))); });
  T.packed("v_pk_max_f16", [](half A, half B) { return orderedHalf(halfMax(bits(A), bits(B))); });

  T.packedSaturating(
      "v_pk_add_u16", [](u16 A, u16 B) { return u16(A + B); },
      [](u16 A, u16 B) { return saturate<u16>(i64(A) + B); });
  T.packedSaturating(
      "v_pk_sub_u16", [](u16 A, u16 B) { return u16(A - B); },
      [](u16 A, u16 B) { return saturate<u16>(i64(A) - B); });
  T.packedSaturating(
      "v_pk_add_i16", [](i16 A, i16 B) { return i16(A + B); },
      [](i16 A, i16 B) { return saturate<i16>(i64(A) + B); });
  T.packedSaturating(
      "v_pk_sub_i16", [](i16 A, i16 B) { return i16(A - B); },
      [](i16 A, i16 B) { return saturate<i16>(i64(A) - B); });
  T.packedSaturating(
      "v_pk_mad_u16", [](u16 A, u16 B, u16 C) { return u16(u32(A) * B + C); },
      [](u16 A, u16 B, u16 C) { return saturate<u16>(i64(A) * B + C); });
  T.packedSaturating(
      "v_pk_mad_i16", [](i16 A, i16 B, i16 C) { return i16(u32(i32(A) * B) + u32(C)); },
      [](i16 A, i16 B, i16 C) { return saturate<i16>(i64(A) * B + C); });
  T.packed("v_pk_mul_lo_u16", [](u16 A, u16 B) { return u16(u32(A) * B); });
  T.packed("v_pk_min_i16", [](i16 A, i16 B) { return std::min(A, B); });
  T.packed("v_pk_max_i16", [](i16 A, i16 B) { return std::max(A, B); });
  T.packed("v_pk_min_u16", [](u16 A, u16 B) { return std::min(A, B); });
  T.packed("v_pk_max_u16", [](u16 A, u16 B) { return std::max(A, B); });
  T.packed("v_pk_lshlrev_b16", [](u16 A, u16 B) { return u16(B << (A & 15)); });
  T.packed("v_pk_lshrrev_b16", [](u16 A, u16 B) { return u16(B >> (A & 15)); });
  T.packed("v_pk_ashrrev_i16", [](i16 A, i16 B) { return i16(B >> (A & 15)); });

  auto Fma = [](float A, float B, float C) { return std::fma(A, B, C); };
  auto Mul = [](float A, float B, float) { return A * B; };
  auto Add = [](float A, float B, float) { return A + B; };
  T.raw("v_pk_fma_f32", runPairs<decltype(Fma), 3>, InstClass::Valu, {S::PkF32, S::PkF32, S::PkF32},
        0, 2);
  T.raw("v_pk_mul_f32", runPairs<decltype(Mul), 2>, InstClass::Valu, {S::PkF32, S::PkF32}, 0, 2);
  T.raw("v_pk_add_f32", runPairs<decltype(Add), 2>, InstClass::Valu, {S::PkF32, S::PkF32}, 0, 2);
  T.raw("v_pk_mov_b32", runPkMov, InstClass::Valu, {S::B64, S::B64}, 0, 2);

  T.raw("v_dot2_i32_i16", runDot<i32, 16>, InstClass::Valu, {S::PkB16, S::PkB16, S::B32});
  T.raw("v_dot2_u32_u16", runDot<u32, 16>, InstClass::Valu, {S::PkB16, S::PkB16, S::B32});
  T.raw("v_dot4_i32_i8", runDot<i32, 8>, InstClass::Valu, {S::B32, S::B32, S::B32});
  T.raw("v_dot4_u32_u8", runDot<u32, 8>, InstClass::Valu, {S::B32, S::B32, S::B32});
  T.raw("v_dot8_i32_i4", runDot<i32, 4>, InstClass::Valu, {S::B32, S::B32, S::B32});
  T.raw("v_dot8_u32_u4", runDot<u32, 4>, InstClass::Valu, {S::B32, S::B32, S::B32});
  T.raw("v_dot2c_i32_i16", runDot<i32, 16>, InstClass::Valu, {S::PkB16, S::PkB16, S::B32},
        OpTiedDst);
  T.raw("v_dot4c_i32_i8", runDot<i32, 8>, InstClass::Valu, {S::B32, S::B32, S::B32}, OpTiedDst);
  T.raw("v_dot8c_i32_i4", runDot<i32, 4>, InstClass::Valu, {S::B32, S::B32, S::B32}, OpTiedDst);
  T.raw("v_dot2_f32_f16", runDotFloat<false>, InstClass::Valu, {S::PkF16, S::PkF16, S::F32});
  T.raw("v_dot2c_f32_f16", runDotFloat<false>, InstClass::Valu, {S::PkF16, S::PkF16, S::F32},
        OpTiedDst);
  T.raw("v_dot2_f32_bf16", runDotFloat<true>, InstClass::Valu, {S::PkB16, S::PkB16, S::F32});
  T.raw("v_dot2c_f32_bf16", runDotFloat<true>, InstClass::Valu, {S::PkB16, S::PkB16, S::F32},
        OpTiedDst);
}

HK_SIM_END
