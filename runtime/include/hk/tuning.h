//===- hk/tuning.h - Schedules: one table a target, and the model that uses it -===//
//
// Every number that decides how a row or an element-wise kernel is laid out is in the table below. A caller overrides a
// schedule by passing one; nothing else in these headers knows a target.
//
// The model for rows. A row has `vectors` vectors (16 bytes of its widest operand each). It may be
//
//   Packed   by part of a wavefront, several rows in a workgroup: no barrier. For rows of at most packedChunks vectors
//            a lane.
//   Block    by one workgroup, in registers: one barrier a reduction.
//   Split    by several workgroups, in registers (hk/split.h). For fewer rows than compute units, where the row is long
//            enough (splitRow) that what more compute units gain exceeds the exchange. If that leaves less than eight
//            parts a row, a workgroup has RowsAtOnce rows and thinner parts: weights are read once for all of them.
//            sm_90: also for rows that no workgroup can hold, if there are as many as compute units.
//   Long     by one workgroup (NVIDIA: or a cluster) in steps: the row stays in LDS if it fits there, else it is read
//            again.
//
// In Block, a work-item holds two vectors if that makes no more work-items than a workgroup may have, else four, else
// eight: fewer than two leave the fixed cost of a wavefront to too few elements. Where nothing is reduced over the row
// there is no such cost, and one vector is enough; with many rows (manyRows for each compute unit) it is manyPlain then, and
// four with a reduction of more than one word, which costs more.
//
// Sources: gfx942 and others: compute units, registers and LDS from AMD's CDNA documents; the choice of threads and parts
// follows from executed instructions in the simulator and the model of docs/runtime/rows.md, no AMD hardware was timed.
// sm_90: timed on an H200 with bench/rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/target.h"

