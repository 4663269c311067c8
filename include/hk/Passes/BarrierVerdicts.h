//===- BarrierVerdicts.h - The verdicts of one kernel -----------*- C++ -*-===//
//
// The decision of the barrier pass, kernel by kernel, before anything is said
// about source text. The rule, in one sentence: a barrier may go if no two
// accesses of different work-items that may touch a common byte, one of them a
// write, are ordered by it (and the other barriers that go with it) alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/Conflicts.h"
#include "hk/Facts/Intervals.h"
#include "hk/Facts/KernelFacts.h"
#include "hk/Rewrite/Proposal.h"

#include <string>
#include <vector>

namespace hk {

enum class BarrierVerdict {
  Redundant,
  WaveLevel,
  LdsOnly,
  Needed,
  Unknown,
  Divergent,
};

/// One barrier of one kernel.
struct BarrierFinding {
  unsigned Barrier = 0;
  BarrierVerdict Verdict = BarrierVerdict::Unknown;
  bool LdsOnlyToo = false; ///< WaveLevel, and an LDS-only barrier would do as well
  std::string Why;         ///< half a sentence
  std::vector<ProposalNote> Notes;
  std::vector<Obligation> Obligations;
};

/// Two accesses that race, or that only a barrier would order for other workgroups.
struct RaceFinding {
  SourcePlace First, Second; ///< Second is where a barrier is missing before
  bool FirstWrites = false, SecondWrites = false;
  std::string Object;
  ConflictWitness Witness;
  enum KindTy {
    Race,
    Updates, ///< two atomic updates whose order shows
    Release, ///< the second signals for items whose stores are the first: see BarrierPublication.h
    Acquire, ///< the first waits for items that run the second
  } Kind = Race;
  bool OneWave = false; ///< both items in one wavefront: a wave-level barrier is enough
  /// The places and the calls they were inlined at, innermost first.
  std::vector<SourcePlace> FirstChain, SecondChain;
  unsigned P = 0, Q = 0;
};

struct KernelFindings {
  std::vector<BarrierFinding> Barriers; ///< for each workgroup barrier, in program order
  std::vector<RaceFinding> Races;
  unsigned Queries = 0; ///< solver queries made
};

/// Decides all barriers of a kernel together and looks for races. \p Seen: block shape of the
/// launches in view.
KernelFindings judgeBarriers(const KernelFacts &K, const ConflictOptions &Opts);

} // namespace hk
