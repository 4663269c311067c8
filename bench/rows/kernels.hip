//===- kernels.hip - What the resource report is made of ------------------===//
//
// One program of each kind: static fp8 (several inputs and outputs), a reduction of two words with exponentials,
// scales per group, and an element-wise operator. Only compiled. HK_FP8: the target's own e4m3.
//
//===----------------------------------------------------------------------===//

#include "hk/ops/activation.h"
#include "hk/ops/norm.h"
#include "hk/ops/quantize.h"
#include "hk/ops/softmax.h"

using namespace hk;
using Fp8 = HK_FP8;

void instantiate(const Launch &launch, RowShape shape, Matrix<const f16> x, Matrix<f16> y, Matrix<Fp8> q,
                 RowVector<f16> weight, float *scale) {
  (void)residualRmsNorm(launch, shape, x, y, weight, 1e-5f, q);
  (void)softmax(launch, shape, x, 1.0f, y);
  (void)quantize(launch, shape, x, QuantizedGroups<Fp8, 128>{q.data, q.pitch, scale, 1});
  (void)gated<Silu>(launch, shape, x, x, q);
}
