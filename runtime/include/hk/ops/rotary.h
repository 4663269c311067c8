//===- hk/ops/rotary.h - Rotary position embedding ------------------------===//
//
//   rotary   rotates pairs of a head's elements by the angle of their position, in place or to another tensor
//
// x, y: tokens x heads x (2 * half) with strides in elements; the innermost dimension is contiguous. cosine, sine: tokens x
// half, already gathered for each token's position. Layouts: Halves pairs element i with i + half (as GPT-NeoX and Llama
// do), Pairs pairs 2i with 2i + 1 (as GPT-J does).
//
//   y0 = x0 * cos - x1 * sin,  y1 = x1 * cos + x0 * sin
//
// Accuracy: two f32 operations an element (the compiler may fuse them), within 2^-23 (|x0| + |x1|), then rounded.
//
// Errors: as hk::pointwise.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/pointwise.h"

namespace hk {

enum class RotaryLayout { Halves, Pairs };

namespace detail {
struct Rotate {
  HK_DEVICE auto operator()(float x0, float x1, float cosine, float sine) const {
    return tuple(x0 * cosine - x1 * sine, x1 * cosine + x0 * sine);
  }
};
} // namespace detail

struct RotaryShape {
  int64_t tokens, heads, half;
};

template <class X, class C>
hipError_t rotary(const Launch &launch, RotaryShape shape, RotaryLayout layout, const X *x, int64_t tokenStride,
                  int64_t headStride, const C *cosine, const C *sine, int64_t anglePitch, X *y, int64_t outTokenStride,
                  int64_t outHeadStride, const PointwisePlan *plan = nullptr) {
  const int64_t to = layout == RotaryLayout::Halves ? shape.half : 1, step = layout == RotaryLayout::Halves ? 1 : 2;
  return pointwise(launch, hk::shape(shape.tokens, shape.heads, shape.half), detail::Rotate{},
                   tuple(tensor(x, tokenStride, headStride, step), tensor(x + to, tokenStride, headStride, step),
                         tensor(cosine, anglePitch, 0, 1), tensor(sine, anglePitch, 0, 1)),
                   tuple(tensor(y, outTokenStride, outHeadStride, step),
                         tensor(y + to, outTokenStride, outHeadStride, step)),
                   plan);
}

} // namespace hk
