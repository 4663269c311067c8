//===- Quantize.h - Quantization of X -------------------------------------===//
#pragma once

#include "Programs.h"

#include "Arguments.h"
#include "hk/ops/quantize.h"

namespace hk::kernels {

struct QuantizeCall {
  Launch launch;
  RowShape shape;
  hk_matrix x;
  const hk_output &y;
};

template <class X> hipError_t quantizeOf(const QuantizeCall &call) {
  const auto x = matrixOf<const X>(call.x);
  if (call.y.scaling == HK_SCALE_NONE || call.y.scaling == HK_SCALE_TENSOR) {
    const Scalar<float> scale{call.y.scaling == HK_SCALE_TENSOR ? call.y.scale : nullptr};
    return withByteType(call.y.values.type, [&](auto as) {
      return quantize(call.launch, call.shape, x,
                      matrixOf<typename decltype(as)::Type>(call.y.values), scale);
    });
  }
  return withScaledOutput<32, 64, 128>(
      call.y, [&](auto output) { return quantize(call.launch, call.shape, x, output); });
}

} // namespace hk::kernels
