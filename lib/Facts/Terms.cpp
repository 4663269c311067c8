//===- Terms.cpp - Frames, symbols, values --------------------------------===//
//
// Phi nodes, path conditions and loop counters are in TermsControl.cpp.
//
//===----------------------------------------------------------------------===//

#include "Terms.h"

#include "hk/Facts/DevicePipeline.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Operator.h"

#include <numeric>
#include <optional>

using namespace llvm;
using namespace hk;

namespace {

/// Value chains longer than this are cut: recursion must stay bounded.
constexpr unsigned MaxDepth = 300;
/// Products of two variables a query may hold; a quotient counts as three.
constexpr unsigned MaxNonlinear = 8;

z3::expr numeral(z3::context &C, const APInt &A) {
  SmallString<32> Text;
  A.toString(Text, 10, /*Signed=*/false);
  return C.bv_val(Text.c_str(), A.getBitWidth());
}

} // namespace

uint64_t PointerTerm::unit() const {
  uint64_t Unit = 4096;
  Unit = std::gcd(Unit, Constant);
  for (auto &[Index, Scale] : Parts)
    Unit = std::gcd(Unit, Scale);
  return Unit;
}

z3::expr PointerTerm::scaled(z3::context &C, uint64_t Unit) const {
  std::optional<z3::expr> Sum;
  // Bit-vector arithmetic knows no signed constants: a negative one is its two's complement.
  auto Add = [&](const z3::expr &E) { Sum = Sum ? *Sum + E : E; };
  for (auto &[Index, Scale] : Parts)
    Add(Scale == Unit ? Index : Index * C.bv_val(uint64_t(Scale / Unit), 64));
  if (Constant || !Sum)
    Add(C.bv_val(uint64_t(int64_t(Constant) / int64_t(Unit)), 64));
  return *Sum;
}

Terms::Terms(const KernelFacts &K, z3::context &C) : K(K), C(C), Conditions(C) {}

unsigned Terms::id(const Value *V) { return ValueIds.try_emplace(V, ValueIds.size()).first->second; }

Iteration Terms::relationOf(const Loop *L) const {
  for (const LoopTie &Tie : Relation)
    if (Tie.L == L)
      return Tie.How;
  return Iteration::Free;
}

void Terms::begin(const AccessPair &Pair) {
  Conditions = z3::expr_vector(C);
  Cached.clear();
  Constrained.clear();
  Travels.clear();
  Orbits.clear();
  Nonlinear = 0;
  Relation = Pair.Loops;
  auto Make = [&](Frame &F, char Item, unsigned Access) {
    F = frameAt(Item, K.Accesses[Access].Inst->getParent());
    // A tied loop that the access has left stands in its last iteration.
    for (const LoopTie &Tie : Relation)
      F.Tokens[Tie.L] = Tie.How == Iteration::Same    ? "k"
                        : Tie.How == Iteration::First ? "0"
                                                      : std::string(1, Item);
  };
  Make(S, 's', Pair.P);
  Make(T, 't', Pair.Q);
}

Frame Terms::frameAt(char Item, const BasicBlock *At) const {
  Frame F;
  F.Item = Item;
  F.At = At;
  for (const Loop *L = K.LI.getLoopFor(At); L; L = L->getParentLoop())
    F.Tokens[L] = std::string(1, Item);
  return F;
}

std::string Terms::token(const Loop &L, const Frame &F) const {
  auto It = F.Tokens.find(&L);
  if (It != F.Tokens.end())
    return It->second;
  // The loop was left: its last iteration, which is one for the workgroup only if all items leave it together.
  return K.uniformity().mayExitDivergently(L) ? std::string("x") + F.Item : "x";
}

std::string Terms::fullToken(const Loop *L, const Frame &F) const {
  std::string Full;
  for (; L; L = L->getParentLoop())
    Full += "." + token(*L, F);
  return Full;
}

std::string Terms::symbolName(const Value *V, const Frame &F, bool &Shared) {
  std::string Name = "v" + std::to_string(id(V));
  if (auto *I = dyn_cast<Instruction>(V))
    Name += fullToken(K.LI.getLoopFor(I->getParent()), F);
  Shared = K.uniformity().isUniform(V);
  if (!Shared)
    Name += std::string("@") + F.Item;
  return Name;
}

