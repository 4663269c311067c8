//===- Names.cpp - Names of functions and kernels -------------------------===//
#include "Collect.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLForwardCompat.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace clang;

namespace hk::frontend {

std::string kernelName(const FunctionDecl *F) {
  ASTContext &Context = F->getASTContext();
  std::unique_ptr<MangleContext> Mangler(Context.createMangleContext());
  if (!Mangler->shouldMangleDeclName(F))
    return F->getName().str();
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  // On the host side a kernel's own name is that of its launch stub.
  GlobalDecl GD = F->isReferenceableKernel() ? GlobalDecl(F, KernelReferenceKind::Kernel) : GlobalDecl(F);
  Mangler->mangleName(GD, OS);
  return Name;
}

std::string writtenName(const FunctionDecl *F) {
  PrintingPolicy Policy = F->getASTContext().getPrintingPolicy();
  Policy.SuppressUnwrittenScope = true;
  Policy.SuppressInlineNamespace = llvm::to_underlying(PrintingPolicy::SuppressInlineNamespaceMode::All);
  Policy.SuppressTagKeyword = true;
  Policy.AnonymousTagLocations = false; // "(lambda)", without a path
  Policy.SuppressDefaultTemplateArgs = false;
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  F->getNameForDiagnostic(OS, Policy, /*Qualified=*/true);
  return Name;
}

SourceRange bodyRange(const FunctionDecl *F) {
  const FunctionDecl *Def = nullptr;
  const Stmt *Body = F->getBody(Def);
  if (!Body)
    return {};
  SourceRange Range = Body->getSourceRange();
  if (Range.isInvalid() || Range.getBegin().isMacroID() || Range.getEnd().isMacroID())
    return {};
  return Range;
}

const llvm::Function *findKernel(const llvm::Module &Module, llvm::StringRef Mangled) {
  if (const llvm::Function *F = Module.getFunction(Mangled))
    return F->isDeclaration() ? nullptr : F;
  for (const llvm::Function &F : Module) {
    llvm::StringRef Name = F.getName();
    if (!F.isDeclaration() && Name.consume_front(Mangled) &&
        (Name.starts_with(".static.") || Name.starts_with(".intern.")))
      return &F;
  }
  return nullptr;
}

bool inRuntimeNamespace(const Decl *D) {
  const NamespaceDecl *Outermost = nullptr;
  for (const DeclContext *C = D->getDeclContext(); C && !C->isTranslationUnit(); C = C->getParent())
    if (const auto *NS = dyn_cast<NamespaceDecl>(C))
      Outermost = NS;
  return Outermost && Outermost->getName() == "hk";
}

} // namespace hk::frontend
