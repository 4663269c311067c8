//===- Verify.cpp - From a file to the report -----------------------------===//

#include "hk/Support/Installation.h"
#include "hk/Support/VersionNames.h"
#include "hk/Verify/Verify.h"

#include "Build.h"
#include "Gpu.h"
#include "KernelRuns.h"
#include "Programs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;
using namespace hk::verification;

namespace {

std::string count(uint64_t N, StringRef What) {
  return std::to_string(N) + " " + What.str() + (N == 1 ? "" : "s");
}

/// Specifications of the command line and of `// hk-launch:` comments in the main file.
Expected<std::vector<LaunchSpec>> specifications(const VerifyInput &Input, const VerifyOptions &Opts) {
  std::vector<LaunchSpec> All;
  for (const std::string &Text : Opts.Launches) {
    Expected<LaunchSpec> S = parseLaunchSpec(Text, "--launch");
    if (!S)
      return S.takeError();
    All.push_back(std::move(*S));
  }
  auto Buffer = MemoryBuffer::getFile(Input.MainFile);
  if (!Buffer)
    return All;
  unsigned Number = 0;
  for (StringRef Line : split((*Buffer)->getBuffer(), "\n")) {
    ++Number;
    Line = Line.trim();
    if (!Line.consume_front("//") || !(Line = Line.ltrim()).consume_front("hk-launch:"))
      continue;
    Expected<LaunchSpec> S = parseLaunchSpec(Line, Input.TheJob.File + ":" + std::to_string(Number));
    if (!S)
      return S.takeError();
    All.push_back(std::move(*S));
  }
  return All;
}

void printCounts(raw_ostream &OS, const CountPair &A, const CountPair &B) {
  auto Row = [&](const char *What, double X, double Y) {
    OS << format("    %-22s%16.0f%16.0f", What, X, Y);
    if (X > 0 && X != Y)
      OS << format("  %+.1f %%", 100 * (Y - X) / X);
    OS << '\n';
  };
  OS << format("    %-22s%16s%16s\n", "", "before", "after");
  Row("wave instructions", double(A.WaveInstructions), double(B.WaveInstructions));
  Row("barriers", double(A.Barriers), double(B.Barriers));
  Row("128-byte lines", double(A.Lines128), double(B.Lines128));
  Row("LDS conflict cycles", double(A.LdsConflicts), double(B.LdsConflicts));
  Row("model cycles (a model)", A.ModelCycles, B.ModelCycles);
}

/// What "equal" means if it is not bit for bit.
std::string withinText(const std::optional<ErrorBound> &Bound, const Deviation &Largest) {
  if (!Bound)
    return "";
  std::string Text;
  raw_string_ostream OS(Text);
  OS << ", floating-point values within " << format("%g relative", Bound->Relative);
  if (Bound->Absolute)
    OS << " or " << format("%g absolute", Bound->Absolute);
  OS << "; the largest deviations are " << format("%.3g relative, %.3g absolute", Largest.Relative, Largest.Absolute);
  return Text;
}

std::string skippedText(const KernelOutcome &R) {
  unsigned Total = 0;
  std::string Reasons;
  for (auto &[Why, N] : R.Skipped) {
    Total += N;
    Reasons += (Reasons.empty() ? "" : ", ") + std::to_string(N) + " " + Why;
  }
  return Total ? count(Total, "case") + " left out, since the original does not run: " + Reasons : "";
}

std::string placeOf(const Kernel &K) {
  return K.Place.File.empty() ? std::string() : K.Place.File + ":" + std::to_string(K.Place.Line) + ":" +
                                                     std::to_string(K.Place.Column) + ": ";
}

class Verification {
public:
  Verification(const VerifyInput &Input, const std::vector<ReplacedFile> &Rewritten, const FrontendOptions &Frontend,
               const VerifyOptions &Opts, raw_ostream &OS)
      : Input(Input), Rewritten(Rewritten), Opts(Opts), OS(OS), Build(Input, Frontend, Rewritten, Folder) {}

