//===- Output.h - Views of proposals and rewritten files --------*- C++ -*-===//
//
// Remarks, unified diff, clang-apply-replacements YAML, SARIF 2.1.0, and writing files whole or not at all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Rewrite/Proposal.h"
#include "hk/Rewrite/Rewriter.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace hk {

struct RemarkStyle {
  bool Color = false;
  bool ShowSource = true;      ///< print the source line and a caret, as clang does
  bool ShowObligations = true; ///< a note line an obligation
};

/// Prints clang-style: `file:line:col: remark: message [hk-pass]`, then notes. Sorted by place, stable. Source lines are
/// read from disk: print before writing.
void printProposals(llvm::raw_ostream &OS, const std::vector<Proposal> &Proposals, const RemarkStyle &Style);

/// `--- a/path` / `+++ b/path` unified diff with three lines of context that `patch -p1` applies; paths are made
/// relative to \p Root when under it. Handles missing final newlines and CRLF.
void printUnifiedDiff(llvm::raw_ostream &OS, const std::vector<RewrittenFile> &Files, llvm::StringRef Root);

/// A file to write.
struct PendingFile {
  std::string Path;
  std::string Contents;
};

/// The format of clang-apply-replacements, one document, in \p Text. Returns an error text, or empty.
std::string fixesYaml(std::string &Text, llvm::StringRef MainFile, const std::vector<Edit> &Edits);

/// SARIF 2.1.0 log with rules, results, related locations and fixes.
std::string sarif(const std::vector<Proposal> &Proposals, const std::vector<RewrittenFile> &Files,
                  llvm::StringRef Root);

/// Writes all files or none: temporaries beside each target first, then renames; on any failure the temporaries are
/// removed and targets that were already replaced are restored. Keeps permission bits; follows symbolic links to
/// their target; makes missing folders; leaves a file alone that has its contents already; writes to devices and pipes
/// (/dev/stdout) in place, last. Returns an error text, or empty.
std::string writeAll(const std::vector<PendingFile> &Files);

} // namespace hk
