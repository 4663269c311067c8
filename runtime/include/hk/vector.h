//===- hk/vector.h - N consecutive elements in registers ------------------===//
//
// `Raw<T, N>` is what one lane loads or stores at once: N elements of T as 32-bit words (or fewer bytes than a word).
// Aligned loads and stores are as wide as the machine has them, 128 bits; larger N take several. Unaligned ones are
// written for any address that is a multiple of sizeof(T): AMD's global memory instructions take every address, so
// that they are as wide there; on NVIDIA they fall apart into elements.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/convert.h"
#include "hk/platform.h"

namespace hk {
namespace detail {

/// A double is two words, the lower one first.
HK_HOST_DEVICE double doubleOf(uint32_t low, uint32_t high) {
  const uint64_t bits = uint64_t(high) << 32 | low;
  double value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}
HK_HOST_DEVICE void wordsOf(double value, uint32_t &low, uint32_t &high) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  low = uint32_t(bits), high = uint32_t(bits >> 32);
}

} // namespace detail

/// How caches take what is loaded.
///
///   Streamed  NVIDIA: past the first level. On an H200 that is 3 to 6 % slower (bench/rows), but 6 % faster where a
///             workgroup's LDS leaves little of that cache.
///   Once      read once and never again, like weights: non-temporal on AMD; NVIDIA: past the first level, 256 bytes at a time
enum class Use { Cached, Streamed, Once };

template <class T, int N> struct Raw {
  static constexpr int Bytes = N * int(sizeof(T));
  static constexpr int Words = (Bytes + 3) / 4;
  static_assert(N > 0 && (N & (N - 1)) == 0, "a power of two of elements");
  using Value = typename Element<T>::Value;

  uint32_t words[Words];

  HK_DEVICE void clear() {
    for (uint32_t &word : words)
      word = 0;
  }

  /// Makes the compiler take the words for new ones: what it has computed from them is not kept in registers, but
  /// computed again.
  HK_DEVICE void refresh() {
#pragma unroll
    for ([[maybe_unused]] uint32_t &word : words) {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
      asm volatile("" : "+v"(word));
#elif HK_NVIDIA
      asm volatile("" : "+r"(word));
#endif
    }
  }

  /// N times the same element.
  HK_DEVICE void fill(const Raw<T, 1> &one) {
    static_assert(sizeof(T) <= 4);
    uint32_t word = one.words[0];
    if constexpr (sizeof(T) == 1)
      word *= 0x01010101u;
    else if constexpr (sizeof(T) == 2)
      word *= 0x00010001u;
    for (uint32_t &w : words)
      w = word;
  }

  /// The N values, exactly.
  HK_DEVICE void unpack(Value (&values)[N]) const {
    if constexpr (sizeof(T) == 8) {
#pragma unroll
      for (int n = 0; n < N; ++n)
        values[n] = detail::doubleOf(words[2 * n], words[2 * n + 1]);
    } else if constexpr (Bytes >= 4) {
#pragma unroll
      for (int w = 0; w < Words; ++w)
        Element<T>::unpack(words[w], &values[w * Element<T>::PerWord]);
    } else {
      Value all[Element<T>::PerWord];
      Element<T>::unpack(words[0], all);
#pragma unroll
      for (int n = 0; n < N; ++n)
        values[n] = all[n];
    }
  }

  /// Rounded to nearest even; what is too large becomes what \p O says.
  template <Overflow O> HK_DEVICE void pack(const Value (&values)[N]) {
    if constexpr (sizeof(T) == 8) {
#pragma unroll
      for (int n = 0; n < N; ++n)
        detail::wordsOf(values[n], words[2 * n], words[2 * n + 1]);
    } else if constexpr (Bytes >= 4) {
#pragma unroll
      for (int w = 0; w < Words; ++w)
        words[w] = Element<T>::template pack<O>(&values[w * Element<T>::PerWord]);
    } else {
      Value all[Element<T>::PerWord] = {};
#pragma unroll
      for (int n = 0; n < N; ++n)
        all[n] = values[n];
      words[0] = Element<T>::template pack<O>(all);
    }
  }
};

/// N floats as elements of T: rounded to nearest even; what is too large becomes what \p O says.
template <Overflow O, class T, int N> HK_DEVICE void packFloats(const float (&values)[N], Raw<T, N> &to) {
  if constexpr (Raw<T, N>::Bytes >= 4) {
    packVector<T, O>(values, to.words);
  } else {
    float all[Element<T>::PerWord] = {};
#pragma unroll
    for (int n = 0; n < N; ++n)
      all[n] = values[n];
    to.words[0] = packFloats<T, O>(all);
  }
}

