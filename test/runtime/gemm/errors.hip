// What hk::gemm refuses: hipErrorInvalidValue, and nothing is written. Sizes, leading dimensions and pitches out of range,
// plans that there is no kernel for, and workspaces that are too small.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/sums.h"
#include "Inputs/workspace.h"

#include <climits>

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;
constexpr int64_t M = 10, N = 40, K = 200;

FactorMemory<hk::f16, Row> *a;
FactorMemory<hk::f16, Column> *b;
Matrices<float> *y;

/// \p ldA, \p ldB, \p pitch: 0: as it is.
void refuse(const char *what, const hk::GemmShape &shape, const hk::GemmOptions &options = {}, int64_t ldA = 0,
            int64_t ldB = 0, int64_t pitch = 0) {
  Checker checker("errors", what);
  y->reset();
  auto factorA = a->factor();
  auto factorB = b->factor();
  factorA.ld = ldA ? ldA : factorA.ld;
  factorB.ld = ldB ? ldB : factorB.ld;
  refused(checker, *y, hk::gemm({}, shape, factorA, factorB, Plain{}, hk::tuple(),
                                hk::tuple(hk::Matrix<float>{y->data(), pitch ? pitch : y->pitch}), options));
}

void plans() {
  auto refusePlan = [](const char *what, const hk::GemmPlan &plan) { refuse(what, {M, N, K}, {&plan}); };
  for (const hk::GemmMode mode : {hk::GemmMode::Stream, hk::GemmMode::Tile, hk::GemmMode::Warpgroup, hk::GemmMode::Ring,
                                  hk::GemmMode::Dot, hk::GemmMode(5)})
    for (const int splits : {1, 2}) {
      refusePlan("configuration -1", {mode, -1, splits});
      refusePlan("configuration 1000", {mode, 1000, splits});
    }
  for (const NamedPlan &plan : allPlans(true))
    for (const int splits : {0, -1, INT_MIN})
      if (splits != 0 || !plan.shape.streams) // 0: streamed
        refusePlan((plan.name + " splits " + std::to_string(splits)).c_str(), {plan.plan.mode, plan.plan.config, splits});
  // Too little workspace by one byte; and none that has counters alone.
  for (const NamedPlan &plan : allPlans(true, 2)) {
    const size_t bytes = workspaceBytes<hk::f16>({M, N, K}, plan);
    const ExactWorkspace workspace(bytes);
    for (const size_t less : {bytes - 1, hk::detail::GemmPartialsOffset, size_t(1)})
      refuse((plan.name + ": workspace").c_str(), {M, N, K}, {&plan.plan, {workspace.get().data, less}});
  }
}

/// Some kernels need factors that are contiguous along K.
void orders() {
  FactorMemory<hk::f16, Row> across(1, K, N, 0);
  across.random(3);
  for (const NamedPlan &plan : allPlans(true)) {
    if (plan.shape.anyLayout)
      continue;
    Checker checker("errors", "not contiguous along K: " + plan.name);
    y->reset();
    hk::GemmOptions options;
    options.plan = &plan.plan;
    refused(checker, *y, hk::gemm({}, {M, N, K}, a->factor(), across.factor(), Plain{}, hk::tuple(),
                                  hk::tuple(hk::Matrix<float>{y->data(), y->pitch}), options));
  }
}

/// There is a counter for each of so many tiles; with more, K cannot be split.
void tooManyTiles() {
  constexpr int Least = 16; // rows of W in a tile
  const int64_t n = int64_t(hk::detail::GemmCounters) * Least + 1;
  FactorMemory<hk::f16, Row> one(1, 1, 8, 0);
  FactorMemory<hk::f16, Column> many(1, 8, n, 0);
  one.random(4);
  many.fill([](int, int64_t, int64_t) { return 1; });
  Matrices<float> out(Role::Output, 1, 1, n);
  for (const NamedPlan &plan : allPlans(true, 2)) {
    if (plan.shape.tileN != Least)
      continue;
    Checker checker("errors", "more tiles than counters: " + plan.name);
    const ExactWorkspace workspace(workspaceBytes<hk::f16>({1, n, 8}, plan));
    refused(checker, out, hk::gemm({}, {1, n, 8}, one.factor(), many.factor(), Plain{}, hk::tuple(),
                                   hk::tuple(hk::Matrix<float>{out.data(), out.pitch}), {&plan.plan, workspace.get()}));
    return; // one of them is enough
  }
}

} // namespace

int main() {
  FactorMemory<hk::f16, Row> memoryA(1, M, K, 0);
  FactorMemory<hk::f16, Column> memoryB(1, K, N, 0);
  Matrices<float> memoryY(Role::Output, 1, M, N);
  memoryA.random(1), memoryB.random(2);
  a = &memoryA, b = &memoryB, y = &memoryY;

  refuse("m < 0", {-1, N, K});
  refuse("n < 0", {M, -1, K});
  refuse("k < 0", {M, N, -1});
  refuse("batches < 0", {M, N, K, -1});
  // A size of zero does not hide another that is wrong.
  refuse("m = 0, n < 0", {0, -1, K});
  refuse("n = 0, k < 0", {M, 0, -1});
  refuse("m too large", {int64_t(1) << 31, N, K});
  refuse("n too large", {M, int64_t(1) << 31, K});
  refuse("k too large", {M, N, int64_t(1) << 31});
  refuse("too many batches", {M, N, K, 65536});
  refuse("leading dimension of A < 0", {M, N, K}, {}, -K);
  refuse("leading dimension of B < 0", {M, N, K}, {}, 0, -K);
  refuse("leading dimension of A too large", {M, N, K}, {}, int64_t(1) << 24);
  refuse("leading dimension of B too large", {M, N, K}, {}, 0, int64_t(1) << 24);
  refuse("pitch < 0", {M, N, K}, {}, 0, 0, -N);
  refuse("pitch too large", {M, N, K}, {}, 0, 0, int64_t(1) << 31);
  plans();
  orders();
  tooManyTiles();
  return finish();
}
