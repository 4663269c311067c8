//===- VersionNames.h - Names of second versions of kernels -----*- C++ -*-===//
//
// Passes that keep the original write its version beside it, with a name that
// tells whose it is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace hk {

constexpr char VersionSuffix[] = "_coalesced";

/// Whether \p Name, without scopes and arguments, is that of a version.
inline bool isVersionName(llvm::StringRef Name) { return Name.ends_with(VersionSuffix); }

/// Whether \p Version is the name of a version of the function \p Original; both as in the source.
inline bool isVersionOf(llvm::StringRef Version, llvm::StringRef Original) {
  return Version.consume_back(VersionSuffix) && Version == Original;
}

} // namespace hk
