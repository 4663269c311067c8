//===- hk/ops/norm.h - RMSNorm and LayerNorm ------------------------------===//
//
// x, residual, output: rows x columns. weight, bias: columns. Output: Matrix<T> of any type, QuantizedRows or
// QuantizedGroups. For a Matrix of fp8 or int8, `scale` is one f32 in device memory and values are stored divided by
// it (multiplied by 1 / scale, rounded once to f32), saturating; null: as they are. Other outputs take none
// (hipErrorInvalidValue).
//
//   rmsNorm                y = x / sqrt(mean(x^2) + epsilon) * weight
//   residualRmsNorm        h = x + residual, rounded to the type of the residual; residual = h; y = rmsNorm(h)
//   layerNorm              y = (x - mean) / sqrt(variance + epsilon) * weight + bias; also without weight and bias
//
// Accuracy: sums and products are f32. With u = 2^-24 and n columns, y is within these bounds of the exact value, before it
// is rounded to the output's type (`Fast` adds 4 u to the factors):
//   RMSNorm     (n / 64 + 24) u |y| + 2^-148
//   layerNorm   ((n / 64 + 24) max|x - mean| + 16 |mean|) u |weight| / deviation + 2 u |bias| + 2^-148
// Sums of squares beyond f32's range (|x| > 1e19 / sqrt(n)) are infinite: y of RMSNorm is 0 then, of layerNorm NaN.
//
// Errors: as hk::rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/rows.h"

namespace hk {
namespace detail {

struct Pass {
  HK_DEVICE float operator()(float x) const { return x; }
};
struct AddResidual {
  HK_DEVICE float operator()(float x, float residual) const { return x + residual; }
};

template <class Policy> struct RmsEpilogue {
  float epsilon, perColumn; ///< 1 / columns
  HK_DEVICE float prepare(float squares, int) const { return Policy::rsqrt(squares * perColumn + epsilon); }
  HK_DEVICE float operator()(float x, float inverse, float weight) const { return x * inverse * weight; }
  HK_DEVICE float operator()(float x, float inverse, float weight, float scale) const {
    return x * (inverse * Policy::reciprocal(scale)) * weight;
  }
};

template <class Policy> struct ResidualRmsEpilogue : RmsEpilogue<Policy> {
  template <class... Scale> HK_DEVICE auto operator()(float h, float inverse, float weight, Scale... scale) const {
    return tuple(RmsEpilogue<Policy>::operator()(h, inverse, weight, scale...), h);
  }
};

template <class Policy> struct LayerEpilogue {
  float epsilon;
  struct State {
    float mean, inverse;
  };
  HK_DEVICE State prepare(const Moments::Result &row, int) const {
    return {row.mean, Policy::rsqrt(row.variance + epsilon)};
  }
  HK_DEVICE float operator()(float x, const State &row) const { return (x - row.mean) * row.inverse; }
  HK_DEVICE float operator()(float x, const State &row, float scale) const {
    return (x - row.mean) * (row.inverse * Policy::reciprocal(scale));
  }
  HK_DEVICE float operator()(float x, const State &row, float weight, float bias) const {
    return (x - row.mean) * row.inverse * weight + bias;
  }
  HK_DEVICE float operator()(float x, const State &row, float weight, float bias, float scale) const {
    const float inverse = Policy::reciprocal(scale);
    return (x - row.mean) * row.inverse * (weight * inverse) + bias * inverse;
  }
};

/// rows() with `scale` as the last of the extras if the output takes one.
template <class Keep, class Reduction, class P, class I, class E, class... Xs, class Output, class... Others>
hipError_t scaledRows(const Launch &launch, RowShape shape, const P &prologue, const I &inputs, const E &epilogue,
                      const Tuple<Xs...> &extras, Scalar<float> scale, const Output &output, const RowPlan *plan,
                      Others... others) {
  if constexpr (TakesScale<Output>) {
    return rows<Keep, Reduction>(launch, shape, prologue, inputs, epilogue, append(extras, scale),
                                 tuple(output, others...), plan);
  } else {
    if (scale.data)
      return hipErrorInvalidValue;
    return rows<Keep, Reduction>(launch, shape, prologue, inputs, epilogue, extras, tuple(output, others...), plan);
  }
}

} // namespace detail

template <class Policy = Exact, class X, class W, class Output>
hipError_t rmsNorm(const Launch &launch, RowShape shape, Matrix<const X> x, RowVector<W> weight, float epsilon,
                   Output output, Scalar<float> scale = {}, const RowPlan *plan = nullptr) {
  const detail::RmsEpilogue<Policy> epilogue{epsilon, 1.0f / float(shape.columns)};
  return detail::scaledRows<X, SumSquares>(launch, shape, detail::Pass{}, tuple(x), epilogue, tuple(weight), scale,
                                           output, plan);
}

template <class Policy = Exact, class X, class W, class Output>
hipError_t residualRmsNorm(const Launch &launch, RowShape shape, Matrix<const X> x, Matrix<X> residual,
                           RowVector<W> weight, float epsilon, Output output, Scalar<float> scale = {},
                           const RowPlan *plan = nullptr) {
  const Matrix<const X> before{residual.data, residual.pitch};
  const detail::ResidualRmsEpilogue<Policy> epilogue{{epsilon, 1.0f / float(shape.columns)}};
  return detail::scaledRows<X, SumSquares>(launch, shape, detail::AddResidual{}, tuple(x, before), epilogue,
                                           tuple(weight), scale, output, plan, residual);
}

template <class Policy = Exact, class X, class Output>
hipError_t layerNorm(const Launch &launch, RowShape shape, Matrix<const X> x, float epsilon, Output output,
                     Scalar<float> scale = {}, const RowPlan *plan = nullptr) {
  return detail::scaledRows<X, Moments>(launch, shape, detail::Pass{}, tuple(x),
                                        detail::LayerEpilogue<Policy>{epsilon}, tuple(), scale, output, plan);
}

template <class Policy = Exact, class X, class W, class Output>
hipError_t layerNorm(const Launch &launch, RowShape shape, Matrix<const X> x, RowVector<W> weight, RowVector<W> bias,
                     float epsilon, Output output, Scalar<float> scale = {}, const RowPlan *plan = nullptr) {
  return detail::scaledRows<X, Moments>(launch, shape, detail::Pass{}, tuple(x),
                                        detail::LayerEpilogue<Policy>{epsilon}, tuple(weight, bias), scale, output,
                                        plan);
}

} // namespace hk
