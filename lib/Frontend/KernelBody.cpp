//===- KernelBody.cpp - The text of a kernel as a tree --------------------===//
#include "hk/Frontend/KernelBody.h"

#include "Collect.h"
#include "Contraction.h"
#include "SourceIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace hk::frontend {
namespace {

/// The name of the file whose text declares \p F: HIP makes some of its functions by macros.
llvm::StringRef headerOf(const FunctionDecl *F, const SourceManager &SM) {
  return llvm::sys::path::filename(SM.getFilename(SM.getExpansionLoc(F->getLocation())));
}

/// Whether calls of functions have effects other than their value. What the headers of HIP declare with a body goes by
/// the header: those for arithmetic hold nothing else.
class Purity {
public:
  explicit Purity(const SourceIndex &Index) : Index(Index) {}

  bool isPure(const FunctionDecl *F, unsigned Depth = 0) {
    F = F->getCanonicalDecl();
    auto [It, New] = Known.try_emplace(F, false); // a recursive function is none
    if (!New)
      return It->second;
    bool Result = decide(F, Depth);
    return Known[F] = Result;
  }

private:
  const SourceIndex &Index;
  llvm::DenseMap<const FunctionDecl *, bool> Known;

  static bool isPlain(QualType T) {
    T = T.getNonReferenceType();
    if (T.isVolatileQualified())
      return false;
    if (const auto *R = T->getAsCXXRecordDecl()) {
      for (const FieldDecl *Field : R->fields())
        if (!isPlain(Field->getType()))
          return false;
      return true;
    }
    if (const ArrayType *A = T->getAsArrayTypeUnsafe())
      return isPlain(A->getElementType());
    return T->isArithmeticType() || T->isVectorType() || T->isEnumeralType();
  }

  bool decide(const FunctionDecl *F, unsigned Depth) {
    if (Depth > 8 || F->isVariadic())
      return false;
    const auto *Method = dyn_cast<CXXMethodDecl>(F);
    if (Method && (Method->isVirtual() || !isPlain(Index.Context.getCanonicalTagType(Method->getParent()))))
      return false;
    if (Method && !isa<CXXConstructorDecl>(F) && !Method->isConst() && !Method->isStatic())
      return false; // changes its object
    for (const ParmVarDecl *P : F->parameters()) {
      QualType T = P->getType();
      if (!isPlain(T) || (T->isReferenceType() && !T.getNonReferenceType().isConstQualified() && !T->isRValueReferenceType()))
        return false;
    }
    const bool Constructs = isa<CXXConstructorDecl>(F);
    if (!Constructs && (F->getReturnType()->isVoidType() || !isPlain(F->getReturnType())))
      return false;
    llvm::StringRef Own = F->getDeclName().isIdentifier() ? F->getName() : "";
    // Where a work-item stands is no value of its arguments, though it never changes: const functions, too.
    if (Own.contains("amdgcn"))
      return llvm::StringSwitch<bool>(Own.rsplit("amdgcn_").second)
          .Cases({"rcp", "rcpf", "rsq", "rsqf", "sqrt", "sqrtf", "exp2f", "logf", "log_clampf", "sinf", "cosf", "fract", "fractf",
                  "ldexp", "ldexpf", "fmed3f", "fmed3h", "perm", "alignbit", "alignbyte", "ubfe", "sbfe", "sad_u8", "msad_u8"},
                 true)
          .Default(false);
    if (Own.contains("ockl") || Own.contains("lane") || Own.contains("workitem") || Own.contains("workgroup"))
      return false;
    if (F->isTrivial() || (F->hasAttr<ConstAttr>() && F->getNumParams() > 0))
      return true;
    SourceLocation Loc = F->getLocation();
    if (Index.isForeign(Loc)) {
      llvm::StringRef Header = headerOf(F, Index.SM);
      if (unsigned Builtin = F->getBuiltinID())
        return Index.Context.BuiltinInfo.isConst(Builtin) || Index.Context.BuiltinInfo.isConstWithoutErrnoAndExceptions(Builtin);
      llvm::StringRef Name = F->getDeclName().isIdentifier() ? F->getName() : "";
      if (Header == "amd_device_functions.h") // holds clocks, barriers and lane numbers, too
        return Name.contains("_as_") || Name.contains("2int") || Name.contains("2uint") || Name.contains("2float") ||
               Name.contains("2double") || Name.contains("2ll") || Name.contains("2ull") || Name.starts_with("__clz") ||
               Name.starts_with("__popc") || Name.starts_with("__ffs") || Name.starts_with("__brev") ||
               Name.starts_with("__mul") || Name.starts_with("__umul") || Name.starts_with("__hadd") ||
               Name.starts_with("__rhadd") || Name.starts_with("__uhadd") || Name.starts_with("__urhadd") ||
               Name.starts_with("__sad") || Name.starts_with("__usad") || Name == "__byte_perm" || Name == "__funnelshift_l" ||
               Name == "__funnelshift_r";
      return llvm::StringSwitch<bool>(Header)
          .Cases({"__clang_hip_math.h", "__clang_hip_cmath.h", "__clang_cuda_math_forward_declares.h",
                  "__clang_cuda_complex_builtins.h", "amd_hip_fp16.h", "amd_hip_bf16.h", "amd_hip_bfloat16.h",
                  "amd_hip_fp8.h", "amd_hip_vector_types.h", "amd_math_functions.h", "amd_hip_complex.h", "hip_fp16_math_fwd.h"},
                 true)
          .Cases({"cmath", "math.h", "mathcalls.h", "std_abs.h", "stl_algobase.h", "algorithm"}, true)
          .Default(false);
    }
    const FunctionDecl *Def = nullptr;
    const Stmt *Body = F->getBody(Def);
    return Body && isPureText(Body, Depth);
  }

