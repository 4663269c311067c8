//===- grouped-products.h - Calls of hk::gemmGrouped and hk::linearDynamic -===//
//
// For targets that are only compiled for.
//
//===----------------------------------------------------------------------===//
#include "hk/ops/gemm_quantize.h"

hipError_t groupedProducts(const hk::Launch &launch, const hk::GemmShape &shape, const hk::f16 *p,
                           const hk::f16 *const *array, hk::f16 *out, float *const *outs, const int64_t *pitches,
                           const int32_t *offsets, const hk::GemmGroup *groups, int count) {
  using namespace hk;
  if (hipError_t error = gemmGrouped(launch, shape, GemmRowGroups{offsets, count}, rowMajor(p, shape.k),
                                     columnMajor(p, shape.k, shape.n * shape.k), AsSummed{}, tuple(),
                                     tuple(Matrix<f16>{out, shape.n}));
      error != hipSuccess)
    return error;
  return gemmGrouped(launch, shape, GemmGroups{groups, count}, columnMajorBatch(array, shape.m),
                     rowMajorBatch(array, shape.n), AsSummed{}, tuple(), tuple(MatrixGroups<float>{outs, pitches}));
}

hipError_t dynamicProducts(const hk::Launch &launch, const hk::GemmShape &shape, const hk::bf16 *p, hk::NativeE4M3 *out,
                           float *scale) {
  using namespace hk;
  return linearDynamic<Silu, Fast>(launch, shape, rowMajor(p, shape.k), columnMajor(p, shape.k), LinearOptions<bf16>{},
                                   QuantizedRows<NativeE4M3>{out, shape.n, scale});
}
