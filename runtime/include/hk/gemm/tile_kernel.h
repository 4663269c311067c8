//===- hk/gemm/tile_kernel.h - Both factors through LDS ----------------------===//
//
// For every shape and layout. A workgroup multiplies TileN rows of W and TileM rows of X, KBytes of each row at a time, which
// it brings to LDS; each wavefront multiplies its share of them from there.
//
//   registers   (AMD, and NVIDIA where a copy cannot do it) a stage's chunks are loaded to registers while the one before is
//               multiplied, and stored to the other half of LDS: two stages, one barrier a stage
//   copies      (NVIDIA, aligned factors along K that are multiplied as stored) cp.async to LDS, Stages - 1 of them ahead; with
//               Ahead, the chunks of the next step are loaded from LDS while one step is multiplied
//
//   ping-pong   (AMD, PingPong: 8 wavefronts, of which w and w + 4 share a SIMD) two groups, wavefronts 0 to 3 and 4 to 7: while one
//               gives its SIMD's matrix core work, the other one accesses memory and LDS
//
// Ping-pong. Barriers divide time in phases, and the groups are one phase, half a stage, apart:
//
//   phase      2n                   2n + 1               2n + 2
//   group 0    memory of n          products of n        memory of n + 1
//   group 1    products of n - 1    memory of n          products of n
//
// Memory of n: what the group holds of stage n + 1 is stored to LDS, stage n + 2 is asked for, and all chunks of stage n go from
// LDS to registers. Two halves of LDS are enough. Stage n is in half n % 2:
//
//   stored   in phases 2n - 2 (group 0's part) and 2n - 1 (group 1's); stage 0 before phase 0
//   read     in phases 2n (group 0) and 2n + 1 (group 1): behind the barrier between 2n - 1 and 2n, so all of it is there
//   stored over with stage n + 2 in phases 2n + 2 and 2n + 3: behind the barrier between 2n + 1 and 2n + 2, so both have read it
//
// Each barrier is sync::lds(), before which a wavefront waits for its LDS accesses: then its stores are there, and what it read is
// in registers. All wavefronts meet at one barrier instruction, 2 * stages + 1 times; group 1 does nothing in phase 0 and
// group 0 nothing in the last one.
//
// LDS holds chunks of 16 bytes of K, the order of which is twisted within each 128 bytes (TileSlots), so that 8 neighbouring
// lanes touch all banks in each of the ways in which they are read and written. Factors that are not contiguous along K are
// turned in registers: a work-item loads as many vectors as a chunk has elements, and stores as many chunks as a vector has.
//
// Order of the workgroups: neighbours in time share W or X (`group` tiles of M at a time, then the next of N); on AMD
// workgroups go to the XCDs in turn, so each XCD is given a contiguous part of that order, for its own L2.
//
// The sums go through LDS once more, some columns at a time, so that outputs are whole vectors of a row.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/factor.h"
#include "hk/gemm/groups.h"
#include "hk/gemm/split.h"
#include "hk/gemm/workgroup.h"
#include "hk/sync.h"

namespace hk {
namespace detail {

template <int TileN_, int TileM_, int KBytes_, int WavesN_, int WavesM_, int Stages_, int Resident_,
          bool Ahead_ = false, bool General_ = false, bool PingPong_ = false>
struct TileConfig {
  static constexpr int TileN = TileN_, TileM = TileM_, KBytes = KBytes_, WavesN = WavesN_, WavesM = WavesM_;
  static constexpr int Stages = Stages_;
  static constexpr int Resident = Resident_; ///< workgroups that a compute unit holds, by LDS and the compiler's report
  static constexpr bool Ahead = Ahead_;
  /// Whether there is a kernel for all layouts and, on NVIDIA, alignments; otherwise for aligned factors along K alone. On AMD
  /// every kernel takes every alignment.
  static constexpr bool General = General_;
  static constexpr bool PingPong = PingPong_; ///< see the top
  static_assert(!PingPong || (HK_AMD && WavesN * WavesM == 8), "two wavefronts on each of four SIMDs");
  static constexpr int Threads = WavesN * WavesM * WaveSize;
  static constexpr int TileX = HK_AMD ? 16 : 8;
  /// Tiles of the instruction that a wavefront has.
  static constexpr int RowTiles = TileN / WavesN / 16, ColTiles = TileM / WavesM / TileX;
  static_assert(RowTiles * WavesN * 16 == TileN && ColTiles * WavesM * TileX == TileM);
  static_assert(KBytes == 64 || KBytes % 128 == 0);

