//===- hk/gemm/stream_kernel.h - Few rows: weights go through registers once -===//
//
// For M up to 64 and factors that are contiguous along K. All the time goes to reading W (N x K); each of its bytes is used
// once by one wavefront, so it goes from memory to the matrix instruction's registers without LDS, 128 contiguous bytes of a
// row, and non-temporally. X (M x K) is small and read the same way, from the caches.
//
//   a workgroup   WavesN x WavesK wavefronts; a tile of WavesN * RowTiles * 16 rows of W and ColTiles * TileX rows of X, over
//                 its split of K
//   a wavefront   RowTiles x ColTiles tiles of sums. Wavefronts along K take turns: wavefront w the blocks w, w + WavesK, ...
//                 so that a workgroup reads contiguous memory; and so do the splits of a tile.
//   a block       Unroll steps of K: Unroll * 64 bytes of each row. Depth blocks of W, and XDepth of X, are under way while one
//                 is multiplied.
//
// At the end the wavefronts along K add up in LDS, in a fixed order, and the workgroup finishes the tile (hk/gemm/split.h).
//
// Lines (AMD, blocks of two steps): an instruction reads 64 bytes of each of 16 rows, half a line. So lanes of the rows 0 to 7 and
// 8 to 15 together read 128 bytes of 8 rows, then of the other 8, and halves of a row of lanes exchange (DPP) what makes two steps of
// 16 rows of that: whole lines.
//
// Fold (AMD, M <= 8): an instruction that reads 16 rows of W reads 64 bytes of each, half a line. But its result has 16 columns,
// and only 8 are of use. So lanes of the rows 8 to 15 take rows 0 to 7 of W again, with the next 64 bytes of K, and columns
// 8 to 15 are X's rows again with those: whole lines, as many instructions as before, and half of the result, the sums of rows
// with columns of the same half, adds up to what is asked for.
//
// Sparse (AMD, M <= 8): hk/gemm/sparse.h. Half as many matrix instructions, but half lines.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/blocks.h"
#include "hk/gemm/groups.h"
#include "hk/gemm/sparse.h"
#include "hk/sync.h"

namespace hk {
namespace detail {

enum class StreamForm { Plain, Fold, Sparse };

template <int RowTiles_, int ColTiles_, int WavesN_, int WavesK_, int Unroll_, int Depth_, int XDepth_, int Resident_,
          StreamForm Form_ = StreamForm::Plain>
struct StreamConfig {
  static constexpr int RowTiles = RowTiles_, ColTiles = ColTiles_, WavesN = WavesN_, WavesK = WavesK_;
  static constexpr int Unroll = Unroll_, Depth = Depth_, XDepth = XDepth_;
  static constexpr int Resident = Resident_; ///< workgroups that a compute unit holds, by the compiler's report
  static constexpr bool Fold = Form_ == StreamForm::Fold, Sparse = Form_ == StreamForm::Sparse;
  static constexpr bool Lines = HK_AMD && Form_ == StreamForm::Plain && Unroll == 2;
  static constexpr int Threads = WavesN * WavesK * WaveSize;
  static constexpr bool Streams = HK_AMD && RowTiles == 1 && !Sparse; ///< whether there is a kernel for a StreamedExtent
  static_assert(Depth % XDepth == 0);
  static_assert(!Fold || (HK_AMD && ColTiles == 1 && Unroll == 2), "folded: at most 8 rows");
  static_assert(!Sparse || (HK_AMD && ColTiles == 1), "sparse: at most 8 rows");

