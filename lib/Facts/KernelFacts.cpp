//===- KernelFacts.cpp - Collecting the facts of a kernel -----------------===//

#include "hk/Facts/KernelFacts.h"

#include "hk/Facts/DevicePipeline.h"
#include "hk/Facts/SegmentWalk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace hk;

namespace {

constexpr unsigned LdsAddressSpace = 3;

MemorySpace spaceOf(unsigned AS) {
  switch (AS) {
  case 1:
    return MemorySpace::Global;
  case LdsAddressSpace:
    return MemorySpace::Lds;
  case 4:
    return MemorySpace::Constant;
  default:
    return MemorySpace::Generic;
  }
}

/// "s" of _ZZ6kernelPfE1s, "ns::table" of _ZN2ns5tableE.
std::string variableName(const GlobalVariable &G) {
  std::string D = demangle(G.getName().str());
  size_t P = D.rfind("::");
  // A function's own variable demangles to "function(args)::name".
  if (P != std::string::npos && D.find('(') != std::string::npos)
    return D.substr(P + 2);
  return D;
}

} // namespace

KernelFacts::KernelFacts(Function &F, const Kernel &K, const TranslationUnit &TU,
                         const WorkgroupShape &Shape, DevicePipeline &P)
    : F(F), K(K), TU(TU), Shape(Shape), DT(P.analyses().getResult<DominatorTreeAnalysis>(F)),
      PDT(P.analyses().getResult<PostDominatorTreeAnalysis>(F)),
      LI(P.analyses().getResult<LoopAnalysis>(F)),
      SE(P.analyses().getResult<ScalarEvolutionAnalysis>(F)),
      AA(P.analyses().getResult<AAManager>(F)) {
  for (const IncludePoint &I : TU.IncludePoints)
    if (auto It = TU.DisplayNames.find(I.File); It != TU.DisplayNames.end())
      UserFiles.insert(It->second);
  for (const Loop *L : LI.getLoopsInPreorder())
    LoopNumbers.try_emplace(L, LoopNumbers.size());
  collect();
  findPlainSyncs();
  buildSegments();
  Uniformity = std::make_unique<WorkgroupUniformity>(
      F, [this](const LoadInst &L) { return loadIsShared(L); });
}

KernelFacts::~KernelFacts() = default;

bool KernelFacts::isUserFile(StringRef File) const { return UserFiles.contains(File); }

std::vector<SourcePlace> KernelFacts::chainOf(const Instruction &I) const {
  std::vector<SourcePlace> Chain;
  for (const DILocation *L = I.getDebugLoc().get(); L; L = L->getInlinedAt())
    if (L->getLine())
      Chain.push_back(TU.place(L));
  return Chain;
}

SourcePlace KernelFacts::placeOf(const Instruction &I, std::vector<SourcePlace> *InlinedAt) const {
  std::vector<SourcePlace> Chain = chainOf(I);
  SourcePlace Result;
  for (const SourcePlace &P : Chain) {
    if (!isUserFile(P.File))
      continue;
    if (!Result.valid())
      Result = P;
    else if (InlinedAt)
      InlinedAt->push_back(P);
  }
  // Nothing of it in user code: the outermost place is the best there is.
  if (!Result.valid() && !Chain.empty())
    Result = Chain.back();
  return Result;
}

std::string KernelFacts::nameOf(const Value *V) const {
  unsigned Dim = 0;
  static const char *const Names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  switch (indexQuery(V, Dim)) {
  case IndexQuery::ItemId:
    return std::string(Names[0]) + "." + "xyz"[Dim];
  case IndexQuery::GroupId:
    return std::string(Names[1]) + "." + "xyz"[Dim];
  case IndexQuery::BlockDim:
    return std::string(Names[2]) + "." + "xyz"[Dim];
  case IndexQuery::GridDim:
    return std::string(Names[3]) + "." + "xyz"[Dim];
  case IndexQuery::None:
    break;
  }
  if (auto *A = dyn_cast<Argument>(V)) {
    if (A->getArgNo() < K.Params.size() && !K.Params[A->getArgNo()].Name.empty() &&
        K.Params.size() == F.arg_size())
      return K.Params[A->getArgNo()].Name;
    return "argument " + std::to_string(A->getArgNo() + 1);
  }
  if (auto *G = dyn_cast<GlobalVariable>(V))
    return variableName(*G);
  return V->hasName() ? V->getName().str() : "a value";
}

