//===- Installation.h - What lies beside the executable ---------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace hk {

/// The folder lib/\p Name beside the folder of the running executable, in the build as when installed, if it has
/// \p File; empty if not.
std::string libraryFolder(llvm::StringRef Name, llvm::StringRef File);

/// The folder of the stand-in HIP library: HK_SIM_LIBRARY_PATH, else where it is installed; empty if it is not there.
std::string standInFolder();

} // namespace hk
