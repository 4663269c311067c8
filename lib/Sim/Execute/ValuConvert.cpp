//===- ValuConvert.cpp - Conversions between number formats ---------------===//

#include "../FloatFormats.h"
#include "Groups.h"
#include "Lanes.h"

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

u32 pair(u16 Low, u16 High) { return u32(Low) | u32(High) << 16; }
u16 truncatedHalf(float X) { return u16(encodeFloat(X, FormatF16, Rounding::Zero)); }

/// To f16 with the rounding of f16 results.
void runToHalf(Wave &W, const Inst &I) {
  alignas(64) float T0[NumLanes];
  alignas(64) half Out[NumLanes];
  const float *A = fetch<float>(W, I, 0, T0);
  FloatMode Mode = FloatMode::decode(W.Mode);
  if (Mode.plainF64F16()) {
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = half(A[L]);
  } else {
    for (unsigned L = 0; L != NumLanes; ++L)
      Out[L] = std::bit_cast<half>(encodeHalf(A[L], Mode));
  }
  store<half>(W, I, Out);
}

void runDoubleToFloat(Wave &W, const Inst &I) {
  alignas(64) double T0[NumLanes];
  alignas(64) float Out[NumLanes];
  const double *A = fetch<double>(W, I, 0, T0);
  FloatMode Mode = FloatMode::decode(W.Mode);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = Mode.plainF32() ? float(A[L]) : doubleToFloat(A[L], Mode);
  for (unsigned L = 0; L != NumLanes; ++L)
    if (Out[L] != Out[L])
      Out[L] =
          std::bit_cast<float>(u32(std::bit_cast<uint64_t>(A[L]) >> 29 & 0x3fffff) | 0x7fc00000 |
                               u32(std::bit_cast<uint64_t>(A[L]) >> 32 & 0x80000000));
  store<float>(W, I, Out);
}

void runPkU8(Wave &W, const Inst &I) {
  alignas(64) float T0[NumLanes];
  alignas(64) u32 T1[NumLanes], T2[NumLanes], Out[NumLanes];
  const float *A = fetch<float>(W, I, 0, T0);
  const u32 *B = fetch<u32>(W, I, 1, T1), *C = fetch<u32>(W, I, 2, T2);
  Rounding R = FloatMode::decode(W.Mode).F32;
  for (unsigned L = 0; L != NumLanes; ++L) {
    unsigned Shift = 8 * (B[L] & 3);
    Out[L] = (C[L] & ~(0xffu << Shift)) | u32(toU8(A[L], R)) << Shift;
  }
  store<u32>(W, I, Out);
}

//===- 8-bit floating point ------------------------------------------------===//

const FloatFormat &byteFormat(const Wave &W, bool Bf8) {
  bool Ocp = W.L->Owner.processor() == "gfx950";
  if (Bf8)
    return Ocp ? FormatBf8Ocp : FormatBf8Fnuz;
  return Ocp ? FormatFp8Ocp : FormatFp8Fnuz;
}

/// One byte, the one that SDWA selects, to f32.
template <bool Bf8> void runFromByte(Wave &W, const Inst &I) {
  alignas(64) u32 Raw[NumLanes];
  alignas(64) float Out[NumLanes];
  fetch32(W, I, 0, Raw);
  unsigned Shift = 8 * (I.OpSel & 3);
  const float *Table = decodeTable(byteFormat(W, Bf8));
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = Table[Raw[L] >> Shift & 0xff];
  store<float>(W, I, Out);
}

