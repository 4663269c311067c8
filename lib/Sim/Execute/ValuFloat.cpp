//===- ValuFloat.cpp - Floating-point operations of the vector ALU --------===//
//
// A sum, product or fused product is one rounding of the exact value, which is
// what the host's own operation gives in f32 and f64. In f16 sums and products
// go through f32, whose 24 bits make the second rounding harmless; the fused
// product is rounded to odd in f32 first.
//
//===----------------------------------------------------------------------===//

#include "../FloatDivide.h"
#include "../FloatTranscendental.h"
#include "Groups.h"
#include "HalfMath.h"
#include "Lanes.h"

#include <numbers>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

using S = SourceType;
using u16 = uint16_t;
using u32 = uint32_t;
using i32 = int32_t;
constexpr InstClass Quarter = InstClass::ValuTranscendental;

u16 bitsOfHalf(half X) { return std::bit_cast<u16>(X); }
half halfOf(u16 X) { return std::bit_cast<half>(X); }

//===- Division ------------------------------------------------------------===//

/// Lanes in which a number to be divided, or the one it is divided by, is so large or small that
/// the division sequence has to do something about it, or is no number.
template <class T> uint64_t immoderate(const T *Denominator, const T *Numerator) {
  using Bits = typename BitsOf<T>::Type;
  // Exponents differ by less than 2 * Span, which is less than any limit of the sequence.
  constexpr unsigned Mantissa = sizeof(T) == 4 ? 23 : 52;
  constexpr Bits Field = sizeof(T) == 4 ? 0xff : 0x7ff, Span = sizeof(T) == 4 ? 32 : 256;
  alignas(64) uint8_t Flags[NumLanes];
  for (unsigned L = 0; L != NumLanes; ++L) {
    Bits D = (std::bit_cast<Bits>(Denominator[L]) >> Mantissa & Field) - (Field / 2 - Span);
    Bits N = (std::bit_cast<Bits>(Numerator[L]) >> Mantissa & Field) - (Field / 2 - Span);
    Flags[L] = (D > 2 * Span) | (N > 2 * Span);
  }
  return gatherBits(Flags);
}

template <class T> void runDivFixup(Wave &W, const Inst &I) {
  using Bits = typename BitsOf<T>::Type;
  constexpr Bits Sign = Bits(1) << (8 * sizeof(T) - 1);
  alignas(64) T T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  const T *A = fetch<T>(W, I, 0, T0), *B = fetch<T>(W, I, 1, T1), *C = fetch<T>(W, I, 2, T2);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = std::bit_cast<T>((std::bit_cast<Bits>(A[L]) & ~Sign) |
                              ((std::bit_cast<Bits>(B[L]) ^ std::bit_cast<Bits>(C[L])) & Sign));
  for (uint64_t M = immoderate(B, C); M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    Out[L] = divFixup(A[L], B[L], C[L]);
  }
  fixNan<T>(Out, NumLanes, A, B, C);
  store<T>(W, I, Out);
}

template <class T> void runDivScale(Wave &W, const Inst &I) {
  alignas(64) T T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  const T *A = fetch<T>(W, I, 0, T0), *B = fetch<T>(W, I, 1, T1), *C = fetch<T>(W, I, 2, T2);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = A[L]; // what it comes to between moderate numbers
  uint64_t Mask = 0;
  for (uint64_t M = immoderate(B, C); M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    bool Scaled = false;
    Out[L] = divScale(A[L], B[L], C[L], Scaled);
    Mask |= uint64_t(Scaled) << L;
  }
  Mask &= W.exec();
  store<T>(W, I, Out);
  storeMask(W, I.SDst, Mask);
}

template <class T> void runDivFmas(Wave &W, const Inst &I) {
  alignas(64) T T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  const T *A = fetch<T>(W, I, 0, T0), *B = fetch<T>(W, I, 1, T1), *C = fetch<T>(W, I, 2, T2);
  uint64_t Vcc = W.vcc();
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = std::fma(A[L], B[L], C[L]);
  for (uint64_t M = Vcc; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    Out[L] = divFmas(A[L], B[L], C[L], true);
  }
  fixNan<T>(Out, NumLanes, A, B, C);
  store<T>(W, I, Out);
}