z3::expr Terms::symbol(const std::string &Name, unsigned Bits) {
  return C.bv_const(Name.c_str(), Bits);
}

std::string Terms::spelling(const std::string &Symbol) const {
  auto It = Spellings.find(Symbol);
  return It == Spellings.end() ? std::string() : It->second;
}

unsigned Terms::bits(const Value *V) const {
  Type *Ty = V->getType();
  if (Ty->isIntegerTy())
    return Ty->getIntegerBitWidth();
  if (Ty->isPointerTy())
    return 64;
  return 32; // nothing computes with these
}

z3::expr Terms::fit(const z3::expr &E, unsigned Bits, bool Signed) {
  unsigned Have = E.get_sort().bv_size();
  if (Have == Bits)
    return E;
  if (Have > Bits)
    return E.extract(Bits - 1, 0);
  return Signed ? z3::sext(E, Bits - Have) : z3::zext(E, Bits - Have);
}

z3::expr Terms::unknown(const Value *V, const Frame &F) {
  bool Shared = false;
  std::string Name = symbolName(V, F, Shared);
  if (Shared) {
    Inputs.insert(Name);
    if (V->getType()->isPointerTy())
      Addresses.insert(Name);
    Spellings[Name] = K.nameOf(V);
  } else {
    Havoc.insert(Name);
  }
  return symbol(Name, bits(V));
}

z3::expr Terms::blockDim(unsigned Dim) {
  if (K.Shape.Dim[Dim])
    return C.bv_val(*K.Shape.Dim[Dim], 32);
  if (Seen && Seen->Dim[Dim])
    return C.bv_val(*Seen->Dim[Dim], 32);
  // A kernel that never looks at y or z runs all rows alike; see the pass's documentation for why one row is enough.
  if (Dim > 0 && !K.UsesDim[Dim])
    return C.bv_val(1, 32);
  std::string Name = std::string("blockDim.") + "xyz"[Dim];
  z3::expr Narrow = symbol(Name, 11);
  if (Constrained.insert(Name).second) {
    Conditions.push_back(z3::uge(Narrow, C.bv_val(1, 11)));
    unsigned Most = Reporting ? std::min(K.Shape.MaxDim[Dim], LikelyItems) : K.Shape.MaxDim[Dim];
    Conditions.push_back(z3::ule(Narrow, C.bv_val(Most, 11)));
  }
  Spellings[Name] = Name;
  return z3::zext(Narrow, 21);
}

bool Terms::isFlat(unsigned Dim) {
  z3::expr Extent = blockDim(Dim);
  uint64_t N = 0;
  return Extent.is_numeral_u64(N) && N == 1;
}

z3::expr Terms::item(char Item, unsigned Dim) {
  if (isFlat(Dim))
    return C.bv_val(0, 32);
  std::string Name = std::string("threadIdx.") + "xyz"[Dim] + "@" + Item;
  z3::expr Narrow = symbol(Name, 10);
  z3::expr Wide = z3::zext(Narrow, 22);
  if (Constrained.insert(Name).second)
    Conditions.push_back(z3::ult(Wide, blockDim(Dim)));
  return Wide;
}

z3::expr Terms::linear(char Item) {
  // Products by an extent of one are left out: the solver would have to find them out anew each time.
  z3::expr L = item(Item, 0);
  if (!isFlat(2))
    L = L + blockDim(0) * (isFlat(1) ? item(Item, 2) : item(Item, 1) + blockDim(1) * item(Item, 2));
  else if (!isFlat(1))
    L = L + blockDim(0) * item(Item, 1);
  std::string Name = std::string("linear@") + Item;
  if (Constrained.insert(Name).second) {
    unsigned Most = Seen ? std::min(Seen->MaxItems, K.Shape.MaxItems) : K.Shape.MaxItems;
    if (Reporting && !(Seen && Seen->allKnown()) && !K.Shape.allKnown())
      Most = std::min(Most, LikelyItems);
    // The extents multiply to at most the workgroup limit.
    if (!K.Shape.allKnown() && !(isFlat(1) && isFlat(2)))
      Conditions.push_back(z3::ule(blockDim(0) * blockDim(1) * blockDim(2), C.bv_val(Most, 32)));
    if (Most < 1024 || !(isFlat(1) && isFlat(2)))
      Conditions.push_back(z3::ult(L, C.bv_val(Most, 32)));
  }
  return L;
}