namespace detail {

// A vector type of the compiler's becomes one instruction on both platforms.
#if HK_AMD
using Vector2 = uint32_t __attribute__((ext_vector_type(2)));
using Vector4 = uint32_t __attribute__((ext_vector_type(4)));
#endif

template <Use U> HK_DEVICE void load16(const void *from, uint32_t *to) {
#if HK_AMD
  Vector4 v;
  if constexpr (U == Use::Once)
    v = __builtin_nontemporal_load(static_cast<const Vector4 *>(from));
  else
    v = *static_cast<const Vector4 *>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
#else
  if constexpr (U == Use::Once) {
    asm volatile("ld.global.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from));
  } else if constexpr (U == Use::Streamed) {
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from));
  } else {
    const uint4 v = *static_cast<const uint4 *>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  }
#endif
}

HK_DEVICE void store16(void *to, const uint32_t *from) {
#if HK_AMD
  *static_cast<Vector4 *>(to) = Vector4{from[0], from[1], from[2], from[3]};
#else
  *static_cast<uint4 *>(to) = make_uint4(from[0], from[1], from[2], from[3]);
#endif
}

HK_DEVICE void load8(const void *from, uint32_t *to) {
#if HK_AMD
  const Vector2 v = *static_cast<const Vector2 *>(from);
#else
  const uint2 v = *static_cast<const uint2 *>(from);
#endif
  to[0] = v.x, to[1] = v.y;
}

HK_DEVICE void store8(void *to, const uint32_t *from) {
#if HK_AMD
  *static_cast<Vector2 *>(to) = Vector2{from[0], from[1]};
#else
  *static_cast<uint2 *>(to) = make_uint2(from[0], from[1]);
#endif
}

#if HK_AMD
/// The same from any address, past the caches.
template <int Words> HK_DEVICE void loadOnceUnaligned(const void *from, uint32_t *to) {
  using Vector = uint32_t __attribute__((ext_vector_type(Words), aligned(1)));
  const Vector v = __builtin_nontemporal_load(static_cast<const Vector *>(from));
#pragma unroll
  for (int n = 0; n < Words; ++n)
    to[n] = v[n];
}
#endif

/// \p Bytes from an address that is a multiple of \p ElementBytes.
template <int Bytes, int ElementBytes> HK_DEVICE void copyUnaligned(void *to, const void *from) {
#if HK_AMD
  // One instruction: the compiler knows that the target takes any address.
  __builtin_memcpy(to, from, Bytes);
#else
  if constexpr (ElementBytes >= 4) {
#pragma unroll
    for (int n = 0; n < Bytes / 4; ++n)
      static_cast<uint32_t *>(to)[n] = static_cast<const uint32_t *>(from)[n];
  } else if constexpr (ElementBytes == 2) {
#pragma unroll
    for (int n = 0; n < Bytes / 2; ++n)
      static_cast<uint16_t *>(to)[n] = static_cast<const uint16_t *>(from)[n];
  } else {
#pragma unroll
    for (int n = 0; n < Bytes; ++n)
      static_cast<uint8_t *>(to)[n] = static_cast<const uint8_t *>(from)[n];
  }
#endif
}

} // namespace detail

/// Whether N elements at \p data, and at every multiple of \p stride elements from there, are `Aligned` for load() and
/// store().
template <int N, class T> bool areVectorsAligned(const T *data, int64_t stride) {
  constexpr uint64_t Bytes = N * sizeof(T) < 16 ? N * sizeof(T) : 16;
  return reinterpret_cast<uintptr_t>(data) % Bytes == 0 && uint64_t(stride) * sizeof(T) % Bytes == 0;
}

/// N elements from \p from. \p Aligned: the address is a multiple of N * sizeof(T), or of 16 if that is less.
template <bool Aligned, Use U, class T, int N> HK_DEVICE void load(Raw<T, N> &to, const T *from) {
  constexpr int Bytes = Raw<T, N>::Bytes;
  if constexpr (!Aligned) {
    if constexpr (Bytes < 4)
      to.words[0] = 0;
#if HK_AMD
    if constexpr (U == Use::Once && (Bytes == 8 || Bytes == 16)) {
      detail::loadOnceUnaligned<Bytes / 4>(from, to.words);
      return;
    }
#endif
    detail::copyUnaligned<Bytes, int(sizeof(T))>(to.words, from);
  } else if constexpr (Bytes >= 16) {
#pragma unroll
    for (int n = 0; n < Bytes / 16; ++n)
      detail::load16<U>(reinterpret_cast<const char *>(from) + 16 * n, &to.words[4 * n]);
  } else if constexpr (Bytes == 8) {
    detail::load8(from, to.words);
  } else if constexpr (Bytes == 4) {
    to.words[0] = *reinterpret_cast<const uint32_t *>(from);
  } else if constexpr (Bytes == 2) {
    to.words[0] = *reinterpret_cast<const uint16_t *>(from);
  } else {
    to.words[0] = *reinterpret_cast<const uint8_t *>(from);
  }
}

