//===- Programs.h - A whole program, before and after -----------*- C++ -*-===//
#pragma once

#include "Build.h"
#include "KernelRuns.h"

namespace hk::verification {

struct ProgramOutcome {
  std::string NotRun; ///< why there is nothing to compare; empty: it ran
  std::string Difference;
  std::vector<std::string> Notes;
  std::optional<ErrorBound> Bound; ///< the loosest of all kernels
  Deviation Largest;               ///< that it let pass
  unsigned Launches = 0, Compared = 0; ///< of the original; those whose memory was compared
  int ExitCode = 0;                    ///< of both
  std::map<std::string, unsigned> InPlace; ///< by mangled name of those compared: launches of a version in its place
  /// By kernel, as the simulator names it: launches, and counts before and after.
  struct Counts {
    uint64_t LaunchesBefore = 0, LaunchesAfter = 0;
    CountPair Before, After;
  };
  std::map<std::string, Counts> Kernels;
};

/// Runs both programs, built before; \p Kernels tell the types of what differs.
ProgramOutcome runPrograms(llvm::StringRef Before, llvm::StringRef After, const std::vector<Kernel> &Kernels,
                           llvm::StringRef LibraryFolder, const TemporaryFolder &Folder, const VerifyOptions &Opts);

} // namespace hk::verification
