//===- BiasActivation.h - Bias and activation of X ------------------------===//
#pragma once

#include "Activations.h"
#include "Arguments.h"

namespace hk::kernels {

struct BiasActivationCall {
  Launch launch;
  bool fast;
  hk_activation activation;
  RowShape shape;
  hk_matrix x;
  hk_vector bias;
  hk_matrix y;
};

template <class X> hipError_t biasActivationOf(const BiasActivationCall &call) {
  return withTypeOrFloat<X>(call.bias.data ? call.bias.type : call.x.type, [&](auto as) {
    using B = typename decltype(as)::Type;
    return withActivation(call.activation, call.fast, [&](auto policy, auto activation) {
      return biasActivation<decltype(activation)::template F, typename decltype(policy)::Type>(
          call.launch, call.shape, matrixOf<const X>(call.x), vectorOf<B>(call.bias),
          matrixOf<X>(call.y));
    });
  });
}

} // namespace hk::kernels
