//===- hk/gemm/dot_kernel.h - One to four rows: dot products without matrix cores ---===//
//
// For M up to 4 and factors that are contiguous along K. A matrix instruction has 16 columns, and here at most 4 are of use. So a
// wavefront reads rows of W (N x K) with all of its lanes, 16 bytes each: 1024 contiguous bytes of a row on AMD, 512 on NVIDIA,
// non-temporally, and multiplies them by the same K of X's rows (M x K), from the caches, with vector instructions.
//
//   a workgroup   WavesN x WavesK wavefronts; a tile of WavesN * Rows rows of W and TileM rows of X, over its split of K
//   a wavefront   Rows rows of W, TileM of X, and a sum of each of its lanes for each pair. Wavefronts along K take turns, block by
//                 block, and so do the splits of a tile, so that together they read contiguous memory.
//   a block       16 bytes of K for each lane. Depth blocks of W, and XDepth of X, are under way while one is multiplied.
//
// At the end the lanes' sums are added up across the wavefront and those of wavefronts along K in LDS, each in a fixed order, and
// the workgroup finishes the tile (hk/gemm/split.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/blocks.h"
#include "hk/gemm/dot_instructions.h"
#include "hk/sync.h"
#include "hk/wave.h"

namespace hk {
namespace detail {

template <int TileM_, int Rows_, int WavesN_, int WavesK_, int Depth_, int XDepth_, int Resident_> struct DotConfig {
  static constexpr int TileM = TileM_, Rows = Rows_, WavesN = WavesN_, WavesK = WavesK_, Depth = Depth_, XDepth = XDepth_;
  static constexpr int Resident = Resident_; ///< workgroups that a compute unit holds, by the compiler's report
  static constexpr int Threads = WavesN * WavesK * WaveSize;
  static_assert(Rows % EpilogueVector == 0, "a lane stores a wavefront's sums as vectors");

  static constexpr int TileN = WavesN * Rows;
  /// What the workgroup takes of each row at once; and bytes of W that are under way.
  static constexpr int BlockBytes = WaveSize * ChunkBytes * WavesK, BytesAhead = Depth * BlockBytes * TileN;
  /// Parts of each sum in LDS; and the distance of its rows.
  static constexpr int Parts = WavesK, Pitch = TileN + 4;
  static constexpr int SumsInLds = Parts * TileM * Pitch;
  template <class Sum> static constexpr int ldsBytes() { return SumsInLds * int(sizeof(Sum)); }
};

/// Adds up over lanes: hk/wave.h.
template <class Sum> struct DotReduction {
  static constexpr int Words = int(sizeof(Sum)) / 4;
  struct State {
    float word[Words];
  };
  static HK_DEVICE State stateOf(Sum sum) {
    State state;
    __builtin_memcpy(&state, &sum, sizeof(sum));
    return state;
  }
  static HK_DEVICE Sum sumOf(const State &state) {
    Sum sum;
    __builtin_memcpy(&sum, &state, sizeof(sum));
    return sum;
  }
  static HK_DEVICE State identity() { return stateOf(Sum(0)); }
  static HK_DEVICE State combine(const State &a, const State &b) { return stateOf(add(sumOf(a), sumOf(b))); }

private:
  /// Integers modulo 2^32.
  static HK_DEVICE int32_t add(int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }
  template <class T> static HK_DEVICE T add(T a, T b) { return a + b; }
};

/// One wavefront's share of the products.
template <class Config, class W, class X, bool Aligned> class DotLoop {
public:
  using Op = DotOp<typename W::Type, typename X::Type>;
  using Sum = typename Op::Sum;
  static constexpr int Rows = Config::Rows, TileM = Config::TileM;
  static constexpr int Elements = W::Elements, BlockElements = WaveSize * Elements;
  static_assert(W::Elements == X::Elements);

  HK_DEVICE DotLoop(const W &w, const X &x, int batch, int row0, int rows, int column0, int columns, int lane)
      : w(w), x(x), row0(row0), column0(column0), own(lane * Elements) {
    const auto *wBase = w.at(batch) + int64_t(row0) * w.ld;
    const auto *xBase = x.at(batch) + int64_t(column0) * x.ld;
    // A row that is not there is read as the last one, and its sums are not used.
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      wRows[r] = r < rows - 1 - row0 ? r : rows - 1 - row0;
      wFrom[r] = wBase + int64_t(wRows[r]) * w.ld;
    }
#pragma unroll
    for (int m = 0; m < TileM; ++m) {
      xRows[m] = m < columns - 1 - column0 ? m : columns - 1 - column0;
      xFrom[m] = xBase + int64_t(xRows[m]) * x.ld;
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int m = 0; m < TileM; ++m)
        sums[r][m].clear();
  }