/// The base of a pointer; seen through selections and loop variables when all their arms have the same.
static const Value *baseOf(const Value *Ptr) {
  SmallVector<const Value *, 4> Bases;
  getUnderlyingObjects(Ptr, Bases, /*LI=*/nullptr, /*MaxLookup=*/0);
  return Bases.size() == 1 ? Bases.front() : getUnderlyingObject(Ptr, 0);
}

unsigned KernelFacts::objectOf(const Value *Ptr) {
  const DataLayout &DL = F.getDataLayout();
  const Value *Base = baseOf(Ptr);
  MemoryObject O;
  if (auto *G = dyn_cast<GlobalVariable>(Base)) {
    bool Lds = G->getAddressSpace() == LdsAddressSpace;
    uint64_t Size = DL.getTypeAllocSize(G->getValueType());
    O.Kind = !Lds ? MemoryObject::Variable
             : G->isDeclaration() || Size == 0 ? MemoryObject::DynamicLds
                                               : MemoryObject::LdsVariable;
    O.Name = variableName(*G);
    // All extern __shared__ arrays start at one address.
    O.Base = O.Kind == MemoryObject::DynamicLds ? nullptr : Base;
    if (O.Kind != MemoryObject::DynamicLds && !G->isDeclaration())
      O.Size = Size;
  } else if (auto *A = dyn_cast<Argument>(Base)) {
    O.Kind = MemoryObject::Argument;
    O.Base = A;
    O.Name = nameOf(A);
    O.NoAlias = A->hasNoAliasAttr();
  } else if (auto *L = dyn_cast<LoadInst>(Base)) {
    // A pointer field of a parameter passed by value: the kernel argument segment is read-only.
    APInt Offset(DL.getIndexTypeSizeInBits(L->getPointerOperandType()), 0);
    const Value *From = L->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
    auto *A = dyn_cast<Argument>(From);
    if (A && A->getType()->getPointerAddressSpace() == 4) {
      O.Kind = MemoryObject::LoadedPointer;
      O.Base = A;
      O.FieldOffset = Offset.getSExtValue();
      O.Name = nameOf(A) + "+" + std::to_string(O.FieldOffset);
    }
  }
  for (unsigned I = 0; I < Objects.size(); ++I)
    if (Objects[I].Kind == O.Kind && Objects[I].Base == O.Base &&
        Objects[I].FieldOffset == O.FieldOffset)
      return I;
  Objects.push_back(O);
  return Objects.size() - 1;
}

