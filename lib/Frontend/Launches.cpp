//===- Launches.cpp - Kernel launches, and other uses of kernels ----------===//
#include "Collect.h"
#include "LaunchDims.h"
#include "SourceIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hk::frontend {
namespace {

/// A function that launches the kernel which it takes as an argument. Positions of arguments; -1 where it has none.
struct LaunchFunction {
  const char *Name;
  LaunchForm Form;
  int Grid, Block, Shared, Stream;
  int FirstArgument; ///< kernel arguments follow in the call
};

constexpr LaunchFunction LaunchFunctions[] = {
    {"hipLaunchKernel", LaunchForm::LaunchKernel, 1, 2, 4, 5, -1},
    {"hipLaunchKernel_spt", LaunchForm::LaunchKernel, 1, 2, 4, 5, -1},
    {"hipLaunchCooperativeKernel", LaunchForm::Other, 1, 2, 4, 5, -1},
    {"hipLaunchCooperativeKernel_spt", LaunchForm::Other, 1, 2, 4, 5, -1},
    {"hipExtLaunchKernel", LaunchForm::Other, 1, 2, 4, 5, -1},
    {"hipExtLaunchKernelGGL", LaunchForm::Other, 1, 2, 3, 4, 8},
    {"hipLaunchKernelGGL", LaunchForm::LaunchKernelGGL, 1, 2, 3, 4, 5},
};

const LaunchFunction *launchFunction(const FunctionDecl *F) {
  if (!F || !F->getDeclName().isIdentifier() || !F->getDeclContext()->getRedeclContext()->isTranslationUnit())
    return nullptr;
  for (const LaunchFunction &L : LaunchFunctions)
    if (F->getName() == L.Name)
      return &L;
  return nullptr;
}

/// Functions that ask about a kernel or set a property of it and do not keep its address.
bool isKernelQuery(const FunctionDecl *F) {
  if (!F || !F->getDeclName().isIdentifier())
    return false;
  llvm::StringRef Name = F->getName();
  return Name.starts_with("hipFuncSet") || Name.starts_with("hipFuncGet") || Name.starts_with("hipOccupancy") ||
         Name.starts_with("hipGetFuncBySymbol");
}

/// The kernel that \p E is the address of, without casts.
const DeclRefExpr *kernelReference(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
      E = Address->getSubExpr();
    else if (const auto *Subst = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = Subst->getReplacement();
    else if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else
      break;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *F = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
  return F && F->hasAttr<CUDAGlobalAttr>() ? Ref : nullptr;
}

class LaunchFinder : public RecursiveASTVisitor<LaunchFinder> {
  using Base = RecursiveASTVisitor<LaunchFinder>;
  const SourceIndex &Index;
  const SourceManager &SM;
  LaunchDims Dims;
  std::vector<const FunctionDecl *> Functions;
  llvm::DenseSet<const DeclRefExpr *> Accounted; ///< launched or asked about

public:
  struct Record {
    SourceLocation Loc;
    bool FromPattern; ///< in a template as written
    Launch L;
  };
  std::vector<Record> Records;
  std::set<std::string> Escaped;

  LaunchFinder(const SourceIndex &Index, const llvm::DenseSet<const VarDecl *> &Modified)
      : Index(Index), SM(Index.SM), Dims(Index, Modified) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    if (D && !isa<TranslationUnitDecl>(D) && Functions.empty() && Index.isForeign(D->getLocation()))
      return true;
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    if (F)
      Functions.push_back(F);
    bool Result = Base::TraverseDecl(D);
    if (F)
      Functions.pop_back();
    return Result;
  }

  bool TraverseLambdaExpr(LambdaExpr *L) {
    Functions.push_back(L->getCallOperator());
    bool Result = Base::TraverseLambdaExpr(L);
    Functions.pop_back();
    // The walk sees a generic lambda as written only.
    if (FunctionTemplateDecl *Template = L->getDependentCallOperator())
      for (FunctionDecl *Instance : Template->specializations())
        if (Stmt *Body = Instance->getBody()) {
          Functions.push_back(Instance);
          Result = Result && TraverseStmt(Body);
          Functions.pop_back();
        }
    return Result;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    Launch L;
    const DeclRefExpr *Kernel = kernelReference(Call->getCallee());
    if (Kernel)
      Accounted.insert(Kernel);
    if (const CallExpr *Config = Call->getConfig()) {
      auto Text = [&](unsigned I) {
        return I < Config->getNumArgs() && !Config->getArg(I)->isDefaultArgument()
                   ? writtenText(Config->getArg(I)->IgnoreUnlessSpelledInSource()->IgnoreParens(), Call)
                   : std::string();
      };
      if (Config->getNumArgs() >= 2) {
        L.Grid = Dims.read(Config->getArg(0));
        L.Block = Dims.read(Config->getArg(1));
        L.GridText = Text(0);
        L.BlockText = Text(1);
      }
      L.SharedBytes = Text(2);
      L.Stream = Text(3);
      if (Config->getNumArgs() > 2)
        L.SharedBytesValue = Dims.value(Config->getArg(2));
    }
    for (const Expr *A : Call->arguments())
      if (!A->isDefaultArgument()) {
        L.Arguments.push_back(writtenText(A->IgnoreImplicit(), Call));
        L.ArgumentValues.push_back(Dims.value(A));
      }
    L.Where = spelling(Call, L.Form);
    L.Callee = writtenText(Call->getCallee()->IgnoreParenImpCasts(), Call);
    SourceRange Range = Call->getSourceRange();
    if (L.Form == LaunchForm::LaunchKernelGGL && L.Where == Spelling::File)
      Range = SM.getExpansionRange(Call->getBeginLoc()).getAsRange(); // all of the macro's use
    if (Written W = Index.written(Range); W.Where == Spelling::File)
      L.Call = W.Span;
    add(Call, Kernel, std::move(L));
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (isKernelQuery(Callee)) {
      for (const Expr *A : Call->arguments())
        if (const DeclRefExpr *Kernel = kernelReference(A))
          Accounted.insert(Kernel);
      return true;
    }
    const LaunchFunction *How = launchFunction(Callee);
    if (!How || Call->getNumArgs() < 3)
      return true;
    Launch L;
    L.Form = How->Form;
    const DeclRefExpr *Kernel = kernelReference(Call->getArg(0));
    if (Kernel)
      Accounted.insert(Kernel);
    L.Grid = Dims.read(Call->getArg(How->Grid));
    L.Block = Dims.read(Call->getArg(How->Block));
    auto Text = [&](int I) {
      return I >= 0 && unsigned(I) < Call->getNumArgs() && !Call->getArg(I)->isDefaultArgument()
                 ? Index.textOf(Call->getArg(I)->IgnoreParenImpCasts())
                 : std::string();
    };
    L.SharedBytes = Text(How->Shared);
    if (How->Shared >= 0 && unsigned(How->Shared) < Call->getNumArgs())
      L.SharedBytesValue = Dims.value(Call->getArg(How->Shared));
    L.Stream = Text(How->Stream);
    for (unsigned I = How->FirstArgument; How->FirstArgument >= 0 && I < Call->getNumArgs(); ++I) {
      L.Arguments.push_back(Text(int(I)));
      L.ArgumentValues.push_back(Dims.value(Call->getArg(I)));
    }
    L.Where = Index.written(Call->getSourceRange()).Where;
    add(Call, Kernel, std::move(L));
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl());
    if (F && F->hasAttr<CUDAGlobalAttr>() && !F->isDependentContext() && !Accounted.count(Ref))
      Escaped.insert(kernelName(F));
    return true;
  }

private:
  /// The text of \p E, a part of \p Call. In a use of hipLaunchKernelGGL it is what stands there, macros by their names.
  std::string writtenText(const Expr *E, const CUDAKernelCallExpr *Call) const {
    auto Outward = [&](SourceLocation Loc, bool End) {
      while (Loc.isMacroID()) {
        const CharSourceRange Use = SM.getImmediateExpansionRange(Loc);
        Loc = SM.isMacroArgExpansion(Loc) ? SM.getImmediateSpellingLoc(Loc) : End ? Use.getEnd() : Use.getBegin();
      }
      return Loc;
    };
    const SourceLocation Begin = Outward(E->getBeginLoc(), false), End = Outward(E->getEndLoc(), true);
    if (Call->getBeginLoc().isFileID() || Begin == SM.getExpansionLoc(Call->getBeginLoc()) ||
        !SM.isWrittenInSameFile(Begin, End) || SM.isBeforeInTranslationUnit(End, Begin))
      return Index.textOf(E);
    return Lexer::getSourceText(CharSourceRange::getTokenRange(Begin, End), SM, Index.LangOpts).str();
  }

