//===- Uniformity.cpp -----------------------------------------------------===//

#include "hk/Facts/Uniformity.h"

#include "hk/Facts/DevicePipeline.h"

#include "llvm/ADT/Uniformity.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace hk;

namespace {

using LoadPredicate = function_ref<bool(const LoadInst &)>;

InstructionUniformity uniformityOfCall(const CallBase &C) {
  unsigned Dim = 0;
  switch (indexQuery(&C, Dim)) {
  case IndexQuery::ItemId:
    return InstructionUniformity::NeverUniform;
  case IndexQuery::GroupId:
  case IndexQuery::BlockDim:
  case IndexQuery::GridDim:
    return InstructionUniformity::AlwaysUniform;
  case IndexQuery::None:
    break;
  }
  if (isWorkgroupReduction(C))
    return InstructionUniformity::AlwaysUniform;
  switch (C.getIntrinsicID()) {
  case Intrinsic::amdgcn_dispatch_ptr:
  case Intrinsic::amdgcn_implicitarg_ptr:
  case Intrinsic::amdgcn_kernarg_segment_ptr:
  case Intrinsic::amdgcn_queue_ptr:
  case Intrinsic::amdgcn_dispatch_id:
  case Intrinsic::amdgcn_groupstaticsize:
  case Intrinsic::amdgcn_wavefrontsize:
  case Intrinsic::amdgcn_readfirstlane: // of a uniform value; of another one it is wave-uniform only
    return InstructionUniformity::Default;
  case Intrinsic::not_intrinsic:
    break;
  default:
    // Wave intrinsics see the lanes of one wave, which may be partial.
    if (StringRef(C.getCalledFunction()->getName()).starts_with("llvm.amdgcn.") &&
        C.isConvergent())
      return InstructionUniformity::NeverUniform;
    break;
  }
  if (C.doesNotAccessMemory() && !C.isConvergent() && !C.isInlineAsm())
    return InstructionUniformity::Default;
  return InstructionUniformity::NeverUniform;
}

/// A cost model that only knows about divergence within a workgroup.
struct WorkgroupModel final : TargetTransformInfoImplBase {
  LoadPredicate SharedLoad;
  bool Hopeful;

  WorkgroupModel(const DataLayout &DL, LoadPredicate SharedLoad, bool Hopeful)
      : TargetTransformInfoImplBase(DL), SharedLoad(SharedLoad), Hopeful(Hopeful) {}

  bool hasBranchDivergence(const Function *) const override { return true; }

  InstructionUniformity getInstructionUniformity(const Value *V) const override {
    if (auto *L = dyn_cast<LoadInst>(V)) {
      // Private memory belongs to one work-item.
      if (L->getPointerAddressSpace() == 5 || isa<AllocaInst>(getUnderlyingObject(L->getPointerOperand())))
        return Hopeful ? InstructionUniformity::Default : InstructionUniformity::NeverUniform;
      if (Hopeful)
        return L->isVolatile() || L->isAtomic() ? InstructionUniformity::NeverUniform
                                                : InstructionUniformity::Default;
      return SharedLoad(*L) ? InstructionUniformity::Default : InstructionUniformity::NeverUniform;
    }
    if (isa<AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(V))
      return InstructionUniformity::NeverUniform;
    // Each work-item may see another value of an undefined one.
    if (isa<FreezeInst>(V))
      return InstructionUniformity::NeverUniform;
    if (auto *C = dyn_cast<CallBase>(V))
      return uniformityOfCall(*C);
    return InstructionUniformity::Default;
  }
};

/// One run of LLVM's analysis under our model. It has managers of its own, since the model replaces the target's.
struct ModelRun {
  FunctionAnalysisManager FAM;
  UniformityInfo *Info = nullptr;

  ModelRun(Function &F, LoadPredicate SharedLoad, bool Hopeful) {
    FAM.registerPass([] { return PassInstrumentationAnalysis(); });
    FAM.registerPass([] { return DominatorTreeAnalysis(); });
    FAM.registerPass([] { return CycleAnalysis(); });
    FAM.registerPass([SharedLoad, Hopeful] {
      return TargetIRAnalysis([SharedLoad, Hopeful](const Function &F) {
        return TargetTransformInfo(
            std::make_unique<WorkgroupModel>(F.getDataLayout(), SharedLoad, Hopeful));
      });
    });
    FAM.registerPass([] { return UniformityInfoAnalysis(); });
    Info = &FAM.getResult<UniformityInfoAnalysis>(F);
  }
};

} // namespace

struct WorkgroupUniformity::State {
  ModelRun Proved, Hopeful;
  State(Function &F, LoadPredicate SharedLoad)
      : Proved(F, SharedLoad, false), Hopeful(F, SharedLoad, true) {}
};

WorkgroupUniformity::WorkgroupUniformity(Function &F, LoadPredicate SharedLoad)
    : S(std::make_unique<State>(F, SharedLoad)) {}
WorkgroupUniformity::~WorkgroupUniformity() = default;
WorkgroupUniformity::WorkgroupUniformity(WorkgroupUniformity &&) noexcept = default;

bool WorkgroupUniformity::isUniform(const Value *V) const { return S->Proved.Info->isUniform(V); }
bool WorkgroupUniformity::isSurelyDivergent(const Value *V) const { return S->Hopeful.Info->isDivergent(V); }
bool WorkgroupUniformity::branchIsUniform(const BasicBlock &B) const {
  return !S->Proved.Info->hasDivergentTerminator(B);
}
bool WorkgroupUniformity::branchIsSurelyDivergent(const BasicBlock &B) const {
  return S->Hopeful.Info->hasDivergentTerminator(B);
}
bool WorkgroupUniformity::mayExitDivergently(const Loop &L) const {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](BasicBlock *B) { return !branchIsUniform(*B); });
}