  static constexpr int StageBytes = (TileN + TileM) * KBytes;
  static constexpr int BlockBytes = KBytes, BytesAhead = (Stages - 1) * KBytes * TileN; ///< as in StreamConfig
  static constexpr int Pitch = TileN + 4;
  static constexpr int SumRows = WavesM * TileX; ///< that are in LDS at once
  static constexpr int SumsInLds = SumRows * Pitch;
  /// Whether a wavefront's sums leave registers for the rest.
  template <class Sum> static constexpr bool Holds = RowTiles * ColTiles * 4 * int(sizeof(Sum)) <= 512;
  /// Whether LDS holds all sums at once.
  template <class Sum>
  static constexpr bool Clusters = HK_NVIDIA && TileM * Pitch * int(sizeof(Sum)) <= Stages * StageBytes;
  template <class Sum> static constexpr int ldsBytes() {
    return largest(Stages * StageBytes, SumsInLds * int(sizeof(Sum)));
  }
};

/// Where a chunk of a row lies in LDS, in chunks: rows (pairs of rows of 64 bytes) are 128 bytes or a multiple, and chunks are
/// twisted within each 128 bytes. The twist is linear over the bits of the row, found by search so that 8 lanes touch 8 different
/// parts of 128 bytes if they
///
///   - read the same chunk of 8 neighbouring rows (AMD), or 4 chunks of 2 rows (NVIDIA),
///   - write the chunks of a row,
///   - Turned: write the same chunk of every 2nd, 4th, 8th or 16th row.
///
/// If not Turned, it repeats every 8 rows, so that a lane's addresses are one and constants.
template <int KBytes, bool Turned> struct TileSlots {
  static constexpr int InRow = KBytes / ChunkBytes;
  static HK_DEVICE constexpr int twist(int line) {
    constexpr bool Pairs = KBytes == 64;
    constexpr int Columns[8] = {Turned ? (Pairs ? 7 : 6) : Pairs ? 1 : 4,
                                Turned ? (Pairs ? 5 : 3) : Pairs ? 2 : 1,
                                Turned ? (Pairs ? 4 : 2) : Pairs ? 0 : 2,
                                Turned ? (Pairs ? 2 : 7) : 0,
                                Turned ? (Pairs ? 3 : 6) : 0,
                                Turned ? (Pairs ? 4 : 3) : 0,
                                Turned ? (Pairs ? 3 : 1) : 0,
                                Turned ? (Pairs ? 3 : 1) : 0};
    int result = 0;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit)
      result ^= (line >> bit & 1) * Columns[bit];
    return result;
  }
  static HK_DEVICE constexpr int of(int row, int chunk) {
    return KBytes == 64 ? row / 2 * 8 + ((row % 2 * 4 + chunk) ^ twist(row / 2))
                        : row * InRow + chunk / 8 * 8 + (chunk % 8 ^ twist(row));
  }
};

HK_DEVICE void storeChunk(char *lds, int slot, const uint32_t *words) { store16(lds + slot * ChunkBytes, words); }
HK_DEVICE void loadChunk(const char *lds, int slot, uint32_t (&words)[4]) {
  load16<Use::Cached>(lds + slot * ChunkBytes, words);
}

/// One work-item's share of bringing Tile rows of a factor to LDS by way of registers.
template <class R, int Tile, int KBytes, int Threads, bool Aligned, bool Contiguous = R::Contiguous> class TileLoader;

/// Contiguous along K: neighbouring work-items have neighbouring chunks of a row.
template <class R, int Tile, int KBytes, int Threads, bool Aligned>
class TileLoader<R, Tile, KBytes, Threads, Aligned, true> {
public:
  using Slots = TileSlots<KBytes, false>;
  static constexpr int Chunks = Tile * Slots::InRow, Each = (Chunks + Threads - 1) / Threads;