//===- Sine and cosine -----------------------------------------------------===//

/// sin(x), or cos(x), with an error of a few units in the last place of f64, for |x| up to pi / 4.
inline double smallSine(double X) {
  double S = X * X;
  double P = 1.0 / 355687428096000;
  P = P * S - 1.0 / 1307674368000;
  P = P * S + 1.0 / 6227020800;
  P = P * S - 1.0 / 39916800;
  P = P * S + 1.0 / 362880;
  P = P * S - 1.0 / 5040;
  P = P * S + 1.0 / 120;
  P = P * S - 1.0 / 6;
  return X + X * (P * S);
}
inline double smallCosine(double X) {
  double S = X * X;
  double P = -1.0 / 6402373705728000;
  P = P * S + 1.0 / 20922789888000;
  P = P * S - 1.0 / 87178291200;
  P = P * S + 1.0 / 479001600;
  P = P * S - 1.0 / 3628800;
  P = P * S + 1.0 / 40320;
  P = P * S - 1.0 / 720;
  P = P * S + 1.0 / 24;
  P = P * S - 1.0 / 2;
  return 1 + P * S;
}

/// All lanes at once, by series. Where those errors could decide which way the result is rounded,
/// which is hardly ever, and for arguments out of range, the functions for one number are asked, so
/// that the result is theirs always.
template <unsigned Turn> void runSine(Wave &W, const Inst &I) {
  alignas(64) float T0[NumLanes], Out[NumLanes];
  alignas(64) uint8_t Doubt[NumLanes];
  const float *A = fetch<float>(W, I, 0, T0);
  for (unsigned L = 0; L != NumLanes; ++L) {
    double X = flushedFloat(A[L]);
    bool Inside = std::fabs(X) <= 256;
    X = Inside ? X : 0;
    X -= std::nearbyint(X);
    double Quarters = std::nearbyint(X * 4);
    double Angle = (X - Quarters * 0.25) * (2 * std::numbers::pi);
    unsigned Q = unsigned(int(Quarters)) + Turn;
    double R = Q & 1 ? smallCosine(Angle) : smallSine(Angle);
    R = Q & 2 ? -R : R;
    float Low = float(R * (1 - 0x1p-47)), High = float(R * (1 + 0x1p-47));
    Doubt[L] = !Inside | (Low != High);
    Out[L] = flushedFloat(Low);
  }
  for (uint64_t M = W.Special ? FullMask : gatherBits(Doubt); M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    Out[L] = Turn ? cosF32(A[L]) : sinF32(A[L]);
  }
  fixNan<float>(Out, NumLanes, A);
  store<float>(W, I, Out);
}

//===- f16 functions that depend on MODE -----------------------------------===//

template <u16 (*F)(u16, const FloatMode &)> void runHalf(Wave &W, const Inst &I) {
  alignas(64) u16 T0[NumLanes];
  alignas(64) half Out[NumLanes];
  const u16 *A = fetch<u16>(W, I, 0, T0);
  FloatMode Mode = FloatMode::decode(W.Mode);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = halfOf(F(A[L], Mode));
  store<half>(W, I, Out);
}

void runLdexpHalf(Wave &W, const Inst &I) {
  alignas(64) u16 T0[NumLanes];
  alignas(64) int16_t T1[NumLanes];
  alignas(64) half Out[NumLanes];
  const u16 *A = fetch<u16>(W, I, 0, T0);
  const int16_t *B = fetch<int16_t>(W, I, 1, T1);
  FloatMode Mode = FloatMode::decode(W.Mode);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = halfOf(ldexpF16(A[L], B[L], Mode));
  store<half>(W, I, Out);
}

//===- Mixed precision -----------------------------------------------------===//

enum class MixTo { F32, Low, High };

