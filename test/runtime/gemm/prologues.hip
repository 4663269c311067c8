// hk::gemm with factors that are converted on their way: 8-bit weights as f16, 8-bit weights with a scale for each group of K
// as bf16, and a functor of the caller's on the activations.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/sums.h"

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

struct {
  int64_t m, n, k, gap;
} const shapes[] = {{1, 17, 3, 1}, {7, 40, 333, 3}, {20, 64, 512, 0}, {66, 130, 100, 0}};

/// Every int8 is an f16.
template <hk::Layout LB> void converted() {
  for (const auto &s : shapes) {
    FactorMemory<hk::f16, Row> a(1, s.m, s.k, s.gap);
    FactorMemory<int8_t, LB> b(1, s.k, s.n, s.gap);
    a.random(5), b.random(6);
    testSums<hk::f16>("int8 as f16", "int8 as f16", a.factor(), b.factor(hk::ConvertTo<hk::f16>{}), productOf(a, b), s.gap,
                      allPlans(isAlongK(Row, LB)));
  }
}

/// Depends on where the element is, so that a wrong row or column shows, and makes something of zeros: places where K or a row
/// ends must stay zeros.
struct Placed {
  using Type = hk::bf16;
  __host__ __device__ float operator()(float value, int row, int k) const {
    return value * (row % 3 == 1 ? -1.0f : 1.0f) + float(k % 5);
  }
};

/// Both factors are converted. Scales are read where there are weights, and nowhere else.
template <hk::Layout LA, hk::Layout LB> void inGroups() {
  for (const auto &s : shapes) {
    constexpr int Group = 32;
    const int64_t groups = (s.k + Group - 1) / Group;
    FactorMemory<float, LA> a(1, s.m, s.k, s.gap);
    FactorMemory<int8_t, LB> b(1, s.k, s.n, s.gap);
    Matrices<float> scale(Role::Input, 1, s.n, groups, s.gap);
    a.random(7), b.random(8);
    scale.fill([](int, int64_t r, int64_t c) { return (1 + uniform(9, r, c)) / 64; });
    const Products<double> want(
        s.m, s.n, s.k,
        [&](int64_t i, int64_t k) { return BF16.rounded(double(Placed()(float(a.at(0, i, k)), int(i), int(k)))); },
        [&](int64_t k, int64_t j) {
          return BF16.rounded(double(float(b.at(0, k, j)) * float(scale.at(0, j, k / Group))));
        });
    testSums<float>("int8 in groups", "int8 in groups", a.factor(Placed()),
                    b.factor(hk::DequantizeGroups<hk::bf16>{scale.data(), scale.pitch, Group}), want, s.gap,
                    allPlans(isAlongK(LA, LB)));
  }
}

} // namespace

int main() {
  converted<Column>();
  converted<Row>();
  inGroups<Row, Column>();
  inGroups<Column, Row>();
  return finish();
}
