//===- ResidualRmsNorm.h - RMSNorm of the sum of two, rows of X -----------===//
#pragma once

#include "Norm.h"

template <class X> hipError_t hk::kernels::residualRmsNormOf(const NormCall &call) {
  return withTypeOrFloat<X>(call.weight.type, [&](auto as) {
    using W = typename decltype(as)::Type;
    return withOutput<X, 128>(call.y, [&](auto output, Scalar<float> scale) {
      return residualRmsNorm(call.launch, call.shape, matrixOf<const X>(call.x),
                             matrixOf<X>(call.residual), vectorOf<W>(call.weight), call.epsilon,
                             output, scale);
    });
  });
}