  HK_DEVICE TileLoader(const R &rows, int batch, int row0, int count) : rows(rows), row0(row0), last(count - 1 - row0) {
    base = rows.at(batch) + int64_t(row0) * rows.ld;
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      // A row that is not there is read as the last one, and its sums are not used.
      offset[n] = (uint32_t(readRow(n)) * uint32_t(rows.ld) + chunkOf(n) * R::Elements) * uint32_t(sizeof(typename R::Stored));
    }
  }

  /// Whether all rows can be loaded as if they were there.
  HK_DEVICE bool fits() const { return true; }

  /// Of K, the elements from \p k; \p count of them are there (Whole: the tile's, and fits()).
  template <bool Whole> HK_DEVICE void fetch(int k, int count) {
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      if (!takesPart(n))
        continue;
      const auto *from = atBytes(base + k, offset[n]);
      if constexpr (Whole)
        load<Aligned, Use::Cached>(chunk[n], from);
      else
        loadClamped(chunk[n], from, count - chunkOf(n) * R::Elements);
    }
  }

  template <bool Whole> HK_DEVICE void put(char *lds, int k, int count) const {
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      if (!takesPart(n))
        continue;
      uint32_t words[4];
      const int at = chunkOf(n) * R::Elements;
      rows.template convert<Whole>(chunk[n], words, row0 + readRow(n), k + at, count - at);
      storeChunk(lds, slotOf(n), words);
    }
  }

#if HK_NVIDIA
  /// The same without registers. What is not there becomes zeros.
  template <bool Whole> HK_DEVICE void copy(char *lds, int k, int count) const {
    static_assert(Aligned && !R::Converts);
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      if (!takesPart(n))
        continue;
      const int at = count - chunkOf(n) * R::Elements;
      const int bytes = Whole || at >= R::Elements ? ChunkBytes : at > 0 ? at * int(sizeof(typename R::Stored)) : 0;
      const uint32_t to = uint32_t(__cvta_generic_to_shared(lds + slotOf(n) * ChunkBytes));
      // Nothing is read of what is not there, but the address has to be one.
      const auto *from = Whole || bytes ? atBytes(base + k, offset[n]) : base;
      asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    }
  }
#endif

private:
  static HK_DEVICE bool takesPart(int n) { return Chunks % Threads == 0 || index(n) < Chunks; }
  static HK_DEVICE int index(int n) { return int(threadIdx.x) + n * Threads; }
  static_assert(Threads % Slots::InRow == 0);
  static HK_DEVICE int rowOf(int n) { return int(threadIdx.x) / Slots::InRow + n * (Threads / Slots::InRow); }
  static HK_DEVICE int chunkOf(int) { return int(threadIdx.x) % Slots::InRow; }
  /// rowOf(n) and chunkOf(n) in LDS.
  static HK_DEVICE int slotOf(int n) {
    if constexpr (Threads % (8 * Slots::InRow) == 0) // all rows of a work-item are twisted alike
      return Slots::of(rowOf(0), chunkOf(0)) + n * Threads;
    else
      return Slots::of(rowOf(n), chunkOf(n));
  }
  HK_DEVICE int readRow(int n) const { return rowOf(n) < last ? rowOf(n) : last; }

  const R &rows;
  const typename R::Stored *base;
  int row0, last;
  uint32_t offset[Each];
  typename R::Chunk chunk[Each];
};

/// Contiguous along the rows: neighbouring work-items have neighbouring vectors of rows.
template <class R, int Tile, int KBytes, int Threads, bool Aligned>
class TileLoader<R, Tile, KBytes, Threads, Aligned, false> {
public:
  using Slots = TileSlots<KBytes, true>;
  using Stored = typename R::Stored;
  static constexpr int Height = R::Elements, Width = ChunkElements<Stored>; // of a block: along K, along the rows
  static constexpr int BlocksInRow = Tile / Width, Blocks = BlocksInRow * Slots::InRow;
  static constexpr int Each = (Blocks + Threads - 1) / Threads;
  static_assert(Tile % Width == 0);

  HK_DEVICE TileLoader(const R &rows, int batch, int row0, int count)
      : rows(rows), base(rows.at(batch) + row0), row0(row0), there(count - row0) {}

