// What kernels execute, as the simulator counts it: see Inputs/counts.py.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: %python %S/Inputs/counts.py %t %t.json | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/sums.h"

#include <cstdlib>

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

template <class T, class Y, hk::Layout LA, hk::Layout LB>
int run(const hk::GemmShape &shape, const NamedPlan &plan) {
  FactorMemory<T, LA> a(1, shape.m, shape.k, 0);
  FactorMemory<T, LB> b(1, shape.k, shape.n, 0);
  a.random(1), b.random(2);
  Matrices<Y> y(Role::Output, 1, shape.m, shape.n);
  hk::GemmOptions options;
  options.plan = &plan.plan;
  check(hk::gemm({}, shape, a.factor(), b.factor(), Plain{}, hk::tuple(), hk::tuple(hk::Matrix<Y>{y.data(), y.pitch}),
                 options),
        "gemm");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  return 0;
}

} // namespace

/// Without arguments: a line for each plan. With ORDERS PLAN M N K: one launch of it. Orders: NT, NN, TN, TT of f16, or I8.
int main(int count, char **arguments) {
  if (count < 6) {
    for (const char *orders : {"NT", "NN", "TN", "TT", "I8"}) {
      const std::vector<NamedPlan> plans = allPlans(orders == std::string("NT") || orders == std::string("I8"));
      for (size_t n = 0; n < plans.size(); ++n)
        std::printf("%s %zu %d %d %d %d %d %d %s\n", orders, n, int(plans[n].plan.mode), plans[n].shape.sparse,
                    plans[n].shape.dotRows, plans[n].shape.tileM, plans[n].shape.tileN, plans[n].bytesOfK,
                    plans[n].name.c_str());
    }
    return 0;
  }
  const std::string orders = arguments[1];
  const NamedPlan plan = allPlans(orders == "NT" || orders == "I8")[std::atoi(arguments[2])];
  const hk::GemmShape shape{std::atoi(arguments[3]), std::atoi(arguments[4]), std::atoi(arguments[5])};
  if (orders == "I8")
    return run<int8_t, int32_t, Row, Column>(shape, plan);
  if (orders == "NT")
    return run<hk::f16, float, Row, Column>(shape, plan);
  if (orders == "NN")
    return run<hk::f16, float, Row, Row>(shape, plan);
  if (orders == "TN")
    return run<hk::f16, float, Column, Row>(shape, plan);
  return run<hk::f16, float, Column, Column>(shape, plan);
}
