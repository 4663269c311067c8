//===- BarrierVerdicts.cpp - Deciding the barriers of a kernel ------------===//
//
// Three sets are grown one after the other, each by testing a barrier together
// with those already in a set, so that what is removed is right as a whole:
//
//   R  removed:     nothing that conflicts is ordered by R alone;
//   W  wave-level:  what R and W alone order conflicts within a wavefront only;
//   L  LDS-only:    no global access is ordered by L (and R, W) alone.
//
// Growing a set never makes a barrier removable that was not, so one sweep per
// set leaves nothing to do: running the tool on its own output changes nothing.
//
//===----------------------------------------------------------------------===//

#include "hk/Passes/BarrierVerdicts.h"

#include "hk/Passes/BarrierPublication.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <set>

using namespace llvm;
using namespace hk;

namespace {

constexpr unsigned MaxAccessesForRaces = 300;

/// A pair that keeps a barrier, with the solver's answer.
struct Blocker {
  AccessPair Pair;
  ConflictAnswer Answer;
  bool Publishes = false; ///< other workgroups rely on the order
};

class Judge {
public:
  Judge(const KernelFacts &K, const ConflictOptions &Opts)
      : K(K), Opts(Opts), Ways(K), Checker(K, Opts), Removed(K.Barriers.size()), Wave(K.Barriers.size()),
        Lds(K.Barriers.size()), Either(K.Barriers.size()), LdsStrength(K.Barriers.size()) {
    for (const KernelBarrier &B : K.Barriers)
      if (B.Strength == BarrierStrength::Lds)
        LdsStrength.set(B.Id);
  }

  KernelFindings run();

private:
  const KernelFacts &K;
  const ConflictOptions &Opts;
  Intervals Ways;
  ConflictChecker Checker;
  BitVector Removed, Wave, Lds, Either, LdsStrength;
  KernelFindings Out;

