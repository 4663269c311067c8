//===- hk/operand_tiles.h - Operands of a loop, loaded once a workgroup ---===//
//
// In a matrix product the work-items of a row all go through one row of the first operand, those of a column through one column
// of the second. A workgroup that has a tile of work-items loads what they all want of an operand once, some steps of the loop at
// a time, with lanes along whichever index has neighbours in memory, and keeps it in LDS. Each lane has several work-items
// of a column, so that what it reads of LDS serves all of them.
//
//   template <class Tile> __global__ void product(const float *a, const float *b, float *c, int m, int n, int k, dim3 limits) {
//     using A = hk::OperandTile<float, Tile, 1, hk::Neighbours::Steps>;      // a[at.y * k + p]
//     using B = hk::OperandTile<float, Tile, 0, hk::Neighbours::Items>;      // b[p * n + at.x]
//     __shared__ typename A::Memory aMemory;
//     __shared__ typename B::Memory bMemory;
//     const A aTile(aMemory, a, k, limits.y);
//     const B bTile(bMemory, b, n, limits.x);
//     float sums[Tile::Each] = {};
//     for (long long first = 0; first < k; first += Tile::Steps) {
//       const int count = Tile::stepsFrom(first, k);
//       aTile.load(first, count);
//       bTile.load(first, count);
//       hk::sync::lds();
//       Tile::eachStep(count, limits, [&](int step, int own, uint3 at) { sums[own] += aTile(own, step) * bTile(own, step); });
//       hk::sync::lds();
//     }
//     Tile::eachInside(limits, [&](int own, uint3 at) { c[at.y * n + at.x] = sums[own]; });
//   }
//   const dim3 limits = hk::limits(items, n, m, 1);
//   hk::launchLoopTiles<hk::LargeLoopTile<0, 1, 32>, hk::SmallLoopTile<0, 1, 32>>(limits, stream,
//       product<hk::LargeLoopTile<0, 1, 32>>, product<hk::SmallLoopTile<0, 1, 32>>, a, b, c, m, n, k, limits);
//
// At the edges, lanes without a work-item go along with the last one, so that nothing beside the operands is loaded and all lanes
// get to the barriers; eachInside() and eachStepInside() leave them out.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/items.h"
#include "hk/platform.h"
#include "hk/sync.h"

#include <type_traits>

