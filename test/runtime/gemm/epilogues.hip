// What hk::linear and functors of the caller's make of the sums, in every kernel: each option of hk::linear alone and all at once,
// several outputs, outputs that are not aligned, and sizes of zero.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/linear.h"

using namespace test;

namespace {

//===-- hk::gemm with functors of the caller's -------------------------------===//

/// Small integers: sums are exact in f32, and results have to be equal.
double small(uint64_t seed, int64_t r, int64_t c) { return std::floor(uniform(seed, r, c) * 5) - 2; }

template <class N> __host__ __device__ N first(N sum, N residual, N perColumn, int64_t row, int column) {
  return sum * perColumn + residual + N(column % 3) - N(row % 2);
}
template <class N> __host__ __device__ N second(N sum, N perRow) { return sum * perRow; }

struct Two {
  __device__ auto operator()(hk::At at, float sum, float residual, float perColumn, float perRow) const {
    return hk::tuple(first(sum, residual, perColumn, at.row, at.column), second(sum, perRow));
  }
};

void twoOutputs(int64_t m, int64_t n, int64_t k, int64_t gap) {
  FactorMemory<hk::f16, hk::Layout::RowMajor> a(1, m, k, gap);
  FactorMemory<hk::f16, hk::Layout::ColumnMajor> b(1, k, n, gap);
  Matrices<int8_t> residual(Role::Input, 1, m, n, 2 * gap);
  Matrices<hk::bf16> perColumn(Role::Input, 1, 1, n);
  Matrices<float> perRow(Role::Input, 1, m, 1);
  a.fill([](int, int64_t i, int64_t j) { return small(1, i, j); });
  b.fill([](int, int64_t i, int64_t j) { return small(2, i, j); });
  residual.fill([](int, int64_t i, int64_t j) { return 20 * small(3, i, j); });
  perColumn.fill([](int, int64_t, int64_t j) { return small(4, 0, j) / 2; });
  perRow.fill([](int, int64_t i, int64_t) { return small(5, i, 0) / 4; });
  const Products<double> want = productOf(a, b);
  Matrices<hk::f16> y(Role::Output, 1, m, n, gap);
  Matrices<hk::e4m3fnuz> z(Role::Output, 1, m, n, 3 * gap);
  for (const NamedPlan &plan : allPlans(true)) {
    Checker checker("two outputs", "two outputs " + sizeName(m, n, k) + " gap " + std::to_string(gap) + " " + plan.name);
    y.reset(), z.reset();
    hk::GemmOptions options;
    options.plan = &plan.plan;
    checker.success(hk::gemm({}, {m, n, k}, a.factor(), b.factor(), Two{},
                             hk::tuple(hk::Matrix<const int8_t>{residual.data(), residual.pitch},
                                       hk::RowVector<hk::bf16>{perColumn.data()}, hk::ColumnVector<float>{perRow.data()}),
                             hk::tuple(hk::Matrix<hk::f16>{y.data(), y.pitch}, hk::Matrix<hk::e4m3fnuz>{z.data(), z.pitch}),
                             options));
    y.download(), z.download();
    if (!y.untouched() || !z.untouched())
      checker.fail("memory around an output was written");
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const double sum = want.sum(i, j);
        checker.element("y", F16, i, j, y.at(0, i, j), first(sum, residual.at(0, i, j), perColumn.at(0, 0, j), i, int(j)), 0);
        checker.element("z", E4M3FNUZ, i, j, z.at(0, i, j), second(sum, perRow.at(0, i, 0)), 0);
      }
  }
}

/// What prepare() returns takes the functor's place, which cannot be called itself.
struct Prepared {
  const float *table;
  struct Ready {
    float factor, offset;
    __device__ float operator()(float sum) const { return sum * factor + offset; }
  };
  __device__ Ready prepare() const { return {table[0], table[1] + table[2]}; }
};

