// Softmax with scale and mask against f64.
// REQUIRES: hk-kernels
// RUN: %clang --driver-mode=g++ -O2 -std=c++17 %hk-kernels-flags %s -o %t %hk-kernels-link
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/softmaxes.h"

using namespace test;

int main() {
  int turn = 0;
  for (const Shape &shape : allShapes())
    for (const ElementType *type : {&F32, &F16, &BF16})
      for (const Mask mask : {Mask::None, Mask::Full, Mask::Shared}) {
        ++turn;
        testSoftmax(*type, choice(turn, 1, 2) ? F32 : *type, choice(turn, 2, 2) ? F32 : *type, mask, shape, choice(turn, 3, 2), turn);
      }
  return finish();
}
