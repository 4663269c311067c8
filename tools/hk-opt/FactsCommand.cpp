//===- FactsCommand.cpp - hk-opt facts ------------------------------------===//

#include "Analysis.h"

#include "hk/Facts/PrintFacts.h"

#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace hk;

int hk::runFacts(const ToolOptions &Opts) {
  std::vector<Job> Jobs;
  if (!jobsOf(Opts, Jobs))
    return ExitFailed;
  bool Failed = false;
  for (const Job &J : Jobs) {
    std::unique_ptr<AnalyzedUnit> A = analyzeJob(J, Opts);
    if (!A) {
      Failed = true;
      continue;
    }
    if (A->Kernels.empty())
      llvm::WithColor::note(llvm::errs()) << J.File << ": no kernels in this file\n";
    for (const auto &K : A->Kernels)
      printFacts(llvm::outs(), *K, Opts.Passes.AssumeNoAlias);
  }
  return Failed ? ExitFailed : ExitDone;
}