void prepared(int64_t m, int64_t n, int64_t k) {
  FactorMemory<hk::f16, hk::Layout::RowMajor> a(1, m, k, 0);
  FactorMemory<hk::f16, hk::Layout::ColumnMajor> b(1, k, n, 0);
  a.fill([](int, int64_t i, int64_t j) { return small(6, i, j); });
  b.fill([](int, int64_t i, int64_t j) { return small(7, i, j); });
  Matrices<float> table(Role::Input, 1, 1, 3);
  table.fill([](int, int64_t, int64_t j) { return double(j) + 0.5; });
  const Products<double> want = productOf(a, b);
  Matrices<float> y(Role::Output, 1, m, n);
  for (const NamedPlan &plan : allPlans(true)) {
    Checker checker("prepare", "prepare " + sizeName(m, n, k) + " " + plan.name);
    y.reset();
    hk::GemmOptions options;
    options.plan = &plan.plan;
    checker.success(hk::gemm({}, {m, n, k}, a.factor(), b.factor(), Prepared{table.data()}, hk::tuple(),
                             hk::tuple(hk::Matrix<float>{y.data(), y.pitch}), options));
    y.download();
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        checker.element("y", F32, i, j, y.at(0, i, j), want.sum(i, j) * 0.5 + 4, 0);
  }
}

//===-- Sizes of zero --------------------------------------------------------===//

/// With k = 0 the epilogue runs on zeros; without rows, columns or batches nothing is written.
void nothing() {
  constexpr int64_t M = 20, N = 70;
  Matrices<float> bias(Role::Input, 1, 1, N);
  bias.fill([](int, int64_t, int64_t j) { return normal(8, 0, j); });
  Matrices<hk::f16> y(Role::Output, 1, M, N);
  const hk::GemmShape shapes[] = {{M, N, 0}, {0, N, 8}, {M, 0, 8}, {M, N, 8, 0}, {0, 0, 0, 0}};
  std::vector<NamedPlan> plans = allPlans(true);
  for (const NamedPlan &plan : plans)
    for (const hk::GemmShape &shape : shapes) {
      const bool runs = shape.m && shape.n && shape.batches;
      Checker checker("zero", "of " + sizeName(shape.m, shape.n, shape.k) + " batches " + std::to_string(shape.batches) + " " +
                                  plan.name);
      y.reset();
      hk::LinearOptions<float> options;
      options.bias = {bias.data()};
      options.gemm.plan = &plan.plan;
      // Nothing may be read through these.
      checker.success(hk::linear<hk::Silu>({}, shape, hk::rowMajor(static_cast<hk::f16 *>(nullptr), shape.k),
                                           hk::columnMajor(static_cast<hk::f16 *>(nullptr), shape.k), options,
                                           hk::Matrix<hk::f16>{y.data(), y.pitch}));
      check(hipDeviceSynchronize(), "hipDeviceSynchronize");
      y.download();
      if (!y.untouched(!runs))
        checker.fail("memory was written");
      for (int64_t i = 0; runs && i < M; ++i)
        for (int64_t j = 0; j < N; ++j) {
          const double exact = Activation<hk::Silu>::of(bias.at(0, 0, j));
          checker.element("y", F16, i, j, y.at(0, i, j), exact, 6 * Unit * std::fabs(exact));
        }
    }
}

} // namespace

int main() {
  // Wide outputs, 16-bit and 8-bit ones; factors of f16 and int8.
  testLinear<hk::Silu, hk::f16, float, hk::f16>("silu");
  testLinear<hk::Relu, hk::f16, hk::bf16, hk::e4m3fnuz>("relu to fp8");
  testLinear<hk::Identity, int8_t, float, int8_t>("int8");
  twoOutputs(1, 17, 40, 0);
  twoOutputs(20, 64, 64, 0);
  twoOutputs(19, 70, 100, 3);
  prepared(20, 64, 64);
  nothing();
  return finish();
}