  /// Touches nothing but its own variables, and calls what is pure.
  bool isPureText(const Stmt *S, unsigned Depth) {
    if (!S)
      return true;
    if (isa<GCCAsmStmt, MSAsmStmt, CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, LambdaExpr, UnresolvedLookupExpr, CXXDependentScopeMemberExpr,
            AtomicExpr, CXXTryStmt>(S))
      return false;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        if (!V->hasLocalStorage() && !V->isConstexpr() &&
            (!V->getType().isConstQualified() || V->hasExternalStorage())) // threadIdx is const and extern
          return false;
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each); V && (V->isStaticLocal() || V->getType()->isPointerType() ||
                                                         V->getType().isVolatileQualified()))
          return false;
    if (const auto *Call = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (!Callee || !isPure(Callee, Depth + 1))
        return false;
    }
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
      if (!isPure(Construct->getConstructor(), Depth + 1))
        return false;
    for (const Stmt *Child : S->children())
      if (!isPureText(Child, Depth))
        return false;
    return true;
  }
};

class BodyReader {
  const SourceIndex &Index;
  const SourceManager &SM;
  const ASTContext &Context;
  Purity &Pure;
  FileID File;
  KernelBody &Out;
  std::map<const VarDecl *, unsigned> Numbers;
  PrintingPolicy Policy;

public:
  BodyReader(const SourceIndex &Index, Purity &Pure, FileID File, KernelBody &Out)
      : Index(Index), SM(Index.SM), Context(Index.Context), Pure(Pure), File(File), Out(Out),
        Policy(Index.Context.getPrintingPolicy()) {
    Policy.SuppressTagKeyword = true;
  }

  ValueType typeOf(QualType T) const {
    ValueType V;
    T = T.getNonReferenceType();
    V.IsVolatile = T.isVolatileQualified();
    V.IsConst = T.isConstQualified();
    V.Text = T.getUnqualifiedType().getAsString(Policy);
    if (T->isDependentType() || T->isIncompleteType() || T->isFunctionType() || T->isPlaceholderType())
      return V;
    V.Bytes = unsigned(Context.getTypeSizeInChars(T).getQuantity());
    if (T->isBooleanType())
      V.Kind = ValueType::Bool;
    else if (T->isIntegralOrEnumerationType())
      V.Kind = T->isSignedIntegerOrEnumerationType() ? ValueType::Signed : ValueType::Unsigned;
    else if (T->isFloatingType())
      V.Kind = ValueType::Float;
    else if (T->isPointerType())
      V.Kind = ValueType::Pointer;
    else if (const ConstantArrayType *A = Context.getAsConstantArrayType(T)) {
      V.Kind = ValueType::Array;
      V.Elements = A->getSize().getZExtValue();
    } else if (T->isArrayType())
      V.Kind = ValueType::Array;
    else if (T->isRecordType()) {
      V.Kind = ValueType::Struct;
      const auto *R = T->getAsCXXRecordDecl();
      V.IsPlain = R && R->hasDefinition() && T.isTriviallyCopyableType(Context) && R->hasTrivialDefaultConstructor();
    }
    return V;
  }

