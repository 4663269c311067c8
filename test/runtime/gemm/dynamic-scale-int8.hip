// hk::linearDynamic of int8 factors.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/dynamic.h"

using namespace test;

int main() {
  for (const int64_t m : {1, 17, 65})
    Dynamic<int8_t, int8_t, float>({m, 77, 333}, 1).run("int8 int8", allPlans(true, 3));
  return finish();
}
