//===- Barriers.h - Remove, weaken and miss barriers ------------*- C++ -*-===//
//
// Gives every workgroup barrier of the source one verdict (needed, redundant,
// wave-level, LDS-only, unknown, in divergent flow), proposes the weaker form,
// and reports races that no barrier prevents. See docs/passes/barriers.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/Pass.h"

namespace hk {

std::unique_ptr<RewritePass> makeBarriersPass(const PassOptions &Opts);

} // namespace hk