  static constexpr int TileN = WavesN * RowTiles * 16;
  static constexpr int TileM = Fold || Sparse ? 8 : ColTiles * (HK_AMD ? 16 : 8);
  /// What the workgroup takes of each row at once; and bytes of W that are under way.
  static constexpr int BlockBytes = Unroll * 64 * WavesK, BytesAhead = Depth * BlockBytes * TileN;
  /// Parts of each sum in LDS; and the distance of its rows, which keeps them off each other's banks.
  static constexpr int Parts = WavesK * (Fold ? 2 : 1);
  static constexpr int Pitch = TileN + 4;
  static constexpr int SumsInLds = Parts * TileM * Pitch;
  template <class Sum> static constexpr int ldsBytes() { return SumsInLds * int(sizeof(Sum)); }
};

/// Lanes 0 to 7 of each 16 keep \p a and give \p b for the other half's \p a.
template <class T, int N> HK_DEVICE void exchangeHalves([[maybe_unused]] Raw<T, N> &a, [[maybe_unused]] Raw<T, N> &b) {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
  constexpr int Rotate8 = 0x128, AllRows = 0xf, LowHalf = 0x3, HighHalf = 0xc;
#pragma unroll
  for (int word = 0; word < Raw<T, N>::Words; ++word) {
    const uint32_t before = a.words[word];
    a.words[word] = __builtin_amdgcn_update_dpp(before, b.words[word], Rotate8, AllRows, HighHalf, false);
    b.words[word] = __builtin_amdgcn_update_dpp(b.words[word], before, Rotate8, AllRows, LowHalf, false);
  }
#endif
}

/// One wavefront's share of the products.
template <class Config, class W, class X, bool Aligned> class StreamLoop {
public:
  using Op = std::conditional_t<Config::Sparse, SparseOp<typename W::Type, typename X::Type>,
                                MatrixOp<typename W::Type, typename X::Type>>;
  using Sum = typename Op::Sum;
  static constexpr int RowTiles = Config::RowTiles, ColTiles = Config::ColTiles, Unroll = Config::Unroll;
  static constexpr bool Fold = Config::Fold, Lines = Config::Lines, Pairs = Fold || Lines;
  static constexpr int XUnroll = Fold ? 1 : Unroll;
  static constexpr int SumTiles = Fold ? 2 : 1;
  static constexpr int BlockElements = Unroll * Op::StepElements;

  HK_DEVICE StreamLoop(const W &w, const X &x, int batch, int row0, int rows, int column0, int columns, int lane)
      : w(w), x(x), row0(row0), column0(column0), lane(lane) {
    wBase = w.at(batch) + int64_t(row0) * w.ld;
    xBase = x.at(batch) + int64_t(column0) * x.ld;
#pragma unroll
    for (int t = 0; t < RowTiles; ++t)
#pragma unroll
      for (int l = 0; l < WLoads; ++l) {
        // A row that is not there is read as the last one, and its sums are not used.
        const int row = wRow(t, l), last = rows - 1 - row0;
        wRows[t][l] = row < last ? row : last;
        wOffsets[t][l] = (uint32_t(wRows[t][l]) * uint32_t(w.ld) + own()) * uint32_t(sizeof(typename W::Stored));
      }
#pragma unroll
    for (int t = 0; t < ColTiles; ++t)
#pragma unroll
      for (int l = 0; l < XLoads; ++l) {
        const int row = xRow(t, l), last = columns - 1 - column0;
        xRows[t][l] = row < last ? row : last;
        xOffsets[t][l] = (uint32_t(xRows[t][l]) * uint32_t(x.ld) + own()) * uint32_t(sizeof(typename X::Stored));
      }
#pragma unroll
    for (int t = 0; t < RowTiles; ++t)
#pragma unroll
      for (int c = 0; c < ColTiles; ++c)
#pragma unroll
        for (int s = 0; s < SumTiles; ++s)
          sums[t][c][s].clear();
  }

  /// Blocks first, first + step, ... below end, each whole, beginning where \p tile does: see firstBlock(). Calls
  /// \p await() when the first ones of W have been asked for, and before any of X is.
  template <class Await> HK_DEVICE void run(int first, int end, int step, int tile, Await await) {
    const int count = first < end ? (end - first + step - 1) / step : 0;
    const int from = firstBlock(tile, count);
    multiplied = BlockPlace<1>(first * BlockElements, count, step * BlockElements, from);
    placeW = BlockPlace<int(sizeof(typename W::Stored))>(first * BlockElements, count, step * BlockElements, from);
    placeX = BlockPlace<int(sizeof(typename X::Stored))>(first * BlockElements, count, step * BlockElements, from);
    // Two forms, so that in the one that matters no load is conditional: a wait for a load that was perhaps not asked for waits
    // for those behind it, too.
    if (count >= 2 * Depth)
      multiplyBlocks<true, Depth, XDepth>(*this, count, await);
    else
      multiplyBlocks<false, Depth, XDepth>(*this, count, await);
  }

  /// The last \p count elements of K, fewer than a block.
  HK_DEVICE void runRest(int k, int count) {
    fetchW<false>(wBlocks[0], uint32_t(k) * uint32_t(sizeof(typename W::Stored)), count);
    fetchX<false>(xBlocks[0], uint32_t(k) * uint32_t(sizeof(typename X::Stored)), count);
    multiply<false>(wBlocks[0], xBlocks[0], k, count);
  }

  // For multiplyBlocks().
  HK_DEVICE void fetchW(int d) { fetchW<true>(wBlocks[d], placeW.next(), BlockElements); }
  HK_DEVICE void fetchX(int d) { fetchX<true>(xBlocks[d], placeX.next(), BlockElements); }
  HK_DEVICE void multiply(int dW, int dX) {
    multiply<true>(wBlocks[dW], xBlocks[dX], int(multiplied.next()), BlockElements);
  }

  /// Writes the sums to this wavefront's part of LDS: [row of X][row of W, from \p from on].
  HK_DEVICE void publish(Sum *lds, int part, int from) const {
#pragma unroll
    for (int t = 0; t < RowTiles; ++t)
#pragma unroll
      for (int c = 0; c < ColTiles; ++c)
#pragma unroll
        for (int s = 0; s < SumTiles; ++s) {
          const Sums<Sum> &tile = sums[t][c][s];
#pragma unroll
          for (int r = 0; r < Op::Results; r += Op::Run) {
            int i = Op::resultW(lane, r), j = Op::resultX(lane, r), which = part;
            if constexpr (Fold) {
              if (i / 8 != j / 8)
                continue;
              which = 2 * part + i / 8;
              i = i % 8 + 8 * s, j = j % 8;
            }
            Sum *to = lds + (which * Config::TileM + c * Op::TileX + j) * Config::Pitch + from + t * 16 + i;
            storeResults<Op>(to, tile, r);
          }
        }
  }

private:
  static constexpr int WLoads = Pairs ? 2 : Op::WChunks, XLoads = Lines ? 2 : 1;

  static constexpr int Depth = Config::Depth, XDepth = Config::XDepth;

  /// What a lane holds of a block.
  struct WBlock {
    typename W::Chunk chunk[RowTiles][Unroll * Op::WChunks];
  };
  struct XBlock {
    typename X::Chunk chunk[ColTiles][XUnroll];
  };

  HK_DEVICE int wRow(int tile, int load) const {
    if constexpr (Pairs)
      return tile * 16 + load * 8 + Op::rowOfW(lane, 0) % 8;
    else
      return tile * 16 + Op::rowOfW(lane, load);
  }
  HK_DEVICE int xRow(int tile, int load) const {
    return tile * Op::TileX + load * 8 + (Pairs ? Op::rowOfX(lane) % 8 : Op::rowOfX(lane));
  }
  /// Where what a lane loads begins in a step; and the chunk of step \p u in a block.
  HK_DEVICE uint32_t own() const {
    return uint32_t(Pairs ? 2 * Op::group(lane) + Op::rowOfW(lane, 0) / 8 : Op::group(lane)) * W::Elements;
  }
  HK_DEVICE int loaded(int u) const { return (Pairs ? 0 : u * Op::StepElements) + int(own()); }
  HK_DEVICE int offset(int u) const { return Lines ? (2 * Op::group(lane) + u) * W::Elements : loaded(u); }
  /// The rows of a lane's chunks of step \p u.
  HK_DEVICE int wRowAt(int tile, int u, int chunk) const {
    if constexpr (Lines) // those that it has loaded, or the other half has
      return Op::rowOfW(lane, 0) < 8 ? wRows[tile][0] : wRows[tile][1];
    else
      return wRows[tile][Fold ? u : chunk];
  }
  HK_DEVICE int xRowAt(int tile) const {
    return Lines && Op::rowOfX(lane) >= 8 ? xRows[tile][XLoads - 1] : xRows[tile][0];
  }

  /// \p from is the same in all lanes, so that a lane's address is a base and 32 bits.
  template <bool Whole, Use U, class T, int N>
  HK_DEVICE void fetchChunk(Raw<T, N> &to, const T *from, int u, uint32_t offset, int count) const {
    from = atBytes(from + (Pairs ? 0 : u * Op::StepElements), keepHere(offset));
    if constexpr (Whole)
      load<Aligned, U>(to, from);
    else
      loadClamped(to, from, count);
  }

  /// \p bytes: where the block begins in a row.
  template <bool Whole> HK_DEVICE void fetchW(WBlock &block, uint32_t bytes, int count) const {
    const auto *from = atBytes(wBase, bytes);
#pragma unroll
    for (int t = 0; t < RowTiles; ++t)
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
#pragma unroll
        for (int c = 0; c < Op::WChunks; ++c)
          fetchChunk<Whole, Use::Once>(block.chunk[t][u * Op::WChunks + c], from, u, wOffsets[t][Pairs ? u : c],
                                       count - loaded(u));
  }
  template <bool Whole> HK_DEVICE void fetchX(XBlock &block, uint32_t bytes, int count) const {
    const auto *from = atBytes(xBase, bytes);
#pragma unroll
    for (int t = 0; t < ColTiles; ++t)
#pragma unroll
      for (int u = 0; u < XUnroll; ++u)
        fetchChunk<Whole, Use::Cached>(block.chunk[t][u], from, u, xOffsets[t][Lines ? u : 0], count - loaded(u));
  }

  template <bool Whole> HK_DEVICE void multiply(WBlock &wBlock, XBlock &xBlock, int k, int count) {
    if constexpr (Lines) {
#pragma unroll
      for (int t = 0; t < RowTiles; ++t)
        exchangeHalves(wBlock.chunk[t][0], wBlock.chunk[t][1]);
#pragma unroll
      for (int c = 0; c < ColTiles; ++c)
        exchangeHalves(xBlock.chunk[c][0], xBlock.chunk[c][1]);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      uint32_t factorX[ColTiles][4];
#pragma unroll
      for (int c = 0; c < ColTiles; ++c)
        x.template convert<Whole>(xBlock.chunk[c][Fold ? 0 : u], factorX[c], column0 + xRowAt(c), k + offset(u),
                                  count - offset(u));
      uint32_t factorW[RowTiles][Op::WChunks][4];
#pragma unroll
      for (int t = 0; t < RowTiles; ++t)
#pragma unroll
        for (int c = 0; c < Op::WChunks; ++c)
          w.template convert<Whole>(wBlock.chunk[t][u * Op::WChunks + c], factorW[t][c], row0 + wRowAt(t, u, c),
                                    k + offset(u), count - offset(u));
#pragma unroll
      for (int part = 0; part < Op::Parts; ++part)
#pragma unroll
        for (int t = 0; t < RowTiles; ++t)
#pragma unroll
          for (int c = 0; c < ColTiles; ++c)
            Op::multiply(sums[t][c][Fold ? u : 0], factorW[t], factorX[c], part);
    }
  }

  const W &w;
  const X &x;
  const typename W::Stored *wBase;
  const typename X::Stored *xBase;
  int row0, column0, lane;
  int wRows[RowTiles][WLoads], xRows[ColTiles][XLoads];
  uint32_t wOffsets[RowTiles][WLoads], xOffsets[ColTiles][XLoads];
  BlockPlace<1> multiplied;
  BlockPlace<int(sizeof(typename W::Stored))> placeW;
  BlockPlace<int(sizeof(typename X::Stored))> placeX;
  WBlock wBlocks[Depth];
  XBlock xBlocks[XDepth];
  Sums<Sum> sums[RowTiles][ColTiles][SumTiles];
};

/// A workgroup's part of a tile: blocks first, first + step, ... below end, and the rest of K if \p rest. \p partsAt: as in
/// finishParts().
template <class Config, bool Aligned, class W, class X, class Program>
HK_DEVICE void streamPart(const W &w, const X &x, const Program &program, const GemmExtent &extent, int batch, int tile, int split,
                          int partsAt, int firstM, int firstN, int first, int end, int step, bool rest) {
  using Loop = StreamLoop<Config, W, X, Aligned>;
  using Sum = typename Loop::Sum;
  Sum *lds = reinterpret_cast<Sum *>(dynamicLds());
  const int lane = int(threadIdx.x) % WaveSize, wave = waveOf(int(threadIdx.x));
  const int waveN = wave % Config::WavesN, waveK = wave / Config::WavesN;
  uint32_t before = 0;
  {
    const int own = firstN + waveN * Config::RowTiles * 16;
    // Rows that are not there are read as the last one.
    Loop loop(w, x, batch, own < extent.n ? own : extent.n - 1, extent.n, firstM, extent.m, lane);
    if (!extent.constantW)
      awaitPreviousKernel();
    loop.run(first, end, step, tile, [&] {
      if (extent.constantW)
        awaitPreviousKernel();
      before = beginPart(extent, tile);
    });
    if (rest) {
      const int whole = extent.k / Loop::BlockElements;
      loop.runRest(whole * Loop::BlockElements, extent.k - whole * Loop::BlockElements);
    }
    loop.publish(lds, waveK, waveN * Config::RowTiles * 16);
  }
  finishParts<Config, Sum>(extent, program, batch, tile, split, partsAt, firstM, firstN, before, lds);
}

/// Workgroups: x: tiles of N times splits, split innermost; y: tiles of M; z: batches. StreamedExtent: x: its workgroups.
/// Extent: GemmExtent, a GroupedExtent or StreamedExtent.
template <class Config, class W, class X, class Program, bool Aligned, class Extent>
__global__ __launch_bounds__(Config::Threads) void streamKernel(W w, X x, const Program program, Extent extent) {
  startNextKernel();
  constexpr int BlockElements = StreamLoop<Config, W, X, Aligned>::BlockElements;
  const int waveK = waveOf(int(threadIdx.x)) / Config::WavesN;
  const int whole = extent.k / BlockElements;
  const bool rest = extent.k > whole * BlockElements;
  if constexpr (std::is_same_v<Extent, StreamedExtent>) {
    // A round is a block for each wavefront along K.
    SharesOfTiles shares(extent, int(blockIdx.x));
    while (shares.next()) {
      const int tileN = shares.tile % extent.tilesN, row = shares.tile / extent.tilesN;
      GemmExtent own = extent;
      own.splits = shares.parts;
      const int end = shares.end * Config::WavesK;
      streamPart<Config, Aligned>(w, x, program, own, row / extent.tilesM, shares.tile, shares.part, shares.partsAt,
                                  row % extent.tilesM * Config::TileM, tileN * Config::TileN,
                                  shares.begin * Config::WavesK + waveK, end < whole ? end : whole, Config::WavesK,
                                  rest && whole % Config::WavesK == waveK && whole / Config::WavesK >= shares.begin &&
                                      whole / Config::WavesK < shares.end);
      sync::lds(); // the next part's sums come where these are read
    }
  } else {
    const int split = int(blockIdx.x) % extent.splits, tileN = int(blockIdx.x) / extent.splits;
    int batch = int(blockIdx.z);
    const int tile = (batch * extent.tilesM + int(blockIdx.y)) * extent.tilesN + tileN;
    const int firstN = tileN * Config::TileN;
    int firstM = int(blockIdx.y) * Config::TileM;
    if constexpr (IsGrouped<Extent>) {
      const BandFinder<Config::TileM, Extent> finder(extent, int(threadIdx.x) % WaveSize);
      if (int(blockIdx.y) >= finder.bands() || !finder.enter(int(blockIdx.y), firstN, extent, w, x, batch, firstM))
        return;
    }
    // Wavefronts of all splits take turns, so that together they read contiguous memory.
    const int wholeOfGroup = extent.k / BlockElements;
    const int turn = split * Config::WavesK + waveK, turns = extent.splits * Config::WavesK;
    streamPart<Config, Aligned>(w, x, program, extent, batch, tile, split, tile * extent.splits, firstM, firstN, turn,
                                wholeOfGroup, turns,
                                extent.k > wholeOfGroup * BlockElements && turn == wholeOfGroup % turns);
  }
}

} // namespace detail
} // namespace hk
