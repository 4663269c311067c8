//===- Programs.cpp -------------------------------------------------------===//
//
// Both programs write what device memory holds after each launch, as hashes
// (see runtime/snapshot/SnapshotWriter.h). Where these first differ, both run again to
// write the bytes. What a program prints is compared by line; lines in which
// the original differs from itself, times say, do not count.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "Gpu.h"
#include "Interrupt.h"

#include "hk/Support/Installation.h"
#include "hk/Support/VersionNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

extern char **environ;

using namespace llvm;
using namespace hk;
using namespace hk::verification;

namespace {

struct LaunchRecord {
  std::string Kernel;
  struct Argument {
    std::string Name, Key;
    uint64_t Offset;
  };
  std::vector<Argument> Arguments;
  std::map<std::string, std::pair<uint64_t, std::string>> Memory; ///< key: size and hash
};

struct Run {
  int Code = 0;
  bool TimedOut = false;
  std::string Error; ///< could not be started
  std::string Out, Messages;
  unsigned Faults = 0;
  std::vector<LaunchRecord> Launches;
  std::map<std::string, std::pair<uint64_t, CountPair>> Kernels;

  bool isFault(StringRef Kind) const { return StringRef(fault()).starts_with((Kind + ":").str()); }
  std::string fault() const {
    for (StringRef Line : split(Messages, "\n"))
      if (Line.consume_front("hk-sim: "))
        return Line.str();
    return "a kernel faulted";
  }
};

struct Setting {
  uint64_t Order = 0;
  bool Races = false, HostTime = false;
  std::string Dump; ///< lines of launch, key, file: memory to write
};

std::string read(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, false, false);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

std::vector<LaunchRecord> readLaunches(StringRef Text) {
  std::vector<LaunchRecord> All;
  for (StringRef Line : split(Text, "\n")) {
    SmallVector<StringRef, 4> W;
    SplitString(Line, W);
    if (W.size() == 3 && W[0] == "launch") {
      All.emplace_back();
      All.back().Kernel = W[2].str();
    } else if (All.empty() || W.size() != 4) {
      continue;
    } else if (W[0] == "argument") {
      uint64_t Offset = 0;
      W[3].getAsInteger(10, Offset);
      // clang passes generic pointers as global ones and names the parameter after that.
      W[1].consume_back(".coerce");
      All.back().Arguments.push_back({W[1].str(), W[2].str(), Offset});
    } else if (W[0] == "memory") {
      uint64_t Size = 0;
      W[2].getAsInteger(10, Size);
      All.back().Memory[W[1].str()] = {Size, W[3].str()};
    }
  }
  return All;
}

class Runner {
public:
  Runner(StringRef LibraryFolder, const TemporaryFolder &Folder, const VerifyOptions &Opts)
      : LibraryFolder(LibraryFolder), Folder(Folder), Opts(Opts) {}

