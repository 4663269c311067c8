//===- hk/detail/integer_words.h - Words of 8-bit and 32-bit integers -----===//
//
// The conversions that hk/convert.h builds on: integers to and from words of four bytes, and
// rounding f32 to integers as a quantizing store does it: to nearest even, saturating, NaN to 0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/half_words.h"
#include "hk/platform.h"
#include "hk/types.h"

namespace hk::detail {

template <class T> inline constexpr int32_t smallestOf = 0;
template <> inline constexpr int32_t smallestOf<int8_t> = -128;
template <> inline constexpr int32_t smallestOf<int32_t> = INT32_MIN;
template <class T> inline constexpr int32_t largestOf = INT32_MAX;
template <> inline constexpr int32_t largestOf<int8_t> = 127;
template <> inline constexpr int32_t largestOf<uint8_t> = 255;

/// Four 8-bit integers of a word.
template <class T> HK_HOST_DEVICE void unpackBytes(uint32_t word, int32_t *out) {
#pragma unroll
  for (int n = 0; n < 4; ++n)
    out[n] = int32_t(T(word >> 8 * n & 0xFF));
}

/// Four integers to a word; those outside of T's range become its end.
template <class T> HK_HOST_DEVICE uint32_t packBytes(const int32_t *in) {
#if HK_AMD_DEVICE
  using Short2 = short __attribute__((ext_vector_type(2)));
  uint32_t half[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    auto both = __builtin_bit_cast(Short2, __builtin_amdgcn_cvt_pk_i16(in[2 * h], in[2 * h + 1]));
    both = __builtin_elementwise_max(both, Short2(short(smallestOf<T>)));
    both = __builtin_elementwise_min(both, Short2(short(largestOf<T>)));
    half[h] = __builtin_bit_cast(uint32_t, both);
  }
  return __builtin_amdgcn_perm(half[1], half[0], 0x06040200);
#elif HK_PTX
  uint32_t word;
  if constexpr (smallestOf<T> < 0)
    asm("{.reg .b32 h; cvt.pack.sat.s8.s32.b32 h, %4, %3, 0; cvt.pack.sat.s8.s32.b32 %0, %2, %1, "
        "h;}"
        : "=r"(word)
        : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]));
  else
    asm("{.reg .b32 h; cvt.pack.sat.u8.s32.b32 h, %4, %3, 0; cvt.pack.sat.u8.s32.b32 %0, %2, %1, "
        "h;}"
        : "=r"(word)
        : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]));
  return word;
#else
  uint32_t word = 0;
  for (int n = 0; n < 4; ++n) {
    const int32_t value = in[n] < smallestOf<T>  ? smallestOf<T>
                          : in[n] > largestOf<T> ? largestOf<T>
                                                 : in[n];
    word |= uint32_t(value & 0xFF) << 8 * n;
  }
  return word;
#endif
}

/// To nearest even; 2^31 and more to INT32_MAX, -2^31 and less to INT32_MIN, NaN to 0.
HK_HOST_DEVICE int32_t roundToInt(float x) {
#if HK_AMD_DEVICE
  // The instruction truncates, saturates and makes NaN 0, which C++ leaves undefined.
  int32_t result;
  asm("v_cvt_i32_f32 %0, %1" : "=v"(result) : "v"(__builtin_roundevenf(x)));
  return result;
#elif HK_NVIDIA && defined(__CUDA_ARCH__)
  return __float2int_rn(x);
#else
  if (x >= 2147483648.f)
    return INT32_MAX;
  if (x < -2147483648.f)
    return INT32_MIN;
  if (x != x)
    return 0;
  const int32_t down = int32_t(x); // toward zero; what is cut off is exact
  const float rest = x - float(down);
  const bool odd = down & 1;
  if (rest > 0.5f || (rest == 0.5f && odd))
    return down + 1;
  if (rest < -0.5f || (rest == -0.5f && odd))
    return down - 1;
  return down;
#endif
}

/// WORDS x 4 f32 to 8-bit integers.
template <class T, int WORDS> HK_HOST_DEVICE void packRounded(const float *in, uint32_t *words) {
#if HK_AMD_DEVICE
  // A multiplication before must not be fused with the addition below: its own rounding would be missing.
#pragma clang fp contract(off)
  // 3 * 2^22 has an ulp of 1: adding it rounds, and the lowest byte of the sum's bits is the
  // integer. The sums of numbers that are in range have consecutive bits, so that the smallest and
  // the largest tell whether all were; NaN and everything else is elsewhere. A wavefront that has
  // only numbers in range skips the rest.
  constexpr float Shift = 12582912.f;
  uint32_t least = UINT32_MAX, most = 0;
#pragma unroll
  for (int w = 0; w < WORDS; ++w) {
    uint32_t sum[4];
#pragma unroll
    for (int n = 0; n < 4; n += 2) {
      const FloatPair both = pairOf(in[4 * w + n], in[4 * w + n + 1]) + Shift;
      sum[n] = bitsOf(both[0]), sum[n + 1] = bitsOf(both[1]);
      least = smaller(smaller(least, sum[n]), sum[n + 1]);
      most = larger(larger(most, sum[n]), sum[n + 1]);
    }
    words[w] = __builtin_amdgcn_perm(__builtin_amdgcn_perm(sum[3], sum[2], 0x0C0C0400),
                                     __builtin_amdgcn_perm(sum[1], sum[0], 0x0C0C0400), 0x05040100);
  }
  const LaneMask rare =
      __builtin_amdgcn_uicmp(least, bitsOf(Shift) + uint32_t(smallestOf<T>), /*unsigned less*/ 36) |
      __builtin_amdgcn_uicmp(most, bitsOf(Shift) + uint32_t(largestOf<T>), /*unsigned greater*/ 34);
  if (__builtin_expect(rare == 0, 1))
    return;
#endif
#pragma unroll
  for (int w = 0; w < WORDS; ++w) {
    int32_t rounded[4];
#pragma unroll
    for (int n = 0; n < 4; ++n)
      rounded[n] = roundToInt(in[4 * w + n]);
    words[w] = packBytes<T>(rounded);
  }
}

} // namespace hk::detail
