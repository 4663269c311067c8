//===- hk/detail/soft_float.h - Small floating point formats in software --===//
//
// Conversions between f32 and the formats of hk/types.h that are written from the definitions of
// the formats: for the host, for compile time, and for devices without an instruction. All are
// exact or round once, to nearest even.
//
// Rounding lets the f32 adder do the work: |x| + 2^(e + 23 - M), where e is the exponent of x (at
// least that of the smallest normal number) and M the mantissa's bits, has an ulp of 2^(e - M),
// which is that of the result. Then the low bits of the sum are the mantissa with its leading one,
// for normal and denormal numbers alike.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"
#include "hk/types.h"

#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
#define HK_AMD_DEVICE 1
#else
#define HK_AMD_DEVICE 0
#endif
#if HK_NVIDIA && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HK_PTX 1
#else
#define HK_PTX 0
#endif

namespace hk::detail {

HK_HOST_DEVICE constexpr uint32_t bitsOf(float x) { return __builtin_bit_cast(uint32_t, x); }
HK_HOST_DEVICE constexpr float floatOf(uint32_t bits) { return __builtin_bit_cast(float, bits); }

/// std's are no device functions.
HK_HOST_DEVICE constexpr uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
HK_HOST_DEVICE constexpr uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/// A format with a sign, fields of fixed width, and denormal numbers. `Infinity` is what follows
/// from an overflow: the code of the infinity, or of NaN where there is none. FNUZ formats have
/// neither -0 nor a sign of NaN.
template <int MANTISSA, int EXPONENT, int BIAS, uint32_t LARGEST, uint32_t INFINITE,
          uint32_t NOT_A_NUMBER, bool FNUZ>
struct SmallFloat {
  static constexpr int MantissaBits = MANTISSA, ExponentBits = EXPONENT, Bias = BIAS;
  static constexpr uint32_t Largest = LARGEST, Infinity = INFINITE, NaN = NOT_A_NUMBER;
  static constexpr bool Fnuz = FNUZ, HasInfinity = INFINITE != NOT_A_NUMBER && !FNUZ;
  static constexpr uint32_t SignBit = 1u << (MANTISSA + EXPONENT);
  /// Bits of f32: the smallest normal number, and a power of two that is too large even before
  /// rounding.
  static constexpr uint32_t SmallestNormal = uint32_t(127 + 1 - BIAS) << 23;
  static constexpr uint32_t TooLarge = uint32_t((1 << EXPONENT) - BIAS + 127) << 23;
};

template <class T> struct FormatOf;
template <> struct FormatOf<f16> : SmallFloat<10, 5, 15, 0x7BFF, 0x7C00, 0x7E00, false> {};
template <> struct FormatOf<e4m3> : SmallFloat<3, 4, 7, 0x7E, 0x7F, 0x7F, false> {};
template <> struct FormatOf<e5m2> : SmallFloat<2, 5, 15, 0x7B, 0x7C, 0x7F, false> {};
template <> struct FormatOf<e4m3fnuz> : SmallFloat<3, 4, 8, 0x7F, 0x80, 0x80, true> {};
template <> struct FormatOf<e5m2fnuz> : SmallFloat<2, 5, 16, 0x7F, 0x80, 0x80, true> {};

/// The f32 \p x in the format of \p T, in the low bits.
template <class T, Overflow O> HK_HOST_DEVICE constexpr uint32_t encode(float x) {
  using F = FormatOf<T>;
  constexpr int Shift = 23 - F::MantissaBits;
  const uint32_t bits = bitsOf(x), magnitude = bits & 0x7FFFFFFF;
  const uint32_t bounded = smaller(magnitude, F::TooLarge);
  const uint32_t exponent = larger(bounded & 0x7F800000, F::SmallestNormal);
  const uint32_t unit = exponent + (uint32_t(Shift) << 23);
  const uint32_t mantissa = bitsOf(floatOf(bounded) + floatOf(unit)) - unit;
  uint32_t code = mantissa + ((exponent - F::SmallestNormal) >> Shift);
  if (O != Overflow::Special)
    code = smaller(code, F::Largest);
  else if (code > F::Largest)
    code = F::Infinity;
  if (magnitude > 0x7F800000)
    code = F::NaN;
  const uint32_t sign = bits >> (32 - 1 - F::MantissaBits - F::ExponentBits) & F::SignBit;
  if (F::Fnuz)
    return code == 0 ? 0 : code | sign;
  return code | sign;
}

/// The f32 with the value of \p code, whose bits above the format's must be zero.
template <class T> HK_HOST_DEVICE constexpr float decode(uint32_t code) {
  using F = FormatOf<T>;
  constexpr int Shift = 23 - F::MantissaBits;
  const uint32_t sign = (code & F::SignBit) << (32 - 1 - F::MantissaBits - F::ExponentBits);
  const uint32_t magnitude = code & (F::SignBit - 1);
  // One exponent more than the denormal numbers have, minus what its leading one adds: no denormal
  // f32 occurs, so that a mode that flushes those changes nothing.
  const bool denormal = magnitude >> F::MantissaBits == 0;
  uint32_t bits = (magnitude << Shift) + (uint32_t(127 - F::Bias + denormal) << 23);
  if (denormal)
    bits = bitsOf(floatOf(bits) - floatOf(F::SmallestNormal));
  if (F::HasInfinity) {
    if (magnitude >= F::Infinity)
      bits = magnitude == F::Infinity ? 0x7F800000 : 0x7FC00000 | magnitude << Shift;
  } else if (F::Fnuz ? code == F::NaN : magnitude == F::NaN) {
    bits = 0x7FC00000;
  }
  return floatOf(bits | sign);
}

/// bf16 is the upper half of an f32.
template <Overflow O> HK_HOST_DEVICE constexpr uint32_t encodeBf16(float x) {
  const uint32_t bits = bitsOf(x), magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    return bits >> 16 | 0x40;
  const uint32_t code = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  if (O == Overflow::Saturate && (code & 0x7FFF) == 0x7F80)
    return code - 1;
  return code;
}

/// \p x where it is finite in the format, the largest value with its sign where it is larger; NaN
/// stays.
HK_HOST_DEVICE constexpr float clampKeepingNaN(float x, float largest) {
  return x > largest ? largest : x < -largest ? -largest : x;
}

/// \p x with a signalling NaN made quiet: nothing where the compiler sees that x comes from arithmetic.
HK_HOST_DEVICE float quiet(float x) {
#if HK_AMD_DEVICE
  return __builtin_canonicalizef(x);
#else
  return x;
#endif
}

/// The largest of the magnitudes of N numbers, those that are NaN left out. AMD's maximum drops quiet NaN only: a
/// signalling one would make the maximum so far a NaN, and the next step drop that.
template <int N> HK_HOST_DEVICE float largestMagnitude(const float *in) {
  float largest = __builtin_fabsf(quiet(in[0]));
#pragma unroll
  for (int n = 1; n < N; ++n)
    largest = __builtin_fmaxf(largest, __builtin_fabsf(quiet(in[n])));
  return largest;
}

/// The active lanes of the wavefront for which something holds; on the other platform and the host,
/// this one's bit. A branch on the whole mask is scalar. All lanes take the careful path then,
/// which is right for every value.
using LaneMask = uint64_t;

HK_HOST_DEVICE LaneMask lanesAbove(float x, float bound) {
#if HK_AMD_DEVICE
  return __builtin_amdgcn_fcmpf(x, bound, /*ordered and greater*/ 2);
#else
  return x > bound;
#endif
}

#if HK_AMD_DEVICE
/// The lanes with a NaN among N numbers. A comparison tests two.
template <int N> HK_DEVICE LaneMask lanesWithNaN(const float *in) {
  LaneMask found = N % 2 ? __builtin_amdgcn_fcmpf(in[N - 1], in[N - 1], /*unordered*/ 8) : 0;
#pragma unroll
  for (int n = 0; n + 1 < N; n += 2)
    found |= __builtin_amdgcn_fcmpf(in[n], in[n + 1], /*unordered*/ 8);
  return found;
}
#endif

} // namespace hk::detail
