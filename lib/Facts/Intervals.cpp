//===- Intervals.cpp ------------------------------------------------------===//

#include "hk/Facts/Intervals.h"

#include "hk/Facts/AffineForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <set>

using namespace llvm;
using namespace hk;

namespace {

/// Loops around a block, outermost first.
SmallVector<const Loop *, 4> nestOf(const LoopInfo &LI, const BasicBlock *B) {
  SmallVector<const Loop *, 4> Nest;
  for (const Loop *L = LI.getLoopFor(B); L; L = L->getParentLoop())
    Nest.push_back(L);
  std::reverse(Nest.begin(), Nest.end());
  return Nest;
}

/// What a walk remembers: whether it crossed a barrier of the set, and the outermost loop of the start's nest whose
/// back edge it took (Depth: none), once or more often.
struct WalkState {
  bool Crossed = false;
  unsigned Outermost = 0;
  bool Many = false;
  bool operator<(const WalkState &O) const {
    return std::tie(Crossed, Outermost, Many) < std::tie(O.Crossed, O.Outermost, O.Many);
  }
};

using WalkResult = std::vector<std::set<WalkState>>; // by segment: states on entry

/// Walks all paths from the end of segment \p From. \p Step says what a barrier does: stop, pass, or cross.
enum class AtBarrier { Stop, Pass, Cross };

template <typename BarrierFn, typename ExtraFn>
WalkResult walk(const KernelFacts &K, unsigned From, ArrayRef<const Loop *> Nest, BarrierFn Barrier,
                ExtraFn ExtraEdges, bool EnterStart) {
  WalkResult Seen(K.Segments.size());
  SmallVector<std::pair<unsigned, WalkState>, 64> Work;
  WalkState Start;
  Start.Outermost = Nest.size();
  auto Visit = [&](unsigned To, WalkState S) {
    if (Seen[To].insert(S).second)
      Work.push_back({To, S});
  };
  auto Expand = [&](unsigned N, const WalkState &S) {
    for (const Segment::Edge &E : K.Segments[N].Out) {
      WalkState T = S;
      if (E.Barrier >= 0) {
        AtBarrier A = Barrier(E.Barrier);
        if (A == AtBarrier::Stop)
          continue;
        if (A == AtBarrier::Cross)
          T.Crossed = true;
      }
      if (E.BackEdge) {
        auto It = find(Nest, E.BackEdge);
        if (It != Nest.end()) {
          unsigned Index = It - Nest.begin();
          if (Index < T.Outermost) {
            T.Outermost = Index;
            T.Many = false;
          } else if (Index == T.Outermost) {
            T.Many = true;
          }
        }
      }
      Visit(E.To, T);
    }
    for (unsigned To : ExtraEdges(N))
      Visit(To, S);
  };
  if (EnterStart)
    Visit(From, Start);
  else
    Expand(From, Start);
  while (!Work.empty()) {
    auto [N, S] = Work.pop_back_val();
    Expand(N, S);
  }
  return Seen;
}

const std::vector<unsigned> NoEdges;

} // namespace

Intervals::Intervals(const KernelFacts &K) : K(K), EarlyExit(K.Segments.size()) { findEarlyExits(); }

bool Intervals::isWorkgroupBarrier(int B) const {
  return B >= 0 && K.Barriers[B].Strength != BarrierStrength::Wave;
}

BitVector Intervals::reachable(unsigned From) const {
  BitVector Seen(K.Segments.size());
  SmallVector<unsigned, 32> Work{From};
  Seen.set(From);
  while (!Work.empty()) {
    unsigned N = Work.pop_back_val();
    for (const Segment::Edge &E : K.Segments[N].Out)
      if (!isWorkgroupBarrier(E.Barrier) && !Seen[E.To]) {
        Seen.set(E.To);
        Work.push_back(E.To);
      }
  }
  return Seen;
}

