// hk::gemm of f16, bf16 and int8, by every kernel: errors within the bound of hk/gemm.h, integers exact.
// RUN: %hip-sim-build --offload-arch=gfx90a -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/types.h"

using namespace test;

int main() {
  testType<hk::f16, hk::f16, hk::f16, false>("f16"); // layouts.hip has the other orders
  testType<hk::bf16, hk::bf16, hk::bf16, false>("bf16");
  testType<int8_t, int8_t, int32_t>("int8");
  return finish();
}
