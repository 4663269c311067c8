//===- hk/detail/row_launch.h - From a plan to a kernel of hk::rows -------===//
//
// Checks that a plan, which may be a caller's, is one that a kernel exists for and that covers the row, and launches it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/row_kernels.h"

namespace hk {
namespace detail {

/// Whether accesses of N elements, in each row, need no check of their alignment.
template <int N, class T> bool isAligned(const Matrix<T> &m) { return areVectorsAligned<N>(m.data, m.pitch); }
template <int N, class T> bool isAligned(const RowVector<T> &v) { return areVectorsAligned<N>(v.data, 0); }
template <int N, class T> bool isAligned(const ColumnVector<T> &) { return true; }
template <int N, class T> bool isAligned(const Scalar<T> &) { return true; }
template <int N, class T> bool isAligned(const QuantizedRows<T> &m) { return areVectorsAligned<N>(m.data, m.pitch); }
template <int N, class T, int G> bool isAligned(const QuantizedGroups<T, G> &m) {
  return areVectorsAligned<N>(m.data, m.pitch);
}

/// Whether an operand's pitches are what rowOffset() takes.
inline bool isPitch(int64_t pitch) { return pitch >= 0 && pitch <= 0x7fffffff; }
template <class O> bool hasPitches(const O &) { return true; }
template <class T> bool hasPitches(const Matrix<T> &m) { return isPitch(m.pitch); }
template <class T> bool hasPitches(const QuantizedRows<T> &m) { return isPitch(m.pitch); }
template <class T, int G> bool hasPitches(const QuantizedGroups<T, G> &m) {
  return isPitch(m.pitch) && isPitch(m.scalePitch);
}

/// Whether \p test holds for all operands of the program.
template <class Program, class Test> bool allOperands(const Program &program, Test test) {
  return allOf(program.inputs, test) && allOf(program.extras, test) && allOf(program.outputs, test);
}

/// The kernels there are in registers, and no others: see hasChunks() and mostThreads() of hk/tuning.h.
template <RowMode Mode, int G, bool General, class Program>
hipError_t launchInRegisters(const Target &target, const Program &program, const RowExtent &extent, int chunks,
                             dim3 block, hipStream_t stream) {
  const bool loops = Mode != RowMode::Split && int64_t(extent.workgroups) * extent.rowsInWorkgroup < extent.rows;
  if (loops && HK_NVIDIA)
    return hipErrorInvalidValue;
  if (General && chunks == 1) // the form that checks is made for two
    chunks = 2;
  hipError_t error = hipErrorInvalidValue;
  auto start = [&](auto loop) {
    constexpr bool Loops = decltype(loop)::value;
    forEachIndex<4>([&](auto i) {
      constexpr int V = 1 << decltype(i)::value;
      if constexpr (hasChunks(Mode, V, General, Loops, HK_AMD))
        if (chunks == V && int(block.x) <= mostThreads(Mode, V, G, HK_AMD))
          error = launchKernel(target, rowsKernel<Program, Mode, V, G, General, Loops>,
                               dim3{static_cast<unsigned>(extent.workgroups)}, block, 0, extent.parts, stream,
                               program, extent);
    });
  };
  // Packed and the form that checks take any number of rows on AMD: one kernel is enough.
  constexpr bool AlwaysLoops = HK_AMD && Mode != RowMode::Split && (Mode == RowMode::Packed || General);
  if constexpr (AlwaysLoops) {
    start(std::true_type{});
  } else {
    if constexpr (HK_AMD && Mode != RowMode::Split)
      if (loops) {
        start(std::true_type{});
        return error;
      }
    start(std::false_type{});
  }
  return error;
}

template <class Program>
hipError_t launchRows(const Launch &launch, const Target &target, const Program &program, int64_t rows, int columns,
                      bool general, const RowPlan &plan) {
  constexpr int N = Program::VectorLength;
  const int wave = waveSizeOf(target);
  const int64_t vectors = (int64_t(columns) + N - 1) / N;
  const bool packed = plan.mode == RowMode::Packed;
  if (plan.threads <= 0 || plan.threads > 1024 || plan.rowsInWorkgroup <= 0 || plan.rowsInWorkgroup > 256 ||
      plan.parts <= 0 || plan.chunks <= 0 || plan.workgroups <= 0 || plan.workgroups > 0x7fffffff)
    return hipErrorInvalidValue;
  // No more than there is to do, so that sums of rows and steps stay below 2^32.
  const int64_t groups = (rows + plan.rowsInWorkgroup - 1) / plan.rowsInWorkgroup;
  const int64_t workgroups = plan.parts > 1 ? groups * plan.parts
                             : plan.workgroups < groups ? plan.workgroups
                                                        : groups;
  const dim3 block(plan.threads * (packed ? plan.rowsInWorkgroup : 1));
  if (block.x > 1024 || block.x % wave)
    return hipErrorInvalidValue;
  RowExtent extent{int(rows),       columns, plan.threads, plan.rowsInWorkgroup, plan.parts, columns,
                   int(workgroups), launch.workspace.data};
  const int64_t share = partVectors(vectors, plan.parts, Program::GroupVectors), held = int64_t(plan.threads) * plan.chunks;
  if (plan.parts > 1) {
    const bool exchanges = HK_NVIDIA ? target.arch >= Arch::Sm90 && plan.parts <= 8
                                     : launch.workspace.data && workgroups * plan.rowsInWorkgroup <= WorkspaceLayout::Slots;
    if ((plan.mode != RowMode::Split && plan.mode != RowMode::Long) || !Program::Splits || general ||
        plan.parts > MaxParts || share * (plan.parts - 1) >= vectors || workgroups > 0x7fffffff || !exchanges)
      return hipErrorInvalidValue;
    extent.partColumns = int(share) * N;
  }
  switch (plan.mode) {
  case RowMode::Packed:
    if (plan.threads & (plan.threads - 1) || plan.threads > wave || plan.threads < Program::GroupVectors ||
        held < vectors || (!general && held - plan.threads >= vectors && plan.chunks > 1))
      return hipErrorInvalidValue;
    if (general)
      return launchInRegisters<RowMode::Packed, 1, true>(target, program, extent, plan.chunks, block, launch.stream);
    return launchInRegisters<RowMode::Packed, 1, false>(target, program, extent, plan.chunks, block, launch.stream);
  case RowMode::Block:
    // Chunks but the last are taken to be whole.
    if (plan.rowsInWorkgroup != 1 || held < vectors ||
        (!general && held - plan.threads >= vectors && plan.chunks > 1))
      return hipErrorInvalidValue;
    if (general)
      return launchInRegisters<RowMode::Block, 1, true>(target, program, extent, plan.chunks, block, launch.stream);
    return launchInRegisters<RowMode::Block, 1, false>(target, program, extent, plan.chunks, block, launch.stream);
  case RowMode::Split:
    if (plan.parts < 2 || held < share)
      return hipErrorInvalidValue;
    if constexpr (Program::Splits) {
      if (plan.rowsInWorkgroup == 1)
        return launchInRegisters<RowMode::Split, 1, false>(target, program, extent, plan.chunks, block, launch.stream);
#if HK_AMD
      if (plan.rowsInWorkgroup == RowsAtOnce && !(plan.parts & (plan.parts - 1)))
        return launchInRegisters<RowMode::Split, RowsAtOnce, false>(target, program, extent, plan.chunks, block,
                                                                    launch.stream);
#endif
    }
    return hipErrorInvalidValue;
  case RowMode::Long: {
    if (plan.rowsInWorkgroup != 1)
      return hipErrorInvalidValue;
    const size_t lds = plan.inLds ? size_t(share) * sizeof(Kept<Program, N>) : 0;
    const dim3 grid{static_cast<unsigned>(workgroups)};
    auto go = [&](auto kernel) {
      return launchKernel(target, kernel, grid, block, lds, extent.parts, launch.stream, program,
                          extent);
    };
    if constexpr (HK_NVIDIA && Program::Splits) {
      if (plan.parts > 1)
        return plan.inLds ? go(longRowsKernel<Program, RowMode::Split, 4, false, true>)
                          : go(longRowsKernel<Program, RowMode::Split, 4, false, false>);
    }
    if (plan.parts > 1)
      return hipErrorInvalidValue;
    if (general)
      return plan.inLds ? go(longRowsKernel<Program, RowMode::Block, 4, true, true>)
                        : go(longRowsKernel<Program, RowMode::Block, 4, true, false>);
    return plan.inLds ? go(longRowsKernel<Program, RowMode::Block, 4, false, true>)
                      : go(longRowsKernel<Program, RowMode::Block, 4, false, false>);
  }
  }
  return hipErrorInvalidValue;
}

} // namespace detail
} // namespace hk
