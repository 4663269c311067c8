//===- sums.h - Plain products by every kernel ----------------------------===//
#pragma once

#include "matrices.h"
#include "plans.h"

namespace test {

/// The sums as they are.
struct Plain {
  template <class V> __device__ V operator()(V sum) const { return sum; }
};

/// Whether an element of an output is what the bound of hk/gemm.h allows.
template <class Y, class Real>
void checkSum(Checker &checker, const Products<Real> &want, int64_t i, int64_t j, double got) {
  if constexpr (std::is_same_v<Y, double>) {
    ++elements;
    const Real error = got - want.sum(i, j), most = Real(want.k + 2) * 0x1p-53L * want.magnitudes[i * want.n + j];
    if (!(error <= most && -error <= most))
      checker.fail("row " + std::to_string(i) + " column " + std::to_string(j) + ": error " + std::to_string(double(error)));
  } else {
    constexpr bool Exact = std::is_same_v<Y, int32_t>;
    checker.element("y", *TypeIs<Y>, i, j, got, double(want.sum(i, j)), Exact ? 0 : want.allowed(i, j));
  }
}

/// An error that leaves an output as it was.
template <class Y> void refused(Checker &checker, Matrices<Y> &y, hipError_t error, hipError_t wanted = hipErrorInvalidValue) {
  ++elements;
  if (error != wanted)
    checker.fail("error " + std::to_string(error) + " instead of " + std::to_string(wanted));
  (void)hipGetLastError();
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  y.download();
  if (!y.untouched(true))
    checker.fail("memory was written");
}

template <class A, hk::Layout LA, class PA, class B, hk::Layout LB, class PB>
bool hasKernelFor(const NamedPlan &plan, const hk::Factor<A, LA, PA> &, const hk::Factor<B, LB, PB> &) {
  return hasKernel<typename hk::detail::FactorType<A, PA>::Type, typename hk::detail::FactorType<B, PB>::Type>(plan);
}

/// A * B to an output with `gap` more elements in a row, by each plan. \p bound: under which the largest error is told.
template <class Y, class Real, class FactorA, class FactorB>
void testSums(const std::string &bound, const std::string &name, const FactorA &a, const FactorB &b,
              const Products<Real> &want, int64_t gap, const std::vector<NamedPlan> &plans) {
  Matrices<Y> y(Role::Output, 1, want.m, want.n, gap);
  for (const NamedPlan &plan : plans) {
    Checker checker(bound, name + " " + sizeName(want.m, want.n, want.k) + " " + plan.name);
    y.reset();
    hk::GemmOptions options;
    options.plan = &plan.plan;
    const hipError_t error = hk::gemm({}, {want.m, want.n, want.k}, a, b, Plain{}, hk::tuple(),
                                      hk::tuple(hk::Matrix<Y>{y.data(), y.pitch}), options);
    if (!hasKernelFor(plan, a, b)) {
      refused(checker, y, error);
      continue;
    }
    checker.success(error);
    y.download();
    if (!y.untouched())
      checker.fail("memory around y was written");
    for (int64_t i = 0; i < want.m; ++i)
      for (int64_t j = 0; j < want.n; ++j)
        checkSum<Y>(checker, want, i, j, y.at(0, i, j));
  }
}

} // namespace test