  unsigned variable(const VarDecl *V) {
    auto [It, New] = Numbers.try_emplace(V, unsigned(Out.Variables.size()));
    if (!New)
      return It->second;
    BodyVariable B;
    B.Name = V->getNameAsString();
    QualType T = V->getType();
    B.Type = typeOf(T);
    QualType Value = T.getNonReferenceType();
    if (Value->isPointerType() || Value->isArrayType())
      B.Pointee = typeOf(Value->isPointerType() ? Value->getPointeeType()
                                                : QualType(Context.getAsArrayType(Value)->getElementType()));
    B.IsRestrict = T.isRestrictQualified();
    B.IsShared = V->hasAttr<CUDASharedAttr>();
    B.Type.IsConst |= V->hasAttr<CUDAConstantAttr>(); // by the device
    B.IsReference = T->isReferenceType();
    if (const auto *P = dyn_cast<ParmVarDecl>(V))
      B.Parameter = int(P->getFunctionScopeIndex());
    B.IsLocal = V->hasLocalStorage() && !B.IsShared;
    Out.Variables.push_back(std::move(B));
    return It->second;
  }

  std::unique_ptr<BodyNode> statement(const Stmt *S) {
    auto N = std::make_unique<BodyNode>();
    place(*N, S->getSourceRange());
    if (const auto *A = dyn_cast<AttributedStmt>(S)) {
      // #pragma unroll and the like: hints.
      auto Inner = statement(A->getSubStmt());
      return Inner;
    }
    if (const auto *B = dyn_cast<CompoundStmt>(S)) {
      N->Kind = NodeKind::Block;
      for (const Stmt *Child : B->body())
        N->Children.push_back(statement(Child));
    } else if (const auto *D = dyn_cast<DeclStmt>(S)) {
      N->Kind = NodeKind::Declares;
      bool Known = true;
      for (const Decl *Each : D->decls()) {
        const auto *V = dyn_cast<VarDecl>(Each);
        if (!V) {
          // Types and using declarations do nothing.
          Known &= isa<TypeDecl, UsingDecl, UsingDirectiveDecl, StaticAssertDecl, EmptyDecl>(Each);
          continue;
        }
        auto One = std::make_unique<BodyNode>();
        place(*One, {V->getLocation(), V->getEndLoc()}); // __shared__ before it is a macro
        One->Kind = V->isStaticLocal() && !V->hasAttr<CUDASharedAttr>() && !V->isConstexpr() ? NodeKind::OtherStatement : NodeKind::Declare;
        One->Variable = variable(V);
        if (const Expr *Init = V->getInit(); Init && !isDefaultConstruction(Init))
          One->Children.push_back(expression(Init));
        N->Children.push_back(std::move(One));
      }
      if (!Known)
        N->Kind = NodeKind::OtherStatement;
    } else if (const auto *I = dyn_cast<IfStmt>(S)) {
      N->Kind = I->getInit() || I->getConditionVariable() ? NodeKind::OtherStatement : NodeKind::If;
      add(*N, I->getCond());
      add(*N, I->getThen());
      add(*N, I->getElse());
    } else if (const auto *F = dyn_cast<ForStmt>(S)) {
      N->Kind = F->getConditionVariable() ? NodeKind::OtherStatement : NodeKind::For;
      add(*N, F->getInit());
      add(*N, F->getCond());
      add(*N, F->getInc());
      add(*N, F->getBody());
    } else if (const auto *W = dyn_cast<WhileStmt>(S)) {
      N->Kind = W->getConditionVariable() ? NodeKind::OtherStatement : NodeKind::While;
      add(*N, W->getCond());
      add(*N, W->getBody());
    } else if (const auto *Do = dyn_cast<DoStmt>(S)) {
      N->Kind = NodeKind::Do;
      add(*N, Do->getBody());
      add(*N, Do->getCond());
    } else if (const auto *R = dyn_cast<ReturnStmt>(S)) {
      N->Kind = NodeKind::Return;
      if (R->getRetValue())
        add(*N, R->getRetValue());
    } else if (isa<BreakStmt>(S)) {
      N->Kind = NodeKind::Break;
    } else if (isa<ContinueStmt>(S)) {
      N->Kind = NodeKind::Continue;
    } else if (isa<NullStmt>(S)) {
      N->Kind = NodeKind::Empty;
    } else if (const auto *E = dyn_cast<Expr>(S)) {
      N->Kind = NodeKind::Evaluate;
      N->Children.push_back(expression(E));
    } else {
      for (const Stmt *Child : S->children())
        if (Child)
          add(*N, Child);
    }
    withSemicolon(*N);
    return N;
  }

private:
  void place(BodyNode &N, SourceRange Range) const {
    Written W = Index.written(Range);
    if (W.Where == Spelling::File && SM.getFileID(Range.getBegin()) == File) {
      N.Begin = W.Span.Offset;
      N.End = W.Span.Offset + W.Span.Length;
      N.Spelled = true;
    }
    N.Place = Index.place(Range.getBegin());
  }

