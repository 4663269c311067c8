//===- hk/gemm/ring_kernel.h - Producers and consumers of blocks in LDS ------===//
//
// AMD. For M up to 64 and factors that are contiguous along K, like hk/gemm/stream_kernel.h, but X is read from memory once a
// workgroup and not once a wavefront: wavefronts have roles.
//
//   a workgroup   Producers + Consumers wavefronts; a tile of TileN = Consumers * RowTiles * 16 rows of W and
//                 TileM = ColTiles * 16 rows of X, over its split of K
//   a block       KBytes of K of each of these rows. Block n goes through slot n % Slots of LDS, a ring.
//   a producer    takes blocks p, p + Producers, ...: from memory to its registers (W non-temporally), all of its next block ahead,
//                 and to LDS. As soon as a register is stored it is asked for again, so that a block a producer is under way
//                 at all times.
//   a consumer    owns RowTiles * 16 rows of W and takes every block: its rows of W and all of X to registers, then it multiplies
//
// The order of the chunks in a slot is TileSlots's: no bank conflicts. Sums are added block after block, so that bits do not depend
// on who was faster.
//
// There is no barrier in the loop. Each slot has two counters in LDS that only grow:
//
//   full[s]    blocks that were stored to slot s. A consumer waits for n / Slots + 1 before it reads block n.
//   empty[s]   consumers that have read a block of slot s, one for each block. The producer of block n waits for
//              Consumers * (n / Slots) before it stores.
//
// To add to one is a release: before it a wavefront waits for its own LDS accesses, so that what it stored is there and what it
// read is in registers. To see the value is an acquire. So block n is read after it was stored, and the block n + Slots is stored
// after each consumer has read n; nobody else writes in the slot in between, since the producer of n + 2 * Slots waits for the
// consumers of n + Slots, who wait for its producer.
//
// Nobody waits forever: let n be the first block that not all consumers have read. All of them have read those before, so that
// empty[] lets its producer store it (n - Slots is read), and that producer waits for nothing else first, as its earlier blocks are
// stored. Then full[] lets those consumers read it that have not, and they are at no other block, as they take them in order. So n is
// read, and so on. All wavefronts of a workgroup are resident, so each gets on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/stream_kernel.h"
#include "hk/gemm/tile_kernel.h"

#if HK_AMD

