//===- operators.h - One call of every operator ---------------------------===//
//
// For targets that are only compiled for.
//
//===----------------------------------------------------------------------===//
#include "hk/ops/activation.h"
#include "hk/ops/norm.h"
#include "hk/ops/quantize.h"
#include "hk/ops/rotary.h"
#include "hk/ops/softmax.h"

namespace {
struct Scaled {
  HK_DEVICE float operator()(hk::At at, float x) const { return x * float(at.row); }
};
struct Centered {
  HK_DEVICE auto operator()(hk::At at, float x, const hk::Tuple<hk::Moments::Result, float> &row) const {
    return hk::tuple(x - hk::get<0>(row).mean, float(at.column), hk::get<1>(row));
  }
};
} // namespace

hipError_t all(const hk::Launch &launch, hk::RowShape shape, void *p, const float *scale) {
  using namespace hk;
  const int64_t n = shape.columns;
  const Matrix<const bf16> x{static_cast<bf16 *>(p), n};
  const Matrix<bf16> y{static_cast<bf16 *>(p), n};
  const RowVector<bf16> w{static_cast<bf16 *>(p)};
  const QuantizedRows<NativeE4M3> rowsOut{static_cast<NativeE4M3 *>(p), n, nullptr};
  const QuantizedGroups<int8_t, 128> groupsOut{static_cast<int8_t *>(p), n, nullptr, 1};
  const Matrix<NativeE5M2> narrow{static_cast<NativeE5M2 *>(p), n};
  hipError_t errors[] = {
      rmsNorm(launch, shape, x, w, 1e-5f, rowsOut),
      residualRmsNorm<Fast>(launch, shape, x, y, w, 1e-5f, narrow, {scale}),
      layerNorm(launch, shape, x, w, w, 1e-5f, groupsOut),
      layerNorm(launch, shape, x, 1e-5f, y),
      softmax<Fast>(launch, shape, x, 0.5f, y),
      softmax(launch, shape, x, 0.5f, x, y),
      gated<Silu>(launch, shape, x, x, narrow, {scale}),
      gatedQuantized<GeluTanh, Fast>(launch, shape, x, x, groupsOut),
      biasActivation<GeluExact>(launch, shape, x, w, y),
      quantize(launch, shape, x, rowsOut),
      quantize(launch, shape, x, narrow, Scalar<float>{scale}),
      dequantize(launch, shape, Matrix<const NativeE5M2>{narrow.data, n}, scale, 0, n, y),
      rotary(launch, {1, 1, n / 2}, RotaryLayout::Pairs, x.data, n, n, scale, scale, n, y.data, n, n),
      rows<KeepInputs, Together<Moments, AbsMax>>(launch, shape, Scaled{}, tuple(x), Centered{}, tuple(),
                                                  tuple(y, rowsOut, Matrix<float>{static_cast<float *>(p), n})),
  };
  for (hipError_t error : errors)
    if (error != hipSuccess)
      return error;
  return hipSuccess;
}