void KernelFacts::addAccess(Instruction &I, const Value *Ptr, AccessEffect E, unsigned Bytes,
                            bool Volatile) {
  unsigned AS = Ptr->getType()->getPointerAddressSpace();
  const Value *Base = baseOf(Ptr);
  // Private memory belongs to one work-item.
  if (AS == 5 || isa<AllocaInst>(Base))
    return;
  KernelAccess A;
  A.Id = Accesses.size();
  A.Inst = &I;
  A.Pointer = Ptr;
  A.Effect = E;
  A.Space = spaceOf(AS);
  A.Object = objectOf(Ptr);
  if (A.Space == MemorySpace::Generic && Base->getType()->isPointerTy())
    A.Space = spaceOf(Base->getType()->getPointerAddressSpace());
  if (Objects[A.Object].isLds())
    A.Space = MemorySpace::Lds;
  else if (Objects[A.Object].Kind == MemoryObject::LoadedPointer && A.Space == MemorySpace::Generic)
    A.Space = MemorySpace::Global; // the host cannot pass a pointer into LDS
  A.Bytes = Bytes;
  A.Volatile = Volatile;
  A.Place = placeOf(I, &A.InlinedAt);
  if (A.Space != MemorySpace::Lds && A.Space != MemorySpace::Constant) {
    std::string On = " on '" + Objects[A.Object].Name + "'";
    if (E == AccessEffect::Atomic || I.isAtomic())
      DeviceSyncs.push_back({&I, "atomic access" + On, A.Place});
    else if (Volatile)
      DeviceSyncs.push_back({&I, "volatile access" + On, A.Place});
    A.DeviceSync = E == AccessEffect::Atomic || I.isAtomic() || Volatile;
  }
  Accesses.push_back(std::move(A));
}

void KernelFacts::addOpaque(Instruction &I, const std::string &What) {
  // It may touch anything, so it is an access to unknown memory as well.
  KernelAccess A;
  A.Id = Accesses.size();
  A.Inst = &I;
  A.Effect = AccessEffect::Write;
  MemoryObject O;
  O.Name = What;
  A.Object = Objects.size();
  Objects.push_back(O);
  A.Place = placeOf(I, &A.InlinedAt);
  A.DeviceSync = true;
  Accesses.push_back(A);
  DeviceSyncs.push_back({&I, What, A.Place});
}

void KernelFacts::addFence(Instruction &I, const char *What, bool Clock) {
  KernelAccess A;
  A.Id = Accesses.size();
  A.Inst = &I;
  A.Space = MemorySpace::Global;
  A.Fence = A.DeviceSync = true;
  A.Clock = Clock;
  MemoryObject O;
  O.Name = What;
  A.Object = Objects.size();
  Objects.push_back(O);
  A.Place = placeOf(I, &A.InlinedAt);
  Accesses.push_back(A);
  DeviceSyncs.push_back({&I, O.Name, A.Place});
}

void KernelFacts::findPlainSyncs() {
  // A lock that atomicCAS() takes may be let go by a plain store.
  DenseSet<unsigned> Shared;
  for (const KernelAccess &A : Accesses)
    if (A.DeviceSync && !A.Fence && A.Pointer)
      Shared.insert(A.Object);
  for (KernelAccess &A : Accesses)
    if (!A.DeviceSync && A.Pointer && A.Space != MemorySpace::Lds && A.Space != MemorySpace::Constant &&
        Shared.contains(A.Object)) {
      A.DeviceSync = true;
      DeviceSyncs.push_back({A.Inst, "access to '" + Objects[A.Object].Name + "', which is used atomically as well",
                             A.Place});
    }
}

bool KernelFacts::addBarrier(Instruction &I) {
  auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return false;
  KernelBarrier B;
  switch (C->getIntrinsicID()) {
  case Intrinsic::amdgcn_s_barrier: {
    // The fences stand right beside it in __syncthreads() and hk::sync::lds().
    B.Strength = BarrierStrength::Bare;
    for (Instruction *Prev = I.getPrevNode(); Prev; Prev = Prev->getPrevNode()) {
      // hk::sync::lds() waits between its fence and its barrier.
      if (auto *Wait = dyn_cast<IntrinsicInst>(Prev); Wait && Wait->getIntrinsicID() == Intrinsic::amdgcn_s_waitcnt)
        continue;
      auto *Fence = dyn_cast<FenceInst>(Prev);
      if (!Fence)
        break;
      if (!isReleaseOrStronger(Fence->getOrdering()))
        continue;
      bool LocalOnly = false;
      if (MDNode *MD = Fence->getMetadata(LLVMContext::MD_mmra)) {
        MMRAMetadata M(MD);
        LocalOnly = M.hasTag("amdgpu-synchronize-as", "local") &&
                    !M.hasTag("amdgpu-synchronize-as", "global");
      }
      B.Strength = LocalOnly ? BarrierStrength::Lds : BarrierStrength::Workgroup;
      break;
    }
    break;
  }
  case Intrinsic::amdgcn_wave_barrier:
    B.Strength = BarrierStrength::Wave;
    break;
  default:
    if (!isWorkgroupReduction(*C))
      return false;
    B.Strength = BarrierStrength::Reduction;
  }
  B.Id = Barriers.size();
  B.Inst = &I;
  std::vector<SourcePlace> Chain = chainOf(I);
  for (unsigned N = 0; N < Chain.size() && !B.Call; ++N)
    if (const SyncCall *S = TU.syncCall(Chain[N])) {
      B.Call = S;
      B.Place = Chain[N];
      B.InlinedAt.assign(Chain.begin() + N + 1, Chain.end());
    }
  if (!B.Call)
    B.Place = placeOf(I, &B.InlinedAt);
  Barriers.push_back(std::move(B));
  return true;
}

