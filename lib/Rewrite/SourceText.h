//===- SourceText.h - Lines and columns of source text ----------*- C++ -*-===//

#ifndef HK_LIB_REWRITE_SOURCETEXT_H
#define HK_LIB_REWRITE_SOURCETEXT_H

#include "hk/Support/SourcePlace.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hk {

/// Bytes of the UTF-8 byte order mark at the start of \p Text: 3 or 0.
unsigned byteOrderMarkLength(llvm::StringRef Text);

/// "\r\n" if most lines of \p Text end so, else "\n".
llvm::StringRef lineEnding(llvm::StringRef Text);

/// \p Text with each line end replaced by \p Ending.
std::string withLineEnding(llvm::StringRef Text, llvm::StringRef Ending);

/// Line and column, both from 1, the column in bytes.
struct LineColumn {
  unsigned Line = 1;
  unsigned Column = 1;
};
LineColumn lineColumnAt(llvm::StringRef Text, unsigned Offset);

/// Code points in \p Text; a byte that is not part of valid UTF-8 counts as one.
unsigned countCodePoints(llvm::StringRef Text);

/// Whether the brackets of \p Text pair up, those in comments and literals aside.
bool hasBalancedBrackets(llvm::StringRef Text);

/// The lines of files, read when first asked for.
class SourceLines {
public:
  /// Uses \p Contents for the file instead of what is on disk, which may already be the rewritten
  /// text. The caller keeps the text alive.
  void set(llvm::StringRef Path, llvm::StringRef Contents);

  /// The whole text; none if the file cannot be read.
  std::optional<llvm::StringRef> text(llvm::StringRef Path);

  /// Line \p Line without its end; none if there is no such line.
  std::optional<llvm::StringRef> line(llvm::StringRef Path, unsigned Line);

private:
  struct File {
    std::string Owned;
    llvm::StringRef Text;
    bool Readable = false;
    std::vector<unsigned> Starts; // offset of each line
  };
  std::map<std::string, File> Files; // by real path
  File &file(llvm::StringRef Path);
};

} // namespace hk

#endif // HK_LIB_REWRITE_SOURCETEXT_H
