//===- hk/gemm/warpgroup_kernel.h - Tiles for warpgroups (sm_90a) -------------===//
//
// For aligned factors that are contiguous along K and multiplied as stored: both go to LDS by cp.async, and four warps at a time
// multiply them from there (hk/gemm/warpgroup_instructions.h), without registers for anything but the sums. Unlike in
// hk/gemm/tile_kernel.h no warp loads what another one has loaded, so that LDS is no limit.
//
//   a workgroup   Groups warpgroups with RowTiles * 64 rows of W each, and TileM of X, over its split of K
//   a stage       Panels * 128 bytes of K of all these rows
//   in turn       stage n is multiplied while n + 1, ..., n + Stages - 2 are on their way, and perhaps n - 1 still is multiplied.
//                 Deep: when all of n - 1 is, so that n + Stages - 1 can be on its way, too: for few rows, where LDS is better used
//                 for more bytes that are under way, or left to the next kernel's workgroups.
//
// Splits take turns over K. The sums go through LDS, so that outputs are whole vectors of a row.
//
// fp8: the instruction adds up with fewer bits than f32 has (see hk/gemm.h), so that only the products of a stage are left to it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/tile_kernel.h"
#include "hk/gemm/warpgroup_instructions.h"

namespace hk {
namespace detail {

template <int RowTiles_, int Groups_, int TileM_, int Panels_, int Stages_, int Resident_, bool Deep_ = false>
struct WarpgroupConfig {
  static constexpr int RowTiles = RowTiles_, Groups = Groups_, TileM = TileM_, Panels = Panels_, Stages = Stages_;
  static constexpr int Resident = Resident_; ///< workgroups that a compute unit holds, by LDS and the compiler's report
  static constexpr bool Deep = Deep_;
  static constexpr int Ahead = Stages - (Deep ? 1 : 2); ///< stages that are on their way
  static constexpr int TileN = RowTiles * Groups * 64, Threads = Groups * 128;
  static constexpr int KBytes = Panels * PanelBytes;
  static constexpr int StageBytes = (TileN + TileM) * KBytes;
  static constexpr int BlockBytes = KBytes, BytesAhead = Ahead * KBytes * TileN; ///< as in StreamConfig
  static_assert(Ahead >= 1);

  static constexpr int Parts = 1, Pitch = TileN + 4;
  static constexpr int SumsInLds = TileM * Pitch;
  /// Whether registers hold the sums: types of a byte may have two sets.
  template <class T> static constexpr bool Holds = RowTiles * TileM / 2 * (sizeof(T) == 1 ? 2 : 1) <= 128;
  /// LDS begins anywhere, and the stages at a multiple of 1024.
  template <class Sum> static constexpr int ldsBytes() {
    return largest(Stages * StageBytes, SumsInLds * int(sizeof(Sum))) + 1024;
  }
};

/// Whether factors may be multiplied by warpgroups where there are any.
template <class W, class X>
constexpr bool takesWarpgroups = W::Contiguous && X::Contiguous && !W::Converts && !X::Converts &&
                                 hasWarpgroups<typename W::Type, typename X::Type>;

#if HK_WARPGROUPS

/// One work-item's share of copying Rows rows of a factor to panels.
template <class R, int Rows, int Panels, int Threads> class PanelLoader {
public:
  HK_DEVICE PanelLoader(const R &rows, int batch, int row0, int count) {
    base = rows.at(batch) + int64_t(row0) * rows.ld;
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      // A row that is not there is read as the last one, and its sums are not used.
      const int row = rowOf(n) < count - row0 ? rowOf(n) : count - 1 - row0;
      offset[n] = (uint32_t(row) * uint32_t(rows.ld) + uint32_t(chunkOf(n) * R::Elements)) * uint32_t(sizeof(typename R::Stored));
    }
  }

  /// Elements from \p k on, \p count of which are there: the others become zeros.
  HK_DEVICE void copy(char *lds, int k, int count) const {
#pragma unroll
    for (int n = 0; n < Each; ++n) {
      if (Chunks % Threads != 0 && index(n) >= Chunks)
        continue;
      const int at = count - chunkOf(n) * R::Elements;
      const int bytes = at >= R::Elements ? ChunkBytes : at > 0 ? at * int(sizeof(typename R::Stored)) : 0;
      const int slot = chunkOf(n) / 8 * (Rows * 8) + panelSlot(rowOf(n), chunkOf(n) % 8);
      // Nothing is read of what is not there, but the address has to be one.
      const auto *from = bytes ? atBytes(base + k, offset[n]) : base;
      asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(
                       uint32_t(__cvta_generic_to_shared(lds + slot * ChunkBytes))),
                   "l"(from), "r"(bytes)
                   : "memory");
    }
  }

private:
  static constexpr int InRow = Panels * 8, Chunks = Rows * InRow, Each = (Chunks + Threads - 1) / Threads;
  static HK_DEVICE int index(int n) { return int(threadIdx.x) + n * Threads; }
  static HK_DEVICE int rowOf(int n) { return index(n) / InRow; }
  static HK_DEVICE int chunkOf(int n) { return index(n) % InRow; }

  const typename R::Stored *base;
  uint32_t offset[Each];
};

