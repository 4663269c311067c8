//===- hk/tuning.h - Schedules: one table a target, and the model that uses it -===//
//
// Every number that decides how a row or an element-wise kernel is laid out is in the table below. A caller overrides a
// schedule by passing one; nothing else in these headers knows a target.
//
// The model for rows. A row has `vectors` vectors (16 bytes of its widest operand each). It may be
//
//   Packed   by part of a wavefront, several rows in a workgroup: no barrier. For rows of at most PackedVectors
//            vectors a lane and a wavefront's lanes.
//   Block    by one workgroup, in registers: one barrier a reduction.
//   Split    by several workgroups, in registers; if there are fewer rows than compute units, and parts of at least
//            SplitVectors vectors come out, so that what is gained by more compute units exceeds the exchange.
//   Long     by one workgroup in steps: the row stays in LDS if it fits there, else it is read again.
//
// In Block, a work-item holds as few vectors as keep BlockThreads work-items busy: few rows want many wavefronts at
// once (latency), many rows want several workgroups a compute unit, so that one loads while another reduces. `Threads`
// is the bound below which the registers of a work-item suffice.
//
// Sources: gfx942 and others: compute units, registers and LDS from AMD's CDNA documents; the figures marked (m) follow
// from executed instructions in the simulator and the model of docs/runtime/rows.md, no AMD hardware was timed. sm_90:
// timed on one H200 with bench/rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/target.h"

namespace hk {

enum class RowMode { Packed, Block, Split, Long };

/// How `hk::rows` runs. Made by planRows(), or by a caller.
struct RowPlan {
  RowMode mode;
  int threads;  ///< work-items that share a row (in Split: of one workgroup)
  int chunks;   ///< vectors a work-item holds: 1, 2, 4 or 8
  int rowsInWorkgroup;
  int parts = 1;     ///< workgroups that share a row
  int ldsBytes = 0;  ///< Long: of the row that stays in LDS; 0: read again
  int64_t workgroups; ///< of the launch; each takes rows until none is left
};

/// How `hk::pointwise` runs.
struct PointwisePlan {
  int threads;
  int vectors; ///< a work-item has at once: 1, 2 or 4
};

struct Tuning {
  int packedThreads;     ///< work-items of a workgroup in Packed
  int packedChunks;      ///< vectors a lane at most there
  int latencyThreads;    ///< Block with fewer rows than fill the device: work-items of a workgroup at most
  int throughputThreads; ///< Block otherwise: at most, unless the row does not fit
  int residentThreads;   ///< work-items a compute unit holds, to size persistent grids
  int persistent;        ///< waves of workgroups beyond which a grid is persistent; 0: never
  int splitThreads;      ///< work-items of each part of a row
  int splitVectors;      ///< vectors a part has at least
  int maxParts;
  int lds;               ///< bytes a workgroup may have
  int pointwiseThreads;
  int pointwiseVectors;
};

inline const Tuning &tuningOf(const Target &target) {
  static constexpr Tuning Table[] = {
      /* gfx90a */ {256, 4, 1024, 512, 2048, 4, 128, 64, 16, 65536, 256, 1},
      /* gfx942 */ {256, 4, 1024, 512, 2048, 4, 128, 64, 16, 65536, 256, 1},
      /* gfx950 */ {256, 4, 1024, 512, 2048, 4, 128, 64, 16, 163840, 256, 1},
      /* sm_80 */ {256, 4, 1024, 512, 1536, 0, 256, 64, 1, 49152, 128, 1},
      /* sm_90 */ {256, 4, 1024, 512, 2048, 0, 256, 128, 8, 49152, 128, 1},
  };
  return Table[int(target.arch)];
}

/// What a plan depends on.
struct RowProblem {
  int64_t rows;
  int columns;
  int vectorLength;  ///< elements of a vector
  int keptBytes;     ///< bytes that are kept of an element
  bool canSplit;     ///< a workspace was given, or the target needs none
  int groupVectors;  ///< vectors that share a scale; 1 if no output has scales per group
};

/// LDS that the reductions of a workgroup take.
constexpr int LdsOfReductions = 1024;
/// Vectors of a part are a multiple of this: parts begin on a line of 128 bytes, and with a group.
constexpr int PartUnit = 16;

inline int waveSizeOf(const Target &target) { return target.arch < Arch::Sm80 ? 64 : 32; }

inline RowPlan planRows(const Target &target, const RowProblem &problem) {
  const Tuning &t = tuningOf(target);
  const int wave = waveSizeOf(target);
  const int64_t vectors = (problem.columns + problem.vectorLength - 1) / problem.vectorLength;
  auto atLeast = [](int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; };
  // The chunks of a work-item if `threads` share `n` vectors.
  auto chunksFor = [](int64_t n, int64_t threads) {
    int chunks = 1;
    while (chunks < 8 && threads * chunks < n)
      chunks *= 2;
    return chunks;
  };
  RowPlan plan{};
  const bool few = problem.rows < target.computeUnits;

  // Packed: lanes a row, so that a lane has work, and as many rows as fill the workgroup.
  const bool packs = vectors <= int64_t(wave) * t.packedChunks;
  if (packs && (!few || vectors <= wave)) {
    plan.mode = RowMode::Packed;
    int lanes = problem.groupVectors > 8 ? problem.groupVectors : 8;
    while (lanes < wave && lanes * 2 < vectors)
      lanes *= 2;
    plan.threads = lanes;
    plan.chunks = chunksFor(vectors, lanes);
    const int64_t most = t.packedThreads / lanes;
    const int64_t share = atLeast(problem.rows, target.computeUnits) / target.computeUnits;
    int rows = wave / lanes; // a wavefront is whole
    while (rows * 2 <= most && rows < share)
      rows *= 2;
    plan.rowsInWorkgroup = rows;
  } else {
    plan.rowsInWorkgroup = 1;
    if (few && problem.canSplit && t.maxParts > 1) {
      int parts = 1;
      while (parts * 2 <= t.maxParts && parts * 2 * problem.rows <= target.computeUnits &&
             vectors >= int64_t(parts) * 2 * t.splitVectors)
        parts *= 2;
      if (parts > 1) {
        const int64_t share = atLeast((vectors + parts - 1) / parts, PartUnit);
        plan.chunks = chunksFor(share, t.splitThreads);
        plan.threads = int(atLeast((share + plan.chunks - 1) / plan.chunks, wave));
        if (plan.threads <= 1024) {
          plan.mode = RowMode::Split;
          plan.parts = parts;
          plan.workgroups = problem.rows * parts;
          return plan;
        }
      }
    }
    const int most = few ? t.latencyThreads : t.throughputThreads;
    plan.chunks = chunksFor(vectors, most);
    plan.threads = int(atLeast((vectors + plan.chunks - 1) / plan.chunks, wave));
    plan.mode = RowMode::Block;
    if (plan.threads > 1024) {
      plan.mode = RowMode::Long;
      plan.chunks = 4;
      plan.threads = 1024;
      const int64_t kept = vectors * problem.vectorLength * problem.keptBytes;
      plan.ldsBytes = kept <= t.lds - LdsOfReductions ? int(kept) : 0;
    }
  }
  const int64_t needed = (problem.rows + plan.rowsInWorkgroup - 1) / plan.rowsInWorkgroup;
  const int64_t resident = int64_t(target.computeUnits) * (t.residentThreads / (plan.threads * plan.rowsInWorkgroup));
  plan.workgroups = t.persistent && resident && needed > resident * t.persistent ? resident : needed;
  return plan;
}

} // namespace hk