namespace hk {

enum class RowMode { Packed, Block, Split, Long };

/// How `hk::rows` runs. Made by planRows(), or by a caller; one that there is no kernel for is hipErrorInvalidValue.
struct RowPlan {
  RowMode mode;
  int threads;         ///< work-items that share a row (in Split: of one workgroup)
  int chunks;          ///< vectors a work-item holds: see hasChunks(); not used in Long
  int rowsInWorkgroup; ///< at once: any number in Packed, 1 or RowsAtOnce in Split, else 1
  int parts = 1;       ///< workgroups that share a row
  bool inLds = false;  ///< Long: the row stays in LDS
  int64_t workgroups;  ///< of the launch; each takes rows until none is left. Split has as many as it needs.
};

/// How `hk::pointwise` runs.
struct PointwisePlan {
  int threads;
  int vectors; ///< a work-item has at once: 1, 2 or 4
};

struct Tuning {
  int packedThreads;   ///< work-items of a workgroup in Packed
  int packedChunks;    ///< vectors a lane at most there
  int blockThreads;    ///< work-items of a workgroup at most, if rows fill the device or each has four or more vectors
  int manyRows;        ///< see above
  int manyPlain;       ///< vectors a work-item has of many rows where nothing is reduced
  int longThreads;     ///< work-items of a workgroup in Long
  int residentThreads; ///< work-items a compute unit holds, to size persistent grids
  int persistent;      ///< rounds of workgroups beyond which a grid is persistent; 0: never
  int splitRow;        ///< vectors of a row at least for Split
  int partVectors;     ///< vectors a part has at least
  int leastParts;      ///< parts of a row at least
  int maxParts;        ///< and at most
  int lds;             ///< bytes a workgroup may have for a row
  int pointwiseThreads;
  int pointwiseVectors;
};

inline const Tuning &tuningOf(const Target &target) {
  static constexpr Tuning Table[] = {
      /* gfx90a */ {256, 4, 1024, 8, 1, 1024, 2048, 4, 512, 128, 2, 16, 60 * 1024, 256, 1},
      /* gfx942 */ {256, 4, 1024, 8, 1, 1024, 2048, 4, 512, 128, 2, 16, 60 * 1024, 256, 1},
      /* gfx950 */ {256, 4, 1024, 8, 1, 1024, 2048, 4, 512, 128, 2, 16, 156 * 1024, 256, 1},
      /* sm_80 */ {256, 4, 512, 8, 4, 512, 1536, 0, 1 << 30, 256, 8, 1, 160 * 1024, 256, 1},
      /* sm_90 */ {256, 4, 512, 8, 4, 512, 2048, 0, 2048, 256, 8, 8, 224 * 1024, 256, 1},
  };
  return Table[int(target.arch)];
}

/// Vectors of a part are a multiple of this: parts begin on a line of 128 bytes. They begin with a group, too, which may
/// have more.
constexpr int PartUnit = 16;
/// Rows that a workgroup of Split has at once, if not one.
constexpr int RowsAtOnce = 4;

inline int waveSizeOf(const Target &target) { return target.arch < Arch::Sm80 ? 64 : 32; }

inline int64_t roundUpTo(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/// Vectors of each part of a row but the last.
inline int64_t partVectors(int64_t vectors, int parts, int groupVectors) {
  return parts == 1 ? vectors
                    : roundUpTo((vectors + parts - 1) / parts, groupVectors > PartUnit ? groupVectors : PartUnit);
}

/// What a plan depends on.
struct RowProblem {
  int64_t rows;
  int columns;
  int vectorLength; ///< elements of a vector
  int keptBytes;    ///< bytes that are kept of a vector
  bool general;     ///< operands that are not aligned, or columns that vectors do not divide
  bool canSplit;    ///< a workspace was given, or the target needs none
  int groupVectors; ///< vectors that share a scale; 1 if no output has scales per group
  int words;        ///< that are reduced over the whole row; 0: nothing is
};

/// Whether there are kernels with \p chunks vectors a work-item in registers. `general`: operands that are not aligned, or
/// columns that vectors do not divide. `loops`: fewer workgroups than rows (never on NVIDIA). `amd`: or NVIDIA.
constexpr bool hasChunks(RowMode mode, int chunks, bool general, bool loops, bool amd) {
  if (general)
    return chunks == 2;
  if (mode == RowMode::Split)
    return chunks == 2 || chunks == 4 || (chunks == 8 && !amd);
  if (mode == RowMode::Packed)
    return chunks == 1 || chunks == 2 || chunks == 4;
  return chunks == 2 || chunks == 4 || (!loops && (chunks == 1 || chunks == 8));
}

/// Work-items that a workgroup may have, so that what it holds stays in registers.
constexpr int mostThreads(RowMode mode, int chunks, int rows, bool amd) {
  if (mode == RowMode::Packed)
    return 256;
  if (amd)
    return mode == RowMode::Split ? (rows > 1 ? 128 : 256) : chunks == 4 ? 512 : 1024;
  return chunks > 4 ? 512 : 1024;
}

namespace detail {

/// Chunks, from \p chunks upwards, and threads of a workgroup that holds \p vectors, so that all chunks but the last are
/// full; false if none does. \p most bounds the threads further.
inline bool fitRow(RowPlan &plan, int64_t vectors, int wave, int chunks, int most, bool general) {
  for (; chunks <= 8; chunks *= 2) {
    if (!hasChunks(plan.mode, chunks, general, false, wave == 64))
      continue;
    const int64_t threads = roundUpTo((vectors + chunks - 1) / chunks, wave);
    const int bound = mostThreads(plan.mode, chunks, plan.rowsInWorkgroup, wave == 64);
    const bool full = general || plan.mode == RowMode::Split || chunks == 1 || threads * (chunks - 1) < vectors;
    if (threads > bound || (threads > most && chunks < 4) || !full)
      continue;
    plan.chunks = chunks;
    plan.threads = int(threads);
    return true;
  }
  return false;
}

inline int powerOfTwoUpTo(int64_t n) {
  int p = 1;
  while (p * 2 <= n)
    p *= 2;
  return p;
}

/// Parts in registers for rows that no workgroup can hold, if a cluster can: while one of the rows that a multiprocessor
/// has is reduced, others are read.
inline bool planClusters(RowPlan &plan, const Target &target, const RowProblem &problem, int64_t vectors) {
  constexpr int Chunks = 8, Threads = 384;
  const int most = tuningOf(target).maxParts;
  RowPlan split = plan;
  split.mode = RowMode::Split;
  split.parts = 2;
  auto share = [&] { return partVectors(vectors, split.parts, problem.groupVectors); };
  while (split.parts < most && share() > int64_t(Chunks) * Threads)
    split.parts *= 2;
  if (share() * (split.parts - 1) >= vectors || !fitRow(split, share(), waveSizeOf(target), Chunks, Threads, false))
    return false;
  split.workgroups = problem.rows * split.parts;
  plan = split;
  return true;
}

/// A plan with several workgroups a row, if that is worth it.
inline bool planSplit(RowPlan &plan, const Target &target, const RowProblem &problem, int64_t vectors) {
  const Tuning &t = tuningOf(target);
  const int wave = waveSizeOf(target);
  const bool amd = target.arch < Arch::Sm80;
  if (!problem.canSplit || problem.general || problem.rows >= target.computeUnits || vectors < t.splitRow)
    return false;
  const int64_t most = vectors / t.partVectors < t.maxParts ? vectors / t.partVectors : t.maxParts;
  const int64_t alone = target.computeUnits / problem.rows;
  int64_t parts = most < alone ? most : alone;
  plan.rowsInWorkgroup = 1;
  if (!amd) {
    parts = powerOfTwoUpTo(parts);
  } else if (parts < most && parts < 8) {
    const int64_t groups = (problem.rows + RowsAtOnce - 1) / RowsAtOnce, together = target.computeUnits / groups;
    const int thin = powerOfTwoUpTo(most < together ? most : together);
    if (thin > parts)
      parts = thin, plan.rowsInWorkgroup = RowsAtOnce;
  }
  if (parts < t.leastParts)
    return false;
  // Whole parts: no more of them than the unit leaves.
  const int64_t share = partVectors(vectors, int(parts), problem.groupVectors);
  if (share * (parts - 1) >= vectors)
    return false;
  plan.mode = RowMode::Split;
  plan.parts = int(parts);
  plan.workgroups = (problem.rows + plan.rowsInWorkgroup - 1) / plan.rowsInWorkgroup * parts;
  return fitRow(plan, share, wave, 2, 1024, false);
}

} // namespace detail

inline RowPlan planRows(const Target &target, const RowProblem &problem) {
  const Tuning &t = tuningOf(target);
  const int wave = waveSizeOf(target);
  const bool amd = target.arch < Arch::Sm80;
  const int64_t vectors = (problem.columns + problem.vectorLength - 1) / problem.vectorLength;
  RowPlan plan{};

  // Packed: lanes a row, so that a lane has work, and as many rows as fill the workgroup.
  const int packedChunks = problem.general ? 2 : t.packedChunks;
  if (vectors <= int64_t(wave) * packedChunks && (problem.rows >= target.computeUnits || vectors <= wave)) {
    plan.mode = RowMode::Packed;
    int lanes = problem.groupVectors > 8 ? problem.groupVectors : 8;
    while (lanes < wave && lanes * 2 < vectors)
      lanes *= 2;
    plan.threads = lanes;
    plan.chunks = problem.general ? 2 : 1;
    while (lanes * plan.chunks < vectors)
      plan.chunks *= 2;
    const int64_t share = (problem.rows + target.computeUnits - 1) / target.computeUnits;
    plan.rowsInWorkgroup = wave / lanes; // a wavefront is whole
    while (plan.rowsInWorkgroup * 2 <= t.packedThreads / lanes && plan.rowsInWorkgroup < share)
      plan.rowsInWorkgroup *= 2;
  } else if (detail::planSplit(plan, target, problem, vectors)) {
    return plan;
  } else {
    plan.rowsInWorkgroup = 1;
    plan.parts = 1;
    plan.mode = RowMode::Block;
    const bool many = problem.rows >= int64_t(t.manyRows) * target.computeUnits;
    const int chunks = problem.words == 0 ? (many ? t.manyPlain : 1) : many && problem.words > 1 ? 4 : 2;
    const int most = problem.rows < target.computeUnits ? 1024 : t.blockThreads;
    if (!detail::fitRow(plan, vectors, wave, chunks, most, problem.general) &&
        !detail::fitRow(plan, vectors, wave, 1, 1024, problem.general)) {
      if (!amd && problem.canSplit && !problem.general && problem.rows >= target.computeUnits &&
          detail::planClusters(plan, target, problem, vectors))
        return plan;
      plan.mode = RowMode::Long;
      plan.chunks = 4;
      plan.threads = t.longThreads;
      auto fits = [&](int parts) { return partVectors(vectors, parts, problem.groupVectors) * problem.keptBytes <= t.lds; };
      if (!amd && problem.canSplit && !problem.general) // a cluster has more LDS
        while (plan.parts < t.maxParts && (!fits(plan.parts) || problem.rows * plan.parts * 2 <= target.computeUnits))
          plan.parts *= 2;
      plan.inLds = fits(plan.parts);
      if (!plan.inLds)
        plan.parts = 1;
    }
  }
  const int64_t needed = (problem.rows + plan.rowsInWorkgroup - 1) / plan.rowsInWorkgroup;
  const int threads = plan.threads * (plan.mode == RowMode::Packed ? plan.rowsInWorkgroup : 1);
  const int64_t resident = int64_t(target.computeUnits) * (t.residentThreads / threads);
  const bool loops = plan.mode == RowMode::Long || hasChunks(plan.mode, plan.chunks, problem.general, true, amd);
  plan.workgroups = t.persistent && loops && needed > resident * t.persistent ? resident : needed;
  return plan;
}

} // namespace hk
