//===- CoalesceWiden.h - Several neighbours a lane --------------*- C++ -*-===//
//
// Where lanes use neighbouring elements of a few bytes, each lane takes several
// work-items, and their elements in one access of up to 16 bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"
#include "hk/Passes/Pass.h"

#include <variant>

namespace hk {

std::variant<KernelVersion, Declined> widenItems(const KernelSource &S, const PassOptions &Opts,
                                                 const std::vector<Launch> &Launches);

} // namespace hk
