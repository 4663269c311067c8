// As ring.hip, other types.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict --schedules=2 %t | FileCheck %s
// CHECK: bits [[BITS:[0-9a-f]+]]
// CHECK: all {{[0-9]+}} passed
// CHECK: bits [[BITS]]
// CHECK: all {{[0-9]+}} passed
#include "Inputs/ring.h"

using namespace test;

int main() {
  type<hk::bf16, float>("bf16");
  type<hk::e4m3fnuz, float>("e4m3fnuz");
  return finishWithBits();
}
