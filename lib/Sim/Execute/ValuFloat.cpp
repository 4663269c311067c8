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

template <class T> void runDivScale(Wave &W, const Inst &I) {
  alignas(64) T T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  const T *A = fetch<T>(W, I, 0, T0), *B = fetch<T>(W, I, 1, T1), *C = fetch<T>(W, I, 2, T2);
  uint64_t Mask = 0;
  for (unsigned L = 0; L != NumLanes; ++L) {
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
    Out[L] = divFmas(A[L], B[L], C[L], Vcc >> L & 1);
  fixNan<T>(Out, NumLanes, A, B, C);
  store<T>(W, I, Out);
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
  Inst Raw = I;
  Raw.Plain = false;
  Raw.Src[N].Mods = 0;
  u32 Bits[NumLanes];
  fetch32(W, Raw, N, Bits);
  bool IsHalf = I.OpSelHi >> N & 1;
  unsigned Shift = I.OpSel >> N & 1 ? 16 : 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = IsHalf ? float(halfOf(u16(Bits[L] >> Shift))) : std::bit_cast<float>(Bits[L]);
  if (I.Src[N].Mods & Operand::NegHi) // is |x| here
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = std::fabs(Out[L]);
  if (I.Src[N].Mods & Operand::Neg)
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = -Out[L];
  return Out;
}

template <MixTo To> void runMix(Wave &W, const Inst &I) {
  alignas(64) float T0[NumLanes], T1[NumLanes], T2[NumLanes], Out[NumLanes];
  const float *A = fetchMixed(W, I, 0, T0), *B = fetchMixed(W, I, 1, T1),
              *C = fetchMixed(W, I, 2, T2);
  if (To == MixTo::F32) {
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = std::fma(A[L], B[L], C[L]);
    fixNan<float>(Out, NumLanes, A, B, C);
    store<float>(W, I, Out);
    return;
  }
  alignas(64) u32 Merged[NumLanes];
  alignas(64) half Narrow[NumLanes];
  const u32 *Old = W.V[I.Dst];
  for (unsigned L = 0; L != NumLanes; ++L)
    Narrow[L] = fmaToHalf(A[L], B[L], C[L]);
  if (I.Clamp)
    for (unsigned L = 0; L != NumLanes; ++L)
      Narrow[L] = half(floatClamp(float(Narrow[L]), true));
  for (unsigned L = 0; L != NumLanes; ++L) {
    u32 H = bitsOfHalf(Narrow[L]);
    Merged[L] = To == MixTo::Low ? (Old[L] & 0xffff0000) | H : (Old[L] & 0xffff) | H << 16;
  }
  Inst Plain = I;
  Plain.Clamp = false;
  store<u32>(W, Plain, Merged);
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
  T.op("v_med3_f32", [](float A, float B, float C) { return floatMed3(A, B, C); });
  T.arith("v_ceil_f32", [](float A) { return std::ceil(A); });
  T.arith("v_floor_f32", [](float A) { return std::floor(A); });
  T.arith("v_trunc_f32", [](float A) { return std::trunc(A); });
  T.arith("v_rndne_f32", [](float A) { return float(std::nearbyint(A)); });
  T.arith("v_fract_f32", [](float A) { return fractF32(A); });
  T.arith("v_rcp_f32", [](float A) { return rcpF32(A); }, Quarter);
  T.arith("v_rcp_iflag_f32", [](float A) { return rcpF32(A); }, Quarter);
  T.arith("v_rsq_f32", [](float A) { return rsqF32(A); }, Quarter);
  T.arith("v_sqrt_f32", [](float A) { return sqrtF32(A); }, Quarter);
  for (const char *Name : {"v_exp_f32", "v_exp_legacy_f32"})
    T.arith(Name, [](float A) { return exp2F32(A); }, Quarter);
  for (const char *Name : {"v_log_f32", "v_log_legacy_f32"})
    T.arith(Name, [](float A) { return log2F32(A); }, Quarter);
  T.arith("v_sin_f32", [](float A) { return sinF32(A); }, Quarter);
  T.arith("v_cos_f32", [](float A) { return cosF32(A); }, Quarter);
  T.arith("v_ldexp_f32", [](float A, i32 B) { return ldexpF32(A, B); });
  T.arith("v_frexp_mant_f32", [](float A) { return frexpMantF32(A); });
  T.op("v_frexp_exp_i32_f32", [](float A) { return frexpExpF32(A); });
  T.arith("v_cubeid_f32", [](float A, float B, float C) { return cubeId(A, B, C); });
  T.arith("v_cubesc_f32", [](float A, float B, float C) { return cubeSc(A, B, C); });
  T.arith("v_cubetc_f32", [](float A, float B, float C) { return cubeTc(A, B, C); });
  T.arith("v_cubema_f32", [](float A, float B, float C) { return cubeMa(A, B, C); });
  T.arith("v_div_fixup_f32", [](float A, float B, float C) { return divFixup(A, B, C); });
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
  T.arith("v_rndne_f64", [](double A) { return std::nearbyint(A); });
  T.arith("v_fract_f64", [](double A) { return fractF64(A); });
  T.arith("v_rcp_f64", [](double A) { return rcpF64(A); }, Quarter);
  T.arith("v_rsq_f64", [](double A) { return rsqF64(A); }, Quarter);
  T.arith("v_sqrt_f64", [](double A) { return sqrtF64(A); }, Quarter);
  T.arith("v_ldexp_f64", [](double A, i32 B) { return ldexpF64(A, B); });
  T.arith("v_frexp_mant_f64", [](double A) { return frexpMantF64(A); });
  T.op("v_frexp_exp_i32_f64", [](double A) { return frexpExpF64(A); });
  T.op("v_trig_preop_f64", [](double A, u32 B) { return trigPreop(A, B & 31); });
  T.arith("v_div_fixup_f64", [](double A, double B, double C) { return divFixup(A, B, C); });
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
  T.arith("v_rndne_f16", [](half A) { return half(std::nearbyint(float(A))); });
  T.arith("v_fract_f16", [](half A) { return halfOf(fractF16(bitsOfHalf(A))); });
  T.arith("v_frexp_mant_f16", [](half A) { return halfOf(frexpMantF16(bitsOfHalf(A))); });
  T.op("v_frexp_exp_i16_f16", [](half A) { return frexpExpF16(bitsOfHalf(A)); });
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
