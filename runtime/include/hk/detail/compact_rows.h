//===- hk/detail/compact_rows.h - Few kernels for a row program -----------===//
//
// hk::rows makes some twenty kernels of a program, to have the best for every shape. A library of
// many programs cannot afford that for those that are seldom needed. A program for which
// `CompactRows` is true has three: one workgroup a row with two vectors a work-item, with and
// without checks, and one that goes through longer rows in steps, reading them twice.
//
// Specialize it before the program is used:
//
//   template <> inline constexpr bool hk::detail::CompactRows<Program> = true;
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/row_launch.h"

namespace hk {
namespace detail {

template <class Program> inline constexpr bool CompactRows = false;

template <class Program>
hipError_t launchCompact(const Launch &launch, const Target &target, const Program &program,
                         int64_t rows, int columns, bool general) {
  constexpr int N = Program::VectorLength, V = 2;
  const int wave = waveSizeOf(target), most = mostThreads(RowMode::Block, V, 1, HK_AMD);
  const int64_t vectors = (int64_t(columns) + N - 1) / N;
  const int64_t needed = roundUpTo((vectors + V - 1) / V, wave);
  const int threads = int(needed < most ? needed : most);
  // A few rounds of what a compute unit holds; each workgroup takes rows until none is left.
  const int64_t resident =
      int64_t(target.computeUnits) * (tuningOf(target).residentThreads / threads) * 4;
  const int workgroups = int(rows < resident ? rows : resident);
  const RowExtent extent{int(rows), columns, threads, 1, 1, columns, workgroups, nullptr};
  auto start = [&](auto kernel) {
    return launchKernel(target, kernel, dim3(unsigned(workgroups)), dim3(unsigned(threads)), 0, 1,
                        launch.stream, program, extent);
  };
  if (needed > most)
    return start(longRowsKernel<Program, RowMode::Block, V, true, false>);
  // The kernel without checks takes all vectors but the last to be whole.
  if (general || threads * (V - 1) > vectors)
    return start(rowsKernel<Program, RowMode::Block, V, 1, true, true>);
  return start(rowsKernel<Program, RowMode::Block, V, 1, false, true>);
}

} // namespace detail
} // namespace hk
