//===- hk/streams.h - Elements that lanes take side by side, several at once -===//
//
// A stream is memory of which consecutive work-items, or iterations, use consecutive elements, or K of them each. A lane that
// takes W of them at once loads and stores them as wide as the machine has it:
//
//   reads(first), writes(first), updates(first)       one element each
//   reads<3>(first), ...                              three each: they come as const T (&)[3]
//   reads<-1>(first), ...                             one each, downwards
//
// See Group::overWide() and eachItem().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"
#include "hk/vector.h"

#include <type_traits>

namespace hk {

/// Neighbours that one lane takes at once.
template <int W> struct Width {};

namespace detail {

/// N bytes between memory and registers, in units that N is a multiple of; the address is a multiple of the unit.
template <int N> constexpr int unitOf() { return N % 16 == 0 ? 16 : N % 8 == 0 ? 8 : N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1; }

template <int N> HK_DEVICE void loadBytes(void *to, const void *from) {
  constexpr int Unit = unitOf<N>();
#pragma unroll
  for (int at = 0; at < N; at += Unit) {
    const char *place = static_cast<const char *>(from) + at;
    uint32_t words[4];
    if constexpr (Unit == 16)
      load16<Use::Cached>(place, words);
    else if constexpr (Unit == 8)
      load8(place, words);
    else if constexpr (Unit == 4)
      words[0] = *reinterpret_cast<const uint32_t *>(place);
    else if constexpr (Unit == 2)
      words[0] = *reinterpret_cast<const uint16_t *>(place);
    else
      words[0] = *reinterpret_cast<const uint8_t *>(place);
    __builtin_memcpy(static_cast<char *>(to) + at, words, Unit);
  }
}
template <int N> HK_DEVICE void storeBytes(void *to, const void *from) {
  constexpr int Unit = unitOf<N>();
#pragma unroll
  for (int at = 0; at < N; at += Unit) {
    char *place = static_cast<char *>(to) + at;
    uint32_t words[4];
    __builtin_memcpy(words, static_cast<const char *>(from) + at, Unit);
    if constexpr (Unit == 16)
      store16(place, words);
    else if constexpr (Unit == 8)
      store8(place, words);
    else if constexpr (Unit == 4)
      *reinterpret_cast<uint32_t *>(place) = words[0];
    else if constexpr (Unit == 2)
      *reinterpret_cast<uint16_t *>(place) = uint16_t(words[0]);
    else
      *reinterpret_cast<uint8_t *>(place) = uint8_t(words[0]);
  }
}

template <class T, int K, bool Loads, bool Stores> struct Stream {
  static constexpr bool Down = K < 0;
  static_assert(K > 0 || K == -1, "elements of an iteration");
  /// What one iteration has of it.
  using Element = std::conditional_t<K == 1 || Down, T, T[Down ? 1 : K]>;
  static constexpr int Elements = Down ? 1 : K;
  T *first;

  template <int W> struct Run {
    T *place;
    std::remove_const_t<T> values[W * Elements];
    HK_DEVICE void load() {
      if constexpr (Loads)
        loadBytes<W * Elements * int(sizeof(T))>(values, place);
    }
    HK_DEVICE void store() {
      if constexpr (Stores)
        storeBytes<W * Elements * int(sizeof(T))>(place, values);
    }
    HK_DEVICE Element &operator[](int n) { return reinterpret_cast<Element &>(values[Down ? W - 1 - n : n * K]); }
  };
  template <int W> HK_DEVICE bool isAligned() const {
    return reinterpret_cast<uintptr_t>(first + (Down ? 1 : 0)) % unsigned(unitOf<W * Elements * int(sizeof(T))>()) == 0;
  }
  /// Elements before the first that starts where a multiple of \p Bytes bytes does, or ends there downwards; ~0u if none does.
  template <unsigned Bytes> HK_DEVICE unsigned before() const {
    constexpr unsigned Size = unsigned(Elements * sizeof(T));
    const unsigned past = unsigned(reinterpret_cast<uintptr_t>(first + (Down ? 1 : 0)) % Bytes);
    if (past == 0)
      return 0;
    if (Bytes % Size != 0 || past % Size != 0)
      return ~0u;
    return (Down ? past : Bytes - past) / Size;
  }
  /// Those before one from which on W of them are aligned.
  template <int W> HK_DEVICE unsigned beforeRuns() const { return before<unsigned(unitOf<W * Elements * int(sizeof(T))>())>(); }
  /// The stream that starts at number \p at.
  HK_DEVICE Stream from(unsigned long long at) const { return {Down ? first - at : first + at * Elements}; }
  /// W of them from number \p at on.
  template <int W> HK_DEVICE Run<W> run(unsigned long long at) const {
    return {Down ? first - at - (W - 1) : first + at * Elements, {}};
  }
  HK_DEVICE Element &at(unsigned long long at) const {
    return reinterpret_cast<Element &>(*(Down ? first - at : first + at * Elements));
  }
};

} // namespace detail

template <int K = 1, class T> HK_DEVICE detail::Stream<const T, K, true, false> reads(const T *first) { return {first}; }
template <int K = 1, class T> HK_DEVICE detail::Stream<T, K, false, true> writes(T *first) { return {first}; }
template <int K = 1, class T> HK_DEVICE detail::Stream<T, K, true, true> updates(T *first) { return {first}; }

} // namespace hk
