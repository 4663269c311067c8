//===- hk/convert.h - Elements of tensors to and from registers -----------===//
//
// Kernels compute on values (float for floating point elements, int32_t for integers) and move
// words of 32 bits. `Element<T>` converts between them:
//
//   Element<T>::Value                      float or int32_t
//   Element<T>::PerWord                    elements in a word, the first one in the lowest bits: 4
//   / sizeof(T) Element<T>::Max                        the largest finite value
//   Element<T>::unpack(word, values)       PerWord values, exactly
//   Element<T>::pack<O>(values)            PerWord values to a word, rounded to nearest even
//   Element<T>::toValue, fromValue<O>      one element
//
//   packFloats<T, O>(floats)               as pack, from floats for every T: what a quantizing
//   store needs packVector<T, O>(floats, words)        N floats to N / PerWord words
//   unpackFloats<T>(word, floats)          as unpack, to floats for every T
//
// packVector is the fast one in loops: it looks for the rare values (too large, NaN) once for all N
// and not once a word. What a too large value becomes is the Overflow (hk/types.h): by default
// Saturate for 8-bit types, Special for f32, f16 and bf16. NaN stays NaN (of any payload) in every
// floating point type and becomes 0 in integers; in formats without -0 it becomes 0. Denormal
// numbers of the 16-bit and 8-bit formats are exact.
//
// All functions are inlined, work on the host and on every device, and give the same bits there but
// for NaN's. They rely on NaN: code that is compiled with -ffinite-math-only has to keep it out.
// docs/runtime/formats.md has the instructions each one takes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/half_words.h"
#include "hk/detail/integer_words.h"
#include "hk/fp8.h"
#include "hk/platform.h"
#include "hk/types.h"