  HK_DEVICE bool fits() const { return there >= Tile; }

  template <bool Whole> HK_DEVICE void fetch(int k, int count) {
    const Stored *from = base + int64_t(k) * rows.ld;
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      if (!takesPart(n))
        continue;
      const int row = rowOf(n), at = chunkOf(n) * Height;
#pragma unroll
      for (int e = 0; e < Height; ++e) {
        const int line = Whole || at + e < count ? at + e : count - 1;
        const Stored *start =
            atBytes(from, (uint32_t(line) * uint32_t(rows.ld) + uint32_t(row)) * uint32_t(sizeof(Stored)));
        Raw<Stored, Width> &to = vector[n][e];
        if constexpr (Whole) {
          load<Aligned, Use::Cached>(to, start);
        } else {
          loadClamped(to, start, there - row);
          if (at + e >= count)
            to.clear();
        }
      }
    }
  }

  template <bool Whole> HK_DEVICE void put(char *lds, int k, int count) const {
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      if (!takesPart(n))
        continue;
      const int at = chunkOf(n) * Height;
#pragma unroll
      for (int column = 0; column < Width; ++column) {
        typename R::Chunk chunk;
        turn(vector[n], column, chunk);
        uint32_t words[4];
        const int row = rowOf(n) + column < there ? rowOf(n) + column : there - 1;
        rows.template convert<Whole>(chunk, words, row0 + row, k + at, count - at);
        storeChunk(lds, Slots::of(rowOf(n) + column, chunkOf(n)), words);
      }
    }
  }

private:
  static HK_DEVICE bool takesPart(int n) { return Blocks % Threads == 0 || index(n) < Blocks; }
  static HK_DEVICE int index(int n) { return int(threadIdx.x) + n * Threads; }
  static HK_DEVICE int rowOf(int n) { return index(n) % BlocksInRow * Width; }
  static HK_DEVICE int chunkOf(int n) { return index(n) / BlocksInRow; }

  /// One column of a block.
  static HK_DEVICE void turn(const Raw<Stored, Width> (&from)[Height], int column, typename R::Chunk &to) {
    constexpr int Bytes = int(sizeof(Stored));
    if constexpr (Bytes >= 4) {
      constexpr int Words = Bytes / 4;
#pragma unroll
      for (int e = 0; e < Height; ++e)
#pragma unroll
        for (int word = 0; word < Words; ++word)
          to.words[e * Words + word] = from[e].words[column * Words + word];
    } else {
      constexpr int PerWord = 4 / Bytes, Bits = 8 * Bytes;
#pragma unroll
      for (int word = 0; word < R::Chunk::Words; ++word) {
        uint32_t bits = 0;
#pragma unroll
        for (int part = 0; part < PerWord; ++part) {
          const int e = word * PerWord + part;
          if (e < Height)
            bits |= (from[e].words[column / PerWord] >> (column % PerWord * Bits) & ((1u << Bits) - 1)) << (part * Bits);
        }
        to.words[word] = bits;
      }
    }
  }

  const R &rows;
  const Stored *base;
  int row0, there;
  Raw<Stored, Width> vector[Each][Height];
};

/// The tile of a workgroup: see the top.
HK_DEVICE void tileOf(const GemmExtent &extent, int workgroup, int &tileM, int &tileN) {
  int id = workgroup;
  if (const int xcds = extent.xcds; xcds > 1) {
    const int total = extent.tilesM * extent.tilesN, each = total / xcds, more = total % xcds, xcd = id % xcds;
    id = xcd * each + (xcd < more ? xcd : more) + id / xcds;
  }
  const int band = extent.group * extent.tilesN, first = id / band * extent.group;
  const int height = extent.tilesM - first < extent.group ? extent.tilesM - first : extent.group;
  tileM = first + id % band % height;
  tileN = id % band / height;
}

