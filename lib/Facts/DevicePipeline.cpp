//===- DevicePipeline.cpp -------------------------------------------------===//

#include "hk/Facts/DevicePipeline.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <map>

using namespace llvm;
using namespace hk;

namespace {

constexpr const char *BlockDimNames[] = {"hk.block_dim.x", "hk.block_dim.y", "hk.block_dim.z"};
constexpr const char *GridDimNames[] = {"hk.grid_dim.x", "hk.grid_dim.y", "hk.grid_dim.z"};
constexpr const char *GroupIdNames[] = {"hk.group_id.x", "hk.group_id.y", "hk.group_id.z"};
constexpr const char *ItemIdNames[] = {"hk.item_id.x", "hk.item_id.y", "hk.item_id.z"};

/// Past this many instructions a kernel is inlined no further: analysis time must stay bounded.
constexpr unsigned MaxKernelInstructions = 60000;

Function *queryFunction(Module &M, const char *Name) {
  if (Function *F = M.getFunction(Name))
    return F;
  auto *Ty = FunctionType::get(Type::getInt32Ty(M.getContext()), false);
  Function *F = Function::Create(Ty, GlobalValue::ExternalLinkage, Name, M);
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setSpeculatable();
  F->addFnAttr(Attribute::NoSync);
  F->addFnAttr(Attribute::NoFree);
  return F;
}

void setRange(CallInst *Call, uint64_t Lo, uint64_t Hi) {
  Call->addRangeRetAttr(ConstantRange(APInt(32, Lo), APInt(32, Hi)));
}

/// The ROCm device library's index functions and the intrinsics below them, as one of ours.
bool queryOf(StringRef Callee, IndexQuery &Q) {
  if (Callee == "__ockl_get_local_id")
    Q = IndexQuery::ItemId;
  else if (Callee == "__ockl_get_group_id")
    Q = IndexQuery::GroupId;
  else if (Callee == "__ockl_get_local_size")
    Q = IndexQuery::BlockDim;
  else if (Callee == "__ockl_get_num_groups")
    Q = IndexQuery::GridDim;
  else
    return false;
  return true;
}

CallInst *emitQuery(IRBuilder<> &B, IndexQuery Q, unsigned Dim) {
  Module &M = *B.GetInsertBlock()->getModule();
  const char *Name = Q == IndexQuery::ItemId    ? ItemIdNames[Dim]
                     : Q == IndexQuery::GroupId ? GroupIdNames[Dim]
                     : Q == IndexQuery::BlockDim ? BlockDimNames[Dim]
                                                 : GridDimNames[Dim];
  CallInst *C = B.CreateCall(queryFunction(M, Name));
  // HIP's limits: 1024 work-items a workgroup, 2^31-1 workgroups in x, 65536 in y and z (the runtime checks the
  // product with the block size against 2^32 too).
  uint64_t Groups = Dim == 0 ? 0x7fffffffu : 0xffffffffu;
  if (Q == IndexQuery::ItemId)
    setRange(C, 0, 1024);
  else if (Q == IndexQuery::BlockDim)
    setRange(C, 1, 1025);
  else if (Q == IndexQuery::GroupId)
    setRange(C, 0, Groups);
  else
    setRange(C, 1, Groups);
  return C;
}

void replaceCall(CallBase *Call, Value *By) {
  if (By->getType() != Call->getType()) {
    IRBuilder<> B(Call);
    By = B.CreateZExtOrTrunc(By, Call->getType());
  }
  Call->replaceAllUsesWith(By);
  Call->eraseFromParent();
}

/// Turns index queries into calls of ours, and tells LLVM what device library functions do to memory.
void normalizeCalls(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration() && F.getName().starts_with("__ocml_")) {
      bool Pointer = any_of(F.args(), [](Argument &A) { return A.getType()->isPointerTy(); });
      if (Pointer)
        F.setOnlyAccessesArgMemory();
      else
        F.setDoesNotAccessMemory();
      F.setDoesNotThrow();
      F.setWillReturn();
      F.addFnAttr(Attribute::NoSync);
    }
  }
  SmallVector<CallBase *, 64> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallBase>(&I))
        if (C->getCalledFunction())
          Calls.push_back(C);
  for (CallBase *C : Calls) {
    Function *Callee = C->getCalledFunction();
    IRBuilder<> B(C);
    IndexQuery Q;
    if (Callee->isDeclaration() && queryOf(Callee->getName(), Q)) {
      auto *Dim = dyn_cast<ConstantInt>(C->getArgOperand(0));
      if (Dim && Dim->getZExtValue() < 3)
        replaceCall(C, emitQuery(B, Q, Dim->getZExtValue()));
      continue;
    }
    unsigned Dim = 0;
    IndexQuery Kind = IndexQuery::None;
    switch (Callee->getIntrinsicID()) {
    case Intrinsic::amdgcn_workitem_id_x:
    case Intrinsic::amdgcn_workitem_id_y:
    case Intrinsic::amdgcn_workitem_id_z:
      Kind = IndexQuery::ItemId;
      Dim = Callee->getIntrinsicID() == Intrinsic::amdgcn_workitem_id_x   ? 0
            : Callee->getIntrinsicID() == Intrinsic::amdgcn_workitem_id_y ? 1
                                                                          : 2;
      break;
    case Intrinsic::amdgcn_workgroup_id_x:
    case Intrinsic::amdgcn_workgroup_id_y:
    case Intrinsic::amdgcn_workgroup_id_z:
      Kind = IndexQuery::GroupId;
      Dim = Callee->getIntrinsicID() == Intrinsic::amdgcn_workgroup_id_x   ? 0
            : Callee->getIntrinsicID() == Intrinsic::amdgcn_workgroup_id_y ? 1
                                                                           : 2;
      break;
    default:
      break;
    }
    if (Kind != IndexQuery::None)
      replaceCall(C, emitQuery(B, Kind, Dim));
  }
}

