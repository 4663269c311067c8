//===- hk/ops/quantize.h - Quantization and back --------------------------===//
//
//   quantize     x to fp8 or int8. Output: QuantizedRows or QuantizedGroups for dynamic scales (hk/operands.h), a Matrix
//                for a static one: values divided by `scale`, one f32 in device memory; null: as they are
//   dequantize   y = q * scale, with a scale per row, per group of columns, or one for all
//
// Accuracy: a static scale: x * (1 / scale), each operation rounded to f32, then rounded to nearest even, saturating. Dynamic
// ones: the stored scale is within 2 * 2^-24 of maximum / largest value, and x * (largest value / maximum) within 4 * 2^-24, relative,
// before it is rounded. dequantize: one f32 product, rounded to the output's type (the compiler may round once for both).
//
// Errors: as hk::rows and hk::pointwise; hipErrorInvalidValue for a group size below 1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/ops/activation.h"
#include "hk/ops/norm.h"

namespace hk {
namespace detail {

template <class Q> struct Times {
  HK_DEVICE float operator()(typename Element<Q>::Value q, float scale) const { return float(q) * scale; }
};

} // namespace detail

template <class X, class Output>
hipError_t quantize(const Launch &launch, RowShape shape, Matrix<const X> x, Output output,
                    const RowPlan *plan = nullptr) {
  return rows<X, NoReduction>(launch, shape, detail::Pass{}, tuple(x), detail::Unchanged{}, tuple(), tuple(output),
                              plan);
}

template <class X, class Q>
hipError_t quantize(const Launch &launch, RowShape shape, Matrix<const X> x, Matrix<Q> output, Scalar<float> scale,
                    const PointwisePlan *plan = nullptr) {
  return pointwise(launch, hk::shape(shape.rows, shape.columns), detail::Divided<Exact, detail::Pass>{scale.data},
                   tuple(detail::asTensor(x)), tuple(detail::asTensor(output)), plan);
}

/// scale[row * scalePitch + column / group]: group = columns for a scale per row; scalePitch = 0, too, for one scale.
/// If groups do not divide the columns, the last one is shorter.
template <class Q, class Y>
hipError_t dequantize(const Launch &launch, RowShape shape, Matrix<const Q> q, const float *scale, int64_t scalePitch,
                      int64_t group, Matrix<Y> y, const PointwisePlan *plan = nullptr) {
  if (group < 1)
    return hipErrorInvalidValue;
  const int64_t groups = shape.columns / group, rest = shape.columns % group;
  hipError_t error = hipSuccess;
  if (groups)
    error = pointwise(launch, hk::shape(shape.rows, groups, group), detail::Times<Q>{},
                      tuple(tensor(q.data, q.pitch, group, 1), tensor(scale, scalePitch, 1, 0)),
                      tuple(tensor(y.data, y.pitch, group, 1)), plan);
  if (error != hipSuccess || !rest)
    return error;
  const int64_t done = groups * group;
  return pointwise(launch, hk::shape(shape.rows, rest), detail::Times<Q>{},
                   tuple(tensor(q.data + done, q.pitch, 1), tensor(scale + groups, scalePitch, 0)),
                   tuple(tensor(y.data + done, y.pitch, 1)), plan);
}

} // namespace hk
