//===- LaunchDims.cpp - Values of launch configurations -------------------===//
//
// A wrong block size makes a wrong rewrite, so the rules are strict: a variable counts as its initializer only if every
// use of it in the translation unit reads its value.
//
//===----------------------------------------------------------------------===//
#include "LaunchDims.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace hk::frontend {
namespace {

constexpr unsigned MaxDepth = 32;

/// The variable that \p E is or is a member of, by '.' only.
const DeclRefExpr *variableIn(const Expr *E) {
  E = E->IgnoreParens();
  while (const auto *Member = dyn_cast<MemberExpr>(E)) {
    if (Member->isArrow() || !isa<FieldDecl>(Member->getMemberDecl()))
      return nullptr;
    E = Member->getBase()->IgnoreParens();
    // The object of a member of a const one, or of a base.
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Cast->getCastKind() == CK_NoOp)
      E = Cast->getSubExpr()->IgnoreParens();
  }
  return dyn_cast<DeclRefExpr>(E);
}

class ModificationFinder : public RecursiveASTVisitor<ModificationFinder> {
  const SourceIndex &Index;
  llvm::DenseSet<const DeclRefExpr *> Reads;

  void read(const Expr *E) {
    if (const DeclRefExpr *Ref = variableIn(E))
      Reads.insert(Ref);
  }

public:
  llvm::DenseSet<const VarDecl *> Modified;
  explicit ModificationFinder(const SourceIndex &Index) : Index(Index) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    if (D && !isa<TranslationUnitDecl>(D) && !D->getParentFunctionOrMethod() && Index.isForeign(D->getLocation()))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }

  // A parent is visited before its children, so a use is known as a read when it is reached.
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue)
      read(E->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    if (E->getConstructor()->isCopyConstructor() && E->getConstructor()->isTrivial() && E->getNumArgs() == 1) {
      const Expr *Arg = E->getArg(0)->IgnoreParens();
      if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Arg); Cast && Cast->getCastKind() == CK_NoOp)
        Arg = Cast->getSubExpr();
      read(Arg);
    }
    return true;
  }
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
    if (!E->isArgumentType())
      read(E->getArgumentExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    // std::min, std::max and streams take const references and do not keep them.
    const FunctionDecl *F = E->getDirectCallee();
    if (!F || !Index.isForeign(F->getLocation()))
      return true;
    for (const Expr *Arg : E->arguments())
      if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Arg->IgnoreParens());
          Cast && Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified() && Cast->isLValue())
        read(Cast->getSubExpr());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *V = dyn_cast<VarDecl>(E->getDecl()); V && !Reads.count(E))
      Modified.insert(V->getCanonicalDecl());
    return true;
  }
};

bool isDim3(QualType T) {
  const auto *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  if (!R)
    return false;
  if (R->getDeclName().isIdentifier() && R->getName() == "dim3")
    return true;
  const TypedefNameDecl *Alias = R->getTypedefNameForAnonDecl();
  return Alias && Alias->getName() == "dim3";
}

/// Takes off what does not change a value: parentheses, temporaries, copies, casts of dim3 to itself.
const Expr *stripDim3(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *C = dyn_cast<FullExpr>(E))
      E = C->getSubExpr();
    else if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
      E = M->getSubExpr();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
      E = B->getSubExpr();
    else if (const auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = S->getReplacement();
    else if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E); D && !D->getParam()->hasUninstantiatedDefaultArg())
      E = D->getExpr();
    else if (const auto *Cast = dyn_cast<CastExpr>(E);
             Cast && (Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_ConstructorConversion))
      E = Cast->getSubExpr();
    else if (const auto *C = dyn_cast<CXXConstructExpr>(E);
             C && C->getNumArgs() == 1 && C->getConstructor()->isCopyOrMoveConstructor())
      E = C->getArg(0);
    else
      return E;
  }
}

LaunchDim constant(uint64_t Value, std::string Text) {
  LaunchDim D;
  D.Kind = LaunchDim::Constant;
  D.Value = Value;
  D.Text = std::move(Text);
  return D;
}

