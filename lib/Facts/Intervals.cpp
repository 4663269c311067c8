//===- Intervals.cpp ------------------------------------------------------===//

#include "hk/Facts/Intervals.h"

#include "hk/Facts/AffineForm.h"

#include "llvm/ADT/PostOrderIterator.h"
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

/// What a barrier does to a walk.
enum class AtBarrier { Stop, Pass, Cross };

/// Walks all paths that start over the out-edges of segment \p From for which \p First holds.
template <typename BarrierFn, typename ExtraFn, typename FirstFn>
WalkResult walk(const KernelFacts &K, unsigned From, ArrayRef<const Loop *> Nest, BarrierFn Barrier,
                ExtraFn ExtraEdges, FirstFn First) {
  WalkResult Seen(K.Segments.size());
  SmallVector<std::pair<unsigned, WalkState>, 64> Work;
  WalkState Start;
  Start.Outermost = Nest.size();
  auto Visit = [&](unsigned To, WalkState S) {
    if (Seen[To].insert(S).second)
      Work.push_back({To, S});
  };
  auto Expand = [&](unsigned N, const WalkState &S, auto Wanted) {
    for (const Segment::Edge &E : K.Segments[N].Out) {
      if (!Wanted(E))
        continue;
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
  Expand(From, Start, First);
  while (!Work.empty()) {
    auto [N, S] = Work.pop_back_val();
    Expand(N, S, [](const Segment::Edge &) { return true; });
  }
  return Seen;
}

const std::vector<unsigned> NoEdges;
const auto AnyEdge = [](const Segment::Edge &) { return true; };

/// Ties of the loops around the start of a walk to an access that the walk came to in state \p S.
IterationRelation tiesOf(const KernelFacts &K, ArrayRef<const Loop *> Nest, const WalkState &S) {
  IterationRelation Ties;
  for (unsigned I = 0; I < Nest.size(); ++I)
    Ties.push_back({Nest[I], loopNumber(K, Nest[I]),
                    I < S.Outermost   ? Iteration::Same
                    : I > S.Outermost ? Iteration::Free
                    : S.Many          ? Iteration::Later
                                      : Iteration::Next});
  return Ties;
}

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
      if (none_of(Exit.set_bits(), [&](unsigned N) { return K.Segments[N].Returns; }))
        continue;
      for (const BasicBlock *Stays : successors(&B)) {
        if (Stays == Leaves || !MeetsBarrier(reachable(First[Stays])))
          continue;
        // What only the leaving work-items run; a common end of the kernel is not part of it.
        BitVector Staying = closure(First[Stays]);
        for (unsigned N : Exit.set_bits())
          if (!Staying[N] && !K.Segments[N].Accesses.empty() && !is_contained(EarlyExit[N], First[Stays]))
            EarlyExit[N].push_back(First[Stays]);
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
      [&](unsigned N) -> const std::vector<unsigned> & { return EarlyExit[N]; }, AnyEdge);
  std::set<AccessPair> Pairs;
  for (unsigned N = 0; N < R.size(); ++N)
    for (const WalkState &S : R[N]) {
      if (!S.Crossed)
        continue;
      for (unsigned Q : K.Segments[N].Accesses) {
        AccessPair Pair;
        Pair.P = P;
        Pair.Q = Q;
        Pair.Loops = tiesOf(K, Nest, S);
        Pairs.insert(std::move(Pair));
      }
    }
  return {Pairs.begin(), Pairs.end()};
}

std::vector<AccessPair> Intervals::together(bool WaveSyncs, function_ref<bool(unsigned, unsigned)> Wanted) const {
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

  auto Stop = [&](unsigned B) { return Delimits(B) ? AtBarrier::Stop : AtBarrier::Pass; };
  auto None = [&](unsigned) -> const std::vector<unsigned> & { return NoEdges; };
  // Loops that \p Block stands in and the walk entered: in their first iteration, unless they can be gone round
  // without a barrier.
  auto TieEntered = [&](IterationRelation &Ties, ArrayRef<const Loop *> Known, const BasicBlock *Block) {
    for (const Loop *L : nestOf(K.LI, Block))
      if (!is_contained(Known, L) && none_of(Ties, [&](const LoopTie &T) { return T.L == L; }))
        Ties.push_back({L, loopNumber(K, L), IsStepped(L) ? Iteration::First : Iteration::Free});
  };

  // Loops that lie on the way and are behind the access: left in their first iteration, if they cannot be gone round
  // without a barrier. In reverse post-order a forward path only goes up.
  DenseMap<const BasicBlock *, unsigned> Order;
  ReversePostOrderTraversal<const Function *> RPO(&K.F);
  for (const BasicBlock *B : RPO)
    Order.try_emplace(B, Order.size());
  auto TiePassed = [&](IterationRelation &Ties, const BasicBlock *From, const BasicBlock *To, bool Around) {
    for (const Loop *L : K.LI.getLoopsInPreorder()) {
      unsigned H = Order.lookup(L->getHeader());
      if (L->contains(From) || L->contains(To) || H > Order.lookup(To) || (!Around && H < Order.lookup(From)))
        continue;
      if (IsStepped(L) && none_of(Ties, [&](const LoopTie &T) { return T.L == L; }))
        Ties.push_back({L, loopNumber(K, L), Iteration::First});
    }
  };

  // Most pairs of accesses are of no interest, so those of two segments are listed once, and ties are made only for
  // segments that have some.
  using Interest = std::pair<unsigned, std::vector<std::pair<unsigned, unsigned>>>; // a segment and P, Q
  std::vector<std::vector<Interest>> Partners(K.Segments.size());
  for (unsigned N = 0; N < K.Segments.size(); ++N)
    for (unsigned M = 0; M < K.Segments.size(); ++M) {
      std::vector<std::pair<unsigned, unsigned>> Both;
      for (unsigned P : K.Segments[N].Accesses)
        for (unsigned Q : K.Segments[M].Accesses)
          if (Wanted(P, Q))
            Both.push_back({P, Q});
      if (!Both.empty())
        Partners[N].push_back({M, std::move(Both)});
    }
  std::set<AccessPair> Pairs;
  auto Add = [&](const Interest &With, const IterationRelation &Ties, bool NoBarrierToLatch) {
    for (auto [P, Q] : With.second)
      Pairs.insert({P, Q, Ties, NoBarrierToLatch});
  };

  // One after the other on a path.
  for (unsigned Home = 0; Home < K.Segments.size(); ++Home) {
    if (Partners[Home].empty())
      continue;
    const BasicBlock *HomeBlock = K.Segments[Home].Block;
    auto Nest = nestOf(K.LI, HomeBlock);
    WalkState Here;
    Here.Outermost = Nest.size();
    WalkResult R = walk(K, Home, Nest, Stop, None, AnyEdge);
    for (const Interest &With : Partners[Home]) {
      unsigned N = With.first;
      // Within the segment in program order.
      if (N == Home)
        for (auto [P, Q] : With.second)
          if (Q >= P)
            Pairs.insert({P, Q, tiesOf(K, Nest, Here), false});
      for (const WalkState &S : R[N]) {
        bool Around = S.Outermost < Nest.size();
        IterationRelation Ties = tiesOf(K, Nest, S);
        TieEntered(Ties, Nest, K.Segments[N].Block);
        TiePassed(Ties, HomeBlock, K.Segments[N].Block, Around);
        Add(With, Ties, Around);
      }
    }
  }

  // On two sides of a divergent branch.
  for (unsigned D = 0; D < K.Segments.size(); ++D) {
    const Segment &From = K.Segments[D];
    if (From.Out.size() < 2 || !K.uniformity().branchIsSurelyDivergent(*From.Block))
      continue;
    auto Nest = nestOf(K.LI, From.Block);
    SmallVector<WalkResult, 2> Sides;
    for (const Segment::Edge &Way : From.Out)
      Sides.push_back(walk(K, D, Nest, Stop, None, [&](const Segment::Edge &E) { return &E == &Way; }));
    // How far a walk went round the loop at index I of the branch's nest: 0, 1, or unknown.
    auto Turns = [](const WalkState &S, unsigned I) {
      return I < S.Outermost ? 0 : I > S.Outermost || S.Many ? 2 : 1;
    };
    auto Meet = [&](unsigned N, const WalkState &S, const Interest &With, const WalkState &T) {
      IterationRelation Ties;
      bool Backwards = false, Apart = false;
      for (unsigned I = 0; I < Nest.size(); ++I) {
        int X = Turns(S, I), Y = Turns(T, I);
        Backwards |= !Apart && X == 1 && Y == 0;
        Iteration How = Apart || X == 2 || Y == 2 ? Iteration::Free
                        : X == Y                  ? Iteration::Same
                                                  : Iteration::Next;
        Apart |= How != Iteration::Same;
        Ties.push_back({Nest[I], loopNumber(K, Nest[I]), How});
      }
      // The mirrored pair comes from the two sides in the other order.
      if (Backwards)
        return;
      TieEntered(Ties, Nest, K.Segments[N].Block);
      TieEntered(Ties, Nest, K.Segments[With.first].Block);
      Add(With, Ties, false);
    };
    for (unsigned A = 0; A < From.Out.size(); ++A)
      for (unsigned B = 0; B < From.Out.size(); ++B) {
        if (A == B || From.Out[A].To == From.Out[B].To)
          continue;
        for (unsigned N = 0; N < K.Segments.size(); ++N)
          for (const Interest &With : Partners[N])
            // Where both sides come together again, a path leads from one access to the other or to itself.
            if (With.first != N)
              for (const WalkState &S : Sides[A][N])
                for (const WalkState &T : Sides[B][With.first])
                  Meet(N, S, With, T);
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

BitVector Intervals::after(unsigned B) const { return closure(K.segmentOf(K.Barriers[B].Inst) + 1); }

BitVector Intervals::closure(unsigned From) const {
  BitVector Seen(K.Segments.size());
  SmallVector<unsigned, 32> Work{From};
  Seen.set(From);
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
