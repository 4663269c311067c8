//===- Contraction.cpp ----------------------------------------------------===//
#include "Contraction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace hk::frontend {
namespace {

struct Finder {
  const LangOptions &Options;
  llvm::DenseSet<const FunctionDecl *> Seen;
  bool Product = false, Sum = false;

  void scan(const Stmt *S) {
    if (!S || (Product && Sum))
      return;
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getType()->hasFloatingRepresentation() &&
                                                     B->getFPFeaturesInEffect(Options).allowFPContractAcrossStatement()) {
      const BinaryOperatorKind Kind =
          B->isCompoundAssignmentOp() ? BinaryOperator::getOpForCompoundAssignment(B->getOpcode()) : B->getOpcode();
      Product |= Kind == BO_Mul;
      Sum |= Kind == BO_Add || Kind == BO_Sub;
    }
    if (const auto *Call = dyn_cast<CallExpr>(S))
      function(Call->getDirectCallee());
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
      function(Construct->getConstructor());
    for (const Stmt *Child : S->children())
      scan(Child);
  }

  void function(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (F && F->hasBody(Definition) && Seen.insert(Definition).second)
      scan(Definition->getBody());
  }
};

} // namespace

bool mayContract(const Stmt *Body, const ASTContext &Context) {
  Finder F{Context.getLangOpts(), {}, false, false};
  F.scan(Body);
  return F.Product && F.Sum;
}

} // namespace hk::frontend
