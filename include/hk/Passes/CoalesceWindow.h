//===- CoalesceWindow.h - Halos of stencils in LDS --------------*- C++ -*-===//
//
// Neighbouring work-items of a stencil load almost the same elements, most of
// them from an odd one on. The version written here works by tiles of
// work-items: a workgroup loads what its tile wants of an array once, in whole
// lines, and the work-items read it in LDS.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"
#include "hk/Passes/Pass.h"

#include <variant>

namespace hk {

std::variant<KernelVersion, Declined> shareWindows(const KernelSource &S, const PassOptions &Opts,
                                                   const std::vector<Launch> &Launches);

} // namespace hk
