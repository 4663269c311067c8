//===- Conflicts.h - Can two work-items touch a common byte? ----*- C++ -*-===//
//
// The proof engine of the barrier pass. For a pair of accesses and a relation
// of their loops it asks Z3 whether two different work-items of one workgroup
// can execute both and touch a common byte, under the conditions that guard the
// accesses. Answers are cached. The solver's budget is counted in its own
// steps, not in time, so that a result does not depend on the machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/Intervals.h"
#include "hk/Facts/KernelFacts.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hk {

/// "(x,y,z)"
std::string coordinates(const std::array<unsigned, 3> &Item);

/// Two work-items that collide.
struct ConflictWitness {
  std::array<unsigned, 3> S{}, T{};
  /// Values the model chose for what is not fixed: block size, arguments, counters.
  std::vector<std::pair<std::string, uint64_t>> Values;
  /// Both addresses follow from the code alone, not from values the analysis could not track.
  bool Exact = false;
  /// Work-items collide whatever values the arguments have, as long as the guards let them get there: proved for the
  /// two of the witness, or found for a series of values.
  bool Robust = false;

  std::string str() const; ///< "work-items (0,0,0) and (64,0,0)"
};

enum class ConflictVerdict {
  None,      ///< proved: no two items collide
  OneWave,   ///< proved: items of different wavefronts do not collide; a witness within one wavefront
  Conflict,  ///< a witness in two wavefronts
  Unknown,   ///< the solver's budget ran out, or the witness rests on untracked values
};

struct ConflictAnswer {
  ConflictVerdict Verdict = ConflictVerdict::None;
  ConflictWitness Witness; ///< for OneWave, Conflict, and Unknown when a model was found
  bool HasWitness = false;
  std::string Why; ///< for Unknown
};

struct ConflictOptions {
  bool AssumeNoAlias = false;
  /// Solver steps a query of check() and of race() (Z3's rlimit). A race is only reported: less effort will do.
  unsigned StepsPerQuery = 300000;
  unsigned StepsPerRace = 100000;
  /// Queries that may run out of steps before the rest of the kernel is not asked any more.
  unsigned MaxGivenUp = 8;
  /// Steps left for all kernels that share this counter; null: no common limit.
  uint64_t *StepsLeft = nullptr;
  uint64_t *RaceStepsLeft = nullptr; ///< the same for race()
  /// Queries a kernel; past this, answers are Unknown.
  unsigned MaxQueries = 4000;
  /// The block shape of the launches in view, for race(): a report needs no proof that there are no others.
  std::optional<WorkgroupShape> SeenShape;
};

class ConflictChecker {
public:
  ConflictChecker(const KernelFacts &K, const ConflictOptions &Opts);
  ~ConflictChecker();

  /// Does an order between P and Q matter? False for two reads, two commuting atomics, objects that cannot overlap.
  bool matters(unsigned P, unsigned Q) const;
  /// As matters(), and it is undefined without one: not for two atomics, unless they are different operations that do
  /// not commute.
  bool mayRace(unsigned P, unsigned Q) const;

  /// The full answer for two items anywhere in the workgroup. Only for pairs that matter.
  const ConflictAnswer &check(const AccessPair &Pair);

  /// Only items of different wavefronts (true) or of one wavefront (false), with robustness established.
  ConflictAnswer race(const AccessPair &Pair, bool DifferentWaves);

  /// Two items of which the first runs access \p All but not \p Some, and the second runs \p Some; none if that is not
  /// certain from the guards.
  std::optional<ConflictWitness> apart(unsigned All, unsigned Some);

  /// For the report: solver queries made.
  unsigned queries() const;

private:
  struct State;
  std::unique_ptr<State> St;
};

} // namespace hk