  /// The bytes of a statement go to its semicolon.
  void withSemicolon(BodyNode &N) const {
    switch (N.Kind) {
    case NodeKind::Evaluate:
    case NodeKind::Return:
    case NodeKind::Break:
    case NodeKind::Continue:
    case NodeKind::Do:
      break;
    case NodeKind::If:
    case NodeKind::For:
    case NodeKind::While: {
      // The end of an unbraced body is its statement's.
      for (const auto &Child : N.Children)
        if (Child && N.Spelled && Child->Spelled)
          N.End = std::max(N.End, Child->End);
      return;
    }
    default:
      return;
    }
    if (!N.Spelled)
      return;
    size_t At = N.End;
    while (At < Out.Text.size() && isWhitespace(Out.Text[At]))
      ++At;
    if (At < Out.Text.size() && Out.Text[At] == ';')
      N.End = unsigned(At + 1);
    else
      N.Spelled = false; // a comment, or a macro: leave it alone
  }

  static bool isDefaultConstruction(const Expr *E) {
    const auto *C = dyn_cast<CXXConstructExpr>(E->IgnoreImplicit());
    return C && C->getNumArgs() == 0 && C->getConstructor()->isTrivial();
  }

  void add(BodyNode &N, const Stmt *S) {
    if (!S)
      N.Children.push_back(nullptr);
    else if (const auto *E = dyn_cast<Expr>(S); E && N.Kind != NodeKind::Block && !isBodyOf(N))
      N.Children.push_back(expression(E));
    else
      N.Children.push_back(statement(S));
  }
  /// Whether the next child of \p N is a statement even if it is an expression.
  static bool isBodyOf(const BodyNode &N) {
    const size_t At = N.Children.size();
    return (N.Kind == NodeKind::If && At > 0) || (N.Kind == NodeKind::For && At == 3) ||
           (N.Kind == NodeKind::While && At == 1) || (N.Kind == NodeKind::Do && At == 0);
  }

