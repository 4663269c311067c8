// hk::gemm with all tiles' blocks of K in equal shares (stream-K): fewer tiles than workgroups and more, shares that end inside of
// tiles, K that is no number of rounds; the same bits in every launch, whatever wavefronts do; the workspace is ready after each.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict --schedules=3 %t few | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/sums.h"
#include "Inputs/workspace.h"

#include <cstring>

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

template <class T> void launches(int config, int64_t m, int64_t n, int64_t k, int batches) {
  const hk::GemmPlan plan{hk::GemmMode::Stream, config, 0};
  const hk::detail::ConfigShape shape = hk::detail::shapeOf(plan.mode, config);
  Checker checker("streamed", "streamed " + std::to_string(config) + " " + sizeName(m, n, k));
  FactorMemory<T, Row> a(batches, m, k, 3);
  FactorMemory<T, Column> b(batches, k, n, 5);
  a.random(11), b.random(12);
  Matrices<float> y(Role::Output, batches, m, n, 1);
  const hk::GemmShape sizes{m, n, k, batches};
  hk::detail::GemmProblem problem = problemOf<T>(sizes);
  const size_t bytes = hk::detail::splitBytes(currentTarget(), problem, shape, 0);
  const ExactWorkspace workspace(bytes);
  std::vector<unsigned char> before;
  for (int turn = 0; turn < 3; ++turn) {
    y.reset();
    checker.success(hk::gemm({}, sizes, a.factor(), b.factor(), Plain{}, hk::tuple(),
                             hk::tuple(hk::batched(hk::Matrix<float>{y.data(), y.pitch}, y.stride)), {&plan, workspace.get()}));
    const std::vector<unsigned char> &got = y.download();
    if (!workspace.isReady())
      checker.fail("counters are not zero");
    if (turn && got != before)
      checker.fail("launch " + std::to_string(turn) + " has other bits");
    before = got;
  }
  if (!y.untouched())
    checker.fail("memory around y was written");
  for (int batch = 0; batch < batches; ++batch) {
    const Products<double> want = productOf(a, b, batch, batch);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        checkSum<float>(checker, want, i, j, y.at(batch, i, j));
  }
}

} // namespace

int main(int count, char **) {
  const bool few = count > 1;
  int configs = 0;
  for (int config = 0; config < hk::detail::StreamConfigs::Size; ++config) {
    const hk::detail::ConfigShape shape = hk::detail::shapeOf(hk::GemmMode::Stream, config);
    if (!shape.streams)
      continue;
    ++configs;
    const int64_t m = shape.tileM;
    launches<hk::f16>(config, m, 100, 2056, 1);    // few tiles, many rounds
    launches<hk::f16>(config, m - 1, 33, 1000, 1); // of one round and a rest
    if (few)
      continue;
    launches<hk::f16>(config, 2 * m + 1, 515, 3000, 1); // tiles of M
    launches<hk::f16>(config, 3, 16, 0, 1);             // no K
    launches<hk::f16>(config, 1, 17, 7, 2);
    launches<hk::f16>(config, m, 640, 520, 5);
    launches<int8_t>(config, m, 130, 4096, 1);
  }
  if (!configs)
    Checker("streamed", "configurations").fail("there are none");
  return finish();
}
