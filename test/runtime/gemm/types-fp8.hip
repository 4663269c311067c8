// hk::gemm of the types of 8-bit floating point that gfx942 multiplies, by every kernel. Along K only: the way of bytes that are
// not is tested with int8.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/types.h"

using namespace test;

int main() {
  testType<hk::e4m3fnuz, hk::e4m3fnuz, float, false>("e4m3fnuz");
  testType<hk::e5m2fnuz, hk::e4m3fnuz, float, false>("e5m2fnuz by e4m3fnuz");
  return finish();
}