void Intervals::findEarlyExits() {
  DenseMap<const BasicBlock *, unsigned> First;
  for (unsigned N = K.Segments.size(); N-- > 0;)
    First[K.Segments[N].Block] = N;
  auto MeetsBarrier = [&](const BitVector &Region) {
    for (unsigned N : Region.set_bits())
      for (const Segment::Edge &E : K.Segments[N].Out)
        if (isWorkgroupBarrier(E.Barrier))
          return true;
    return false;
  };
  for (const BasicBlock &B : K.F) {
    const Instruction *T = B.getTerminator();
    if (T->getNumSuccessors() < 2 || K.uniformity().branchIsUniform(B))
      continue;
    for (const BasicBlock *Leaves : successors(&B)) {
      BitVector Exit = reachable(First[Leaves]);
      SmallVector<unsigned, 4> Returns;
      for (unsigned N : Exit.set_bits())
        if (K.Segments[N].Returns)
          Returns.push_back(N);
      if (Returns.empty())
        continue;
      for (const BasicBlock *Stays : successors(&B)) {
        if (Stays == Leaves || !MeetsBarrier(reachable(First[Stays])))
          continue;
        for (unsigned R : Returns)
          if (!is_contained(EarlyExit[R], First[Stays]))
            EarlyExit[R].push_back(First[Stays]);
      }
    }
  }
}

std::vector<AccessPair> Intervals::crossings(unsigned P, const BitVector &Cross,
                                             const BitVector &Pass) const {
  const BasicBlock *PB = K.Accesses[P].Inst->getParent();
  auto Nest = nestOf(K.LI, PB);
  WalkResult R = walk(
      K, K.segmentOf(K.Accesses[P].Inst), Nest,
      [&](unsigned B) {
        if (Cross.test(B))
          return AtBarrier::Cross;
        BarrierStrength Strength = K.Barriers[B].Strength;
        bool OrdersMemory = Strength == BarrierStrength::Workgroup || Strength == BarrierStrength::Lds;
        return Pass.test(B) || !OrdersMemory ? AtBarrier::Pass : AtBarrier::Stop;
      },
      [&](unsigned N) -> const std::vector<unsigned> & { return EarlyExit[N]; }, false);
  std::set<AccessPair> Pairs;
  for (unsigned N = 0; N < R.size(); ++N)
    for (const WalkState &S : R[N]) {
      if (!S.Crossed)
        continue;
      for (unsigned Q : K.Segments[N].Accesses) {
        AccessPair Pair;
        Pair.P = P;
        Pair.Q = Q;
        for (unsigned I = 0; I < Nest.size(); ++I)
          Pair.Loops.push_back({Nest[I], loopNumber(K, Nest[I]),
                                I < S.Outermost   ? Iteration::Same
                                : I > S.Outermost ? Iteration::Free
                                : S.Many          ? Iteration::Later
                                                  : Iteration::Next});
        Pairs.insert(std::move(Pair));
      }
    }
  return {Pairs.begin(), Pairs.end()};
}