  Run run(StringRef Program, const Setting &S) {
    Run R;
    auto File = [&](StringRef Name) {
      std::string Path = Folder.path(Name);
      sys::fs::remove(Path);
      return Path;
    };
    std::string Out = File("stdout"), Err = File("stderr"), Json = File("counts.json"), Shots = File("snapshots"),
                Result = File("result");
    std::vector<std::string> Environment;
    std::string Path = LibraryFolder.str(), Preload;
    if (Opts.Gpu) {
      // The library that the system or HK_HIP_LIBRARY says, with ours before it.
      Path = sys::path::parent_path(Gpu::library()).str();
      Preload = libraryFolder("hk-snapshot", "libhk-snapshot.so") + "/libhk-snapshot.so";
    }
    for (char **E = environ; *E; ++E) {
      StringRef Variable = *E;
      if (Variable.consume_front("LD_LIBRARY_PATH="))
        Path += (Path.empty() ? "" : ":") + Variable.str();
      else if (Variable.consume_front("LD_PRELOAD="))
        Preload += (Preload.empty() ? "" : ":") + Variable.str();
      else if (!Variable.starts_with("HK_SIM_"))
        Environment.push_back(Variable.str());
    }
    Environment.push_back("LD_LIBRARY_PATH=" + Path);
    Environment.push_back("LD_PRELOAD=" + Preload);
    Environment.push_back("HK_SIM_JSON=" + Json);
    const std::string Snapshot = Opts.Gpu ? "HK_SNAPSHOT" : "HK_SIM_SNAPSHOT";
    Environment.push_back(Snapshot + "=" + Shots);
    // The library writes it only if it is there.
    std::error_code Unwritable;
    raw_fd_ostream(Result, Unwritable).close();
    Environment.push_back("HK_SIM_RESULT=" + Result);
    // One thread: what a program computes with atomics must not change from run to run.
    Environment.push_back("HK_SIM_THREADS=1");
    Environment.push_back("HK_SIM_SEED=" + std::to_string(S.Order));
    if (S.Races) {
      Environment.push_back("HK_SIM_RACES=1");
      Environment.push_back("HK_SIM_WAITS=1");
    }
    if (S.HostTime)
      Environment.push_back("HK_SIM_TIME=host");
    if (!S.Dump.empty()) {
      std::string List = File("dumps");
      std::error_code EC;
      raw_fd_ostream(List, EC) << S.Dump;
      Environment.push_back(Snapshot + "_DUMP=" + List);
    }
    std::vector<StringRef> Env(Environment.begin(), Environment.end());
    // Both print the same name of theirs.
    const std::string Own = Folder.path("program");
    std::vector<StringRef> Argv{Own};
    append_range(Argv, Opts.RunArguments);
    std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(Out), StringRef(Err)};
    bool Failed = false;
    R.Code = runChild(Program, Argv, ArrayRef<StringRef>(Env), Redirects, Opts.ProgramSeconds,
                      R.Error, &Failed);
    R.TimedOut = R.Code == -2 && StringRef(R.Error).contains("timed out");
    if (!Failed && !R.TimedOut && R.Code != -1)
      R.Error.clear();
    R.Out = read(Out);
    R.Messages = read(Err);
    StringRef(read(Result)).trim().getAsInteger(10, R.Faults);
    R.Launches = readLaunches(read(Shots));
    readCounts(read(Json), R);
    return R;
  }

private:
  StringRef LibraryFolder;
  const TemporaryFolder &Folder;
  const VerifyOptions &Opts;

  static void readCounts(StringRef Text, Run &R) {
    Expected<json::Value> V = json::parse(Text);
    if (!V)
      return consumeError(V.takeError());
    const json::Object *O = V->getAsObject();
    const json::Array *Kernels = O ? O->getArray("kernels") : nullptr;
    if (!Kernels)
      return;
    for (const json::Value &Entry : *Kernels)
      if (const json::Object *K = Entry.getAsObject()) {
        auto Number = [&](StringRef Name) { return uint64_t(K->getInteger(Name).value_or(0)); };
        CountPair C;
        C.WaveInstructions = Number("wave_instructions");
        C.Barriers = Number("barriers");
        C.Lines128 = Number("lines128");
        C.LdsConflicts = Number("lds_conflicts");
        C.ModelCycles = K->getNumber("model_cycles").value_or(0);
        R.Kernels[K->getString("symbol").value_or("").str()] = {Number("launches"), C};
      }
  }
};

struct Place {
  size_t Before = 0, After = 0; ///< launches, from 0
  std::string Key;
};

/// The name of a function without scopes and arguments.
std::string bareName(const std::string &Mangled) {
  ItaniumPartialDemangler D;
  if (D.partialDemangle(Mangled.c_str()))
    return Mangled;
  char *Text = D.getFunctionBaseName(nullptr, nullptr);
  std::string Name = Text ? Text : Mangled;
  std::free(Text);
  return StringRef(Name).split('<').first.str();
}

/// The kernel itself, or a version that a rewrite has put in its place.
bool standsFor(const std::string &Version, const std::string &Kernel) {
  return Version == Kernel || isVersionOf(bareName(Version), bareName(Kernel));
}

