//===- hk/gemm/grouped.h - Problems with sizes of their own in one launch --------===//
//
//   hk::gemmGrouped(launch, {m, n, k}, groups, a, b, epilogue, extras, outputs, options)
//
// A product for each of count groups, of sizes that are in device memory: the host does not read them. A kernel may
// write them before this one in the stream, and a captured graph may be replayed with others. A group without rows does
// nothing.
//
//   groups                  what belongs to group g
//   {offsets, count}        GemmRowGroups: experts. Rows [offsets[g], offsets[g + 1]) of A (m x k) and of the outputs
//                           (m x n); batch g of B, k x n. m: rows of A, at least those of all groups together.
//   {groups, count}         GemmGroups: a GemmGroup {m, n, k, row, ldA, ldB} each. Rows from `row` on of batch g of A,
//                           m x k, and of the outputs; batch g of B, k x n. The shape has the most that there can be:
//                           m of all groups together, n and k of one. If m or n are less than that, some elements are
//                           not computed; k is for the plan alone.
//
// Group g is batch g of all factors, extras and outputs. What is the same for all batches is what its row makes it: a
// Matrix or ColumnVector has the rows of the concatenated A (and an At's row counts those), a RowVector is for all
// groups; hk::batched(RowVector, stride) is a bias per expert, rowMajorBatch() or columnMajorBatch() weights behind
// pointers, MatrixArray outputs behind pointers, MatrixGroups with pitches of their own.
//
//   // y = silu(x * weights[expert of the row]^T + bias[expert]); offsets: experts + 1, by the router's kernel
//   hk::gemmGrouped(launch, {rows, n, k}, hk::GemmRowGroups{offsets, experts}, hk::rowMajor(x, k),
//                   hk::columnMajor(weights, k, n * k), Epilogue{},
//                   hk::tuple(hk::batched(hk::RowVector<hk::bf16>{bias}, n)), hk::tuple(hk::Matrix<hk::bf16>{y, n}));
//
// The plan is planGemm()'s for as many groups as there are, or as there are rows, with the mean of rows each, unless
// one is given; any plan computes any groups. K is split as in hk::gemm: for the most tiles that there can be, which
// have to have counters and workspace. Without, the plan has no splits. A plan that asks for more is refused.
//
// GemmOptions::constantB has no effect: B is found by what the kernel before may have written.
//
// Errors: as hk::gemm; hipErrorInvalidValue for batches other than 1, a negative count, groups without a pointer, and
// more tiles than a launch has workgroups.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm.h"

