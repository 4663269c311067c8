//===- Softmax.h - Softmax of rows of X -----------------------------------===//
#pragma once

#include "Programs.h"

#include "Arguments.h"
#include "hk/ops/softmax.h"

namespace hk::kernels {

struct SoftmaxCall {
  Launch launch;
  bool fast;
  RowShape shape;
  hk_matrix x;
  float scale;
  hk_matrix mask;
  hk_matrix y;
};

template <class Policy, class X> hipError_t softmaxWith(const SoftmaxCall &call) {
  const auto x = matrixOf<const X>(call.x);
  return withTypeOrFloat<X>(call.y.type, [&](auto to) {
    const auto y = matrixOf<typename decltype(to)::Type>(call.y);
    if (!call.mask.data)
      return softmax<Policy>(call.launch, call.shape, x, call.scale, y);
    return withTypeOrFloat<X>(call.mask.type, [&](auto as) {
      return softmax<Policy>(call.launch, call.shape, x, call.scale,
                             matrixOf<const typename decltype(as)::Type>(call.mask), y);
    });
  });
}

template <class X> hipError_t softmaxOf(const SoftmaxCall &call) {
  return call.fast ? softmaxWith<Fast, X>(call) : softmaxWith<Exact, X>(call);
}

} // namespace hk::kernels
