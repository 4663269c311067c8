//===- hk/guard.h - What a launcher checks before it takes another kernel --===//
//
// Ranges of indices are computed from the parameters of a launch, in 64 bits and with overflow noticed: what is not known
// is never taken for disjoint.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"

#include <cstddef>
#include <cstdint>

namespace hk {

/// The lesser of two numbers.
template <class T> HK_HOST_DEVICE constexpr T least(T a, T b) { return b < a ? b : a; }
/// Of two types: by their values, however they differ in sign and width.
template <class T, class U> HK_HOST_DEVICE constexpr long long least(T a, U b) {
  constexpr unsigned long long Most = ~0ull >> 1;
  const long long wideA = a > 0 && (unsigned long long)(a) > Most ? (long long)(Most) : (long long)(a);
  const long long wideB = b > 0 && (unsigned long long)(b) > Most ? (long long)(Most) : (long long)(b);
  return wideB < wideA ? wideB : wideA;
}

/// Integers from low to high: none if high < low; not known after an overflow.
class Range {
public:
  /// One number.
  Range(long long value) : low(value), high(value) {}
  static Range between(Range from, Range to) {
    Range r(0);
    r.low = from.low, r.high = to.high;
    r.known = from.known && to.known;
    r.empty = from.empty || to.empty || (r.known && r.high < r.low);
    return r;
  }
  bool isKnown() const { return known; }
  bool isEmpty() const { return empty; }
  long long first() const { return low; }
  long long last() const { return high; }

  Range operator-() const { return Range(0) - *this; }
  friend Range operator+(Range a, const Range &b) {
    a.join(b);
    const bool low = __builtin_add_overflow(a.low, b.low, &a.low), high = __builtin_add_overflow(a.high, b.high, &a.high);
    a.known &= !low && !high;
    return a;
  }
  friend Range operator-(Range a, const Range &b) {
    a.join(b);
    const bool low = __builtin_sub_overflow(a.low, b.high, &a.low), high = __builtin_sub_overflow(a.high, b.low, &a.high);
    a.known &= !low && !high;
    return a;
  }
  friend Range operator*(const Range &a, const Range &b) {
    Range r = a;
    r.join(b);
    const long long left[] = {a.low, a.high}, right[] = {b.low, b.high};
    for (int i = 0; i < 4; ++i) {
      long long product;
      if (__builtin_mul_overflow(left[i / 2], right[i % 2], &product))
        r.known = false;
      else if (i == 0)
        r.low = r.high = product;
      else
        r.low = product < r.low ? product : r.low, r.high = product > r.high ? product : r.high;
    }
    return r;
  }
  /// Division as integers have it; not known unless \p b is positive.
  friend Range operator/(const Range &a, const Range &b) {
    Range r = a;
    r.join(b);
    if (b.low <= 0) {
      r.known = false;
      return r;
    }
    const long long ends[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
    r.low = r.high = ends[0];
    for (long long end : ends)
      r.low = end < r.low ? end : r.low, r.high = end > r.high ? end : r.high;
    return r;
  }
  /// Of the lesser, or the greater, of one number of each.
  static Range least(const Range &a, const Range &b) {
    Range r = a;
    r.join(b);
    r.low = b.low < a.low ? b.low : a.low;
    r.high = b.high < a.high ? b.high : a.high;
    return r;
  }
  static Range greatest(const Range &a, const Range &b) {
    Range r = a;
    r.join(b);
    r.low = b.low > a.low ? b.low : a.low;
    r.high = b.high > a.high ? b.high : a.high;
    return r;
  }
  /// The least range that holds both.
  static Range hull(const Range &a, const Range &b) {
    if (a.empty)
      return b;
    if (b.empty)
      return a;
    Range r = a;
    r.known &= b.known;
    r.low = b.low < a.low ? b.low : a.low;
    r.high = b.high > a.high ? b.high : a.high;
    return r;
  }

private:
  long long low, high;
  bool known = true, empty = false;
  void join(const Range &b) {
    known &= b.known;
    empty |= b.empty;
  }
};

inline Range least(const Range &a, const Range &b) { return Range::least(a, b); }
inline Range greatest(const Range &a, const Range &b) { return Range::greatest(a, b); }
inline Range hull(const Range &a) { return a; }
template <class... Others> Range hull(const Range &a, const Range &b, const Others &...others) {
  return hull(Range::hull(a, b), others...);
}

/// No byte of a's elements with indices in \p ra is one of b's with indices in \p rb.
template <class T, class U> bool areDisjoint(const T *a, const Range &ra, const U *b, const Range &rb) {
  if (ra.isEmpty() || rb.isEmpty())
    return true;
  if (!ra.isKnown() || !rb.isKnown())
    return false;
  const Range bytesA = Range(int64_t(reinterpret_cast<uintptr_t>(a))) + Range::between(ra.first(), ra.last()) * Range(sizeof(T));
  const Range bytesB = Range(int64_t(reinterpret_cast<uintptr_t>(b))) + Range::between(rb.first(), rb.last()) * Range(sizeof(U));
  return bytesA.isKnown() && bytesB.isKnown() &&
         (bytesA.last() + (long long)(sizeof(T)) <= bytesB.first() || bytesB.last() + (long long)(sizeof(U)) <= bytesA.first());
}

/// Work-items are numbered in x only, and there are no more than groups of 8 lanes can stand for: AMD counts the work-items of
/// a launch in 32 bits.
inline bool isLinear(dim3 grid, dim3 block) {
  const uint64_t items = uint64_t(grid.x) * block.x;
  return grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && items && items < (uint64_t(1) << 29);
}

/// There is one in \p range, and 32 bits number them all.
inline bool isSome(const Range &range) {
  return range.isKnown() && !range.isEmpty() && range.first() >= 0 && range.last() < 0x7fffffff;
}

} // namespace hk
