//===- CoalesceOperands.h - Tiles of a loop's operands ----------*- C++ -*-===//
//
// Loops in which the work-items of a row or of a column go through the same
// elements, as in matrix products: a workgroup loads a tile of each such operand
// once, a part of the loop at a time, in whole lines, and keeps it in LDS; so
// does one whose lanes are a row of the operand apart (a transposed operand).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"

#include <variant>

namespace hk {

/// Why not, without a reason where there is nothing to gain, or the version with tiles.
std::variant<KernelVersion, Declined> shareOperands(const KernelSource &S, const PassOptions &Opts,
                                                    const std::vector<Launch> &Launches);

} // namespace hk
