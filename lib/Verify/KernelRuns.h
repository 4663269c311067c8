//===- KernelRuns.h - A kernel, before and after, on made-up inputs -*- C++ -*-===//
#pragma once

#include "Compare.h"
#include "Inputs.h"

namespace hk::verification {

struct CountPair {
  uint64_t WaveInstructions = 0, Barriers = 0, Lines128 = 0, LdsConflicts = 0;
  double ModelCycles = 0;
  void add(const sim::Counters &C, double Cycles);
  CountPair &operator+=(const CountPair &O);
};

/// What came of all cases of a kernel.
struct KernelOutcome {
  unsigned Equal = 0;
  unsigned OrderDependent = 0; ///< of the equal ones: with bytes that depend on the order of wavefronts by themselves
  std::map<std::string, unsigned> Skipped; ///< by reason
  std::string SkippedExample;              ///< what the original did wrong, once
  std::string Problem; ///< inputs cannot be made; no case can run
  /// The first difference: "buffer 'out' element 3: ..." and the case. Empty: none.
  std::string Difference, Case;
  unsigned CaseNumber = 0;
  CountPair Before, After;
  Deviation Largest; ///< that the bound let pass
};

/// Runs the cases in processes of their own, so that whatever happens in one ends it alone.
KernelOutcome runKernel(const Kernel &K, const std::vector<Launch> &Launches,
                        const std::vector<const LaunchSpec *> &Specs, llvm::ArrayRef<uint8_t> Before,
                        llvm::ArrayRef<uint8_t> After, const std::optional<ErrorBound> &Bound,
                        const VerifyOptions &Opts);

} // namespace hk::verification
