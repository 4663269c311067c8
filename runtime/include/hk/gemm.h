//===- hk/gemm.h - Matrix multiplication on matrix cores -----------------------===//
//
//   hk::gemm(launch, {m, n, k, batches}, a, b, epilogue, extras, outputs, options)
//
// outputs... = epilogue(sum over K of A(i, k) * B(k, j), extras...) for each row i < m and column j < n.
//
//   a, b       hk/gemm/factor.h: memory, order, leading dimension, prologue. NN, NT, TN and TT, any leading dimension.
//   epilogue   hk/gemm/epilogue.h: a functor, what else it reads, and where its results go. hk/ops/gemm.h has the usual ones.
//   options    a plan instead of planGemm()'s, and a workspace
//
// hk::gemmGrouped() (hk/gemm/grouped.h): problems with sizes of their own in one launch.
//
// Types: what is multiplied is f32, f16, bf16, fp8 (two of e4m3, e5m2, or two of their FNUZ kinds, mixed or not), int8 or f64,
// summed in f32, i32 for int8 and f64 for f64.
//
// Any m, n and k, of nothing too: with k = 0 the sums are zero and the epilogue runs; with m, n or batches 0 nothing is done.
// Nothing is read outside of the factors' rows and columns.
//
// Results do not depend on which workgroup is faster: the same plan gives the same bits. Splitting K needs a workspace
// (GemmWorkspace in hk/gemm/split.h) or one from the stream's pool; in a captured stream without one, K is not split. Up to 8
// splits need none on sm_90.
//
// Accuracy: |error of a sum| <= (K + 2) u sum |A(i, k) B(k, j)|, u = 2^-24 for f32 sums, 2^-53 for f64; 2^-20 for f32 factors on
// NVIDIA; integers are exact (modulo 2^32). fp8 on sm_90a's warpgroups (GemmMode::Warpgroup): products of up to 256 elements are added
// with fewer bits, for which there is no bound from NVIDIA; other plans keep the one above.
//
// Errors: hipErrorInvalidValue for negative sizes, sizes or leading dimensions out of range (m, n, k below 2^31; 256 rows below
// 4 GiB), and for a plan that there is no kernel or no workspace for; hipErrorNotSupported for a device without a schedule;
// errors of the launch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/launch.h"

