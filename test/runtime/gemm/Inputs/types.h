//===- types.h - Products of a type, along K and not ----------------------===//
#pragma once

#include "sums.h"

namespace test {

/// A of TA, B of TB, outputs of Y: factors that are contiguous along K, and with \p Both others, which get to the matrix
/// instructions another way.
template <class TA, class TB, class Y, bool Both = true, class Real = double> void testType(const char *name) {
  auto layout = [&](auto a, auto b, const std::string &orders, int64_t m, int64_t n, int64_t k, int64_t gap) {
    constexpr hk::Layout LA = decltype(a)::value, LB = decltype(b)::value;
    FactorMemory<TA, LA> x(1, m, k, gap);
    FactorMemory<TB, LB> w(1, k, n, gap);
    x.random(3), w.random(4);
    testSums<Y>(name, name + orders, x.factor(), w.factor(), productOf<Real>(x, w), gap, allPlans(isAlongK(LA, LB)));
  };
  using Row = std::integral_constant<hk::Layout, hk::Layout::RowMajor>;
  using Column = std::integral_constant<hk::Layout, hk::Layout::ColumnMajor>;
  struct {
    int64_t m, n, k, gap;
  } const shapes[] = {{3, 17, 1, 0}, {7, 40, 333, 1}, {20, 64, 512, 0}, {66, 70, 97, 3}};
  for (const auto &s : shapes) {
    layout(Row(), Column(), " NT", s.m, s.n, s.k, s.gap);
    if constexpr (Both)
      layout(Column(), Row(), " TN", s.m, s.n, s.k, s.gap);
  }
}

} // namespace test
