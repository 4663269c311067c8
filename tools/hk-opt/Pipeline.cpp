//===- Pipeline.cpp -------------------------------------------------------===//

#include "Pipeline.h"

#include "Analysis.h"
#include "Progress.h"

#include "hk/Rewrite/Output.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;
using namespace hk;

namespace {

IntrusiveRefCntPtr<vfs::FileSystem> overlayOf(const std::vector<RewrittenFile> &Results) {
  auto Memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const RewrittenFile &R : Results)
    Memory->addFile(R.Path, 0, MemoryBuffer::getMemBufferCopy(R.After, R.Path));
  auto Overlay = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(vfs::createPhysicalFileSystem());
  Overlay->pushOverlay(Memory);
  return Overlay;
}

bool isInsertion(const Proposal &P) { return P.Rule == "barriers-race" && P.Result == Outcome::Proposed; }

/// Inserted barriers are proposals like others, but what they promise is easily checked: in the rewritten text the
/// races are gone and no barrier stands in divergent flow. Those that do not keep it are declined.
void checkInsertions(std::vector<Proposal> &Proposals, const std::vector<AnalyzedFile> &Units, Rewriter &Rewrite,
                     const ToolOptions &Opts) {
  auto Count = [](const std::vector<Proposal> &All, StringRef Rule) {
    return count_if(All, [&](const Proposal &P) { return P.Rule == Rule; });
  };
  auto Holds = [&](std::vector<Proposal> Candidate) {
    Rewriter Trial = Rewrite;
    Trial.apply(Candidate);
    std::string Error;
    std::vector<RewrittenFile> Results = Trial.results(Error);
    ToolOptions Again = Opts;
    Again.Passes.InsertBarriers = false;
    auto Passes = makePasses(Again.Passes);
    erase_if(Passes, [](auto &P) { return P->name() != "barriers"; });
    for (const AnalyzedFile &U : Units) {
      std::unique_ptr<AnalyzedUnit> A = analyzeJob(U.Input.TheJob, Again, overlayOf(Results));
      if (!A)
        return false;
      for (auto &P : Passes)
        P->analyze(A->Unit, A->Kernels);
    }
    std::vector<Proposal> After = Passes.front()->propose();
    return Count(After, "barriers-race") <=
               Count(Candidate, "barriers-race") - count_if(Candidate, isInsertion) &&
           Count(After, "barriers-divergent") <= Count(Candidate, "barriers-divergent");
  };
  if (none_of(Proposals, isInsertion) || Holds(Proposals))
    return;
  // Barrier by barrier: the proposals that share an edit stand and fall together.
  std::set<Edit> Bad;
  for (const Proposal &P : Proposals) {
    if (!isInsertion(P) || Bad.count(P.Edits.front()))
      continue;
    std::vector<Proposal> Alone = Proposals;
    for (Proposal &Q : Alone)
      if (isInsertion(Q) && !(Q.Edits == P.Edits)) {
        Q.Result = Outcome::Finding;
        Q.Edits.clear();
      }
    if (!Holds(Alone))
      Bad.insert(P.Edits.front());
  }
  for (Proposal &P : Proposals)
    if (isInsertion(P) && Bad.count(P.Edits.front())) {
      P.Result = Outcome::Declined;
      P.Edits.clear();
      P.Includes.clear();
      P.Message = StringRef(P.Message).split(';').first.str();
      P.Obligations.push_back({"a barrier between the two accesses is reached by the whole workgroup and ends the race",
                               ObligationState::Failed, "the analysis of the changed text does not show it"});
    }
}

