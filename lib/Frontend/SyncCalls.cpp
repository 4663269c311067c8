//===- SyncCalls.cpp - Synchronization calls in device code ---------------===//
//
// Templates are walked twice, as patterns and as instantiations: a call on an object of dependent type is only known in
// the latter. All copies of one source call stand at the same location and become one record; where they disagree on
// what the call is, the record says so.
//
//===----------------------------------------------------------------------===//
#include "Collect.h"
#include "Preprocessing.h"
#include "SourceIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace hk::frontend {
namespace {

/// The scopes of \p D without inline and unnamed namespaces: "hk::sync".
std::string scopeOf(const Decl *D) {
  std::string Scope;
  for (const DeclContext *C = D->getDeclContext(); C && !C->isTranslationUnit(); C = C->getParent()) {
    if (isa<LinkageSpecDecl, ExportDecl>(C))
      continue;
    if (const auto *NS = dyn_cast<NamespaceDecl>(C); NS && (NS->isInline() || NS->isAnonymousNamespace()))
      continue;
    const auto *Named = dyn_cast<NamedDecl>(C);
    Scope = (Named ? Named->getNameAsString() : "?") + (Scope.empty() ? "" : "::") + Scope;
  }
  return Scope;
}

bool isThreadBlock(QualType T) {
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getName() == "thread_block" && scopeOf(R) == "cooperative_groups";
}

class SyncFinder : public RecursiveASTVisitor<SyncFinder> {
  using Base = RecursiveASTVisitor<SyncFinder>;
  /// A call's first and last token tell it from others: a call on the result of a call starts where that one does.
  using Key = std::pair<SourceLocation, SourceLocation>;

  const SourceIndex &Index;
  const Directives &Lines;
  const SourceManager &SM;
  std::vector<const FunctionDecl *> Functions;
  unsigned LambdaDepth = 0;
  llvm::DenseSet<const Stmt *> Direct;    ///< statements directly inside braces
  llvm::DenseSet<const Stmt *> Discarded; ///< expressions whose value goes nowhere
  llvm::DenseSet<const Stmt *> Values;    ///< last expressions of ({ ... })
  std::vector<std::pair<SourcePlace, SourcePlace>> Conditions; ///< of the statements around, in this function
  std::set<Key> Seen;
  std::set<Key> OtherCalls; ///< calls in instantiations that synchronize nothing

public:
  std::vector<std::pair<Key, SyncCall>> Calls;

  SyncFinder(const SourceIndex &Index, const Directives &Lines) : Index(Index), Lines(Lines), SM(Index.SM) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    if (!D)
      return true;
    bool IsRoot = isa<TranslationUnitDecl>(D);
    if (!IsRoot && Functions.empty() && Index.isForeign(D->getLocation()))
      return true;
    auto *F = dyn_cast<FunctionDecl>(D);
    if (F && inRuntimeNamespace(F) && !Index.inMainFile(F->getLocation()))
      return true;
    unsigned Depth = LambdaDepth;
    std::vector<std::pair<SourcePlace, SourcePlace>> Outer;
    if (F) {
      Functions.push_back(F);
      LambdaDepth = 0;
      Conditions.swap(Outer);
    }
    bool Result = Base::TraverseDecl(D);
    if (F) {
      Functions.pop_back();
      Conditions.swap(Outer);
    }
    LambdaDepth = Depth;
    return Result;
  }

  // Statements whose condition decides whether what is inside them runs. They are walked by recursion, without the
  // visitor's queue, so that the condition is known exactly while the walk is inside.
  bool TraverseIfStmt(IfStmt *S) { return inside(S->getCond(), [&] { return Base::TraverseIfStmt(S); }); }
  bool TraverseForStmt(ForStmt *S) { return inside(S->getCond(), [&] { return Base::TraverseForStmt(S); }); }
  bool TraverseWhileStmt(WhileStmt *S) { return inside(S->getCond(), [&] { return Base::TraverseWhileStmt(S); }); }
  bool TraverseDoStmt(DoStmt *S) { return inside(S->getCond(), [&] { return Base::TraverseDoStmt(S); }); }
  bool TraverseSwitchStmt(SwitchStmt *S) { return inside(S->getCond(), [&] { return Base::TraverseSwitchStmt(S); }); }
  bool TraverseConditionalOperator(ConditionalOperator *S) {
    return inside(S->getCond(), [&] { return Base::TraverseConditionalOperator(S); });
  }