/// Launches that both have, in order.
std::vector<std::pair<size_t, size_t>> commonLaunches(const Run &A, const Run &B) {
  std::vector<std::pair<size_t, size_t>> Pairs;
  std::map<std::pair<std::string, std::string>, bool> Known;
  auto StandsFor = [&](const std::string &Version, const std::string &Kernel) {
    auto [It, IsNew] = Known.insert({{Version, Kernel}, false});
    if (IsNew)
      It->second = standsFor(Version, Kernel);
    return It->second;
  };
  size_t J = 0;
  for (size_t I = 0; I != A.Launches.size(); ++I) {
    size_t Next = J;
    while (Next != B.Launches.size() && !StandsFor(B.Launches[Next].Kernel, A.Launches[I].Kernel))
      ++Next;
    if (Next == B.Launches.size())
      continue;
    Pairs.push_back({I, Next});
    J = Next + 1;
  }
  return Pairs;
}

/// Where memory differs, in order; what a launch's arguments point to comes first.
std::vector<Place> differences(const Run &A, const Run &B) {
  std::vector<Place> All;
  for (auto [I, J] : commonLaunches(A, B)) {
    const LaunchRecord &X = A.Launches[I], &Y = B.Launches[J];
    std::vector<std::string> Keys;
    for (const LaunchRecord::Argument &Arg : X.Arguments)
      if (!is_contained(Keys, Arg.Key))
        Keys.push_back(Arg.Key);
    for (auto &[Key, Value] : X.Memory)
      if (!is_contained(Keys, Key))
        Keys.push_back(Key);
    for (const std::string &Key : Keys) {
      auto P = X.Memory.find(Key), Q = Y.Memory.find(Key);
      if (P != X.Memory.end() && Q != Y.Memory.end() && P->second != Q->second)
        All.push_back({I, J, Key});
    }
  }
  return All;
}

const Kernel *kernelOf(const LaunchRecord &L, const std::vector<Kernel> &Kernels) {
  for (const Kernel &Candidate : Kernels)
    if (Candidate.Mangled == L.Kernel)
      return &Candidate;
  return nullptr;
}

/// What the memory \p Key holds after the launch \p Number of \p A: as the latest kernel that got a pointer to it
/// says. \p Name is that of this kernel's parameter, if it is the launch itself.
ComparedType typeOf(const Run &A, size_t Number, StringRef Key, const std::vector<Kernel> &Kernels, std::string &Name) {
  for (size_t N = Number + 1; N-- != 0;) {
    const LaunchRecord &L = A.Launches[N];
    const Kernel *K = kernelOf(L, Kernels);
    for (const LaunchRecord::Argument &Arg : L.Arguments) {
      if (Arg.Key != Key)
        continue;
      if (N == Number)
        Name = Arg.Name;
      if (K)
        for (const KernelParam &Param : K->Params)
          if (Param.Name == Arg.Name && Param.Layout.Scalars.size() == 1 && Param.Layout.Scalars[0].Pointee)
            return {*Param.Layout.Scalars[0].Pointee, Arg.Offset};
    }
  }
  return ComparedType::words();
}

ArrayRef<uint8_t> bytesOf(StringRef Text) { return {Text.bytes_begin(), Text.bytes_end()}; }

