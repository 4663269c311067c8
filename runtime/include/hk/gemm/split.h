//===- hk/gemm/split.h - Workgroups that share K ------------------------------===//
//
// With fewer tiles than compute units, K is split: each workgroup of a tile adds up its part of K (parts take turns, block by
// block). The one that began last waits for the others, which write their sums to a workspace, in f32 (or what is summed in);
// it adds them and its own in the fixed order of the parts, and finishes the tile. So the same bits come out whichever is last,
// the output is written once and never read, and of `splits` parts one never leaves the workgroup. Nobody waits for a
// workgroup that has not begun, so that none has to be resident for another.
//
// NVIDIA (sm_90): up to 8 splits are a cluster. Their sums stay in LDS, each finishes a part of the tile from the LDS of all, in the
// same order, and no workspace is needed.
//
// Streamed (stream-K): instead of as many parts for each tile, all tiles' blocks of K, one tile after another, are cut in as many equal
// shares as the device holds workgroups. A share goes over one or more tiles, or is a part of one; a tile has as many parts as
// shares reach into it. Every workgroup has as much to do, whatever the number of tiles. A workgroup begins with its part of a
// tile when that comes, and waits for nobody before it has written it: the argument above holds for every tile.
//
// A counter for each tile has those that began in its lower half, and those that have written in its upper one; the last one
// sets it back to zero. So the workspace is cleared once, when it is made, and every launch, or replay of a graph, leaves it as it
// was.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/epilogue.h"
#include "hk/gemm/workgroup.h"
#include "hk/platform.h"
#include "hk/sync.h"

namespace hk {

/// Memory for the sums of workgroups that share K: gemmWorkspaceBytes() say how much. It belongs to one launch at a time: use one
/// per stream, and one per graph that may run beside others. Prepare it once with prepareGemmWorkspace(); every launch leaves it
/// ready for the next, so that graphs which are replayed need no reset.
///
/// Without one, hk::gemm takes memory from the stream's pool for the time of the launch, unless the stream is being captured: then
/// K is not split.
struct GemmWorkspace {
  void *data = nullptr;
  size_t bytes = 0;
};

namespace detail {

/// Counters at the workspace's beginning, whatever the problem; tiles beyond them are not split.
constexpr int GemmCounters = 16384;
constexpr int MostSplits = 0x7fff; ///< that a counter counts
constexpr size_t GemmPartialsOffset = GemmCounters * sizeof(uint32_t);

inline hipError_t clearGemmCounters(void *workspace, hipStream_t stream) {
  return hipMemsetAsync(workspace, 0, GemmPartialsOffset, stream);
}

/// The problem as the kernels see it. n counts W's rows (columns of the output), m X's.
struct GemmExtent {
  int m, n, k;
  int tilesM, tilesN;
  int splits;     ///< workgroups that share a tile
  int group;      ///< tiles of M that follow each other before the next of N: see tileOf()
  int xcds;       ///< parts of the device that workgroups go to in turn
  bool clustered; ///< the splits of a tile are a cluster
  bool constantW; ///< the kernel before this one does not write W
  void *workspace; ///< if splits > 1 without a cluster
};


/// GemmExtent of a streamed launch; splits is not used.
struct StreamedExtent : GemmExtent {
  int rounds; ///< of a tile: what K is cut in
  int share;  ///< rounds of a workgroup, at least 1
  int more;   ///< the first workgroups that have one more
};

/// The parts of tiles in a workgroup's share.
class SharesOfTiles {
public:
  HK_DEVICE SharesOfTiles(const StreamedExtent &extent, int workgroup)
      : rounds(uint32_t(extent.rounds)), share(uint32_t(extent.share)), more(uint32_t(extent.more)), at(cut(uint32_t(workgroup))),
        last(cut(uint32_t(workgroup) + 1)), workgroup(workgroup) {}