/// Each source is f32, or the low or high f16 of a register.
const float *fetchMixed(Wave &W, const Inst &I, unsigned N, float *Out) {
  const Operand &O = I.Src[N];
  alignas(64) u32 Filled[NumLanes];
  const u32 *Bits = Filled;
  if (O.K == Operand::Vgpr)
    Bits = W.V[O.Reg];
  else
    fillRow(Filled, scalar32(W, O));
  if (!(I.OpSelHi >> N & 1)) {
    if (O.K == Operand::Vgpr && !O.Mods)
      return reinterpret_cast<const float *>(Bits);
    std::memcpy(Out, Bits, sizeof(Filled));
  } else {
    alignas(64) u16 Part[NumLanes];
    if (I.OpSel >> N & 1)
      for (unsigned L = 0; L != NumLanes; ++L)
        Part[L] = u16(Bits[L] >> 16);
    else
      for (unsigned L = 0; L != NumLanes; ++L)
        Part[L] = u16(Bits[L]);
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = float(halfOf(Part[L]));
  }
  if (I.Src[N].Mods & Operand::NegHi) // is |x| here
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = std::fabs(Out[L]);
  if (I.Src[N].Mods & Operand::Neg)
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = -Out[L];
  return Out;
}

/// All lanes by way of f32, in the default mode. False if that may not be right somewhere: rounding
/// to f32 first matters if it gives a tie of f16, and NaNs keep other bits.
bool fmaToHalfByFloat(const float *A, const float *B, const float *C, half *Out) {
  u32 Doubt = 0;
  for (unsigned L = 0; L != NumLanes; ++L) {
    float X = std::fma(A[L], B[L], C[L]);
    u32 Magnitude = std::bit_cast<u32>(X) & 0x7fffffff;
    // Ties of normal numbers; all of what is denormal in f16 (but not 0) is left to the exact way.
    Doubt |= (Magnitude & 0x1fff) == 0x1000;
    Doubt |= Magnitude - 1 < 0x38800000 - 1;
    Doubt |= Magnitude > 0x7f800000;
    Out[L] = half(X);
  }
  return !Doubt;
}

template <MixTo To> void runMix(Wave &W, const Inst &I) {
  alignas(64) float T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  const float *A = fetchMixed(W, I, 0, T0), *B = fetchMixed(W, I, 1, T1),
              *C = fetchMixed(W, I, 2, T2);
  if (To == MixTo::F32) {
    if (!I.Clamp) {
      auto Fma = [](float X, float Y, float Z) { return std::fma(X, Y, Z); };
      runHalfRows<decltype(Fma), float>(W, I.Dst, A, B, C);
      return;
    }
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = std::fma(A[L], B[L], C[L]);
    fixNan<float>(Out, NumLanes, A, B, C);
    store<float>(W, I, Out);
    return;
  }
  alignas(64) u32 Merged[NumLanes];
  alignas(64) half Narrow[NumLanes];
  const u32 *Old = W.V[I.Dst];
  if (W.Special || !fmaToHalfByFloat(A, B, C, Narrow))
    for (unsigned L = 0; L != NumLanes; ++L)
      Narrow[L] = fmaToHalf(A[L], B[L], C[L]);
  if (I.Clamp)
    for (unsigned L = 0; L != NumLanes; ++L)
      Narrow[L] = half(floatClamp(float(Narrow[L]), true));
  for (unsigned L = 0; L != NumLanes; ++L) {
    u32 H = bitsOfHalf(Narrow[L]);
    Merged[L] = To == MixTo::Low ? (Old[L] & 0xffff0000) | H : (Old[L] & 0xffff) | H << 16;
  }
  writeActive(W, I.Dst, Merged);
}

/// gfx950's minimum and maximum are those of IEEE 754-2019: a NaN wins, and -0 is below +0.
template <bool Most> float extreme(float A, float B) {
  if (A != A || B != B)
    return A + B;
  if (A == B)
    return std::signbit(A) == Most ? B : A;
  return (A > B) == Most ? A : B;
}
template <bool Most> half extreme(half A, half B) {
  return half(extreme<Most>(float(A), float(B)));
}

