//===- CoalesceRemap.h - Lanes along another dimension ----------*- C++ -*-===//
//
// In a kernel whose work-items are independent of each other, any work-item may
// stand at any place. The versions written here let lanes run along the
// dimension in which neighbours are neighbours in memory: for all accesses
// (remap), or for loads along one and for stores along another, with a tile in
// LDS between (stage).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"
#include "hk/Passes/Pass.h"

#include <variant>

namespace hk {

std::variant<KernelVersion, Declined> remap(const KernelSource &S, const PassOptions &Opts,
                                            const std::vector<Launch> &Launches);

} // namespace hk
