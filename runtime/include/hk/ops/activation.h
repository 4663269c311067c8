//===- hk/ops/activation.h - Activations, with bias or gated --------------===//
//
//   biasActivation   y = f(x + bias)          bias: columns; null data: none
//   gated            y = f(gate) * up         gate, up: rows x columns each; two tensors, or the halves of one
//
// f: Relu, GeluExact (erf), GeluTanh, Silu, Identity. gated<Silu> is SwiGLU, gated<GeluTanh> GeGLU, gated<Relu> ReGLU.
// Output: a Matrix, with a static scale for fp8 and int8 as in hk/ops/norm.h, or QuantizedRows or QuantizedGroups.
//
// Accuracy: with `Exact`, f is what the f32 expression gives with the platform's expf, tanhf or erff: within 5 u of Silu,
// relative, and 8 u |x| of the two GELUs, u = 2^-24, plus 2^-120. `Fast`: Silu within 2^-20 (1 + |x|), relative, and perhaps 0 below 2^-119;
// GeluTanh 2^-20 |x|. The product with `up` and with 1 / scale is rounded to f32 each.
//
// Errors: as hk::pointwise and hk::rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/pointwise.h"
#include "hk/rows.h"

namespace hk {

template <class Policy> struct Identity {
  HK_DEVICE static float of(float x) { return x; }
};
/// NaN stays NaN.
template <class Policy> struct Relu {
  HK_DEVICE static float of(float x) { return x < 0.0f ? 0.0f : x; }
};
template <class Policy> struct GeluExact {
  HK_DEVICE static float of(float x) { return geluExact<Policy>(x); }
};
template <class Policy> struct GeluTanh {
  HK_DEVICE static float of(float x) { return geluTanh<Policy>(x); }
};
template <class Policy> struct Silu {
  HK_DEVICE static float of(float x) { return silu<Policy>(x); }
};

namespace detail {

template <class F> struct Activate {
  HK_DEVICE float operator()(float x) const { return F::of(x); }
  HK_DEVICE float operator()(float x, float bias) const { return F::of(x + bias); }
};
template <class F> struct Gate {
  HK_DEVICE float operator()(float gate, float up) const { return F::of(gate) * up; }
};
/// Divided by one f32 in device memory; null: as it is. Not an input of the kernel's, whose stride of 0 would ask for one
/// that checks.
template <class Policy, class F> struct Divided {
  const float *scale;
  struct Ready {
    float inverse;
    template <class... In> HK_DEVICE float operator()(In... in) const { return F()(in...) * inverse; }
  };
  HK_DEVICE Ready prepare() const { return {scale ? Policy::reciprocal(loadConstant(scale)) : 1.0f}; }
};
struct Unchanged {
  HK_DEVICE float operator()(float x, NoReduction::Result) const { return x; }
};

template <class T> Tensor<T> asTensor(Matrix<T> m) { return tensor(m.data, m.pitch, 1); }

} // namespace detail

template <template <class> class F, class Policy = Exact, class X, class B, class Y>
hipError_t biasActivation(const Launch &launch, RowShape shape, Matrix<const X> x, RowVector<B> bias, Matrix<Y> y,
                          const PointwisePlan *plan = nullptr) {
  const Shape all = hk::shape(shape.rows, shape.columns);
  const detail::Activate<F<Policy>> f{};
  if (!bias.data)
    return pointwise(launch, all, f, tuple(detail::asTensor(x)), tuple(detail::asTensor(y)), plan);
  return pointwise(launch, all, f, tuple(detail::asTensor(x), tensor(bias.data, 0, 1)), tuple(detail::asTensor(y)),
                   plan);
}

template <template <class> class F, class Policy = Exact, class X, class Y>
hipError_t gated(const Launch &launch, RowShape shape, Matrix<const X> gate, Matrix<const X> up, Matrix<Y> y,
                 Scalar<float> scale = {}, const PointwisePlan *plan = nullptr) {
  const Shape all = hk::shape(shape.rows, shape.columns);
  using G = detail::Gate<F<Policy>>;
  const auto inputs = tuple(detail::asTensor(gate), detail::asTensor(up));
  const auto outputs = tuple(detail::asTensor(y));
  if constexpr (detail::TakesScale<Matrix<Y>>) {
    return pointwise(launch, all, detail::Divided<Policy, G>{scale.data}, inputs, outputs, plan);
  } else {
    if (scale.data)
      return hipErrorInvalidValue;
    return pointwise(launch, all, G{}, inputs, outputs, plan);
  }
}

/// With dynamic scales: \p output is QuantizedRows or QuantizedGroups.
template <template <class> class F, class Policy = Exact, class X, class Output>
hipError_t gatedQuantized(const Launch &launch, RowShape shape, Matrix<const X> gate, Matrix<const X> up,
                          Output output, const RowPlan *plan = nullptr) {
  return rows<float, NoReduction>(launch, shape, detail::Gate<F<Policy>>{}, tuple(gate, up), detail::Unchanged{},
                                  tuple(), tuple(output), plan);
}

} // namespace hk
