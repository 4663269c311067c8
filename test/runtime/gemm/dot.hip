// hk::gemm's kernels without matrix instructions, for one to four rows: f16, which targets multiply by different instructions,
// with denormal factors, epilogues, a prologue, batches; the same bits whatever the order of wavefronts.
// RUN: %hip-sim-build --offload-arch=gfx90a -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --races --waits --uninitialized --strict %t few | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict --schedules=3 %t few | FileCheck --check-prefixes=CHECK,AGAIN %s
// CHECK: bits [[BITS:[0-9a-f]+]]
// CHECK: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
#include "Inputs/dot.h"

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

struct Both {
  __device__ auto operator()(hk::At at, float sum, float residual, float bias) const {
    return hk::tuple(sum + residual, sum * float(at.row + 1) + bias);
  }
};

/// Batches of f16 by int8 with a scale for each group of K, a residual for each batch, a bias for all, two outputs.
void epilogue() {
  constexpr int Batches = 2, Group = 32;
  constexpr int64_t M = 3, N = 37, K = 612;
  FactorMemory<hk::f16, Row> a(Batches, M, K, 1, 5);
  FactorMemory<int8_t, Column> b(Batches, K, N, 3, 7);
  Matrices<float> scale(Role::Input, 1, N, (K + Group - 1) / Group), bias(Role::Input, 1, 1, N);
  Matrices<hk::bf16> residual(Role::Input, Batches, M, N, 2, 1);
  Matrices<float> y(Role::Output, Batches, M, N, 1, 2), z(Role::Output, 1, M, N * Batches);
  a.random(71), b.random(72);
  // Powers of two: the prologue rounds to f16, here without an error.
  scale.fill([](int, int64_t r, int64_t g) { return std::ldexp(1.0, int((3 * r + g) % 7) - 8); });
  bias.fill([](int, int64_t, int64_t j) { return normal(73, 0, j); });
  residual.fill([](int batch, int64_t i, int64_t j) { return normal(74 + batch, i, j); });
  const hk::DequantizeGroups<hk::f16> prologue{scale.data(), scale.pitch, Group};
  for (const int splits : {1, 2, 5})
    for (const NamedPlan &plan : dotPlans(splits)) {
      Checker checker("epilogue", "epilogue " + plan.name);
      const hk::GemmShape shape{M, N, K, Batches};
      const ExactWorkspace workspace(workspaceBytes<hk::f16>(shape, plan));
      y.reset(), z.reset();
      checker.success(dotProducts(shape, a.factor(), b.factor(prologue), Both{},
                                  hk::tuple(hk::batched(hk::Matrix<const hk::bf16>{residual.data(), residual.pitch}, residual.stride),
                                            hk::RowVector<float>{bias.data()}),
                                  hk::tuple(hk::batched(hk::Matrix<float>{y.data(), y.pitch}, y.stride),
                                            hk::batched(hk::Matrix<float>{z.data(), z.pitch}, N)),
                                  plan.plan, workspace.get().data));
      addBits(y.download()), addBits(z.download());
      if (!y.untouched() || !z.untouched())
        checker.fail("memory around an output was written");
      for (int batch = 0; batch < Batches; ++batch) {
        const Products<double> want(M, N, K, [&](int64_t i, int64_t k) { return a.at(batch, i, k); },
                                    [&](int64_t k, int64_t j) { return b.at(batch, k, j) * scale.at(0, j, k / Group); });
        for (int64_t i = 0; i < M; ++i)
          for (int64_t j = 0; j < N; ++j) {
            const double sum = want.sum(i, j), first = sum + residual.at(batch, i, j), product = sum * double(i + 1);
            const double second = product + bias.at(0, 0, j), error = want.allowed(i, j);
            checker.element("y", F32, i, j, y.at(batch, i, j), first, error + 1.01 * Unit * std::fabs(first));
            checker.element("z", F32, i, j, z.at(0, i, batch * N + j), second,
                            double(i + 1) * error + 1.01 * Unit * (std::fabs(product) + std::fabs(second)));
          }
      }
    }
}

} // namespace

/// With an argument: fewer shapes.
int main(int count, char **) {
  testDot<hk::f16, hk::f16, float>("f16", count > 1 ? 7 : 2);
  testDotOfDenormals<hk::f16>("denormal f16", -24);
  epilogue();
  std::printf("bits %016llx\n", static_cast<unsigned long long>(bits));
  return finish();
}