  bool TraverseLambdaExpr(LambdaExpr *L) {
    ++LambdaDepth;
    bool Result = Base::TraverseLambdaExpr(L);
    // The walk sees a generic lambda as written only.
    if (FunctionTemplateDecl *Template = L->getDependentCallOperator())
      for (FunctionDecl *Instance : Template->specializations())
        if (Stmt *Body = Instance->getBody()) {
          Functions.push_back(Instance);
          Result = Result && TraverseStmt(Body);
          Functions.pop_back();
        }
    --LambdaDepth;
    return Result;
  }

  bool VisitStmt(Stmt *S) {
    switch (S->getStmtClass()) {
    case Stmt::CompoundStmtClass:
      for (Stmt *Child : S->children()) {
        if (const auto *E = dyn_cast<Expr>(Child))
          Direct.insert(E->IgnoreImplicit());
        discard(Child);
      }
      break;
    case Stmt::StmtExprClass: {
      // ({ ...; value; })
      CompoundStmt *Body = cast<StmtExpr>(S)->getSubStmt();
      if (!Body->body_empty())
        Values.insert(strip(Body->body_back()));
      break;
    }
    case Stmt::IfStmtClass:
      discard(cast<IfStmt>(S)->getThen());
      discard(cast<IfStmt>(S)->getElse());
      break;
    case Stmt::ForStmtClass:
      discard(cast<ForStmt>(S)->getInit());
      discard(cast<ForStmt>(S)->getInc());
      discard(cast<ForStmt>(S)->getBody());
      break;
    case Stmt::CXXForRangeStmtClass:
      discard(cast<CXXForRangeStmt>(S)->getBody());
      break;
    case Stmt::WhileStmtClass:
      discard(cast<WhileStmt>(S)->getBody());
      break;
    case Stmt::DoStmtClass:
      discard(cast<DoStmt>(S)->getBody());
      break;
    case Stmt::SwitchStmtClass:
      discard(cast<SwitchStmt>(S)->getBody());
      break;
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      discard(cast<SwitchCase>(S)->getSubStmt());
      break;
    case Stmt::LabelStmtClass:
      discard(cast<LabelStmt>(S)->getSubStmt());
      break;
    case Stmt::AttributedStmtClass:
      discard(cast<AttributedStmt>(S)->getSubStmt());
      break;
    default:
      break;
    }
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    if (Functions.empty() && !LambdaDepth)
      return true;
    Key K{Call->getBeginLoc(), Call->getEndLoc()};
    std::optional<SyncKind> Kind = classify(Call);
    if (!Kind) {
      if (!Call->isTypeDependent() && !Functions.empty() && Functions.back()->isTemplateInstantiation())
        OtherCalls.insert(K);
      return true;
    }
    if (Seen.insert(K).second)
      Calls.emplace_back(K, describe(Call, *Kind));
    else
      for (auto &[Known, Record] : Calls)
        if (Known == K && Record.Kind != *Kind)
          Record.Ambiguous = true;
    return true;
  }

  /// Marks the records that instantiations disagree on.
  void finish() {
    for (auto &[K, Record] : Calls)
      Record.Ambiguous |= OtherCalls.count(K) != 0;
  }

private:
  bool inside(const Expr *Condition, llvm::function_ref<bool()> Walk) {
    if (!Condition)
      return Walk();
    Conditions.emplace_back(Index.place(Condition->getBeginLoc()), Index.place(Condition->getEndLoc()));
    bool Result = Walk();
    Conditions.pop_back();
    return Result;
  }

