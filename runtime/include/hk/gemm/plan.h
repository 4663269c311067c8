//===- hk/gemm/plan.h - Which kernel multiplies, and how ----------------------===//
//
// A GemmPlan names a kernel, one of its configurations and the number of splits of K. planGemm() takes the one that a model of
// time makes the fastest; a caller may pass a plan of its own. The configurations there are for a platform are in
// hk/gemm/configs.h.
//
// The model. A workgroup reads `own` bytes of its rows of W, and as many of X, of which `xShare` count (they come from caches).
// The compute unit with the most workgroups needs
//
//   memory = workgroups * (own of W + xShare * own of X) / rate
//   rate   = the least of unitRate and what its workgroups have under way / latency
//   matrix = multiplications of its workgroups / matrixRate; those of mode Dot: vector instructions of its workgroups / vectorRate
//   all    = (W + what goes through the workspace) / bandwidth, times (the most workgroups of a unit / the mean) ^ balance if all of
//            them run at once
//   cache  = (W + X for each tile of N) / cacheBandwidth
//   time   = start + max(memory, matrix, all, cache) + mix * the lesser of memory and matrix
//            + round for each round of workgroups but the first
//            + for splits: cluster + clusterWorkgroup * splits, + full * how far the device is filled beyond `knee` (a cluster starts
//              as a whole, and one of the next launch finds no room before); or workspace + workspaceByte * bytes of a tile's parts
//
// Dot against Stream and Tile: where memory bounds both, `memory` and `all` are nearly the same, and by `mix` the one with fewer
// instructions for a byte comes first. Dot is better where its small tiles spare splits or spread more evenly, and for few rows;
// worse where its wavefronts, of four rows of W each, read much of X. On AMD it is taken only if it needs a tenth less time. A tie
// goes to the mode named first: Stream, Tile, Warpgroup, Ring, Dot. vectorRate, but for sm_90's, is the clock times the wavefront
// instructions of a cycle.
//
// start, latency and balance depend on the mode. sm_90's constants were fitted to the times of 2,300 plans on an H200 (f16, 13
// shapes of weights, m from 1 to 64): the plan that the model takes needs 1.5 % more time than the best one, in the mean. Those of
// AMD follow from the documents and are estimates; no AMD hardware was timed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/configs.h"
#include "hk/tuning.h"

#include <cmath>

