//===- VerifyCommand.cpp - hk-opt verify, and rewrite --verify ------------===//

#include "Analysis.h"
#include "Pipeline.h"
#include "Progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;

/// What the proposals that were carried out promise of their functions' results.
static std::map<std::string, std::optional<ErrorBound>> promises(const std::vector<Proposal> &Proposals) {
  std::map<std::string, std::optional<ErrorBound>> Promised;
  for (const Proposal &P : Proposals)
    if (P.Result == Outcome::Proposed && P.Bound)
      widen(Promised[P.Function], P.Bound);
  return Promised;
}

ExitStatus hk::verifyResults(const ToolOptions &Opts, const std::vector<AnalyzedFile> &Units,
                             const std::vector<Proposal> &Proposals, const std::vector<RewrittenFile> &Results,
                             raw_ostream &OS) {
  VerifyOptions Verification = Opts.Verification;
  Verification.Promised = promises(Proposals);
  std::vector<ReplacedFile> Replaced;
  for (const RewrittenFile &R : Results)
    Replaced.push_back({R.Path, R.After});
  ExitStatus Worst = ExitDone;
  for (const AnalyzedFile &U : Units) {
    if (none_of(Results, [&](const RewrittenFile &R) { return U.Files.contains(R.Path); })) {
      if (!Opts.Quiet)
        OS << U.Input.TheJob.File << ": nothing changes, so nothing is run\n";
      continue;
    }
    std::string Text;
    raw_string_ostream Report(Text);
    VerifyStatus Status = verify(U.Input, Replaced, frontendOptions(Opts), Verification, Report);
    if (Status != VerifyStatus::Equal || !Opts.Quiet)
      OS << Text;
    OS.flush();
    // An error outweighs a difference: it may hide others.
    if (Status == VerifyStatus::Failed)
      Worst = ExitFailed;
    else if (Status == VerifyStatus::Differs && Worst == ExitDone)
      Worst = ExitDiffers;
  }
  return Worst;
}

/// Both versions as files: the passes have no part in it.
static int verifyAgainst(const ToolOptions &Opts) {
  std::vector<Job> Jobs;
  if (!jobsOf(Opts, Jobs))
    return ExitFailed;
  auto Other = MemoryBuffer::getFile(Opts.Against, false, false);
  if (!Other) {
    WithColor::error(errs(), "hk-opt") << "cannot read '" << Opts.Against << "': " << Other.getError().message() << "\n";
    return ExitFailed;
  }
  std::vector<AnalyzedFile> Units;
  std::vector<RewrittenFile> Results;
  for (const Job &J : Jobs) {
    TranslationUnit TU;
    if (parse(J, frontendOptions(Opts), TU, errs()) != ParseStatus::Ok)
      return ExitFailed;
    AnalyzedFile U;
    U.Input = {J, TU.MainFile, TU.Kernels, TU.Launches, TU.DefinesMain};
    U.Files.insert(TU.MainFile);
    if (Results.empty())
      Results.push_back({TU.MainFile, "", (*Other)->getBuffer().str()});
    Units.push_back(std::move(U));
  }
  return verifyResults(Opts, Units, {}, Results, outs());
}

int hk::runVerify(const ToolOptions &Opts) {
  if (!Opts.Against.empty())
    return verifyAgainst(Opts);
  RewriteRun Run;
  if (!runPipeline(Opts, Run))
    return ExitFailed;
  return verifyResults(Opts, Run.Units, Run.Proposals, Run.Results, outs());
}