  std::unique_ptr<BodyNode> expression(const Expr *E) {
    if (const auto *P = dyn_cast<ParenExpr>(E)) {
      // With its parentheses: what replaces it stands where they stood.
      auto N = expression(P->getSubExpr());
      return N;
    }
    if (const auto *F = dyn_cast<FullExpr>(E))
      return expression(F->getSubExpr());
    if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
      return expression(M->getSubExpr());
    if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
      return expression(B->getSubExpr());
    if (const auto *Subst = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      return expression(Subst->getReplacement());
    if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
      return expression(D->getExpr());

    auto N = std::make_unique<BodyNode>();
    place(*N, E->getSourceRange());
    N->Type = typeOf(E->getType());
    N->Kind = NodeKind::OtherExpression;

    Expr::EvalResult Value;
    if (!E->isValueDependent() && E->getType()->isIntegralOrEnumerationType() && !E->isGLValue() &&
        E->EvaluateAsInt(Value, Context) && Value.Val.getInt().isRepresentableByInt64()) {
      N->Kind = NodeKind::Integer;
      N->Number = Value.Val.getInt().getExtValue();
      return N;
    }
    if (const auto *P = dyn_cast<PseudoObjectExpr>(E)) {
      if (const auto *Property = dyn_cast<MSPropertyRefExpr>(P->getSyntacticForm()->IgnoreParens())) {
        const Expr *Base = Property->getBaseExpr();
        if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(Base))
          Base = Opaque->getSourceExpr();
        const auto *Ref = dyn_cast<DeclRefExpr>(Base->IgnoreParenImpCasts());
        llvm::StringRef Name = Ref ? Ref->getDecl()->getName() : "";
        llvm::StringRef Which = Property->getPropertyDecl()->getName();
        if ((Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" || Name == "gridDim") &&
            Which.size() == 1 && Which[0] >= 'x' && Which[0] <= 'z') {
          N->Kind = NodeKind::Builtin;
          N->Text = Name.str();
          N->Number = Which[0] - 'x';
          builtinMacro(*N, E->getSourceRange());
        }
      }
      return N;
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl())) {
        N->Kind = NodeKind::Reference;
        N->Variable = variable(V);
      }
      return N;
    }
    if (isa<FloatingLiteral, IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr>(E)) {
      N->Kind = NodeKind::Constant;
      return N;
    }
    if (const auto *C = dyn_cast<CastExpr>(E))
      return cast(C, std::move(N));
    if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      N->Text = UnaryOperator::getOpcodeStr(U->getOpcode()).str();
      switch (U->getOpcode()) {
      case UO_Deref:
        N->Kind = NodeKind::Dereference;
        break;
      case UO_Plus:
      case UO_Minus:
      case UO_Not:
      case UO_LNot:
      case UO_PreInc:
      case UO_PreDec:
      case UO_PostInc:
      case UO_PostDec:
        N->Kind = NodeKind::Unary;
        break;
      default:
        break; // & among them
      }
      N->Children.push_back(expression(U->getSubExpr()));
      return N;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(E)) {
      N->Text = B->getOpcodeStr().str();
      N->Kind = B->isAssignmentOp() ? NodeKind::Assign : B->isPtrMemOp() ? NodeKind::OtherExpression : NodeKind::Binary;
      N->Children.push_back(expression(B->getLHS()));
      N->Children.push_back(expression(B->getRHS()));
      return N;
    }
    if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
      N->Kind = NodeKind::Conditional;
      N->Children.push_back(expression(C->getCond()));
      N->Children.push_back(expression(C->getTrueExpr()));
      N->Children.push_back(expression(C->getFalseExpr()));
      return N;
    }
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      N->Kind = NodeKind::Subscript;
      N->Children.push_back(expression(A->getBase()));
      N->Children.push_back(expression(A->getIdx()));
      return N;
    }
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      if (!isa<FieldDecl>(M->getMemberDecl())) {
        N->Children.push_back(expression(M->getBase()));
        return N;
      }
      // What has no name, as the union in HIP's float4, is the object itself.
      if (cast<FieldDecl>(M->getMemberDecl())->isAnonymousStructOrUnion()) {
        std::unique_ptr<BodyNode> Base = expression(objectOf(M));
        return M->isArrow() ? dereference(std::move(Base), M) : std::move(Base);
      }
      N->Kind = NodeKind::Member;
      N->Text = M->getMemberDecl()->getNameAsString();
      N->Place = Index.place(M->getMemberLoc());
      std::unique_ptr<BodyNode> Base = expression(objectOf(M));
      if (M->isArrow())
        Base = dereference(std::move(Base), M);
      N->Children.push_back(std::move(Base));
      return N;
    }
    if (const auto *Init = dyn_cast<InitListExpr>(E)) {
      N->Kind = NodeKind::List;
      for (const Expr *Each : Init->inits())
        N->Children.push_back(expression(Each));
      return N;
    }
    if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(E)) {
      N->Kind = NodeKind::Constant;
      return N;
    }
    if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
      // A copy is its operand.
      if (C->getNumArgs() == 1 && C->getConstructor()->isCopyOrMoveConstructor() && C->getConstructor()->isTrivial())
        return expression(C->getArg(0));
      N->Kind = NodeKind::Call;
      N->Text = C->getConstructor()->getParent()->getNameAsString();
      N->Pure = Pure.isPure(C->getConstructor());
      for (const Expr *A : C->arguments())
        N->Children.push_back(expression(A));
      return N;
    }
    if (const auto *C = dyn_cast<CallExpr>(E)) {
      N->Kind = NodeKind::Call;
      const FunctionDecl *F = C->getDirectCallee();
      N->Text = F ? F->getNameAsString() : "";
      N->Pure = F && Pure.isPure(F);
      if (const auto *M = dyn_cast<CXXMemberCallExpr>(C))
        N->Children.push_back(expression(M->getImplicitObjectArgument()));
      if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(C); Operator && Operator->isAssignmentOp() && !N->Pure && F) {
        // x = y of a struct that copies bytes.
        const auto *Method = dyn_cast<CXXMethodDecl>(F);
        if (Method && Method->isTrivial() && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator())) {
          N->Kind = NodeKind::Assign;
          N->Text = "=";
        } else if (Method && Operator->getNumArgs() == 2 && Index.isForeign(F->getLocation()) &&
                   headerOf(F, Index.SM) == "amd_hip_vector_types.h") {
          N->Kind = NodeKind::Assign; // v += w of HIP's vectors
          N->Text = getOperatorSpelling(Operator->getOperator());
        }
      }
      for (const Expr *A : C->arguments())
        N->Children.push_back(expression(A));
      return N;
    }
    for (const Stmt *Child : E->children())
      if (const auto *Inner = dyn_cast_or_null<Expr>(Child))
        N->Children.push_back(expression(Inner));
    return N;
  }

  /// The object, or the pointer to it, of which \p M may be a member of a base.
  static const Expr *objectOf(const MemberExpr *M) {
    const Expr *Object = M->getBase();
    for (;;) {
      const auto *Cast = dyn_cast<ImplicitCastExpr>(Object);
      if (!Cast || (Cast->getCastKind() != CK_DerivedToBase && Cast->getCastKind() != CK_UncheckedDerivedToBase))
        return Object;
      Object = Cast->getSubExpr();
    }
  }

  /// What the pointer \p Base in front of an arrow points to.
  std::unique_ptr<BodyNode> dereference(std::unique_ptr<BodyNode> Base, const MemberExpr *M) {
    auto Deref = std::make_unique<BodyNode>();
    Deref->Kind = NodeKind::Dereference;
    Deref->Begin = Base->Begin, Deref->End = Base->End;
    Deref->Place = Index.place(M->getMemberLoc());
    Deref->Type = typeOf(objectOf(M)->getType()->getPointeeType());
    Deref->Children.push_back(std::move(Base));
    return Deref;
  }

  std::unique_ptr<BodyNode> cast(const CastExpr *C, std::unique_ptr<BodyNode> N) {
    switch (C->getCastKind()) {
    case CK_LValueToRValue:
    case CK_NoOp:
    case CK_ArrayToPointerDecay:
    case CK_FunctionToPointerDecay:
    case CK_LValueBitCast:
      if (C->getCastKind() == CK_LValueBitCast)
        break;
      if (isa<ImplicitCastExpr>(C) || C->getCastKind() == CK_NoOp) {
        auto Inner = expression(C->getSubExpr());
        if (!isa<ImplicitCastExpr>(C) && Inner->Spelled && N->Spelled)
          Inner->Begin = N->Begin, Inner->End = N->End;
        return Inner;
      }
      break;
    case CK_ConstructorConversion:
    case CK_UserDefinedConversion:
      if (auto Inner = expression(C->getSubExpr()))
        return Inner;
      break;
    case CK_IntegralCast:
    case CK_IntegralToBoolean:
    case CK_IntegralToFloating:
    case CK_FloatingToIntegral:
    case CK_FloatingToBoolean:
    case CK_FloatingCast:
    case CK_BooleanToSignedIntegral:
    case CK_BitCast:
      N->Kind = NodeKind::Cast;
      N->IsImplicit = isa<ImplicitCastExpr>(C);
      N->Children.push_back(expression(C->getSubExpr()));
      if (C->getCastKind() == CK_BitCast && (N->Type.Kind != ValueType::Pointer || !N->Children[0] ||
                                             N->Children[0]->Type.Kind != ValueType::Pointer))
        N->Kind = NodeKind::OtherExpression;
      return N;
    case CK_ToVoid:
      return expression(C->getSubExpr());
    default:
      break;
    }
    N->Children.push_back(expression(C->getSubExpr()));
    return N;
  }

  /// hipThreadIdx_x and the like: the whole macro is the builtin.
  void builtinMacro(BodyNode &N, SourceRange Range) const {
    if (N.Spelled || !Range.getBegin().isMacroID())
      return;
    CharSourceRange Expansion = SM.getImmediateExpansionRange(Range.getBegin());
    SourceLocation Begin = Expansion.getBegin();
    SourceLocation First, Last;
    if (SM.isMacroBodyExpansion(Range.getBegin()) && Begin.isFileID() && SM.getFileID(Begin) == File &&
        Lexer::isAtStartOfMacroExpansion(Range.getBegin(), SM, Index.LangOpts, &First) &&
        Lexer::isAtEndOfMacroExpansion(Range.getEnd(), SM, Index.LangOpts, &Last)) {
      N.Begin = SM.getFileOffset(Begin);
      N.End = N.Begin + Lexer::MeasureTokenLength(Begin, SM, Index.LangOpts);
      N.Spelled = true;
    }
  }
};

} // namespace

