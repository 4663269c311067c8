//===- Main.cpp - hk-sim: runs a HIP program on the simulator -------------===//
//
// The program is started with a library path on which it finds the stand-in HIP library, and with
// the settings in its environment. The exit code is the program's; if a kernel faulted and the
// program nevertheless reports success, it is 70.
//
//===----------------------------------------------------------------------===//

#include "hk/Support/Installation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace llvm;

namespace {

/// An option and the variable of the environment that passes it on. LLVM's own option parser is not
/// used: names like --threads and --stats are taken in its library.
struct OptionSpec {
  const char *Name, *Value, *Variable, *Help; // Value: null for a flag
};

constexpr OptionSpec Specs[] = {
    {"stats", nullptr, "HK_SIM_STATS", "print what was counted for each kernel"},
    {"json", "FILE", "HK_SIM_JSON", "write what was counted to a file"},
    {"lines", nullptr, "HK_SIM_LINES", "count by source line, too (in the JSON)"},
    {"races", nullptr, "HK_SIM_RACES", "report data races inside a workgroup"},
    {"uninitialized", nullptr, "HK_SIM_UNINITIALIZED",
     "report reads of device memory and LDS never written"},
    {"waits", nullptr, "HK_SIM_WAITS", "report uses of a register before its s_waitcnt"},
    {"strict", nullptr, "HK_SIM_STRICT", "refuse kernels with unknown instructions"},
    {"trace", "KERNEL", "HK_SIM_TRACE", "print each instruction of a kernel"},
    {"schedules", "N", nullptr,
     "run the program N times, wavefronts taking turns in another order each time"},
    {"seed", "N", nullptr, "of the first such order; 0: each wavefront runs until it waits"},
    {"threads", "N", "HK_SIM_THREADS", "threads of the host; 0: as many as it has"},
    {"time", "CLOCK", "HK_SIM_TIME", "what events measure: model (default) or host"},
    {"arch", "GFX", "HK_SIM_ARCH", "run as gfx942 (default), gfx90a or gfx950"},
    {"memory", "BYTES", "HK_SIM_MEMORY", "device memory, 192 GiB if not given"},
    {"preload", nullptr, nullptr, "put the library before one that the program has a path to"},
    {"help", nullptr, nullptr, "print this"},
};

struct CommandLine {
  StringMap<std::string> Options; // flags: "1"
  std::vector<std::string> Program;

  bool has(StringRef Name) const { return Options.count(Name); }
  StringRef get(StringRef Name) const {
    auto It = Options.find(Name);
    return It == Options.end() ? StringRef() : StringRef(It->second);
  }
};

} // namespace

static constexpr int FaultExit = 70;

static int fail(const Twine &Text) {
  WithColor::error(errs(), "hk-sim") << Text << '\n';
  return 2;
}

static void prepend(const char *Name, const Twine &Value) {
  std::string Text = Value.str();
  if (const char *Old = std::getenv(Name); Old && *Old)
    Text += ":" + std::string(Old);
  setenv(Name, Text.c_str(), 1);
}

static void set(const char *Name, const Twine &Value) { setenv(Name, Value.str().c_str(), 1); }

static void printHelp(raw_ostream &OS) {
  OS << "usage: hk-sim [options] program [arguments]\n\n"
        "Runs a HIP program built for gfx942 on this computer.\n\n";
  for (const OptionSpec &S : Specs) {
    std::string Left = std::string("--") + S.Name;
    if (S.Value)
      Left += std::string("=") + S.Value;
    OS << "  " << left_justify(Left, 18) << S.Help << '\n';
  }
}

/// Options end at the first argument that is none: the program. A value follows "=" or is the next
/// argument.
static Error parse(int Argc, char **Argv, CommandLine &Result) {
  int I = 1;
  for (; I != Argc; ++I) {
    StringRef Argument = Argv[I];
    if (Argument == "--") {
      ++I;
      break;
    }
    if (!Argument.consume_front("--"))
      break;
    auto [Name, Value] = Argument.split('=');
    auto *Spec = find_if(Specs, [Name = Name](const OptionSpec &S) { return Name == S.Name; });
    if (Spec == std::end(Specs))
      return createStringError("unknown option --" + Name);
    if (!Spec->Value) {
      if (Name.size() != Argument.size())
        return createStringError("--" + Name + " takes no value");
      Value = "1";
    } else if (Name.size() == Argument.size()) {
      if (++I == Argc)
        return createStringError("--" + Name + " needs a value");
      Value = Argv[I];
    }
    Result.Options[Name] = Value.str();
  }
  Result.Program.assign(Argv + I, Argv + Argc);
  return Error::success();
}

static Expected<unsigned> numberOf(const CommandLine &C, StringRef Name, unsigned Default) {
  if (!C.has(Name))
    return Default;
  unsigned N;
  if (C.get(Name).getAsInteger(0, N))
    return createStringError("--" + Name + " takes a number");
  return N;
}

/// The program while there is one.
static volatile sig_atomic_t Running = 0, Interrupted = 0;

