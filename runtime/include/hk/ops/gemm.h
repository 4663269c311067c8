//===- hk/ops/gemm.h - Linear layers -----------------------------------------===//
//
//   linear<F, Policy>(launch, shape, a, b, options, y)
//
//   y = (F(alpha * rowScale * columnScale * (A * B) + beta * c + bias) + residual) / outScale / outRowScale
//
// for each row and column, A m x k, B k x n. Whatever is left out of the options (null data, beta = 0) is not read: c may hold
// anything if beta is 0. f32 throughout (f64 for f64 factors), rounded to y's type once; 8-bit types saturate. F as in
// hk/ops/activation.h.
//
// For other epilogues, or several outputs, call hk::gemm with a functor.
//
// Accuracy: hk/gemm.h has the bound of the sums; every operation after that rounds once. Sums of int8 are exact, but are
// rounded to f32 before they are scaled.
//
// Errors: as hk::gemm.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm.h"
#include "hk/ops/activation.h"

namespace hk {

/// The sums as they are: int32_t of int8 factors, say.
struct AsSummed {
  template <class V> HK_DEVICE V operator()(V sum) const { return sum; }
};

/// C, Bias, Residual: element types of what may be added.
template <class C, class Bias = C, class Residual = C> struct LinearOptions {
  float alpha = 1.0f;
  float beta = 0.0f;
  Matrix<const C> c = {};             ///< m x n
  int64_t cStride = 0;                ///< from one batch to the next
  RowVector<Bias> bias = {};          ///< n
  Matrix<const Residual> residual = {}; ///< m x n
  int64_t residualStride = 0;
  ColumnVector<float> rowScale = {};    ///< m: of A's rows
  RowVector<float> columnScale = {};    ///< n: of B's columns
  Scalar<float> outScale = {};          ///< of y
  ColumnVector<float> outRowScale = {}; ///< m: of y's rows
  int64_t yStride = 0;
  GemmOptions gemm = {};
};

namespace detail {

template <class F, class Policy> struct LinearEpilogue {
  float alpha, beta;
  bool scalesRows, scalesColumns, scalesOutputRows;
  F activation;

  template <class Sum, class C, class Bias, class Residual>
  HK_DEVICE auto operator()(Sum sum, C c, Bias bias, Residual residual, float rowScale, float columnScale, float outScale,
                            float outRowScale) const {
    using V = std::conditional_t<std::is_same_v<Sum, double>, double, float>;
    V value = V(sum) * V(alpha);
    if (scalesRows)
      value *= V(rowScale);
    if (scalesColumns)
      value *= V(columnScale);
    value += V(beta) * V(c) + V(bias);
    if constexpr (std::is_same_v<V, float>)
      value = activation.of(value);
    value += V(residual);
    value *= V(Policy::reciprocal(outScale));
    if (scalesOutputRows)
      value *= V(Policy::reciprocal(outRowScale));
    return value;
  }
};

} // namespace detail

template <template <class> class F = Identity, class Policy = Exact, class FactorA, class FactorB, class C, class Bias,
          class Residual, class Y>
hipError_t linear(const Launch &launch, const GemmShape &shape, const FactorA &a, const FactorB &b,
                  LinearOptions<C, Bias, Residual> options, Matrix<Y> y) {
  if (options.beta == 0.0f)
    options.c.data = nullptr;
  const detail::LinearEpilogue<F<Policy>, Policy> epilogue{
      options.alpha,      options.c.data ? options.beta : 0.0f, options.rowScale.data != nullptr,
      options.columnScale.data != nullptr, options.outRowScale.data != nullptr, {}};
  return gemm(launch, shape, a, b, epilogue,
              tuple(batched(options.c, options.cStride), options.bias, batched(options.residual, options.residualStride),
                    options.rowScale, options.columnScale, options.outScale, options.outRowScale),
              tuple(batched(y, options.yStride)), options.gemm);
}

} // namespace hk