/// Parses the rewritten files again: text that does not compile is never handed out.
bool rewrittenCompiles(const std::vector<RewrittenFile> &Results, const std::vector<AnalyzedFile> &Units,
                       const ToolOptions &Opts) {
  auto Overlay = overlayOf(Results);
  for (const AnalyzedFile &U : Units) {
    if (none_of(Results, [&](const RewrittenFile &R) { return U.Files.contains(R.Path); }))
      continue;
    std::string Text;
    raw_string_ostream Diags(Text);
    if (stillCompiles(U.Input.TheJob, frontendOptions(Opts), Diags, Overlay))
      continue;
    WithColor::error(errs(), "hk-opt") << "internal error: the rewritten form of " << U.Input.TheJob.File
                                       << " does not compile; nothing is written\n"
                                       << Text;
    return false;
  }
  return true;
}

void summarize(const std::vector<Proposal> &Proposals, unsigned Kernels) {
  unsigned Applied = 0, Declined = 0, Warnings = 0;
  for (const Proposal &P : Proposals) {
    Applied += P.Result == Outcome::Proposed;
    Declined += P.Result == Outcome::Declined;
    Warnings += P.Level == Severity::Warning;
  }
  auto Count = [](unsigned N, const char *What) { return std::to_string(N) + " " + What + (N == 1 ? "" : "s"); };
  errs() << Count(Kernels, "kernel") << ": " << Count(Applied, "rewrite") << ", " << Declined << " declined, "
         << Count(Warnings, "warning") << "\n";
}

} // namespace

bool hk::runPipeline(const ToolOptions &Opts, RewriteRun &Out) {
  std::vector<Job> Jobs;
  if (!jobsOf(Opts, Jobs))
    return false;

  auto Passes = makePasses(Opts.Passes);
  erase_if(Passes, [&](auto &P) {
    return Opts.PassNames.empty() ? !P->byDefault() : !is_contained(Opts.PassNames, P->name());
  });

  Rewriter &Rewrite = Out.Rewrite;
  std::vector<AnalyzedFile> &Units = Out.Units;
  unsigned Kernels = 0;
  bool Failed = false;
  {
    Progress Bar(Jobs.size(), "analyzing");
    for (const Job &J : Jobs) {
      Bar.next(J.File);
      std::unique_ptr<AnalyzedUnit> A = analyzeJob(J, Opts);
      if (!A) {
        Failed = true;
        continue;
      }
      Kernels += A->Kernels.size();
      if (A->Unit.Kernels.empty() && A->Unit.SyncCalls.empty() && !Opts.Quiet)
        WithColor::note(errs()) << J.File << ": no kernels in this file\n";
      for (auto &P : Passes)
        P->analyze(A->Unit, A->Kernels);
      AnalyzedFile R;
      R.Input = {J, A->Unit.MainFile, A->Unit.Kernels, A->Unit.Launches, A->Unit.DefinesMain};
      R.Files.insert(A->Unit.MainFile);
      for (const IncludePoint &I : A->Unit.IncludePoints) {
        R.Files.insert(I.File);
        Rewrite.setIncludeSite(I.File, {I.Offset, I.AtTopLevel, I.Included});
      }
      Units.push_back(std::move(R));
    }
  }

  std::vector<Proposal> &Proposals = Out.Proposals;
  for (auto &P : Passes)
    append_range(Proposals, P->propose());
  if (!Failed && Opts.Passes.InsertBarriers)
    checkInsertions(Proposals, Units, Rewrite, Opts);
  Rewrite.apply(Proposals);
  std::string Error;
  Out.Results = Rewrite.results(Error);
  if (!Error.empty()) {
    WithColor::error(errs(), "hk-opt") << Error << "\n";
    return false;
  }

  std::vector<Proposal> Shown = Proposals;
  if (Opts.Quiet)
    erase_if(Shown, [](const Proposal &P) { return P.Level == Severity::Remark; });
  RemarkStyle Style;
  Style.Color = errs().has_colors();
  printProposals(errs(), Shown, Style);
  if (Failed) {
    WithColor::note(errs()) << "nothing is written, since not all files could be analyzed\n";
    return false;
  }
  if (!Opts.Quiet)
    summarize(Proposals, Kernels);
  return rewrittenCompiles(Out.Results, Units, Opts);
}