namespace hk {

struct GemmShape {
  int64_t m, n, k;
  int batches = 1;
};

struct GemmOptions {
  const GemmPlan *plan = nullptr;
  GemmWorkspace workspace = {};
  /// B was there before the kernel that comes before this one in the stream, like weights. On NVIDIA (sm_90) it may then be
  /// read while that kernel still runs.
  bool constantB = false;
  /// Without a workspace: whether one is taken from the stream's pool.
  bool usesPool = true;
};

namespace detail {

template <class W, class X> GemmProblem problemOf(const Target &target, const GemmShape &shape, bool aligned) {
  using T = typename W::Type;
  return {shape.m, shape.n, shape.k, shape.batches, int(sizeof(T)), int(sizeof(typename SumOf<T>::Type)),
          W::Contiguous && X::Contiguous, aligned, hasSparseOn<T, typename X::Type>(target),
          takesWarpgroups<W, X>};
}

/// Whether launches are only recorded.
inline bool isCaptured(hipStream_t stream) {
  hipStreamCaptureStatus status;
  return hipStreamIsCapturing(stream, &status) == hipSuccess && status != hipStreamCaptureStatusNone;
}

/// Bytes of workspace that are taken from a pool at most.
constexpr size_t MostPooled = size_t(256) << 20;

/// What a launch may use for the sums of splits: the caller's, or some of the stream's pool.
struct WorkspaceLimit {
  size_t given;
  bool pooled;
  size_t forPlan() const { return pooled ? MostPooled : given; }
  bool has(size_t needed) const { return needed <= given || pooled; }
};
inline WorkspaceLimit workspaceLimit(const GemmOptions &options, hipStream_t stream) {
  const size_t given = options.workspace.data ? options.workspace.bytes : 0;
  return {given, options.usesPool && !given && !isCaptured(stream)};
}

inline bool areGemmSizes(const GemmShape &shape) {
  constexpr int64_t Most = 0x7fffff00; // tiles round up
  return shape.m >= 0 && shape.n >= 0 && shape.k >= 0 && shape.batches >= 0 && shape.m <= Most && shape.n <= Most &&
         shape.k <= Most && shape.batches <= 65535;
}

/// Leading dimensions and pitches.
template <class A, Layout LA, class PA, class B, Layout LB, class PB, class Extras, class Outputs>
bool areGemmPitches(const Factor<A, LA, PA> &a, const Factor<B, LB, PB> &b, const Extras &extras,
                    const Outputs &outputs) {
  constexpr int64_t MostBytes = (int64_t(1) << 32) / 256 - 1;
  return a.ld >= 0 && b.ld >= 0 && a.ld * int64_t(sizeof(A)) <= MostBytes && b.ld * int64_t(sizeof(B)) <= MostBytes &&
         allOf(extras, [](const auto &one) { return hasEpiloguePitch(one); }) &&
         allOf(outputs, [](const auto &one) { return hasEpiloguePitch(one); });
}

template <class Epilogue, class Extras, class Outputs>
GemmProgram<Epilogue, Extras, Outputs> gemmProgram(const Epilogue &epilogue, const Extras &extras,
                                                   const Outputs &outputs) {
  const bool aligned = allOf(extras, [](const auto &one) { return isEpilogueAligned(one); }) &&
                       allOf(outputs, [](const auto &one) { return isEpilogueAligned(one); });
  return {epilogue, extras, outputs, aligned};
}

/// All but the plan's.
inline void setExtent(GemmExtent &extent, const Target &target, const GemmShape &shape, const GemmOptions &options) {
  extent.m = int(shape.m), extent.n = int(shape.n), extent.k = int(shape.k);
  extent.group = 8;
  extent.xcds = target.arch == Arch::Gfx942 || target.arch == Arch::Gfx950 ? 8 : 1;
  extent.constantW = options.constantB;
  extent.workspace = options.workspace.bytes ? options.workspace.data : nullptr;
}

/// Calls \p start, which returns an error. Where \p workspace is null, it is \p needed bytes of the stream's pool
/// meanwhile.
template <class F> hipError_t withWorkspace(hipStream_t stream, size_t needed, void *&workspace, F start) {
  const bool takes = needed > 0 && !workspace;
  if (takes) {
    if (hipError_t error = hipMallocAsync(&workspace, needed, stream); error != hipSuccess)
      return error;
    if (hipError_t error = clearGemmCounters(workspace, stream); error != hipSuccess) {
      (void)hipFreeAsync(workspace, stream);
      return error;
    }
  }
  const hipError_t error = start();
  if (takes)
    if (hipError_t freed = hipFreeAsync(workspace, stream); error == hipSuccess)
      return freed;
  return error;
}

} // namespace detail

template <class A, Layout LA, class PA, class B, Layout LB, class PB, class Epilogue, class Extras, class Outputs>
hipError_t gemm(const Launch &launch, const GemmShape &shape, const Factor<A, LA, PA> &a, const Factor<B, LB, PB> &b,
                const Epilogue &epilogue, const Extras &extras, const Outputs &outputs, const GemmOptions &options = {}) {
  using namespace detail;
  if (!areGemmSizes(shape))
    return hipErrorInvalidValue;
  if (shape.m == 0 || shape.n == 0 || shape.batches == 0)
    return hipSuccess;
  if (!areGemmPitches(a, b, extras, outputs))
    return hipErrorInvalidValue;
  Target target;
  if (hipError_t error = currentTarget(target); error != hipSuccess)
    return error;

  const auto w = rowsOf<true>(b);
  const auto x = rowsOf<false>(a);
  using W = std::decay_t<decltype(w)>;
  using X = std::decay_t<decltype(x)>;
  const bool aligned = areChunksAligned(w) && areChunksAligned(x);
  const GemmProblem problem = problemOf<W, X>(target, shape, aligned);
  const WorkspaceLimit limit = workspaceLimit(options, launch.stream);
  const GemmPlan plan = options.plan ? *options.plan : planGemm(target, problem, limit.forPlan());
  const ConfigShape config = shapeOf(plan.mode, plan.config);
  if (!canRun(target, problem, config) || !canSplit(target, problem, config, plan.splits))
    return hipErrorInvalidValue;
  const size_t needed = splitBytes(target, problem, config, plan.splits);
  if (!limit.has(needed))
    return hipErrorInvalidValue;
  GemmExtent extent{};
  setExtent(extent, target, shape, options);
  return withWorkspace(launch.stream, needed, extent.workspace, [&] {
    return launchGemm(GemmCall<GemmExtent>{launch.stream, target, extent, shape.batches, aligned}, plan, w, x,
                      gemmProgram(epilogue, extras, outputs));
  });
}

/// Bytes of workspace with which the plan for this problem is the one that planGemm() prefers; 0 if K is not split. For
/// aligned factors that are contiguous along K; others may be given less than they would use. \p A and \p B: what is multiplied.
template <class A, class B = A> hipError_t gemmWorkspaceBytes(const GemmShape &shape, size_t &bytes) {
  using namespace detail;
  Target target;
  if (hipError_t error = currentTarget(target); error != hipSuccess)
    return error;
  const GemmProblem problem = problemOf<Rows<B, true, AsStored>, Rows<A, true, AsStored>>(target, shape, true);
  const GemmPlan plan = planGemm(target, problem, MostPooled);
  bytes = splitBytes(target, problem, shapeOf(plan.mode, plan.config), plan.splits);
  return hipSuccess;
}

} // namespace hk

#include "hk/gemm/grouped.h"