/// Two bytes, of the word that SDWA or op_sel selects, to two registers.
template <bool Bf8> void runFromBytes(Wave &W, const Inst &I) {
  alignas(64) u32 Raw[NumLanes];
  alignas(64) float Out[2][NumLanes];
  fetch32(W, I, 0, Raw);
  unsigned Shift = I.OpSel & 1 ? 16 : 0;
  const float *Table = decodeTable(byteFormat(W, Bf8));
  for (unsigned L = 0; L != NumLanes; ++L) {
    Out[0][L] = Table[Raw[L] >> Shift & 0xff];
    Out[1][L] = Table[Raw[L] >> Shift >> 8 & 0xff];
  }
  Inst Part = I;
  Part.Sdwa = false;
  for (unsigned N = 0; N != 2; ++N) {
    Part.Dst = I.Dst + N;
    store<float>(W, Part, Out[N]);
  }
}

/// Two f32 to the half of the destination that op_sel names; the other half stays.
template <bool Bf8> void runToBytes(Wave &W, const Inst &I) {
  alignas(64) float T0[NumLanes], T1[NumLanes];
  alignas(64) u32 Out[NumLanes];
  const float *A = fetch<float>(W, I, 0, T0), *B = fetch<float>(W, I, 1, T1);
  const FloatFormat &Format = byteFormat(W, Bf8);
  bool Saturate = FloatMode::decode(W.Mode).Fp16Ovfl;
  const u32 *Old = W.V[I.Dst];
  unsigned Shift = I.OpSel & 8 ? 16 : 0;
  for (unsigned L = 0; L != NumLanes; ++L) {
    u32 X = floatToFp8(A[L], Format, Saturate) | u32(floatToFp8(B[L], Format, Saturate)) << 8;
    Out[L] = (Old[L] & ~(0xffffu << Shift)) | X << Shift;
  }
  store<u32>(W, I, Out);
}

template <bool Bf8> void runToByteStochastic(Wave &W, const Inst &I) {
  alignas(64) float T0[NumLanes];
  alignas(64) u32 T1[NumLanes], Out[NumLanes];
  const float *A = fetch<float>(W, I, 0, T0);
  const u32 *Random = fetch<u32>(W, I, 1, T1);
  const FloatFormat &Format = byteFormat(W, Bf8);
  bool Saturate = FloatMode::decode(W.Mode).Fp16Ovfl;
  const u32 *Old = W.V[I.Dst];
  unsigned Shift = 8 * (I.OpSel >> 2 & 3);
  for (unsigned L = 0; L != NumLanes; ++L) {
    u32 X = floatToFp8Stochastic(A[L], Format, Random[L], Saturate);
    Out[L] = (Old[L] & ~(0xffu << Shift)) | X << Shift;
  }
  store<u32>(W, I, Out);
}

template <bool Bf8> void addBytes(Adder &T, StringRef Type) {
  T.raw(("v_cvt_f32_" + Type).str(), runFromByte<Bf8>, InstClass::Valu, {S::B32});
  T.raw(("v_cvt_pk_f32_" + Type).str(), runFromBytes<Bf8>, InstClass::Valu, {S::B32}, 0, 2);
  T.raw(("v_cvt_pk_" + Type + "_f32").str(), runToBytes<Bf8>, InstClass::Valu, {S::F32, S::F32},
        OpKeepsHigh);
  T.raw(("v_cvt_sr_" + Type + "_f32").str(), runToByteStochastic<Bf8>, InstClass::Valu,
        {S::F32, S::B32}, OpKeepsHigh);
}

