//===- samples.h - Deterministic inputs -----------------------------------===//
#pragma once

#include "elements.h"

#include <initializer_list>
#include <vector>

namespace test {

inline uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}
/// From 0 to below 1.
inline double uniform(uint64_t seed, int64_t row, int64_t column) {
  return double(mixed(mixed(mixed(seed) + uint64_t(row)) + uint64_t(column)) >> 11) / 9007199254740992.0;
}
/// About a standard normal number, between -3.5 and 3.5.
inline double normal(uint64_t seed, int64_t row, int64_t column) {
  double sum = -2;
  for (int n = 0; n < 4; ++n)
    sum += uniform(seed + 1000 + n, row, column);
  return 1.75 * sum;
}

/// One of \p count for case \p turn, independent of what other salts give.
inline size_t choice(int turn, int salt, size_t count) {
  return size_t(mixed(mixed(uint64_t(salt)) + uint64_t(turn)) % count);
}

/// What a row is made of.
enum class RowKind {
  Ordinary,  ///< about a standard normal distribution
  Zeros,
  Denormals, ///< of the type, and zeros
  Wide,      ///< magnitudes of 2^-20 to 2^6
  Offset,    ///< a mean much larger than the spread
  Ascending, ///< every element a new maximum
  Lone,      ///< zeros but for one
  NaNs,      ///< one NaN among ordinary ones
  Infinite,  ///< one infinity
  Huge,      ///< squares beyond f32 (not in f16: the largest numbers there)
  Steep,     ///< from 0 to 100; not one of allRowKinds()
  Large,     ///< squares within f32, not in f16; not one of allRowKinds()
  Outlier,   ///< the first far from the others; not one of allRowKinds()
};

inline const std::vector<RowKind> &allRowKinds() {
  static const std::vector<RowKind> all = {RowKind::Ordinary, RowKind::Zeros,     RowKind::Denormals, RowKind::Wide,
                                           RowKind::Offset,   RowKind::Ascending, RowKind::Lone,      RowKind::NaNs,
                                           RowKind::Infinite, RowKind::Huge};
  return all;
}

inline double sample(const ElementType &type, RowKind kind, uint64_t seed, int64_t row, int64_t column, int64_t columns) {
  const bool chosen = column == int64_t(mixed(seed + uint64_t(row)) % uint64_t(columns));
  const double x = normal(seed, row, column);
  switch (kind) {
  case RowKind::Ordinary:
    return x;
  case RowKind::Zeros:
    return column % 2 ? -0.0 : 0.0;
  case RowKind::Denormals:
    return std::floor(uniform(seed, row, column) * 15 - 7) * type.unit();
  case RowKind::Wide:
    return std::ldexp(x, int(uniform(seed + 7, row, column) * 26) - 20);
  case RowKind::Offset:
    return 100 + x;
  case RowKind::Ascending:
    return 8 * double(column) / double(columns) - 4;
  case RowKind::Lone:
    return chosen ? 3 : 0;
  case RowKind::NaNs:
    return chosen ? NAN : x;
  case RowKind::Infinite:
    return chosen ? (row % 2 ? -INFINITY : INFINITY) : x;
  case RowKind::Huge:
    return x * (type.bias == 15 ? 2000 : 1e25);
  case RowKind::Steep:
    return 100 * uniform(seed, row, column);
  case RowKind::Large:
    return x * 1e15;
  case RowKind::Outlier:
    return column == 0 ? 3000 : x;
  }
  return x;
}

} // namespace test
