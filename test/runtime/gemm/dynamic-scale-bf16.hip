// hk::linearDynamic of bf16 to OCP's fp8, by way of values in bf16.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/dynamic.h"

using namespace test;

int main() {
  for (const int64_t m : {1, 17, 65})
    Dynamic<hk::bf16, hk::e4m3, hk::bf16>({m, 33, 100}, 1).run("bf16 e4m3", {});
  return finish();
}
