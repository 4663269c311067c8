// hk::gemm of f32 and f64, by every kernel: errors within the bound of hk/gemm.h. Some kernels have no instruction for them, or
// not the LDS for sums in f64: these plans are refused, and planGemm() does not choose them.
// RUN: %hip-sim-build --offload-arch=gfx90a -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/types.h"

using namespace test;

/// planGemm() must not choose what there is no kernel for.
template <class T> void plans(const char *name) {
  Checker checker("plans", std::string("plans of ") + name);
  for (const int64_t m : {1, 8, 16, 32, 64, 256, 2048})
    for (const int64_t n : {16, 200, 4096, 32768})
      for (const int64_t k : {64, 1000, 16384})
        for (const size_t workspace : {size_t(0), size_t(1) << 28}) {
          const hk::GemmPlan chosen = hk::planGemm(currentTarget(), problemOf<T>({m, n, k}), workspace);
          for (const NamedPlan &plan : allPlans(true)) {
            elements += plan.plan.mode == chosen.mode && plan.plan.config == chosen.config;
            if (plan.plan.mode == chosen.mode && plan.plan.config == chosen.config && !hasKernel<T, T>(plan))
              checker.fail(sizeName(m, n, k) + ": " + plan.name);
          }
        }
}

int main() {
  plans<float>("f32");
  plans<double>("f64");
  plans<hk::f16>("f16");
  testType<float, float, float>("f32");
  testType<double, double, double, true, long double>("f64");
  return finish();
}
