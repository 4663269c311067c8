//===- hk/gemm/split.h - Workgroups that share K ------------------------------===//
//
// With fewer tiles than compute units, K is split: each workgroup of a tile adds up its part of K and writes the sums to a
// workspace, in f32 (or what is summed in). The one that arrives last adds up all parts in the order of K and finishes the
// tile. So the same bits come out whichever is last, the output is written once and never read, and nobody waits: no
// workgroup has to be resident for another.
//
// A counter for each tile tells who is last; that one sets it back to zero. So the workspace is cleared once, when it is
// made, and every launch, or replay of a graph, leaves it as it was.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/epilogue.h"
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
  int splits;       ///< workgroups that share a tile
  int stepsInSplit; ///< of K, for all splits but the last
  int group;        ///< tiles of M that follow each other before the next of N: see tileOf()
  int xcds;         ///< parts of the device that workgroups go to in turn
  bool constantW;   ///< the kernel before this one does not write W
  void *workspace;  ///< if splits > 1
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
      storePart(row * VectorsInRow + vector, sums);
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
      for (int part = 0; part < extent.splits; ++part) {
        Raw<SumType, N> raw;
        load<true, Use::Cached>(raw, partial(part, at));
        Sum values[N];
        raw.unpack(values);
#pragma unroll
        for (int n = 0; n < N; ++n)
          sums[n] += values[n];
      }
      finish(at / VectorsInRow, at % VectorsInRow, sums);
    }
  }

private:
  using SumType = Sum;

  HK_DEVICE void finish(int row, int vector, const Sum (&sums)[N]) const {
    const int column = column0 + vector * N;
    if (row0 + row < extent.m)
      finisher(row0 + row, column, sums, extent.n - column);
  }
  HK_DEVICE Sum *partial(int part, int vector) const {
    Sum *partials = reinterpret_cast<Sum *>(static_cast<char *>(extent.workspace) + GemmPartialsOffset);
    return partials + ((int64_t(tile) * extent.splits + part) * (TileM * VectorsInRow) + vector) * N;
  }
  HK_DEVICE void storePart(int vector, const Sum (&sums)[N]) const {
    Raw<SumType, N> raw;
    raw.template pack<Overflow::Special>(sums);
    store<true>(partial(split, vector), raw);
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