  static const Stmt *strip(const Stmt *S) {
    if (const auto *E = dyn_cast_or_null<Expr>(S))
      return E->IgnoreParenCasts()->IgnoreImplicit()->IgnoreParenCasts();
    return S;
  }
  void discard(const Stmt *S) {
    if (S)
      Discarded.insert(strip(S));
  }

  std::optional<SyncKind> classify(const CallExpr *Call) const {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getDeclName().isIdentifier())
      return std::nullopt;
    StringRef Name = F->getName();
    if (F->getBuiltinID() && Name.starts_with("__builtin_amdgcn_"))
      return llvm::StringSwitch<std::optional<SyncKind>>(Name)
          .Cases({"__builtin_amdgcn_s_barrier", "__builtin_amdgcn_s_barrier_signal", "__builtin_amdgcn_s_barrier_wait",
                  "__builtin_amdgcn_s_barrier_signal_isfirst", "__builtin_amdgcn_s_barrier_signal_var",
                  "__builtin_amdgcn_s_barrier_leave", "__builtin_amdgcn_s_barrier_join"},
                 SyncKind::RawBarrier)
          .Case("__builtin_amdgcn_wave_barrier", SyncKind::Wave)
          .Default(std::nullopt);

    std::string Scope;
    bool Named = Name.starts_with("__sync") || Name == "sync" || Name == "workgroup" || Name == "lds" || Name == "wave";
    if (!Named)
      return std::nullopt;
    Scope = scopeOf(F);
    if (Scope == "hk::sync")
      return llvm::StringSwitch<std::optional<SyncKind>>(Name)
          .Case("workgroup", SyncKind::Workgroup)
          .Case("lds", SyncKind::WorkgroupLds)
          .Case("wave", SyncKind::Wave)
          .Default(std::nullopt);
    // A function of the user's that happens to have such a name means what the user made of it.
    if (!Index.isForeign(F->getCanonicalDecl()->getLocation()))
      return std::nullopt;
    if (Scope.empty())
      return llvm::StringSwitch<std::optional<SyncKind>>(Name)
          .Case("__syncthreads", SyncKind::Workgroup)
          .Cases({"__syncthreads_count", "__syncthreads_and", "__syncthreads_or"}, SyncKind::WorkgroupReduce)
          .Case("__syncwarp", SyncKind::Wave)
          .Default(std::nullopt);
    if (Name != "sync")
      return std::nullopt;
    // Groups smaller than the block, the grid, and groups known at run time only are other things.
    if (Scope == "cooperative_groups" && Call->getNumArgs() == 1 && isThreadBlock(Call->getArg(0)->getType()))
      return SyncKind::CooperativeBlock;
    if (const auto *Member = dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts())) {
      QualType Object = Member->getBase()->IgnoreParenImpCasts()->getType();
      if (Member->isArrow())
        Object = Object->getPointeeType();
      if (!Object.isNull() && Scope == "cooperative_groups::thread_block" && isThreadBlock(Object))
        return SyncKind::CooperativeBlock;
    } else if (Scope == "cooperative_groups::thread_block") {
      return SyncKind::CooperativeBlock;
    }
    return std::nullopt;
  }

  SyncCall describe(const CallExpr *Call, SyncKind Kind) {
    SyncCall R;
    R.Kind = Kind;
    // Debug info places the instruction where diagnostics would put the caret.
    R.Place = Index.place(Call->getExprLoc());
    R.InHeader = !Index.inMainFile(Call->getBeginLoc());
    R.InLambda = LambdaDepth != 0;
    R.Conditions = Conditions;
    Written W = Index.written(Call->getSourceRange());
    R.Where = W.Where;
    if (W.Where != Spelling::MacroBody) {
      R.Call = W.Span;
      FileID File = SM.getFileID(SM.getFileLoc(Call->getBeginLoc()));
      R.Text = Index.text(W.Span, File).str();
      bool IsValue = Values.count(Call) != 0;
      if (Direct.count(Call) && !IsValue)
        R.Statement = statement(W, File);
    } else {
      R.Text = Index.macroName(Call->getSourceRange());
      if (R.Text.empty())
        R.Text = Index.textOf(Call);
    }
    R.ResultUsed = !Call->getType()->isVoidType() && (!Discarded.count(Call) || Values.count(Call));
    for (const FunctionDecl *F : llvm::reverse(Functions)) {
      R.InTemplate |= F->isTemplated() || F->isTemplateInstantiation();
      R.InLambda |= isLambdaCallOperator(F);
      R.FunctionHasConditionals |= Lines.conditionalIn(bodyRange(F), SM);
    }
    for (const FunctionDecl *F : llvm::reverse(Functions)) {
      if (isLambdaCallOperator(F))
        continue;
      R.OpenToOtherFiles = Index.LangOpts.GPURelocatableDeviceCode && F->isExternallyVisible() &&
                           !F->hasAttr<CUDAGlobalAttr>();
      const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
      R.Function = writtenName(Pattern ? Pattern : F);
      break;
    }
    if (R.Function.empty())
      R.Function = "lambda";
    return R;
  }

  /// The text from the call to its ';', when nothing but the call is in the statement.
  std::optional<SourceSpan> statement(const Written &W, FileID File) const {
    StringRef Buffer = SM.getBufferData(File);
    unsigned End = W.Span.Offset + W.Span.Length;
    SourceLocation Start = SM.getLocForStartOfFile(File);
    Lexer Raw(Start, Index.LangOpts, Buffer.begin(), Buffer.begin() + End, Buffer.end());
    Token Next;
    Raw.LexFromRawLexer(Next); // skips white space and comments
    if (Next.isNot(tok::semi))
      return std::nullopt;
    SourceSpan Span = W.Span;
    Span.Length = SM.getFileOffset(Next.getLocation()) + 1 - Span.Offset;
    return Span;
  }
};

} // namespace

