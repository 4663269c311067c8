// hk::gemmGrouped of bf16, fp8 and int8.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/groups.h"

using namespace test;

template <class T> void type(const char *name) {
  Experts<T, hk::Layout::RowMajor, hk::Layout::ColumnMajor> problem(61, 37, 333, 4, 1);
  problem.run(name, {0, {17, 0, 43, 1}});
}

int main() {
  type<hk::bf16>("bf16");
  type<hk::e4m3fnuz>("e4m3fnuz");
  type<int8_t>("int8");
  return finish();
}
