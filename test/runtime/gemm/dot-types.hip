// hk::gemm's kernels without matrix instructions, for one to four rows: the types that dot.hip and dot-fp8.hip do not have.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/dot.h"

using namespace test;

int main() {
  testDot<hk::bf16, hk::bf16, float>("bf16", 2);
  testDotOfDenormals<hk::bf16>("denormal bf16", -133);
  testDot<int8_t, int8_t, int32_t>("int8", 1);
  testDot<float, float, float>("f32", 2);
  testDot<double, double, double, long double>("f64", 2);
  return finish();
}
