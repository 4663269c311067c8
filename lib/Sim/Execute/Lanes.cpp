//===- Lanes.cpp - Modifiers, SDWA, DPP, masks ----------------------------===//

#include "Lanes.h"

#include "../FloatFormats.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

/// For each lane where DPP takes its first source from; valid says whether there is such a lane.
struct Permutation {
  uint8_t From[NumLanes];
  uint64_t Valid = 0;
};

void permutation(const Inst &I, uint64_t Exec, Permutation &P) {
  unsigned Ctrl = I.DppCtrl;
  for (int L = 0; L != int(NumLanes); ++L) {
    int Row = L & ~15, In = L & 15, From = -1;
    if (Ctrl < 0x100) // quad_perm
      From = (L & ~3) + (Ctrl >> (2 * (L & 3)) & 3);
    else if (Ctrl >= 0x101 && Ctrl <= 0x10f) // row_shl
      From = In + int(Ctrl & 15) < 16 ? L + int(Ctrl & 15) : -1;
    else if (Ctrl >= 0x111 && Ctrl <= 0x11f) // row_shr
      From = In >= int(Ctrl & 15) ? L - int(Ctrl & 15) : -1;
    else if (Ctrl >= 0x121 && Ctrl <= 0x12f) // row_ror
      From = Row + ((In - int(Ctrl & 15)) & 15);
    else if (Ctrl == 0x130) // wave_shl
      From = L + 1 < 64 ? L + 1 : -1;
    else if (Ctrl == 0x134) // wave_rol
      From = (L + 1) & 63;
    else if (Ctrl == 0x138) // wave_shr
      From = L - 1;
    else if (Ctrl == 0x13c) // wave_ror
      From = (L - 1) & 63;
    else if (Ctrl == 0x140) // row_mirror
      From = Row + 15 - In;
    else if (Ctrl == 0x141) // row_half_mirror
      From = (L & ~7) + 7 - (L & 7);
    else if (Ctrl == 0x142) // row_bcast15: lane 15 of each row to the next row
      From = L >= 16 ? Row - 1 : -1;
    else if (Ctrl == 0x143) // row_bcast31: to the upper half
      From = L >= 32 ? 31 : -1;
    else if (Ctrl >= 0x150 && Ctrl <= 0x15f) // row_newbcast
      From = Row + (Ctrl & 15);
    bool Ok = From >= 0 && (Exec >> From & 1);
    P.From[L] = From < 0 ? 0 : From;
    P.Valid |= uint64_t(Ok) << L;
  }
}

void permute(Wave &W, const Inst &I, const uint32_t *Row, uint32_t *Out) {
  Permutation P;
  permutation(I, W.exec(), P);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = P.Valid >> L & 1 ? Row[P.From[L]] : 0;
}

/// Registers or constants as they are, without modifiers.
void raw32(Wave &W, const Inst &I, unsigned N, unsigned Dword, uint32_t *Out) {
  const Operand &O = I.Src[N];
  if (O.K == Operand::Vgpr) {
    const uint32_t *Row = W.V[O.Reg + Dword];
    if (I.Dpp && N == 0)
      permute(W, I, Row, Out);
    else
      copyRow(Out, Row);
    return;
  }
  uint32_t X;
  if (O.K == Operand::Sgpr)
    X = W.S[O.Reg + Dword];
  else
    X = uint32_t((O.K == Operand::Constant ? O.Value : readSpecial(W, O.Reg)) >> (32 * Dword));
  fillRow(Out, X);
}

void select(const Operand &O, uint32_t *Out) {
  unsigned Shift = O.Sel < 4 ? 8 * O.Sel : O.Sel == 5 ? 16 : 0;
  if (O.Sel == 6)
    return;
  unsigned Up = O.Sel < 4 ? 24 : 16;
  if (O.Mods & Operand::Sext)
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = uint32_t(int32_t(Out[L] >> Shift << Up) >> Up);
  else
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = Out[L] >> Shift << Up >> Up;
}

