//===- hk/gemm/launch.h - From a plan to a kernel of hk::gemm -------------------===//
#pragma once

#include "hk/gemm/plan.h"
#include "hk/launch.h"

namespace hk {
namespace detail {

/// Extent: GemmExtent or a GroupedExtent.
template <class Extent> struct GemmCall {
  hipStream_t stream;
  Target target;
  Extent extent;
  int batches;
  bool aligned;
};

/// On AMD accesses that are not aligned are the same instructions: one kernel for both. On NVIDIA there is one for aligned
/// factors, and one that checks if \p General.
template <bool General, class F> hipError_t withAlignment(bool aligned, F f) {
  if constexpr (HK_NVIDIA)
    if (aligned)
      return f(std::true_type{});
  if constexpr (General)
    return f(std::false_type{});
  else
    return hipErrorInvalidValue;
}

/// Starts a kernel of \p Config with a workgroup for each of \p workgroups.
template <class Config, class Extent, class Kernel, class W, class X, class Program>
hipError_t launchWorkgroups(const GemmCall<Extent> &call, Kernel kernel, dim3 workgroups, const W &w, const X &x,
                            const Program &program) {
  constexpr int Lds = Config::template ldsBytes<typename SumOf<typename W::Type>::Type>();
  const Extent &e = call.extent;
  return launchKernel(call.target, kernel, workgroups, dim3(Config::Threads), Lds, e.clustered ? e.splits : 1, call.stream, w, x,
                      program, e);
}

/// Tiles of N and their splits, of M, batches; or with all tiles in one.
template <class Extent> dim3 tilesInRows(const GemmCall<Extent> &call) {
  const Extent &e = call.extent;
  return dim3(unsigned(e.tilesN) * unsigned(e.splits), unsigned(e.tilesM), unsigned(call.batches));
}
template <class Extent> dim3 allTiles(const GemmCall<Extent> &call) {
  const Extent &e = call.extent;
  return dim3(unsigned(e.tilesN) * unsigned(e.tilesM) * unsigned(e.splits), 1, unsigned(call.batches));
}

template <class Config, class Extent, class W, class X, class Program>
hipError_t launchStream(const GemmCall<Extent> &call, const W &w, const X &x, const Program &program) {
  return withAlignment<HK_AMD>(call.aligned, [&](auto aligned) {
    return launchWorkgroups<Config>(call, streamKernel<Config, W, X, Program, decltype(aligned)::value, Extent>,
                                    tilesInRows(call), w, x, program);
  });
}

#if HK_AMD
template <class Config, class W, class X, class Program>
hipError_t launchStreamed(const GemmCall<GemmExtent> &call, const W &w, const X &x, const Program &program) {
  using Sum = typename SumOf<typename W::Type>::Type;
  StreamedExtent extent{};
  static_cast<GemmExtent &>(extent) = call.extent;
  const GemmProblem p{extent.m, extent.n, extent.k, call.batches, int(sizeof(typename W::Type)), int(sizeof(Sum)), true, false,
                      false,    false};
  const ConfigShape shape = streamShape<Config>();
  const int64_t workgroups = streamedWorkgroups(call.target, p, shape), all = tilesOf(p, shape) * roundsOf(p, shape);
  extent.rounds = int(roundsOf(p, shape));
  extent.share = int(all / workgroups), extent.more = int(all % workgroups);
  constexpr int Lds = Config::template ldsBytes<Sum>();
  return launchKernel(call.target, streamKernel<Config, W, X, Program, false, StreamedExtent>, dim3(unsigned(workgroups)),
                      dim3(Config::Threads), Lds, 1, call.stream, w, x, program, extent);
}
#endif

template <class Config, class W, class X, class Program>
hipError_t launchDot(const GemmCall<GemmExtent> &call, const W &w, const X &x, const Program &program) {
  return withAlignment<HK_AMD>(call.aligned, [&](auto aligned) {
    return launchWorkgroups<Config>(call, dotKernel<Config, W, X, Program, decltype(aligned)::value>,
                                    tilesInRows(call), w, x, program);
  });
}

#if HK_AMD
template <class Config, class W, class X, class Program>
hipError_t launchRing(const GemmCall<GemmExtent> &call, const W &w, const X &x, const Program &program) {
  return launchWorkgroups<Config>(call, ringKernel<Config, W, X, Program, false>, tilesInRows(call), w, x, program);
}
#endif

template <class Config, class Extent, class W, class X, class Program>
hipError_t launchTile(const GemmCall<Extent> &call, const W &w, const X &x, const Program &program) {
  return withAlignment<HK_AMD || Config::General>(call.aligned, [&](auto aligned) {
    return launchWorkgroups<Config>(call, tileKernel<Config, W, X, Program, decltype(aligned)::value, Extent>,
                                    allTiles(call), w, x, program);
  });
}

#if HK_WARPGROUPS
template <class Config, class W, class X, class Program>
hipError_t launchWarpgroup(const GemmCall<GemmExtent> &call, const W &w, const X &x, const Program &program) {
  return launchWorkgroups<Config>(call, warpgroupKernel<Config, W, X, Program>, allTiles(call), w, x, program);
}
#endif

/// How many tiles of M, or bands of groups, a launch has workgroups for.
inline int64_t tilesOfM(const GemmExtent &extent, int tileM) { return ceilDivide(extent.m, tileM); }
template <class Groups> int64_t tilesOfM(const GroupedExtent<Groups> &extent, int tileM) {
  return mostBands(extent.m, extent.groups.count, tileM);
}

template <class Extent, class W, class X, class Program>
hipError_t launchGemm(GemmCall<Extent> call, const GemmPlan &plan, const W &w, const X &x, const Program &program) {
  hipError_t error = hipErrorInvalidValue;
  const ConfigShape shape = shapeOf(plan.mode, plan.config);
  call.extent.tilesM = int(tilesOfM(call.extent, shape.tileM));
  call.extent.tilesN = int(ceilDivide(call.extent.n, shape.tileN));
  call.extent.splits = plan.splits;
  call.extent.clustered = isClustered(call.target, plan.splits);
  if (plan.mode == GemmMode::Stream) {
    if constexpr (W::Contiguous && X::Contiguous)
      forEachIndex<StreamConfigs::Size>([&](auto i) {
        using Config = typename ConfigAt<decltype(i)::value, StreamConfigs>::Type;
        if constexpr (!Config::Sparse || hasSparseForm<typename W::Type, typename X::Type>)
          if (plan.config == decltype(i)::value) {
#if HK_AMD
            if constexpr (Config::Streams && !IsGrouped<Extent>)
              if (plan.splits == 0) {
                error = launchStreamed<Config>(call, w, x, program);
                return;
              }
#endif
            error = launchStream<Config>(call, w, x, program);
          }
      });
  } else if (plan.mode == GemmMode::Warpgroup) {
#if HK_WARPGROUPS
    if constexpr (takesWarpgroups<W, X> && !IsGrouped<Extent>)
      forEachIndex<WarpgroupConfigs::Size>([&](auto i) {
        using Config = typename ConfigAt<decltype(i)::value, WarpgroupConfigs>::Type;
        if constexpr (Config::template Holds<typename W::Type>)
          if (plan.config == decltype(i)::value)
            error = launchWarpgroup<Config>(call, w, x, program);
      });
#endif
  } else if (plan.mode == GemmMode::Ring) {
#if HK_AMD
    if constexpr (W::Contiguous && X::Contiguous && !IsGrouped<Extent>)
      forEachIndex<RingConfigs::Size>([&](auto i) {
        using Config = typename ConfigAt<decltype(i)::value, RingConfigs>::Type;
        if (plan.config == decltype(i)::value)
          error = launchRing<Config>(call, w, x, program);
      });
#endif
  } else if (plan.mode == GemmMode::Dot) {
    if constexpr (W::Contiguous && X::Contiguous && !IsGrouped<Extent>)
      forEachIndex<DotConfigs::Size>([&](auto i) {
        if (plan.config == decltype(i)::value)
          error = launchDot<typename ConfigAt<decltype(i)::value, DotConfigs>::Type>(call, w, x, program);
      });
  } else {
    forEachIndex<TileConfigs::Size>([&](auto i) {
      using Config = typename ConfigAt<decltype(i)::value, TileConfigs>::Type;
      using Sum = typename SumOf<typename W::Type>::Type;
      if constexpr (Config::template Holds<Sum> && (Config::General || (W::Contiguous && X::Contiguous)))
        if (plan.config == decltype(i)::value)
          error = launchTile<Config>(call, w, x, program);
    });
  }
  return error;
}

} // namespace detail
} // namespace hk
