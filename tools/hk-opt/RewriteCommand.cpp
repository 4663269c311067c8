//===- RewriteCommand.cpp - hk-opt rewrite --------------------------------===//

#include "Analysis.h"
#include "Progress.h"

#include "hk/Rewrite/Output.h"
#include "hk/Rewrite/Rewriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace llvm;
using namespace hk;

namespace {

/// What must be remembered of a translation unit once its AST and IR are gone.
struct Remembered {
  Job TheJob;
  std::string MainFile;
  StringSet<> Files; ///< user files it reads
};

bool report(const std::string &Error) {
  if (Error.empty())
    return true;
  WithColor::error(errs(), "hk-opt") << Error << "\n";
  return false;
}

std::string currentDirectory() {
  SmallString<256> Dir;
  sys::fs::current_path(Dir);
  return std::string(Dir);
}

/// Below --out-dir a file keeps its path relative to the current folder; one from elsewhere keeps its whole path.
std::string overlayPath(StringRef OutDir, StringRef File) {
  std::string Root = currentDirectory();
  StringRef Relative = File;
  if (Relative.starts_with(Root) && Relative.size() > Root.size() &&
      sys::path::is_separator(Relative[Root.size()]))
    Relative = Relative.drop_front(Root.size() + 1);
  else
    Relative = sys::path::relative_path(File);
  SmallString<256> Path(OutDir);
  sys::path::append(Path, Relative);
  return std::string(Path);
}

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
void checkInsertions(std::vector<Proposal> &Proposals, const std::vector<Remembered> &Units, Rewriter &Rewrite,
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
    for (const Remembered &U : Units) {
      std::unique_ptr<AnalyzedUnit> A = analyzeJob(U.TheJob, Again, overlayOf(Results));
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
bool rewrittenCompiles(const std::vector<RewrittenFile> &Results, const std::vector<Remembered> &Units,
                       const ToolOptions &Opts) {
  auto Overlay = overlayOf(Results);
  for (const Remembered &U : Units) {
    if (none_of(Results, [&](const RewrittenFile &R) { return U.Files.contains(R.Path); }))
      continue;
    std::string Text;
    raw_string_ostream Diags(Text);
    if (stillCompiles(U.TheJob, frontendOptions(Opts), Diags, Overlay))
      continue;
    WithColor::error(errs(), "hk-opt") << "internal error: the rewritten form of " << U.TheJob.File
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

int hk::runRewrite(const ToolOptions &Opts) {
  std::vector<Job> Jobs;
  if (!jobsOf(Opts, Jobs))
    return ExitFailed;

  auto Passes = makePasses(Opts.Passes);
  if (!Opts.PassNames.empty())
    erase_if(Passes, [&](auto &P) { return !is_contained(Opts.PassNames, P->name()); });

  Rewriter Rewrite;
  std::vector<Remembered> Units;
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
      Remembered R{J, A->Unit.MainFile, {}};
      R.Files.insert(A->Unit.MainFile);
      for (const IncludePoint &I : A->Unit.IncludePoints) {
        R.Files.insert(I.File);
        Rewrite.setIncludeSite(I.File, {I.Offset, I.AtTopLevel, I.Included});
      }
      Units.push_back(std::move(R));
    }
  }

  std::vector<Proposal> Proposals;
  for (auto &P : Passes)
    append_range(Proposals, P->propose());
  if (!Failed && Opts.Passes.InsertBarriers)
    checkInsertions(Proposals, Units, Rewrite, Opts);
  Rewrite.apply(Proposals);
  std::string Error;
  std::vector<RewrittenFile> Results = Rewrite.results(Error);
  if (!report(Error))
    return ExitFailed;

  std::vector<Proposal> Shown = Proposals;
  if (Opts.Quiet)
    erase_if(Shown, [](const Proposal &P) { return P.Level == Severity::Remark; });
  RemarkStyle Style;
  Style.Color = errs().has_colors();
  printProposals(errs(), Shown, Style);
  if (Failed) {
    WithColor::note(errs()) << "nothing is written, since not all files could be analyzed\n";
    return ExitFailed;
  }
  if (!Opts.Quiet)
    summarize(Proposals, Kernels);
  if (!rewrittenCompiles(Results, Units, Opts))
    return ExitFailed;

  std::string Root = currentDirectory();
  std::vector<PendingFile> Pending;
  std::string Printed;
  if (!Opts.Sarif.empty())
    Pending.push_back({Opts.Sarif, sarif(Proposals, Results, Root)});
  if (!Opts.ExportFixes.empty()) {
    Pending.push_back({Opts.ExportFixes, ""});
    std::string Main = Units.empty() ? "" : Units.front().MainFile;
    if (!report(fixesYaml(Pending.back().Contents, Main, Rewrite.edits())))
      return ExitFailed;
  }
  if (!Opts.OutDir.empty()) {
    std::map<std::string, std::string> Taken;
    for (const RewrittenFile &R : Results) {
      std::string Path = overlayPath(Opts.OutDir, R.Path);
      auto [It, New] = Taken.try_emplace(Path, R.Path);
      if (!New && !report("'" + R.Path + "' and '" + It->second + "' would both be written to '" + Path + "'"))
        return ExitFailed;
      Pending.push_back({Path, R.After});
    }
    for (const PendingFile &F : Pending)
      if (std::error_code EC = sys::fs::create_directories(sys::path::parent_path(F.Path)))
        return report("cannot create the folder of '" + F.Path + "': " + EC.message()), ExitFailed;
  } else if (Opts.InPlace) {
    for (const RewrittenFile &R : Results)
      Pending.push_back({R.Path, R.After});
  } else if (!Opts.Output.empty()) {
    // The whole file, changed or not: a build step expects its output.
    std::string Text;
    const std::string &Main = Units.front().MainFile;
    auto It = find_if(Results, [&](const RewrittenFile &R) { return R.Path == Main; });
    if (It != Results.end()) {
      Text = It->After;
    } else {
      auto Buffer = MemoryBuffer::getFile(Main, false, false);
      if (!Buffer)
        return report("cannot read '" + Main + "': " + Buffer.getError().message()), ExitFailed;
      Text = (*Buffer)->getBuffer().str();
    }
    if (Opts.Output == "-")
      Printed = std::move(Text);
    else
      Pending.push_back({Opts.Output, std::move(Text)});
  }
  if (!report(writeAll(Pending)))
    return ExitFailed;
  outs() << Printed;

  bool Writes = Opts.InPlace || !Opts.OutDir.empty() || !Opts.Output.empty();
  if (Opts.Diff || (!Writes && !Opts.Check))
    printUnifiedDiff(outs(), Results, Root);
  return Opts.Check && !Results.empty() ? ExitWouldChange : ExitDone;
}
