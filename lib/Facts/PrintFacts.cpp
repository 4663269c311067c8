//===- PrintFacts.cpp -----------------------------------------------------===//

#include "hk/Facts/PrintFacts.h"

#include "hk/Facts/AffineForm.h"
#include "hk/Facts/Intervals.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;

namespace {

const char *nameOf(MemorySpace S) {
  switch (S) {
  case MemorySpace::Lds:
    return "LDS";
  case MemorySpace::Global:
    return "global";
  case MemorySpace::Constant:
    return "constant";
  case MemorySpace::Generic:
    return "generic";
  }
  return "";
}

const char *nameOf(AccessEffect E) {
  switch (E) {
  case AccessEffect::Read:
    return "read";
  case AccessEffect::Write:
    return "write";
  case AccessEffect::Atomic:
    return "atomic";
  }
  return "";
}

const char *nameOf(BarrierStrength S) {
  switch (S) {
  case BarrierStrength::Workgroup:
    return "workgroup";
  case BarrierStrength::Lds:
    return "LDS-only";
  case BarrierStrength::Bare:
    return "bare";
  case BarrierStrength::Reduction:
    return "reduction";
  case BarrierStrength::Wave:
    return "wave-level";
  }
  return "";
}

std::string lineColumn(const SourcePlace &P) {
  return P.valid() ? std::to_string(P.Line) + ":" + std::to_string(P.Column) : "?";
}

/// Kernel arguments are read through the constant address space: they are no data of the kernel. Fences are listed apart.
bool isArgumentRead(const KernelAccess &A) {
  return A.Fence || (A.Space == MemorySpace::Constant && A.Effect == AccessEffect::Read);
}

void printLoops(raw_ostream &OS, const KernelFacts &K) {
  for (Loop *L : K.LI.getLoopsInPreorder()) {
    SourcePlace P = K.placeOf(*L->getHeader()->getTerminator());
    OS << "  loop L" << loopNumber(K, L) << " at line " << P.Line << ": depth " << L->getLoopDepth() << ", trips ";
    const SCEV *Taken = K.SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Taken)) {
      OS << "unknown";
    } else {
      AffineForm F = tripCount(K, *L);
      if (F.known())
        OS << F.str();
      else
        OS << "computed (" << F.Unknown << ")";
    }
    if (auto *Max = dyn_cast<SCEVConstant>(K.SE.getConstantMaxBackedgeTakenCount(L));
        Max && Max->getAPInt().ult(1u << 31) && !isa<SCEVConstant>(Taken))
      OS << ", at most " << Max->getAPInt().getZExtValue() + (L->getExitingBlock() != L->getHeader());
    OS << (K.uniformity().mayExitDivergently(*L) ? ", items may leave apart" : ", uniform");
    OS << (K.hasBarrier(*L) ? ", has a barrier" : ", no barrier") << "\n";
  }
}

void printAccess(raw_ostream &OS, const KernelFacts &K, const KernelAccess &A) {
  const MemoryObject &O = K.Objects[A.Object];
  OS << "  access #" << A.Id << " at " << lineColumn(A.Place) << ": " << nameOf(A.Effect) << " " << nameOf(A.Space)
     << " '" << O.Name << "', ";
  if (A.Bytes)
    OS << A.Bytes << " bytes";
  else
    OS << "unknown extent";
  if (A.Volatile)
    OS << ", volatile";
  AffineForm F = addressForm(K, A);
  OS << "\n    address: ";
  if (!F.known()) {
    OS << F.str() << "\n";
  } else {
    OS << F.str();
    if (F.Wraps32)
      OS << " (index modulo 2^32)";
    OS << "\n    lane stride: " << F.laneStrideText();
    if (F.laneStride())
      OS << " bytes";
    OS << "\n";
  }
  OS << "    address is "
     << (!A.Pointer || !K.uniformity().isUniform(A.Pointer) ? "divergent" : "uniform");
  if (!A.Inst->getType()->isVoidTy())
    OS << ", value is " << (K.uniformity().isUniform(A.Inst) ? "uniform" : "divergent");
  OS << "\n";
  for (const SourcePlace &P : A.InlinedAt)
    OS << "    called at " << P.str() << "\n";
}

