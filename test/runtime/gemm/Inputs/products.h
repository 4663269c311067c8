//===- products.h - Calls of hk::gemm and hk::linear ----------------------===//
//
// For targets that are only compiled for: few, as each takes seconds there.
//
//===----------------------------------------------------------------------===//
#include "hk/ops/gemm.h"

namespace {
struct Scaled {
  HK_DEVICE auto operator()(hk::At at, float sum, float residual) const {
    return hk::tuple(sum * float(at.row), sum + residual);
  }
};
} // namespace

hipError_t all(const hk::Launch &launch, const hk::GemmShape &shape, const void *p, void *out, const float *scale) {
  using namespace hk;
  const auto *half = static_cast<const f16 *>(p);
  const auto *byte = static_cast<const int8_t *>(p);
  const auto *e4m3 = static_cast<const NativeE4M3 *>(p);
  const auto *e5m2 = static_cast<const NativeE5M2 *>(p);
  LinearOptions<bf16> options;
  options.outScale = {scale};
  hipError_t errors[] = {
      gemm(launch, shape, columnMajor(half, shape.m), rowMajor(half, shape.n), Scaled{},
           tuple(batched(Matrix<const bf16>{static_cast<const bf16 *>(p), shape.n}, 0)),
           tuple(Matrix<f16>{static_cast<f16 *>(out), shape.n}, Matrix<NativeE4M3>{static_cast<NativeE4M3 *>(out), shape.n})),
      linear<Silu>(launch, shape, rowMajor(e4m3, shape.k), columnMajor(e5m2, shape.k), options,
                   Matrix<bf16>{static_cast<bf16 *>(out), shape.n}),
      linear<Identity>(launch, shape, rowMajor(byte, shape.k), columnMajor(byte, shape.k), options,
                       Matrix<int8_t>{static_cast<int8_t *>(out), shape.n}),
      gemm(launch, shape, rowMajor(static_cast<const bf16 *>(p), shape.k),
           columnMajor(byte, shape.k, 0, DequantizeGroups<bf16>{scale, 1, 128}), AsSummed{}, tuple(),
           tuple(Matrix<float>{static_cast<float *>(out), shape.n})),
      gemm(launch, shape, columnMajor(static_cast<const double *>(p), shape.m), columnMajor(static_cast<const double *>(p), shape.k),
           AsSummed{}, tuple(), tuple(Matrix<double>{static_cast<double *>(out), shape.n})),
  };
  for (hipError_t error : errors)
    if (error != hipSuccess)
      return error;
  return hipSuccess;
}