namespace hk {

enum class GemmMode {
  Stream,    ///< hk/gemm/stream_kernel.h: M up to 64, both factors contiguous along K
  Tile,      ///< hk/gemm/tile_kernel.h
  Warpgroup, ///< hk/gemm/warpgroup_kernel.h: aligned factors along K of 1 or 2 bytes, as they are stored; sm_90a
  Ring,      ///< hk/gemm/ring_kernel.h: AMD, M up to 64, both factors contiguous along K
  Dot,       ///< hk/gemm/dot_kernel.h: M up to 4, both factors contiguous along K
};

/// How hk::gemm runs. One that there is no kernel for is hipErrorInvalidValue.
struct GemmPlan {
  GemmMode mode;
  int config; ///< index in the list of the mode in hk/gemm/configs.h
  /// Workgroups that share a tile; more than 1 needs a workspace. 0: streamed, see hk/gemm/split.h; needs one, too.
  int splits;
};

namespace detail {

/// What a plan depends on.
struct GemmProblem {
  int64_t m, n, k;
  int batches;
  int factorBytes;   ///< of an element that is multiplied
  int sumBytes;
  bool alongK;       ///< both factors are contiguous along K
  bool aligned;      ///< and in chunks of 16 bytes
  bool hasSparse;    ///< the target has instructions for sparse factors of this type
  bool warpgroups;   ///< both are multiplied as stored, and sm_90a's warpgroups multiply these types
  bool grouped = false; ///< hk::gemmGrouped
};

struct ConfigShape {
  int tileN, tileM, blockBytes, bytesAhead, resident, threads;
  bool general; ///< takes factors that are not aligned
  bool anyLayout;
  bool sparse;
  bool warpgroups;
  bool groups;  ///< takes groups
  bool bytes;   ///< takes factors of a byte
  int stages, sums; ///< that LDS holds: bytes of the factors, then numbers
  int sumBytes;     ///< of a sum at most
  bool streams; ///< has a kernel for streamed tiles
  int dotRows = 0;  ///< of W that a wavefront multiplies without matrix instructions
};
template <class C> constexpr ConfigShape commonShape() {
  ConfigShape shape{};
  shape.tileN = C::TileN, shape.tileM = C::TileM;
  shape.blockBytes = C::BlockBytes, shape.bytesAhead = C::BytesAhead;
  shape.resident = C::Resident, shape.threads = C::Threads;
  shape.sums = C::SumsInLds, shape.sumBytes = 8;
  shape.general = HK_AMD;
  shape.bytes = true;
  return shape;
}
template <class C> constexpr ConfigShape streamShape() {
  ConfigShape shape = commonShape<C>();
  shape.sparse = C::Sparse;
  shape.streams = C::Streams;
  shape.groups = true;
  return shape;
}
template <class C> constexpr ConfigShape tileShape() {
  ConfigShape shape = commonShape<C>();
  shape.general |= C::General;
  shape.anyLayout = C::General;
  shape.groups = true;
  shape.stages = C::Stages * C::StageBytes;
  shape.sumBytes = C::template Holds<double> ? 8 : 4;
  return shape;
}
template <class C> constexpr ConfigShape warpgroupShape() {
  ConfigShape shape = commonShape<C>();
  shape.warpgroups = true;
  shape.bytes = C::template Holds<int8_t>;
  shape.stages = C::template ldsBytes<float>();
  shape.sumBytes = 4;
  return shape;
}
template <class C> constexpr ConfigShape ringShape() {
  ConfigShape shape = commonShape<C>();
  shape.stages = C::RingBytes;
  return shape;
}
template <class C> constexpr ConfigShape dotShape() {
  ConfigShape shape = commonShape<C>();
  shape.dotRows = C::Rows;
  return shape;
}

/// f(mode, config, shape) for every configuration there is.
template <class F> void forEachConfig(F f) {
  forEachIndex<StreamConfigs::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    f(GemmMode::Stream, I, streamShape<typename ConfigAt<I, StreamConfigs>::Type>());
  });
  forEachIndex<TileConfigs::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    f(GemmMode::Tile, I, tileShape<typename ConfigAt<I, TileConfigs>::Type>());
  });
  forEachIndex<WarpgroupConfigs::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    f(GemmMode::Warpgroup, I, warpgroupShape<typename ConfigAt<I, WarpgroupConfigs>::Type>());
  });
  forEachIndex<RingConfigs::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    f(GemmMode::Ring, I, ringShape<typename ConfigAt<I, RingConfigs>::Type>());
  });
  forEachIndex<DotConfigs::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    f(GemmMode::Dot, I, dotShape<typename ConfigAt<I, DotConfigs>::Type>());
  });
}

/// Zeros if there is none.
inline ConfigShape shapeOf(GemmMode mode, int config) {
  ConfigShape shape{};
  forEachConfig([&](GemmMode m, int c, const ConfigShape &one) {
    if (m == mode && c == config)
      shape = one;
  });
  return shape;
}

constexpr int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Whether the splits of a tile are a cluster, which needs no workspace.
inline bool isClustered(const Target &target, int splits) {
  return target.arch == Arch::Sm90 && splits > 1 && splits <= 8;
}

/// Bytes of LDS that a workgroup may have.
inline int ldsOf(const Target &target) {
  static constexpr int Kibibytes[] = {/* gfx90a */ 64, /* gfx942 */ 64, /* gfx950 */ 160, /* sm_80 */ 163, /* sm_90 */ 227};
  return Kibibytes[int(target.arch)] * 1024;
}

/// Whether there is a kernel for this configuration and problem.
inline bool canRun(const Target &target, const GemmProblem &p, const ConfigShape &c) {
  // gfx90a has no instructions for 8-bit types of twice the K: the compiler runs out of registers.
  if (target.arch == Arch::Gfx90a && p.factorBytes == 1 && c.tileN * c.tileM > 128 * 128)
    return false;
  return c.threads && p.sumBytes <= c.sumBytes && c.stages <= ldsOf(target) && c.sums * p.sumBytes <= ldsOf(target) &&
         (c.general || p.aligned) && (c.anyLayout || p.alongK) && (!c.sparse || p.hasSparse) &&
         (!c.warpgroups || (target.arch == Arch::Sm90 && p.warpgroups)) && (c.groups || !p.grouped) &&
         (c.bytes || p.factorBytes > 1);
}

