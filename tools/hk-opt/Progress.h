//===- Progress.h - A progress line on a terminal ---------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace hk {

/// One line that is overwritten, on stderr when it is a terminal and there is more than one item; nothing in a pipe.
class Progress {
public:
  Progress(size_t Total, llvm::StringRef What)
      : Total(Total), What(What), On(Total > 1 && llvm::sys::Process::StandardErrIsDisplayed()) {}
  ~Progress() { clear(); }

  void next(llvm::StringRef Item) {
    ++Done;
    if (!On)
      return;
    clear();
    llvm::errs() << What << " " << Done << "/" << Total << " " << Item;
    llvm::errs().flush();
  }

private:
  size_t Total, Done = 0;
  llvm::StringRef What;
  bool On;
  void clear() {
    if (On)
      llvm::errs() << "\r\x1b[K";
  }
};

} // namespace hk