namespace hk {
namespace detail {

HK_HOST_DEVICE const void *sizesOf(const GemmRowGroups &groups) { return groups.offsets; }
HK_HOST_DEVICE const void *sizesOf(const GemmGroups &groups) { return groups.groups; }

/// Whether vectors of A are aligned in all groups. Rows may begin anywhere, and leading dimensions of GemmGroups are
/// not known.
template <class X> bool areGroupsAligned(const GemmRowGroups &) { return X::Contiguous; }
template <class X> bool areGroupsAligned(const GemmGroups &) { return false; }

template <class W, class X> GemmProblem groupedProblem(const Target &target, const GemmShape &shape, bool aligned) {
  GemmProblem problem = problemOf<W, X>(target, shape, aligned);
  problem.grouped = true;
  return problem;
}

/// The problem that has the tiles of all groups: as many as there can be.
inline GemmProblem mostTiles(const GemmProblem &p, int count, const ConfigShape &c) {
  GemmProblem most = p;
  most.m = mostBands(p.m, count, c.tileM) * c.tileM;
  most.batches = 1;
  return most;
}

/// Whether a launch has workgroups for all tiles, and K may be split so.
inline bool canGroup(const Target &target, const GemmProblem &p, int count, const GemmPlan &plan) {
  const ConfigShape config = shapeOf(plan.mode, plan.config);
  if (!canRun(target, p, config))
    return false;
  const int64_t bands = mostBands(p.m, count, config.tileM);
  return bands * ceilDivide(p.n, config.tileN) <= 0x7fffffff && (plan.mode == GemmMode::Tile || bands <= 65535) &&
         canSplit(target, mostTiles(p, count, config), config, plan.splits);
}
inline size_t groupedBytes(const Target &target, const GemmProblem &p, int count, const GemmPlan &plan) {
  const ConfigShape config = shapeOf(plan.mode, plan.config);
  return splitBytes(target, mostTiles(p, count, config), config, plan.splits);
}

/// The plan for \p p's rows in \p count groups of one size.
inline GemmPlan planGroups(const Target &target, const GemmProblem &p, int count, size_t workspace) {
  GemmProblem mean = p;
  mean.batches = int(count < p.m ? count : p.m);
  mean.m = ceilDivide(p.m, mean.batches);
  // Uneven groups have more tiles than those of one size, so that a plan may not do.
  for (const size_t bytes : {workspace, size_t(0)}) {
    const GemmPlan plan = planGemm(target, mean, bytes);
    if (canGroup(target, p, count, plan) && groupedBytes(target, p, count, plan) <= workspace)
      return plan;
  }
  return {GemmMode::Tile, 0, 1};
}

} // namespace detail

/// Groups: GemmRowGroups or GemmGroups.
template <class Groups, class A, Layout LA, class PA, class B, Layout LB, class PB, class Epilogue, class Extras,
          class Outputs>
hipError_t gemmGrouped(const Launch &launch, const GemmShape &shape, const Groups &groups, const Factor<A, LA, PA> &a,
                       const Factor<B, LB, PB> &b, const Epilogue &epilogue, const Extras &extras,
                       const Outputs &outputs, const GemmOptions &options = {}) {
  using namespace detail;
  if (!areGemmSizes(shape) || shape.batches != 1 || groups.count < 0)
    return hipErrorInvalidValue;
  if (shape.m == 0 || shape.n == 0 || groups.count == 0)
    return hipSuccess;
  if (!sizesOf(groups) || !areGemmPitches(a, b, extras, outputs))
    return hipErrorInvalidValue;
  Target target;
  if (hipError_t error = currentTarget(target); error != hipSuccess)
    return error;

  const auto w = rowsOf<true>(b);
  const auto x = rowsOf<false>(a);
  using W = std::decay_t<decltype(w)>;
  using X = std::decay_t<decltype(x)>;
  const bool aligned = areChunksAligned(w) && areChunksAligned(x) && areGroupsAligned<X>(groups);
  const GemmProblem problem = groupedProblem<W, X>(target, shape, aligned);
  const WorkspaceLimit limit = workspaceLimit(options, launch.stream);
  const GemmPlan plan =
      options.plan ? *options.plan : planGroups(target, problem, groups.count, limit.forPlan());
  if (!canGroup(target, problem, groups.count, plan))
    return hipErrorInvalidValue;
  const size_t needed = groupedBytes(target, problem, groups.count, plan);
  if (!limit.has(needed))
    return hipErrorInvalidValue;
  GroupedExtent<Groups> extent{};
  setExtent(extent, target, shape, options);
  extent.groups = groups;
  extent.constantW = false;
  return withWorkspace(launch.stream, needed, extent.workspace, [&] {
    return launchGemm(GemmCall<GroupedExtent<Groups>>{launch.stream, target, extent, 1, aligned}, plan, w, x,
                      gemmProgram(epilogue, extras, outputs));
  });
}

/// Bytes of workspace with which the plan for \p count groups is the one that planGemm() prefers; 0 if K is not split.
/// As gemmWorkspaceBytes().
template <class A, class B = A> hipError_t gemmGroupedWorkspaceBytes(const GemmShape &shape, int count, size_t &bytes) {
  using namespace detail;
  if (!areGemmSizes(shape) || count < 0)
    return hipErrorInvalidValue;
  bytes = 0;
  if (shape.m == 0 || shape.n == 0 || count == 0)
    return hipSuccess;
  Target target;
  if (hipError_t error = currentTarget(target); error != hipSuccess)
    return error;
  const GemmProblem problem = groupedProblem<Rows<B, true, AsStored>, Rows<A, true, AsStored>>(target, shape, true);
  bytes = groupedBytes(target, problem, count, planGroups(target, problem, count, MostPooled));
  return hipSuccess;
}

} // namespace hk
