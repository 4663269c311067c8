//===- TermsControl.cpp - Phi nodes, loop counters, path conditions -------===//

#include "Terms.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace hk;

namespace {

/// Paths through more blocks than this are not described by a condition.
constexpr unsigned MaxRegion = 96;
/// Most states of a loop variable that are listed one by one.
constexpr unsigned MaxOrbit = 64;

/// `phi = phi + Step` (or - Step) once round the loop, Step the same in every iteration.
struct Recurrence {
  const Value *Start = nullptr, *Step = nullptr;
  bool Negative = false, Nsw = false, Nuw = false;
};

/// Computed from what does not change in the loop, wherever it stands.
bool isInvariant(const Value *V, const Loop &L, unsigned Depth = 4) {
  if (L.isLoopInvariant(V))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  return I && Depth && isa<BinaryOperator, CastInst>(I) &&
         all_of(I->operands(), [&](const Use &U) { return isInvariant(U.get(), L, Depth - 1); });
}

bool matchRecurrence(const PHINode &P, const Loop &L, Recurrence &R) {
  if (P.getNumIncomingValues() != 2)
    return false;
  unsigned Entry = L.contains(P.getIncomingBlock(0)) ? 1 : 0;
  R.Start = P.getIncomingValue(Entry);
  auto *B = dyn_cast<BinaryOperator>(P.getIncomingValue(1 - Entry));
  if (!B)
    return false;
  if (B->getOpcode() == Instruction::Add)
    R.Step = B->getOperand(0) == &P ? B->getOperand(1) : B->getOperand(1) == &P ? B->getOperand(0) : nullptr;
  else if (B->getOpcode() == Instruction::Sub && B->getOperand(0) == &P) {
    R.Step = B->getOperand(1);
    R.Negative = true;
  }
  if (!R.Step || !isInvariant(R.Step, L))
    return false;
  R.Nsw = B->hasNoSignedWrap();
  R.Nuw = B->hasNoUnsignedWrap();
  return true;
}

} // namespace

z3::expr Terms::edge(const BasicBlock *From, const BasicBlock *To, Frame &F) {
  const Instruction *T = From->getTerminator();
  if (auto *B = dyn_cast<BranchInst>(T)) {
    if (!B->isConditional() || B->getSuccessor(0) == B->getSuccessor(1))
      return C.bool_val(true);
    z3::expr Cond = value(B->getCondition(), F) == C.bv_val(1, 1);
    return B->getSuccessor(0) == To ? Cond : !Cond;
  }
  if (auto *S = dyn_cast<SwitchInst>(T)) {
    z3::expr V = value(S->getCondition(), F);
    z3::expr Taken = C.bool_val(false), Other = C.bool_val(true);
    for (auto &Case : S->cases()) {
      z3::expr Equal = V == value(Case.getCaseValue(), F);
      if (Case.getCaseSuccessor() == To)
        Taken = Taken || Equal;
      Other = Other && !Equal;
    }
    return S->getDefaultDest() == To ? Taken || Other : Taken;
  }
  return C.bool_val(true);
}

z3::expr Terms::between(const BasicBlock *Top, const BasicBlock *B, Frame &F,
                        std::map<const BasicBlock *, z3::expr> &Seen) {
  if (B == Top)
    return C.bool_val(true);
  auto It = Seen.find(B);
  if (It != Seen.end())
    return It->second;
  if (Seen.size() > MaxRegion)
    throw z3::exception("region too large");
  Seen.emplace(B, C.bool_val(true)); // irreducible flow was ruled out; this only guards the recursion
  const Loop *L = K.LI.getLoopFor(B);
  z3::expr Any = C.bool_val(false);
  for (const BasicBlock *P : predecessors(B)) {
    // Round a loop the condition of its first entry holds as well.
    if (L && L->getHeader() == B && L->contains(P))
      continue;
    if (!K.DT.isReachableFromEntry(P))
      continue;
    Any = Any || (between(Top, P, F, Seen) && edge(P, B, F));
  }
  Any = Any.simplify();
  Seen.insert_or_assign(B, Any);
  return Any;
}

z3::expr Terms::reached(Frame &F) {
  z3::expr All = C.bool_val(true);
  const DomTreeNode *N = K.DT.getNode(F.At);
  for (; N && N->getIDom(); N = N->getIDom()) {
    std::map<const BasicBlock *, z3::expr> Seen;
    try {
      All = All && between(N->getIDom()->getBlock(), N->getBlock(), F, Seen);
    } catch (z3::exception &) {
      // Left out: a weaker condition admits more runs.
    }
  }
  return All;
}