inline int64_t tilesOf(const GemmProblem &p, const ConfigShape &c) {
  return ceilDivide(p.m, c.tileM) * ceilDivide(p.n, c.tileN) * p.batches;
}

/// What a streamed launch cuts K in. There is one round even if K is 0.
inline int64_t roundsOf(const GemmProblem &p, const ConfigShape &c) {
  const int64_t rounds = ceilDivide(p.k * p.factorBytes, c.blockBytes);
  return rounds > 0 ? rounds : 1;
}

/// Workgroups of a streamed launch: as few for each compute unit as have 48 KiB under way, since each has a part more to exchange;
/// but for each at least a round of a tile.
inline int64_t streamedWorkgroups(const Target &target, const GemmProblem &p, const ConfigShape &c) {
  constexpr int Ahead = 48 * 1024;
  const int64_t each = ceilDivide(Ahead, c.bytesAhead), held = target.computeUnits * (each < c.resident ? each : c.resident);
  const int64_t all = tilesOf(p, c) * roundsOf(p, c);
  return held < all ? held : all;
}

/// Bytes of workspace that \p splits parts of each tile take.
inline size_t splitBytes(const Target &target, const GemmProblem &p, const ConfigShape &c, int splits) {
  if (splits == 1 || isClustered(target, splits))
    return 0;
  const int64_t parts = splits > 1 ? tilesOf(p, c) * splits : tilesOf(p, c) + streamedWorkgroups(target, p, c);
  return GemmPartialsOffset + size_t(parts * c.tileM * c.tileN * p.sumBytes);
}

/// Bytes of sums that workgroups write to the workspace, and read again: of all parts but one; streamed, at most.
inline int64_t workspaceTraffic(const Target &target, const GemmProblem &p, const ConfigShape &c, int splits) {
  if (splits == 1 || isClustered(target, splits))
    return 0;
  const int64_t rows = p.m < c.tileM ? p.m : c.tileM;
  if (splits == 0)
    return (streamedWorkgroups(target, p, c) - 1) * c.tileN * rows * p.sumBytes;
  return int64_t(splits - 1) * ceilDivide(p.n, c.tileN) * c.tileN * p.m * p.sumBytes * p.batches;
}

/// Constants of the model: microseconds, bytes and multiplications of f16 a microsecond; those of warpgroups for warpgroupRate.
struct GemmTuning {
  double bandwidth, cacheBandwidth, unitRate, xShare, matrixRate, warpgroupRate, mix, round;
  struct {
    double start, latency, balance;
  } of[4]; ///< of Stream and Ring, of Tile, of Warpgroup, of Dot
  double cluster, clusterWorkgroup, full, knee, workspace, workspaceByte;
  double vectorRate; ///< vector instructions of a wavefront that a compute unit executes in a microsecond
};

inline const GemmTuning &gemmTuningOf(const Target &target) {
  static constexpr GemmTuning Table[] = {
      /* gfx90a */ {1.6e6, 7.0e6, 60e3, 0.28, 1.7e6, 0, 0.3, 0.3, {{0, 1.5, 0.5}, {0, 1.5, 0.5}, {}, {0, 1.5, 0.5}},
                    0, 0, 0, 1, 0.5, 3e-5, 1.7e3},
      /* gfx942 */ {5.3e6, 34e6, 60e3, 0.28, 2.1e6, 0, 0.3, 0.3, {{0, 1.5, 0.5}, {0, 1.5, 0.5}, {}, {0, 1.5, 0.5}},
                    0, 0, 0, 1, 0.5, 3e-5, 2.1e3},
      /* gfx950 */ {8.0e6, 39e6, 80e3, 0.28, 4.7e6, 0, 0.3, 0.3, {{0, 1.5, 0.5}, {0, 1.5, 0.5}, {}, {0, 1.5, 0.5}},
                    0, 0, 0, 1, 0.5, 3e-5, 2.4e3},
      /* sm_80 */ {1.9e6, 5.0e6, 40e3, 0.28, 1.0e6, 0, 0.1, 0.1, {{1.6, 1.7, 0.1}, {0, 3.4, 0.2}, {}, {1.5, 0.8, 0.1}},
                   0, 0, 0, 1, 2.9, 3e-5, 5.6e3},
      /* sm_90 */ {4.3e6, 5.34e6, 49.6e3, 0.05, 1.01e6, 2.0e6, 0, 0.29,
                   {{1.7, 1.71, 0.174}, {0.01, 3.51, 0.298}, {1.78, 1.88, 0.593}, {1.47, 0.8, 0.0527}},
                   1.11, 0.005, 28.1, 0.917, 5.6, 0, 2.4e3},
  };
  return Table[int(target.arch)];
}