/// The first of \p Places, if none may deviate, or the first that deviates too far, as text; empty: none.
/// Both programs run again for the bytes.
std::string firstBeyond(std::vector<Place> Places, const Run &A, Runner &Runner, StringRef Before, StringRef After,
                        const Setting &S, const TemporaryFolder &Folder, const std::vector<Kernel> &Kernels,
                        const VerifyOptions &Opts, const std::optional<ErrorBound> &Bound, Deviation &Largest) {
  if (!Bound)
    Places.resize(1);
  auto File = [&](StringRef Version, size_t N) { return Folder.path(Version.str() + "-dump-" + std::to_string(N)); };
  Setting T = S;
  T.Order = 0;
  for (auto [N, P] : enumerate(Places))
    T.Dump += std::to_string(P.Before + 1) + " " + P.Key + " " + File("before", N) + "\n";
  Runner.run(Before, T);
  T = S;
  for (auto [N, P] : enumerate(Places))
    T.Dump += std::to_string(P.After + 1) + " " + P.Key + " " + File("after", N) + "\n";
  Runner.run(After, T);

  // What kernels before have let pass goes through those behind them.
  std::optional<ErrorBound> SoFar;
  size_t Launches = 0;
  for (auto [N, P] : enumerate(Places)) {
    for (; Launches <= P.Before; ++Launches) {
      const Kernel *K = kernelOf(A.Launches[Launches], Kernels);
      widen(SoFar, K ? boundOf(*K, Kernels, Opts) : Opts.Bound);
    }
    const LaunchRecord &L = A.Launches[P.Before];
    std::string Name, X = read(File("before", N)), Y = read(File("after", N));
    sys::fs::remove(File("before", N));
    sys::fs::remove(File("after", N));
    ComparedType Type = typeOf(A, P.Before, P.Key, Kernels, Name);
    std::optional<Difference> D = compareMemory(bytesOf(X), bytesOf(Y), Type, {}, SoFar, Largest);
    if (!D && SoFar && X.size() == Y.size())
      continue;
    std::string What = !Name.empty() ? "buffer '" + Name + "'"
                       : P.Key[0] != 'm' ? "variable '" + P.Key + "'"
                                         : "memory '" + P.Key + "'";
    const Kernel *K = kernelOf(L, Kernels);
    What += " after launch " + std::to_string(P.Before + 1) + ", of '" + (K ? K->Name : L.Kernel) + "': ";
    return What + (D ? describeDifference(bytesOf(X), bytesOf(Y), Type, *D) : "the sizes differ");
  }
  return "";
}

/// The first line in which \p A and \p B differ and \p Again, a second run of the first program, does not.
std::string outputDifference(StringRef A, StringRef B, const std::optional<ErrorBound> &Bound,
                             function_ref<std::string()> Again) {
  if (A == B)
    return "";
  std::string Second = Again();
  SmallVector<StringRef> X, Y, Z;
  A.split(X, '\n');
  B.split(Y, '\n');
  StringRef(Second).split(Z, '\n');
  if (X.size() != Y.size())
    return X.size() == Z.size() ? "it prints " + std::to_string(X.size() - 1) + " lines before, " +
                                      std::to_string(Y.size() - 1) + " after"
                                : "";
  for (size_t I = 0; I != X.size(); ++I)
    if (X[I] != Y[I] && I < Z.size() && X[I] == Z[I] && !(Bound && sameText(X[I], Y[I], *Bound)))
      return "line " + std::to_string(I + 1) + " of its output is '" + X[I].str() + "' before, '" + Y[I].str() +
             "' after";
  return "";
}

} // namespace

