//===- Interrupt.h - Leaves nothing behind when a signal ends the tool ----===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace hk::verification {

/// Until keepFolder(), a signal that ends or crashes the tool removes the folder.
void removeFolderOnSignal(llvm::StringRef Folder);
void keepFolder(llvm::StringRef Folder);

/// As llvm::sys::ExecuteAndWait, but a signal that ends the tool ends the program, too, and all
/// that it started.
int runChild(llvm::StringRef Program, llvm::ArrayRef<llvm::StringRef> Arguments,
             std::optional<llvm::ArrayRef<llvm::StringRef>> Environment,
             llvm::ArrayRef<std::optional<llvm::StringRef>> Redirects, unsigned Seconds,
             std::string &Error, bool *Failed = nullptr);

} // namespace hk::verification