/// One index query of a kind at the kernel's entry: a step of blockDim.x is then the same value in every iteration.
void hoistQueries(Function &F) {
  std::map<const Function *, CallInst *> First;
  BasicBlock &Entry = F.getEntryBlock();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    unsigned Dim = 0;
    if (indexQuery(&I, Dim) == IndexQuery::None)
      continue;
    auto *C = cast<CallInst>(&I);
    auto [It, New] = First.try_emplace(C->getCalledFunction(), C);
    if (New) {
      C->moveBefore(Entry.getFirstNonPHIOrDbgOrAlloca());
      C->setDebugLoc(DebugLoc());
    } else {
      C->replaceAllUsesWith(It->second);
      C->eraseFromParent();
    }
  }
}

/// Inlines every call of a defined, non-recursive function into the kernels.
void inlineIntoKernels(Module &M) {
  // Recursive functions are left as calls, which the analyses treat as unknown.
  SmallPtrSet<Function *, 8> Recursive;
  CallGraph CG(M);
  for (scc_iterator<CallGraph *> It = scc_begin(&CG); !It.isAtEnd(); ++It)
    if (It.hasCycle())
      for (CallGraphNode *N : *It)
        if (N->getFunction())
          Recursive.insert(N->getFunction());

  for (Function &F : M) {
    if (F.isDeclaration() || F.getCallingConv() != CallingConv::AMDGPU_KERNEL)
      continue;
    unsigned Size = F.getInstructionCount();
    SmallVector<CallBase *, 32> Work;
    auto Collect = [&](auto &&Range) {
      for (Instruction &I : Range)
        if (auto *C = dyn_cast<CallBase>(&I))
          Work.push_back(C);
    };
    Collect(instructions(F));
    while (!Work.empty() && Size < MaxKernelInstructions) {
      CallBase *C = Work.pop_back_val();
      Function *Callee = C->getCalledFunction();
      if (!Callee || Callee->isDeclaration() || Recursive.count(Callee))
        continue;
      Callee->removeFnAttr(Attribute::NoInline);
      Callee->removeFnAttr(Attribute::OptimizeNone);
      Size += Callee->getInstructionCount();
      InlineFunctionInfo Info;
      if (InlineFunction(*C, Info).isSuccess())
        Work.append(Info.InlinedCallSites.begin(), Info.InlinedCallSites.end());
    }
  }
}

} // namespace