std::shared_ptr<const KernelBody> readBody(const FunctionDecl *F, const SourceIndex &Index) {
  auto Out = std::make_shared<KernelBody>();
  const FunctionDecl *Pattern = F;
  if (const FunctionDecl *P = F->getTemplateInstantiationPattern()) {
    const FunctionDecl *Def = nullptr;
    Pattern = P->getBody(Def) && Def ? Def : P;
  }
  const SourceManager &SM = Index.SM;
  const Stmt *Body = F->getBody();
  SourceRange Braces = bodyRange(Pattern);
  FunctionTypeLoc Type = Pattern->getFunctionTypeLoc();
  Out->Name = F->getNameAsString();
  if (Braces.isInvalid() || !Type || !Body || Type.getLParenLoc().isMacroID() || Type.getRParenLoc().isMacroID() ||
      Pattern->getLocation().isMacroID()) {
    Out->NotCopyable = "a macro makes part of it";
    return Out;
  }
  FileID File = SM.getFileID(Braces.getBegin());
  Out->File = Index.path(File);
  bool Invalid = false;
  Out->Text = SM.getBufferData(File, &Invalid).str();
  if (isa<CXXMethodDecl>(F))
    Out->NotCopyable = "it is a member of a class";
  else if (F->isTemplateInstantiation() &&
           F->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    Out->NotCopyable = "it is a specialization";
  else if (SM.getFileID(Pattern->getLocation()) != File || SM.getFileID(Type.getLParenLoc()) != File || Out->File.empty())
    Out->NotCopyable = "a macro makes part of it";
  for (const DeclContext *C = Pattern->getLexicalDeclContext(); C; C = C->getLexicalParent())
    if (isa<LinkageSpecDecl>(C))
      Out->NotCopyable = "it has the linkage of C";
  for (const ParmVarDecl *P : Pattern->parameters()) {
    if (P->hasDefaultArg())
      Out->NotCopyable = "it has default arguments";
    SourceLocation At = P->getLocation();
    Out->ParamNames.push_back(P->getIdentifier() && At.isFileID() && SM.getFileID(At) == File ? SM.getFileOffset(At) : 0);
  }
  SourceLocation First = Pattern->getOuterLocStart();
  if (const FunctionTemplateDecl *T = Pattern->getDescribedFunctionTemplate()) {
    const TemplateParameterList *List = T->getTemplateParameters();
    First = List->getTemplateLoc();
    SourceLocation Less = List->getLAngleLoc(), Greater = List->getRAngleLoc();
    if (Less.isFileID() && Greater.isFileID() && SM.getFileID(Less) == File && SM.getFileID(Greater) == File)
      Out->TemplateParams =
          Out->Text.substr(SM.getFileOffset(Less) + 1, SM.getFileOffset(Greater) - SM.getFileOffset(Less) - 1);
    else
      Out->NotCopyable = "a macro makes part of it";
    if (List->hasParameterPack() || List->getRequiresClause())
      Out->NotCopyable = "it has a parameter pack or constraints";
  } else if (F->isTemplateInstantiation()) {
    Out->NotCopyable = "it is inside a template";
  }
  Out->Begin = SM.getFileOffset(SM.getFileLoc(First));
  Out->End = SM.getFileOffset(Braces.getEnd()) + 1;
  Out->BodyBegin = SM.getFileOffset(Braces.getBegin());
  Out->ParamsBegin = SM.getFileOffset(Type.getLParenLoc()) + 1;
  Out->ParamsEnd = SM.getFileOffset(Type.getRParenLoc());
  Purity Pure(Index);
  BodyReader Reader(Index, Pure, File, *Out);
  for (const ParmVarDecl *P : F->parameters())
    Reader.variable(P);
  Out->Root = Reader.statement(Body);
  Out->MayContract = mayContract(Body, Index.Context);
  return Out;
}

} // namespace hk::frontend