std::vector<AccessPair> Intervals::together(bool WaveSyncs) const {
  auto Delimits = [&](int B) {
    return B >= 0 && (WaveSyncs || K.Barriers[B].Strength != BarrierStrength::Wave);
  };
  // A loop that cannot be gone round without a barrier runs in step for all work-items.
  std::map<const Loop *, bool> Stepped;
  auto IsStepped = [&](const Loop *L) {
    auto [It, New] = Stepped.try_emplace(L, false);
    if (!New)
      return It->second;
    SmallVector<unsigned, 16> Work;
    BitVector Seen(K.Segments.size());
    for (unsigned N = 0; N < K.Segments.size(); ++N)
      if (K.Segments[N].Block == L->getHeader()) {
        Work.push_back(N);
        Seen.set(N);
        break;
      }
    bool Free = false;
    while (!Work.empty() && !Free) {
      unsigned N = Work.pop_back_val();
      for (const Segment::Edge &E : K.Segments[N].Out) {
        if (Delimits(E.Barrier) || !L->contains(K.Segments[E.To].Block))
          continue;
        if (E.BackEdge == L)
          Free = true;
        if (!Seen[E.To]) {
          Seen.set(E.To);
          Work.push_back(E.To);
        }
      }
    }
    It->second = !Free;
    return !Free;
  };

  SmallVector<unsigned, 8> Starts{0};
  for (const Segment &S : K.Segments)
    for (const Segment::Edge &E : S.Out)
      if (Delimits(E.Barrier))
        Starts.push_back(E.To);

  std::set<AccessPair> Pairs;
  for (unsigned Start : Starts) {
    auto Nest = nestOf(K.LI, K.Segments[Start].Block);
    WalkResult R = walk(
        K, Start, Nest,
        [&](unsigned B) { return Delimits(B) ? AtBarrier::Stop : AtBarrier::Pass; },
        [&](unsigned) -> const std::vector<unsigned> & { return NoEdges; }, true);
    // Segments with accesses, with each state they are entered in.
    SmallVector<std::pair<unsigned, WalkState>, 32> Reached;
    for (unsigned N = 0; N < R.size(); ++N)
      if (!K.Segments[N].Accesses.empty())
        for (const WalkState &S : R[N])
          Reached.push_back({N, S});
    // How far the walk to a segment went round the loop at index I of the start's nest: 0, 1, or unknown.
    auto Turns = [](const WalkState &S, unsigned I) {
      return I < S.Outermost ? 0 : I > S.Outermost || S.Many ? 2 : 1;
    };
    for (auto &[N, S] : Reached)
      for (auto &[M, T] : Reached) {
        const BasicBlock *A = K.Segments[N].Block, *B = K.Segments[M].Block;
        IterationRelation Rel;
        bool Backwards = false, Apart = false;
        auto Tie = [&](const Loop *L, Iteration How) {
          // Inside a loop whose iterations differ, the inner ones are unrelated.
          if (Apart)
            How = Iteration::Free;
          Apart |= How != Iteration::Same;
          Rel.push_back({L, loopNumber(K, L), How});
        };
        // Loops around the start: both counted their turns from it, whether they are still inside or not.
        for (unsigned I = 0; I < Nest.size(); ++I) {
          int X = Turns(S, I), Y = Turns(T, I);
          Backwards |= !Apart && X == 1 && Y == 0;
          Tie(Nest[I], X < 2 && Y < 2 ? (X == Y ? Iteration::Same : Iteration::Next) : Iteration::Free);
        }
        // Loops entered since: in their first iteration, unless they can be gone round without a barrier.
        for (const Loop *L : nestOf(K.LI, A))
          if (L->contains(B) && !is_contained(Nest, L))
            Tie(L, IsStepped(L) ? Iteration::Same : Iteration::Free);
        // The mirrored pair comes from the other order of the two segments.
        if (Backwards)
          continue;
        for (unsigned P : K.Segments[N].Accesses)
          for (unsigned Q : K.Segments[M].Accesses)
            if (P <= Q || any_of(Rel, [](const LoopTie &X) { return X.How != Iteration::Same; }))
              Pairs.insert({P, Q, Rel});
      }
  }
  return {Pairs.begin(), Pairs.end()};
}

BitVector Intervals::before(unsigned B) const {
  // Backwards closure over all edges.
  std::vector<SmallVector<unsigned, 2>> In(K.Segments.size());
  for (unsigned N = 0; N < K.Segments.size(); ++N)
    for (const Segment::Edge &E : K.Segments[N].Out)
      In[E.To].push_back(N);
  BitVector Seen(K.Segments.size());
  SmallVector<unsigned, 32> Work{K.segmentOf(K.Barriers[B].Inst)};
  Seen.set(Work.front());
  while (!Work.empty()) {
    unsigned N = Work.pop_back_val();
    for (unsigned From : In[N])
      if (!Seen[From]) {
        Seen.set(From);
        Work.push_back(From);
      }
  }
  return Seen;
}

BitVector Intervals::after(unsigned B) const {
  BitVector Seen(K.Segments.size());
  SmallVector<unsigned, 32> Work{K.segmentOf(K.Barriers[B].Inst) + 1};
  Seen.set(Work.front());
  while (!Work.empty()) {
    unsigned N = Work.pop_back_val();
    for (const Segment::Edge &E : K.Segments[N].Out)
      if (!Seen[E.To]) {
        Seen.set(E.To);
        Work.push_back(E.To);
      }
  }
  return Seen;
}
