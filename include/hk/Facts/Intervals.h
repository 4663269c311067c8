//===- Intervals.h - Which accesses a barrier keeps apart -------*- C++ -*-===//
//
// Paths between accesses over the segment graph of a kernel. Two questions:
//
//   crossings()  from P to a later Q over barriers of a set and no other: the
//                pairs that only this set orders;
//   together()   pairs P, Q that two work-items may execute with no barrier in
//                between: the pairs that nothing orders. Work-items that start
//                from one barrier part only at a divergent branch, so either one
//                access follows the other on a path, or such a branch has the
//                two on different sides.
//
// Each answer says how the iterations of the loops around both accesses relate.
// Barriers are passed by all work-items together, so the iteration counters of
// a loop with a barrier are tied by counting its back edges along the path:
//
//   for (k...) {          P = A, Q = A over b1, b2:  Q runs in iteration k+1
//     A; barrier b1;      P = A, Q = B over b1:      both in iteration k
//     B; barrier b2;
//   }
//
// An access behind a loop is tied to the iteration in which its work-item left it.
// A loop without a barrier on its way round ties nothing: its iterations are
// free for each work-item.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/KernelFacts.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>
#include <vector>

namespace hk {

/// How the iteration of a loop at Q relates to the one at P.
enum class Iteration {
  Same,  ///< the same iteration
  Next,  ///< the following one
  Later, ///< any later one
  First, ///< both accesses, or the one inside the loop, are in its first iteration
  Free,  ///< unrelated
};

/// The tie between P's and Q's iterations of one loop. For an access that has left the loop, its last iteration counts.
struct LoopTie {
  const llvm::Loop *L = nullptr;
  unsigned Number = 0; ///< of the loop, for a stable order
  Iteration How = Iteration::Same;
  bool operator<(const LoopTie &O) const {
    return std::tie(Number, How) < std::tie(O.Number, O.How);
  }
  bool operator==(const LoopTie &O) const { return Number == O.Number && How == O.How; }
};
using IterationRelation = llvm::SmallVector<LoopTie, 4>;

/// P, Q and how their loops relate. P runs before Q where an order is meant.
struct AccessPair {
  unsigned P = 0, Q = 0;
  IterationRelation Loops; ///< outermost first; a loop that is not listed ties nothing
  /// No barrier lies between P and the end of its iteration (of the outermost loop that is not in the same one).
  bool NoBarrierToLatch = false;
  bool operator<(const AccessPair &O) const {
    return std::tie(P, Q, NoBarrierToLatch, Loops) < std::tie(O.P, O.Q, O.NoBarrierToLatch, O.Loops);
  }
};

class Intervals {
public:
  explicit Intervals(const KernelFacts &K);

  /// The ways from access \p P to any access over at least one barrier in \p Cross, over barriers in \p Pass or not, and
  /// over no other barrier that orders memory. Wave-level barriers and bare s_barriers never do; work-items that return
  /// early count as having passed every barrier the others still meet.
  std::vector<AccessPair> crossings(unsigned P, const llvm::BitVector &Cross,
                                    const llvm::BitVector &Pass) const;

  /// All pairs that some interval holds together, over all intervals; each unordered pair once. With \p WaveSyncs,
  /// wave-level barriers delimit intervals too: the question for work-items of one wavefront. Pairs that \p Wanted
  /// turns down are left out.
  std::vector<AccessPair> together(bool WaveSyncs, llvm::function_ref<bool(unsigned P, unsigned Q)> Wanted) const;

  /// Segments reachable from \p From without crossing a workgroup barrier, itself included.
  llvm::BitVector reachable(unsigned From) const;

  /// Segments that can come before / after barrier \p B on some path (any barriers crossed).
  llvm::BitVector before(unsigned B) const;
  llvm::BitVector after(unsigned B) const;

private:
  const KernelFacts &K;
  /// From a segment that only returning work-items run to where the others go on.
  std::vector<std::vector<unsigned>> EarlyExit;

  /// Segments reachable from \p From over any edges.
  llvm::BitVector closure(unsigned From) const;
  bool isWorkgroupBarrier(int B) const;
  void findEarlyExits();
};

} // namespace hk
