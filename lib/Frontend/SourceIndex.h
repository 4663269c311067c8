//===- SourceIndex.h - Places, spans and text of one parsed side *- C++ -*-===//
//
// Private to the front end. Turns clang's locations into the plain places and spans of the public interface, by the
// rules that clang's debug info follows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Frontend/TranslationUnit.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>

namespace clang {
class ASTContext;
class Expr;
class LangOptions;
class SourceManager;
class Stmt;
} // namespace clang

namespace hk::frontend {

/// What the index needs to know about the job.
struct SourceRoots {
  std::string Directory; ///< absolute: relative file names start here
  std::string MainFile;  ///< as the user names it
  std::string HipInclude;
  std::vector<std::string> RuntimeIncludes;
};

/// How a range of tokens stands in a file.
struct Written {
  Spelling Where = Spelling::MacroBody;
  SourceSpan Span; ///< valid unless MacroBody
};

class SourceIndex {
public:
  SourceIndex(const clang::ASTContext &Context, const SourceRoots &Roots);

  /// The key of a location: where it stands in a file (a macro's body counts as where the macro is called, an argument
  /// as where it is spelled), with #line directives applied. Debug info of the call or statement says the same.
  SourcePlace place(clang::SourceLocation Loc) const;

  /// Absolute path of a file, without dots; empty for text that is not a file.
  const std::string &path(clang::FileID File) const;

  /// True for system headers, the HIP headers and the tool's own runtime: nobody edits those.
  bool isForeign(clang::SourceLocation Loc) const;
  bool isForeign(clang::FileID File) const;
  bool inMainFile(clang::SourceLocation Loc) const;

  /// Where the tokens of \p Range are spelled. A range that lies in the argument of a macro call (or of nested ones)
  /// is spelled there; what comes from a macro's body, in part or whole, is not spelled in a file.
  Written written(clang::SourceRange Range) const;

  /// The bytes of a span, read through \p Range's file.
  llvm::StringRef text(const SourceSpan &Span, clang::FileID File) const;

  /// The text of \p S as a person reads it at the place it is used; a macro that stands for all of it is not expanded.
  std::string textOf(const clang::Stmt *S) const;

  /// The name of the macro, as a file has it, that \p Range comes from; empty when it comes from none.
  std::string macroName(clang::SourceRange Range) const;

  /// Locations in the order in which the translation unit has them.
  bool before(clang::SourceLocation A, clang::SourceLocation B) const;

  /// Absolute file names (without dots) to the names that places use.
  const std::map<std::string, std::string> &displayNames() const { return Names; }
  const std::string &mainPath() const { return Main; }

  const clang::ASTContext &Context;
  const clang::SourceManager &SM;
  const clang::LangOptions &LangOpts;

private:
  const SourceRoots &Roots;
  std::string Main;
  std::map<std::string, std::string> Names;
  mutable llvm::DenseMap<clang::FileID, std::string> Paths;
  mutable llvm::DenseMap<clang::FileID, bool> Foreign;

  void addName(llvm::StringRef Presumed);
};

/// \p Path made absolute in \p Directory, with "." and ".." removed by name only.
std::string absolutePath(llvm::StringRef Directory, llvm::StringRef Path);

} // namespace hk::frontend
