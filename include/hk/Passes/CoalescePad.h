//===- CoalescePad.h - Tiles in LDS without bank conflicts ------*- C++ -*-===//
#pragma once

#include "hk/Passes/KernelSource.h"
#include "hk/Passes/Pass.h"
#include "hk/Rewrite/Proposal.h"

#include <vector>

namespace hk {

/// Proposals that add an element to the rows of two-dimensional __shared__ arrays whose columns
/// lanes go down, all on one bank or few.
std::vector<Proposal> padTiles(const KernelSource &S, const PassOptions &Opts);

} // namespace hk