  /// Where a <<<>>> launch is spelled. hipLaunchKernelGGL makes one of its own, and what counts then is where that macro
  /// is used.
  Spelling spelling(const CUDAKernelCallExpr *Call, LaunchForm &Form) const {
    SourceLocation Loc = Call->getBeginLoc();
    Spelling Where = Spelling::File;
    auto IsGGL = [&](SourceLocation InBody) {
      return Lexer::getImmediateMacroName(InBody, SM, Index.LangOpts).starts_with("hipLaunchKernelGGL");
    };
    while (Loc.isMacroID()) {
      SourceLocation Outer = SM.getImmediateExpansionRange(Loc).getBegin();
      if (SM.isMacroArgExpansion(Loc)) {
        // The outer location is the parameter's in the body of the macro.
        if (Where == Spelling::File && !(Outer.isMacroID() && IsGGL(Outer)))
          Where = Spelling::MacroArgument;
        Loc = SM.getImmediateSpellingLoc(Loc);
        continue;
      }
      if (IsGGL(Loc))
        Form = LaunchForm::LaunchKernelGGL;
      else
        Where = Spelling::MacroBody;
      Loc = Outer;
    }
    return Form == LaunchForm::LaunchKernelGGL ? Where : Index.written(Call->getSourceRange()).Where;
  }