  /// To the next part; false if there is none.
  HK_DEVICE bool next() {
    if (at >= last)
      return false;
    const uint32_t of = at / rounds, from = of * rounds, to = from + rounds < last ? from + rounds : last;
    tile = int(of), begin = int(at - from), end = int(to - from);
    at = to;
    const int first = owner(from);
    parts = owner(from + rounds - 1) - first + 1;
    part = workgroup - first;
    // Along all shares and tiles, each part is in a later share or a later tile than the one before.
    partsAt = first + tile;
    return true;
  }

  int tile, begin, end; ///< rounds of the tile
  int part, parts;
  int partsAt;

private:
  /// Where a share begins; and whose a round is.
  HK_DEVICE uint32_t cut(uint32_t of) const { return of * share + (of < more ? of : more); }
  HK_DEVICE int owner(uint32_t round) const {
    const uint32_t larger = more * (share + 1);
    return int(round < larger ? round / (share + 1) : more + (round - larger) / share);
  }

  uint32_t rounds, share, more, at, last;
  int workgroup;
};

/// This workgroup begins with its part of a tile: how many have before it, in work-item 0. After awaitPreviousKernel().
HK_DEVICE uint32_t beginPart(const GemmExtent &extent, int tile) {
  if (extent.splits <= 1 || extent.clustered || threadIdx.x != 0)
    return 0;
  return atomicAdd(static_cast<uint32_t *>(extent.workspace) + tile, 1u) & 0xffff;
}

#if HK_NVIDIA
/// Starts the copies of the first Ahead of \p count stages, a group of cp.async each, and begins with the part: beginPart(). What
/// the kernel before has not written is copied before that has ended.
template <int Ahead, class CopyW, class CopyX>
HK_DEVICE uint32_t copyFirst(const GemmExtent &extent, int tile, int count, CopyW copyW, CopyX copyX) {
  if (!extent.constantW)
    awaitPreviousKernel();
#pragma unroll
  for (int n = 0; n < Ahead; ++n)
    if (n < count)
      copyW(n);
  if (extent.constantW)
    awaitPreviousKernel();
  const uint32_t before = beginPart(extent, tile);
#pragma unroll
  for (int n = 0; n < Ahead; ++n) {
    if (n < count)
      copyX(n);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  return before;
}
#endif

/// A word behind the first row of sums in LDS, which they do not reach.
template <class Config, class Sum> HK_DEVICE uint32_t *behindRow(Sum *lds) {
  static_assert(Config::Pitch > Config::TileN);
  return reinterpret_cast<uint32_t *>(lds + Config::TileN);
}

/// Finishes the vectors of a tile, in one piece or several: decide(), a barrier, then add() for each vector that this work-item
/// owns, the same ones in every split, then finish(). Rows are m, columns n.
template <class Program, class Sum, int TileM, int TileN, int Threads> class TileFinisher {
public:
  static constexpr int N = EpilogueVector;
  static constexpr int VectorsInRow = TileN / N;

  /// \p partsAt: where the tile's parts are in the workspace, in parts. \p last: a word of LDS that nobody else uses from decide()
  /// on.
  HK_DEVICE TileFinisher(const GemmExtent &extent, const Program &program, int batch, int tile, int split, int partsAt,
                         int row0, int column0, uint32_t *last)
      : extent(extent), finisher(program, batch), tile(tile), split(split), partsAt(partsAt), row0(row0), column0(column0),
        last(last) {}

  /// \p before: of beginPart().
  HK_DEVICE void decide(uint32_t before) const {
    if (!isShared() || threadIdx.x != 0)
      return;
    const bool is = before == uint32_t(extent.splits) - 1;
    if (is) {
      // The others have begun, so that they end whatever happens.
      while (atomicAdd(counter(), 0u) >> 16 != uint32_t(extent.splits) - 1)
        pause();
      atomicExch(counter(), 0u);
    }
    *last = is;
  }

  /// After the barrier.
  HK_DEVICE bool isLast() const {
    if (!isShared())
      return true;
    const bool is = waveUniform(*last) != 0;
    if (is)
      __threadfence();
    return is;
  }

  /// Vectors that are finished at once, where nothing else is added: on NVIDIA those of a workgroup whose epilogue reads something, so
  /// that it waits for that once and not for each.
  static constexpr int AtOnce = HK_NVIDIA && Program::Extras::Size > 0 ? 4 : 1;

  /// As add() for AtOnce vectors, without splits. Rows from TileM on are not there.
  HK_DEVICE void addSeveral(const int (&rows)[AtOnce], const int (&vectors)[AtOnce], const Sum (&sums)[AtOnce][N]) const {
    int at[AtOnce], columns[AtOnce], counts[AtOnce];
#pragma unroll
    for (int v = 0; v < AtOnce; ++v) {
      at[v] = row0 + rows[v], columns[v] = column0 + vectors[v] * N;
      counts[v] = rows[v] < TileM && at[v] < extent.m ? extent.n - columns[v] : 0;
    }
    finisher.several(at, columns, sums, counts);
  }

  HK_DEVICE void add(bool isLast, int row, int vector, const Sum (&sums)[N]) const {
    if (!isShared())
      return finish(row, vector, sums);
    const int at = row * VectorsInRow + vector;
    if (!isLast)
      return storeSums(partial(split, at), sums);
    Sum all[N] = {};
    addParts(all, 0, split, at);
#pragma unroll
    for (int n = 0; n < N; ++n)
      all[n] += sums[n];
    addParts(all, split + 1, extent.splits, at);
    finish(row, vector, all);
  }

  /// All work-items of the workgroup, after their last add().
  HK_DEVICE void finish(bool isLast) const {
    if (!isShared() || isLast)
      return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
      atomicAdd(counter(), 1u << 16);
  }

  /// In place of all that, where the splits of a tile are a cluster: each has its sums in LDS, [row][pitch], and finishes
  /// its share of the vectors. All work-items.
  HK_DEVICE void finishInCluster([[maybe_unused]] const Sum *lds, [[maybe_unused]] int pitch) const {
#if HK_NVIDIA && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    const int rows = extent.m - row0 < TileM ? extent.m - row0 : TileM, vectors = rows * VectorsInRow;
    const int share = (vectors + extent.splits - 1) / extent.splits;
    const int end = (split + 1) * share < vectors ? (split + 1) * share : vectors;
    for (int at = split * share + int(threadIdx.x); at < end; at += Threads) {
      const Sum *own = lds + at / VectorsInRow * pitch + at % VectorsInRow * N;
      const uint32_t here = uint32_t(__cvta_generic_to_shared(own));
      Sum sums[N] = {};
#pragma unroll 8
      for (int part = 0; part < extent.splits; ++part) {
        Raw<Sum, N> raw;
        uint32_t there;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(part));
#pragma unroll
        for (int word = 0; word < Raw<Sum, N>::Words; word += 4)
          asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(raw.words[word]), "=r"(raw.words[word + 1]), "=r"(raw.words[word + 2]),
                         "=r"(raw.words[word + 3])
                       : "r"(there + 4 * word));
        addSums(sums, raw);
      }
      finish(at / VectorsInRow, at % VectorsInRow, sums);
    }
    // Others may still read this workgroup's LDS.
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  }

private:
  HK_DEVICE bool isShared() const { return extent.splits > 1; }
  HK_DEVICE uint32_t *counter() const { return static_cast<uint32_t *>(extent.workspace) + tile; }
  static HK_DEVICE void pause() {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
    __builtin_amdgcn_s_sleep(1);
#elif __CUDA_ARCH__ >= 700
    __nanosleep(20);
#endif
  }
  /// Parts [from, to) of vector \p at.
  HK_DEVICE void addParts(Sum (&sums)[N], int from, int to, int at) const {
#pragma unroll 4
    for (int part = from; part < to; ++part) { // loads of several at once
      Raw<Sum, N> raw;
      load<true, Use::Cached>(raw, partial(part, at));
      addSums(sums, raw);
    }
  }
  HK_DEVICE void finish(int row, int vector, const Sum (&sums)[N]) const {
    const int column = column0 + vector * N;
    if (row0 + row < extent.m)
      finisher(row0 + row, column, sums, extent.n - column);
  }
  HK_DEVICE Sum *partial(int part, int vector) const {
    Sum *partials = reinterpret_cast<Sum *>(static_cast<char *>(extent.workspace) + GemmPartialsOffset);
    return partials + (int64_t(partsAt + part) * (TileM * VectorsInRow) + vector) * N;
  }