IndexQuery hk::indexQuery(const Value *V, unsigned &Dim) {
  auto *C = dyn_cast<CallInst>(V);
  if (!C || !C->getCalledFunction())
    return IndexQuery::None;
  StringRef Name = C->getCalledFunction()->getName();
  if (!Name.starts_with("hk."))
    return IndexQuery::None;
  Dim = Name.back() - 'x';
  if (Name.starts_with("hk.item_id"))
    return IndexQuery::ItemId;
  if (Name.starts_with("hk.group_id"))
    return IndexQuery::GroupId;
  if (Name.starts_with("hk.block_dim"))
    return IndexQuery::BlockDim;
  return IndexQuery::GridDim;
}

bool hk::isWorkgroupReduction(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName().starts_with("__ockl_wgred_");
}

bool hk::isClockRead(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F)
    return false;
  switch (F->getIntrinsicID()) {
  case Intrinsic::readcyclecounter:
  case Intrinsic::readsteadycounter:
  case Intrinsic::amdgcn_s_memtime:
  case Intrinsic::amdgcn_s_memrealtime:
    return true;
  default:
    break;
  }
  StringRef N = F->getName();
  return N.starts_with("__ockl_steadyctr") || N.starts_with("__ockl_memrealtime") || N.starts_with("__ockl_cyclectr");
}

bool hk::isHarmlessCall(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F)
    return false;
  if (Call.doesNotAccessMemory())
    return true;
  StringRef N = F->getName();
  for (StringRef P : {"__ockl_printf", "__ockl_fprintf", "__ockl_hostcall", "__ockl_sanitizer"})
    if (N.starts_with(P))
      return true;
  if (N == "printf" || N == "puts" || N == "__assert_fail" || N == "__assertfail" || N == "abort" ||
      N.starts_with("__ockl_wfred_") || N.starts_with("__ockl_wfscan_") || N == "__ockl_lane_u32" ||
      N.starts_with("__ockl_activelane") || N.starts_with("__ockl_clz") ||
      N.starts_with("__ockl_readuplane") || N == "__ockl_grid_is_valid" || N == "__ockl_dm_alloc" ||
      N == "__ockl_dm_dealloc" || N.starts_with("__ockl_steadyctr") ||
      N.starts_with("__ockl_memrealtime"))
    return true;
  // Wave intrinsics exchange registers, not memory; markers have no effect.
  switch (F->getIntrinsicID()) {
  case Intrinsic::not_intrinsic:
    return false;
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::assume:
  case Intrinsic::trap:
  case Intrinsic::ubsantrap:
  case Intrinsic::debugtrap:
  case Intrinsic::sideeffect:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::prefetch:
  case Intrinsic::readcyclecounter:
  case Intrinsic::readsteadycounter:
  case Intrinsic::amdgcn_s_memtime:
  case Intrinsic::amdgcn_s_memrealtime:
  case Intrinsic::amdgcn_s_sleep:
  case Intrinsic::amdgcn_s_setprio:
  case Intrinsic::amdgcn_s_waitcnt:
  case Intrinsic::amdgcn_s_getreg:
  case Intrinsic::amdgcn_s_setreg:
  case Intrinsic::amdgcn_sched_barrier:
  case Intrinsic::amdgcn_sched_group_barrier:
  case Intrinsic::amdgcn_iglp_opt:
  case Intrinsic::amdgcn_endpgm:
  case Intrinsic::amdgcn_readfirstlane:
  case Intrinsic::amdgcn_readlane:
  case Intrinsic::amdgcn_writelane:
  case Intrinsic::amdgcn_ds_bpermute:
  case Intrinsic::amdgcn_ds_permute:
  case Intrinsic::amdgcn_ds_swizzle:
  case Intrinsic::amdgcn_update_dpp:
  case Intrinsic::amdgcn_mov_dpp:
  case Intrinsic::amdgcn_mov_dpp8:
  case Intrinsic::amdgcn_ballot:
  case Intrinsic::amdgcn_icmp:
  case Intrinsic::amdgcn_fcmp:
  case Intrinsic::amdgcn_mbcnt_lo:
  case Intrinsic::amdgcn_mbcnt_hi:
    return true;
  default:
    return false;
  }
}

