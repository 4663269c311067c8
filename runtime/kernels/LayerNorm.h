//===- LayerNorm.h - LayerNorm of rows of X -------------------------------===//
#pragma once

#include "Norm.h"

template <class X> hipError_t hk::kernels::layerNormOf(const NormCall &call) {
  return withOutput<X, 128>(call.y, [&](auto output, Scalar<float> scale) {
    if (!call.weight.data)
      return layerNorm(call.launch, call.shape, matrixOf<const X>(call.x), call.epsilon, output,
                       scale);
    return withTypeOrFloat<X>(call.weight.type, [&](auto as) {
      using W = typename decltype(as)::Type;
      return layerNorm(call.launch, call.shape, matrixOf<const X>(call.x), vectorOf<W>(call.weight),
                       vectorOf<W>(call.bias), call.epsilon, output, scale);
    });
  });
}