  VerifyStatus run() {
    if (!Build.prepare(OS))
      return VerifyStatus::Failed;
    Expected<std::vector<LaunchSpec>> Specs = specifications(Input, Opts);
    if (!Specs) {
      OS << "hk-opt: error: " << toString(Specs.takeError()) << "\n";
      return VerifyStatus::Failed;
    }
    for (const LaunchSpec &S : *Specs)
      if (none_of(Input.Kernels, [&](const Kernel &K) { return isNamed(K, S.Kernel); })) {
        OS << "hk-opt: error: " << S.Origin << ": no kernel '" << S.Kernel << "' in '" << Input.TheJob.File << "'\n";
        return VerifyStatus::Failed;
      }
    if (Input.DefinesMain && Opts.Launches.empty() && Opts.Kernels.empty())
      if (std::optional<VerifyStatus> Status = program())
        return *Status;
    return kernels(*Specs);
  }

private:
  const VerifyInput &Input;
  const std::vector<ReplacedFile> &Rewritten;
  const VerifyOptions &Opts;
  raw_ostream &OS;
  TemporaryFolder Folder;
  Builder Build;

  /// The rewrite keeps \p K, and writes a version of it that stands in for it.
  bool hasVersion(const Kernel &K) const {
    const StringRef Bare = StringRef(K.Name).split('<').first;
    const std::string Version = " " + (Bare.contains(':') ? Bare.rsplit(':').second : Bare).str() + VersionSuffix + "(";
    return any_of(Rewritten, [&](const ReplacedFile &R) { return StringRef(R.Contents).contains(Version); });
  }

  /// Nothing if it is no program by itself.
  std::optional<VerifyStatus> program() {
    std::string Library = standInFolder(), Before, After, Diagnostics;
    if (Library.empty()) {
      OS << "hk-opt: error: the stand-in HIP library was not found; HK_SIM_LIBRARY_PATH names its folder\n";
      return VerifyStatus::Failed;
    }
    if (!Build.program(false, Library, Before, Diagnostics)) {
      OS << "note: '" << Input.TheJob.File
         << "' does not build as a program of its own, so its kernels are launched on generated inputs\n";
      return std::nullopt;
    }
    if (!Build.program(true, Library, After, Diagnostics)) {
      OS << "hk-opt: error: the rewritten program cannot be built\n" << Diagnostics;
      return VerifyStatus::Failed;
    }
    ProgramOutcome R = runPrograms(Before, After, Input.Kernels, Library, Folder, Opts);
    for (const std::string &Note : R.Notes)
      OS << "note: " << Note << "\n";
    if (!R.NotRun.empty()) {
      OS << Input.TheJob.File << ": warning: not verified: " << R.NotRun << " [hk-verify]\n";
      return VerifyStatus::NothingRan;
    }
    if (!R.Difference.empty()) {
      OS << Input.TheJob.File << ": error: the rewritten program differs: " << R.Difference << " [hk-verify]\n";
      return VerifyStatus::Differs;
    }
    OS << Input.TheJob.File << ": equal: " << R.Launches << (R.Launches == 1 ? " launch" : " launches") << ", memory compared after "
       << R.Compared << ", output and exit code too" << withinText(R.Bound, R.Largest) << "\n";
    if (R.ExitCode)
      OS << "note: both end with exit code " << R.ExitCode << "\n";
    for (const Kernel &K : Input.Kernels)
      if (auto It = R.InPlace.find(K.Mangled); It != R.InPlace.end() && !It->second && hasVersion(K))
        OS << placeOf(K) << "warning: the new version of '" << K.Name
           << "' did not run: what its launcher checks did not hold [hk-verify]\n";
    for (auto &[Name, C] : R.Kernels) {
      OS << "  " << demangle(Name) << ": " << C.LaunchesBefore << " launches before, " << C.LaunchesAfter << " after\n";
      printCounts(OS, C.Before, C.After);
    }
    if (R.Launches && !R.Compared) {
      OS << Input.TheJob.File << ": warning: not verified: no launch could be compared [hk-verify]\n";
      return VerifyStatus::NothingRan;
    }
    return VerifyStatus::Equal;
  }

