//===- Activations.h - Activations by number ------------------------------===//
#pragma once

#include "Types.h"
#include "hk/ops/activation.h"

namespace hk::kernels {

template <template <class> class G> struct Activation {
  template <class Policy> using F = G<Policy>;
};

/// f(As<Policy>{}, Activation<F>{}). Where Fast differs in nothing, Exact stands for both.
template <class Call> hipError_t withActivation(hk_activation activation, bool fast, Call f) {
  switch (activation) {
  case HK_IDENTITY:
    return f(As<Exact>{}, Activation<Identity>{});
  case HK_RELU:
    return f(As<Exact>{}, Activation<Relu>{});
  case HK_GELU_EXACT:
    return f(As<Exact>{}, Activation<GeluExact>{});
  case HK_GELU_TANH:
    return fast ? f(As<Fast>{}, Activation<GeluTanh>{}) : f(As<Exact>{}, Activation<GeluTanh>{});
  case HK_SILU:
    return fast ? f(As<Fast>{}, Activation<Silu>{}) : f(As<Exact>{}, Activation<Silu>{});
  }
  return hipErrorNotSupported;
}

} // namespace hk::kernels
