// hk::gemm of types of 8-bit floating point that the target does not multiply, by every kernel: they become f16 without an error.
// gfx90a has no instructions to convert them, either. One pair alone, as such conversions take the compiler long.
// RUN: %hip-sim-build --offload-arch=gfx90a -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/types.h"

using namespace test;

int main() {
  testType<hk::e5m2, hk::e4m3, float, false>("e5m2 by e4m3");
  return finish();
}