LaunchDim symbolic(std::string Text) {
  LaunchDim D;
  D.Kind = LaunchDim::Symbolic;
  D.Text = std::move(Text);
  return D;
}

} // namespace

llvm::DenseSet<const VarDecl *> collectModified(const SourceIndex &Index) {
  ModificationFinder Finder(Index);
  Finder.TraverseDecl(Index.Context.getTranslationUnitDecl());
  return std::move(Finder.Modified);
}

/// The initializer of the variable that \p E names, when the variable has that value for good.
const Expr *LaunchDims::fixedInit(const Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || isa<ParmVarDecl>(V) || V->getType()->isReferenceType() || V->getType().isVolatileQualified())
    return nullptr;
  const VarDecl *Def = nullptr;
  const Expr *Init = V->getAnyInitializer(Def);
  if (!Init || Init->isValueDependent() || Init->containsErrors())
    return nullptr;
  // Each launch of a local static or a loop's variable still sees one value, unless it changes.
  if (Modified.count(V->getCanonicalDecl()))
    return nullptr;
  // Other files may change what they can name.
  if (!V->isLocalVarDecl() && V->isExternallyVisible() && !V->getType().isConstQualified())
    return nullptr;
  return Init;
}

std::optional<llvm::APSInt> LaunchDims::evaluate(const Expr *E, unsigned Depth) const {
  if (Depth > MaxDepth || E->isValueDependent() || E->isTypeDependent() || E->containsErrors())
    return std::nullopt;
  QualType T = E->getType();
  if (!T->isIntegralOrEnumerationType())
    return std::nullopt;
  Expr::EvalResult Result;
  if (E->EvaluateAsInt(Result, Index.Context, Expr::SE_NoSideEffects) && Result.Val.isInt())
    return Result.Val.getInt();

  E = E->IgnoreParens();
  unsigned Width = Index.Context.getIntWidth(T);
  bool Unsigned = T->isUnsignedIntegerOrEnumerationType();
  auto Convert = [&](llvm::APSInt Value) {
    Value = Value.extOrTrunc(Width);
    Value.setIsUnsigned(Unsigned);
    return Value;
  };
  if (const auto *Full = dyn_cast<FullExpr>(E))
    return evaluate(Full->getSubExpr(), Depth + 1);
  if (const auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return evaluate(S->getReplacement(), Depth + 1);
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
    case CK_NoOp:
      return evaluate(Cast->getSubExpr(), Depth + 1);
    case CK_IntegralCast: {
      std::optional<llvm::APSInt> Value = evaluate(Cast->getSubExpr(), Depth + 1);
      return Value ? std::optional(Convert(*Value)) : std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }
  if (isa<DeclRefExpr>(E)) {
    const Expr *Init = fixedInit(E);
    if (const auto *List = dyn_cast_or_null<InitListExpr>(Init); List && List->getNumInits() == 1)
      Init = List->getInit(0);
    return Init ? evaluate(Init, Depth + 1) : std::nullopt;
  }
  if (const auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow() && isDim3(Member->getBase()->getType())) {
    llvm::StringRef Field = Member->getMemberDecl()->getName();
    if (Field != "x" && Field != "y" && Field != "z")
      return std::nullopt;
    LaunchDim D = readDim3(Member->getBase(), Depth + 1)[Field[0] - 'x'];
    if (D.Kind != LaunchDim::Constant)
      return std::nullopt;
    return llvm::APSInt(llvm::APInt(Width, D.Value), Unsigned);
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(E)) {
    std::optional<llvm::APSInt> A = evaluate(Op->getLHS(), Depth + 1), B = evaluate(Op->getRHS(), Depth + 1);
    if (!A || !B || A->getBitWidth() != Width || A->isUnsigned() != Unsigned)
      return std::nullopt;
    bool IsShift = Op->isShiftOp();
    if (!IsShift && (B->getBitWidth() != Width || B->isUnsigned() != Unsigned))
      return std::nullopt;
    bool Overflow = false;
    llvm::APInt Value;
    switch (Op->getOpcode()) {
    case BO_Add:
      Value = Unsigned ? A->uadd_ov(*B, Overflow) : A->sadd_ov(*B, Overflow);
      break;
    case BO_Sub:
      Value = Unsigned ? A->usub_ov(*B, Overflow) : A->ssub_ov(*B, Overflow);
      break;
    case BO_Mul:
      Value = Unsigned ? A->umul_ov(*B, Overflow) : A->smul_ov(*B, Overflow);
      break;
    case BO_Div:
      if (B->isZero() || A->isNegative() || B->isNegative())
        return std::nullopt;
      Value = A->udiv(*B);
      break;
    case BO_Rem:
      if (B->isZero() || A->isNegative() || B->isNegative())
        return std::nullopt;
      Value = A->urem(*B);
      break;
    case BO_Shr:
      if (A->isNegative() || B->isNegative() || B->uge(Width))
        return std::nullopt;
      Value = A->lshr(unsigned(B->getZExtValue()));
      break;
    case BO_Shl:
      if (A->isNegative() || B->isNegative() || B->uge(Width) || A->countl_zero() <= B->getZExtValue())
        return std::nullopt;
      Value = A->shl(unsigned(B->getZExtValue()));
      break;
    default:
      return std::nullopt;
    }
    // What wraps is not what the author meant.
    if (Overflow)
      return std::nullopt;
    return llvm::APSInt(Value, Unsigned);
  }
  return std::nullopt;
}

std::optional<int64_t> LaunchDims::value(const Expr *E) const {
  std::optional<llvm::APSInt> Value = evaluate(E, 0);
  return Value && Value->getSignificantBits() <= 64 ? std::optional(Value->getExtValue()) : std::nullopt;
}

LaunchDim LaunchDims::readOne(const Expr *E, unsigned Depth) const {
  std::string Text = Index.textOf(E->IgnoreParenImpCasts());
  std::optional<llvm::APSInt> Value = evaluate(E, Depth);
  if (!Value || Value->isNegative() || Value->getActiveBits() > 32)
    return symbolic(std::move(Text));
  return constant(Value->getZExtValue(), std::move(Text));
}

std::array<LaunchDim, 3> LaunchDims::readDim3(const Expr *E, unsigned Depth) const {
  E = stripDim3(E);
  std::array<LaunchDim, 3> Dims;
  if (Depth <= MaxDepth && !E->isTypeDependent() && !E->containsErrors()) {
    if (E->getType()->isIntegralOrEnumerationType())
      return {readOne(E, Depth), constant(1, "1"), constant(1, "1")};
    if (isDim3(E->getType())) {
      const auto *C = dyn_cast<CXXConstructExpr>(E);
      // Not a conversion from another vector type.
      if (C && C->getNumArgs() <= 3 &&
          llvm::all_of(C->arguments(), [](const Expr *A) { return A->getType()->isIntegralOrEnumerationType(); })) {
        Dims.fill(constant(1, "1"));
        for (unsigned I = 0; I != C->getNumArgs(); ++I)
          if (!C->getArg(I)->isDefaultArgument())
            Dims[I] = readOne(C->getArg(I), Depth + 1);
        return Dims;
      }
      if (const Expr *Init = fixedInit(E))
        return readDim3(Init, Depth + 1);
    }
  }
  // A parenthesized expression is itself; a variable's parts have names.
  std::string Text = Index.textOf(E);
  bool Simple = isa<DeclRefExpr, MemberExpr>(E);
  for (unsigned I = 0; I != 3; ++I)
    Dims[I] = symbolic((Simple ? Text : "(" + Text + ")") + "." + "xyz"[I]);
  return Dims;
}

std::array<LaunchDim, 3> LaunchDims::read(const Expr *E) const { return readDim3(E, 0); }

} // namespace hk::frontend
