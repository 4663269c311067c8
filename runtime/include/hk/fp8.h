//===- hk/fp8.h - Words of four 8-bit floating point numbers --------------===//
//
// The conversions that hk/convert.h builds on. A word holds four numbers, the first one in its
// lowest byte. Which of them are instructions:
//
//   gfx942          e4m3fnuz, e5m2fnuz   v_cvt_pk_{fp8,bf8}_f32, v_cvt_pk_f32_{fp8,bf8}, two
//   numbers each gfx950          e4m3, e5m2           the same instructions; their format is
//   another one there NVIDIA, sm_89   e4m3, e5m2           cvt.rn.satfinite.{e4m3,e5m2}x2.f32,
//   cvt.rn.f16x2.{e4m3,e5m2}x2 others                               software
//
// AMD's instructions do what Overflow::Special says, NVIDIA's what Overflow::Saturate says. NaN
// becomes NaN in both.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/half_words.h"
#include "hk/detail/soft_float.h"
#include "hk/platform.h"
#include "hk/types.h"

#if HK_AMD && defined(__HIP_DEVICE_COMPILE__) && defined(__gfx942__)
#define HK_FP8_FNUZ_INSTRUCTIONS 1
#else
#define HK_FP8_FNUZ_INSTRUCTIONS 0
#endif
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__) && defined(__gfx950__)
#define HK_FP8_OCP_INSTRUCTIONS 1
#else
#define HK_FP8_OCP_INSTRUCTIONS 0
#endif
#if HK_NVIDIA && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define HK_FP8_PTX 1
#else
#define HK_FP8_PTX 0
#endif

