//===- AffineForm.cpp -----------------------------------------------------===//

#include "hk/Facts/AffineForm.h"

#include "hk/Facts/DevicePipeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace hk;

namespace {

class Builder {
public:
  Builder(const KernelFacts &K, AffineForm &Out) : K(K), Out(Out) {}

  Polynomial build(const SCEV *S) {
    if (!Out.known())
      return {};
    switch (S->getSCEVType()) {
    case scConstant: {
      const APInt &V = cast<SCEVConstant>(S)->getAPInt();
      if (V.isZero())
        return {};
      return {{{}, V.getSignificantBits() <= 64 ? V.getSExtValue() : 0}};
    }
    case scAddExpr: {
      Polynomial Sum;
      for (const SCEV *Op : cast<SCEVAddExpr>(S)->operands())
        add(Sum, build(Op));
      return Sum;
    }
    case scMulExpr: {
      Polynomial Product{{{}, 1}};
      for (const SCEV *Op : cast<SCEVMulExpr>(S)->operands())
        Product = multiply(Product, build(Op));
      return Product;
    }
    case scAddRecExpr: {
      auto *Rec = cast<SCEVAddRecExpr>(S);
      if (!Rec->isAffine())
        return fail("a loop variable that does not grow by a fixed step");
      Polynomial Sum = build(Rec->getStart());
      std::string Counter = "L" + std::to_string(loopNumber(K, Rec->getLoop()));
      add(Sum, multiply({{{Counter}, 1}}, build(Rec->getOperand(1))));
      return Sum;
    }
    case scTruncate:
    case scZeroExtend:
    case scSignExtend: {
      const SCEV *Op = cast<SCEVCastExpr>(S)->getOperand();
      unsigned Bits = std::min(Op->getType()->getIntegerBitWidth(), S->getType()->getIntegerBitWidth());
      if (Bits < 32 && !isa<SCEVUnknown, SCEVConstant>(Op))
        return fail("an index of " + std::to_string(Bits) + (Bits == 1 ? " bit" : " bits"));
      Polynomial Inner = build(Op);
      // The sum below the cast is taken modulo the narrower width.
      if (!isa<SCEVUnknown, SCEVConstant>(Op))
        Out.Wraps32 = true;
      return Inner;
    }
    case scPtrToInt:
      return build(cast<SCEVPtrToIntExpr>(S)->getOperand());
    case scUnknown:
      return leaf(cast<SCEVUnknown>(S)->getValue());
    case scUDivExpr:
      return fail("a division");
    default:
      return fail("a minimum or maximum");
    }
  }

private:
  const KernelFacts &K;
  AffineForm &Out;

  Polynomial fail(const std::string &Why) {
    if (Out.known())
      Out.Unknown = Why;
    return {};
  }

  static void add(Polynomial &To, const Polynomial &P) {
    for (auto &[Factors, C] : P)
      if ((To[Factors] += C) == 0)
        To.erase(Factors);
  }

  static Polynomial multiply(const Polynomial &A, const Polynomial &B) {
    Polynomial Product;
    for (auto &[X, C] : A)
      for (auto &[Y, D] : B) {
        std::vector<std::string> Factors = X;
        append_range(Factors, Y);
        llvm::sort(Factors);
        add(Product, {{Factors, C * D}});
      }
    return Product;
  }

  Polynomial leaf(const Value *V) {
    unsigned Dim = 0;
    if (indexQuery(V, Dim) != IndexQuery::None)
      return {{{K.nameOf(V)}, 1}};
    if (V->getType()->isPointerTy()) {
      // Volatile accesses keep their cast to the generic address space.
      const Value *Base = V->stripPointerCasts();
      for (const MemoryObject &O : K.Objects) {
        if (O.Base != Base && O.Kind != MemoryObject::LoadedPointer)
          continue;
        if (O.Base == Base && O.Kind != MemoryObject::LoadedPointer) {
          Out.Base = O.Name;
          return {};
        }
        // A pointer field of a parameter passed by value.
        auto *L = dyn_cast<LoadInst>(Base);
        APInt Offset(64, 0);
        if (L && L->getPointerOperand()->stripAndAccumulateConstantOffsets(K.F.getDataLayout(), Offset, true) ==
                     O.Base &&
            Offset.getSExtValue() == O.FieldOffset) {
          Out.Base = O.Name;
          return {};
        }
      }
      if (isa<Argument, GlobalVariable>(Base)) {
        Out.Base = K.nameOf(Base);
        return {};
      }
      return fail("a pointer that is not a parameter or variable");
    }
    if (isa<Argument>(V))
      return {{{K.nameOf(V)}, 1}};
    if (auto *L = dyn_cast<LoadInst>(V)) {
      Out.FromMemory |= Out.known();
      SourcePlace P = K.placeOf(*L);
      return fail("a value loaded from memory" + (P.valid() ? " at line " + std::to_string(P.Line) : ""));
    }
    if (auto *P = dyn_cast<PHINode>(V)) {
      const Loop *L = K.LI.getLoopFor(P->getParent());
      if (L && L->getHeader() == P->getParent())
        return fail("a loop variable that does not grow by a fixed step");
      return fail("a value that depends on the path taken");
    }
    if (auto *B = dyn_cast<BinaryOperator>(V))
      return fail(std::string("the operation '") + B->getOpcodeName() + "'");
    if (isa<SelectInst>(V))
      return fail("a value that depends on a condition");
    return fail("a value computed by a call");
  }
};

std::string monomial(const std::vector<std::string> &Factors, int64_t C) {
  std::string Text;
  if (C != 1 || Factors.empty())
    Text = std::to_string(C);
  for (const std::string &F : Factors)
    Text += (Text.empty() ? "" : "*") + F;
  return Text;
}

} // namespace