  /// Blocks first, first + step, ... below end, each whole, beginning where \p tile does: see firstBlock(). Calls
  /// \p await() when the first ones of W have been asked for.
  template <class Await> HK_DEVICE void run(int first, int end, int step, int tile, Await await) {
    const int count = first < end ? (end - first + step - 1) / step : 0;
    const int from = firstBlock(tile, count);
    multiplied = BlockPlace<1>(first * BlockElements, count, step * BlockElements, from);
    placeW = BlockPlace<int(sizeof(typename W::Stored))>(first * BlockElements, count, step * BlockElements, from);
    placeX = BlockPlace<int(sizeof(typename X::Stored))>(first * BlockElements, count, step * BlockElements, from);
    // Two forms, as in hk/gemm/stream_kernel.h: in the one that matters no load is conditional.
    if (count >= 2 * Config::Depth)
      multiplyBlocks<true, Config::Depth, Config::XDepth>(*this, count, await);
    else
      multiplyBlocks<false, Config::Depth, Config::XDepth>(*this, count, await);
  }

  /// The last \p count elements of K, fewer than a block.
  HK_DEVICE void runRest(int k, int count) {
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      fetchRest(wBlocks[0].chunk[r], wFrom[r] + k, count);
#pragma unroll
    for (int m = 0; m < TileM; ++m)
      fetchRest(xBlocks[0].chunk[m], xFrom[m] + k, count);
    multiply<false>(wBlocks[0], xBlocks[0], k, count);
  }

  HK_DEVICE void fetchW(int d) {
    // The place is the same in all lanes, so that a lane's address is a base and 32 bits.
    const uint32_t bytes = placeW.next(), ofLane = keepHere(uint32_t(own) * uint32_t(sizeof(typename W::Stored)));
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      load<Aligned, Use::Once>(wBlocks[d].chunk[r], atBytes(atBytes(wFrom[r], bytes), ofLane));
  }
  HK_DEVICE void fetchX(int d) {
    const uint32_t bytes = placeX.next(), ofLane = keepHere(uint32_t(own) * uint32_t(sizeof(typename X::Stored)));
#pragma unroll
    for (int m = 0; m < TileM; ++m)
      load<Aligned, Use::Cached>(xBlocks[d].chunk[m], atBytes(atBytes(xFrom[m], bytes), ofLane));
  }
  HK_DEVICE void multiply(int dW, int dX) {
    multiply<true>(wBlocks[dW], xBlocks[dX], int(multiplied.next()), BlockElements);
  }

  /// Writes the wavefront's sums to its part of LDS: [row of X][row of W, from \p from on].
  HK_DEVICE void publish(Sum *lds, int part, int from) const {
#pragma unroll
    for (int m = 0; m < TileM; ++m)
#pragma unroll
      for (int r = 0; r < Rows; r += EpilogueVector) {
        Sum totals[EpilogueVector];
#pragma unroll
        for (int n = 0; n < EpilogueVector; ++n)
          totals[n] = Reduction::sumOf(reduceWave<Reduction>(Reduction::stateOf(sums[r + n][m].total())));
        if (own == 0)
          storeSums(lds + (part * TileM + m) * Config::Pitch + from + r, totals);
      }
  }

private:
  using Reduction = DotReduction<Sum>;

  /// What a lane holds of a block.
  struct WBlock {
    typename W::Chunk chunk[Rows];
  };
  struct XBlock {
    typename X::Chunk chunk[TileM];
  };

