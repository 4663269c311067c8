//===- hk/ops/gemm_quantize.h - Linear layers with dynamic scales ----------------===//
//
//   linearDynamic<F, Policy, Between>(launch, shape, a, b, options, y)
//
//   value = F(alpha * rowScale * columnScale * (A * B) + beta * c + bias) + residual      as hk::linear (hk/ops/gemm.h)
//   scale[i] = max over j of |value(i, j)| / largest number of y's type
//   y(i, j) = value(i, j) / scale[i], rounded, saturating
//
// y: QuantizedRows<T>, or QuantizedGroups<T, G> for a scale of each G columns, of fp8 or int8. Scales, zeros, NaN and
// infinities are as hk/operands.h says for every operator with such outputs; rounding and bounds as in
// hk/ops/quantize.h.
//
// Batches: matrices of y are options.yStride apart; scales of all batches * m rows follow each other. options.outScale
// and outRowScale have to be left out.
//
// How. A row spans many tiles, and its scale is not known before the last of them: the values go to memory, rounded to
// Between, and hk::rows quantizes them in a second kernel, whose workgroups each read a row once. Not in the kernel
// that multiplies: there the workgroup that is the last to finish a band of rows would read all of it alone. For few
// rows, which are one band, that is one compute unit while all others are idle: 16 rows of 8192 are 512 KiB, 9
// microseconds at the rate of a unit that hk/gemm/plan.h assumes (60 bytes a nanosecond; nothing was timed). For many
// rows there are bands enough, but the second kernel is a small part then. And with hk::rows nothing depends on the
// order in which workgroups arrive, there is nothing to reset between replays, and one definition of scales.
//
// Few rows stay in caches (64 x 8192: 2 MiB). For many, values are written and read once: Between = f16 or bf16 halves
// that, and rounds once more; with float, values are those of hk::linear to a Matrix<float>.
//
// Memory for the values is part of options.gemm.workspace: linearDynamicWorkspaceBytes() says how much that has to be.
// It is prepared as for hk::gemm, and may serve both in turn. Without one, the stream's pool is asked; in a captured
// stream, where it cannot be, that is hipErrorInvalidValue. `launch` may bring an hk::Workspace: few rows are then
// shared between workgroups.
//
// Errors: as hk::gemm and hk::rows; hipErrorInvalidValue for a workspace that is too small, a static scale, no scales'
// memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/ops/gemm.h"
#include "hk/ops/quantize.h"

namespace hk {
namespace detail {

/// Where the values of a launch are.
template <class Between> struct BetweenShape {
  int64_t pitch;
  size_t bytes;

  explicit BetweenShape(const GemmShape &shape) {
    constexpr int64_t Vector = 16 / int64_t(sizeof(Between));
    pitch = ceilDivide(shape.n, Vector) * Vector;
    bytes = size_t(shape.batches) * size_t(shape.m) * size_t(pitch) * sizeof(Between);
    bytes = (bytes + 255) / 256 * 256;
  }
};

template <class T> QuantizedRows<T> fromRow(const QuantizedRows<T> &y, int64_t elements, int64_t row) {
  return {y.data + elements, y.pitch, y.scale + row};
}
template <class T, int G> QuantizedGroups<T, G> fromRow(const QuantizedGroups<T, G> &y, int64_t elements, int64_t row) {
  return {y.data + elements, y.pitch, y.scale + row * y.scalePitch, y.scalePitch};
}

/// Quantizes the matrices of all batches, in one launch if their rows are as far apart as if they were one.
template <class Between, class Output>
hipError_t quantizeBatches(const Launch &launch, const GemmShape &shape, const Between *values, int64_t pitch,
                           const Output &y, int64_t yStride) {
  const int64_t rows = shape.m * shape.batches;
  if (rows <= 0x7fffffff && (shape.batches == 1 || yStride == shape.m * y.pitch))
    return quantize(launch, {rows, shape.n}, Matrix<const Between>{values, pitch}, y);
  for (int batch = 0; batch < shape.batches; ++batch) {
    const int64_t row = batch * shape.m;
    if (hipError_t error = quantize(launch, {shape.m, shape.n}, Matrix<const Between>{values + row * pitch, pitch},
                                    fromRow(y, batch * yStride, row));
        error != hipSuccess)
      return error;
  }
  return hipSuccess;
}

} // namespace detail

template <template <class> class F = Identity, class Policy = Exact, class Between = float, class FactorA,
          class FactorB, class C, class Bias, class Residual, class Output>
hipError_t linearDynamic(const Launch &launch, const GemmShape &shape, const FactorA &a, const FactorB &b,
                         LinearOptions<C, Bias, Residual> options, const Output &y) {
  using namespace detail;
  static_assert(OutputTraits<Output>::Scale != Scaling::None, "y: QuantizedRows or QuantizedGroups");
  if (!areGemmSizes(shape) || shape.n >= 1 << 29 || !hasPitches(y) || !y.scale || options.outScale.data ||
      options.outRowScale.data)
    return hipErrorInvalidValue;
  if (shape.m == 0 || shape.n == 0 || shape.batches == 0)
    return hipSuccess;
  const BetweenShape<Between> between(shape);
  const int64_t yStride = options.yStride;
  options.yStride = shape.m * between.pitch;
  auto run = [&](void *memory) {
    Between *values = static_cast<Between *>(memory);
    if (hipError_t error = linear<F, Policy>(launch, shape, a, b, options, Matrix<Between>{values, between.pitch});
        error != hipSuccess)
      return error;
    return quantizeBatches(launch, shape, values, between.pitch, y, yStride);
  };

  // The values are at the workspace's end: its beginning, with the counters, is as hk::gemm has it.
  GemmWorkspace &workspace = options.gemm.workspace;
  if (workspace.data && workspace.bytes) {
    if (workspace.bytes < GemmPartialsOffset || workspace.bytes - GemmPartialsOffset < between.bytes)
      return hipErrorInvalidValue;
    workspace.bytes = (workspace.bytes - between.bytes) / 16 * 16;
    return run(static_cast<char *>(workspace.data) + workspace.bytes);
  }
  if (!options.gemm.usesPool || isCaptured(launch.stream))
    return hipErrorInvalidValue;
  void *memory;
  if (hipError_t error = hipMallocAsync(&memory, between.bytes, launch.stream); error != hipSuccess)
    return error;
  const hipError_t error = run(memory);
  const hipError_t freed = hipFreeAsync(memory, launch.stream);
  return error != hipSuccess ? error : freed;
}

/// Bytes of workspace that linearDynamic() has use for. With fewer, K is split less; the values and the counters are
/// the least. \p A and \p B: what is multiplied.
template <class A, class B = A, class Between = float>
hipError_t linearDynamicWorkspaceBytes(const GemmShape &shape, size_t &bytes) {
  using namespace detail;
  if (!areGemmSizes(shape))
    return hipErrorInvalidValue;
  size_t sums = 0;
  if (hipError_t error = gemmWorkspaceBytes<A, B>(shape, sums); error != hipSuccess)
    return error;
  sums = sums > GemmPartialsOffset ? (sums + 255) / 256 * 256 : GemmPartialsOffset;
  bytes = sums + BetweenShape<Between>(shape).bytes;
  return hipSuccess;
}

} // namespace hk