z3::expr Terms::reachedLatch(const KernelAccess &P) {
  // The outermost loop that the two accesses see in different iterations.
  const Loop *L = nullptr;
  for (const LoopTie &Tie : Relation)
    if (!L && (Tie.How == Iteration::Next || Tie.How == Iteration::Later))
      L = Tie.L;
  if (!L || !L->getLoopLatch() || !L->contains(P.Inst->getParent()))
    return C.bool_val(true);
  // Forward over the rest of the iteration, in the frame of its end, past no barrier.
  Frame G = stepFrame(*L, S);
  std::map<const BasicBlock *, z3::expr> Seen;
  unsigned Home = K.segmentOf(P.Inst);
  for (const Segment::Edge &E : K.Segments[Home].Out)
    if (E.Barrier >= 0 && K.Barriers[E.Barrier].Strength != BarrierStrength::Wave)
      return C.bool_val(true); // only round an inner loop; not described
  // Blocks of inner loops that are left again would need their last iteration: give up on those.
  if (K.LI.getLoopFor(P.Inst->getParent()) != L)
    return C.bool_val(true);
  try {
    return forward(P.Inst->getParent(), *L, G, Seen);
  } catch (z3::exception &) {
    return C.bool_val(true);
  }
}

z3::expr Terms::forward(const BasicBlock *B, const Loop &L, Frame &F,
                        std::map<const BasicBlock *, z3::expr> &Seen) {
  if (B == L.getLoopLatch())
    return C.bool_val(true);
  auto It = Seen.find(B);
  if (It != Seen.end())
    return It->second;
  if (Seen.size() > MaxRegion || K.LI.getLoopFor(B) != &L)
    throw z3::exception("region too large");
  Seen.emplace(B, C.bool_val(true));
  z3::expr Any = C.bool_val(false);
  for (const BasicBlock *To : successors(B)) {
    if (!L.contains(To) || To == L.getHeader())
      continue;
    bool Barrier = false;
    for (const KernelBarrier &X : K.Barriers)
      Barrier |= X.Strength != BarrierStrength::Wave && X.Inst->getParent() == To;
    if (!Barrier)
      Any = Any || (edge(B, To, F) && forward(To, L, F, Seen));
  }
  Seen.insert_or_assign(B, Any);
  return Any;
}