struct DevicePipeline::State {
  Module &M;
  std::string Cpu;
  std::string Error;
  std::unique_ptr<TargetMachine> TM;
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;

  State(Module &M, StringRef Cpu) : M(M), Cpu(Cpu.str()) {
    std::string Why;
    const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Why);
    if (!T) {
      Error = "no AMDGPU back end in this LLVM: " + Why;
      return;
    }
    TM.reset(T->createTargetMachine(M.getTargetTriple(), Cpu, "", TargetOptions(), Reloc::PIC_));
    PassBuilder PB(TM.get());
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};

DevicePipeline::DevicePipeline(Module &M, StringRef Cpu) : S(std::make_unique<State>(M, Cpu)) {}
DevicePipeline::~DevicePipeline() = default;

FunctionAnalysisManager &DevicePipeline::analyses() { return S->FAM; }

std::string DevicePipeline::run(const StringMap<WorkgroupShape> &Shapes) {
  if (!S->Error.empty())
    return S->Error;
  Module &M = S->M;
  normalizeCalls(M);
  inlineIntoKernels(M);

  SimplifyCFGOptions Cfg;
  Cfg.bonusInstThreshold(0).needCanonicalLoops(true).speculateBlocks(false);
  Cfg.hoistCommonInsts(false).sinkCommonInsts(false);

  FunctionPassManager Early;
  Early.addPass(SROAPass(SROAOptions::PreserveCFG));
  Early.addPass(EarlyCSEPass());
  Early.addPass(SimplifyCFGPass(Cfg));
  Early.addPass(InstCombinePass());
  Early.addPass(InferAddressSpacesPass());
  Early.addPass(SROAPass(SROAOptions::PreserveCFG));
  Early.addPass(InstCombinePass());
  Early.addPass(EarlyCSEPass());
  Early.addPass(SimplifyCFGPass(Cfg));
  Early.addPass(ADCEPass());
  Early.addPass(LoopSimplifyPass());
  Early.addPass(LCSSAPass());

  for (Function &F : M) {
    if (F.isDeclaration() || F.getCallingConv() != CallingConv::AMDGPU_KERNEL)
      continue;
    hoistQueries(F);
    auto It = Shapes.find(F.getName());
    if (It != Shapes.end()) {
      const WorkgroupShape &Shape = It->second;
      for (Instruction &I : make_early_inc_range(instructions(F))) {
        unsigned Dim = 0;
        IndexQuery Q = indexQuery(&I, Dim);
        auto *C = dyn_cast<CallInst>(&I);
        if (Q == IndexQuery::BlockDim && Shape.Dim[Dim]) {
          I.replaceAllUsesWith(ConstantInt::get(I.getType(), *Shape.Dim[Dim]));
          I.eraseFromParent();
        } else if (Q == IndexQuery::BlockDim) {
          setRange(C, 1, Shape.MaxDim[Dim] + 1);
        } else if (Q == IndexQuery::ItemId) {
          setRange(C, 0, Shape.Dim[Dim] ? *Shape.Dim[Dim] : Shape.MaxDim[Dim]);
        }
      }
    }
    Early.run(F, S->FAM);
    S->FAM.invalidate(F, PreservedAnalyses::none());
  }
  return {};
}
