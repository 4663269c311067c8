//===- BarrierPublication.cpp ---------------------------------------------===//

#include "hk/Passes/BarrierPublication.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/AtomicOrdering.h"

using namespace llvm;
using namespace hk;

namespace {

AtomicOrdering orderingOf(const Instruction &I) {
  if (auto *L = dyn_cast<LoadInst>(&I))
    return L->getOrdering();
  if (auto *S = dyn_cast<StoreInst>(&I))
    return S->getOrdering();
  if (auto *R = dyn_cast<AtomicRMWInst>(&I))
    return R->getOrdering();
  if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
    return X->getSuccessOrdering();
  return AtomicOrdering::NotAtomic;
}

class Search {
public:
  Search(const KernelFacts &K, const Intervals &Ways, ConflictChecker &Checker) : K(K), Ways(Ways), Checker(Checker) {}

  std::vector<UnorderedSync> run() {
    for (const KernelAccess &Sync : K.Accesses) {
      if (!Sync.DeviceSync || Sync.Fence || !Sync.Pointer || Sync.Space == MemorySpace::Lds)
        continue;
      if (Sync.writes())
        release(Sync);
      if (waits(Sync))
        acquire(Sync);
    }
    return std::move(Found);
  }

private:
  const KernelFacts &K;
  const Intervals &Ways;
  ConflictChecker &Checker;
  std::vector<UnorderedSync> Found;

  /// A path leads from one to the other over no workgroup barrier.
  bool follows(const KernelAccess &From, const KernelAccess &To) const {
    unsigned A = K.segmentOf(From.Inst), B = K.segmentOf(To.Inst);
    return A == B ? From.Id < To.Id : Ways.reachable(A)[B];
  }

  static bool isPlainGlobal(const KernelAccess &A) {
    return A.Pointer && !A.DeviceSync && A.Space != MemorySpace::Lds && A.Space != MemorySpace::Constant;
  }

  void release(const KernelAccess &Sync) {
    bool Releases = isReleaseOrStronger(orderingOf(*Sync.Inst));
    for (const KernelAccess &W : reverse(K.Accesses)) {
      if (!isPlainGlobal(W) || !W.writes() || !follows(W, Sync))
        continue;
      bool Fenced = Releases || any_of(K.Accesses, [&](const KernelAccess &F) {
        return F.Fence && !F.Clock && follows(W, F) && follows(F, Sync);
      });
      if (!Fenced)
        continue;
      if (auto Items = Checker.apart(W.Id, Sync.Id)) {
        Found.push_back({W.Id, Sync.Id, true, *Items});
        return;
      }
    }
  }

  /// The access decides, with its value, when the loop around it ends.
  bool waits(const KernelAccess &Sync) const {
    const Loop *L = K.LI.getLoopFor(Sync.Inst->getParent());
    if (!L || Sync.Inst->getType()->isVoidTy())
      return false;
    SmallVector<const Value *, 8> Work{Sync.Inst};
    SmallPtrSet<const Value *, 8> Seen;
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      if (!Seen.insert(V).second)
        continue;
      for (const User *U : V->users()) {
        auto *I = dyn_cast<Instruction>(U);
        if (!I || !L->contains(I))
          continue;
        if (isa<BranchInst>(I) && L->isLoopExiting(I->getParent()))
          return true;
        if (isa<CmpInst, CastInst, FreezeInst, ExtractValueInst, BinaryOperator>(I))
          Work.push_back(I);
      }
    }
    return false;
  }

  void acquire(const KernelAccess &Sync) {
    const Loop *Spin = K.LI.getLoopFor(Sync.Inst->getParent());
    for (const KernelAccess &A : K.Accesses) {
      if (!isPlainGlobal(A) || Spin->contains(A.Inst) || !follows(Sync, A))
        continue;
      if (auto Items = Checker.apart(A.Id, Sync.Id)) {
        Found.push_back({Sync.Id, A.Id, false, *Items});
        return;
      }
    }
  }
};

} // namespace

std::vector<UnorderedSync> hk::findUnorderedSyncs(const KernelFacts &K, const Intervals &Ways,
                                                  ConflictChecker &Checker) {
  return Search(K, Ways, Checker).run();
}
