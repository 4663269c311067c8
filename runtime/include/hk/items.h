//===- hk/items.h - Independent work-items, placed anew -------------------===//
//
// Of a kernel whose work-items do not depend on each other nor on where they stand, each may be done at any place. Here the
// lanes of a wavefront run along a dimension of choice: 64 of them, or two of NVIDIA's warps, then 4 along another.
//
//   __global__ void add(const float *x, float *y, int rows, int columns, dim3 items) {
//     const uint3 at = hk::LanesAlong<1>::place();          // at.x, at.y: as blockIdx * blockDim + threadIdx was
//     if (hk::isPast(at, items))
//       return;
//     ...
//   }
//   hk::launchItems<hk::LanesAlong<1>>(items, stream, add, x, y, rows, columns);
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"

#include <cstddef>

namespace hk {

/// There is no such work-item.
HK_DEVICE bool isPast(uint3 at, dim3 items) { return at.x >= items.x || at.y >= items.y || at.z >= items.z; }

namespace detail {

template <int D> HK_HOST_DEVICE unsigned along(const dim3 &v) { return D == 0 ? v.x : D == 1 ? v.y : v.z; }
HK_HOST_DEVICE unsigned partsOf(unsigned n, unsigned size) { return n / size + (n % size != 0); }

} // namespace detail

/// Workgroups of \p Width work-items along dimension \p Fast (0: x) and \p Height along the first of the others.
template <int Fast, unsigned Width = 64, unsigned Height = 4> struct LanesAlong {
  static_assert(Fast >= 0 && Fast <= 2, "a dimension");
  static constexpr int Next = Fast == 0 ? 1 : 0, Last = Fast == 2 ? 1 : 2;
  static constexpr unsigned Lanes = Width, Rows = Height;

  static HK_DEVICE uint3 place() {
    const unsigned fast = blockIdx.x * Lanes + threadIdx.x, next = blockIdx.y * Rows + threadIdx.y, last = blockIdx.z;
    uint3 at;
    at.x = Fast == 0 ? fast : next;
    at.y = Fast == 1 ? fast : Next == 1 ? next : last;
    at.z = Fast == 2 ? fast : last;
    return at;
  }
  /// Of a workgroup whose first work-item is number \p first along Fast: how many are below \p limit.
  template <class Limit> static HK_DEVICE unsigned countFrom(unsigned first, Limit limit) {
    return Limit(first) < limit ? (limit - Limit(first) < Limit(Lanes) ? unsigned(limit - Limit(first)) : Lanes) : 0;
  }
  static dim3 block() { return dim3(Lanes, Rows); }
  static dim3 grid(const dim3 &items) {
    return dim3(detail::partsOf(detail::along<Fast>(items), Lanes), detail::partsOf(detail::along<Next>(items), Rows),
                detail::along<Last>(items));
  }
};

/// The numbers of workgroups that \p Shape needs for \p items can be launched.
template <class Shape> bool fits(const dim3 &items) {
  const dim3 grid = Shape::grid(items), block = Shape::block();
  return grid.y <= 65535 && grid.z <= 65535 && uint64_t(grid.x) * block.x < (uint64_t(1) << 31) && items.x < (1u << 31) &&
         items.y < (1u << 31);
}

/// Launches \p kernel for all \p items; its last parameter, their number, is added here.
template <class Shape, class... Parameters, class... Arguments>
void launchItems(const dim3 &items, hipStream_t stream, void (*kernel)(Parameters...), const Arguments &...arguments) {
  if (items.x && items.y && items.z)
    kernel<<<Shape::grid(items), Shape::block(), 0, stream>>>(arguments..., items);
}

} // namespace hk
