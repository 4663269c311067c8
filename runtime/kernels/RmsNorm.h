//===- RmsNorm.h - RMSNorm of rows of X -----------------------------------===//
#pragma once

#include "Norm.h"

template <class X> hipError_t hk::kernels::rmsNormOf(const NormCall &call) {
  return withTypeOrFloat<X>(call.weight.type, [&](auto as) {
    using W = typename decltype(as)::Type;
    return withOutput<X, 128>(call.y, [&](auto output, Scalar<float> scale) {
      return rmsNorm(call.launch, call.shape, matrixOf<const X>(call.x), vectorOf<W>(call.weight),
                     call.epsilon, output, scale);
    });
  });
}
