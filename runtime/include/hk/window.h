//===- hk/window.h - What the work-items of a tile share of an array ------===//
//
// Neighbours in a stencil load almost the same elements. A workgroup that has a tile of work-items loads each element that one
// of them may want once, whole lines at a time, and keeps it in LDS: rows of the tile along one dimension, and some more around
// it.
//
//   template <class Tile> __global__ void smooth(const float *x, float *y, int rows, int columns, dim3 items, hk::Elements xs) {
//     using XWindow = hk::Window<float, Tile, 1, 1, 1, 1>;            // a row and an element more on each side
//     __shared__ typename XWindow::Memory memory;
//     const XWindow window(memory, x, xs, columns, 0);
//     window.load();
//     hk::sync::lds();
//     Tile::each(items, [&](uint3 at) {
//       if (at.y < 1 || at.y >= rows - 1 || at.x < 1 || at.x >= columns - 1) return;
//       const auto near = window.around(at);
//       y[at.y * columns + at.x] = 0.25f * (near(-1, 0) + near(1, 0) + near(0, -1) + near(0, 1));
//     });
//   }
//   hk::launchTiles<hk::LargeTile<0, 1>, hk::SmallTile<0, 1>>(items, stream, smooth<hk::LargeTile<0, 1>>,
//       smooth<hk::SmallTile<0, 1>>, x, y, rows, columns, items, hk::elementsOf(range));
//
// Only elements that the launcher says can be loaded are: others are not asked for by any work-item.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/guard.h"
#include "hk/items.h"
#include "hk/platform.h"
#include "hk/sync.h"

#include <type_traits>

