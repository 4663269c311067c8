//===- RewriteCommand.cpp - hk-opt rewrite --------------------------------===//

#include "Pipeline.h"

#include "hk/Rewrite/Output.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;
using namespace hk;

namespace {

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

} // namespace

int hk::runRewrite(const ToolOptions &Opts) {
  RewriteRun Run;
  if (!runPipeline(Opts, Run))
    return ExitFailed;
  const std::vector<RewrittenFile> &Results = Run.Results;
  const std::vector<AnalyzedFile> &Units = Run.Units;
  if (Opts.Verify)
    if (ExitStatus Status = verifyResults(Opts, Units, Run.Proposals, Results, errs()); Status != ExitDone) {
      WithColor::note(errs()) << "nothing is written\n";
      return Status;
    }

  std::string Root = currentDirectory();
  std::vector<PendingFile> Pending;
  std::string Printed;
  if (!Opts.Sarif.empty())
    Pending.push_back({Opts.Sarif, sarif(Run.Proposals, Results, Root)});
  if (!Opts.ExportFixes.empty()) {
    Pending.push_back({Opts.ExportFixes, ""});
    std::string Main = Units.empty() ? "" : Units.front().Input.MainFile;
    if (!report(fixesYaml(Pending.back().Contents, Main, Run.Rewrite.edits())))
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
  } else if (Opts.InPlace) {
    for (const RewrittenFile &R : Results)
      Pending.push_back({R.Path, R.After});
  } else if (!Opts.Output.empty()) {
    // The whole file, changed or not: a build step expects its output.
    std::string Text;
    const std::string &Main = Units.front().Input.MainFile;
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
