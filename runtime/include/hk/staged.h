//===- hk/staged.h - Tiles in LDS between loads and stores ----------------===//
//
// A transposition cannot both load and store neighbours with neighbouring lanes. A workgroup that has a tile of work-items does
// each in its own order: fill() runs all of them with lanes along one dimension, and keeps the value of each in LDS; drain()
// runs them again with lanes along the other, and stores.
//
//   __shared__ hk::Staged<float, 0, 1>::Memory memory;
//   const hk::Staged<float, 0, 1> tile(memory, items);                   // loads along x, stores along y
//   tile.fill([&](uint3 at, auto put) { if (at.x < columns) put(in[at.y * columns + at.x]); });
//   tile.drain([&](uint3 at, auto get) { if (at.x < columns) out[at.x * rows + at.y] = get(); });
//
// Rows of the tile are padded, so that lanes that go down a column are on different banks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/items.h"
#include "hk/platform.h"
#include "hk/sync.h"

namespace hk {

/// For a workgroup of \p Size lanes, whole wavefronts.
template <class T, int From, int To, unsigned Size = 256> class Staged {
  static_assert(From != To && From >= 0 && To >= 0 && From <= 2 && To <= 2, "two dimensions");
  static constexpr int Other = 3 - From - To;
  /// The padding is a bank: four bytes.
  static constexpr int Pad = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;

public:
  static constexpr unsigned Side = 64, Threads = Size;
  struct Memory {
    T value[Side][Side + Pad];
  };

  HK_DEVICE Staged(Memory &memory, dim3 items) : memory(memory), items(items) {}

  /// Calls work(at, put) for each work-item of the tile, lanes along From. Behind it, what they put can be got.
  template <class Work> HK_DEVICE void fill(Work work) const {
    eachOf([&](unsigned lane, unsigned row) {
      const uint3 at = place(lane, row);
      if (!isPast(at, items))
        work(at, [&](T value) { memory.value[row][lane] = value; });
    });
    sync::lds();
  }

  /// Calls work(at, get) for each work-item of the tile, lanes along To.
  template <class Work> HK_DEVICE void drain(Work work) const {
    eachOf([&](unsigned lane, unsigned row) {
      const uint3 at = place(row, lane);
      if (!isPast(at, items))
        work(at, [&]() -> T { return memory.value[lane][row]; });
    });
  }

  static dim3 block() { return dim3(Threads); }
  static dim3 grid(const dim3 &items) {
    return dim3(detail::partsOf(detail::along<From>(items), Side), detail::partsOf(detail::along<To>(items), Side),
                detail::along<Other>(items));
  }

private:
  Memory &memory;
  dim3 items;

  /// This lane's part of the tile.
  template <class Visit> HK_DEVICE void eachOf(Visit visit) const {
#pragma unroll 4
    for (unsigned row = threadIdx.x / Side; row < Side; row += Threads / Side)
      visit(threadIdx.x % Side, row);
  }
  HK_DEVICE uint3 place(unsigned from, unsigned to) const {
    return detail::placeOf<From, To>(blockIdx.x * Side + from, blockIdx.y * Side + to, blockIdx.z);
  }
};

} // namespace hk