namespace hk {
namespace detail {

template <int RowTiles_, int ColTiles_, int Consumers_, int Producers_, int KBytes_, int Slots_, int Resident_> struct RingConfig {
  static constexpr int RowTiles = RowTiles_, ColTiles = ColTiles_, Consumers = Consumers_, Producers = Producers_;
  static constexpr int KBytes = KBytes_, Slots = Slots_;
  static constexpr int Resident = Resident_; ///< workgroups that a compute unit holds, by LDS and the compiler's report
  static constexpr int Threads = (Producers + Consumers) * WaveSize;
  static constexpr int TileN = Consumers * RowTiles * 16, TileM = ColTiles * 16;
  static constexpr int SlotBytes = (TileN + TileM) * KBytes;
  /// The counters lie behind the slots.
  static constexpr int RingBytes = Slots * SlotBytes + 2 * Slots * int(sizeof(uint32_t));

  static constexpr int BlockBytes = KBytes, BytesAhead = Producers * KBytes * TileN; ///< as in StreamConfig
  static constexpr int Parts = 1, Pitch = TileN + 4;
  static constexpr int SumsInLds = TileM * Pitch;
  static constexpr bool Ahead = false, PingPong = true; ///< for TileProducts: a block is in registers as a whole
  template <class Sum> static constexpr int ldsBytes() { return largest(RingBytes, SumsInLds * int(sizeof(Sum))); }
};

/// Adds one to a counter that others wait for with awaitCount(), after all that this wavefront did in LDS. All lanes.
HK_DEVICE void releaseCount(uint32_t *counter, int lane) {
#if defined(__AMDGCN__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_waitcnt(0xc07f); // lgkmcnt(0), as in sync::lds()
  if (lane == 0)
    // Plus one. For atomicAdd() the compiler would count lanes first.
    (void)__builtin_amdgcn_atomic_inc32(counter, ~0u, __ATOMIC_RELAXED, "workgroup");
#endif
}

/// Waits until a counter is \p least. All lanes.
HK_DEVICE void awaitCount(uint32_t *counter, uint32_t least, int lane) {
#if defined(__AMDGCN__)
  constexpr uint32_t Never = ~0u; // K has fewer blocks
  while (true) {
    // Reads by an exchange that never happens: in LDS nothing tells an atomic load from one that races with the additions.
    uint32_t seen = Never;
    if (lane == 0)
      __hip_atomic_compare_exchange_strong(counter, &seen, Never, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                           __HIP_MEMORY_SCOPE_WORKGROUP);
    if (uint32_t(__builtin_amdgcn_readfirstlane(int(seen))) >= least)
      break;
    __builtin_amdgcn_s_sleep(1); // 64 clocks
  }
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#endif
}

/// The compiler moves no instruction across.
HK_DEVICE void keepOrder() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_sched_barrier(0);
#endif
}

/// A producer's share of a factor's Tile rows: neighbouring lanes have neighbouring chunks of a row.
template <class R, int Tile, int KBytes, bool Aligned, Use U> class RingRows {
public:
  using Slots = TileSlots<KBytes, false>;
  static constexpr int Each = Tile * Slots::InRow / WaveSize;
  static_assert(Each * WaveSize == Tile * Slots::InRow && WaveSize % (8 * Slots::InRow) == 0);

  HK_DEVICE RingRows(const R &rows, int batch, int row0, int count, int lane)
      : rows(rows), base(rows.at(batch) + int64_t(row0) * rows.ld), row0(row0), last(count - 1 - row0), lane(lane) {
#pragma unroll
    for (int n = 0; n < Each; ++n)
      // A row that is not there is read as the last one, and its sums are not used.
      offset[n] = (uint32_t(readRow(n)) * uint32_t(rows.ld) + uint32_t(own())) * uint32_t(sizeof(typename R::Stored));
  }

  /// Chunk \p n of the elements of K from \p k, of which \p count are there (Whole: the block's).
  template <bool Whole> HK_DEVICE void fetch(int n, int k, int count) {
    const auto *from = atBytes(base + k, keepHere(offset[n]));
    if constexpr (Whole)
      load<Aligned, U>(chunk[n], from);
    else
      loadClamped(chunk[n], from, count - own());
  }
  template <bool Whole> HK_DEVICE void put(int n, char *slot, int k, int count) const {
    uint32_t words[4];
    rows.template convert<Whole>(chunk[n], words, row0 + readRow(n), k + own(), count - own());
    // All rows of a lane are twisted alike.
    storeChunk(slot, Slots::of(rowOf(0), lane % Slots::InRow) + n * WaveSize, words);
  }

private:
  HK_DEVICE int rowOf(int n) const { return lane / Slots::InRow + n * (WaveSize / Slots::InRow); }
  HK_DEVICE int readRow(int n) const { return rowOf(n) < last ? rowOf(n) : last; }
  HK_DEVICE int own() const { return lane % Slots::InRow * R::Elements; }

  const R &rows;
  const typename R::Stored *base;
  int row0, last, lane;
  uint32_t offset[Each];
  typename R::Chunk chunk[Each];
};

/// The ring of a workgroup, from a wavefront's point of view.
template <class Config> class Ring {
public:
  HK_DEVICE Ring(char *lds, int lane) : lds(lds), lane(lane) {}

  /// Before anything else, by all wavefronts; a barrier has to follow.
  HK_DEVICE void clear() {
    if (int(threadIdx.x) < 2 * Config::Slots)
      counters()[threadIdx.x] = 0;
  }

  HK_DEVICE char *slot(int n) const { return lds + n % Config::Slots * Config::SlotBytes; }
  HK_DEVICE void awaitEmpty(int n) const {
    awaitCount(counters() + Config::Slots + n % Config::Slots, uint32_t(Config::Consumers * (n / Config::Slots)), lane);
  }
  HK_DEVICE void setFull(int n) const { releaseCount(counters() + n % Config::Slots, lane); }
  HK_DEVICE void awaitFull(int n) const {
    awaitCount(counters() + n % Config::Slots, uint32_t(n / Config::Slots + 1), lane);
  }
  HK_DEVICE void setEmpty(int n) const { releaseCount(counters() + Config::Slots + n % Config::Slots, lane); }

private:
  HK_DEVICE uint32_t *counters() const { return reinterpret_cast<uint32_t *>(lds + Config::Slots * Config::SlotBytes); }

  char *lds;
  int lane;
};

/// The blocks of a workgroup, in its order: whole ones, then perhaps a rest.
struct RingBlocks {
  int split, splits, offset, count; ///< count: whole ones
  int elements;                     ///< of K in a block
  int restAt, rest;                 ///< where the elements begin that are less than a block, and how many this workgroup has of them

