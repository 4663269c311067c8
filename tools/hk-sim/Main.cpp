//===- Main.cpp - hk-sim: runs a HIP program on the simulator -------------===//
//
// The program is started with a library path on which it finds the stand-in HIP library, and with
// the settings in its environment. The exit code is the program's; if a kernel faulted and the
// program nevertheless reports success, it is 70.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

static cl::OptionCategory Category("hk-sim options");

static cl::opt<bool> Stats("stats", cl::desc("Print what was counted for each kernel"),
                           cl::cat(Category));
static cl::opt<std::string> Json("json", cl::desc("Write what was counted to a file"),
                                 cl::value_desc("file"), cl::cat(Category));
static cl::opt<bool> Lines("lines", cl::desc("Count by source line, too (in the JSON)"),
                           cl::cat(Category));
static cl::opt<bool> Races("races", cl::desc("Report data races inside a workgroup"),
                           cl::cat(Category));
static cl::opt<bool> Uninitialized("uninitialized",
                                   cl::desc("Report reads of device memory and LDS never written"),
                                   cl::cat(Category));
static cl::opt<bool> Waits("waits", cl::desc("Report uses of a register before its s_waitcnt"),
                           cl::cat(Category));
static cl::opt<bool> Strict("strict", cl::desc("Refuse kernels with unknown instructions"),
                            cl::cat(Category));
static cl::opt<std::string> Trace("trace", cl::desc("Print each instruction of a kernel"),
                                  cl::value_desc("kernel"), cl::cat(Category));
static cl::opt<unsigned> Schedules("schedules", cl::init(1),
                                   cl::desc("Run the program so many times, with wavefronts taking "
                                            "turns in another order each time"),
                                   cl::value_desc("n"), cl::cat(Category));
static cl::opt<unsigned> Seed("seed", cl::desc("The schedule's seed, instead of counting up"),
                              cl::value_desc("n"), cl::cat(Category));
static cl::opt<unsigned> Threads("threads", cl::desc("Threads of the host; 0: as many as it has"),
                                 cl::value_desc("n"), cl::cat(Category));
static cl::opt<std::string> Time("time", cl::init("model"),
                                 cl::desc("What events measure: 'model' (default) or 'host'"),
                                 cl::value_desc("clock"), cl::cat(Category));
static cl::opt<std::string> Memory("memory", cl::desc("Bytes of device memory"),
                                   cl::value_desc("bytes"), cl::cat(Category));
static cl::opt<bool> Preload("preload",
                             cl::desc("Put the library before one that the program has a path to"),
                             cl::cat(Category));
static cl::list<std::string> Command(cl::Positional, cl::OneOrMore, cl::PositionalEatsArgs,
                                     cl::desc("program [arguments...]"), cl::cat(Category));

static constexpr int FaultExit = 70;

static int fail(const Twine &Text) {
  WithColor::error(errs(), "hk-sim") << Text << '\n';
  return 2;
}

/// The folder with libamdhip64.so.
static std::string libraryFolder(const char *Argv0) {
  if (const char *Given = std::getenv("HK_SIM_LIBRARY_PATH"))
    return Given;
  std::string Self = sys::fs::getMainExecutable(Argv0, reinterpret_cast<void *>(&libraryFolder));
  StringRef Prefix = sys::path::parent_path(sys::path::parent_path(Self));
  for (StringRef Sub : {"lib/hk-sim", HK_SIM_LIBRARY_DIR}) {
    SmallString<128> Folder(Prefix);
    sys::path::append(Folder, Sub);
    if (sys::fs::exists(Folder + "/libamdhip64.so.6"))
      return Folder.str().str();
  }
  return "";
}

static void prepend(const char *Name, const Twine &Value) {
  std::string Text = Value.str();
  if (const char *Old = std::getenv(Name); Old && *Old)
    Text += ":" + std::string(Old);
  setenv(Name, Text.c_str(), 1);
}

static void setIf(bool On, const char *Name, const Twine &Value = "1") {
  if (On)
    setenv(Name, Value.str().c_str(), 1);
}

/// The exit code as a shell reports it, or -1 if it could not be started.
static int runOnce() {
  pid_t Child = fork();
  if (Child < 0)
    return -1;
  if (!Child) {
    std::vector<char *> Arguments;
    for (std::string &A : Command)
      Arguments.push_back(A.data());
    Arguments.push_back(nullptr);
    execvp(Arguments[0], Arguments.data());
    WithColor::error(errs(), "hk-sim")
        << "cannot run " << Command[0] << ": " << strerror(errno) << '\n';
    _exit(127);
  }
  int Status;
  while (waitpid(Child, &Status, 0) < 0)
    if (errno != EINTR)
      return -1;
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

int main(int Argc, char **Argv) {
  InitLLVM X(Argc, Argv);
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv, "Runs a HIP program built for gfx942 on this computer\n");
  if (Time != "model" && Time != "host")
    return fail("--time takes 'model' or 'host'");
  if (!Schedules)
    return fail("--schedules takes a number from 1 on");

  std::string Folder = libraryFolder(Argv[0]);
  if (Folder.empty())
    return fail("the stand-in HIP library was not found; HK_SIM_LIBRARY_PATH names its folder");
  prepend("LD_LIBRARY_PATH", Folder);
  if (Preload)
    prepend("LD_PRELOAD", Folder + "/libamdhip64.so.6");

  setIf(Stats, "HK_SIM_STATS");
  setIf(Lines, "HK_SIM_LINES");
  setIf(Races, "HK_SIM_RACES");
  setIf(Uninitialized, "HK_SIM_UNINITIALIZED");
  setIf(Waits, "HK_SIM_WAITS");
  setIf(Strict, "HK_SIM_STRICT");
  setIf(!Trace.empty(), "HK_SIM_TRACE", Trace);
  setIf(Threads.getNumOccurrences(), "HK_SIM_THREADS", Twine(Threads));
  setIf(!Memory.empty(), "HK_SIM_MEMORY", Memory);
  setIf(true, "HK_SIM_TIME", Time);
  if (!Json.empty()) {
    // The program may change its folder.
    SmallString<128> Path(Json);
    if (std::error_code EC = sys::fs::make_absolute(Path))
      return fail(EC.message());
    setIf(true, "HK_SIM_JSON", Path);
  }
  SmallString<128> Result;
  if (std::error_code EC = sys::fs::createTemporaryFile("hk-sim", "result", Result))
    return fail(EC.message());
  setIf(true, "HK_SIM_RESULT", Result);

  int Code = 0;
  for (unsigned I = 0; I != Schedules && Code == 0; ++I) {
    unsigned ThisSeed = Seed.getNumOccurrences() ? Seed + I : I;
    setIf(true, "HK_SIM_SEED", Twine(ThisSeed));
    // The order follows from the seed only if one thread runs.
    setIf(ThisSeed && !Threads.getNumOccurrences(), "HK_SIM_THREADS", "1");
    Code = runOnce();
    if (Code < 0)
      Code = fail("cannot start a process");
    if (Code == 0 && readFaults(Result))
      Code = FaultExit;
    if (Code && Schedules > 1)
      WithColor::note(errs(), "hk-sim") << "this was schedule " << ThisSeed << '\n';
  }
  sys::fs::remove(Result);
  return Code;
}