void KernelFacts::addCall(Instruction &I) {
  auto &C = cast<CallBase>(I);
  if (C.isInlineAsm()) {
    // An empty asm is a compiler fence by convention; still, nothing is known of any other.
    addOpaque(I, "inline assembly");
    return;
  }
  if (auto *M = dyn_cast<AnyMemIntrinsic>(&I)) {
    unsigned Bytes = 0;
    if (auto *Len = dyn_cast<ConstantInt>(M->getLength()))
      Bytes = Len->getZExtValue();
    auto *MI = dyn_cast<MemIntrinsic>(&I);
    addAccess(I, M->getRawDest(), AccessEffect::Write, Bytes, MI && MI->isVolatile());
    if (auto *T = dyn_cast<AnyMemTransferInst>(&I))
      addAccess(I, T->getRawSource(), AccessEffect::Read, Bytes, MI && MI->isVolatile());
    return;
  }
  if (isa<DbgInfoIntrinsic>(I) || isHarmlessCall(C) || C.doesNotAccessMemory())
    return;
  if (C.onlyAccessesArgMemory()) {
    for (Value *A : C.args())
      if (A->getType()->isPointerTy()) {
        if (!C.onlyReadsMemory())
          addAccess(I, A, AccessEffect::Write, 0, false);
        addAccess(I, A, AccessEffect::Read, 0, false);
      }
    return;
  }
  Function *Callee = C.getCalledFunction();
  if (Callee && Callee->isIntrinsic()) {
    addOpaque(I, "'" + Callee->getName().str() + "'");
    return;
  }
  std::string What =
      Callee ? "a call of '" + demangle(Callee->getName().str()) + "', whose body is not inlined here"
             : "a call through a pointer";
  addOpaque(I, What);
  // It may hold barriers as well: no interval of this kernel is known.
  if (Opaque.empty()) {
    Opaque = What;
    OpaquePlace = placeOf(I);
  }
}