/// Vector instructions that a chunk of W takes where a wavefront multiplies \p rows rows of W by \p m of X, by the table in
/// hk/gemm/dot_instructions.h. An upper figure for its type's size: f16 and int8 take fewer on AMD.
inline double dotInstructions(int factorBytes, int rows, int m) {
  const double elements = 16.0 / factorBytes, unpacks = factorBytes >= 4 ? 0 : HK_AMD ? 8 : elements;
  const double products = HK_AMD && factorBytes < 8 ? elements / 2 : elements;
  return unpacks * (1 + double(m) / rows) + m * products;
}

/// Workgroups of clusters of \p splits that the device holds. A cluster lies in one part of the device: 16 multiprocessors (what
/// some have more is not counted).
inline int64_t clusterCapacity(const Target &target, const ConfigShape &c, int splits) {
  return int64_t(target.computeUnits / 16) * (16 * c.resident / splits) * splits;
}

/// The model's time in microseconds, without what every launch costs.
inline double timeOf(const Target &target, const GemmProblem &p, GemmMode mode, const ConfigShape &c, int splits) {
  const GemmTuning &t = gemmTuningOf(target);
  const auto &of = t.of[mode == GemmMode::Ring ? 0 : mode == GemmMode::Dot ? 3 : int(mode)];
  auto greater = [](double a, double b) { return a > b ? a : b; };
  auto lesser = [](double a, double b) { return a < b ? a : b; };
  const bool streamed = splits == 0;
  const int64_t workgroups = streamed ? streamedWorkgroups(target, p, c) : tilesOf(p, c) * splits;
  const int64_t blocksOfTile = ceilDivide(p.k * p.factorBytes, c.blockBytes);
  const int64_t blocks = streamed ? ceilDivide(tilesOf(p, c) * blocksOfTile, workgroups) : ceilDivide(blocksOfTile, splits);
  const bool clustered = isClustered(target, splits);
  const int64_t capacity =
      clustered ? clusterCapacity(target, c, splits) : int64_t(target.computeUnits) * c.resident;
  if (capacity == 0)
    return 1e30;
  const int64_t rounds = ceilDivide(workgroups, capacity);
  int64_t busiest = ceilDivide(workgroups, target.computeUnits);
  const double ahead = lesser(double(busiest), c.resident) * c.bytesAhead;
  if (rounds > 1 && busiest < rounds * c.resident)
    busiest = rounds * c.resident;
  const double own = double(blocks) * c.blockBytes;
  // Without matrix instructions each wavefront along N reads X for itself.
  const int rowsOfX = c.dotRows ? c.tileM * (c.tileN / c.dotRows) : c.tileM;
  const double memory = busiest * own * (c.tileN + t.xShare * rowsOfX) / lesser(t.unitRate, ahead / of.latency);
  // Instructions for types of 4 and 8 bytes take longer for a byte.
  const double slower = p.factorBytes > 2 ? 2 : 1;
  const double products = busiest * own * c.tileN;
  const double matrix =
      c.dotRows ? products / (ChunkBytes * WaveSize) * dotInstructions(p.factorBytes, c.dotRows, c.tileM) / t.vectorRate
                : slower * products / 2 * c.tileM / (c.warpgroups ? t.warpgroupRate : t.matrixRate);
  const double bytesW = double(p.n) * p.k * p.factorBytes * p.batches;
  const double bytesX = double(ceilDivide(p.n, c.tileN)) * p.m * p.k * p.factorBytes * p.batches;
  double all = (bytesW + 2 * double(workspaceTraffic(target, p, c, splits))) / t.bandwidth;
  if (rounds == 1)
    all *= std::pow(double(busiest) * target.computeUnits / double(workgroups), of.balance);
  const double cache = (bytesW + bytesX) / t.cacheBandwidth;
  double time = greater(greater(all, cache), greater(memory, matrix)) + t.mix * lesser(memory, matrix) +
                of.start + t.round * double(rounds - 1);
  if (clustered)
    time += t.cluster + t.clusterWorkgroup * splits +
            t.full * greater(0, lesser(1, double(workgroups) / double(capacity)) - t.knee);
  else if (splits != 1)
    time += t.workspace + t.workspaceByte * (streamed ? 2 : splits) * c.tileN * c.tileM * p.sumBytes;
  return time;
}

