//===- dot.h - Products by the kernels of hk/gemm/dot_kernel.h alone ------===//
//
// As hk::gemm launches them, without its other kernels, which would take the compiler long for so many types.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sums.h"
#include "workspace.h"

namespace test {

/// The kernels of mode Dot.
inline std::vector<NamedPlan> dotPlans(int splits) {
  std::vector<NamedPlan> some;
  for (const NamedPlan &plan : allPlans(true, splits))
    if (plan.plan.mode == hk::GemmMode::Dot)
      some.push_back(plan);
  return some;
}

template <class FactorA, class FactorB, class Epilogue, class Extras, class Outputs>
hipError_t dotProducts(const hk::GemmShape &shape, const FactorA &a, const FactorB &b, const Epilogue &epilogue,
                       const Extras &extras, const Outputs &outputs, const hk::GemmPlan &plan, void *workspace) {
  using namespace hk::detail;
  const auto w = rowsOf<true>(b);
  const auto x = rowsOf<false>(a);
  const GemmProgram<Epilogue, Extras, Outputs> program{epilogue, extras, outputs, false};
  GemmCall<GemmExtent> call{nullptr, currentTarget(), {}, shape.batches, false};
  const ConfigShape config = shapeOf(plan.mode, plan.config);
  call.extent.m = int(shape.m), call.extent.n = int(shape.n), call.extent.k = int(shape.k);
  call.extent.tilesM = int(ceilDivide(shape.m, config.tileM)), call.extent.tilesN = int(ceilDivide(shape.n, config.tileN));
  call.extent.splits = plan.splits;
  call.extent.workspace = workspace;
  hipError_t error = hipErrorInvalidValue;
  forEachIndex<DotConfigs::Size>([&](auto i) {
    if (plan.config == decltype(i)::value)
      error = hk::detail::launchDot<typename ConfigAt<decltype(i)::value, DotConfigs>::Type>(call, w, x, program);
  });
  return error;
}

/// Of everything that this program computes.
inline uint64_t bits = 14695981039346656037u;
inline void addBits(const std::vector<unsigned char> &bytes) {
  for (const unsigned char byte : bytes)
    bits = (bits ^ byte) * 1099511628211u;
}

/// A of TA, B of TB, outputs of Y, by each kernel: one to four rows, tails of rows of W and of K, K that is split so that parts
/// have nothing to do. \p fill(a, b): what they hold. \p every: each so many of the shapes.
template <class TA, class TB, class Y, class Real = double, class Fill>
void testDot(const char *name, int every, Fill &&fill) {
  const int64_t ns[] = {1, 17, 128, 130}, ks[] = {0, 1, 7, 65, 700, 2880};
  int which = 0;
  for (int at = 0; at < 6; ++at)
    for (int64_t m = 1; m <= 4; ++m, ++which) {
      if (which % every)
        continue;
      const int64_t n = ns[(at + m) % 4], k = ks[at], gap = which % 3 == 1 ? 0 : which % 5;
      FactorMemory<TA, hk::Layout::RowMajor> a(1, m, k, gap);
      FactorMemory<TB, hk::Layout::ColumnMajor> b(1, k, n, 2 * gap);
      fill(a, b);
      const Products<Real> want = productOf<Real>(a, b);
      Matrices<Y> y(Role::Output, 1, m, n, gap);
      for (const int splits : {1, 3})
        for (const NamedPlan &plan : dotPlans(splits)) {
          Checker checker(name, std::string(name) + " " + sizeName(m, n, k) + " gap " + std::to_string(gap) + " " + plan.name);
          const hk::GemmShape shape{m, n, k};
          const ExactWorkspace workspace(workspaceBytes<TB>(shape, plan));
          y.reset();
          checker.success(dotProducts(shape, a.factor(), b.factor(), Plain{}, hk::tuple(),
                                      hk::tuple(hk::Matrix<Y>{y.data(), y.pitch}), plan.plan, workspace.get().data));
          addBits(y.download());
          if (!y.untouched())
            checker.fail("memory around y was written");
          if (!workspace.isReady())
            checker.fail("counters are not zero");
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j)
              checkSum<Y>(checker, want, i, j, y.at(0, i, j));
        }
    }
}

template <class TA, class TB, class Y, class Real = double> void testDot(const char *name, int every) {
  testDot<TA, TB, Y, Real>(name, every, [](auto &a, auto &b) { a.random(61), b.random(62); });
}

/// Factors that are denormal numbers of their type, and sums that are not.
template <class T> void testDotOfDenormals(const char *name, int exponent) {
  testDot<T, T, float>(name, 5, [&](auto &a, auto &b) {
    a.fill([&](int, int64_t i, int64_t k) { return std::ldexp(std::round(normal(81, i, k) * 8), exponent); });
    b.fill([&](int, int64_t k, int64_t j) { return std::ldexp(normal(82, k, j), 10); });
  });
}

} // namespace test