void addSingle(Adder &T) {
  T.arith("v_add_f32", [](float A, float B) { return A + B; });
  T.arith("v_sub_f32", [](float A, float B) { return A - B; });
  T.arith("v_subrev_f32", [](float A, float B) { return B - A; });
  T.arith("v_mul_f32", [](float A, float B) { return A * B; });
  T.arith("v_mul_legacy_f32", [](float A, float B) { return A == 0 || B == 0 ? 0.0f : A * B; });
  for (const char *Name : {"v_fma_f32", "v_fmamk_f32", "v_fmaak_f32"})
    T.arith(Name, [](float A, float B, float C) { return std::fma(A, B, C); });
  T.arith("v_fmac_f32", [](float A, float B, float C) { return std::fma(A, B, C); }).Flags |=
      OpTiedDst;
  // The unfused forms round the product, too.
  for (const char *Name : {"v_mad_f32", "v_madmk_f32", "v_madak_f32"})
    T.arith(Name, [](float A, float B, float C) { return A * B + C; });
  T.arith("v_mac_f32", [](float A, float B, float C) { return A * B + C; }).Flags |= OpTiedDst;
  T.arith("v_mad_legacy_f32",
          [](float A, float B, float C) { return (A == 0 || B == 0 ? 0.0f : A * B) + C; });
  T.op("v_min_f32", [](float A, float B) { return floatMin(A, B); });
  T.op("v_max_f32", [](float A, float B) { return floatMax(A, B); });
  T.op("v_min3_f32", [](float A, float B, float C) { return floatMin(floatMin(A, B), C); });
  T.op("v_max3_f32", [](float A, float B, float C) { return floatMax(floatMax(A, B), C); });
  T.arith("v_maximum3_f32",
          [](float A, float B, float C) { return extreme<true>(extreme<true>(A, B), C); });
  T.arith("v_minimum3_f32",
          [](float A, float B, float C) { return extreme<false>(extreme<false>(A, B), C); });
  T.op("v_med3_f32", [](float A, float B, float C) { return floatMed3(A, B, C); });
  T.arith("v_ceil_f32", [](float A) { return std::ceil(A); });
  T.arith("v_floor_f32", [](float A) { return std::floor(A); });
  T.arith("v_trunc_f32", [](float A) { return std::trunc(A); });
  T.arith("v_rndne_f32", [](float A) { return __builtin_roundevenf(A); });
  T.arith("v_fract_f32", [](float A) { return fractF32(A); });
  T.arith("v_rcp_f32", [](float A) { return rcpF32(A); }, Quarter);
  T.arith("v_rcp_iflag_f32", [](float A) { return rcpF32(A); }, Quarter);
  T.arith("v_rsq_f32", [](float A) { return rsqF32(A); }, Quarter);
  T.arith("v_sqrt_f32", [](float A) { return sqrtF32(A); }, Quarter);
  for (const char *Name : {"v_exp_f32", "v_exp_legacy_f32"})
    T.arith(Name, [](float A) { return exp2F32(A); }, Quarter);
  for (const char *Name : {"v_log_f32", "v_log_legacy_f32"})
    T.arith(Name, [](float A) { return log2F32(A); }, Quarter);
  T.raw("v_sin_f32", runSine<0>, Quarter, {S::F32});
  T.raw("v_cos_f32", runSine<1>, Quarter, {S::F32});
  T.arith("v_ldexp_f32", [](float A, i32 B) { return ldexpF32(A, B); });
  T.arith("v_frexp_mant_f32", [](float A) { return frexpMantF32(A); });
  T.op("v_frexp_exp_i32_f32", [](float A) { return frexpExpF32(A); });
  T.arith("v_cubeid_f32", [](float A, float B, float C) { return cubeId(A, B, C); });
  T.arith("v_cubesc_f32", [](float A, float B, float C) { return cubeSc(A, B, C); });
  T.arith("v_cubetc_f32", [](float A, float B, float C) { return cubeTc(A, B, C); });
  T.arith("v_cubema_f32", [](float A, float B, float C) { return cubeMa(A, B, C); });
  T.raw("v_div_fixup_f32", runDivFixup<float>, InstClass::Valu, {S::F32, S::F32, S::F32});
  T.raw("v_div_scale_f32", runDivScale<float>, InstClass::Valu, {S::F32, S::F32, S::F32}, OpSdst);
  T.raw("v_div_fmas_f32", runDivFmas<float>, InstClass::Valu, {S::F32, S::F32, S::F32});
}