namespace hk {

/// The type with that name's ranges that the target's instructions convert, and its software's
/// default elsewhere: FNUZ on gfx942, OCP on all others. For code that chooses its own storage; a
/// tensor that came from elsewhere has a type.
#if HK_AMD && defined(__gfx942__)
using NativeE4M3 = e4m3fnuz;
using NativeE5M2 = e5m2fnuz;
#else
using NativeE4M3 = e4m3;
using NativeE5M2 = e5m2;
#endif

namespace detail {

/// Whether the code being compiled has instructions for T.
template <class T>
inline constexpr bool hasFp8Instructions =
    sizeof(T) == 1 &&
    (FormatOf<T>::Fnuz ? HK_FP8_FNUZ_INSTRUCTIONS : HK_FP8_OCP_INSTRUCTIONS || HK_FP8_PTX);
template <class T> inline constexpr bool isE4M3 = FormatOf<T>::MantissaBits == 3;

/// Four f32 to a word as the target's instructions do it, where there are some.
template <class T> HK_DEVICE uint32_t fp8Instruction(const float *in);

#if HK_FP8_FNUZ_INSTRUCTIONS || HK_FP8_OCP_INSTRUCTIONS
/// Four f32 to a word as the instructions do it: too large values become what Overflow::Special
/// says.
template <class T> HK_DEVICE uint32_t fp8Instruction(const float *in) {
  // The instructions write one half of a register each; nothing has to be in the register before.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuninitialized"
  int word;
  if constexpr (isE4M3<T>) {
    word = __builtin_amdgcn_cvt_pk_fp8_f32(in[0], in[1], word, false);
    word = __builtin_amdgcn_cvt_pk_fp8_f32(in[2], in[3], word, true);
  } else {
    word = __builtin_amdgcn_cvt_pk_bf8_f32(in[0], in[1], word, false);
    word = __builtin_amdgcn_cvt_pk_bf8_f32(in[2], in[3], word, true);
  }
#pragma clang diagnostic pop
  return uint32_t(word);
}
#endif

#if HK_FP8_PTX
/// Two f32 to the lower half of a word.
template <class T> HK_DEVICE uint32_t fp8PairInstruction(float low, float high) {
  uint16_t both;
  if constexpr (isE4M3<T>)
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  else
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  return both;
}

/// Four f32 to a word as the instructions do it: too large values become what Overflow::Saturate
/// says.
template <class T> HK_DEVICE uint32_t fp8Instruction(const float *in) {
  return fp8PairInstruction<T>(in[0], in[1]) | fp8PairInstruction<T>(in[2], in[3]) << 16;
}
#endif

#if HK_AMD_DEVICE
/// As decode() for four numbers. A byte in the upper half of an f16 is an f16: the same number for
/// e5m2, half of it with another bias. The exponent of e4m3 has a bit less and is shifted. Bytes
/// that the formats read differently (NaN, and what f16 has its infinities and NaN for) are looked
/// for afterwards; all are rare.
template <class T> HK_DEVICE void unpackThroughF16(uint32_t word, float *out) {
  using F = FormatOf<T>;
  constexpr float Scale = F::Bias > 15 ? 0.5f : float(1 << (15 - F::Bias));
  const uint32_t halves[2] = {__builtin_amdgcn_perm(0, word, 0x010C000C),
                              __builtin_amdgcn_perm(0, word, 0x030C020C)};
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    uint32_t half = halves[h];
    if constexpr (isE4M3<T>) {
      using Short2 = short __attribute__((ext_vector_type(2)));
      // The sign is doubled by the shift.
      half =
          __builtin_bit_cast(uint32_t, __builtin_bit_cast(Short2, half) >> short(1)) & 0xBFFFBFFF;
    }
    unpackF16(half, out + 2 * h);
    if constexpr (Scale != 1)
      out[2 * h] *= Scale, out[2 * h + 1] *= Scale;
  }
  if constexpr (F::Fnuz || isE4M3<T>) {
    // A byte that is NaN is 0 in `other`. Its test may find bytes above one that is NaN, too.
    const uint32_t other = F::Fnuz ? word ^ 0x80808080 : ~(word | 0x80808080);
    uint32_t differs = (other - 0x01010101) & ~other & 0x80808080;
    if constexpr (!isE4M3<T>)
      differs |= ((word & 0x7F7F7F7F) + 0x04040404) & 0x80808080;
    if (__builtin_expect(__builtin_amdgcn_uicmp(differs, 0u, /*not equal*/ 33) != 0, 0)) {
#pragma unroll
      for (int n = 0; n < 4; ++n)
        out[n] = decode<T>(word >> 8 * n & 0xFF);
    }
  }
}
#endif

/// Four numbers of the format \p T to f32, exactly.
template <class T> HK_HOST_DEVICE void unpackFp8(uint32_t word, float *out) {
#if HK_AMD_DEVICE
  constexpr bool ThroughF16 = !hasFp8Instructions<T>;
#else
  constexpr bool ThroughF16 = false;
#endif
  if constexpr (ThroughF16) {
#if HK_AMD_DEVICE
    unpackThroughF16<T>(word, out);
#endif
  } else if constexpr (!hasFp8Instructions<T>) {
#pragma unroll
    for (int n = 0; n < 4; ++n)
      out[n] = decode<T>(word >> 8 * n & 0xFF);
  } else {
#if HK_FP8_FNUZ_INSTRUCTIONS || HK_FP8_OCP_INSTRUCTIONS
    if constexpr (isE4M3<T>) {
      const auto low = __builtin_amdgcn_cvt_pk_f32_fp8(int(word), false);
      const auto high = __builtin_amdgcn_cvt_pk_f32_fp8(int(word), true);
      out[0] = low[0], out[1] = low[1], out[2] = high[0], out[3] = high[1];
    } else {
      const auto low = __builtin_amdgcn_cvt_pk_f32_bf8(int(word), false);
      const auto high = __builtin_amdgcn_cvt_pk_f32_bf8(int(word), true);
      out[0] = low[0], out[1] = low[1], out[2] = high[0], out[3] = high[1];
    }
#elif HK_FP8_PTX
#pragma unroll
    for (int n = 0; n < 4; n += 2) {
      const uint16_t both = uint16_t(word >> 8 * n);
      // Each value of the 8-bit formats is one of f16, too.
      if constexpr (isE4M3<T>)
        asm("{.reg .b32 h; .reg .b16 l, u; cvt.rn.f16x2.e4m3x2 h, %2; mov.b32 {l, u}, h; "
            "cvt.f32.f16 %0, l; "
            "cvt.f32.f16 %1, u;}"
            : "=f"(out[n]), "=f"(out[n + 1])
            : "h"(both));
      else
        asm("{.reg .b32 h; .reg .b16 l, u; cvt.rn.f16x2.e5m2x2 h, %2; mov.b32 {l, u}, h; "
            "cvt.f32.f16 %0, l; "
            "cvt.f32.f16 %1, u;}"
            : "=f"(out[n]), "=f"(out[n + 1])
            : "h"(both));
    }
#endif
  }
}

/// Four f32 to a word by software, one by one.
template <class T, Overflow O> HK_HOST_DEVICE uint32_t packFp8Software(const float *in) {
  uint32_t word = 0;
#pragma unroll
  for (int n = 0; n < 4; ++n)
    word |= encode<T, O>(in[n]) << 8 * n;
  return word;
}

#if HK_AMD_DEVICE
/// Four bytes, the lowest ones of four words.
HK_DEVICE uint32_t lowBytes(const uint32_t *in) {
  return __builtin_amdgcn_perm(__builtin_amdgcn_perm(in[3], in[2], 0x0C0C0400),
                               __builtin_amdgcn_perm(in[1], in[0], 0x0C0C0400), 0x05040100);
}

/// What encode() does for four numbers, for such that are neither NaN nor too large.
template <class T> HK_DEVICE uint32_t packTameFp8(const float *in) {
  using F = FormatOf<T>;
  constexpr int Shift = 23 - F::MantissaBits;
  uint32_t code[4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const uint32_t exponent = larger(bitsOf(in[n]) & 0x7F800000, F::SmallestNormal);
    // encode()'s sum: the product is exact. The unit's bits are above the lowest byte.
    const float sum = __builtin_fmaf(floatOf(exponent), float(1u << Shift), __builtin_fabsf(in[n]));
    code[n] = bitsOf(sum) + (exponent >> Shift) + (256 - (F::SmallestNormal >> Shift & 0xFF));
  }
  const uint32_t codes = lowBytes(code);
  const uint32_t signs = __builtin_amdgcn_perm(
      __builtin_amdgcn_perm(bitsOf(in[3]), bitsOf(in[2]), 0x0C0C0703),
      __builtin_amdgcn_perm(bitsOf(in[1]), bitsOf(in[0]), 0x0C0C0703), 0x05040100);
  // Codes are below 0x80. Where there is no -0, a sign is only for codes that are not 0: those that
  // carry.
  if (F::Fnuz)
    return codes | (signs & (codes + 0x7F7F7F7F) & 0x80808080);
  return codes | (signs & 0x80808080);
}
#endif

/// WORDS x 4 f32 to words.
template <class T, Overflow O, int WORDS>
HK_HOST_DEVICE void packFp8(const float *in, uint32_t *words) {
#if HK_FP8_FNUZ_INSTRUCTIONS || HK_FP8_OCP_INSTRUCTIONS
  constexpr bool Instructions = hasFp8Instructions<T>;
#elif HK_FP8_PTX
  constexpr bool Instructions = hasFp8Instructions<T> && O != Overflow::Special;
#else
  constexpr bool Instructions = false;
#endif
  if constexpr (!Instructions) {
#if HK_AMD_DEVICE
#pragma unroll
    for (int w = 0; w < WORDS; ++w)
      words[w] = packTameFp8<T>(in + 4 * w);
    constexpr float Max = decode<T>(FormatOf<T>::Largest);
    const LaneMask rare =
        lanesWithNaN<4 * WORDS>(in) | lanesAbove(largestMagnitude<4 * WORDS>(in), Max);
    if (__builtin_expect(rare == 0, 1))
      return;
#endif
#pragma unroll
    for (int w = 0; w < WORDS; ++w)
      words[w] = packFp8Software<T, O>(in + 4 * w);
  } else {
#pragma unroll
    for (int w = 0; w < WORDS; ++w)
      words[w] = fp8Instruction<T>(in + 4 * w);
    if constexpr (HK_AMD && O == Overflow::Saturate) {
      // Clamping each number and keeping NaN would be three instructions a number. The maximum is
      // half of one and drops NaN, which needs no correction; numbers that do are rare, and a
      // wavefront without any skips this.
      constexpr float Max = decode<T>(FormatOf<T>::Largest);
      if (__builtin_expect(lanesAbove(largestMagnitude<4 * WORDS>(in), Max) != 0, 0)) {
#pragma unroll
        for (int w = 0; w < WORDS; ++w) {
          float clamped[4];
#pragma unroll
          for (int n = 0; n < 4; ++n)
            clamped[n] = clampKeepingNaN(in[4 * w + n], Max);
          words[w] = fp8Instruction<T>(clamped);
        }
      }
    }
  }
}

} // namespace detail
} // namespace hk
