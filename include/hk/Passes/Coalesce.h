//===- Coalesce.h - How kernels reach global memory -------------*- C++ -*-===//
//
// Says of each access to global memory how neighbouring lanes are placed, how
// many lines a wavefront touches and how many would do. It proposes no edit
// yet, and runs when it is asked for. See docs/passes/coalesce.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/Pass.h"

namespace hk {

std::unique_ptr<RewritePass> makeCoalescePass(const PassOptions &Opts);

} // namespace hk
