//===- WorkgroupShape.h - What is known of a kernel's block size -*- C++ -*-===//
//
// Block sizes come from launch sites and __launch_bounds__. A launch site says
// something about the kernel only if all launches are visible: the kernel has
// internal linkage and its address does not escape, or the user says so
// (--assume=launches). With several sites the weakest knowledge holds.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace hk {

class TranslationUnit;
struct Kernel;

struct WorkgroupShape {
  /// Exact extent of a dimension, in work-items.
  std::array<std::optional<unsigned>, 3> Dim;
  /// Largest extent of a dimension.
  std::array<unsigned, 3> MaxDim{1024, 1024, 1024};
  /// Largest number of work-items in a workgroup.
  unsigned MaxItems = 1024;
  /// Where the knowledge comes from, for remarks: "launched with 256x1x1", "__launch_bounds__(256)",
  /// "unknown block size".
  std::string Source = "unknown block size";
  /// The knowledge rests on --assume=launches.
  bool Assumed = false;

  bool allKnown() const { return Dim[0] && Dim[1] && Dim[2]; }
};

/// The shape of \p K in \p TU. \p AssumeLaunches: take the launches in this file to be all there are.
WorkgroupShape workgroupShape(const TranslationUnit &TU, const Kernel &K, bool AssumeLaunches);

} // namespace hk