  bool checkAlignment();
  bool alignmentOf(unsigned B, BarrierFinding &F);
  /// Other workgroups may rely on the order of the two: one synchronizes with them, the other is in global memory.
  bool publishes(const KernelAccess &P, const KernelAccess &Q) const;
  void grow();
  std::optional<Blocker> blocker(const BitVector &Cross, const BitVector &Pass, bool OneWaveIsFine,
                                 bool GlobalOnly, bool WantWitness);
  void describe(BarrierFinding &F, const Blocker &B) const;
  void findRaces(bool Aligned);
  RaceFinding &addRace(const KernelAccess &P, const KernelAccess &Q);
  bool sameValueStores(const KernelAccess &A, const KernelAccess &B) const;
  bool seedsCompareExchange(const KernelAccess &Read, const KernelAccess &Atomic) const;
};

std::string verb(const KernelAccess &A) {
  switch (A.Effect) {
  case AccessEffect::Read:
    return "read";
  case AccessEffect::Write:
    return "write";
  case AccessEffect::Atomic:
    return "atomic update";
  }
  return "access";
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

bool Judge::alignmentOf(unsigned B, BarrierFinding &F) {
  const BasicBlock *Home = K.Barriers[B].Inst->getParent();
  BitVector Before = Ways.before(B), After = Ways.after(B);
  std::map<const BasicBlock *, unsigned> First;
  for (unsigned N = K.Segments.size(); N-- > 0;)
    First[K.Segments[N].Block] = N;
  auto IsBack = [&](const BasicBlock *From, const BasicBlock *To) {
    const Loop *L = K.LI.getLoopFor(To);
    return L && L->getHeader() == To && L->contains(From) && L->contains(Home);
  };
  // Segments reachable in the same iteration of the loops around the barrier; \p Again: a next one can begin.
  auto Closure = [&](unsigned From, bool &Again) {
    BitVector Seen(K.Segments.size());
    SmallVector<unsigned, 32> Work{From};
    Seen.set(From);
    while (!Work.empty()) {
      unsigned N = Work.pop_back_val();
      for (const Segment::Edge &E : K.Segments[N].Out) {
        if (E.BackEdge && E.BackEdge->contains(Home)) {
          Again = true;
          continue;
        }
        if (!Seen[E.To]) {
          Seen.set(E.To);
          Work.push_back(E.To);
        }
      }
    }
    return Seen;
  };
  for (const BasicBlock &D : K.F) {
    if (D.getTerminator()->getNumSuccessors() < 2 || K.uniformity().branchIsUniform(D))
      continue;
    if (!Before[First[&D]] || K.PDT.dominates(Home, &D))
      continue;
    const Loop *Around = K.LI.getLoopFor(&D);
    bool LeavesLoop = false;
    for (const Loop *L = Around; L; L = L->getParentLoop())
      LeavesLoop |= L->contains(Home) && L->isLoopExiting(&D);
    // Which sides come to the barrier in this iteration of the loops around both?
    unsigned Target = K.segmentOf(K.Barriers[B].Inst);
    SmallVector<std::pair<BitVector, bool>, 2> Sides;
    for (const BasicBlock *S : successors(&D)) {
      bool NextIteration = K.LI.getLoopFor(S) && K.LI.getLoopFor(S)->getHeader() == S && IsBack(&D, S);
      Sides.push_back({BitVector(K.Segments.size()), NextIteration});
      if (!NextIteration)
        Sides.back().first = Closure(First[S], Sides.back().second);
    }
    bool Decides = any_of(Sides, [&](auto &Side) { return Side.first[Target]; });
    bool Bad = LeavesLoop;
    for (auto &[Side, NextIteration] : Sides) {
      if (!Decides || Side[Target])
        continue;
      // Work-items on this side do not meet the barrier. They may leave the kernel; they may not go on to the next
      // iteration, to code that the others reach after the barrier, or to another barrier.
      Bad |= NextIteration;
      for (unsigned N : Side.set_bits()) {
        Bad |= After[N] && !K.Segments[N].Accesses.empty();
        for (const Segment::Edge &E : K.Segments[N].Out)
          Bad |= E.Barrier >= 0 && K.Barriers[E.Barrier].Strength != BarrierStrength::Wave;
      }
    }
    SourcePlace At = K.placeOf(*D.getTerminator());
    const SyncCall *Call = K.Barriers[B].Call;
    // In the source the condition stands around the call: not an early return.
    if (Call && Call->isInside(At))
      Bad = true;
    if (!Bad)
      continue;
    if (K.uniformity().branchIsSurelyDivergent(D)) {
      F.Verdict = BarrierVerdict::Divergent;
      F.Why = "work-items of one workgroup may disagree on the condition at line " + std::to_string(At.Line);
    } else {
      F.Verdict = BarrierVerdict::Unknown;
      F.Why = "the condition at line " + std::to_string(At.Line) +
              " is not proved to be the same for the whole workgroup";
    }
    if (At.valid())
      F.Notes.push_back({At, "this condition decides whether the barrier is reached"});
    return false;
  }
  return true;
}

bool Judge::checkAlignment() {
  bool Aligned = true;
  SourcePlace Bad;
  for (BarrierFinding &F : Out.Barriers)
    if (!alignmentOf(F.Barrier, F)) {
      if (Aligned)
        Bad = K.Barriers[F.Barrier].Place;
      Aligned = false;
    }
  if (Aligned)
    return true;
  for (BarrierFinding &F : Out.Barriers)
    if (F.Why.empty()) {
      F.Verdict = BarrierVerdict::Unknown;
      F.Why = "another barrier of the kernel, at line " + std::to_string(Bad.Line) +
              ", may not be reached by all work-items";
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Other workgroups
//===----------------------------------------------------------------------===//

bool Judge::publishes(const KernelAccess &P, const KernelAccess &Q) const {
  auto Counts = [](const KernelAccess &A) { return A.Space != MemorySpace::Lds && A.Space != MemorySpace::Constant; };
  return P.Clock || Q.Clock || (P.DeviceSync && Counts(Q)) || (Q.DeviceSync && Counts(P));
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

std::optional<Blocker> Judge::blocker(const BitVector &Cross, const BitVector &Pass, bool OneWaveIsFine,
                                      bool GlobalOnly, bool WantWitness) {
  std::optional<Blocker> Weak;
  for (const KernelAccess &P : K.Accesses) {
    bool Global = P.Space != MemorySpace::Lds;
    if (GlobalOnly && !Global)
      continue;
    // LDS-only barriers do not order global accesses.
    BitVector PassHere = Pass;
    if (Global) {
      PassHere |= LdsStrength;
      PassHere |= Lds;
      PassHere |= Either;
      PassHere.reset(Cross);
    }
    for (const AccessPair &Pair : Ways.crossings(P.Id, Cross, PassHere)) {
      const KernelAccess &Q = K.Accesses[Pair.Q];
      Blocker B{Pair, {}};
      if (publishes(P, Q)) {
        B.Publishes = true;
        B.Answer.Verdict = ConflictVerdict::Conflict;
        return B;
      }
      if (!Checker.matters(Pair.P, Pair.Q))
        continue;
      if (P.Volatile || Q.Volatile) {
        B.Answer.Verdict = ConflictVerdict::Unknown;
        B.Answer.Why = "'" + K.Objects[P.Object].Name + "' is volatile";
      } else if (!P.Pointer || !Q.Pointer) {
        B.Answer.Verdict = ConflictVerdict::Unknown;
        B.Answer.Why = K.Objects[(P.Pointer ? Q : P).Object].Name + " may touch any memory";
      } else {
        B.Answer = Checker.check(Pair);
      }
      if (B.Answer.Verdict == ConflictVerdict::None ||
          (OneWaveIsFine && B.Answer.Verdict == ConflictVerdict::OneWave))
        continue;
      if (!WantWitness || B.Answer.Verdict == ConflictVerdict::Conflict)
        return B;
      if (!Weak)
        Weak = B;
    }
  }
  return Weak;
}

void Judge::describe(BarrierFinding &F, const Blocker &B) const {
  const KernelAccess &P = K.Accesses[B.Pair.P], &Q = K.Accesses[B.Pair.Q];
  const std::string &On = K.Objects[P.Object].Name, &Off = K.Objects[Q.Object].Name;
  if (B.Publishes) {
    const KernelAccess &Sync = P.DeviceSync ? P : Q, &Other = P.DeviceSync ? Q : P;
    std::string What = "synchronization on '" + K.Objects[Sync.Object].Name + "'";
    if (Sync.Fence || !Sync.Pointer)
      What = K.Objects[Sync.Object].Name;
    F.Verdict = BarrierVerdict::Needed;
    F.Why = (P.Clock || Q.Clock ? "it shows in the time: " : "other workgroups may rely on it: ") + What + " and the " +
            (Other.Fence ? K.Objects[Other.Object].Name : verb(Other) + " of '" + K.Objects[Other.Object].Name + "'") +
            " stand on its two sides";
    for (const KernelAccess *A : {&P, &Q})
      if (A->Place.valid())
        F.Notes.push_back({A->Place, A->Fence ? K.Objects[A->Object].Name + " here"
                                              : verb(*A) + " of '" + K.Objects[A->Object].Name + "' here"});
    return;
  }
  if (B.Answer.Verdict == ConflictVerdict::Unknown) {
    F.Verdict = BarrierVerdict::Unknown;
    F.Why = B.Answer.Why;
  } else {
    F.Verdict = BarrierVerdict::Needed;
    std::string What = On == Off ? "'" + On + "'" : "'" + On + "' and '" + Off + "', which may overlap";
    F.Why = B.Answer.Witness.str() + " touch the same bytes of " + What;
    std::string With;
    for (auto &[Name, Value] : B.Answer.Witness.Values)
      With += (With.empty() ? "" : ", ") + Name + " = " + std::to_string(Value);
    if (!With.empty())
      F.Why += " (with " + With + ")";
  }
  auto Note = [&](const KernelAccess &A, const char *When, const std::array<unsigned, 3> &Item) {
    if (!A.Place.valid())
      return;
    std::string Text = verb(A) + " of '" + K.Objects[A.Object].Name + "' " + When;
    if (B.Answer.HasWitness)
      Text += " by work-item " + coordinates(Item);
    F.Notes.push_back({A.Place, Text});
  };
  bool Around = any_of(B.Pair.Loops, [](const LoopTie &L) { return L.How != Iteration::Same; });
  Note(P, "before the barrier", B.Answer.Witness.S);
  Note(Q, Around ? "after the barrier, in a later iteration" : "after the barrier", B.Answer.Witness.T);
}

void Judge::grow() {
  BitVector None(K.Barriers.size());
  auto With = [](const BitVector &Set, unsigned B) {
    BitVector S = Set;
    S.set(B);
    return S;
  };
  for (unsigned I = 0; I < Out.Barriers.size(); ++I) {
    BarrierFinding &F = Out.Barriers[I];
    if (K.Barriers[F.Barrier].Strength == BarrierStrength::Reduction)
      continue;
    if (!blocker(With(Removed, F.Barrier), None, false, false, false))
      Removed.set(F.Barrier);
  }
  auto Open = [&](unsigned I) {
    unsigned B = Out.Barriers[I].Barrier;
    return !Removed[B] && !Wave[B] &&
           K.Barriers[B].Strength != BarrierStrength::Reduction;
  };
  for (unsigned I = 0; I < Out.Barriers.size(); ++I)
    if (unsigned B = Out.Barriers[I].Barrier; Open(I) && !blocker(With(Wave, B), Removed, true, false, false))
      Wave.set(B);
  BitVector Gone = Removed;
  Gone |= Wave;
  for (unsigned I = 0; I < Out.Barriers.size(); ++I)
    if (unsigned B = Out.Barriers[I].Barrier;
        Open(I) && K.Barriers[B].Strength == BarrierStrength::Workgroup &&
        !blocker(With(Lds, B), Gone, false, true, false))
      Lds.set(B);

  // A wave-level barrier that could be LDS-only as well can share its source line with one that must be.
  Either = Lds;
  for (unsigned I = 0; I < Out.Barriers.size(); ++I)
    if (unsigned B = Out.Barriers[I].Barrier;
        Wave[B] && K.Barriers[B].Strength == BarrierStrength::Workgroup &&
        !blocker(With(Either, B), Gone, false, true, false)) {
      Either.set(B);
      Out.Barriers[I].LdsOnlyToo = true;
    }

  Obligation Pairs{"no two work-items touch a common byte that only this barrier orders",
                   ObligationState::Proved, "Z3, on bit-vectors"};
  for (unsigned I = 0; I < Out.Barriers.size(); ++I) {
    BarrierFinding &F = Out.Barriers[I];
    unsigned B = F.Barrier;
    if (K.Barriers[B].Strength == BarrierStrength::Reduction) {
      F.Verdict = BarrierVerdict::Needed;
      F.Why = "it combines a value over the workgroup";
    } else if (Removed[B]) {
      F.Verdict = BarrierVerdict::Redundant;
      F.Why = "no two work-items touch a common byte on its two sides";
      F.Obligations.push_back(Pairs);
    } else if (Wave[B]) {
      F.Verdict = BarrierVerdict::WaveLevel;
      // A pair over this barrier alone explains best.
      auto Worst = blocker(With(None, B), Removed, false, false, true);
      if (!Worst)
        Worst = blocker(With(Wave, B), Removed, false, false, true);
      if (Worst)
        describe(F, *Worst);
      F.Verdict = BarrierVerdict::WaveLevel;
      F.Why = "work-items that touch a common byte are in one wavefront";
      Pairs.Text = "no two work-items of different wavefronts touch a common byte that only this barrier orders";
      F.Obligations.push_back(Pairs);
      Pairs.Text = "no two work-items touch a common byte that only this barrier orders";
    } else {
      auto Worst = blocker(With(None, B), Gone, false, false, true);
      if (!Worst || Worst->Answer.Verdict != ConflictVerdict::Conflict)
        if (auto Wider = blocker(With(Gone, B), Gone, false, false, true);
            Wider && (!Worst || Wider->Answer.Verdict == ConflictVerdict::Conflict))
          Worst = Wider;
      if (Worst)
        describe(F, *Worst);
      if (Lds[B]) {
        F.Verdict = BarrierVerdict::LdsOnly;
        F.Why = "it orders LDS accesses, no global ones";
        F.Obligations.push_back({"no two work-items touch a common byte of global memory that only this barrier orders",
                                 ObligationState::Proved, "Z3, on bit-vectors"});
      } else if (F.Verdict == BarrierVerdict::Unknown && F.Why.empty()) {
        F.Why = "the solver gave up";
      } else if (K.Barriers[B].Strength == BarrierStrength::Workgroup) {
        // What an LDS-only barrier would have needed.
        if (auto Global = blocker(With(Lds, B), Gone, false, true, true)) {
          const KernelAccess &P = K.Accesses[Global->Pair.P], &Q = K.Accesses[Global->Pair.Q];
          if (!Global->Publishes && P.Object != Q.Object && P.Pointer && Q.Pointer)
            F.Obligations.push_back({"'" + K.Objects[P.Object].Name + "' and '" + K.Objects[Q.Object].Name +
                                         "' do not overlap, which would make it LDS-only",
                                     ObligationState::Failed,
                                     "declare them __restrict__ or pass --assume=noalias"});
        }
      }
    }
    bool Weaker = Removed[B] || Wave[B] || Lds[B];
    if (!Weaker)
      continue;
    if (Opts.AssumeNoAlias)
      F.Obligations.push_back({"different pointer parameters do not overlap", ObligationState::Assumed,
                               "--assume=noalias"});
    if (K.Shape.Assumed)
      F.Obligations.push_back({"the launches in view are all there are, so the kernel is " + K.Shape.Source,
                               ObligationState::Assumed, "--assume=launches"});
    else if (K.Shape.allKnown())
      F.Obligations.push_back({"the kernel is " + K.Shape.Source, ObligationState::Proved,
                               "all launches of a kernel of internal linkage are in view"});
    for (unsigned D = 1; D < 3; ++D)
      if (!K.Shape.Dim[D] && !K.UsesDim[D]) {
        F.Obligations.push_back(
            {"a workgroup has one row, since more rows would run the same stores and race with each other",
             ObligationState::Proved,
             std::string("the kernel never reads threadIdx.") + "xyz"[D] + " or blockDim." + "xyz"[D]});
        break;
      }
  }
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

bool Judge::sameValueStores(const KernelAccess &A, const KernelAccess &B) const {
  auto *X = dyn_cast<StoreInst>(A.Inst), *Y = dyn_cast<StoreInst>(B.Inst);
  if (!X || !Y)
    return false;
  const Value *V = X->getValueOperand(), *W = Y->getValueOperand();
  return V == W && (isa<Constant>(V) || !K.uniformity().isSurelyDivergent(V));
}

/// A plain read whose value an atomic compare-exchange of the same place checks: `old = *p; do ... atomicCAS(p, old, ...)`.
bool Judge::seedsCompareExchange(const KernelAccess &Read, const KernelAccess &Atomic) const {
  auto *Load = dyn_cast<LoadInst>(Read.Inst);
  if (!Load || Atomic.Effect != AccessEffect::Atomic)
    return false;
  SmallVector<const Value *, 8> Work{Load};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (const User *U : V->users()) {
      if (auto *X = dyn_cast<AtomicCmpXchgInst>(U); X && X->getCompareOperand() == V)
        return true;
      if (isa<PHINode, CastInst, FreezeInst>(U))
        Work.push_back(U);
    }
  }
  return false;
}

void Judge::findRaces(bool Aligned) {
  // Pairs grow with the square of the accesses: kernels past this size are judged but not searched.
  if (K.Accesses.size() > MaxAccessesForRaces)
    return;
  // One report for two places; the first pair found in program order stands for them.
  std::set<std::pair<SourcePlace, SourcePlace>> Reported;
  std::set<std::tuple<const Value *, const BasicBlock *, const Value *, const BasicBlock *, bool>> Clean;
  auto MayReport = [&](unsigned A, unsigned B) {
    const KernelAccess &P = K.Accesses[A], &Q = K.Accesses[B];
    return P.Object == Q.Object && P.Pointer && Q.Pointer && P.Bytes && Q.Bytes && Checker.mayRace(A, B) &&
           !sameValueStores(P, Q) && !seedsCompareExchange(P, Q) && !seedsCompareExchange(Q, P);
  };
  auto Look = [&](bool OneWave) {
    for (const AccessPair &Pair : Ways.together(/*WaveSyncs=*/OneWave, MayReport)) {
      const KernelAccess &P = K.Accesses[Pair.P], &Q = K.Accesses[Pair.Q];
      // Where not all may meet a barrier, what is on its other side in another iteration says nothing.
      if (!Aligned && any_of(Pair.Loops, [](const LoopTie &L) { return L.How != Iteration::Same; }))
        continue;
      auto Key = std::minmax(P.Place, Q.Place);
      if (Reported.count(Key))
        continue;
      // A load and a store of one element ask the same question.
      bool Plain = all_of(Pair.Loops, [](const LoopTie &L) { return L.How == Iteration::Same; });
      auto Question = std::make_tuple(P.Pointer, P.Inst->getParent(), Q.Pointer, Q.Inst->getParent(), OneWave);
      if (Plain && Clean.count(Question))
        continue;
      ConflictAnswer A = Checker.race(Pair, /*DifferentWaves=*/!OneWave);
      if (!A.HasWitness || !A.Witness.Exact || !A.Witness.Robust) {
        if (Plain && A.Verdict == ConflictVerdict::None)
          Clean.insert(Question);
        continue;
      }
      Reported.insert(Key);
      RaceFinding &R = addRace(P, Q);
      R.Witness = A.Witness;
      R.OneWave = OneWave;
      if (P.Inst->isAtomic() && Q.Inst->isAtomic())
        R.Kind = RaceFinding::Updates;
    }
  };
  Look(false);
  Look(true);
  for (const UnorderedSync &U : findUnorderedSyncs(K, Ways, Checker)) {
    RaceFinding &R = addRace(K.Accesses[U.First], K.Accesses[U.Second]);
    R.Kind = U.Release ? RaceFinding::Release : RaceFinding::Acquire;
    R.Object = K.Objects[K.Accesses[U.Release ? U.Second : U.First].Object].Name;
    R.Witness = U.Witness;
  }
}

RaceFinding &Judge::addRace(const KernelAccess &P, const KernelAccess &Q) {
  RaceFinding R;
  R.P = P.Id;
  R.Q = Q.Id;
  R.First = P.Place;
  R.Second = Q.Place;
  R.FirstChain.assign(P.InlinedAt.begin(), P.InlinedAt.end());
  R.FirstChain.insert(R.FirstChain.begin(), P.Place);
  R.SecondChain.assign(Q.InlinedAt.begin(), Q.InlinedAt.end());
  R.SecondChain.insert(R.SecondChain.begin(), Q.Place);
  R.FirstWrites = P.writes();
  R.SecondWrites = Q.writes();
  R.Object = K.Objects[P.Object].Name;
  return Out.Races.emplace_back(std::move(R));
}

KernelFindings Judge::run() {
  for (const KernelBarrier &B : K.Barriers) {
    if (B.Strength == BarrierStrength::Wave)
      continue;
    BarrierFinding F;
    F.Barrier = B.Id;
    Out.Barriers.push_back(F);
  }
  if (!K.Opaque.empty()) {
    for (BarrierFinding &F : Out.Barriers) {
      F.Why = "the kernel has " + K.Opaque;
      if (K.OpaquePlace.valid())
        F.Notes.push_back({K.OpaquePlace, K.Opaque});
    }
    return std::move(Out);
  }
  bool Aligned = checkAlignment();
  if (Aligned)
    grow();
  // A condition that is not proved uniform leaves the verdicts open; a race stands all the same.
  if (Aligned || none_of(Out.Barriers, [](const BarrierFinding &F) { return F.Verdict == BarrierVerdict::Divergent; }))
    findRaces(Aligned);
  Out.Queries = Checker.queries();
  return std::move(Out);
}

} // namespace

KernelFindings hk::judgeBarriers(const KernelFacts &K, const ConflictOptions &Opts) {
  return Judge(K, Opts).run();
}
