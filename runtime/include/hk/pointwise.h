//===- hk/pointwise.h - Element-wise kernels ------------------------------===//
//
//   hk::pointwise(launch, shape, functor, inputs, outputs, plan)
//
// out... = functor(in...) for each element of a shape of up to four dimensions.
//
//   shape     hk::shape(n), hk::shape(rows, columns), ...: sizes, the last dimension innermost
//   functor   operator()(in...) const; values are float, or int32_t for integer elements; one value or an hk::tuple of
//             as many as there are outputs. It may have `prepare() const`, called once by each work-item: what that
//             returns is called in its place (to read a scale once, say). float results are rounded to nearest even (and saturated, for fp8 and
//             integers), int32_t ones are cut to the output's type.
//   inputs    hk::tuple of hk::Tensor: a pointer and a stride per dimension, counted in elements; 0 broadcasts.
//   outputs   the same; no two elements of an output may be the same memory.
//   plan      null, or a schedule instead of the tuning table's
//
// Dimensions that lie behind each other in memory for all operands are one. If the innermost one is contiguous (or
// broadcast) in every operand, accesses are vectors of 16 bytes of the widest element, aligned ones if addresses and
// strides allow; otherwise elements are taken one by one. An output may be the same memory as an input with the same
// strides (in place); no other overlap.
//
// Any size: one launch covers up to 2^31 elements, larger shapes are several launches, as are dimensions with a stride
// that is negative or of 2^32 and more.
//
// Errors: hipErrorInvalidValue for negative sizes and for a plan that is none; hipErrorNotSupported for a device without
// a schedule; errors of the launch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/launch.h"
#include "hk/tuning.h"
#include "hk/tuple.h"
#include "hk/vector.h"

#include "hk/detail/pointwise_kernels.h"

namespace hk {

/// Up to four sizes; the last of `rank` is innermost.
struct Shape {
  int rank;
  int64_t size[4];
};

template <class... Sizes> Shape shape(Sizes... sizes) {
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 4);
  return {int(sizeof...(Sizes)), {int64_t(sizes)...}};
}

/// An operand with a stride for each dimension of the shape it is used with.
template <class T> struct Tensor {
  T *data;
  int64_t stride[4];
};

template <class T, class... Strides> Tensor<T> tensor(T *data, Strides... strides) {
  static_assert(sizeof...(Strides) <= 4);
  return {data, {int64_t(strides)...}};
}

/// One element for all.
template <class T> Tensor<T> splat(T *data) { return {data, {0, 0, 0, 0}}; }

/// Elements of \p shape one after another.
template <class T> Tensor<T> contiguous(T *data, const Shape &shape) {
  Tensor<T> t{data, {}};
  int64_t stride = 1;
  for (int d = shape.rank - 1; d >= 0; --d) {
    t.stride[d] = stride;
    stride *= shape.size[d];
  }
  return t;
}

template <class Functor, class... Is, class... Os>
hipError_t pointwise(const Launch &launch, Shape shape, const Functor &functor, Tuple<Tensor<Is>...> inputs,
                     Tuple<Tensor<Os>...> outputs, const PointwisePlan *chosen = nullptr) {
  int64_t total = 1;
  for (int d = 0; d < shape.rank; ++d) {
    if (shape.size[d] < 0)
      return hipErrorInvalidValue;
    total *= shape.size[d];
  }
  if (total == 0)
    return hipSuccess;
  Target target;
  if (hipError_t error = currentTarget(target); error != hipSuccess)
    return error;
  PointwisePlan plan{tuningOf(target).pointwiseThreads, tuningOf(target).pointwiseVectors};
  if (chosen)
    plan = *chosen;
  if (plan.threads <= 0 || plan.threads > 1024 || plan.threads % waveSizeOf(target) ||
      (plan.vectors != 1 && plan.vectors != 2 && plan.vectors != 4))
    return hipErrorInvalidValue;

  detail::PointwiseCall<Functor, Tuple<Is...>, Tuple<Os...>> call{launch, target, functor, plan, !chosen};
  auto take = [](auto &operand, const auto &tensor) {
    operand.data = tensor.data;
    for (int d = 0; d < 4; ++d)
      operand.stride[d] = tensor.stride[d];
  };
  detail::forEachHost(call.inputs, inputs, take);
  detail::forEachHost(call.outputs, outputs, take);
  return call.run(shape.rank, shape.size);
}

} // namespace hk
