// hk::gemm's kernels without matrix instructions for 8-bit floating point: formats that the target converts by an instruction, and
// formats that it does not.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/dot.h"

using namespace test;

int main() {
  testDot<hk::e5m2fnuz, hk::e4m3fnuz, float>("e5m2fnuz by e4m3fnuz", 1);
  testDot<hk::e4m3, hk::e5m2, float>("e4m3 by e5m2", 2);
  return finish();
}
