//===- Gated.h - Gated activations of X -----------------------------------===//
#pragma once

#include "Programs.h"

#include "Activations.h"
#include "Arguments.h"

namespace hk::kernels {

struct GatedCall {
  Launch launch;
  bool fast;
  hk_activation activation;
  RowShape shape;
  hk_matrix gate, up;
  const hk_output &y;
};

template <class T> constexpr bool IsMatrix = false;
template <class T> constexpr bool IsMatrix<Matrix<T>> = true;

template <class X> hipError_t gatedOf(const GatedCall &call) {
  return withOutput<X, 128>(call.y, [&](auto output, Scalar<float> scale) {
    return withActivation(call.activation, call.fast, [&](auto policy, auto activation) {
      using Policy = typename decltype(policy)::Type;
      using A = decltype(activation);
      const auto gate = matrixOf<const X>(call.gate), up = matrixOf<const X>(call.up);
      if constexpr (IsMatrix<decltype(output)>)
        return gated<A::template F, Policy>(call.launch, call.shape, gate, up, output, scale);
      else
        return gatedQuantized<A::template F, Policy>(call.launch, call.shape, gate, up, output);
    });
  });
}

} // namespace hk::kernels
