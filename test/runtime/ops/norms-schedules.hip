// The norms in every schedule: one row by part of a wavefront, by a workgroup, by several, in steps.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include -I%hk-src/runtime/kernels/include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/direct.h"
#include "Inputs/norms.h"
#include "hk/ops/norm.h"

using namespace test;

int hk_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, hk_vector weight, float epsilon,
                const hk_output *y) {
  if (x.type == HK_BF16)
    return hk::rmsNorm(launchOf(launch), {rows, columns}, as<const hk::bf16>(x), as<hk::bf16>(weight), epsilon,
                       asRows<hk::e4m3fnuz>(*y));
  return hk::rmsNorm<hk::Fast>(launchOf(launch), {rows, columns}, as<const float>(x), as<float>(weight), epsilon,
                     asGroups<hk::e4m3fnuz, 128>(*y));
}
int hk_residual_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, hk_matrix residual,
                         hk_vector weight, float epsilon, const hk_output *y) {
  return hk::residualRmsNorm(launchOf(launch), {rows, columns}, as<const hk::f16>(x), as<hk::f16>(residual),
                             as<float>(weight), epsilon, as<int8_t>(y->values), {y->scale});
}
int hk_layer_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, hk_vector weight, hk_vector bias,
                  float epsilon, const hk_output *y) {
  return hk::layerNorm(launchOf(launch), {rows, columns}, as<const float>(x), as<float>(weight), as<float>(bias),
                       epsilon, as<float>(y->values));
}

int main() {
  int turn = 0;
  for (const Shape &shape : allShapes()) {
    ++turn;
    testNorm(Norm::Rms, BF16, BF16, {&E4M3FNUZ, HK_SCALE_ROWS, 0, "rows"}, shape, false, turn);
    testNorm(Norm::Rms, F32, F32, {&E4M3FNUZ, HK_SCALE_GROUPS, 128, "groups of 128"}, shape, true, turn);
    testNorm(Norm::Residual, F16, F32, {&I8, HK_SCALE_TENSOR, 0, "tensor"}, shape, false, turn);
    testNorm(Norm::Layer, F32, F32, {nullptr, HK_SCALE_NONE, 0, "plain"}, shape, false, turn);
  }
  return finish();
}