/// On the signals that are to end hk-sim. The program may end itself in order, which is waited for;
/// if it does not, the alarm ends hk-sim, and that the program. A second signal does so at once.
static void stopProgram() {
  if (!Running)
    _exit(128 + SIGTERM);
  Interrupted = 1;
  kill(pid_t(Running), SIGTERM);
  signal(SIGALRM, SIG_DFL);
  alarm(2);
}

/// The exit code as a shell reports it, or -1 if it could not be started.
static int runOnce(std::vector<std::string> &Program) {
  pid_t Child = fork();
  if (Child < 0)
    return -1;
  if (!Child) {
#ifdef __linux__
    // Whoever ends hk-sim, a time limit say, means the program.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    std::vector<char *> Arguments;
    for (std::string &A : Program)
      Arguments.push_back(A.data());
    Arguments.push_back(nullptr);
    execvp(Arguments[0], Arguments.data());
    int Reason = errno; // printing in color asks whether it is a terminal
    WithColor::error(errs(), "hk-sim")
        << "cannot run " << Program[0] << ": " << strerror(Reason) << '\n';
    _exit(127);
  }
  Running = Child;
  int Status;
  while (waitpid(Child, &Status, 0) < 0)
    if (errno != EINTR)
      return -1;
  Running = 0;
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

/// How many faults the library counted.
static unsigned long long readFaults(StringRef File) {
  auto Buffer = MemoryBuffer::getFile(File);
  unsigned long long Count = 0;
  if (Buffer)
    (*Buffer)->getBuffer().trim().getAsInteger(10, Count);
  return Count;
}

static Error setUp(const CommandLine &C) {
  std::string Folder = hk::standInFolder();
  if (Folder.empty())
    return createStringError(
        "the stand-in HIP library was not found; HK_SIM_LIBRARY_PATH names its folder");
  prepend("LD_LIBRARY_PATH", Folder);
  if (C.has("preload"))
    prepend("LD_PRELOAD", Folder + "/libamdhip64.so.6");
  if (C.has("time") && C.get("time") != "model" && C.get("time") != "host")
    return createStringError("--time takes 'model' or 'host'");
  if (StringRef Arch = C.get("arch");
      C.has("arch") && Arch != "gfx942" && Arch != "gfx90a" && Arch != "gfx950")
    return createStringError("--arch takes gfx942, gfx90a or gfx950");
  for (const char *Name : {"threads", "memory"})
    if (uint64_t N; C.has(Name) && C.get(Name).getAsInteger(0, N))
      return createStringError("--" + Twine(Name) + " takes a number");
  for (const OptionSpec &S : Specs)
    if (S.Variable && C.has(S.Name))
      set(S.Variable, C.get(S.Name));
  if (C.has("json")) {
    // The program may change its folder.
    SmallString<128> Path(C.get("json"));
    if (std::error_code EC = sys::fs::make_absolute(Path))
      return errorCodeToError(EC);
    set("HK_SIM_JSON", Path);
  }
  return Error::success();
}

static Expected<int> runAll(CommandLine &C) {
  Expected<unsigned> Schedules = numberOf(C, "schedules", 1);
  if (!Schedules)
    return Schedules.takeError();
  Expected<unsigned> Seed = numberOf(C, "seed", 0);
  if (!Seed)
    return Seed.takeError();
  SmallString<128> Result;
  if (std::error_code EC = sys::fs::createTemporaryFile("hk-sim", "result", Result))
    return errorCodeToError(EC);
  FileRemover Remover(Result);
  sys::RemoveFileOnSignal(Result);
  sys::SetInterruptFunction(stopProgram);
  set("HK_SIM_RESULT", Result);

  int Code = 0;
  for (unsigned I = 0; I != *Schedules && Code == 0; ++I) {
    unsigned Turn = *Seed + I;
    set("HK_SIM_SEED", Twine(Turn));
    // The order follows from the seed only if one thread runs.
    if (Turn && !C.has("threads"))
      set("HK_SIM_THREADS", "1");
    Code = runOnce(C.Program);
    if (Code < 0)
      return createStringError("cannot start a process");
    if (Code == 0 && Interrupted)
      return 128 + SIGTERM;
    if (Code == 0 && readFaults(Result))
      Code = FaultExit;
    if (Code && *Schedules > 1)
      WithColor::note(errs(), "hk-sim") << "this was schedule " << Turn << '\n';
  }
  return Code;
}

int main(int Argc, char **Argv) {
  InitLLVM X(Argc, Argv);
  CommandLine C;
  if (Error E = parse(Argc, Argv, C))
    return fail(toString(std::move(E)));
  if (C.has("help")) {
    printHelp(outs());
    return 0;
  }
  if (C.Program.empty())
    return fail("no program given; see hk-sim --help");
  if (Error E = setUp(C))
    return fail(toString(std::move(E)));
  Expected<int> Code = runAll(C);
  return Code ? *Code : fail(toString(Code.takeError()));
}
