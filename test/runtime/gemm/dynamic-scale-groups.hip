// hk::linearDynamic with a scale for each 64 columns, of fp8 with few bits in the mantissa.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/dynamic.h"

using namespace test;

int main() {
  for (const int64_t gap : {0, 1})
    Dynamic<hk::bf16, hk::e5m2fnuz, float, 64>({9, 333, 100, 2}, gap).run("bf16 e5m2fnuz", {});
  return finish();
}
