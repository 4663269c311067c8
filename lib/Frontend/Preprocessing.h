//===- Preprocessing.h - Directives seen while parsing ----------*- C++ -*-===//
//
// Private to the front end. Records #include lines and conditional directives, which the AST does not show.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class PPCallbacks;
class SourceManager;
} // namespace clang

namespace hk::frontend {

struct IncludeDirective {
  clang::SourceLocation Hash;
  clang::SourceLocation End; ///< behind the file name
  std::string Name;          ///< as spelled, without quotes
  unsigned Depth = 0;        ///< open #if directives, not counting an include guard
};

/// All directives of one translation unit.
struct Directives {
  /// Every #if, #ifdef, #ifndef, #elif... and #else, in the order seen.
  std::vector<clang::SourceLocation> Conditionals;
  llvm::DenseMap<clang::FileID, std::vector<IncludeDirective>> Includes;
  /// The line of the #define of an include guard.
  llvm::DenseMap<clang::FileID, clang::SourceLocation> GuardDefine;
  llvm::DenseMap<clang::FileID, clang::SourceLocation> PragmaOnce;

  /// True when a conditional directive stands in \p Range, which must be in a file; files that are included in it
  /// count too.
  bool conditionalIn(clang::SourceRange Range, const clang::SourceManager &SM) const;
};

std::unique_ptr<clang::PPCallbacks> recordDirectives(const clang::SourceManager &SM, Directives &Out);

} // namespace hk::frontend