  /// Where block \p n < count begins in K. Splits take turns, so that together they read contiguous memory.
  HK_DEVICE int at(int n) const {
    const int turn = n + offset < count ? n + offset : n + offset - count;
    return (split + turn * splits) * elements;
  }
  HK_DEVICE int total() const { return count + (rest > 0); }
};

template <class Config, class W, class X, bool Aligned>
HK_DEVICE void produce(const Ring<Config> &ring, const RingBlocks &blocks,
                       RingRows<W, Config::TileN, Config::KBytes, Aligned, Use::Once> &w,
                       RingRows<X, Config::TileM, Config::KBytes, Aligned, Use::Cached> &x, int producer) {
  constexpr int Step = Config::Producers;
  auto stageX = [&](int n) { return ring.slot(n) + Config::TileN * Config::KBytes; };
  // f(part of W, n) and f(part of X, n) for each chunk of a lane.
  auto each = [&](auto onW, auto onX) {
#pragma unroll
    for (int n = 0; n < w.Each; ++n)
      onW(n);
#pragma unroll
    for (int n = 0; n < x.Each; ++n)
      onX(n);
  };
  int n = producer;
  if (n < blocks.count) {
    int k = blocks.at(n);
    each([&](int i) { w.template fetch<true>(i, k, blocks.elements); },
         [&](int i) { x.template fetch<true>(i, k, blocks.elements); });
    // Without a condition on the loads: a wait for one that was perhaps not asked for waits for those behind it, too.
    for (; n + Step < blocks.count; n += Step) {
      const int next = blocks.at(n + Step);
      ring.awaitEmpty(n);
      each(
          [&](int i) {
            w.template put<true>(i, ring.slot(n), k, blocks.elements);
            w.template fetch<true>(i, next, blocks.elements);
          },
          [&](int i) {
            x.template put<true>(i, stageX(n), k, blocks.elements);
            x.template fetch<true>(i, next, blocks.elements);
          });
      ring.setFull(n);
      k = next;
    }
    ring.awaitEmpty(n);
    each([&](int i) { w.template put<true>(i, ring.slot(n), k, blocks.elements); },
         [&](int i) { x.template put<true>(i, stageX(n), k, blocks.elements); });
    ring.setFull(n);
    n += Step;
  }
  if (blocks.rest > 0 && n == blocks.count) {
    // Element by element, a few chunks at a time: each element takes a register.
    ring.awaitEmpty(n);
    each(
        [&](int i) {
          w.template fetch<false>(i, blocks.restAt, blocks.rest);
          w.template put<false>(i, ring.slot(n), blocks.restAt, blocks.rest);
          if (i % 4 == 3)
            keepOrder();
        },
        [&](int i) {
          x.template fetch<false>(i, blocks.restAt, blocks.rest);
          x.template put<false>(i, stageX(n), blocks.restAt, blocks.rest);
          if (i % 4 == 3)
            keepOrder();
        });
    ring.setFull(n);
  }
}

/// Workgroups: x: tiles of N times splits, split innermost; y: tiles of M; z: batches.
template <class Config, class W, class X, class Program, bool Aligned>
__global__ __launch_bounds__(Config::Threads) void ringKernel(const W w, const X x, const Program program,
                                                               const GemmExtent extent) {
  using Products = TileProducts<Config, W, X>;
  using Sum = typename Products::Sum;
  char *lds = dynamicLds();
  const int lane = int(threadIdx.x) % WaveSize, wave = waveOf(int(threadIdx.x));
  const int split = int(blockIdx.x) % extent.splits, tileN = int(blockIdx.x) / extent.splits;
  const int batch = int(blockIdx.z), tile = (batch * extent.tilesM + int(blockIdx.y)) * extent.tilesN + tileN;
  const int firstN = tileN * Config::TileN, firstM = int(blockIdx.y) * Config::TileM;

  const uint32_t before = beginPart(extent, tile);
  Ring<Config> ring(lds, lane);
  ring.clear();
  sync::lds();

  RingBlocks blocks;
  blocks.split = split, blocks.splits = extent.splits;
  blocks.elements = Config::KBytes / int(sizeof(typename W::Type));
  const int whole = extent.k / blocks.elements;
  blocks.count = split < whole ? (whole - split + extent.splits - 1) / extent.splits : 0;
  blocks.offset = firstBlock(tile, blocks.count);
  blocks.restAt = whole * blocks.elements;
  blocks.rest = whole % extent.splits == split ? extent.k - blocks.restAt : 0;

  const bool consumes = wave >= Config::Producers;
  Products products(consumes ? wave - Config::Producers : 0, 0, lane);
  if (!consumes) {
    RingRows<W, Config::TileN, Config::KBytes, Aligned, Use::Once> rowsW(w, batch, firstN, extent.n, lane);
    RingRows<X, Config::TileM, Config::KBytes, Aligned, Use::Cached> rowsX(x, batch, firstM, extent.m, lane);
    produce<Config, W, X, Aligned>(ring, blocks, rowsW, rowsX, wave);
  } else {
    for (int n = 0, total = blocks.total(); n < total; ++n) {
      ring.awaitFull(n);
      products.loadStage(ring.slot(n));
      ring.setEmpty(n);
      products.multiplyLoaded();
    }
  }

  // The sums where the ring was.
  Sum *sums = reinterpret_cast<Sum *>(lds);
  sync::lds();
  if (consumes) {
#pragma unroll
    for (int c = 0; c < Config::ColTiles; ++c)
      products.publish(sums, c, c);
  }

  finishParts<Config, Sum>(extent, program, batch, tile, split, tile * extent.splits, firstM, firstN, before, sums);
}

} // namespace detail
} // namespace hk

#endif