void KernelFacts::collect() {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : instructions(F)) {
    unsigned Dim = 0;
    IndexQuery Q = indexQuery(&I, Dim);
    if (Q != IndexQuery::None) {
      if (Q == IndexQuery::ItemId || Q == IndexQuery::BlockDim)
        UsesDim[Dim] = true;
      continue;
    }
    if (auto *L = dyn_cast<LoadInst>(&I)) {
      addAccess(I, L->getPointerOperand(), AccessEffect::Read, DL.getTypeStoreSize(L->getType()),
                L->isVolatile());
    } else if (auto *S = dyn_cast<StoreInst>(&I)) {
      addAccess(I, S->getPointerOperand(), AccessEffect::Write,
                DL.getTypeStoreSize(S->getValueOperand()->getType()), S->isVolatile());
    } else if (auto *R = dyn_cast<AtomicRMWInst>(&I)) {
      addAccess(I, R->getPointerOperand(), AccessEffect::Atomic,
                DL.getTypeStoreSize(R->getValOperand()->getType()), R->isVolatile());
    } else if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
      addAccess(I, X->getPointerOperand(), AccessEffect::Atomic,
                DL.getTypeStoreSize(X->getNewValOperand()->getType()), X->isVolatile());
    } else if (auto *Fence = dyn_cast<FenceInst>(&I)) {
      // Release or acquire fences of workgroup scope belong to the barriers. One that is both orders the steps of a
      // wavefront, as the sync() of a tile of it: there is nothing to wait for.
      SmallVector<StringRef, 8> Names;
      F.getContext().getSyncScopeNames(Names);
      StringRef Scope = Names[Fence->getSyncScopeID()];
      if (Scope != "workgroup" && Scope != "wavefront" && Scope != "workgroup-one-as" &&
          Scope != "wavefront-one-as" && Scope != "singlethread")
        addFence(I, "a device-scope fence", false);
      if (Scope != "singlethread" && isAcquireOrStronger(Fence->getOrdering()) &&
          isReleaseOrStronger(Fence->getOrdering())) {
        KernelBarrier B;
        B.Id = Barriers.size();
        B.Inst = &I;
        B.Strength = BarrierStrength::Wave;
        B.Place = placeOf(I, &B.InlinedAt);
        Barriers.push_back(std::move(B));
      }
    } else if (isa<CallBase>(I)) {
      if (isClockRead(cast<CallBase>(I)))
        addFence(I, "a clock read", true);
      else if (!addBarrier(I))
        addCall(I);
    }
    // Irreducible control flow, indirect branches: the loop reasoning does not hold.
    if (isa<IndirectBrInst, InvokeInst, CallBrInst>(I) && Opaque.empty()) {
      Opaque = "control flow the analysis does not follow";
      OpaquePlace = placeOf(I);
    }
  }
  ReversePostOrderTraversal<const Function *> RPO(&F);
  if (Opaque.empty() && containsIrreducibleCFG<const BasicBlock *>(RPO, LI)) {
    Opaque = "irreducible control flow";
    OpaquePlace = K.Place;
  }
}

void KernelFacts::buildSegments() {
  DenseMap<const Instruction *, unsigned> BarrierOf;
  for (const KernelBarrier &B : Barriers)
    BarrierOf[B.Inst] = B.Id;
  DenseMap<const Instruction *, SmallVector<unsigned, 2>> AccessesOf;
  for (const KernelAccess &A : Accesses)
    AccessesOf[A.Inst].push_back(A.Id);

  DenseMap<const BasicBlock *, std::pair<unsigned, unsigned>> FirstLast;
  for (BasicBlock &B : F) {
    unsigned First = Segments.size();
    Segments.emplace_back().Block = &B;
    for (Instruction &I : B) {
      if (auto It = BarrierOf.find(&I); It != BarrierOf.end()) {
        if (auto Fence = AccessesOf.find(&I); Fence != AccessesOf.end())
          append_range(Segments.back().Accesses, Fence->second);
        Segment::Edge E;
        E.To = Segments.size();
        E.Barrier = It->second;
        Segments.back().Out.push_back(E);
        SegmentIndex[&I] = Segments.size() - 1;
        Segments.emplace_back().Block = &B;
        continue;
      }
      SegmentIndex[&I] = Segments.size() - 1;
      if (auto It = AccessesOf.find(&I); It != AccessesOf.end())
        append_range(Segments.back().Accesses, It->second);
    }
    Segments.back().Returns = isa<ReturnInst, UnreachableInst>(B.getTerminator());
    FirstLast[&B] = {First, unsigned(Segments.size() - 1)};
  }
  for (BasicBlock &B : F)
    for (BasicBlock *S : successors(&B)) {
      Segment::Edge E;
      E.To = FirstLast[S].first;
      if (Loop *L = LI.getLoopFor(S); L && L->getHeader() == S && L->contains(&B))
        E.BackEdge = L;
      Segments[FirstLast[&B].second].Out.push_back(E);
    }
}