namespace hk {

/// A tile of work-items, \p Own of each lane: lanes along dimension \p Fast (0: x), a wavefront wide; the tile's other
/// side, and a lane's work-items, along \p Next. Loops go \p Count steps at a time. \p Size lanes, whole wavefronts.
template <int Fast, int Next, int Count, int Own, unsigned Size = 256> struct LoopTile {
  static_assert(Fast >= 0 && Fast <= 2 && Next >= 0 && Next <= 2 && Fast != Next, "two dimensions");
  static_assert(Size % 64 == 0 && Count > 0 && Own > 0, "whole wavefronts, and something to do");
  static constexpr int AlongColumns = Fast, AlongRows = Next;
  static constexpr int Steps = Count, Each = Own;
  static constexpr unsigned Width = 64, Threads = Size, Rows = Size / Width * unsigned(Own);

  static HK_DEVICE unsigned column() { return blockIdx.x * Width; }
  static HK_DEVICE unsigned row() { return blockIdx.y * Rows; }
  static HK_DEVICE long long slice() { return blockIdx.z; }

  /// How many steps the part of a loop that starts at \p first has; the loop ends before \p end.
  static HK_DEVICE int stepsFrom(long long first, long long end) { return end - first < Steps ? int(end - first) : Steps; }

  /// Calls work(own, at) for each of the lane's work-items: number own of them, or the last one that there is.
  template <class Work> static HK_DEVICE void each(const dim3 &limits, Work work) {
#pragma unroll
    for (int own = 0; own < Each; ++own)
      work(own, at(own, limits));
  }
  /// The same for those that there are.
  template <class Work> static HK_DEVICE void eachInside(const dim3 &limits, Work work) {
    if (column() + threadIdx.x >= detail::along<Fast>(limits))
      return;
#pragma unroll
    for (int own = 0; own < Each; ++own)
      if (row() + threadIdx.y * unsigned(Each) + unsigned(own) < detail::along<Next>(limits))
        work(own, at(own, limits));
  }
  /// Calls work(step, own, at) for each of \p count steps, and in each for each of the lane's work-items.
  template <class Work> static HK_DEVICE void eachStep(int count, const dim3 &limits, Work work) {
    steps(count, [&](int step) { each(limits, [&](int own, uint3 place) { work(step, own, place); }); });
  }
  /// The same for those work-items that there are.
  template <class Work> static HK_DEVICE void eachStepInside(int count, const dim3 &limits, Work work) {
    steps(count, [&](int step) { eachInside(limits, [&](int own, uint3 place) { work(step, own, place); }); });
  }

  static dim3 block() { return dim3(Width, Size / Width); }
  static dim3 grid(const dim3 &items) {
    return dim3(detail::partsOf(detail::along<Fast>(items), Width), detail::partsOf(detail::along<Next>(items), Rows),
                detail::along<3 - Fast - Next>(items));
  }

private:
  template <class Work> static HK_DEVICE void steps(int count, Work work) {
    if (count == Steps) {
#pragma unroll 8
      for (int step = 0; step < Steps; ++step)
        work(step);
    } else {
#pragma unroll 1
      for (int step = 0; step < count; ++step)
        work(step);
    }
  }
  static HK_DEVICE uint3 at(int own, const dim3 &limits) {
    const unsigned fast = column() + threadIdx.x, next = row() + threadIdx.y * unsigned(Each) + unsigned(own);
    const unsigned lastFast = detail::along<Fast>(limits) - 1, lastNext = detail::along<Next>(limits) - 1;
    return detail::placeOf<Fast, Next>(fast < lastFast ? fast : lastFast, next < lastNext ? next : lastNext, blockIdx.z);
  }
};

/// For many work-items: what a lane reads of LDS serves eight of them.
template <int Fast, int Next, int Steps, unsigned Threads = 256> using LargeLoopTile = LoopTile<Fast, Next, Steps, 8, Threads>;
/// One a lane: for launches that would not fill the GPU otherwise.
template <int Fast, int Next, int Steps, unsigned Threads = 256> using SmallLoopTile = LoopTile<Fast, Next, Steps, 1, Threads>;

/// What has neighbours in memory: the steps of the loop, or the work-items.
enum class Neighbours { Steps, Items };

/// What a tile's work-items want of an array in some steps of a loop. Which work-item it is matters along \p Dimension alone.
template <class T, class Tile, int Dimension, Neighbours Order> class OperandTile {
  static_assert(std::is_trivially_copyable<T>::value, "elements are copied");
  static_assert(Dimension == Tile::AlongColumns || Dimension == Tile::AlongRows, "a side of the tile");
  static constexpr bool ByColumn = Dimension == Tile::AlongColumns, BySteps = Order == Neighbours::Steps;
  static constexpr int Items = ByColumn ? int(Tile::Width) : int(Tile::Rows), Steps = Tile::Steps;
  /// Lanes read along columns; they write along what they load. Where the two differ, a row more than a number of banks keeps
  /// them apart. Along rows a wavefront reads one element, so what is loaded decides.
  static constexpr bool ItemsFast = ByColumn || !BySteps;
  static constexpr int Pad = !(ByColumn && BySteps) ? 0 : sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
  static constexpr int Slow = ItemsFast ? Steps : Items, Quick = (ItemsFast ? Items : Steps) + Pad;

public:
  struct Memory {
    alignas(16) T value[Slow][Quick];
  };

  /// Element (item, step) of the operand is array[item * pitch + step], or array[item + step * pitch] where Items are neighbours;
  /// items are below \p limit.
  HK_DEVICE OperandTile(Memory &memory, const T *array, long long pitch, unsigned limit)
      : memory(memory), array(array), pitch(pitch), last(limit - 1) {}

  /// Loads \p count steps from step \p first on. Barriers have to stand before and behind.
  HK_DEVICE void load(long long first, int count) const {
    if (count == Steps) { // all loads are under way before the first has come
      T loaded[Turns];
#pragma unroll
      for (int n = 0; n < Turns; ++n)
        if (isMine(n))
          loaded[n] = array[place(n, first)];
#pragma unroll
      for (int n = 0; n < Turns; ++n)
        if (isMine(n))
          slot(n) = loaded[n];
    } else {
#pragma unroll 1
      for (int n = 0; n < Turns; ++n)
        if (isMine(n) && step(n) < count)
          slot(n) = array[place(n, first)];
    }
  }

  /// That of the lane's work-item number \p own, in a step.
  HK_DEVICE T operator()(int own, int step) const {
    const int item = ByColumn ? int(threadIdx.x) : int(threadIdx.y) * Tile::Each + own;
    return ItemsFast ? memory.value[step][item] : memory.value[item][step];
  }

private:
  Memory &memory;
  const T *array;
  long long pitch;
  unsigned last;

  // Lanes take turns at the elements of a tile, along those that are neighbours in memory.
  static constexpr int Along = BySteps ? Steps : Items, Elements = Items * Steps, Lanes = int(Tile::Threads);
  static constexpr int Turns = (Elements + Lanes - 1) / Lanes;
  static HK_DEVICE int number(int turn) { return turn * Lanes + int(threadIdx.y * Tile::Width + threadIdx.x); }
  static HK_DEVICE bool isMine(int turn) { return Elements % Lanes == 0 || number(turn) < Elements; }
  static HK_DEVICE int step(int turn) { return BySteps ? number(turn) % Along : number(turn) / Along; }
  static HK_DEVICE int item(int turn) { return BySteps ? number(turn) / Along : number(turn) % Along; }
  HK_DEVICE T &slot(int turn) const {
    return ItemsFast ? memory.value[step(turn)][item(turn)] : memory.value[item(turn)][step(turn)];
  }
  HK_DEVICE long long place(int turn, long long first) const {
    const unsigned wanted = (ByColumn ? Tile::column() : Tile::row()) + unsigned(item(turn));
    const long long known = wanted < last ? wanted : last;
    return BySteps ? known * pitch + (first + step(turn)) : known + (first + step(turn)) * pitch;
  }
};

/// How many of \p items there are below each limit.
inline dim3 limits(const dim3 &items, long long x, long long y, long long z) {
  auto below = [](unsigned n, long long limit) { return limit < 0 ? 0 : limit < (long long)(n) ? unsigned(limit) : n; };
  return dim3(below(items.x, x), below(items.y, y), below(items.z, z));
}

/// Launches \p large, a kernel for tiles of that kind, or \p small where there would be few of them.
template <class Large, class Small, class... Parameters, class... Arguments>
void launchLoopTiles(const dim3 &items, hipStream_t stream, void (*large)(Parameters...), void (*small)(Parameters...),
                     const Arguments &...arguments) {
  const dim3 tiles = Large::grid(items);
  if (!items.x || !items.y || !items.z)
    return;
  if (uint64_t(tiles.x) * tiles.y * tiles.z >= 512)
    large<<<tiles, Large::block(), 0, stream>>>(arguments...);
  else
    small<<<Small::grid(items), Small::block(), 0, stream>>>(arguments...);
}

} // namespace hk
