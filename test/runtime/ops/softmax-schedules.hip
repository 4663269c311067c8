// Softmax in every schedule: one row by part of a wavefront, by a workgroup, by several, in steps.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include -I%hk-src/runtime/kernels/include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/direct.h"
#include "Inputs/softmaxes.h"
#include "hk/ops/softmax.h"

using namespace test;

int hk_softmax(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, float scale, hk_matrix mask,
               hk_matrix y) {
  if (!mask.data)
    return hk::softmax<hk::Fast>(launchOf(launch), {rows, columns}, as<const hk::f16>(x), scale, as<hk::f16>(y));
  return hk::softmax(launchOf(launch), {rows, columns}, as<const float>(x), scale, as<const hk::bf16>(mask),
                     as<float>(y));
}

int main() {
  int turn = 0;
  for (const Shape &shape : allShapes()) {
    ++turn;
    testSoftmax(F16, F16, F16, Mask::None, shape, true, turn);
    testSoftmax(F32, F32, BF16, turn % 2 ? Mask::Full : Mask::Shared, shape, false, turn);
  }
  return finish();
}