  void add(const CallExpr *Call, const DeclRefExpr *Kernel, Launch L) {
    Record R;
    R.Loc = Call->getBeginLoc();
    R.FromPattern = false;
    L.Place = Index.place(R.Loc);
    if (Kernel) {
      const auto *F = cast<FunctionDecl>(Kernel->getDecl());
      if (!F->isDependentContext())
        L.Kernel = kernelName(F);
    }
    for (const FunctionDecl *F : llvm::reverse(Functions)) {
      R.FromPattern |= F->isDependentContext();
      const auto *M = dyn_cast<CXXMethodDecl>(F);
      if (L.Caller.empty() && !(M && M->getParent()->isLambda())) {
        const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
        L.Caller = writtenName(Pattern ? Pattern : F);
      }
    }
    R.L = std::move(L);
    Records.push_back(std::move(R));
  }
};

/// One launch of one kernel at one place, seen again: what differs is not constant.
void merge(Launch &Into, const Launch &From) {
  auto Join = [](LaunchDim &A, const LaunchDim &B) {
    if (A.Kind == B.Kind && A.Value == B.Value && A.Text == B.Text)
      return;
    if (A.Kind == LaunchDim::Constant && B.Kind == LaunchDim::Constant && A.Value == B.Value)
      return;
    A.Kind = LaunchDim::Symbolic;
    A.Value = 0;
  };
  for (unsigned I = 0; I != 3; ++I) {
    Join(Into.Grid[I], From.Grid[I]);
    Join(Into.Block[I], From.Block[I]);
  }
  if (Into.SharedBytesValue != From.SharedBytesValue)
    Into.SharedBytesValue = std::nullopt;
  for (size_t I = 0; I != std::min(Into.ArgumentValues.size(), From.ArgumentValues.size()); ++I)
    if (Into.ArgumentValues[I] != From.ArgumentValues[I])
      Into.ArgumentValues[I] = std::nullopt;
  if (From.Where != Into.Where)
    Into.Where = Spelling::MacroBody;
}

} // namespace

void collectLaunches(const SourceIndex &Index, SideFacts &Out) {
  llvm::DenseSet<const VarDecl *> Modified = collectModified(Index);
  LaunchFinder Finder(Index, Modified);
  Finder.TraverseDecl(Index.Context.getTranslationUnitDecl());
  Out.Escaped = std::move(Finder.Escaped);

  // A template's own text counts only when nothing instantiates it.
  std::set<SourcePlace> Instantiated;
  for (const LaunchFinder::Record &R : Finder.Records)
    if (!R.FromPattern)
      Instantiated.insert(R.L.Place);
  llvm::erase_if(Finder.Records, [&](const LaunchFinder::Record &R) {
    return R.FromPattern && Instantiated.count(R.L.Place);
  });
  sortKeepingOrder(Finder.Records, [&](const LaunchFinder::Record &A, const LaunchFinder::Record &B) {
    if (Index.before(A.Loc, B.Loc))
      return true;
    return !Index.before(B.Loc, A.Loc) && A.L.Kernel < B.L.Kernel;
  });
  std::map<std::pair<SourcePlace, std::string>, size_t> Known;
  for (LaunchFinder::Record &R : Finder.Records) {
    auto [It, New] = Known.try_emplace({R.L.Place, R.L.Kernel}, Out.Launches.size());
    if (New)
      Out.Launches.push_back(std::move(R.L));
    else
      merge(Out.Launches[It->second], R.L);
  }
}

} // namespace hk::frontend
