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
#include "hk/streams.h"

#include <cstddef>

namespace hk {

/// There is no such work-item.
HK_DEVICE bool isPast(uint3 at, dim3 items) { return at.x >= items.x || at.y >= items.y || at.z >= items.z; }

namespace detail {

/// Numbers along dimensions \p Fast and \p Next, and along the third.
template <int Fast, int Next> HK_DEVICE uint3 placeOf(unsigned fast, unsigned next, unsigned last) {
  uint3 at;
  at.x = Fast == 0 ? fast : Next == 0 ? next : last;
  at.y = Fast == 1 ? fast : Next == 1 ? next : last;
  at.z = Fast == 2 ? fast : Next == 2 ? next : last;
  return at;
}
template <int D, class V> HK_HOST_DEVICE unsigned along(const V &v) { return D == 0 ? v.x : D == 1 ? v.y : v.z; }
HK_HOST_DEVICE unsigned partsOf(unsigned n, unsigned size) { return n / size + (n % size != 0); }

} // namespace detail

/// Work-items of one dimension as three: number x + inner * (y + middle * z), for \p total of them; none if that cannot be.
inline dim3 cut(uint64_t total, int64_t inner, int64_t middle) {
  if (inner < 1 || middle < 1 || inner >= int64_t(1) << 31 || middle >= int64_t(1) << 31 || total >= uint64_t(1) << 31)
    return dim3(0, 0, 0);
  const uint64_t slice = uint64_t(inner) * uint64_t(middle);
  if (slice >= uint64_t(1) << 31) // so that numbers of the last slice fit into 32 bits
    return dim3(0, 0, 0);
  return dim3(unsigned(inner), unsigned(middle), unsigned((total + slice - 1) / slice));
}

/// Workgroups of \p Width lanes along dimension \p Fast (0: x) and \p Height along \p Next; each lane has \p Neighbours of them.
template <int Fast, unsigned Width = 64, unsigned Height = 4, unsigned Neighbours = 1, int Next = Fast == 0 ? 1 : 0>
struct LanesAlong {
  static_assert(Fast >= 0 && Fast <= 2 && Next >= 0 && Next <= 2 && Fast != Next, "two dimensions");
  static constexpr int Last = 3 - Fast - Next;
  static constexpr int Along = Fast;
  static constexpr unsigned Lanes = Width, Rows = Height, Each = Neighbours;

  static HK_DEVICE uint3 place() {
    return detail::placeOf<Fast, Next>((blockIdx.x * Lanes + threadIdx.x) * Each, blockIdx.y * Rows + threadIdx.y, blockIdx.z);
  }
  /// All work-items of this row of lanes are below \p limit along Fast.
  static HK_DEVICE bool areBelow(long long limit) {
    return (long long)(blockIdx.x) * (Lanes * Each) + Lanes * Each <= limit;
  }
  /// Of a workgroup whose first work-item is number \p first along Fast: how many are below \p limit.
  template <class Limit> static HK_DEVICE unsigned countFrom(unsigned first, Limit limit) {
    return Limit(first) < limit ? (limit - Limit(first) < Limit(Lanes) ? unsigned(limit - Limit(first)) : Lanes) : 0;
  }
  static dim3 block() { return dim3(Lanes, Rows); }
  static dim3 grid(const dim3 &items) {
    return dim3(detail::partsOf(detail::along<Fast>(items), Lanes * Each), detail::partsOf(detail::along<Next>(items), Rows),
                detail::along<Last>(items));
  }
};

/// Calls work(at, element of each stream...) for all work-items of this row of \p Shape's lanes. \p whole, the same for the row:
/// all of them use their elements. Then, and if the streams, which start at number 0, are aligned, a lane loads and stores
/// those of its neighbours in one access each; else lanes take turns.
template <class Shape, class Work, class... Streams>
HK_DEVICE void eachItem(bool whole, dim3 items, Work work, Streams... streams) {
  constexpr int Each = int(Shape::Each);
  const uint3 first = Shape::place();
  auto place = [&](unsigned number) {
    uint3 at = first;
    (Shape::Along == 0 ? at.x : Shape::Along == 1 ? at.y : at.z) = number;
    return at;
  };
  const unsigned start = detail::along<Shape::Along>(first);
  if (whole && (streams.template isAligned<Each>() && ...)) {
    auto all = [&](auto... runs) {
      (runs.load(), ...);
#pragma unroll
      for (int n = 0; n < Each; ++n)
        work(place(start + unsigned(n)), runs[n]...);
      (runs.store(), ...);
    };
    if (!isPast(place(start), items)) // in the other dimensions
      all(streams.template run<Each>(start)...);
  } else {
    for (unsigned n = 0; n < unsigned(Each); ++n) {
      const unsigned number = blockIdx.x * (Shape::Lanes * unsigned(Each)) + n * Shape::Lanes + threadIdx.x;
      if (!isPast(place(number), items))
        work(place(number), streams.at(number)...);
    }
  }
}

/// Enough work-items for tiles of thousands of them on a large GPU.
inline bool areManyTiles(const dim3 &items) { return uint64_t(items.x) * items.y * items.z >= uint64_t(1) << 18; }

/// Enough work-items to keep all lanes of a large GPU busy with several each.
inline bool areMany(const dim3 &items) { return uint64_t(items.x) * items.y * items.z >= uint64_t(1) << 20; }

/// The numbers of workgroups that \p Shape needs for \p items can be launched. None are left to the kernel itself, since an
/// empty grid is an error.
template <class Shape> bool fits(const dim3 &items) {
  const dim3 grid = Shape::grid(items), block = Shape::block();
  return items.x && items.y && items.z && grid.y <= 65535 && grid.z <= 65535 && uint64_t(grid.x) * block.x < (uint64_t(1) << 31) && items.x < (1u << 31) &&
         items.y < (1u << 31);
}

/// Launches \p kernel for all \p items; its last parameter, their number, is added here.
template <class Shape, class... Parameters, class... Arguments>
void launchItems(const dim3 &items, hipStream_t stream, void (*kernel)(Parameters...), const Arguments &...arguments) {
  if (items.x && items.y && items.z)
    kernel<<<Shape::grid(items), Shape::block(), 0, stream>>>(arguments..., items);
}

} // namespace hk