std::vector<SyncCall> collectSyncCalls(const SourceIndex &Index, const Directives &Lines) {
  SyncFinder Finder(Index, Lines);
  Finder.TraverseDecl(Index.Context.getTranslationUnitDecl());
  Finder.finish();

  sortKeepingOrder(Finder.Calls, [&](const auto &A, const auto &B) {
    return Index.before(A.first.first, B.first.first);
  });
  // Two calls at one place: a file that is included twice gives the same text twice, and a macro several calls at
  // the one place where it is used.
  std::vector<SyncCall> Result;
  std::map<SourcePlace, std::pair<size_t, FileID>> ByPlace;
  for (auto &[Key, Record] : Finder.Calls) {
    FileID File = Index.SM.getFileID(Index.SM.getFileLoc(Key.first));
    auto [It, New] = ByPlace.try_emplace(Record.Place, Result.size(), File);
    if (New) {
      Result.push_back(std::move(Record));
      continue;
    }
    SyncCall &First = Result[It->second.first];
    bool SameText = First.Where == Record.Where && First.Call == Record.Call;
    bool SameUse = SameText && First.Kind == Record.Kind && First.Where == Spelling::File;
    First.FunctionHasConditionals |= Record.FunctionHasConditionals;
    First.InTemplate |= Record.InTemplate;
    First.InLambda |= Record.InLambda;
    First.ResultUsed |= Record.ResultUsed;
    First.Ambiguous |= Record.Ambiguous || First.Kind != Record.Kind || !SameText;
    if (First.Statement != Record.Statement)
      First.Statement = std::nullopt;
    // A macro that uses its argument more than once: what is written once is not one call.
    if (!SameUse)
      First.Where = Spelling::MacroBody;
  }
  return Result;
}

} // namespace hk::frontend