z3::expr Terms::base(unsigned Object) {
  std::string Name = "base" + std::to_string(Object);
  z3::expr B = symbol(Name, 64);
  if (!Constrained.insert(Name).second)
    return B;
  Inputs.insert(Name);
  Addresses.insert(Name);
  Placed.insert(Name);
  const MemoryObject &O = K.Objects[Object];
  if (!O.isLds()) {
    if (Reporting)
      Conditions.push_back(B == C.bv_val(uint64_t(Object + 1) << 40, 64));
    return B;
  }
  // LDS variables lie apart, within the largest LDS of any target.
  auto Extent = [&](const MemoryObject &X) { return X.Size.value_or(160 * 1024); };
  Conditions.push_back(z3::ult(B, C.bv_val(1 << 20, 64)));
  for (unsigned I = 0; I < K.Objects.size(); ++I) {
    if (I == Object || !K.Objects[I].isLds() || !Constrained.count("base" + std::to_string(I)))
      continue;
    z3::expr Other = symbol("base" + std::to_string(I), 64);
    Conditions.push_back(z3::uge(B, Other + C.bv_val(uint64_t(Extent(K.Objects[I])), 64)) ||
                         z3::uge(Other, B + C.bv_val(uint64_t(Extent(O)), 64)));
  }
  return B;
}

z3::expr_vector Terms::conditions() { return Conditions; }