namespace hk {

/// Indices first to last.
struct Elements {
  int first, last;
};

inline Elements elementsOf(const Range &range) { return {int(range.first()), int(range.last())}; }

/// How far from 0 numbers of \p range are, at most.
inline int reach(const Range &range) {
  const long long most = -range.first() > range.last() ? -range.first() : range.last();
  return range.isEmpty() ? 0 : int(most);
}

/// All of \p inner is in \p outer.
inline bool holds(const Range &outer, const Range &inner) {
  return inner.isEmpty() ||
         (outer.isKnown() && inner.isKnown() && !outer.isEmpty() && outer.first() <= inner.first() && inner.last() <= outer.last());
}

/// Width work-items along dimension \p Fast (0: x) and Rows along \p Next, for a workgroup of \p Size. The first ones stand \p
/// Shift before number 0 along Fast, where there are none: so that what the others store starts at a line.
template <int Fast, int Next, unsigned Columns, unsigned Height, unsigned Size = 256, unsigned Shift = 0> struct Tile {
  static_assert(Fast >= 0 && Fast <= 2 && Next >= 0 && Next <= 2 && Fast != Next, "two dimensions");
  static constexpr int AlongColumns = Fast, AlongRows = Next;
  static constexpr unsigned Width = Columns, Rows = Height, Threads = Size;
  static constexpr unsigned Lanes = Height == 1 ? Size : 64;
  static_assert(Threads % Lanes == 0 && Width % Lanes == 0, "whole wavefronts");

  /// Number of the tile's first work-item along Fast and along Next, and of all of them in the last dimension.
  static HK_DEVICE int column() { return int(blockIdx.x * Width) - int(Shift); }
  static HK_DEVICE int row() { return int(blockIdx.y * Rows); }
  static HK_DEVICE int slice() { return int(blockIdx.z); }

  /// Work-item \p r of the rows, \p c of the columns.
  static HK_DEVICE uint3 at(unsigned c, unsigned r) {
    return detail::placeOf<Fast, Next>(unsigned(column()) + c, unsigned(row()) + r, blockIdx.z);
  }
  /// Calls work(at) for each work-item of the tile.
  template <class Work> static HK_DEVICE void each(const dim3 &items, Work work) {
#pragma unroll 1
    for (unsigned r = threadIdx.y; r < Rows; r += Threads / Lanes)
      for (unsigned c = threadIdx.x; c < Width; c += Lanes) {
        const uint3 place = at(c, r);
        if (!isPast(place, items)) // those before number 0 are past 2^31
          work(place);
      }
  }
  static dim3 block() { return dim3(Lanes, Threads / Lanes); }
  static dim3 grid(const dim3 &items) {
    return dim3(detail::partsOf(detail::along<Fast>(items) + Shift, Width), detail::partsOf(detail::along<Next>(items), Rows),
                detail::along<3 - Fast - Next>(items));
  }
};

/// Many work-items a lane: few lines around the tile for those in it.
template <int Fast, int Next, unsigned Threads = 256, unsigned Shift = 0>
using LargeTile = Tile<Fast, Next, 128, 16, Threads, Shift>;
/// One work-item a lane: for launches that would not fill the GPU otherwise.
template <int Fast, int Next, unsigned Threads = 256, unsigned Shift = 0>
using SmallTile = Tile<Fast, Next, 64, Threads / 64, Threads, Shift>;
/// The same, of a line of work-items.
template <int Fast, int Next, unsigned Threads = 256, unsigned Shift = 0>
using LongRow = Tile<Fast, Next, 4 * Threads, 1, Threads, Shift>;
template <int Fast, int Next, unsigned Threads = 256, unsigned Shift = 0>
using ShortRow = Tile<Fast, Next, Threads, 1, Threads, Shift>;

/// Elements of an array that lies in rows, around a tile of work-items whose numbers are rows and elements of them: \p Above
/// and \p Below are more rows, \p Before and \p Behind more elements of each.
template <class T, class Tile, int Above, int Below, int Before, int Behind> class Window {
  static_assert(std::is_trivially_copyable<T>::value && 16 % sizeof(T) == 0, "elements that lanes load in one access");
  static constexpr int Rows = int(Tile::Rows) + Above + Below, Columns = int(Tile::Width) + Before + Behind;
  static_assert(Rows > 0 && Columns > 0, "a window holds something");
  /// Lanes start at a multiple of it, so that a wavefront's lines are whole ones.
  static constexpr int Line = 128 / int(sizeof(T)) < 64 ? 128 / int(sizeof(T)) : 64;
  static constexpr int Lanes = int(Tile::Lanes), Waves = int(Tile::Threads) / Lanes;
  static constexpr int Sweeps = (Columns + Line - 1 + Lanes - 1) / Lanes;

public:
  struct Memory {
    T value[Rows][Columns];
  };

  /// Work-item (r, c) of the array's rows stands at element first + r * pitch + c.
  HK_DEVICE Window(Memory &memory, const T *array, Elements known, long long pitch, long long first)
      : memory(memory), array(array), known(known), pitch(pitch), first(first) {}

  /// Loads all of it that is known to be there; a barrier has to follow. \p rows and \p columns of what is around the tile are
  /// enough on each side.
  HK_DEVICE void load(int rows = 1 << 20, int columns = 1 << 20) const {
    const int above = hk::least(rows, Above), below = hk::least(rows, Below), before = hk::least(columns, Before), behind = hk::least(columns, Behind);
    const int end = int(Tile::Rows) + Above + below, last = int(Tile::Width) + Before + behind;
#pragma unroll 2
    for (int r = Above - above + int(threadIdx.y); r < end; r += Waves) {
      const long long start = first + (Tile::row() - Above + r) * pitch + (Tile::column() - Before);
      const T *row = array + start;
      const int skew = int((reinterpret_cast<uintptr_t>(row) / sizeof(T) + unsigned(Before - before)) % unsigned(Line));
      // Elements of the row that are wanted and known, in 32 bits.
      const long long least = known.first - start, most = known.last - start;
      const int from = least > Before - before ? (least < last ? int(least) : last) : Before - before;
      const int to = most < last - 1 ? (most >= 0 ? int(most) + 1 : 0) : last;
#pragma unroll
      for (int n = 0; n < Sweeps; ++n) {
        const int c = Before - before - skew + n * Lanes + int(threadIdx.x);
        if (c >= from && c < to)
          memory.value[r][c] = row[c];
      }
    }
  }

  /// The element of a work-item, and those around it: (rows, elements) on.
  class Around {
  public:
    HK_DEVICE explicit Around(const T *here) : here(here) {}
    HK_DEVICE T operator()(int rows, int columns) const { return here[rows * Columns + columns]; }

  private:
    const T *here;
  };
  HK_DEVICE Around around(uint3 at) const {
    const int row = int(detail::along<Tile::AlongRows>(at)) - Tile::row() + Above;
    const int column = int(detail::along<Tile::AlongColumns>(at)) - Tile::column() + Before;
    return Around(&memory.value[0][0] + row * Columns + column);
  }

private:
  Memory &memory;
  const T *array;
  Elements known;
  long long pitch, first;
};

/// \p K elements that each work-item of a tile stores, one after the other in memory along the tile's columns: collected in LDS,
/// and stored by rows of the tile, neighbours by neighbouring lanes.
template <class T, class Tile, int K> class TileRecords {
  static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");
  static constexpr unsigned RowBytes = (Tile::Width * K * unsigned(sizeof(T)) + 3) / 4 * 4;

public:
  struct Memory {
    alignas(16) unsigned char bytes[Tile::Rows][RowBytes];
  };
  HK_DEVICE explicit TileRecords(Memory &memory) : memory(memory) {}

  /// Those of a work-item.
  HK_DEVICE T *own(uint3 at) const {
    const int row = int(detail::along<Tile::AlongRows>(at)) - Tile::row();
    const int column = int(detail::along<Tile::AlongColumns>(at)) - Tile::column();
    return reinterpret_cast<T *>(memory.bytes[row]) + column * K;
  }
  /// Stores those of all work-items whose numbers are below \p columns, \p rows and \p slices, which have written theirs, behind
  /// a barrier. \p place(at): where those of work-item \p at go.
  template <class Place> HK_DEVICE void store(long long columns, long long rows, long long slices, Place place) const {
    const int from = Tile::column() < 0 ? -Tile::column() : 0;
    const long long room = columns - Tile::column();
    const int to = room < (long long)(Tile::Width) ? int(room) : int(Tile::Width);
    if (to <= from || Tile::slice() >= slices)
      return;
    for (unsigned r = threadIdx.y; r < Tile::Rows && Tile::row() + (long long)(r) < rows; r += Tile::Threads / Tile::Lanes) {
      const unsigned char *source = memory.bytes[r] + from * K * int(sizeof(T));
      auto *target = reinterpret_cast<unsigned char *>(place(Tile::at(unsigned(from), r)));
      const unsigned bytes = unsigned(to - from) * K * unsigned(sizeof(T));
      const bool words = (reinterpret_cast<uintptr_t>(target) | unsigned(from * K * int(sizeof(T)))) % 4 == 0;
      const unsigned whole = words ? bytes / 4 : 0;
      for (unsigned n = threadIdx.x; n < whole; n += Tile::Lanes)
        reinterpret_cast<uint32_t *>(target)[n] = reinterpret_cast<const uint32_t *>(source)[n];
      for (unsigned n = whole * 4 + threadIdx.x; n < bytes; n += Tile::Lanes)
        target[n] = source[n];
    }
  }

private:
  Memory &memory;
};

/// Launches \p large, a kernel for tiles of that kind, or \p small where there would be few of them.
template <class Large, class Small, class... Parameters, class... Arguments>
void launchTiles(const dim3 &items, hipStream_t stream, void (*large)(Parameters...), void (*small)(Parameters...),
                 const Arguments &...arguments) {
  const dim3 tiles = Large::grid(items);
  if (!items.x || !items.y || !items.z)
    return;
  if (uint64_t(tiles.x) * tiles.y * tiles.z >= 1024)
    large<<<tiles, Large::block(), 0, stream>>>(arguments...);
  else
    small<<<Small::grid(items), Small::block(), 0, stream>>>(arguments...);
}

} // namespace hk