/// A warpgroup's products.
template <class Config, class W, class X> class WarpgroupProducts {
public:
  using Sum = typename SumOf<W>::Type;
  using Op = MatrixOp<W, X>;
  static constexpr int ColTiles = Config::TileM / 8;

  HK_DEVICE WarpgroupProducts() {
    clear(sums);
    clear(stageSums);
  }

  /// Begins with those of the stage at \p stage. Those of the one before have ended afterwards.
  template <class Between> HK_DEVICE void multiply(const char *stage, int group, Between between) {
    auto &to = Separate ? stageSums : sums;
    if (Separate)
      clear(to);
    beginWarpgroup();
    const char *stageX = stage + Config::TileN * Config::KBytes;
#pragma unroll
    for (int panel = 0; panel < Config::Panels; ++panel)
#pragma unroll
      for (int step = 0; step < PanelBytes; step += WarpgroupStepBytes)
#pragma unroll
        for (int t = 0; t < Config::RowTiles; ++t)
          WarpgroupInstruction<W, X, Config::TileM>::run(
              to[t],
              panelDescriptor(stage + (panel * Config::TileN + (group * Config::RowTiles + t) * 64) * PanelBytes + step),
              panelDescriptor(stageX + panel * Config::TileM * PanelBytes + step));
    endWarpgroup();
    between();
    if constexpr (Separate) {
      awaitWarpgroups<0>();
#pragma unroll
      for (int t = 0; t < Config::RowTiles; ++t)
#pragma unroll
        for (int c = 0; c < ColTiles; ++c)
#pragma unroll
          for (int r = 0; r < 4; ++r)
            sums[t][c].value[r] += stageSums[t][c].value[r];
    } else {
      awaitWarpgroups<1>();
    }
  }

  HK_DEVICE void end() { awaitWarpgroups<0>(); }

  /// Writes the sums to LDS: [row of X][row of W].
  HK_DEVICE void publish(Sum *lds, int group, int wave, int lane) const {
#pragma unroll
    for (int t = 0; t < Config::RowTiles; ++t)
#pragma unroll
      for (int c = 0; c < ColTiles; ++c)
#pragma unroll
        for (int r = 0; r < 4; ++r)
          lds[(c * 8 + Op::resultX(lane, r)) * Config::Pitch + (group * Config::RowTiles + t) * 64 + wave * 16 +
              Op::resultW(lane, r)] = sums[t][c].value[r];
  }

private:
  static constexpr bool Separate = isFp8<W>;
  using Tiles = Sums<Sum>[Config::RowTiles][ColTiles];
  static HK_DEVICE void clear(Tiles &tiles) {
#pragma unroll
    for (int t = 0; t < Config::RowTiles; ++t)
#pragma unroll
      for (int c = 0; c < ColTiles; ++c)
        tiles[t][c].clear();
  }
  Tiles sums, stageSums; ///< the latter if Separate
};

/// Workgroups: x: tiles times splits of K, split innermost; z: batches.
template <class Config, class W, class X, class Program>
__global__ __launch_bounds__(Config::Threads, Config::Resident) void warpgroupKernel(const W w, const X x, const Program program,
                                                                                      const GemmExtent extent) {
  startNextKernel();
  using Products = WarpgroupProducts<Config, typename W::Type, typename X::Type>;
  using Sum = typename Products::Sum;
  constexpr int StageElements = Config::KBytes / int(sizeof(typename W::Type));
  char *lds = dynamicLds();
  lds += -uint32_t(__cvta_generic_to_shared(lds)) % 1024;
  const int wave = int(threadIdx.x) / WaveSize, group = wave / 4;
  const int split = int(blockIdx.x) % extent.splits, batch = int(blockIdx.z);
  int tileM, tileN;
  tileOf(extent, int(blockIdx.x) / extent.splits, tileM, tileN);
  const int firstN = tileN * Config::TileN, firstM = tileM * Config::TileM;
  const int tile = (batch * extent.tilesM + tileM) * extent.tilesN + tileN;
  uint32_t before;
  {
    const PanelLoader<W, Config::TileN, Config::Panels, Config::Threads> loadW(w, batch, firstN, extent.n);
    const PanelLoader<X, Config::TileM, Config::Panels, Config::Threads> loadX(x, batch, firstM, extent.m);
    Products products;

    const int stages = (extent.k + StageElements - 1) / StageElements;
    const StageTurns turns(stages, split, extent.splits, tile);
    const int count = turns.count;
    auto startOf = [&](int n) { return turns.of(n) * StageElements; };
    auto address = [&](int n) { return lds + n % Config::Stages * Config::StageBytes; };
    auto copyW = [&](int n) { loadW.copy(address(n), startOf(n), extent.k - startOf(n)); };
    auto copyX = [&](int n) {
      loadX.copy(address(n) + Config::TileN * Config::KBytes, startOf(n), extent.k - startOf(n));
    };
    constexpr int Ahead = Config::Ahead;
    before = copyFirst<Ahead>(extent, tile, count, copyW, copyX);
    for (int n = 0; n < count; ++n) {
      // This work-item's copies are there, then everybody's; and nobody multiplies from where n + Ahead will be any more.
      if (Config::Deep)
        products.end();
      asm volatile("cp.async.wait_group %0;" ::"n"(Ahead - 1) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncthreads();
      products.multiply(address(n), group, [&] {
        if (n + Ahead < count) {
          copyW(n + Ahead);
          copyX(n + Ahead);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
      });
    }
    products.end();
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    products.publish(reinterpret_cast<Sum *>(lds), group, wave % 4, int(threadIdx.x) % WaveSize);
  }
  finishParts<Config, Sum>(extent, program, batch, tile, split, tile * extent.splits, firstM, firstN, before,
                           reinterpret_cast<Sum *>(lds));
}

#endif

} // namespace detail
} // namespace hk