void addDouble(Adder &T) {
  T.arith("v_add_f64", [](double A, double B) { return A + B; });
  T.arith("v_mul_f64", [](double A, double B) { return A * B; });
  T.arith("v_fma_f64", [](double A, double B, double C) { return std::fma(A, B, C); });
  T.arith("v_fmac_f64", [](double A, double B, double C) { return std::fma(A, B, C); }).Flags |=
      OpTiedDst;
  T.op("v_min_f64", [](double A, double B) { return floatMin(A, B); });
  T.op("v_max_f64", [](double A, double B) { return floatMax(A, B); });
  T.arith("v_ceil_f64", [](double A) { return std::ceil(A); });
  T.arith("v_floor_f64", [](double A) { return std::floor(A); });
  T.arith("v_trunc_f64", [](double A) { return std::trunc(A); });
  T.arith("v_rndne_f64", [](double A) { return __builtin_roundeven(A); });
  T.arith("v_fract_f64", [](double A) { return fractF64(A); });
  T.arith("v_rcp_f64", [](double A) { return rcpF64(A); }, Quarter);
  T.arith("v_rsq_f64", [](double A) { return rsqF64(A); }, Quarter);
  T.arith("v_sqrt_f64", [](double A) { return sqrtF64(A); }, Quarter);
  T.arith("v_ldexp_f64", [](double A, i32 B) { return ldexpF64(A, B); });
  T.arith("v_frexp_mant_f64", [](double A) { return frexpMantF64(A); });
  T.op("v_frexp_exp_i32_f64", [](double A) { return frexpExpF64(A); });
  T.op("v_trig_preop_f64", [](double A, u32 B) { return trigPreop(A, B & 31); });
  T.raw("v_div_fixup_f64", runDivFixup<double>, InstClass::ValuDouble, {S::F64, S::F64, S::F64}, 0,
        2);
  T.raw("v_div_scale_f64", runDivScale<double>, InstClass::ValuDouble, {S::F64, S::F64, S::F64},
        OpSdst, 2);
  T.raw("v_div_fmas_f64", runDivFmas<double>, InstClass::ValuDouble, {S::F64, S::F64, S::F64}, 0,
        2);
}

