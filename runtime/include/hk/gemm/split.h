//===- hk/gemm/split.h - Workgroups that share K ------------------------------===//
//
// With fewer tiles than compute units, K is split: each workgroup of a tile adds up its part of K (parts take turns, block by block) and writes the sums to a
// workspace, in f32 (or what is summed in). The one that arrives last adds up all parts in a fixed order and finishes the
// tile. So the same bits come out whichever is last, the output is written once and never read, and nobody waits: no
// workgroup has to be resident for another.
//
// NVIDIA (sm_90): up to 8 splits are a cluster. Their sums stay in LDS, each finishes a part of the tile from the LDS of all, in the
// same order, and no workspace is needed.
//
// A counter for each tile tells who is last; that one sets it back to zero. So the workspace is cleared once, when it is
// made, and every launch, or replay of a graph, leaves it as it was.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/epilogue.h"
#include "hk/gemm/workgroup.h"
#include "hk/platform.h"

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


/// Says that this workgroup has stored its part. True in the last of \p splits, which then sees all others' parts. \p last: a
/// word of LDS that nobody else uses by then.
HK_DEVICE bool arriveLast(uint32_t *counter, int splits, uint32_t *last) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    const uint32_t before = atomicAdd(counter, 1u);
    const bool is = before == uint32_t(splits) - 1;
    *last = is;
    if (is)
      atomicExch(counter, 0u);
  }
  __syncthreads();
  const bool is = *last != 0;
  if (is)
    __threadfence();
  return is;
}

/// Finishes the vectors of a tile, in one piece or several: call add() for each vector that this work-item owns, the same ones
/// in every split, then finish(). Rows are m, columns n.
template <class Program, class Sum, int TileM, int TileN, int Threads> class TileFinisher {
public:
  static constexpr int N = EpilogueVector;
  static constexpr int VectorsInRow = TileN / N;

  HK_DEVICE TileFinisher(const GemmExtent &extent, const Program &program, int batch, int tile, int split, int row0,
                         int column0, uint32_t *last)
      : extent(extent), finisher(program, batch), tile(tile), split(split), row0(row0), column0(column0), last(last) {}

  HK_DEVICE void add(int row, int vector, const Sum (&sums)[N]) const {
    if (extent.splits > 1)
      storeSums(partial(split, row * VectorsInRow + vector), sums);
    else
      finish(row, vector, sums);
  }

  /// All work-items of the workgroup, after their last add().
  HK_DEVICE void finish() const {
    if (extent.splits <= 1 || !arriveLast(static_cast<uint32_t *>(extent.workspace) + tile, extent.splits, last))
      return;
    const int rows = extent.m - row0 < TileM ? extent.m - row0 : TileM;
    for (int at = int(threadIdx.x); at < rows * VectorsInRow; at += Threads) {
      Sum sums[N] = {};
#pragma unroll 8
      for (int part = 0; part < extent.splits; ++part) { // loads of several at once
        Raw<Sum, N> raw;
        load<true, Use::Cached>(raw, partial(part, at));
        addSums(sums, raw);
      }
      finish(at / VectorsInRow, at % VectorsInRow, sums);
    }
  }

  /// In place of add() and finish(), where the splits of a tile are a cluster: each has its sums in LDS, [row][pitch], and finishes
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
  HK_DEVICE void finish(int row, int vector, const Sum (&sums)[N]) const {
    const int column = column0 + vector * N;
    if (row0 + row < extent.m)
      finisher(row0 + row, column, sums, extent.n - column);
  }
  HK_DEVICE Sum *partial(int part, int vector) const {
    Sum *partials = reinterpret_cast<Sum *>(static_cast<char *>(extent.workspace) + GemmPartialsOffset);
    return partials + ((int64_t(tile) * extent.splits + part) * (TileM * VectorsInRow) + vector) * N;
  }

  const GemmExtent &extent;
  Finisher<Program> finisher;
  int tile, split, row0, column0;
  uint32_t *last;
};

} // namespace detail

/// Makes fresh memory, aligned to 16, ready in the order of \p stream.
inline hipError_t prepareGemmWorkspace(GemmWorkspace workspace, hipStream_t stream) {
  if (!workspace.data || workspace.bytes < detail::GemmPartialsOffset)
    return hipErrorInvalidValue;
  return detail::clearGemmCounters(workspace.data, stream);
}

} // namespace hk
