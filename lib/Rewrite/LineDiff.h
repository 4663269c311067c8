//===- LineDiff.h - Shortest line edit script -------------------*- C++ -*-===//

#ifndef HK_LIB_REWRITE_LINEDIFF_H
#define HK_LIB_REWRITE_LINEDIFF_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace hk {

/// Lines [ABegin, AEnd) of the old text become lines [BBegin, BEnd) of the new one.
struct LineChange {
  unsigned ABegin, AEnd;
  unsigned BBegin, BEnd;
};

/// The lines of \p Text, each with its line end, so that a missing final newline is a difference
/// too.
std::vector<llvm::StringRef> splitLines(llvm::StringRef Text);

/// A shortest edit script, in order, with a line kept between any two changes.
std::vector<LineChange> diffLines(llvm::ArrayRef<llvm::StringRef> A,
                                  llvm::ArrayRef<llvm::StringRef> B);

} // namespace hk

#endif // HK_LIB_REWRITE_LINEDIFF_H
