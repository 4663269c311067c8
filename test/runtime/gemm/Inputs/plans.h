//===- plans.h - Every kernel of hk::gemm ---------------------------------===//
//
// Plans of every mode and configuration that there is, so that tests reach those that are added later, too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "../../ops/Inputs/tensor.h"

#include "hk/gemm.h"

#include <string>
#include <vector>

namespace test {

struct NamedPlan {
  std::string name;
  hk::GemmPlan plan;
  hk::detail::ConfigShape shape;
  int lds, ldsOfDoubles; ///< bytes, with sums of 4 and of 8 bytes
  int bytesOfK;          ///< that a wavefront multiplies at once: K is filled up with zeros to a multiple
};

template <class Configs, class F>
void addPlans(std::vector<NamedPlan> &to, const char *name, hk::GemmMode mode, int splits, F &&bytesOfK) {
  hk::detail::forEachIndex<Configs::Size>([&](auto i) {
    using Config = typename hk::detail::ConfigAt<decltype(i)::value, Configs>::Type;
    const int config = decltype(i)::value;
    to.push_back({std::string(name) + " " + std::to_string(config) + (splits > 1 ? " splits " + std::to_string(splits) : ""),
                  {mode, config, splits},
                  hk::detail::shapeOf(mode, config),
                  Config::template ldsBytes<float>(),
                  Config::template ldsBytes<double>(),
                  bytesOfK(Config())});
  });
}

/// \p alongK: both factors are contiguous along K, which some kernels need.
inline std::vector<NamedPlan> allPlans(bool alongK, int splits = 1) {
  std::vector<NamedPlan> all, some;
  addPlans<hk::detail::TileConfigs>(all, "tile", hk::GemmMode::Tile, splits,
                                    [](auto config) { return decltype(config)::KBytes; });
  addPlans<hk::detail::StreamConfigs>(all, "stream", hk::GemmMode::Stream, splits,
                                      [](auto config) { return decltype(config)::Unroll * 64; });
  addPlans<hk::detail::RingConfigs>(all, "ring", hk::GemmMode::Ring, splits,
                                    [](auto config) { return decltype(config)::KBytes; });
  addPlans<hk::detail::DotConfigs>(all, "dot", hk::GemmMode::Dot, splits, [](auto) {
    return hk::WaveSize * hk::detail::ChunkBytes;
  });
  for (const NamedPlan &plan : all)
    if (alongK || plan.shape.anyLayout)
      some.push_back(plan);
  return some;
}

/// Those that take groups.
inline std::vector<NamedPlan> groupedPlans(bool alongK, int splits = 1) {
  std::vector<NamedPlan> some;
  for (const NamedPlan &plan : allPlans(alongK, splits))
    if (plan.shape.groups)
      some.push_back(plan);
  return some;
}

constexpr bool isAlongK(hk::Layout a, hk::Layout b) {
  return a == hk::Layout::RowMajor && b == hk::Layout::ColumnMajor;
}

inline const hk::Target &currentTarget() {
  static const hk::Target target = [] {
    hk::Target t;
    check(hk::currentTarget(t), "currentTarget");
    return t;
  }();
  return target;
}

/// Whether there is a kernel that multiplies TA by TB. The others need an instruction that the target lacks, more LDS than
/// there is, or more registers: hk::gemm has to refuse their plans.
template <class TA, class TB> bool hasKernel(const NamedPlan &plan) {
  const bool doubles = std::is_same_v<TA, double>;
  const bool large = plan.shape.tileN * plan.shape.tileM > 128 * 128;
  if (large && (doubles || (sizeof(TA) == 1 && currentTarget().arch == hk::Arch::Gfx90a)))
    return false;
  return (!plan.shape.sparse || hk::detail::hasSparseOn<TB, TA>(currentTarget())) &&
         (doubles ? plan.ldsOfDoubles : plan.lds) <= 64 * 1024;
}

/// A problem of factors of T that are contiguous along K, as planGemm() sees it.
template <class T> hk::detail::GemmProblem problemOf(const hk::GemmShape &shape) {
  hk::detail::GemmProblem problem{};
  problem.m = shape.m, problem.n = shape.n, problem.k = shape.k, problem.batches = shape.batches;
  problem.factorBytes = int(sizeof(T)), problem.sumBytes = int(sizeof(typename hk::detail::SumOf<T>::Type));
  problem.alongK = problem.aligned = true;
  problem.hasSparse = hk::detail::hasSparseOn<T, T>(currentTarget());
  return problem;
}

} // namespace test