z3::expr Terms::phi(const PHINode &P, Frame &F) {
  const Loop *L = K.LI.getLoopFor(P.getParent());
  if (L && L->getHeader() == P.getParent())
    return headerPhi(P, *L, F);
  if (P.getNumIncomingValues() == 1)
    return value(P.getIncomingValue(0), F);
  const DomTreeNode *N = K.DT.getNode(P.getParent());
  if (!N || !N->getIDom())
    return unknown(&P, F);
  const BasicBlock *Top = N->getIDom()->getBlock();
  bool Saved = std::exchange(AssumeFlags, false);
  try {
    std::map<const BasicBlock *, z3::expr> Seen;
    z3::expr Result = value(P.getIncomingValue(P.getNumIncomingValues() - 1), F);
    for (unsigned I = P.getNumIncomingValues() - 1; I-- > 0;) {
      const BasicBlock *From = P.getIncomingBlock(I);
      z3::expr Cond = between(Top, From, F, Seen) && edge(From, P.getParent(), F);
      Result = z3::ite(Cond, value(P.getIncomingValue(I), F), Result);
    }
    AssumeFlags = Saved;
    return Result;
  } catch (z3::exception &) {
    AssumeFlags = Saved;
    return unknown(&P, F);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool Terms::isIn(const Loop &L, const Frame &F, StringRef Token) const {
  auto It = F.Tokens.find(&L);
  return It != F.Tokens.end() && It->second == Token;
}

bool Terms::isBehind(const Loop &L, const Frame &F, Iteration How) const {
  return F.Item == 't' && isIn(L, F, "t") && relationOf(&L) == How;
}

z3::expr Terms::counter(const Loop &L, Frame &F) {
  if (isIn(L, F, "0"))
    return C.bv_val(0, CounterBits);
  if (isBehind(L, F, Iteration::Next))
    return counter(L, S) + C.bv_val(1, CounterBits);
  if (isBehind(L, F, Iteration::Later)) {
    z3::expr More = symbol("more", CounterBits);
    if (Constrained.insert("more").second)
      Conditions.push_back(z3::uge(More, C.bv_val(1, CounterBits)) &&
                           z3::ult(More, C.bv_val(uint64_t(1) << (CounterBits - 2), CounterBits)));
    return counter(L, S) + More;
  }
  unsigned Id = LoopIds.try_emplace(&L, LoopIds.size()).first->second;
  std::string Name = "n" + std::to_string(Id) + fullToken(&L, F);
  z3::expr N = symbol(Name, CounterBits);
  if (Constrained.insert(Name).second) {
    uint64_t Most = uint64_t(1) << (CounterBits - 2);
    auto *Max = dyn_cast<SCEVConstant>(K.SE.getConstantMaxBackedgeTakenCount(&L));
    if (Max && Max->getAPInt().ult(Most))
      Most = Max->getAPInt().getZExtValue();
    Conditions.push_back(z3::ule(N, C.bv_val(Most, CounterBits)));
  }
  return N;
}

Frame Terms::stepFrame(const Loop &L, const Frame &F) const {
  // The end of the same iteration, as seen by the same item.
  Frame G;
  G.Item = F.Item;
  G.At = L.getLoopLatch();
  for (const Loop *M = K.LI.getLoopFor(G.At); M; M = M->getParentLoop()) {
    auto It = F.Tokens.find(M);
    G.Tokens[M] = It != F.Tokens.end() ? It->second : token(*M, F);
  }
  return G;
}

z3::expr Terms::headerPhi(const PHINode &P, const Loop &L, Frame &F) {
  unsigned Bits = bits(&P);
  if (isIn(L, F, "0") && L.getLoopPredecessor())
    return value(P.getIncomingValueForBlock(L.getLoopPredecessor()), F);
  Recurrence R;
  if (P.getType()->isIntegerTy() && matchRecurrence(P, L, R)) {
    z3::expr Start = value(R.Start, F);
    if (auto *Step = dyn_cast<ConstantInt>(R.Step)) {
      APInt By = R.Negative ? -Step->getValue() : Step->getValue();
      z3::expr N = counter(L, F);
      // Computed without wrap when the increment cannot wrap, so that the counter is not aliased.
      unsigned Wide = Bits + CounterBits;
      z3::expr Exact = z3::zext(N, Bits) * C.bv_val(int64_t(By.getSExtValue()), Wide);
      if (R.Nsw || (R.Nuw && !By.isNegative())) {
        z3::expr Sum = fit(Start, Wide, R.Nsw) + Exact;
        z3::expr Value = Sum.extract(Bits - 1, 0);
        Conditions.push_back(fit(Value, Wide, R.Nsw) == Sum);
        return Value;
      }
      return Start + Exact.extract(Bits - 1, 0);
    }
    // start + distance, the distance a multiple of the step that all items of the iteration share.
    if (K.uniformity().isUniform(R.Step)) {
      z3::expr Step = value(R.Step, F);
      if (R.Negative)
        Step = -Step;
      bool Next = isBehind(L, F, Iteration::Next);
      std::string Token = fullToken(&L, Next ? S : F);
      std::string Name = "d" + std::to_string(id(&P)) + Token;
      z3::expr Distance = symbol(Name, Bits);
      // Two unrelated distances are multiples of the step, which nothing here says: a model of them is no witness.
      bool Related = isIn(L, F, "k") || (F.Tokens.count(&L) && relationOf(&L) == Iteration::Next);
      if (!Related)
        Havoc.insert(Name);
      // SCEV may know more than the flags on the instruction.
      bool Signed = R.Nsw, Unsigned = R.Nuw;
      if (auto *Rec = dyn_cast<SCEVAddRecExpr>(K.SE.getSCEV(const_cast<PHINode *>(&P)))) {
        Signed |= Rec->hasNoSignedWrap();
        Unsigned |= Rec->hasNoUnsignedWrap();
      }
      if (Constrained.insert(Name).second)
        Travels.push_back({Distance, Start, Step, !Unsigned, (Signed || Unsigned) && !R.Negative});
      z3::expr Moved = Next ? Distance + Step : Distance;
      if (Signed && !R.Negative) {
        // Moving up never turns negative.
        z3::expr Zero = C.bv_val(0, Bits);
        Conditions.push_back(z3::implies(Start >= Zero && Step > Zero, Start + Moved >= Start));
      }
      return Start + Moved;
    }
  }
  if (!K.uniformity().isUniform(&P))
    return unknown(&P, F);

  // Any other loop variable that the workgroup agrees on: one symbol an iteration, and the next iteration's value is
  // what the loop body makes of it.
  if (isBehind(L, F, Iteration::Next) && L.getLoopLatch()) {
    Frame G = stepFrame(L, S);
    return value(P.getIncomingValueForBlock(L.getLoopLatch()), G);
  }
  bool Shared = false;
  std::string Name = symbolName(&P, F, Shared);
  z3::expr Symbol = symbol(Name, Bits);
  if (Constrained.insert(Name).second) {
    if (!constrainOrbit(P, L, F, Symbol)) {
      if (auto Closed = shifted(P, L, F, Symbol))
        Conditions.push_back(*Closed);
      else
        Havoc.insert(Name); // any value at all: a model of it is no witness
    }
    // Halving never grows: phi = phi >> c or phi / c.
    unsigned Entry = L.contains(P.getIncomingBlock(0)) ? 1 : 0;
    auto *B = P.getNumIncomingValues() == 2 ? dyn_cast<BinaryOperator>(P.getIncomingValue(1 - Entry)) : nullptr;
    if (B && P.getType()->isIntegerTy() && B->getOperand(0) == &P) {
      z3::expr Start = value(P.getIncomingValue(Entry), F);
      z3::expr Zero = C.bv_val(0, Bits);
      if (B->getOpcode() == Instruction::LShr || B->getOpcode() == Instruction::UDiv)
        Conditions.push_back(z3::ule(Symbol, Start));
      else if (B->getOpcode() == Instruction::AShr || B->getOpcode() == Instruction::SDiv)
        if (auto *By = dyn_cast<ConstantInt>(B->getOperand(1)); By && !By->isNegative())
          Conditions.push_back(z3::implies(Start >= Zero, Symbol >= Zero && Symbol <= Start));
      // Doubling keeps a positive start positive as long as it does not wrap.
      if (B->getOpcode() == Instruction::Shl && B->hasNoSignedWrap())
        Conditions.push_back(z3::implies(Start >= Zero, Symbol >= Start));
      if (B->getOpcode() == Instruction::Shl && B->hasNoUnsignedWrap())
        Conditions.push_back(z3::uge(Symbol, Start));
    }
  }
  return Symbol;
}

std::optional<z3::expr> Terms::shifted(const PHINode &P, const Loop &L, Frame &F, const z3::expr &Symbol) {
  if (!P.getType()->isIntegerTy() || P.getNumIncomingValues() != 2)
    return std::nullopt;
  unsigned Entry = L.contains(P.getIncomingBlock(0)) ? 1 : 0, Bits = bits(&P);
  auto *B = dyn_cast<BinaryOperator>(P.getIncomingValue(1 - Entry));
  auto *By = B && B->getOperand(0) == &P ? dyn_cast<ConstantInt>(B->getOperand(1)) : nullptr;
  if (!By || By->isNegative())
    return std::nullopt;
  auto Power = [&]() -> unsigned { return By->getValue().isPowerOf2() ? By->getValue().logBase2() : 0; };
  bool Left = B->getOpcode() == Instruction::Shl || B->getOpcode() == Instruction::Mul;
  bool Shift = B->isShift() && By->getValue().ult(Bits);
  bool Halves = B->getOpcode() == Instruction::UDiv || B->getOpcode() == Instruction::SDiv;
  unsigned Each = Shift ? By->getZExtValue() : Halves || B->getOpcode() == Instruction::Mul ? Power() : 0;
  if (!Each)
    return std::nullopt;
  // Shifted by Each in every iteration; past the width nothing is left.
  z3::expr Start = value(P.getIncomingValue(Entry), F), N = counter(L, F);
  z3::expr Zero = C.bv_val(0, Bits);
  z3::expr Some = z3::ule(N, C.bv_val(Bits / Each, CounterBits));
  z3::expr Amount = fit(N, Bits, false) * C.bv_val(Each, Bits);
  z3::expr Moved = Left ? z3::shl(Start, Amount) : z3::lshr(Start, Amount);
  z3::expr Is = Symbol == z3::ite(Some, Moved, Zero);
  // Signed halving of a negative start is another matter.
  if (B->getOpcode() == Instruction::AShr || B->getOpcode() == Instruction::SDiv)
    return Reporting ? Start >= Zero && Is : z3::implies(Start >= Zero, Is);
  return Is;
}

bool Terms::constrainOrbit(const PHINode &P, const Loop &L, Frame &F, const z3::expr &Symbol) {
  // Runs the loop variables that depend on nothing but each other and constants, e.g. k = 128, 64, 32, ... or two
  // buffers that change places, and lists the values P takes.
  const DataLayout &DL = K.F.getDataLayout();
  BasicBlock *Latch = L.getLoopLatch(), *Entry = L.getLoopPredecessor();
  if (!Latch || !Entry)
    return false;
  std::map<const PHINode *, Value *> State;
  for (PHINode &Q : L.getHeader()->phis())
    State[&Q] = Q.getIncomingValueForBlock(Entry);
  auto Step = [&](Value *V, auto &Self) -> Value * {
    if (auto *Q = dyn_cast<PHINode>(V); Q && Q->getParent() == L.getHeader()) {
      auto It = State.find(Q);
      return It == State.end() ? nullptr : It->second;
    }
    if (isa<Constant>(V) || L.isLoopInvariant(V))
      return V;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !isa<BinaryOperator, CmpInst, CastInst, SelectInst>(I) || ++Depth > 250)
      return nullptr;
    SmallVector<Constant *, 3> Ops;
    for (Value *Op : I->operands()) {
      Value *W = Self(Op, Self);
      if (!isa_and_nonnull<Constant>(W)) {
        // select(known, a, b) of non-constants still has one answer.
        if (auto *Sel = dyn_cast<SelectInst>(I); Sel && Op != Sel->getCondition() && W)
          if (auto *Cond = dyn_cast_or_null<ConstantInt>(Self(Sel->getCondition(), Self)))
            return Self(Cond->isOne() ? Sel->getTrueValue() : Sel->getFalseValue(), Self);
        return nullptr;
      }
      Ops.push_back(cast<Constant>(W));
    }
    return ConstantFoldInstOperands(I, Ops, DL);
  };
  unsigned Saved = Depth;
  std::vector<std::map<const PHINode *, Value *>> Seen;
  bool Closed = false;
  uint64_t Most = MaxOrbit;
  if (auto *Max = dyn_cast<SCEVConstant>(K.SE.getConstantMaxBackedgeTakenCount(&L));
      Max && Max->getAPInt().ult(MaxOrbit))
    Most = Max->getAPInt().getZExtValue();
  while (Seen.size() <= MaxOrbit && State.count(&P)) {
    if (is_contained(Seen, State)) {
      Closed = true;
      break;
    }
    Seen.push_back(State);
    // No iteration after the last: what follows is never the value at the header again.
    if (Seen.size() > Most) {
      Closed = true;
      break;
    }
    std::map<const PHINode *, Value *> NextState;
    bool Dropped = false;
    for (auto &[Q, V] : State) {
      Depth = Saved;
      if (Value *W = Step(Q->getIncomingValueForBlock(Latch), Step))
        NextState[Q] = W;
      else
        Dropped = true;
    }
    State = std::move(NextState);
    // States of fewer variables: start over with those that are left.
    if (Dropped && State.count(&P)) {
      std::map<const PHINode *, Value *> Again;
      for (auto &[Q, V] : State)
        Again[Q] = Q->getIncomingValueForBlock(Entry);
      State = std::move(Again);
      Seen.clear();
    }
  }
  Depth = Saved;
  if (!Closed)
    return false;
  z3::expr Any = C.bool_val(false);
  std::set<Value *> Done;
  std::vector<z3::expr> Values;
  for (auto &St : Seen)
    if (Done.insert(St[&P]).second)
      Values.push_back(value(St[&P], F));
  for (const z3::expr &V : Values)
    Any = Any || Symbol == V;
  Conditions.push_back(Any);
  Orbits.push_back({Symbol, Values});
  // Variables of one orbit belong together: the pair (front, back) is (a, b) or (b, a), never (a, a).
  for (PHINode &Q : L.getHeader()->phis()) {
    bool SharedQ = false;
    if (&Q == &P || !Seen.front().count(&Q) || !K.uniformity().isUniform(&Q))
      continue;
    std::string Name = symbolName(&Q, F, SharedQ);
    if (!SharedQ || !Constrained.count(Name))
      continue;
    z3::expr Other = symbol(Name, bits(&Q));
    z3::expr Pair = C.bool_val(false);
    for (auto &St : Seen)
      Pair = Pair || (Symbol == value(St[&P], F) && Other == value(St[&Q], F));
    Conditions.push_back(Pair);
  }
  return true;
}