void addHalf(Adder &T) {
  T.arith("v_add_f16", [](half A, half B) { return half(A + B); });
  T.arith("v_sub_f16", [](half A, half B) { return half(A - B); });
  T.arith("v_subrev_f16", [](half A, half B) { return half(B - A); });
  T.arith("v_mul_f16", [](half A, half B) { return half(A * B); });
  T.arith("v_fma_f16", [](half A, half B, half C) { return fmaHalf(A, B, C); }).Flags |=
      OpKeepsHigh;
  for (const char *Name : {"v_fmamk_f16", "v_fmaak_f16", "v_fma_legacy_f16"})
    T.arith(Name, [](half A, half B, half C) { return fmaHalf(A, B, C); });
  T.arith("v_fmac_f16", [](half A, half B, half C) { return fmaHalf(A, B, C); }).Flags |= OpTiedDst;
  for (const char *Name : {"v_mad_f16", "v_mad_legacy_f16", "v_madmk_f16", "v_madak_f16"})
    T.arith(Name, [](half A, half B, half C) { return half(half(A * B) + C); });
  T.arith("v_mac_f16", [](half A, half B, half C) { return half(half(A * B) + C); }).Flags |=
      OpTiedDst;
  T.op("v_min_f16", [](half A, half B) { return halfOf(halfMin(bitsOfHalf(A), bitsOfHalf(B))); });
  T.op("v_max_f16", [](half A, half B) { return halfOf(halfMax(bitsOfHalf(A), bitsOfHalf(B))); });
  T.op("v_min3_f16", [](half A, half B, half C) {
     return halfOf(halfMin(halfMin(bitsOfHalf(A), bitsOfHalf(B)), bitsOfHalf(C)));
   }).Flags |= OpKeepsHigh;
  T.op("v_max3_f16", [](half A, half B, half C) {
     return halfOf(halfMax(halfMax(bitsOfHalf(A), bitsOfHalf(B)), bitsOfHalf(C)));
   }).Flags |= OpKeepsHigh;
  T.op("v_med3_f16", [](half A, half B, half C) {
     return halfOf(halfMed3(bitsOfHalf(A), bitsOfHalf(B), bitsOfHalf(C)));
   }).Flags |= OpKeepsHigh;
  T.arith("v_ceil_f16", [](half A) { return half(std::ceil(float(A))); });
  T.arith("v_floor_f16", [](half A) { return half(std::floor(float(A))); });
  T.arith("v_trunc_f16", [](half A) { return half(std::trunc(float(A))); });
  T.arith("v_rndne_f16", [](half A) { return half(__builtin_roundevenf(float(A))); });
  T.arith("v_fract_f16", [](half A) { return halfOf(fractF16(bitsOfHalf(A))); });
  T.arith("v_frexp_mant_f16", [](half A) { return halfOf(frexpMantF16(bitsOfHalf(A))); });
  T.op("v_frexp_exp_i16_f16", [](half A) { return frexpExpF16(bitsOfHalf(A)); });
  T.packedArith("v_pk_maximum3_f16",
                [](half A, half B, half C) { return extreme<true>(extreme<true>(A, B), C); });
  T.packedArith("v_pk_minimum3_f16",
                [](half A, half B, half C) { return extreme<false>(extreme<false>(A, B), C); });
  T.raw("v_rcp_f16", runHalf<rcpF16>, Quarter, {S::F16});
  T.raw("v_rsq_f16", runHalf<rsqF16>, Quarter, {S::F16});
  T.raw("v_sqrt_f16", runHalf<sqrtF16>, Quarter, {S::F16});
  T.raw("v_exp_f16", runHalf<exp2F16>, Quarter, {S::F16});
  T.raw("v_log_f16", runHalf<log2F16>, Quarter, {S::F16});
  T.raw("v_sin_f16", runHalf<sinF16>, Quarter, {S::F16});
  T.raw("v_cos_f16", runHalf<cosF16>, Quarter, {S::F16});
  T.raw("v_ldexp_f16", runLdexpHalf, InstClass::Valu, {S::F16, S::B16});
  auto Fixup = [](half A, half B, half C) {
    return halfOf(divFixupHalf(bitsOfHalf(A), bitsOfHalf(B), bitsOfHalf(C)));
  };
  T.op("v_div_fixup_f16", Fixup).Flags |= OpKeepsHigh;
  T.op("v_div_fixup_legacy_f16", Fixup);
}

} // namespace

void addValuFloat(OpTable &Table) {
  Adder T(Table);
  addSingle(T);
  addDouble(T);
  addHalf(T);
  for (const char *Name : {"v_fma_mix_f32", "v_mad_mix_f32"})
    T.raw(Name, runMix<MixTo::F32>, InstClass::Valu, {S::F32, S::F32, S::F32});
  for (const char *Name : {"v_fma_mixlo_f16", "v_mad_mixlo_f16"})
    T.raw(Name, runMix<MixTo::Low>, InstClass::Valu, {S::F32, S::F32, S::F32});
  for (const char *Name : {"v_fma_mixhi_f16", "v_mad_mixhi_f16"})
    T.raw(Name, runMix<MixTo::High>, InstClass::Valu, {S::F32, S::F32, S::F32});
}

HK_SIM_END