  VerifyStatus kernels(const std::vector<LaunchSpec> &Specs) {
    if (Input.Kernels.empty()) {
      OS << "note: " << Input.TheJob.File << ": no kernels to verify\n";
      return VerifyStatus::Equal;
    }
    std::vector<uint8_t> Before, After;
    if (!Build.deviceCode(false, Before, OS) || !Build.deviceCode(true, After, OS))
      return VerifyStatus::Failed;
    std::vector<std::string> Common;
    {
      sim::DeviceMemory Memory;
      auto A = sim::Module::load(Before, Memory), B = sim::Module::load(After, Memory);
      if (!A || !B) {
        if (!A)
          OS << "hk-opt: error: " << toString(A.takeError()) << "\n";
        if (!B)
          OS << "hk-opt: error: " << toString(B.takeError()) << "\n";
        return VerifyStatus::Failed;
      }
      for (auto &K : (*A)->kernels())
        if ((*B)->kernel(K->Name))
          Common.push_back(K->Name);
    }
    unsigned Equal = 0, Differs = 0, NotRun = 0;
    for (const Kernel &K : Input.Kernels) {
      if (!Opts.Kernels.empty() && none_of(Opts.Kernels, [&](const std::string &N) { return isNamed(K, N); }))
        continue;
      std::vector<const LaunchSpec *> Own;
      for (const LaunchSpec &S : Specs)
        if (isNamed(K, S.Kernel))
          Own.push_back(&S);
      if (hasVersion(K)) {
        ++NotRun;
        OS << placeOf(K) << "warning: kernel '" << K.Name
           << "' is not verified: its new version is launched by host code, which generated inputs do not run; verify a program "
              "that launches it [hk-verify]\n";
        continue;
      }
      const std::optional<ErrorBound> Bound = boundOf(K, Input.Kernels, Opts);
      KernelOutcome R;
      if (!is_contained(Common, K.Mangled))
        R.Problem = "only one version has it";
      else
        R = runKernel(K, Input.Launches, Own, Before, After, Bound, Opts);
      if (!R.Problem.empty() && !Own.empty() && R.Equal == 0 && R.Difference.empty()) {
        OS << "hk-opt: error: " << Own.front()->Origin << ": " << R.Problem << "\n";
        return VerifyStatus::Failed;
      }
      if (!R.Difference.empty()) {
        ++Differs;
        OS << placeOf(K) << "error: kernel '" << K.Name << "' differs: " << R.Difference << " [hk-verify]\n"
           << "  note: case " << R.CaseNumber << ": " << R.Case << "\n";
        OS << "  note: before it, " << count(R.Equal, "case") << " equal";
        if (std::string Left = skippedText(R); !Left.empty())
          OS << ", " << Left;
        OS << "\n";
      } else if (!R.Equal) {
        ++NotRun;
        OS << placeOf(K) << "warning: kernel '" << K.Name << "' is not verified: "
           << (R.Problem.empty() ? "no case ran; describe a launch with --launch or '// hk-launch:'" : R.Problem)
           << " [hk-verify]\n";
        if (!R.Skipped.empty())
          OS << "  note: " << skippedText(R) << "\n  note: the first: " << R.SkippedExample << "\n";
      } else {
        ++Equal;
        OS << placeOf(K) << "kernel '" << K.Name << "': equal over " << count(R.Equal, "case")
           << withinText(Bound, R.Largest) << "\n";
        if (!R.Skipped.empty())
          OS << "  note: " << skippedText(R) << "\n";
        if (R.OrderDependent)
          OS << "  note: in " << count(R.OrderDependent, "case")
             << " some bytes depend on the order of wavefronts by themselves and were not compared\n";
        printCounts(OS, R.Before, R.After);
      }
    }
    OS << count(Equal, "kernel") << " equal, " << Differs << " different, " << NotRun << " not verified\n";
    return Differs ? VerifyStatus::Differs : NotRun ? VerifyStatus::NothingRan : VerifyStatus::Equal;
  }
};

} // namespace

bool hk::isNamed(const Kernel &K, StringRef Name) {
  if (Name == K.Mangled || Name == K.Name)
    return true;
  StringRef Bare = StringRef(K.Name).split('<').first;
  return Name == Bare || Name == Bare.rsplit(':').second;
}

std::optional<ErrorBound> hk::boundOf(const Kernel &K, const std::vector<Kernel> &All, const VerifyOptions &Opts) {
  if (Opts.Bound)
    return Opts.Bound;
  std::optional<ErrorBound> Bound;
  for (auto &[Function, B] : Opts.Promised) {
    bool OfKernel = any_of(All, [&, &Function = Function](const Kernel &Other) { return isNamed(Other, Function); });
    if (OfKernel && !isNamed(K, Function))
      continue;
    widen(Bound, B);
  }
  return Bound;
}

VerifyStatus hk::verify(const VerifyInput &Input, const std::vector<ReplacedFile> &Rewritten,
                        const FrontendOptions &Frontend, const VerifyOptions &Opts, raw_ostream &Report) {
  if (Opts.Gpu) {
    Expected<std::string> Name = Gpu::probe();
    if (!Name) {
      Report << "hk-opt: error: --device=gpu: " << toString(Name.takeError()) << "\n";
      return VerifyStatus::Failed;
    }
    Report << "note: run on the GPU '" << *Name << "'; counts are the simulator's\n";
  }
  return Verification(Input, Rewritten, Frontend, Opts, Report).run();
}
