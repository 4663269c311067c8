//===- FloatTranscendental.h - Functions of one or two numbers ------------===//
//
// rcp, rsq, sqrt, exp, log, sin and cos are about 1 ulp on the chip and not the same bits as here,
// where they are as close as the host's mathematics library is. What programs can rely on is kept:
// exact results at special values, and that the f32 forms know no denormals, neither as input nor
// as result. Everything else here is exact.
//
//===----------------------------------------------------------------------===//

#ifndef HK_LIB_SIM_FLOATTRANSCENDENTAL_H
#define HK_LIB_SIM_FLOATTRANSCENDENTAL_H

#include "FloatFormats.h"

#include <cmath>

namespace hk::sim {

// Those that the host has instructions for are here, so that loops over them vectorize.
inline float flushedFloat(float X) { return floatOf(flushFloat(bitsOf(X))); }
inline float rcpF32(float X) { return flushedFloat(1.0f / flushedFloat(X)); }
inline float rsqF32(float X) {
  return flushedFloat(float(1.0 / __builtin_elementwise_sqrt(double(flushedFloat(X)))));
}
inline float sqrtF32(float X) { return flushedFloat(__builtin_elementwise_sqrt(flushedFloat(X))); }
float exp2F32(float X);
float log2F32(float X);
/// Of revolutions; from 256 on the chip gives up: 0, and 1 for the cosine.
float sinF32(float Revolutions);
float cosF32(float Revolutions);
inline double rcpF64(double X) { return 1.0 / X; }
inline double rsqF64(double X) { return 1.0 / __builtin_elementwise_sqrt(X); }
inline double sqrtF64(double X) { return __builtin_elementwise_sqrt(X); }

/// The f16 forms keep denormals, unless the mode flushes them.
uint16_t rcpF16(uint16_t X, const FloatMode &Mode);
uint16_t rsqF16(uint16_t X, const FloatMode &Mode);
uint16_t sqrtF16(uint16_t X, const FloatMode &Mode);
uint16_t exp2F16(uint16_t X, const FloatMode &Mode);
uint16_t log2F16(uint16_t X, const FloatMode &Mode);
uint16_t sinF16(uint16_t Revolutions, const FloatMode &Mode);
uint16_t cosF16(uint16_t Revolutions, const FloatMode &Mode);

/// x - floor(x), below 1.
float fractF32(float X);
double fractF64(double X);
uint16_t fractF16(uint16_t X);

float ldexpF32(float X, int32_t Exponent);
double ldexpF64(double X, int32_t Exponent);
uint16_t ldexpF16(uint16_t X, int16_t Exponent, const FloatMode &Mode);

/// In [0.5, 1); zero, infinity and NaN stay.
float frexpMantF32(float X);
double frexpMantF64(double X);
uint16_t frexpMantF16(uint16_t X);
/// 0 for zero, infinity and NaN.
int32_t frexpExpF32(float X);
int32_t frexpExpF64(double X);
int16_t frexpExpF16(uint16_t X);

/// The \p Segment-th 53 bits of 2/pi, from the first on that matters for an argument like \p X.
double trigPreop(double X, uint32_t Segment);

float cubeId(float X, float Y, float Z);
float cubeSc(float X, float Y, float Z);
float cubeTc(float X, float Y, float Z);
float cubeMa(float X, float Y, float Z);

/// v_min and v_max: a number wins over NaN, -0 is less than +0. In IEEE mode a signaling NaN wins,
/// made quiet.
template <typename T> inline T floatMin(T A, T B, bool Ieee = true);
template <typename T> inline T floatMax(T A, T B, bool Ieee = true);
/// The middle one; the least if one is NaN.
template <typename T> inline T floatMed3(T A, T B, T C, bool Ieee = true);
/// The clamp modifier: to [0, 1]. NaN becomes 0 if \p Dx10Clamp.
template <typename T> inline T floatClamp(T V, bool Dx10Clamp);

/// The same on the bits of f16; the values are exact in float.
uint16_t halfMin(uint16_t A, uint16_t B, bool Ieee = true);
uint16_t halfMax(uint16_t A, uint16_t B, bool Ieee = true);
uint16_t halfMed3(uint16_t A, uint16_t B, uint16_t C, bool Ieee = true);

/// The mask of v_cmp_class, one bit each from bit 0: signaling NaN, quiet NaN, -infinity, -normal,
/// -denormal, -0, +0, +denormal, +normal, +infinity.
unsigned classOfBits(uint64_t Bits, const FloatFormat &Format);
unsigned classOf(double X);

namespace detail {
template <typename T> inline T quieted(T V) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(bitsOf(V) | 0x400000u);
  else
    return std::bit_cast<T>(bitsOf(V) | 0x8000000000000u);
}
} // namespace detail

template <typename T> inline T floatMin(T A, T B, bool Ieee) {
  if (A < B)
    return A;
  if (B < A)
    return B;
  if (A == B) // zeros of either sign
    return std::bit_cast<T>(bitsOf(A) | bitsOf(B));
  if (Ieee && isSignalingBits(bitsOf(A)))
    return detail::quieted(A);
  if (Ieee && isSignalingBits(bitsOf(B)))
    return detail::quieted(B);
  return A != A ? B : A;
}

template <typename T> inline T floatMax(T A, T B, bool Ieee) {
  if (A > B)
    return A;
  if (B > A)
    return B;
  if (A == B)
    return std::bit_cast<T>(bitsOf(A) & bitsOf(B));
  if (Ieee && isSignalingBits(bitsOf(A)))
    return detail::quieted(A);
  if (Ieee && isSignalingBits(bitsOf(B)))
    return detail::quieted(B);
  return A != A ? B : A;
}

template <typename T> inline T floatMed3(T A, T B, T C, bool Ieee) {
  if (A != A || B != B || C != C)
    return floatMin(floatMin(A, B, Ieee), C, Ieee);
  T Most = floatMax(floatMax(A, B, Ieee), C, Ieee);
  if (Most == A)
    return floatMax(B, C, Ieee);
  if (Most == B)
    return floatMax(A, C, Ieee);
  return floatMax(A, B, Ieee);
}

template <typename T> inline T floatClamp(T V, bool Dx10Clamp) {
  if (V != V)
    return Dx10Clamp ? T(0) : V;
  return V > T(0) ? (V < T(1) ? V : T(1)) : T(0);
}

} // namespace hk::sim

#endif