void Terms::finish() {
  // Two distances travelled in equal steps are equal or at least a step apart.
  for (size_t I = 0; I < Travels.size(); ++I)
    for (size_t J = I + 1; J < Travels.size(); ++J) {
      const Travel &A = Travels[I], &B = Travels[J];
      if (!A.NoWrap || !B.NoWrap || A.Signed != B.Signed || !z3::eq(A.Step, B.Step) ||
          z3::eq(A.Distance, B.Distance))
        continue;
      unsigned Bits = A.Distance.get_sort().bv_size();
      z3::expr Zero = C.bv_val(0, Bits);
      z3::expr Apart = A.Distance == B.Distance ||
                       (z3::ugt(A.Distance, B.Distance) && z3::uge(A.Distance - B.Distance, A.Step)) ||
                       (z3::ugt(B.Distance, A.Distance) && z3::uge(B.Distance - A.Distance, A.Step));
      z3::expr Sane = A.Signed ? A.Start >= Zero && B.Start >= Zero && A.Step > Zero : A.Step != Zero;
      Conditions.push_back(z3::implies(Sane, Apart));
    }
  Travels.clear();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

z3::expr Terms::value(const Value *V, Frame &F) {
  if (auto *CI = dyn_cast<ConstantInt>(V))
    return numeral(C, CI->getValue());
  if (isa<ConstantPointerNull>(V))
    return C.bv_val(0, 64);
  auto It = F.Cache.find(V);
  if (It != F.Cache.end())
    return Cached[It->second];
  if (Depth > MaxDepth)
    return unknown(V, F);
  ++Depth;
  z3::expr E = translate(V, F);
  --Depth;
  F.Cache[V] = Cached.size();
  Cached.push_back(E);
  return E;
}

z3::expr Terms::translate(const Value *V, Frame &F) {
  if (V->getType()->isPointerTy()) {
    PointerTerm P = pointer(V, F);
    return P.Object < 0 ? P.bytes(C) : base(P.Object) + P.bytes(C);
  }
  if (isa<Argument>(V))
    return unknown(V, F); // uniform: one symbol
  if (auto *I = dyn_cast<Instruction>(V))
    return instruction(*I, F);
  return unknown(V, F);
}

z3::expr Terms::instruction(const Instruction &I, Frame &F) {
  if (!I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64)
    return unknown(&I, F);
  if (auto *B = dyn_cast<BinaryOperator>(&I))
    return binary(*B, F);
  if (auto *Cmp = dyn_cast<CmpInst>(&I))
    return comparison(*Cmp, F);
  if (auto *P = dyn_cast<PHINode>(&I))
    return phi(*P, F);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return call(*Call, F);
  if (auto *Sel = dyn_cast<SelectInst>(&I)) {
    z3::expr Cond = value(Sel->getCondition(), F) == C.bv_val(1, 1);
    // The arm not taken may be poison without consequence.
    bool Saved = std::exchange(AssumeFlags, false);
    z3::expr A = value(Sel->getTrueValue(), F), B = value(Sel->getFalseValue(), F);
    AssumeFlags = Saved;
    return z3::ite(Cond, A, B);
  }
  if (isa<FreezeInst>(I))
    return value(I.getOperand(0), F);
  if (auto *Cast = dyn_cast<CastInst>(&I)) {
    const Value *Op = Cast->getOperand(0);
    unsigned Bits = bits(&I);
    switch (Cast->getOpcode()) {
    case Instruction::Trunc:
      return Op->getType()->isIntegerTy() ? fit(value(Op, F), Bits) : unknown(&I, F);
    case Instruction::ZExt: {
      z3::expr E = value(Op, F);
      if (cast<ZExtInst>(Cast)->hasNonNeg() && AssumeFlags)
        Conditions.push_back(E >= C.bv_val(0, E.get_sort().bv_size()));
      return fit(E, Bits, false);
    }
    case Instruction::SExt:
      return fit(value(Op, F), Bits, true);
    case Instruction::PtrToInt:
      return fit(value(Op, F), Bits, false);
    default:
      return unknown(&I, F);
    }
  }
  z3::expr E = unknown(&I, F);
  if (MDNode *Range = I.getMetadata(LLVMContext::MD_range)) {
    ConstantRange R = getConstantRangeFromMetadata(*Range);
    z3::expr Lo = numeral(C, R.getLower()), Hi = numeral(C, R.getUpper());
    if (!R.isWrappedSet())
      Conditions.push_back(z3::uge(E, Lo) && z3::ult(E, Hi));
  }
  return E;
}

z3::expr Terms::binary(const BinaryOperator &B, Frame &F) {
  unsigned Bits = bits(&B);
  const Value *L = B.getOperand(0), *R = B.getOperand(1);
  bool Constant = isa<ConstantInt>(L) || isa<ConstantInt>(R);
  // A product or quotient of two values that the workgroup agrees on is one more such value: its inner structure only
  // costs solver time.
  switch (B.getOpcode()) {
  case Instruction::Mul:
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    if (!Constant && K.uniformity().isUniform(&B) && !(Reporting && B.getOpcode() == Instruction::Mul))
      return unknown(&B, F);
    // Circuits for products and quotients of variables are large: a query gets a few and no more.
    if (!isa<ConstantInt>(R) && !(B.getOpcode() == Instruction::Mul && Constant)) {
      Nonlinear += B.getOpcode() == Instruction::Mul ? 1 : 3;
      if (Nonlinear > MaxNonlinear)
        return unknown(&B, F);
    }
    break;
  default:
    break;
  }
  z3::expr X = value(L, F), Y = value(R, F);
  auto *Over = dyn_cast<OverflowingBinaryOperator>(&B);
  bool Nsw = AssumeFlags && Over && Over->hasNoSignedWrap();
  bool Nuw = AssumeFlags && Over && Over->hasNoUnsignedWrap();
  switch (B.getOpcode()) {
  case Instruction::Add:
    if (Nsw) {
      Conditions.push_back(z3::bvadd_no_overflow(X, Y, true));
      Conditions.push_back(z3::bvadd_no_underflow(X, Y));
    }
    if (Nuw)
      Conditions.push_back(z3::bvadd_no_overflow(X, Y, false));
    return X + Y;
  case Instruction::Sub:
    if (Nsw) {
      Conditions.push_back(z3::bvsub_no_overflow(X, Y));
      Conditions.push_back(z3::bvsub_no_underflow(X, Y, true));
    }
    if (Nuw)
      Conditions.push_back(z3::bvsub_no_underflow(X, Y, false));
    return X - Y;
  case Instruction::Mul:
    // Overflow conditions on a product of two variables cost more than they give.
    if (Constant && Nsw) {
      Conditions.push_back(z3::bvmul_no_overflow(X, Y, true));
      Conditions.push_back(z3::bvmul_no_underflow(X, Y));
    }
    if (Constant && Nuw)
      Conditions.push_back(z3::bvmul_no_overflow(X, Y, false));
    return X * Y;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: {
    z3::expr Zero = C.bv_val(0, Bits);
    if (AssumeFlags)
      Conditions.push_back(Y != Zero);
    switch (B.getOpcode()) {
    case Instruction::UDiv:
      return z3::udiv(X, Y);
    case Instruction::SDiv:
      return X / Y;
    case Instruction::URem:
      return z3::urem(X, Y);
    default:
      return z3::srem(X, Y);
    }
  }
  case Instruction::Shl:
    if (AssumeFlags)
      Conditions.push_back(z3::ult(Y, C.bv_val(Bits, Bits)));
    if (Nuw)
      Conditions.push_back(z3::lshr(z3::shl(X, Y), Y) == X);
    if (Nsw)
      Conditions.push_back(z3::ashr(z3::shl(X, Y), Y) == X);
    return z3::shl(X, Y);
  case Instruction::LShr:
    return z3::lshr(X, Y);
  case Instruction::AShr:
    return z3::ashr(X, Y);
  case Instruction::And:
    return X & Y;
  case Instruction::Or:
    if (AssumeFlags && cast<PossiblyDisjointInst>(B).isDisjoint())
      Conditions.push_back((X & Y) == C.bv_val(0, Bits));
    return X | Y;
  case Instruction::Xor:
    return X ^ Y;
  default:
    return unknown(&B, F);
  }
}

z3::expr Terms::comparison(const CmpInst &Cmp, Frame &F) {
  const Value *L = Cmp.getOperand(0), *R = Cmp.getOperand(1);
  auto Bit = [&](const z3::expr &E) { return z3::ite(E, C.bv_val(1, 1), C.bv_val(0, 1)); };
  if (!isa<ICmpInst>(Cmp) || !(L->getType()->isIntegerTy() || L->getType()->isPointerTy()))
    return unknown(&Cmp, F);
  z3::expr X = value(L, F), Y = value(R, F);
  switch (Cmp.getPredicate()) {
  case CmpInst::ICMP_EQ:
    return Bit(X == Y);
  case CmpInst::ICMP_NE:
    return Bit(X != Y);
  case CmpInst::ICMP_UGT:
    return Bit(z3::ugt(X, Y));
  case CmpInst::ICMP_UGE:
    return Bit(z3::uge(X, Y));
  case CmpInst::ICMP_ULT:
    return Bit(z3::ult(X, Y));
  case CmpInst::ICMP_ULE:
    return Bit(z3::ule(X, Y));
  case CmpInst::ICMP_SGT:
    return Bit(X > Y);
  case CmpInst::ICMP_SGE:
    return Bit(X >= Y);
  case CmpInst::ICMP_SLT:
    return Bit(X < Y);
  case CmpInst::ICMP_SLE:
    return Bit(X <= Y);
  default:
    return unknown(&Cmp, F);
  }
}

z3::expr Terms::call(const CallBase &Call, Frame &F) {
  unsigned Dim = 0;
  switch (indexQuery(&Call, Dim)) {
  case IndexQuery::ItemId:
    return item(F.Item, Dim);
  case IndexQuery::BlockDim:
    return blockDim(Dim);
  case IndexQuery::GroupId:
  case IndexQuery::GridDim: {
    std::string Name = K.nameOf(&Call);
    Inputs.insert(Name);
    Spellings[Name] = Name;
    z3::expr E = symbol(Name, 32);
    if (Constrained.insert(Name).second)
      if (std::optional<ConstantRange> R = Call.getRange(); R && !R->isWrappedSet())
        Conditions.push_back(z3::uge(E, numeral(C, R->getLower())) &&
                             z3::ult(E, numeral(C, R->getUpper())));
    return E;
  }
  case IndexQuery::None:
    break;
  }
  auto Lane = [&] { return linear(F.Item) & C.bv_val(63, 32); };
  auto IsAllOnes = [](const Value *V) {
    auto *CI = dyn_cast<ConstantInt>(V);
    return CI && CI->isMinusOne();
  };
  switch (Call.getIntrinsicID()) {
  case Intrinsic::amdgcn_mbcnt_hi:
    // mbcnt_hi(~0, mbcnt_lo(~0, 0)) is the lane's number.
    if (auto *Lo = dyn_cast<CallBase>(Call.getArgOperand(1));
        Lo && Lo->getIntrinsicID() == Intrinsic::amdgcn_mbcnt_lo && IsAllOnes(Call.getArgOperand(0)) &&
        IsAllOnes(Lo->getArgOperand(0)))
      if (auto *Zero = dyn_cast<ConstantInt>(Lo->getArgOperand(1)); Zero && Zero->isZero())
        return Lane();
    break;
  case Intrinsic::amdgcn_wavefrontsize:
    return C.bv_val(64, 32);
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::smin:
  case Intrinsic::smax: {
    if (!Call.getType()->isIntegerTy())
      break;
    z3::expr X = value(Call.getArgOperand(0), F), Y = value(Call.getArgOperand(1), F);
    switch (Call.getIntrinsicID()) {
    case Intrinsic::umin:
      return z3::ite(z3::ult(X, Y), X, Y);
    case Intrinsic::umax:
      return z3::ite(z3::ugt(X, Y), X, Y);
    case Intrinsic::smin:
      return z3::ite(X < Y, X, Y);
    default:
      return z3::ite(X > Y, X, Y);
    }
  }
  case Intrinsic::abs: {
    z3::expr X = value(Call.getArgOperand(0), F);
    return z3::ite(X < C.bv_val(0, bits(&Call)), -X, X);
  }
  case Intrinsic::expect:
  case Intrinsic::amdgcn_readfirstlane:
    if (Call.getIntrinsicID() == Intrinsic::expect || K.uniformity().isUniform(Call.getArgOperand(0)))
      return value(Call.getArgOperand(0), F);
    break;
  default:
    break;
  }
  if (const Function *Callee = Call.getCalledFunction();
      Callee && Callee->getName() == "__ockl_lane_u32" && bits(&Call) == 32)
    return Lane();
  return unknown(&Call, F);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

PointerTerm Terms::pointer(const Value *V, Frame &F) {
  const DataLayout &DL = K.F.getDataLayout();
  auto At = [](const z3::expr &Address) { return PointerTerm{-1, {{Address, 1}}, 0, true}; };
  auto Absolute = [&](const PointerTerm &P) {
    return P.Object < 0 ? P.bytes(C) : base(P.Object) + P.bytes(C);
  };
  auto Merge = [&](const z3::expr &Cond, const PointerTerm &A, const PointerTerm &B) {
    if (A.Object != B.Object)
      return At(z3::ite(Cond, Absolute(A), Absolute(B)));
    uint64_t Unit = std::gcd(A.unit(), B.unit());
    return PointerTerm{A.Object, {{z3::ite(Cond, A.scaled(C, Unit), B.scaled(C, Unit)), Unit}}, 0,
                       A.Exact && B.Exact};
  };
  if (++Depth > MaxDepth) {
    --Depth;
    return At(unknown(V, F));
  }
  struct Leave {
    unsigned &D;
    ~Leave() { --D; }
  } Guard{Depth};

  if (auto *G = dyn_cast<GEPOperator>(V)) {
    PointerTerm P = pointer(G->getPointerOperand(), F);
    unsigned IndexBits = DL.getIndexTypeSizeInBits(G->getType());
    // What the index before selected; the first index of all is not one into an array.
    Type *Around = nullptr;
    for (auto It = gep_type_begin(G), End = gep_type_end(G); It != End; Around = It.getIndexedType(), ++It) {
      const Value *Index = It.getOperand();
      if (StructType *STy = It.getStructTypeOrNull()) {
        uint64_t Off = DL.getStructLayout(STy)->getElementOffset(cast<ConstantInt>(Index)->getZExtValue());
        P.Constant += Off;
        continue;
      }
      uint64_t Scale = It.getSequentialElementStride(DL);
      if (auto *CI = dyn_cast<ConstantInt>(Index)) {
        P.Constant += uint64_t(CI->getSExtValue()) * Scale;
        continue;
      }
      if (!Index->getType()->isIntegerTy())
        return At(unknown(V, F));
      // An index of 32 bits or fewer cannot wrap the product; a 64-bit one could, unless the GEP is in bounds.
      bool Narrow = IndexBits <= 32 || isa<SExtInst, ZExtInst>(Index) || Index->getType()->getIntegerBitWidth() <= 32;
      P.Exact &= Narrow || G->hasNoUnsignedSignedWrap();
      z3::expr Wide = fit(fit(value(Index, F), IndexBits), 64);
      if (auto *Row = dyn_cast_or_null<ArrayType>(Around); Row && Reporting)
        Conditions.push_back(z3::ult(Wide, C.bv_val(uint64_t(Row->getNumElements()), 64)));
      P.Parts.push_back({Wide, Scale});
    }
    return P;
  }
  if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(V))
    return pointer(Cast->getPointerOperand(), F);
  if (auto *Sel = dyn_cast<SelectInst>(V)) {
    z3::expr Cond = value(Sel->getCondition(), F) == C.bv_val(1, 1);
    bool Saved = std::exchange(AssumeFlags, false);
    PointerTerm A = pointer(Sel->getTrueValue(), F), B = pointer(Sel->getFalseValue(), F);
    AssumeFlags = Saved;
    return Merge(Cond, A, B);
  }
  if (isa<FreezeInst>(V))
    return pointer(cast<Instruction>(V)->getOperand(0), F);
  if (auto *P = dyn_cast<PHINode>(V)) {
    // A pointer moved by a constant or uniform step keeps its object: start + counter * step.
    if (Loop *L = K.LI.getLoopFor(P->getParent()); L && L->getHeader() == P->getParent()) {
      int Entry = L->contains(P->getIncomingBlock(0)) ? 1 : 0;
      auto *Step = dyn_cast<GEPOperator>(P->getIncomingValue(1 - Entry));
      if (P->getNumIncomingValues() == 2 && Step && Step->getPointerOperand() == P) {
        APInt Bytes(DL.getIndexTypeSizeInBits(P->getType()), 0);
        if (Step->accumulateConstantOffset(DL, Bytes)) {
          PointerTerm Start = pointer(P->getIncomingValue(Entry), F);
          z3::expr N = fit(counter(*L, F), 64, false);
          int64_t By = Bytes.getSExtValue();
          if (By)
            Start.Parts.push_back({By > 0 ? N : -N, uint64_t(By > 0 ? By : -By)});
          return Start;
        }
      }
      return At(headerPhi(*P, *L, F));
    }
    if (P->getNumIncomingValues() == 1)
      return pointer(P->getIncomingValue(0), F);
    return At(phi(*P, F));
  }
  if (auto *Cast = dyn_cast<IntToPtrInst>(V))
    return At(fit(value(Cast->getOperand(0), F), 64, false));
  // A base: the object tables know it by the same key as the access did.
  for (unsigned I = 0; I < K.Objects.size(); ++I) {
    const MemoryObject &O = K.Objects[I];
    bool Hit = O.Kind != MemoryObject::LoadedPointer && O.Kind != MemoryObject::Unknown && O.Base == V && V;
    if (auto *G = dyn_cast<GlobalVariable>(V); G && O.Kind == MemoryObject::DynamicLds)
      Hit |= G->getAddressSpace() == 3 &&
             (G->isDeclaration() || DL.getTypeAllocSize(G->getValueType()) == 0);
    if (auto *L = dyn_cast<LoadInst>(V); L && O.Kind == MemoryObject::LoadedPointer) {
      APInt Off(DL.getIndexTypeSizeInBits(L->getPointerOperandType()), 0);
      const Value *From = L->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Off, true);
      Hit |= From == O.Base && Off.getSExtValue() == O.FieldOffset;
    }
    if (Hit)
      return {int(I), {}, 0, true};
  }
  bool Shared = false;
  std::string Name = symbolName(V, F, Shared);
  (Shared ? Inputs : Havoc).insert(Name);
  Addresses.insert(Name);
  if (Reporting && isa<Argument>(V) && Constrained.insert(Name).second) {
    Placed.insert(Name);
    Conditions.push_back(symbol(Name, 64) == C.bv_val(uint64_t(id(V) + 4096) << 40, 64));
  }
  return At(symbol(Name, 64));
}
