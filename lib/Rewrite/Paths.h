//===- Paths.h - Path forms that the outputs need ---------------*- C++ -*-===//

#ifndef HK_LIB_REWRITE_PATHS_H
#define HK_LIB_REWRITE_PATHS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace hk {

/// Absolute and without "." and ".." components; links are kept, since people know a file by the
/// name they gave.
std::string absolutePath(llvm::StringRef Path);

/// The one name of an existing file, links resolved; absolutePath() of one that does not exist.
std::string realPath(llvm::StringRef Path);

/// \p Path relative to \p Root, with forward slashes, if it lies under it.
std::optional<std::string> pathUnder(llvm::StringRef Root, llvm::StringRef Path);

/// Percent-encodes what a URI path may not hold.
std::string encodeUriPath(llvm::StringRef Path);

/// The file: URI of \p Path.
std::string fileUri(llvm::StringRef Path);

} // namespace hk

#endif // HK_LIB_REWRITE_PATHS_H
