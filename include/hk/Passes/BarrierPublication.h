//===- BarrierPublication.h - Barriers that other workgroups need -*- C++ -*-===//
//
// A barrier can be missing although no two work-items of the workgroup touch a
// common byte: when one of them talks to other workgroups for all.
//
//   release   all items store; one of them, after a fence or with a release,
//             counts or raises a flag: the others' stores may come later
//   acquire   one item waits for a flag; the others go on without waiting
//
// Only what shows its intent is reported: a fence or release order on the one
// side, a loop that waits on the other.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/Conflicts.h"
#include "hk/Facts/Intervals.h"
#include "hk/Facts/KernelFacts.h"

#include <vector>

namespace hk {

struct UnorderedSync {
  unsigned First = 0, Second = 0; ///< accesses in program order; one of them is the synchronization
  bool Release = false;           ///< Second is; otherwise First is
  ConflictWitness Witness;        ///< S runs the plain access only, T the synchronization
};

/// One report for each synchronization that lacks a barrier, with the plain access nearest in
/// program order.
std::vector<UnorderedSync> findUnorderedSyncs(const KernelFacts &K, const Intervals &Ways,
                                              ConflictChecker &Checker);

} // namespace hk