void addIntegers(Adder &T) {
  T.op("v_cvt_f32_i32", [](i32 A) { return float(A); });
  T.op("v_cvt_f32_u32", [](u32 A) { return float(A); });
  T.op("v_cvt_i32_f32", [](float A) { return toI32(A); });
  T.op("v_cvt_u32_f32", [](float A) { return toU32(A); });
  T.op("v_cvt_rpi_i32_f32", [](float A) { return toI32NearestUp(A); });
  T.op("v_cvt_flr_i32_f32", [](float A) { return toI32Floor(A); });
  T.op("v_cvt_f64_i32", [](i32 A) { return double(A); });
  T.op("v_cvt_f64_u32", [](u32 A) { return double(A); });
  T.op("v_cvt_i32_f64", [](double A) { return toI32(A); });
  T.op("v_cvt_u32_f64", [](double A) { return toU32(A); });
  T.op("v_cvt_f16_u16", [](u16 A) { return half(float(A)); });
  T.op("v_cvt_f16_i16", [](i16 A) { return half(float(A)); });
  T.op("v_cvt_u16_f16", [](half A) { return toU16(float(A)); });
  T.op("v_cvt_i16_f16", [](half A) { return toI16(float(A)); });
  T.op("v_cvt_norm_i16_f16", [](half A) { return toSnorm16(float(A)); });
  T.op("v_cvt_norm_u16_f16", [](half A) { return toUnorm16(float(A)); });
  T.op("v_cvt_f32_ubyte0", [](u32 A) { return float(A & 0xff); });
  T.op("v_cvt_f32_ubyte1", [](u32 A) { return float(A >> 8 & 0xff); });
  T.op("v_cvt_f32_ubyte2", [](u32 A) { return float(A >> 16 & 0xff); });
  T.op("v_cvt_f32_ubyte3", [](u32 A) { return float(A >> 24); });
  T.op("v_cvt_off_f32_i4", [](u32 A) { return float(i32(A << 28) >> 28) / 16; });
}

void addPairs(Adder &T) {
  T.op("v_cvt_pkrtz_f16_f32",
       [](float A, float B) { return pair(truncatedHalf(A), truncatedHalf(B)); });
  T.op("v_cvt_pknorm_i16_f32",
       [](float A, float B) { return pair(u16(toSnorm16(A)), u16(toSnorm16(B))); });
  T.op("v_cvt_pknorm_u16_f32", [](float A, float B) { return pair(toUnorm16(A), toUnorm16(B)); });
  T.op("v_cvt_pknorm_i16_f16",
       [](half A, half B) { return pair(u16(toSnorm16(float(A))), u16(toSnorm16(float(B)))); });
  T.op("v_cvt_pknorm_u16_f16",
       [](half A, half B) { return pair(toUnorm16(float(A)), toUnorm16(float(B))); });
  T.op("v_cvt_pk_u16_u32",
       [](u32 A, u32 B) { return pair(u16(std::min(A, 0xffffu)), u16(std::min(B, 0xffffu))); });
  T.op("v_cvt_pk_i16_i32", [](i32 A, i32 B) {
    return pair(u16(i16(std::min(std::max(A, -32768), 32767))),
                u16(i16(std::min(std::max(B, -32768), 32767))));
  });
  T.raw("v_cvt_pk_u8_f32", runPkU8, InstClass::Valu, {S::F32, S::B32, S::B32});
  T.raw("v_cvt_pkaccum_u8_f32", runPkU8, InstClass::Valu, {S::F32, S::B32, S::B32}, OpTiedDst);
}

} // namespace

void addValuConvert(OpTable &Table) {
  Adder T(Table);
  addIntegers(T);
  addPairs(T);
  T.raw("v_cvt_f16_f32", runToHalf, InstClass::Valu, {S::F32});
  T.op("v_cvt_f32_f16", [](half A) { return float(A); });
  T.op("v_cvt_f64_f32", [](float A) { return double(A); });
  T.raw("v_cvt_f32_f64", runDoubleToFloat, InstClass::ValuDouble, {S::F64});
  T.op("v_cvt_pk_bf16_f32", [](float A, float B) {
    return pair(u16(encodeFloat(A, FormatBF16)), u16(encodeFloat(B, FormatBF16)));
  });
  T.op("v_cvt_pk_f16_f32", [](float A, float B) { return pair(floatToHalf(A), floatToHalf(B)); });
  T.op("v_cvt_f32_bf16", [](u16 A) { return std::bit_cast<float>(u32(A) << 16); });
  addBytes<false>(T, "fp8");
  addBytes<true>(T, "bf8");
}

HK_SIM_END