void printIntervals(raw_ostream &OS, const KernelFacts &K) {
  Intervals Ways(K);
  auto Print = [&](const std::string &Name, unsigned Start) {
    BitVector R = Ways.reachable(Start);
    OS << "  interval from " << Name << ":";
    for (const KernelAccess &A : K.Accesses)
      if (!isArgumentRead(A) && R[K.segmentOf(A.Inst)]) {
        // Accesses of the start's block that stand before the barrier are reached only round a loop.
        OS << " #" << A.Id;
      }
    std::vector<std::string> Ends;
    for (unsigned N : R.set_bits()) {
      for (const Segment::Edge &E : K.Segments[N].Out)
        if (E.Barrier >= 0 && K.Barriers[E.Barrier].Strength != BarrierStrength::Wave)
          Ends.push_back("B" + std::to_string(E.Barrier));
      if (K.Segments[N].Returns)
        Ends.push_back("return");
    }
    OS << "; to " << (Ends.empty() ? "nowhere" : join(Ends, ", ")) << "\n";
  };
  Print("entry", 0);
  for (const KernelBarrier &B : K.Barriers)
    if (B.Strength != BarrierStrength::Wave) {
      unsigned After = K.segmentOf(B.Inst) + 1;
      std::string Name = "B" + std::to_string(B.Id);
      // Over a back edge the interval carries into the next iteration.
      BitVector R = Ways.reachable(After);
      for (unsigned N : R.set_bits())
        for (const Segment::Edge &E : K.Segments[N].Out)
          if (E.BackEdge && E.BackEdge->contains(B.Inst->getParent()) && R[E.To]) {
            Name += " (carried round L" + std::to_string(loopNumber(K, E.BackEdge)) + ")";
            break;
          }
      Print(Name, After);
    }
}

} // namespace

void hk::printFacts(raw_ostream &OS, const KernelFacts &K, bool AssumeNoAlias) {
  OS << "kernel " << K.K.Name << " (" << K.K.Mangled << ") at " << K.K.Place.str() << "\n";
  OS << "  block: " << K.Shape.Source << ", at most " << K.Shape.MaxItems << " work-items\n";
  for (const Launch &L : K.TU.Launches) {
    if (L.Kernel != K.K.Mangled)
      continue;
    OS << "  launch at " << L.Place.str() << ": block";
    for (const LaunchDim &D : L.Block)
      OS << " " << (D.Kind == LaunchDim::Constant ? std::to_string(D.Value)
                    : D.Kind == LaunchDim::Symbolic ? D.Text
                                                    : "?");
    OS << "\n";
  }
  if (!K.Opaque.empty())
    OS << "  not analyzed further: " << K.Opaque << " at " << K.OpaquePlace.str() << "\n";
  printLoops(OS, K);
  for (const KernelAccess &A : K.Accesses)
    if (!isArgumentRead(A))
      printAccess(OS, K, A);
  for (const KernelBarrier &B : K.Barriers)
    OS << "  barrier B" << B.Id << " at " << lineColumn(B.Place) << ": " << nameOf(B.Strength) << "\n";
  for (const DeviceSync &D : K.DeviceSyncs)
    OS << "  device-scope synchronization at " << lineColumn(D.Place) << ": " << D.What << "\n";
  printIntervals(OS, K);
  for (const KernelAccess &A : K.Accesses)
    for (const KernelAccess &B : K.Accesses)
      if (A.Id < B.Id && (A.writes() || B.writes()) && A.Object != B.Object &&
          K.mayShareObject(A, B, AssumeNoAlias))
        OS << "  may overlap: #" << A.Id << " '" << K.Objects[A.Object].Name << "' and #" << B.Id << " '"
           << K.Objects[B.Object].Name << "'\n";
  OS << "\n";
}
