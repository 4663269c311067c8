//===- BarrierInsertion.h - Where missing barriers go -----------*- C++ -*-===//
//
// Chooses, for races that were found, a smallest set of places between
// statements at which a barrier separates every racing pair.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/BarrierVerdicts.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace hk {

/// Where a race's barrier may stand: in a statement list, before one of the items (From, To]. When
/// From >= To the second access comes in the next turn of a loop, and the barrier may also stand
/// before one of the items up to To.
struct InsertionRange {
  const StatementList *List = nullptr;
  unsigned From = 0, To = 0;
};

/// The innermost list that has the two accesses in different statements; nothing if there is none.
std::optional<InsertionRange> insertionRange(const std::vector<StatementList> &Lists,
                                             const RaceFinding &R);

/// A barrier to insert and the races (by index) it separates.
struct Insertion {
  const StatementList *List = nullptr;
  unsigned Before = 0; ///< item of the list
  std::vector<unsigned> Races;
};

/// A smallest set for ranges that share lists: the classic stabbing of intervals by their right
/// ends.
std::vector<Insertion> chooseInsertions(const std::vector<std::optional<InsertionRange>> &Ranges);

} // namespace hk