std::string hk::textOf(const Polynomial &P, const std::string &Base) {
  std::string Text = Base;
  // Terms with factors first, the constant last.
  std::string Constant;
  for (auto &[Factors, C] : P) {
    if (Factors.empty()) {
      Constant = std::to_string(C);
      continue;
    }
    Text += (Text.empty() ? "" : " + ") + monomial(Factors, C);
  }
  if (!Constant.empty())
    Text += (Text.empty() ? "" : " + ") + Constant;
  return Text.empty() ? "0" : Text;
}

std::optional<int64_t> hk::numberOf(const Polynomial &P) {
  if (P.empty())
    return 0;
  if (P.size() == 1 && P.begin()->first.empty())
    return P.begin()->second;
  return std::nullopt;
}

Polynomial hk::coefficientOf(const Polynomial &P, const std::string &Factor) {
  Polynomial Out;
  for (const auto &[Factors, C] : P) {
    if (count(Factors, Factor) != 1)
      continue;
    std::vector<std::string> Rest = Factors;
    Rest.erase(find(Rest, Factor));
    Out[Rest] += C;
  }
  return Out;
}

std::string AffineForm::str() const { return known() ? textOf(Terms, Base) : "unknown: " + Unknown; }

std::optional<int64_t> AffineForm::laneStride() const {
  if (!known())
    return std::nullopt;
  int64_t Stride = 0;
  for (auto &[Factors, C] : Terms) {
    if (!is_contained(Factors, "threadIdx.x"))
      continue;
    if (Factors.size() != 1)
      return std::nullopt;
    Stride = C;
  }
  return Stride;
}

std::string AffineForm::laneStrideText() const {
  if (!known())
    return "unknown";
  for (auto &[Factors, C] : Terms)
    if (count(Factors, "threadIdx.x") > 1)
      return "unknown";
  return textOf(coefficientOf(Terms, "threadIdx.x"));
}

AffineForm hk::affineForm(const KernelFacts &K, const SCEV *S) {
  AffineForm Out;
  if (isa<SCEVCouldNotCompute>(S)) {
    Out.Unknown = "not computable";
    return Out;
  }
  Out.Terms = Builder(K, Out).build(S);
  return Out;
}

AffineForm hk::addressForm(const KernelFacts &K, const KernelAccess &A) {
  AffineForm Out;
  if (!A.Pointer) {
    Out.Unknown = "'" + K.Objects[A.Object].Name + "' may touch any memory";
    return Out;
  }
  return affineForm(K, K.SE.getSCEV(const_cast<Value *>(A.Pointer)));
}

AffineForm hk::tripCount(const KernelFacts &K, const Loop &L) {
  const SCEV *Taken = K.SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken))
    return affineForm(K, Taken);
  // A loop that is left at its top runs its body once for each way back; any other runs it once more.
  bool AtTop = L.getExitingBlock() == L.getHeader() && L.getLoopLatch() != L.getHeader();
  const SCEV *Trips = AtTop ? Taken : K.SE.getAddExpr(Taken, K.SE.getOne(Taken->getType()));
  if (auto *Max = dyn_cast<SCEVMinMaxExpr>(Trips); Max && Max->getNumOperands() == 2 &&
                                                   isa<SCEVSMaxExpr, SCEVUMaxExpr>(Max) &&
                                                   isa<SCEVConstant>(Max->getOperand(0)))
    Trips = Max->getOperand(1);
  return affineForm(K, Trips);
}

unsigned hk::loopNumber(const KernelFacts &K, const Loop *L) { return K.LoopNumbers.lookup(L); }
