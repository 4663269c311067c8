//===- Invocation.h - Compiler command lines of a job -----------*- C++ -*-===//
//
// Private to the front end. Turns the flags a file is built with into the cc1 command lines of its device side and
// its host side, with clang's own driver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Frontend/TranslationUnit.h"

namespace hk::frontend {

/// What a job comes to. The command lines lack the program name and "-cc1".
struct Commands {
  std::vector<std::string> Device;
  std::vector<std::string> Host; ///< empty unless asked for
  std::string HipInclude;        ///< the include folder of the HIP headers; empty when not known
};

/// Builds the command lines; relative paths in them start at the working directory of \p FS. Prints what is wrong
/// to \p Diags.
ParseStatus buildCommands(const Job &J, const FrontendOptions &Opts, bool HostSide,
                          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS, llvm::raw_ostream &Diags,
                          Commands &Out);

/// True when \p Program, a compiler as a compilation database names it, takes every source file for HIP.
bool isHipcc(llvm::StringRef Program);

/// Removes what a database's command line has besides flags that matter to parsing: inputs, outputs, dependency
/// files. \p Language is the last -x that is left, empty when there is none.
std::vector<std::string> parsingFlags(const std::vector<std::string> &Flags, std::string &Language);

} // namespace hk::frontend