/// Whether there can be \p splits parts: outside of a cluster every tile needs a counter. Parts may be without a block of K.
inline bool canSplit(const Target &target, const GemmProblem &p, const ConfigShape &c, int splits) {
  const int64_t tiles = tilesOf(p, c);
  if (splits == 0)
    return c.streams && !p.grouped && tiles <= GemmCounters && tiles * roundsOf(p, c) <= 0x7fffffff;
  return splits == 1 || (splits > 1 && tiles * splits <= 0x7fffffff &&
                         (isClustered(target, splits) || (tiles <= GemmCounters && splits <= MostSplits)));
}

/// The best plan by the model, looked for.
inline GemmPlan searchPlan(const Target &target, const GemmProblem &p, size_t workspace) {
  GemmPlan best{GemmMode::Tile, 0, 1};
  double least = 1e300;
  forEachConfig([&](GemmMode mode, int config, const ConfigShape &c) {
    // Weights are read once: few rows are in one tile.
    if (mode == GemmMode::Warpgroup && c.tileM > 16 && 2 * p.m <= c.tileM)
      return; // most of its LDS would be for rows that are not there
    if (!canRun(target, p, c) || (p.m > c.tileM && (p.m <= 64 || (mode != GemmMode::Tile && mode != GemmMode::Warpgroup))))
      return;
    for (int splits : {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48}) {
      if (!canSplit(target, p, c, splits) || splitBytes(target, p, c, splits) > workspace ||
          (splits > 1 && splits > ceilDivide(p.k * p.factorBytes, c.blockBytes)))
        continue;
      // Not in AMD's constants are what Dot reads of X again and again, and that streamed workgroups begin and end twice: they have
      // to be clearly better.
      const double time = timeOf(target, p, mode, c, splits) * (HK_AMD && mode == GemmMode::Dot ? 1.1 : splits == 0 ? 1.03 : 1.0);
      if (time < least)
        least = time, best = {mode, config, splits};
    }
  });
  return best;
}

inline bool operator==(const GemmProblem &a, const GemmProblem &b) {
  return a.m == b.m && a.n == b.n && a.k == b.k && a.batches == b.batches && a.factorBytes == b.factorBytes &&
         a.sumBytes == b.sumBytes && a.alongK == b.alongK && a.aligned == b.aligned && a.hasSparse == b.hasSparse &&
         a.warpgroups == b.warpgroups && a.grouped == b.grouped;
}

} // namespace detail

/// The plan for a problem. \p workspace: bytes that there are. Looking takes some microseconds, so the last ones are remembered.
inline GemmPlan planGemm(const Target &target, const detail::GemmProblem &p, size_t workspace) {
  struct Known {
    bool is = false;
    Target target;
    detail::GemmProblem problem;
    size_t workspace;
    GemmPlan plan;
  };
  static thread_local Known known[64];
  const uint64_t hash = (uint64_t(p.m) * 0x9E3779B97F4A7C15u ^ uint64_t(p.n) * 0xC2B2AE3D27D4EB4Fu ^ uint64_t(p.k)) *
                        0x9E3779B97F4A7C15u;
  Known &one = known[hash >> 58];
  if (!one.is || one.target.arch != target.arch || one.target.computeUnits != target.computeUnits ||
      one.workspace != workspace || !(one.problem == p))
    one = {true, target, p, workspace, detail::searchPlan(target, p, workspace)};
  return one.plan;
}

} // namespace hk
