//===- Analysis.h - From a job to kernel facts ------------------*- C++ -*-===//
#pragma once

#include "Options.h"

#include "hk/Facts/DevicePipeline.h"
#include "hk/Facts/KernelFacts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <vector>

namespace hk {

/// A parsed file with the facts of its kernels, which point into it.
struct AnalyzedUnit {
  TranslationUnit Unit;
  std::unique_ptr<DevicePipeline> Pipeline;
  std::vector<std::unique_ptr<KernelFacts>> Kernels; ///< in source order
};

/// Parses and analyzes a job, or prints why it could not be. \p FS may overlay rewritten contents.
std::unique_ptr<AnalyzedUnit> analyzeJob(const Job &J, const ToolOptions &Opts,
                                         llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS = nullptr);

/// Jobs of the command line; prints an error and returns false if there is a problem.
bool jobsOf(const ToolOptions &Opts, std::vector<Job> &Out);

/// Fills in what the command line left open: the runtime's include path.
FrontendOptions frontendOptions(const ToolOptions &Opts);

} // namespace hk
