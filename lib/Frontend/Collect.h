//===- Collect.h - What is collected from one parsed side -------*- C++ -*-===//
//
// Private to the front end. Each collector walks the AST of one side once, after parsing and before the AST goes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Frontend/TranslationUnit.h"

#include "clang/AST/Type.h"
#include "clang/Basic/SourceLocation.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Decl;
class FunctionDecl;
} // namespace clang

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace hk::frontend {

class SourceIndex;
struct Directives;

/// Everything one side gives; nothing in it refers to the AST.
struct SideFacts {
  std::vector<Kernel> Kernels;
  std::vector<SyncCall> SyncCalls;
  std::vector<StatementList> StatementLists;
  std::vector<IncludePoint> IncludePoints;
  std::vector<Launch> Launches;
  std::set<std::string> Escaped; ///< mangled names of kernels whose address is used outside launches
  std::map<std::string, std::string> DisplayNames;
  bool DefinesMain = false;
  bool IsHip = false;
};

/// Kernels of the device side that \p Module defines; \p WithTrees: with their text as trees.
std::vector<Kernel> collectKernels(const SourceIndex &Index, const Directives &Lines, const llvm::Module &Module,
                                   bool WithTrees);

/// How the bytes of a value of type \p T read.
ValueLayout layoutOf(clang::QualType T, const clang::ASTContext &Context);

/// Synchronization calls in device code.
std::vector<SyncCall> collectSyncCalls(const SourceIndex &Index, const Directives &Lines);

/// The statement lists of device code.
std::vector<StatementList> collectStatements(const SourceIndex &Index);

/// Launches, and kernels that are used in other ways.
void collectLaunches(const SourceIndex &Index, SideFacts &Out);

/// The text of the kernel \p F as a tree.
std::shared_ptr<const KernelBody> readBody(const clang::FunctionDecl *F, const SourceIndex &Index);

/// Where runtime headers may be included.
std::vector<IncludePoint> collectIncludePoints(const SourceIndex &Index, const Directives &Lines);

/// The mangled name of a kernel as device code has it, from either side.
std::string kernelName(const clang::FunctionDecl *F);

/// The name with template arguments, without scopes that nobody writes.
std::string writtenName(const clang::FunctionDecl *F);

/// The file range of the body of \p F; invalid when there is none or a macro makes part of it.
clang::SourceRange bodyRange(const clang::FunctionDecl *F);

/// The symbol that \p Mangled has in \p Module, which may carry a suffix (relocatable device code); null when it is
/// not defined there.
const llvm::Function *findKernel(const llvm::Module &Module, llvm::StringRef Mangled);

/// Sorts and keeps the order of equals. (std::stable_sort of libstdc++ 12 warns about its own deprecated parts.)
template <class T, class Less> void sortKeepingOrder(std::vector<T> &Values, Less Before) {
  std::vector<std::pair<size_t, T>> Numbered;
  for (size_t I = 0; I != Values.size(); ++I)
    Numbered.emplace_back(I, std::move(Values[I]));
  std::sort(Numbered.begin(), Numbered.end(), [&](const auto &A, const auto &B) {
    if (Before(A.second, B.second))
      return true;
    return !Before(B.second, A.second) && A.first < B.first;
  });
  for (size_t I = 0; I != Values.size(); ++I)
    Values[I] = std::move(Numbered[I].second);
}

/// True when \p D is inside namespace hk, the tool's own runtime.
bool inRuntimeNamespace(const clang::Decl *D);

} // namespace hk::frontend