  const GemmExtent &extent;
  Finisher<Program> finisher;
  int tile, split;
  int partsAt;
  int row0, column0;
  uint32_t *last;
};

/// Adds up the parts of a tile's sums that the workgroup has written to LDS, [Config::Parts][TileM][Pitch], and finishes the tile.
/// All work-items. \p before: of beginPart(). \p partsAt: where the tile's parts are in the workspace, in parts.
template <class Config, class Sum, class Program>
HK_DEVICE void finishParts(const GemmExtent &extent, const Program &program, int batch, int tile, int split, int partsAt,
                           int firstM, int firstN, uint32_t before, Sum *lds) {
  const TileFinisher<Program, Sum, Config::TileM, Config::TileN, Config::Threads> finisher(
      extent, program, batch, tile, split, partsAt, firstM, firstN, behindRow<Config>(lds));
  const bool clustered = HK_NVIDIA && extent.clustered;
  if (!clustered)
    finisher.decide(before);
  sync::lds();
  const bool last = clustered || finisher.isLast();
  constexpr int N = EpilogueVector, VectorsInRow = Config::TileN / N, Vectors = Config::TileM * VectorsInRow;
  auto sumUp = [&](int row, int vector, Sum (&sums)[N]) {
#pragma unroll
    for (int part = 0; part < Config::Parts; ++part) {
      Raw<Sum, N> raw;
      load<true, Use::Cached>(raw, lds + (part * Config::TileM + row) * Config::Pitch + vector * N);
      addSums(sums, raw);
    }
  };
  using Finish = std::decay_t<decltype(finisher)>;
  if constexpr (Finish::AtOnce > 1 && Vectors >= Finish::AtOnce * Config::Threads) {
    if (extent.splits <= 1) {
      for (int first = int(threadIdx.x); first < Vectors; first += Finish::AtOnce * Config::Threads) {
        Sum sums[Finish::AtOnce][N] = {};
        int rows[Finish::AtOnce], vectors[Finish::AtOnce];
#pragma unroll
        for (int v = 0; v < Finish::AtOnce; ++v) {
          const int at = first + v * Config::Threads;
          rows[v] = at / VectorsInRow, vectors[v] = at % VectorsInRow;
          if (at < Vectors)
            sumUp(rows[v], vectors[v], sums[v]);
        }
        finisher.addSeveral(rows, vectors, sums);
      }
      return;
    }
  }
  for (int at = int(threadIdx.x); at < Vectors; at += Config::Threads) {
    const int row = at / VectorsInRow, vector = at % VectorsInRow;
    Sum sums[N] = {};
    sumUp(row, vector, sums);
    if (firstM + row >= extent.m)
      continue;
    if (clustered)
      storeSums(lds + row * Config::Pitch + vector * N, sums);
    else
      finisher.add(last, row, vector, sums);
  }
  if (clustered)
    finisher.finishInCluster(lds, Config::Pitch);
  else
    finisher.finish(last);
}

} // namespace detail

/// Makes fresh memory, aligned to 16, ready in the order of \p stream.
inline hipError_t prepareGemmWorkspace(GemmWorkspace workspace, hipStream_t stream) {
  if (!workspace.data || workspace.bytes < detail::GemmPartialsOffset)
    return hipErrorInvalidValue;
  return detail::clearGemmCounters(workspace.data, stream);
}

} // namespace hk
