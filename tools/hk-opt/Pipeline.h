//===- Pipeline.h - From a command line to rewritten contents ---*- C++ -*-===//
#pragma once

#include "Options.h"

#include "hk/Rewrite/Rewriter.h"

#include "llvm/ADT/StringSet.h"

#include <vector>

namespace hk {

/// What must be remembered of a translation unit once its AST and IR are gone.
struct AnalyzedFile {
  VerifyInput Input;
  llvm::StringSet<> Files; ///< user files it reads
};

struct RewriteRun {
  std::vector<AnalyzedFile> Units;
  std::vector<Proposal> Proposals;
  Rewriter Rewrite;
  std::vector<RewrittenFile> Results;
};

/// Analyzes all files, runs the passes, prints remarks, and checks that the new contents compile. False after an error
/// that was printed.
bool runPipeline(const ToolOptions &Opts, RewriteRun &Out);

/// Verifies each file that the results concern, within what the proposals promise; --quiet leaves out what is equal.
/// The report goes to \p OS.
ExitStatus verifyResults(const ToolOptions &Opts, const std::vector<AnalyzedFile> &Units,
                         const std::vector<Proposal> &Proposals, const std::vector<RewrittenFile> &Results,
                         llvm::raw_ostream &OS);

} // namespace hk