/// One wavefront's share of the products of a stage.
template <class Config, class W, class X> class TileProducts {
public:
  using Op = MatrixOp<typename W::Type, typename X::Type>;
  using Sum = typename Op::Sum;
  static constexpr int RowTiles = Config::RowTiles, ColTiles = Config::ColTiles;

  HK_DEVICE TileProducts(int waveN, int waveM, int lane)
      : rowW(waveN * RowTiles * 16), rowX(waveM * ColTiles * Op::TileX), lane(lane) {
#pragma unroll
    for (int t = 0; t < RowTiles; ++t)
#pragma unroll
      for (int c = 0; c < ColTiles; ++c)
        sums[t][c].clear();
  }

  static constexpr int Steps = Config::KBytes / Op::StepBytes;

  /// All chunks of a step, from a stage that begins at \p stage.
  HK_DEVICE void load(const char *stage, int step, int buffer) {
    const char *stageX = stage + Config::TileN * Config::KBytes;
#pragma unroll
    for (int c = 0; c < ColTiles; ++c)
      loadRow<X>(stageX, rowX, c * Op::TileX, Op::rowOfX(lane), step, x[buffer][c]);
#pragma unroll
    for (int t = 0; t < RowTiles; ++t)
#pragma unroll
      for (int half = 0; half < Op::WChunks; ++half)
        loadRow<W>(stage, rowW, t * 16 + 8 * half, Op::rowOfW(lane, 0), step, w[buffer][t][half]);
  }

  HK_DEVICE void multiply(int buffer) {
#pragma unroll
    for (int part = 0; part < Op::Parts; ++part)
#pragma unroll
      for (int t = 0; t < RowTiles; ++t)
#pragma unroll
        for (int c = 0; c < ColTiles; ++c)
          Op::multiply(sums[t][c], w[buffer][t], x[buffer][c], part);
  }

  /// A stage in two parts: its chunks to registers, and their products.
  HK_DEVICE void loadStage(const char *stage) {
#pragma unroll
    for (int step = 0; step < Steps; ++step)
      load(stage, step, step);
  }
  HK_DEVICE void multiplyLoaded() {
#pragma unroll
    for (int step = 0; step < Steps; ++step)
      multiply(step);
  }

  /// All steps of a stage.
  HK_DEVICE void multiplyStage(const char *stage) {
#pragma unroll
    for (int step = 0; step < Steps; ++step) {
      load(stage, step, 0);
      multiply(0);
    }
  }

  /// Writes the sums of column \p c of tiles to LDS, as tile \p place of rows: [row of X][row of W].
  HK_DEVICE void publish(Sum *lds, int c, int place) const {
#pragma unroll
    for (int t = 0; t < RowTiles; ++t)
#pragma unroll
      for (int r = 0; r < Op::Results; r += Op::Run) {
        Sum *to = lds + (place * Op::TileX + Op::resultX(lane, r)) * Config::Pitch + rowW + t * 16 + Op::resultW(lane, r);
        storeResults<Op>(to, sums[t][c], r);
      }
  }

private:
  /// This lane's chunk of row first + constant + own. \p constant is a multiple of 8.
  template <class R>
  HK_DEVICE void loadRow(const char *stage, int first, int constant, int own, int step, uint32_t (&words)[4]) const {
    using Slots = TileSlots<Config::KBytes, !R::Contiguous>;
    const int chunk = step * Op::Groups + Op::group(lane);
    if constexpr (R::Contiguous)
      loadChunk(stage + Slots::of(first + own, chunk) * ChunkBytes + constant * Config::KBytes, 0, words);
    else
      loadChunk(stage, Slots::of(first + constant + own, chunk), words);
  }

  int rowW, rowX, lane;
  static constexpr int Buffers = Config::PingPong ? Steps : Config::Ahead ? 2 : 1;
  uint32_t x[Buffers][ColTiles][4], w[Buffers][RowTiles][Op::WChunks][4];
  Sums<Sum> sums[RowTiles][ColTiles];
};

/// sync::lds() that nothing is moved across: matrix instructions access no memory, so that fences alone do not hold them.
HK_DEVICE void phaseBarrier() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_sched_barrier(0);
  sync::lds();
  __builtin_amdgcn_sched_barrier(0);
#endif
}

/// Of this wavefront's instructions over those of others on its SIMD: 0 to 3, 0 at the start.
template <int Priority> HK_DEVICE void setPriority() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_sched_barrier(0);
  __builtin_amdgcn_s_setprio(Priority);
  __builtin_amdgcn_sched_barrier(0);