template <bool Aligned, class T, int N> HK_DEVICE void store(T *to, const Raw<T, N> &from) {
  constexpr int Bytes = Raw<T, N>::Bytes;
  if constexpr (!Aligned) {
    detail::copyUnaligned<Bytes, int(sizeof(T))>(to, from.words);
  } else if constexpr (Bytes >= 16) {
#pragma unroll
    for (int n = 0; n < Bytes / 16; ++n)
      detail::store16(reinterpret_cast<char *>(to) + 16 * n, &from.words[4 * n]);
  } else if constexpr (Bytes == 8) {
    detail::store8(to, from.words);
  } else if constexpr (Bytes == 4) {
    *reinterpret_cast<uint32_t *>(to) = from.words[0];
  } else if constexpr (Bytes == 2) {
    *reinterpret_cast<uint16_t *>(to) = uint16_t(from.words[0]);
  } else {
    *reinterpret_cast<uint8_t *>(to) = uint8_t(from.words[0]);
  }
}

namespace detail {

/// The first \p count elements of N, 0 < count < N, by halves, so that it takes at most log2(N) accesses; the others
/// are zeros.
template <int Part, class T, int N> HK_DEVICE void loadPart(Raw<T, N> &to, const T *from, int count, int done) {
  if constexpr (Part > 0) {
    if (count & Part) {
      // The offset in registers depends on the lane; only constant ones stay in registers. So the part is loaded to
      // a fixed place and moved by selects.
      Raw<T, Part> part;
      load<false, Use::Cached>(part, from + done);
#pragma unroll
      for (int n = 0; n < N; n += Part) {
        const bool here = n == done;
        if constexpr (sizeof(T) * Part >= 4) {
          constexpr int Words = Raw<T, Part>::Words;
#pragma unroll
          for (int w = 0; w < Words; ++w)
            to.words[n * int(sizeof(T)) / 4 + w] |= here ? part.words[w] : 0;
        } else {
          constexpr int Bits = 8 * int(sizeof(T));
          to.words[n * int(sizeof(T)) / 4] |= here ? part.words[0] << (n * Bits % 32) : 0;
        }
      }
      done += Part;
    }
    loadPart<Part / 2>(to, from, count, done);
  }
}

template <int Part, class T, int N> HK_DEVICE void storePart(T *to, const Raw<T, N> &from, int count, int done) {
  if constexpr (Part > 0) {
    if (count & Part) {
      Raw<T, Part> part;
      part.clear();
#pragma unroll
      for (int n = 0; n < N; n += Part) {
        const bool here = n == done;
        if constexpr (sizeof(T) * Part >= 4) {
          constexpr int Words = Raw<T, Part>::Words;
#pragma unroll
          for (int w = 0; w < Words; ++w)
            part.words[w] |= here ? from.words[n * int(sizeof(T)) / 4 + w] : 0;
        } else {
          constexpr int Bits = 8 * int(sizeof(T));
          constexpr uint32_t Mask = (1u << (Part * Bits)) - 1;
          part.words[0] |= here ? from.words[n * int(sizeof(T)) / 4] >> (n * Bits % 32) & Mask : 0;
        }
      }
      store<false>(to + done, part);
      done += Part;
    }
    storePart<Part / 2>(to, from, count, done);
  }
}

} // namespace detail

/// The first \p count of N elements; zeros for the others. Any \p count, also none and more than N.
template <bool Aligned, Use U, class T, int N> HK_DEVICE void loadSome(Raw<T, N> &to, const T *from, int count) {
  if (count >= N) {
    load<Aligned, U>(to, from);
  } else {
    to.clear();
    if (count > 0)
      detail::loadPart<N / 2>(to, from, count, 0);
  }
}

template <bool Aligned, class T, int N> HK_DEVICE void storeSome(T *to, const Raw<T, N> &from, int count) {
  if (count >= N)
    store<Aligned>(to, from);
  else if (count > 0)
    detail::storePart<N / 2>(to, from, count, 0);
}

} // namespace hk
