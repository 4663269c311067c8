//===- Pass.h - What a pass is ----------------------------------*- C++ -*-===//
//
// A pass reads the facts of all translation units of a run and then makes its
// proposals, so that a place that several units or instantiations share gets
// one answer that holds for all of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/KernelFacts.h"
#include "hk/Rewrite/Proposal.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hk {

/// Options that change what passes may do; the same in every front end of the tool.
struct PassOptions {
  bool AssumeNoAlias = false;  ///< --assume=noalias: different pointer parameters never overlap
  bool AssumeLaunches = false; ///< --assume=launches: the launches in view are all there are
  bool AssumeConfiguration =
      false; ///< --assume=configuration: #if lines always read as with the given flags
  bool AssumeLongLoops = false; ///< --assume=long-loops: loops of unknown length are long
  /// --block-size: work-items of the workgroups of new versions; 0: by the occupancy model.
  unsigned BlockSize = 0;
  std::string Target = "gfx942"; ///< --target
  bool ExactFloats = false;      ///< --fp=exact: sums keep their order
  bool InsertBarriers = false;   ///< --insert-barriers
  /// Search for races as long as for verdicts, and report each pair of places: what inserting and
  /// checking it take.
  bool AllRaces = false;
  bool EditHeaders = false; ///< edits in files other than the main file are wanted
  /// --solver-steps: for all kernels of a file; a million take one to three seconds.
  uint64_t SolverSteps = 10000000;
};

class RewritePass {
public:
  virtual ~RewritePass() = default;
  /// As in --passes=NAME and [hk-NAME].
  virtual llvm::StringRef name() const = 0;
  /// One line for --help.
  virtual llvm::StringRef summary() const = 0;
  /// Whether it runs without being named in --passes.
  virtual bool byDefault() const { return true; }
  /// Called for each translation unit. \p Kernels are its kernels' facts; they do not outlive the
  /// call.
  virtual void analyze(const TranslationUnit &TU,
                       const std::vector<std::unique_ptr<KernelFacts>> &Kernels) = 0;
  /// Called once, after all translation units.
  virtual std::vector<Proposal> propose() = 0;
};

/// All passes, in the order they run.
std::vector<std::unique_ptr<RewritePass>> makePasses(const PassOptions &Opts);

} // namespace hk