#endif
}

/// Workgroups: x: tiles times splits of K, split innermost; z: batches.
/// Extent: GemmExtent or a GroupedExtent.
template <class Config, class W, class X, class Program, bool Aligned, class Extent>
__global__ __launch_bounds__(Config::Threads) void tileKernel(W w, X x, const Program program, Extent extent) {
  startNextKernel();
  using Products = TileProducts<Config, W, X>;
  using Sum = typename Products::Sum;
  constexpr int StageElements = Config::KBytes / int(sizeof(typename W::Type));
  char *lds = dynamicLds();
  const int lane = int(threadIdx.x) % WaveSize, wave = waveOf(int(threadIdx.x));
  const int waveN = wave % Config::WavesN, waveM = wave / Config::WavesN;
  const int split = int(blockIdx.x) % extent.splits;
  int batch = int(blockIdx.z), tileM, tileN;
  const BandFinder<Config::TileM, Extent> finder(extent, lane);
  if constexpr (IsGrouped<Extent>) {
    extent.tilesM = finder.bands();
    if (int(blockIdx.x) / extent.splits >= extent.tilesM * extent.tilesN)
      return;
  }
  tileOf(extent, int(blockIdx.x) / extent.splits, tileM, tileN);
  const int firstN = tileN * Config::TileN;
  int firstM = tileM * Config::TileM;
  const int tile = (batch * extent.tilesM + tileM) * extent.tilesN + tileN;
  if constexpr (IsGrouped<Extent>)
    if (!finder.enter(tileM, firstN, extent, w, x, batch, firstM))
      return;

  TileLoader<W, Config::TileN, Config::KBytes, Config::Threads, Aligned> loadW(w, batch, firstN, extent.n);
  TileLoader<X, Config::TileM, Config::KBytes, Config::Threads, Aligned> loadX(x, batch, firstM, extent.m);
  Products products(waveN, waveM, lane);

  const int stages = (extent.k + StageElements - 1) / StageElements;
  const StageTurns turns(stages, split, extent.splits, tile);
  const int count = turns.count;
  auto stageOf = [&](int n) { return turns.of(n); };
  // Stages before this one need no check.
  const int whole = loadW.fits() && loadX.fits() ? extent.k / StageElements : 0;

  uint32_t before = 0;
  constexpr bool Copies =
      HK_NVIDIA && Aligned && W::Contiguous && X::Contiguous && !W::Converts && !X::Converts;
  if constexpr (Copies) {
#if HK_NVIDIA
    auto address = [&](int n) { return lds + n % Config::Stages * Config::StageBytes; };
    auto copyW = [&](int n) {
      const int k = stageOf(n) * StageElements;
      if (stageOf(n) < whole)
        loadW.template copy<true>(address(n), k, StageElements);
      else
        loadW.template copy<false>(address(n), k, extent.k - k);
    };
    auto copyX = [&](int n) {
      const int k = stageOf(n) * StageElements;
      char *to = address(n) + Config::TileN * Config::KBytes;
      if (stageOf(n) < whole)
        loadX.template copy<true>(to, k, StageElements);
      else
        loadX.template copy<false>(to, k, extent.k - k);
    };
    constexpr int Ahead = Config::Stages - 1;
    auto next = [&](int n) { // waits for stage n, and lets stage n + Ahead in, where nobody reads any more
      asm volatile("cp.async.wait_group %0;" ::"n"(Ahead - 1) : "memory");
      __syncthreads();
      if (n + Ahead < count) {
        copyW(n + Ahead);
        copyX(n + Ahead);
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
    before = copyFirst<Ahead>(extent, tile, count, copyW, copyX);
    if constexpr (Config::Ahead) {
      // The chunks of the next step are on their way from LDS while this one's are multiplied.
      static_assert(Products::Steps % 2 == 0);
      if (count > 0) {
        next(0);
        products.load(address(0), 0, 0);
      }
      for (int n = 0; n < count; ++n) {
#pragma unroll
        for (int step = 0; step < Products::Steps; ++step) {
          if (step + 1 < Products::Steps) {
            products.load(address(n), step + 1, (step + 1) % 2);
          } else if (n + 1 < count) {
            next(n + 1);
            products.load(address(n + 1), 0, 0);
          }
          products.multiply(step % 2);
        }
      }
    } else {
      for (int n = 0; n < count; ++n) {
        next(n);
        products.multiplyStage(address(n));
      }
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
  } else {
    awaitPreviousKernel();
    before = beginPart(extent, tile);
    auto fetch = [&](int stage) {
      const int k = stage * StageElements;
      if (stage < whole) {
        loadW.template fetch<true>(k, StageElements);
        loadX.template fetch<true>(k, StageElements);
      } else {
        loadW.template fetch<false>(k, extent.k - k);
        loadX.template fetch<false>(k, extent.k - k);
      }
    };
    auto put = [&](int stage, char *to) {
      const int k = stage * StageElements;
      if (stage < whole) {
        loadW.template put<true>(to, k, StageElements);
        loadX.template put<true>(to + Config::TileN * Config::KBytes, k, StageElements);
      } else {
        loadW.template put<false>(to, k, extent.k - k);
        loadX.template put<false>(to + Config::TileN * Config::KBytes, k, extent.k - k);
      }
    };
    if (count > 0) {
      fetch(stageOf(0));
      put(stageOf(0), lds);
    }
    if constexpr (Config::PingPong) {
      int held = 0; // the stage that is in registers
      auto hold = [&](int n) {
        if (n < count)
          fetch(held = stageOf(n));
      };
      hold(1);
      const int group = wave / 4;
      int ahead = 1, half = 0;
      for (int phase = -group, last = 2 * count - group; phase <= last; ++phase) {
        phaseBarrier();
        // One after the other and not in branches of one condition: the compiler would hold sums in two places.
        if ((uint32_t(phase) & 0x80000001u) == 1) { // odd and not negative
          setPriority<1>();
          products.multiplyLoaded();
          setPriority<0>();
        }
        if (phase % 2 == 0 && phase < 2 * count) {
          if (ahead < count)
            put(held, lds + (Config::StageBytes - half));
          hold(++ahead);
          products.loadStage(lds + half);
          half = Config::StageBytes - half;
        }
      }
    } else {
      for (int n = 0; n < count; ++n) {
        sync::lds();
        if (n + 1 < count)
          fetch(stageOf(n + 1));
        products.multiplyStage(lds + n % 2 * Config::StageBytes);
        // The half that was read before the last barrier.
        if (n + 1 < count)
          put(stageOf(n + 1), lds + (n + 1) % 2 * Config::StageBytes);
      }
    }
  }

  Sum *sums = reinterpret_cast<Sum *>(lds);
  const TileFinisher<Program, Sum, Config::TileM, Config::TileN, Config::Threads> finisher(
      extent, program, batch, tile, split, tile * extent.splits, firstM, firstN, behindRow<Config>(sums));
  constexpr int TileX = Config::TileX;
  if constexpr (Config::template Clusters<Sum>)
    if (extent.clustered) {
      sync::lds();
#pragma unroll
      for (int c = 0; c < Config::ColTiles; ++c)
        products.publish(sums, c, waveM * Config::ColTiles + c);
      finisher.finishInCluster(sums, Config::Pitch);
      return;
    }
  bool last = true;
  constexpr int N = EpilogueVector, VectorsInRow = Config::TileN / N;
#pragma unroll
  for (int c = 0; c < Config::ColTiles; ++c) {
    sync::lds();
    products.publish(sums, c, waveM);
    if (c == 0)
      finisher.decide(before);
    sync::lds();
    if (c == 0)
      last = finisher.isLast();
    for (int at = int(threadIdx.x); at < Config::SumRows * VectorsInRow; at += Config::Threads) {
      const int inLds = at / VectorsInRow, vector = at % VectorsInRow;
      const int row = (inLds / TileX * Config::ColTiles + c) * TileX + inLds % TileX;
      Raw<Sum, N> raw;
      load<true, Use::Cached>(raw, sums + inLds * Config::Pitch + vector * N);
      Sum values[N];
      raw.unpack(values);
      if (firstM + row < extent.m)
        finisher.add(last, row, vector, values);
    }
  }
  finisher.finish(last);
}

} // namespace detail
} // namespace hk
