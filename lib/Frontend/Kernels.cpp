//===- Kernels.cpp - Kernels of the device side ---------------------------===//
#include "Collect.h"
#include "Preprocessing.h"
#include "SourceIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace clang;

namespace hk::frontend {
namespace {

/// Walks declarations only: a kernel is never declared inside an expression.
class KernelFinder : public RecursiveASTVisitor<KernelFinder> {
public:
  std::vector<const FunctionDecl *> Found;

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool TraverseStmt(Stmt *) { return true; }
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->hasAttr<CUDAGlobalAttr>() && F->isThisDeclarationADefinition() && !F->isDependentContext())
      Found.push_back(F);
    return true;
  }
};

unsigned evaluate(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult Result;
  if (!E || E->isValueDependent() || !E->EvaluateAsInt(Result, Context))
    return 0;
  const llvm::APSInt &Value = Result.Val.getInt();
  return Value.isNegative() || Value.getActiveBits() > 31 ? 0 : unsigned(Value.getZExtValue());
}

/// __launch_bounds__ is one of two attributes, depending on the headers; the strictest one counts.
unsigned launchBound(const FunctionDecl *F, const ASTContext &Context) {
  unsigned Bound = 0;
  auto Add = [&](unsigned Value) {
    if (Value && (!Bound || Value < Bound))
      Bound = Value;
  };
  for (const auto *A : F->specific_attrs<CUDALaunchBoundsAttr>())
    Add(evaluate(A->getMaxThreads(), Context));
  for (const auto *A : F->specific_attrs<AMDGPUFlatWorkGroupSizeAttr>())
    Add(evaluate(A->getMax(), Context));
  return Bound;
}

/// Where the definition's text stands: for an instantiation, that of the template.
const FunctionDecl *writtenDefinition(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern()) {
    const FunctionDecl *Def = nullptr;
    return Pattern->getBody(Def) && Def ? Def : Pattern;
  }
  return F;
}

Kernel describe(const FunctionDecl *F, const SourceIndex &Index, const Directives &Lines) {
  const FunctionDecl *Text = writtenDefinition(F);
  Kernel K;
  K.Name = writtenName(F);
  K.Place = Index.place(Text->getLocation());
  K.InHeader = !Index.inMainFile(Text->getLocation());
  K.IsInstantiation = F->isTemplateInstantiation();
  K.InternalLinkage = !F->isExternallyVisible();
  K.LaunchBoundsThreads = launchBound(F, Index.Context);
  if (SourceRange Body = bodyRange(F); Body.isValid()) {
    if (Written W = Index.written(Body); W.Where == Spelling::File)
      K.Body = W.Span;
    K.BodyHasConditionals = Lines.conditionalIn(Body, Index.SM);
  }
  PrintingPolicy Policy = Index.Context.getPrintingPolicy();
  Policy.SuppressTagKeyword = true;
  for (const ParmVarDecl *P : F->parameters()) {
    QualType T = P->getType();
    KernelParam Param{P->getNameAsString(), T.getAsString(Policy), false, false, false,
                      layoutOf(T, Index.Context)};
    if (const auto *Pointer = T->getAs<PointerType>()) {
      Param.IsPointer = true;
      Param.IsRestrict = T.isRestrictQualified();
      Param.IsPointeeConst = Pointer->getPointeeType().isConstQualified();
    }
    K.Params.push_back(std::move(Param));
  }
  return K;
}

} // namespace

std::vector<Kernel> collectKernels(const SourceIndex &Index, const Directives &Lines, const llvm::Module &Module,
                                   bool WithTrees) {
  KernelFinder Finder;
  Finder.TraverseDecl(Index.Context.getTranslationUnitDecl());

  std::vector<std::pair<SourceLocation, Kernel>> Kernels;
  std::set<std::string> Seen;
  for (const FunctionDecl *F : Finder.Found) {
    const llvm::Function *Emitted = findKernel(Module, kernelName(F));
    if (!Emitted || !Seen.insert(Emitted->getName().str()).second)
      continue;
    Kernel K = describe(F, Index, Lines);
    K.Mangled = Emitted->getName().str();
    if (WithTrees)
      K.Tree = readBody(F, Index);
    Kernels.emplace_back(writtenDefinition(F)->getLocation(), std::move(K));
  }
  sortKeepingOrder(Kernels, [&](const auto &A, const auto &B) {
    if (Index.before(A.first, B.first))
      return true;
    return !Index.before(B.first, A.first) && A.second.Mangled < B.second.Mangled;
  });
  std::vector<Kernel> Result;
  for (auto &K : Kernels)
    Result.push_back(std::move(K.second));
  return Result;
}

} // namespace hk::frontend