ProgramOutcome verification::runPrograms(StringRef Before, StringRef After, const std::vector<Kernel> &Kernels,
                                         StringRef LibraryFolder, const TemporaryFolder &Folder,
                                         const VerifyOptions &Opts) {
  ProgramOutcome Out;
  Runner Runner(LibraryFolder, Folder, Opts);
  Setting S;
  S.Races = Opts.Races;
  Run A = Runner.run(Before, S);
  if (!A.Error.empty()) {
    Out.NotRun = A.TimedOut ? "it takes more than " + std::to_string(Opts.ProgramSeconds) + " s" : A.Error;
    return Out;
  }
  if (A.Faults && S.Races && (A.isFault("race") || A.isFault("missing-wait"))) {
    Out.Notes.push_back("the original has a race, so races are not looked for: " + A.fault());
    S.Races = false;
    A = Runner.run(Before, S);
  }
  if (A.Faults) {
    Out.NotRun = "the original faults: " + A.fault();
    return Out;
  }
  Out.Launches = unsigned(A.Launches.size());
  Out.ExitCode = A.Code;
  if (Opts.Gpu && A.Launches.empty()) {
    Out.NotRun = "no launch of it was seen";
    return Out;
  }
  for (const Kernel &K : Kernels)
    widen(Out.Bound, boundOf(K, Kernels, Opts));
  std::string HostDifference;
  std::optional<unsigned> Independent; // launches before the first that depends on the order
  for (unsigned Order = 0; Order != std::max(1u, Opts.Schedules); ++Order) {
    S.Order = Order;
    Run B = Runner.run(After, S);
    std::string With = Order ? " (order of wavefronts " + std::to_string(Order) + ")" : "";
    if (!B.Error.empty()) {
      Out.Difference = (B.TimedOut ? "the rewritten program takes more than " + std::to_string(Opts.ProgramSeconds) +
                                         " s, the original does not"
                                   : "the rewritten program cannot be run: " + B.Error) +
                       With;
      return Out;
    }
    if (B.Faults) {
      Out.Difference = "the rewritten program has a fault that the original has not: " + B.fault() + With;
      return Out;
    }
    if (Order == 0 && !Opts.Gpu) {
      for (auto &[Name, Entry] : A.Kernels) {
        Out.Kernels[Name].LaunchesBefore = Entry.first;
        Out.Kernels[Name].Before = Entry.second;
      }
      // What runs in place of a kernel is counted as that.
      std::map<std::string, std::string> Originals;
      for (auto [I, J] : commonLaunches(A, B))
        Originals[B.Launches[J].Kernel] = A.Launches[I].Kernel;
      for (auto &[Name, Entry] : B.Kernels) {
        auto It = Originals.find(Name);
        ProgramOutcome::Counts &Counts = Out.Kernels[It != Originals.end() ? It->second : Name];
        Counts.LaunchesAfter += Entry.first;
        Counts.After += Entry.second;
      }
    }
    if (Order == 0)
      for (auto [I, J] : commonLaunches(A, B)) {
        ++Out.Compared;
        Out.InPlace[A.Launches[I].Kernel] += B.Launches[J].Kernel != A.Launches[I].Kernel;
      }
    std::vector<Place> Places = differences(A, B);
    if (!Places.empty() && !Independent) {
      // Where the original, too, depends on the order, nothing follows from a difference.
      Independent = Out.Launches;
      for (uint64_t Extra : {1001, 1002, 1003}) {
        Setting T = S;
        T.Order = Extra;
        if (std::vector<Place> Own = differences(A, Runner.run(Before, T)); !Own.empty())
          *Independent = std::min<unsigned>(*Independent, unsigned(Own.front().Before));
      }
    }
    if (Independent && *Independent < Out.Launches) {
      Out.Compared = std::min(Out.Compared, *Independent);
      erase_if(Places, [&](const Place &P) { return P.Before >= *Independent; });
      if (Places.empty())
        continue;
    }
    if (!Places.empty()) {
      Out.Difference = firstBeyond(std::move(Places), A, Runner, Before, After, S, Folder, Kernels, Opts, Out.Bound,
                                   Out.Largest);
      if (!Out.Difference.empty()) {
        Out.Difference += With;
        return Out;
      }
    }
    if (A.Code != B.Code) {
      Out.Difference = "the exit code is " + std::to_string(A.Code) + " before, " + std::to_string(B.Code) + " after" + With;
      return Out;
    }
    HostDifference = outputDifference(A.Out, B.Out, Out.Bound, [&] {
      Setting T = S;
      T.Order = 1;
      T.HostTime = true;
      return Runner.run(Before, T).Out;
    });
    if (!HostDifference.empty()) {
      Out.Difference = HostDifference + With;
      return Out;
    }
  }
  if (Independent && *Independent < Out.Launches)
    Out.Notes.push_back("from launch " + std::to_string(*Independent + 1) +
                        " on, memory depends on the order of wavefronts by itself and was not compared");
  return Out;
}
