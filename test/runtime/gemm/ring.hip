// hk::gemm with blocks that go through a ring in LDS: every size of M up to more than a tile, rests of K, K split, an epilogue;
// the same bits in whatever order wavefronts take turns, though none meets another at a barrier while K is multiplied.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict --schedules=3 %t few | FileCheck --check-prefixes=CHECK,AGAIN %s
// CHECK: bits [[BITS:[0-9a-f]+]]
// CHECK: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
#include "Inputs/ring.h"

using namespace test;

/// With an argument: only what has more blocks than slots.
int main(int count, char **) {
  if (count > 1) {
    product<hk::f16, float>("f16", 33, 71, 2890, 1, {1, 3});
    return finishWithBits();
  }
  type<hk::f16, float>("f16");
  type<int8_t, int32_t>("int8");
  for (int64_t m = 1; m <= 66; m += 5)
    product<hk::f16, float>("f16", m, 5, 72, 0, {1});
  return finishWithBits();
}