template <class B> void modify(const Operand &O, B *Out, unsigned Count = NumLanes) {
  constexpr B Sign = B(B(1) << (8 * sizeof(B) - 1));
  if (O.Mods & Operand::Abs)
    for (unsigned L = 0; L != Count; ++L)
      Out[L] &= B(~Sign);
  if (O.Mods & Operand::Neg)
    for (unsigned L = 0; L != Count; ++L)
      Out[L] ^= Sign;
}

template <class T> void scaleAndClamp(const Inst &I, T *Out, unsigned Count = NumLanes) {
  if (I.Omod) {
    T Factor = I.Omod == 1 ? T(2) : I.Omod == 2 ? T(4) : T(0.5);
    for (unsigned L = 0; L != Count; ++L)
      Out[L] = Out[L] * Factor;
  }
  if (I.Clamp)
    for (unsigned L = 0; L != Count; ++L) {
      T X = Out[L];
      // NaN becomes 0 (DX10_CLAMP is on)
      X = X > T(0) ? X : T(0);
      Out[L] = X < T(1) ? X : T(1);
    }
}

/// Whether MODE makes zeros of f16 denormals among the operands, or results.
bool flushes(const Wave &W, bool In) {
  if (!W.Special)
    return false;
  FloatMode Mode = FloatMode::decode(W.Mode);
  return In ? Mode.F64F16FlushIn : Mode.F64F16FlushOut;
}

void flushHalves(uint16_t *Halves, unsigned Count) {
  for (unsigned L = 0; L != Count; ++L)
    Halves[L] = flushHalf(Halves[L]);
}

/// Puts results into the part of the destination that SDWA names.
void insert(Wave &W, const Inst &I, uint32_t *Out) {
  if (I.DstSel == 6)
    return;
  unsigned Shift = I.DstSel < 4 ? 8 * I.DstSel : I.DstSel == 5 ? 16 : 0;
  uint32_t Field = (I.DstSel < 4 ? 0xffu : 0xffffu) << Shift;
  const uint32_t *Old = W.V[I.Dst];
  for (unsigned L = 0; L != NumLanes; ++L) {
    uint32_t X = Out[L] << Shift & Field;
    if (I.DstUnused == 2)
      X |= Old[L] & ~Field;
    else if (I.DstUnused == 1 && (X >> Shift & (I.DstSel < 4 ? 0x80 : 0x8000)))
      X |= ~(Field | ((1u << Shift) - 1));
    Out[L] = X;
  }
}

void writeRow(Wave &W, unsigned Row, uint64_t Lanes, const uint32_t *Out) {
  uint32_t *D = W.V[Row];
  if (Lanes == FullMask) {
    copyRow(D, Out);
    return;
  }
  const uint32_t *M = W.Mask;
  uint32_t Own[NumLanes];
  if (Lanes == W.exec()) {
    W.execMask();
  } else {
    for (unsigned L = 0; L != NumLanes; ++L)
      Own[L] = 0 - uint32_t(Lanes >> L & 1);
    M = Own;
  }
  for (unsigned L = 0; L != NumLanes; ++L)
    D[L] = (D[L] & ~M[L]) | (Out[L] & M[L]);
}

} // namespace

uint64_t writeMask(Wave &W, const Inst &I) {
  uint64_t Exec = W.exec();
  if (!I.Dpp)
    return Exec;
  uint64_t Enabled = 0;
  for (unsigned Row = 0; Row != 4; ++Row)
    for (unsigned Bank = 0; Bank != 4; ++Bank)
      if ((I.RowMask >> Row & 1) && (I.BankMask >> Bank & 1))
        Enabled |= uint64_t(15) << (16 * Row + 4 * Bank);
  if (!I.BoundCtrl) {
    Permutation P;
    permutation(I, Exec, P);
    Enabled &= P.Valid;
  }
  return Exec & Enabled;
}

uint64_t gatherBits(const uint8_t *Flags) {
  uint64_t Mask = 0;
  for (unsigned G = 0; G != 8; ++G) {
    uint64_t X;
    std::memcpy(&X, Flags + 8 * G, 8);
    Mask |= (X * 0x0102040810204080 >> 56) << (8 * G);
  }
  return Mask;
}

void spreadBits(uint64_t Bits, uint8_t *Flags) {
  for (unsigned L = 0; L != NumLanes; ++L)
    Flags[L] = Bits >> L & 1;
}

