//===- hk/ops/softmax.h - Softmax of rows ---------------------------------===//
//
//   softmax   y = exp(v - max v) / sum exp(v - max v) over a row, v = x * scale + mask
//
// x, y: rows x columns. mask: rows x columns of any float type, added; a pitch of 0 shares one row of it. Minus infinity
// masks an element out; a row with nothing else is NaN, as are rows with a NaN or +infinity in v.
//
// Accuracy: v is two f32 operations, x * scale and + mask, which the compiler may fuse: rounding it changes y by up to
// 2^-23 max|v|, relative. Of the rounded v, each y is within (n / 64 + 16 + 2 max|v - max v|) 2^-24 of the exact value, relative
// (`Fast`: (n / 64 + 16 + 16 max|v|) 2^-24), before it is rounded to its type; results below 2^-126 may become 0.
//
// Errors: as hk::rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/rows.h"

namespace hk {
namespace detail {

struct ScaleMask {
  float scale;
  HK_DEVICE float operator()(float x) const { return x * scale; }
  HK_DEVICE float operator()(float x, float mask) const { return x * scale + mask; }
};

template <class Policy> struct SoftmaxEpilogue {
  struct State {
    float origin, inverse;
  };
  HK_DEVICE State prepare(const typename Softmax<Policy>::Result &row, int) const {
    return {Softmax<Policy>::origin(row.max), Policy::reciprocal(row.sum)};
  }
  HK_DEVICE float operator()(float v, const State &row) const { return Policy::expDifference(v, row.origin) * row.inverse; }
};

} // namespace detail

template <class Policy = Exact, class X, class Y>
hipError_t softmax(const Launch &launch, RowShape shape, Matrix<const X> x, float scale, Matrix<Y> y,
                   const RowPlan *plan = nullptr) {
  return rows<KeepInputs, Softmax<Policy>>(launch, shape, detail::ScaleMask{scale}, tuple(x),
                                           detail::SoftmaxEpilogue<Policy>{}, tuple(), tuple(y), plan);
}

template <class Policy = Exact, class X, class M, class Y>
hipError_t softmax(const Launch &launch, RowShape shape, Matrix<const X> x, float scale, Matrix<const M> mask,
                   Matrix<Y> y, const RowPlan *plan = nullptr) {
  return rows<KeepInputs, Softmax<Policy>>(launch, shape, detail::ScaleMask{scale}, tuple(x, mask),
                                           detail::SoftmaxEpilogue<Policy>{}, tuple(), tuple(y), plan);
}

} // namespace hk
