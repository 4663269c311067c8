//===- hk/detail/half_words.h - Words of two f16 or two bf16 --------------===//
//
// The conversions that hk/convert.h builds on. f16 has instructions everywhere, one for two numbers
// on gfx950 and NVIDIA. For bf16 these two have one, and gfx90a and gfx942 add and shift.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/soft_float.h"
#include "hk/platform.h"
#include "hk/types.h"

namespace hk::detail {

#if HK_AMD_DEVICE
using FloatPair = float __attribute__((ext_vector_type(2)));
using HalfPair = _Float16 __attribute__((ext_vector_type(2)));
using Bf16Pair = __bf16 __attribute__((ext_vector_type(2)));

HK_DEVICE FloatPair pairOf(float low, float high) {
  FloatPair both = {low, high};
  return both;
}
#endif

HK_HOST_DEVICE void unpackF16(uint32_t word, float *out) {
#if HK_AMD_DEVICE
  const HalfPair both = __builtin_bit_cast(HalfPair, word);
  out[0] = both[0], out[1] = both[1];
#elif HK_PTX
  asm("{.reg .b16 l, u; mov.b32 {l, u}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, u;}"
      : "=f"(out[0]), "=f"(out[1])
      : "r"(word));
#else
  out[0] = decode<f16>(word & 0xFFFF), out[1] = decode<f16>(word >> 16);
#endif
}

HK_HOST_DEVICE void unpackBf16(uint32_t word, float *out) {
  out[0] = floatOf(word << 16), out[1] = floatOf(word & 0xFFFF0000);
}

/// Two f32 to f16 with infinities for what is too large.
HK_HOST_DEVICE uint32_t f16Word(float low, float high) {
#if HK_AMD_DEVICE
  return __builtin_bit_cast(uint32_t, __builtin_convertvector(pairOf(low, high), HalfPair));
#elif HK_PTX
  uint32_t word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
#else
  return encode<f16, Overflow::Special>(low) | encode<f16, Overflow::Special>(high) << 16;
#endif
}

template <Overflow O, int WORDS> HK_HOST_DEVICE void packF16(const float *in, uint32_t *words) {
#if HK_AMD_DEVICE || HK_PTX
#pragma unroll
  for (int w = 0; w < WORDS; ++w)
    words[w] = f16Word(in[2 * w], in[2 * w + 1]);
  if constexpr (O == Overflow::Saturate) {
    constexpr float Max = 65504;
    if (__builtin_expect(lanesAbove(largestMagnitude<2 * WORDS>(in), Max) != 0, 0)) {
#pragma unroll
      for (int w = 0; w < WORDS; ++w)
        words[w] = f16Word(clampKeepingNaN(in[2 * w], Max), clampKeepingNaN(in[2 * w + 1], Max));
    }
  }
#else
#pragma unroll
  for (int w = 0; w < WORDS; ++w)
    words[w] = encode<f16, O>(in[2 * w]) | encode<f16, O>(in[2 * w + 1]) << 16;
#endif
}

#if HK_AMD_DEVICE
/// Two f32, as their bits, to bf16. Right for all but some NaN, which the addition makes infinities
/// or -0.
HK_DEVICE uint32_t roundedUpperHalves(uint32_t low, uint32_t high) {
  return __builtin_amdgcn_perm(high + 0x7FFF + __builtin_amdgcn_ubfe(high, 16, 1),
                               low + 0x7FFF + __builtin_amdgcn_ubfe(low, 16, 1), 0x07060302);
}

/// The bits of an f32 for roundedUpperHalves(): NaN with the lower half empty, and saturated.
template <Overflow O> HK_DEVICE uint32_t tameForBf16(float x) {
  if (x != x)
    return (bitsOf(x) | 0x400000) & 0xFFFF0000;
  return bitsOf(O == Overflow::Saturate ? clampKeepingNaN(x, floatOf(0x7F7F0000)) : x);
}
#endif

template <Overflow O, int WORDS> HK_HOST_DEVICE void packBf16(const float *in, uint32_t *words) {
  [[maybe_unused]] constexpr float Max = floatOf(0x7F7F0000);
#if (HK_AMD_DEVICE && defined(__gfx950__)) || HK_PTX
#pragma unroll
  for (int w = 0; w < WORDS; ++w)
#if HK_PTX
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(words[w]) : "f"(in[2 * w + 1]), "f"(in[2 * w]));
#else
    words[w] = __builtin_bit_cast(
        uint32_t, __builtin_convertvector(pairOf(in[2 * w], in[2 * w + 1]), Bf16Pair));
#endif
  if constexpr (O == Overflow::Saturate) {
    if (__builtin_expect(lanesAbove(largestMagnitude<2 * WORDS>(in), Max) != 0, 0)) {
#pragma unroll
      for (int w = 0; w < WORDS; ++w)
        words[w] = encodeBf16<O>(in[2 * w]) | encodeBf16<O>(in[2 * w + 1]) << 16;
    }
  }
#elif HK_AMD_DEVICE
#pragma unroll
  for (int w = 0; w < WORDS; ++w)
    words[w] = roundedUpperHalves(bitsOf(in[2 * w]), bitsOf(in[2 * w + 1]));
  LaneMask rare = lanesWithNaN<2 * WORDS>(in);
  if constexpr (O == Overflow::Saturate)
    rare |= lanesAbove(largestMagnitude<2 * WORDS>(in), Max);
  if (__builtin_expect(rare != 0, 0)) {
#pragma unroll
    for (int w = 0; w < WORDS; ++w)
      words[w] = roundedUpperHalves(tameForBf16<O>(in[2 * w]), tameForBf16<O>(in[2 * w + 1]));
  }
#else
#pragma unroll
  for (int w = 0; w < WORDS; ++w)
    words[w] = encodeBf16<O>(in[2 * w]) | encodeBf16<O>(in[2 * w + 1]) << 16;
#endif
}

} // namespace hk::detail
