//===- hk/gemm/plan.h - Which kernel multiplies, and how ----------------------===//
//
// A GemmPlan names a kernel, one of its configurations and the number of splits of K. planGemm() chooses by the model below; a
// caller may pass a plan of its own. The configurations there are for a platform are in StreamConfigs and TileConfigs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/stream_kernel.h"
#include "hk/gemm/tile_kernel.h"
#include "hk/tuning.h"

namespace hk {

enum class GemmMode {
  Stream, ///< hk/gemm/stream_kernel.h: M up to 64, both factors contiguous along K
  Tile,   ///< hk/gemm/tile_kernel.h
};

/// How hk::gemm runs. One that there is no kernel for is hipErrorInvalidValue.
struct GemmPlan {
  GemmMode mode;
  int config; ///< index in StreamConfigs or TileConfigs
  int splits; ///< workgroups that share a tile; more than 1 needs a workspace
};

namespace detail {

template <class... Cs> struct ConfigList {
  static constexpr int Size = sizeof...(Cs);
};
template <int I, class List> struct ConfigAt;
template <int I, class C, class... Cs> struct ConfigAt<I, ConfigList<C, Cs...>> : ConfigAt<I - 1, ConfigList<Cs...>> {};
template <class C, class... Cs> struct ConfigAt<0, ConfigList<C, Cs...>> {
  using Type = C;
};

#if HK_AMD
//                               rows   columns waves  waves         depth
//                               of W   of X    on N   on K   unroll of W   of X   fold
using StreamConfigs = ConfigList<
    StreamConfig<1,   1,      1,     8,     2,     4,     4,     true>,
    StreamConfig<2,   1,      1,     8,     2,     4,     2,     true>,
    StreamConfig<1,   1,      1,     8,     2,     4,     4>,
    StreamConfig<2,   1,      1,     8,     2,     4,     2>,
    StreamConfig<2,   2,      1,     4,     2,     2,     2>,
    StreamConfig<2,   4,      1,     4,     2,     2,     2>>;
//                             N    M    bytes of K  waves on N, M  stages
using TileConfigs = ConfigList<
    TileConfig<64,  64,  128,   2, 2,   2>,
    TileConfig<128, 128, 64,    2, 2,   2>,
    TileConfig<256, 256, 64,    4, 2,   2>>;
#else
using StreamConfigs = ConfigList<
    StreamConfig<1,   1,      1,     8,     2,     4,     2>,
    StreamConfig<1,   1,      1,     4,     2,     4,     2>,
    StreamConfig<2,   1,      1,     8,     2,     2,     2>,
    StreamConfig<2,   1,      1,     4,     2,     2,     2>,
    StreamConfig<2,   1,      1,     4,     2,     4,     2>,
    StreamConfig<2,   1,      1,     2,     2,     4,     2>,
    StreamConfig<4,   1,      1,     4,     2,     2,     2>,
    StreamConfig<1,   1,      2,     4,     2,     4,     2>,
    StreamConfig<1,   2,      1,     4,     2,     4,     2>,
    StreamConfig<2,   2,      1,     4,     2,     2,     1>,
    StreamConfig<2,   2,      2,     4,     1,     4,     2>,
    StreamConfig<2,   2,      1,     2,     2,     2,     1>,
    StreamConfig<4,   2,      1,     4,     1,     4,     1>,
    StreamConfig<2,   4,      1,     4,     1,     4,     1>,
    StreamConfig<2,   4,      2,     4,     1,     4,     1>,
    StreamConfig<2,   4,      4,     2,     1,     4,     1>,
    StreamConfig<4,   4,      2,     2,     1,     2,     1>,
    StreamConfig<2,   8,      4,     2,     1,     4,     1>,
    StreamConfig<2,   8,      2,     2,     1,     4,     1>,
    StreamConfig<4,   8,      2,     2,     1,     2,     1>>;
using TileConfigs = ConfigList<
    TileConfig<64,  64,  128,   2, 2,   4>,
    TileConfig<128, 64,  128,   4, 2,   4>,
    TileConfig<64,  32,  128,   2, 2,   4>,
    TileConfig<128, 32,  128,   4, 1,   4>,
    TileConfig<128, 16,  128,   4, 1,   4>,
    TileConfig<128, 128, 64,    2, 2,   4>,
    TileConfig<128, 128, 128,   2, 2,   3>,
    TileConfig<128, 256, 64,    2, 4,   4>,
    TileConfig<256, 128, 128,   4, 2,   3>>;
#endif

/// What a plan depends on.
struct GemmProblem {
  int64_t m, n, k;
  int batches;
  int factorBytes;   ///< of an element that is multiplied
  int sumBytes;
  bool alongK;       ///< both factors are contiguous along K
};

struct ConfigShape {
  int tileN, tileM, blockBytes, threads;
};
template <class C> constexpr ConfigShape streamShape() { return {C::TileN, C::TileM, C::Unroll * 64, C::Threads}; }
template <class C> constexpr ConfigShape tileShape() { return {C::TileN, C::TileM, C::KBytes, C::Threads}; }

inline ConfigShape shapeOf(GemmMode mode, int config) {
  ConfigShape shape{};
  if (mode == GemmMode::Stream)
    forEachIndex<StreamConfigs::Size>([&](auto i) {
      if (config == decltype(i)::value)
        shape = streamShape<typename ConfigAt<decltype(i)::value, StreamConfigs>::Type>();
    });
  else
    forEachIndex<TileConfigs::Size>([&](auto i) {
      if (config == decltype(i)::value)
        shape = tileShape<typename ConfigAt<decltype(i)::value, TileConfigs>::Type>();
    });
  return shape;
}

constexpr int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Bytes of workspace that \p splits parts of each tile take.
inline size_t splitBytes(const GemmProblem &p, const ConfigShape &c, int splits) {
  return splits <= 1 ? 0
                     : GemmPartialsOffset + ceilDivide(p.m, c.tileM) * ceilDivide(p.n, c.tileN) * p.batches *
                                                         splits * c.tileM * c.tileN * p.sumBytes;
}

} // namespace detail

/// \p workspace: bytes that there are.
inline GemmPlan planGemm(const Target &target, const detail::GemmProblem &p, size_t workspace) {
  using namespace detail;
  GemmPlan best{GemmMode::Tile, 0, 1};
  double least = 1e300;
  auto consider = [&](GemmMode mode, int config) {
    const ConfigShape c = shapeOf(mode, config);
    const int64_t tiles = ceilDivide(p.m, c.tileM) * ceilDivide(p.n, c.tileN) * p.batches;
    const int64_t blocks = ceilDivide(p.k * p.factorBytes, c.blockBytes);
    for (int splits = 1; splits <= 64; ++splits) {
      const int64_t each = ceilDivide(blocks, splits);
      if (splits > 1 && (tiles > GemmCounters || (splits - 1) * each >= blocks ||
                         splitBytes(p, c, splits) > workspace))
        continue;
      const double rounds = double(ceilDivide(tiles * splits, target.computeUnits));
      const double bytes = double(each * c.blockBytes) * (c.tileM + c.tileN);
      const double cost = rounds * (bytes + 8192 + (splits > 1 ? 16384.0 + 8.0 * splits * c.tileM * c.tileN / splits : 0));
      if (cost < least)
        least = cost, best = {mode, config, splits};
    }
  };
  for (int i = 0; i < TileConfigs::Size; ++i)
    consider(GemmMode::Tile, i);
  if (p.alongK && p.m <= 64)
    for (int i = 0; i < StreamConfigs::Size; ++i)
      if (shapeOf(GemmMode::Stream, i).tileM >= p.m || i == StreamConfigs::Size - 1)
        consider(GemmMode::Stream, i);
  return best;
}

} // namespace hk