  /// A lane's chunk of \p count elements from \p from on, and zeros for what is not there. Chunks of which there is all come from
  /// vector loads; a lane beyond them reads the last one.
  template <class T> HK_DEVICE void fetchRest(Raw<T, Elements> &to, const T *from, int count) const {
    const int whole = count / Elements * Elements;
    if (whole > 0) {
      load<Aligned, Use::Cached>(to, from + (own < whole ? own : whole - Elements));
      if (own >= whole)
        to.clear();
    } else {
      to.clear();
    }
    if (whole < count) {
      Raw<T, Elements> last;
      loadClamped(last, from + own, count - own);
#pragma unroll
      for (int word = 0; word < Raw<T, Elements>::Words; ++word)
        to.words[word] = own == whole ? last.words[word] : to.words[word];
    }
  }

  template <bool Whole> HK_DEVICE void multiply(const WBlock &wBlock, const XBlock &xBlock, int k, int count) {
    uint32_t factorX[TileM][4], factorW[Rows][4];
#pragma unroll
    for (int m = 0; m < TileM; ++m)
      x.template convert<Whole>(xBlock.chunk[m], factorX[m], column0 + xRows[m], k + own, count - own);
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      w.template convert<Whole>(wBlock.chunk[r], factorW[r], row0 + wRows[r], k + own, count - own);
#pragma unroll
    for (int part = 0; part < Op::Parts; ++part) {
      typename Op::Factor ofX[TileM];
#pragma unroll
      for (int m = 0; m < TileM; ++m)
        Op::template prepare<typename X::Type>(ofX[m], factorX[m] + part * Op::Words);
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        typename Op::Factor ofW;
        Op::template prepare<typename W::Type>(ofW, factorW[r] + part * Op::Words);
#pragma unroll
        for (int m = 0; m < TileM; ++m)
          Op::multiply(sums[r][m], ofW, ofX[m]);
      }
    }
  }

  const W &w;
  const X &x;
  const typename W::Stored *wFrom[Rows];
  const typename X::Stored *xFrom[TileM];
  int row0, column0;
  int own; ///< where a lane's chunks begin in a block
  int wRows[Rows], xRows[TileM];
  BlockPlace<1> multiplied;
  BlockPlace<int(sizeof(typename W::Stored))> placeW;
  BlockPlace<int(sizeof(typename X::Stored))> placeX;
  WBlock wBlocks[Config::Depth];
  XBlock xBlocks[Config::XDepth];
  typename Op::Accumulator sums[Rows][TileM];
};

/// Workgroups: x: tiles of N times splits, split innermost; y: tiles of M; z: batches.
template <class Config, class W, class X, class Program, bool Aligned>
__global__ __launch_bounds__(Config::Threads) void dotKernel(const W w, const X x, const Program program,
                                                              const GemmExtent extent) {
  startNextKernel();
  using Loop = DotLoop<Config, W, X, Aligned>;
  using Sum = typename Loop::Sum;
  Sum *lds = reinterpret_cast<Sum *>(dynamicLds());
  const int lane = int(threadIdx.x) % WaveSize, wave = waveOf(int(threadIdx.x));
  const int waveN = wave % Config::WavesN, waveK = wave / Config::WavesN;
  const int split = int(blockIdx.x) % extent.splits, tileN = int(blockIdx.x) / extent.splits;
  const int batch = int(blockIdx.z), tile = (batch * extent.tilesM + int(blockIdx.y)) * extent.tilesN + tileN;
  const int firstN = tileN * Config::TileN, firstM = int(blockIdx.y) * Config::TileM;

  uint32_t before = 0;
  {
    const int own = firstN + waveN * Config::Rows;
    Loop loop(w, x, batch, own < extent.n ? own : extent.n - 1, extent.n, firstM, extent.m, lane);
    const int whole = extent.k / Loop::BlockElements, turn = split * Config::WavesK + waveK;
    const int turns = extent.splits * Config::WavesK;
    if (!extent.constantW)
      awaitPreviousKernel();
    loop.run(turn, whole, turns, tile, [&] {
      if (extent.constantW)
        awaitPreviousKernel();
      before = beginPart(extent, tile);
    });
    if (const int rest = extent.k - whole * Loop::BlockElements; rest > 0 && turn == whole % turns)
      loop.runRest(whole * Loop::BlockElements, rest);
    loop.publish(lds, waveK, waveN * Config::Rows);
  }
  finishParts<Config, Sum>(extent, program, batch, tile, split, tile * extent.splits, firstM, firstN, before, lds);
}

} // namespace detail
} // namespace hk