unsigned KernelFacts::segmentOf(const Instruction *I) const { return SegmentIndex.lookup(I); }

bool KernelFacts::hasBarrier(const Loop &L) const {
  return any_of(Barriers, [&](const KernelBarrier &B) {
    return B.Strength != BarrierStrength::Wave && L.contains(B.Inst->getParent());
  });
}

bool KernelFacts::mayShareObject(const KernelAccess &A, const KernelAccess &B,
                                 bool AssumeNoAlias) const {
  const MemoryObject &X = Objects[A.Object], &Y = Objects[B.Object];
  auto Disjoint = [](MemorySpace S, MemorySpace T) {
    return S != T && S != MemorySpace::Generic && T != MemorySpace::Generic;
  };
  if (A.Pointer && B.Pointer && Disjoint(A.Space, B.Space))
    return false;
  if (!A.Pointer || !B.Pointer)
    return true;
  if (A.Object == B.Object)
    return true;
  if (X.Kind == MemoryObject::Unknown || Y.Kind == MemoryObject::Unknown) {
    // A pointer of unknown base may have been made from any other.
    return true;
  }
  // Two LDS variables, or LDS and something the host passed: the host cannot name LDS.
  if (X.isLds() || Y.isLds())
    return false;
  if (X.Kind == MemoryObject::Variable && Y.Kind == MemoryObject::Variable)
    return false;
  bool Parameters = X.Kind == MemoryObject::Argument && Y.Kind == MemoryObject::Argument;
  if (X.NoAlias || Y.NoAlias || (AssumeNoAlias && Parameters))
    return false;
  // Strict aliasing, between different allocations only: within LDS, storage is reused with other types.
  MemoryLocation LX(A.Pointer, LocationSize::beforeOrAfterPointer(), A.Inst->getAAMetadata());
  MemoryLocation LY(B.Pointer, LocationSize::beforeOrAfterPointer(), B.Inst->getAAMetadata());
  return AA.alias(LX, LY) != AliasResult::NoAlias;
}

bool KernelFacts::loadIsShared(const LoadInst &L) const {
  if (L.isVolatile() || L.isAtomic())
    return false;
  unsigned AS = L.getPointerAddressSpace();
  if (AS == 4)
    return true;
  const KernelAccess *Access = nullptr;
  for (const KernelAccess &A : Accesses)
    if (A.Inst == &L)
      Access = &A;
  if (!Access)
    return false;
  bool Lds = Access->Space == MemorySpace::Lds;

  // Global memory may be written by other workgroups at any time, so no write in the whole kernel may touch it; LDS
  // is only written by this workgroup, so what counts is the interval the load stands in.
  SmallVector<const KernelAccess *, 8> Writers;
  for (const KernelAccess &A : Accesses)
    if (A.writes() && mayShareObject(*Access, A, false))
      Writers.push_back(&A);
  if (Writers.empty())
    return true;
  if (!Lds)
    return false;

  auto Delimits = [&](const Segment::Edge &E) {
    return E.Barrier >= 0 && Barriers[E.Barrier].Strength != BarrierStrength::Wave;
  };
  SmallVector<unsigned, 8> Starts{0};
  for (const Segment &S : Segments)
    for (const Segment::Edge &E : S.Out)
      if (Delimits(E))
        Starts.push_back(E.To);
  for (unsigned Start : Starts) {
    BitVector Seen = segmentsFrom(Segments, Start, [&](const Segment::Edge &E) { return !Delimits(E); });
    if (Seen[segmentOf(&L)] && any_of(Writers, [&](const KernelAccess *W) { return Seen[segmentOf(W->Inst)]; }))
      return false;
  }
  return true;
}