uint64_t scalar64(Wave &W, const Operand &O) {
  if (O.K == Operand::Sgpr)
    return W.pair(O.Reg);
  if (O.K == Operand::Constant)
    return O.Value;
  return readSpecial(W, O.Reg);
}

void fetch16(Wave &W, const Inst &I, unsigned N, uint16_t *Out) {
  const Operand &O = I.Src[N];
  bool UpperOfPart = O.Sel != 6 && (I.OpSel >> N & 1);
  if (O.K == Operand::Vgpr && !(I.Dpp && N == 0) && O.Sel >= 4 && !UpperOfPart) {
    const uint32_t *Row = W.V[O.Reg];
    if (O.Sel == 5 || (I.OpSel >> N & 1))
      for (unsigned L = 0; L != NumLanes; ++L)
        Out[L] = Row[L] >> 16;
    else
      for (unsigned L = 0; L != NumLanes; ++L)
        Out[L] = Row[L];
    if (I.Op->Src[N] == SourceType::F16 && flushes(W, true))
      flushHalves(Out, NumLanes);
    if (O.Mods)
      modify(O, Out);
    return;
  }
  alignas(64) uint32_t Raw[NumLanes];
  raw32(W, I, N, 0, Raw);
  select(O, Raw);
  unsigned Shift = I.OpSel >> N & 1 ? 16 : 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = Raw[L] >> Shift;
  if (I.Op->Src[N] == SourceType::F16 && flushes(W, true))
    flushHalves(Out, NumLanes);
  if (O.Mods)
    modify(O, Out);
}

void fetch32(Wave &W, const Inst &I, unsigned N, uint32_t *Out) {
  const Operand &O = I.Src[N];
  if (O.K == Operand::Vgpr && !(I.Dpp && N == 0) && O.Sel == 6) {
    const uint32_t *Row = W.V[O.Reg];
    uint32_t Keep = O.Mods & Operand::Abs ? 0x7fffffff : 0xffffffff;
    uint32_t Flip = O.Mods & Operand::Neg ? 0x80000000 : 0;
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = (Row[L] & Keep) ^ Flip;
    return;
  }
  raw32(W, I, N, 0, Out);
  select(O, Out);
  if (O.Mods)
    modify(O, Out);
}

void fetch64(Wave &W, const Inst &I, unsigned N, uint64_t *Out) {
  const Operand &O = I.Src[N];
  if (O.K == Operand::Vgpr && !(I.Dpp && N == 0)) {
    const uint32_t *Low = W.V[O.Reg], *High = W.V[O.Reg + 1];
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = Low[L] | uint64_t(High[L]) << 32;
  } else if (O.K != Operand::Vgpr) {
    uint64_t X = scalar64(W, O);
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = X;
  } else {
    alignas(64) uint32_t Low[NumLanes], High[NumLanes];
    raw32(W, I, N, 0, Low);
    raw32(W, I, N, 1, High);
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = Low[L] | uint64_t(High[L]) << 32;
  }
  if (O.Mods)
    modify(O, Out);
}

void fetchPacked(Wave &W, const Inst &I, unsigned N, uint16_t *Out, bool Float) {
  const Operand &O = I.Src[N];
  alignas(64) uint32_t Raw[NumLanes];
  raw32(W, I, N, 0, Raw);
  unsigned Low = I.OpSel >> N & 1 ? 16 : 0, High = I.OpSelHi >> N & 1 ? 16 : 0;
  uint16_t FlipLow = Float && (O.Mods & Operand::Neg) ? 0x8000 : 0;
  uint16_t FlipHigh = Float && (O.Mods & Operand::NegHi) ? 0x8000 : 0;
  for (unsigned L = 0; L != NumLanes; ++L) {
    Out[2 * L] = uint16_t(Raw[L] >> Low) ^ FlipLow;
    Out[2 * L + 1] = uint16_t(Raw[L] >> High) ^ FlipHigh;
  }
  if (Float && flushes(W, true))
    flushHalves(Out, 2 * NumLanes);
}

