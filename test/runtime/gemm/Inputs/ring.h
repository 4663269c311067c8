//===- ring.h - Products by the ring kernel -------------------------------===//
#pragma once

#include "sums.h"
#include "workspace.h"

namespace test {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

inline uint64_t bits = 14695981039346656037u;

inline std::vector<NamedPlan> ringPlans(int splits) {
  std::vector<NamedPlan> plans;
  for (const NamedPlan &plan : allPlans(true, splits))
    if (plan.plan.mode == hk::GemmMode::Ring)
      plans.push_back(plan);
  if (plans.empty())
    Checker("ring", "plans").fail("there are none");
  return plans;
}

/// The sum, and 2 sum + bias.
struct Biased {
  template <class V> HK_DEVICE auto operator()(V sum, float bias) const {
    return hk::tuple(sum, 2 * float(sum) + bias);
  }
};

template <class T, class Y> void product(const char *name, int64_t m, int64_t n, int64_t k, int64_t gap, const std::vector<int> &splits) {
  FactorMemory<T, Row> a(1, m, k, gap);
  FactorMemory<T, Column> b(1, k, n, gap);
  a.random(51), b.random(52);
  Matrices<float> bias(Role::Input, 1, 1, n);
  bias.fill([](int, int64_t, int64_t j) { return 8 * normal(53, 0, j); });
  const Products<double> want = productOf(a, b);
  Matrices<Y> y(Role::Output, 1, m, n, gap);
  Matrices<float> biased(Role::Output, 1, m, n, 0);
  for (const int parts : splits)
    for (const NamedPlan &plan : ringPlans(parts)) {
      Checker checker(name, std::string(name) + " " + sizeName(m, n, k) + " " + plan.name);
      const ExactWorkspace workspace(workspaceBytes<T>({m, n, k}, plan));
      y.reset(), biased.reset();
      checker.success(hk::gemm({}, {m, n, k}, a.factor(), b.factor(), Biased{}, hk::tuple(hk::RowVector<float>{bias.data()}),
                               hk::tuple(hk::Matrix<Y>{y.data(), y.pitch}, hk::Matrix<float>{biased.data(), biased.pitch}),
                               {&plan.plan, workspace.get()}));
      y.download(), biased.download();
      if (!y.untouched() || !biased.untouched())
        checker.fail("memory around an output was written");
      if (!workspace.isReady())
        checker.fail("counters are not zero");
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const double sum = y.at(0, i, j), other = biased.at(0, i, j);
          checkSum<Y>(checker, want, i, j, sum);
          const double twice = 2 * want.sum(i, j), value = twice + bias.at(0, 0, j);
          checker.element("biased", F32, i, j, other, value,
                          2 * want.allowed(i, j) + 4 * Unit * (std::fabs(value) + std::fabs(twice)));
          for (const double got : {sum, other}) {
            uint64_t code;
            std::memcpy(&code, &got, sizeof code);
            bits = (bits ^ code) * 1099511628211u;
          }
        }
    }
}

/// Sizes with rests of everything; more blocks than the ring has slots, and fewer than producers; parts of K without a block.
template <class T, class Y> void type(const char *name) {
  product<T, Y>(name, 1, 17, 1, 0, {1});
  product<T, Y>(name, 16, 33, 0, 0, {1, 3});
  product<T, Y>(name, 33, 65, 7, 1, {1, 2});
  product<T, Y>(name, 7, 131, 700, 3, {1, 3});
  product<T, Y>(name, 64, 71, 2880, 0, {1});
  product<T, Y>(name, 49, 19, 2880, 1, {7});
}

inline int finishWithBits() {
  std::printf("bits %016llx\n", static_cast<unsigned long long>(bits));
  return finish();
}

} // namespace test