namespace hk {

template <class T>
inline constexpr Overflow DefaultOverflow = sizeof(T) == 1 ? Overflow::Saturate : Overflow::Special;

template <class T> struct Element;

template <class T, Overflow O = DefaultOverflow<T>, int N>
HK_HOST_DEVICE void packVector(const float (&in)[N], uint32_t *words);

namespace detail {

/// WORDS words of T from floats.
template <class T, Overflow O, int WORDS>
HK_HOST_DEVICE void packWords(const float *in, uint32_t *words) {
  if constexpr (isFp8<T>) {
    packFp8<T, O, WORDS>(in, words);
  } else if constexpr (typeOf<T> == Type::F16) {
    packF16<O, WORDS>(in, words);
  } else if constexpr (typeOf<T> == Type::BF16) {
    packBf16<O, WORDS>(in, words);
  } else if constexpr (sizeof(T) == 1) {
    packRounded<T, WORDS>(in, words);
  } else if constexpr (typeOf<T> == Type::I32) {
#pragma unroll
    for (int w = 0; w < WORDS; ++w)
      words[w] = uint32_t(roundToInt(in[w]));
  } else {
    constexpr float Max = floatOf(0x7F7FFFFF);
#pragma unroll
    for (int w = 0; w < WORDS; ++w)
      words[w] = bitsOf(O == Overflow::Saturate ? clampKeepingNaN(in[w], Max) : in[w]);
  }
}

/// What the floating point elements have in common.
template <class T> struct FloatElement {
  using Value = float;
  static constexpr int PerWord = 4 / int(sizeof(T));

  template <Overflow O = DefaultOverflow<T>> static HK_HOST_DEVICE uint32_t pack(const float *in) {
    uint32_t word;
    packWords<T, O, 1>(in, &word);
    return word;
  }
  static HK_HOST_DEVICE float toValue(T element) {
    float values[PerWord];
    Element<T>::unpack(element.bits, values);
    return values[0];
  }
  template <Overflow O = DefaultOverflow<T>> static HK_HOST_DEVICE T fromValue(float value) {
    float values[PerWord] = {value};
    return T{decltype(T::bits)(pack<O>(values))};
  }
};

/// 8-bit integers.
template <class T> struct ByteElement {
  using Value = int32_t;
  static constexpr int PerWord = 4;
  static constexpr float Max = largestOf<T>;

  static HK_HOST_DEVICE void unpack(uint32_t word, int32_t *out) { unpackBytes<T>(word, out); }
  template <Overflow O = Overflow::Saturate>
  static HK_HOST_DEVICE uint32_t pack(const int32_t *in) {
    return packBytes<T>(in);
  }
  static HK_HOST_DEVICE int32_t toValue(T element) { return element; }
  template <Overflow O = Overflow::Saturate> static HK_HOST_DEVICE T fromValue(int32_t value) {
    return T(value < smallestOf<T> ? smallestOf<T> : value > largestOf<T> ? largestOf<T> : value);
  }
};

/// The four fp8 formats.
template <class T> struct Fp8Element : FloatElement<T> {
  static HK_HOST_DEVICE void unpack(uint32_t word, float *out) { unpackFp8<T>(word, out); }
};

} // namespace detail

template <> struct Element<f16> : detail::FloatElement<f16> {
  static constexpr float Max = 65504;
  static HK_HOST_DEVICE void unpack(uint32_t word, float *out) { detail::unpackF16(word, out); }
};
template <> struct Element<bf16> : detail::FloatElement<bf16> {
  static constexpr float Max = detail::floatOf(0x7F7F0000);
  static HK_HOST_DEVICE void unpack(uint32_t word, float *out) { detail::unpackBf16(word, out); }
};
template <> struct Element<e4m3> : detail::Fp8Element<e4m3> {
  static constexpr float Max = 448;
};
template <> struct Element<e5m2> : detail::Fp8Element<e5m2> {
  static constexpr float Max = 57344;
};
template <> struct Element<e4m3fnuz> : detail::Fp8Element<e4m3fnuz> {
  static constexpr float Max = 240;
};
template <> struct Element<e5m2fnuz> : detail::Fp8Element<e5m2fnuz> {
  static constexpr float Max = 57344;
};
template <> struct Element<int8_t> : detail::ByteElement<int8_t> {};
template <> struct Element<uint8_t> : detail::ByteElement<uint8_t> {};

template <> struct Element<float> {
  using Value = float;
  static constexpr int PerWord = 1;
  static constexpr float Max = detail::floatOf(0x7F7FFFFF);

  static HK_HOST_DEVICE void unpack(uint32_t word, float *out) { out[0] = detail::floatOf(word); }
  template <Overflow O = Overflow::Special> static HK_HOST_DEVICE uint32_t pack(const float *in) {
    return detail::bitsOf(fromValue<O>(in[0]));
  }
  static HK_HOST_DEVICE float toValue(float element) { return element; }
  template <Overflow O = Overflow::Special> static HK_HOST_DEVICE float fromValue(float value) {
    return O == Overflow::Saturate ? detail::clampKeepingNaN(value, Max) : value;
  }
};

/// Two words each, which hk::Raw takes apart; in matrix multiplication alone.
template <> struct Element<double> {
  using Value = double;

  static HK_HOST_DEVICE double toValue(double element) { return element; }
  template <Overflow O = Overflow::Special> static HK_HOST_DEVICE double fromValue(double value) { return value; }
};

template <> struct Element<int32_t> {
  using Value = int32_t;
  static constexpr int PerWord = 1;
  /// The largest f32 below 2^31.
  static constexpr float Max = 2147483520.f;

  static HK_HOST_DEVICE void unpack(uint32_t word, int32_t *out) { out[0] = int32_t(word); }
  template <Overflow O = Overflow::Saturate>
  static HK_HOST_DEVICE uint32_t pack(const int32_t *in) {
    return uint32_t(in[0]);
  }
  static HK_HOST_DEVICE int32_t toValue(int32_t element) { return element; }
  template <Overflow O = Overflow::Saturate>
  static HK_HOST_DEVICE int32_t fromValue(int32_t value) {
    return value;
  }
};

/// The Element<T>::PerWord floats at \p in as a word of T; integers are rounded to nearest even and
/// saturate.
template <class T, Overflow O = DefaultOverflow<T>>
HK_HOST_DEVICE uint32_t packFloats(const float *in) {
  uint32_t word;
  detail::packWords<T, O, 1>(in, &word);
  return word;
}

/// The N floats as N / Element<T>::PerWord words of T. N has to be a multiple of PerWord.
template <class T, Overflow O, int N>
HK_HOST_DEVICE void packVector(const float (&in)[N], uint32_t *words) {
  static_assert(N % Element<T>::PerWord == 0, "whole words");
  detail::packWords<T, O, N / Element<T>::PerWord>(in, words);
}

/// The values of a word as floats: exact but for 32-bit integers above 2^24, which are rounded to
/// nearest even.
template <class T> HK_HOST_DEVICE void unpackFloats(uint32_t word, float *out) {
  typename Element<T>::Value values[Element<T>::PerWord];
  Element<T>::unpack(word, values);
#pragma unroll
  for (int n = 0; n < Element<T>::PerWord; ++n)
    out[n] = float(values[n]);
}

} // namespace hk