void storePacked(Wave &W, const Inst &I, uint16_t *Out, bool Float) {
  if (Float && I.Clamp)
    scaleAndClamp(I, reinterpret_cast<half *>(Out), 2 * NumLanes);
  if (Float && flushes(W, false))
    flushHalves(Out, 2 * NumLanes);
  writeRow(W, I.Dst, W.exec(), reinterpret_cast<const uint32_t *>(Out));
}

void store16(Wave &W, const Inst &I, uint16_t *Out, bool Float) {
  if (Float && (I.Omod || I.Clamp))
    scaleAndClamp(I, reinterpret_cast<half *>(Out));
  if (Float && flushes(W, false))
    flushHalves(Out, NumLanes);
  alignas(64) uint32_t Wide[NumLanes];
  for (unsigned L = 0; L != NumLanes; ++L)
    Wide[L] = Out[L];
  if (I.Op->Flags & OpKeepsHigh) {
    const uint32_t *Old = W.V[I.Dst];
    if (I.OpSel & 8)
      for (unsigned L = 0; L != NumLanes; ++L)
        Wide[L] = (Old[L] & 0xffff) | Wide[L] << 16;
    else
      for (unsigned L = 0; L != NumLanes; ++L)
        Wide[L] |= Old[L] & 0xffff0000;
  }
  if (I.Sdwa)
    insert(W, I, Wide);
  writeRow(W, I.Dst, writeMask(W, I), Wide);
}

void store32(Wave &W, const Inst &I, uint32_t *Out, bool Float) {
  if (Float && (I.Omod || I.Clamp))
    scaleAndClamp(I, reinterpret_cast<float *>(Out));
  if (I.Sdwa)
    insert(W, I, Out);
  writeRow(W, I.Dst, writeMask(W, I), Out);
}

void store64(Wave &W, const Inst &I, uint64_t *Out, bool Float) {
  if (Float && (I.Omod || I.Clamp))
    scaleAndClamp(I, reinterpret_cast<double *>(Out));
  if (W.exec() == FullMask && !I.Dpp) {
    uint32_t *Low = W.V[I.Dst], *High = W.V[I.Dst + 1];
    for (unsigned L = 0; L != NumLanes; ++L)
      Low[L] = uint32_t(Out[L]);
    for (unsigned L = 0; L != NumLanes; ++L)
      High[L] = uint32_t(Out[L] >> 32);
    return;
  }
  alignas(64) uint32_t Half[2][NumLanes];
  for (unsigned L = 0; L != NumLanes; ++L) {
    Half[0][L] = uint32_t(Out[L]);
    Half[1][L] = uint32_t(Out[L] >> 32);
  }
  uint64_t Lanes = writeMask(W, I);
  writeRow(W, I.Dst, Lanes, Half[0]);
  writeRow(W, I.Dst + 1, Lanes, Half[1]);
}

namespace {
template <class B>
void fixNan(const B *const *Sources, unsigned Count, B *Out, unsigned Lanes, B Inf, B Quiet) {
  constexpr B Magnitude = B(~B(0)) >> 1;
  alignas(64) B Result[2 * NumLanes];
  for (unsigned L = 0; L != Lanes; ++L)
    Result[L] = Inf | Quiet;
  for (unsigned N = Count; N-- != 0;)
    for (unsigned L = 0; L != Lanes; ++L)
      Result[L] = (Sources[N][L] & Magnitude) > Inf ? B(Sources[N][L] | Quiet) : Result[L];
  for (unsigned L = 0; L != Lanes; ++L)
    Out[L] = (Out[L] & Magnitude) > Inf ? Result[L] : Out[L];
}
} // namespace

void fixNan16(const uint16_t *const *Sources, unsigned Count, uint16_t *Out, unsigned Lanes) {
  fixNan<uint16_t>(Sources, Count, Out, Lanes, 0x7c00, 0x0200);
}
void fixNan32(const uint32_t *const *Sources, unsigned Count, uint32_t *Out, unsigned Lanes) {
  fixNan<uint32_t>(Sources, Count, Out, Lanes, 0x7f800000, 0x00400000);
}
void fixNan64(const uint64_t *const *Sources, unsigned Count, uint64_t *Out, unsigned Lanes) {
  fixNan<uint64_t>(Sources, Count, Out, Lanes, 0x7ff0000000000000, 0x0008000000000000);
}

HK_SIM_END
