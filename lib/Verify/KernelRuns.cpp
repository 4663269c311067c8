//===- KernelRuns.cpp -----------------------------------------------------===//
//
// A case counts if the original does it without a fault, in every order of
// wavefronts that is tried. The rewritten kernel has to do it too, and leave
// the same bytes, except those in which the original differs from itself under
// another order.
//
// The child process that runs the cases sends a line of JSON for each step;
// when it ends early, the last line tells where.
//
//===----------------------------------------------------------------------===//

#include "KernelRuns.h"

#include "Gpu.h"

#include "hk/Sim/HostServices.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <cstring>
#include <mutex>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace hk;
using namespace hk::verification;

void CountPair::add(const sim::Counters &C, double Cycles) {
  WaveInstructions += C.WaveInstructions;
  Barriers += C.Barriers;
  Lines128 += C.Lines128;
  LdsConflicts += C.LdsConflicts;
  ModelCycles += Cycles;
}

CountPair &CountPair::operator+=(const CountPair &O) {
  WaveInstructions += O.WaveInstructions;
  Barriers += O.Barriers;
  Lines128 += O.Lines128;
  LdsConflicts += O.LdsConflicts;
  ModelCycles += O.ModelCycles;
  return *this;
}

namespace {

/// Orders that are tried in search of bytes that depend on them, when something differs.
constexpr unsigned MoreOrders = 12;

json::Value toJson(const CountPair &C) {
  return json::Array{int64_t(C.WaveInstructions), int64_t(C.Barriers), int64_t(C.Lines128), int64_t(C.LdsConflicts),
                     C.ModelCycles};
}

CountPair countsOf(const json::Array *A) {
  CountPair C;
  if (A && A->size() == 5) {
    C.WaveInstructions = uint64_t((*A)[0].getAsInteger().value_or(0));
    C.Barriers = uint64_t((*A)[1].getAsInteger().value_or(0));
    C.Lines128 = uint64_t((*A)[2].getAsInteger().value_or(0));
    C.LdsConflicts = uint64_t((*A)[3].getAsInteger().value_or(0));
    C.ModelCycles = (*A)[4].getAsNumber().value_or(0);
  }
  return C;
}

/// Memory after a launch: buffers in their order, then the module's variables by name.
struct Memory {
  std::vector<std::vector<uint8_t>> Buffers;
  std::map<std::string, std::vector<uint8_t>> Variables;
  std::vector<std::string> Printed; ///< messages of printf, sorted: their order is that of the wavefronts
};

struct RunResult {
  bool Ok = false;
  std::string Kind, Text; ///< of a fault
  Memory After;
  CountPair Counts;
};

/// Marks in \p Varies what differs between two runs of one version.
void markDifferences(const std::vector<uint8_t> &A, const std::vector<uint8_t> &B, std::vector<bool> &Varies) {
  if (A.size() != B.size() || !std::memcmp(A.data(), B.data(), A.size()))
    return;
  Varies.resize(A.size());
  for (size_t I = 0; I != A.size(); ++I)
    if (A[I] != B[I])
      Varies[I] = true;
}

/// What depends on the order of wavefronts in the original.
struct Mask {
  std::vector<std::vector<bool>> Buffers;
  std::map<std::string, std::vector<bool>> Variables;
  bool Printed = false;

  bool any() const {
    return any_of(Buffers, [](auto &V) { return !V.empty(); }) || !Variables.empty() || Printed;
  }
  void mark(const Memory &A, const Memory &B) {
    Printed |= A.Printed != B.Printed;
    Buffers.resize(A.Buffers.size());
    for (size_t I = 0; I != A.Buffers.size(); ++I)
      markDifferences(A.Buffers[I], B.Buffers[I], Buffers[I]);
    for (auto &[Name, Bytes] : A.Variables)
      if (auto It = B.Variables.find(Name); It != B.Variables.end() && It->second != Bytes)
        markDifferences(Bytes, It->second, Variables[Name]);
  }
};

/// The others are of the compiler: they name the file.
bool isOfProgram(const sim::Variable &V) { return !StringRef(V.Name).starts_with("__hip_cuid"); }

bool hasGridBarrier(const sim::Kernel &K) {
  return any_of(K.Arguments, [](auto &A) { return A.ValueKind == "hidden_multigrid_sync_arg"; });
}

class CaseRunner {
public:
  CaseRunner(const Kernel &K, ArrayRef<uint8_t> Before, ArrayRef<uint8_t> After, const std::optional<ErrorBound> &Bound,
             const VerifyOptions &Opts, int Pipe)
      : K(K), Images{Before, After}, Bound(Bound), Opts(Opts), Out(Pipe, /*shouldClose=*/false) {}

  /// Cases from \p First on; the child's whole life.
  void run(const std::vector<Launch> &Launches, const std::vector<const LaunchSpec *> &Specs, unsigned First);

private:
  const Kernel &K;
  ArrayRef<uint8_t> Images[2];
  const std::optional<ErrorBound> &Bound;
  Deviation Largest;
  const VerifyOptions &Opts;
  raw_fd_ostream Out;
  std::unique_ptr<sim::Device> Device;
  std::unique_ptr<Gpu> TheGpu;
  bool GpuFailed = false;

  void say(json::Object O) {
    Out << json::Value(std::move(O)) << "\n";
    Out.flush();
  }
  RunResult launch(CaseInputs &Inputs, bool Rewritten, uint64_t Order);
  /// The first difference, or an empty text.
  std::string compare(const CaseInputs &Inputs, const Memory &A, const Memory &B, const Mask &Varies);
  /// What a launch on the GPU has to know of a version.
  struct ImageFacts {
    std::vector<std::pair<std::string, uint64_t>> Variables; ///< name and size
    bool Cooperative = false;
  };
  std::optional<ImageFacts> Known[2];
  const ImageFacts &factsOf(bool Rewritten);
  RunResult launchOnGpu(const CaseInputs &Inputs, bool Rewritten);
  /// False after a difference.
  bool runCase(CaseInputs &Inputs);
  /// The same on the GPU, after the simulator; \p Varies is what it found.
  bool runOnGpu(CaseInputs &Inputs, Mask Varies);
  void skip(StringRef Why, StringRef Text) { say(json::Object{{"skip", Why}, {"text", json::fixUTF8(Text)}}); }
};

RunResult CaseRunner::launch(CaseInputs &Inputs, bool Rewritten, uint64_t Order) {
  RunResult R;
  Inputs.restore();
  sim::DeviceOptions &O = Device->options();
  O.ScheduleSeed = Order;
  // Loaded for each launch, so that variables have their initial values.
  Expected<std::unique_ptr<sim::Module>> M = Device->loadModule(Images[Rewritten]);
  if (!M) {
    R.Kind = "module";
    R.Text = toString(M.takeError());
    return R;
  }
  const sim::Kernel *Code = (*M)->kernel(K.Mangled);
  if (!Code) {
    R.Kind = "module";
    R.Text = "the code object has no kernel of that name";
    return R;
  }
  // Made for each launch, so that the device's heap is empty.
  std::mutex Printing;
  std::string Refused;
  sim::HostServices Services(Device->memory(), {[&](StringRef Text, bool) {
                                                  std::lock_guard Lock(Printing);
                                                  R.After.Printed.push_back(Text.str());
                                                },
                                                [&](const Twine &Message) { Refused = Message.str(); }});
  sim::LaunchConfig Config = Inputs.config();
  // A kernel with grid barriers asks for their memory; one workgroup could not wait for the others without it.
  Config.Cooperative = hasGridBarrier(*Code);
  Services.prepare(*Code, Config);
  alarm(Opts.CaseSeconds);
  Expected<sim::LaunchResult> Result = Device->launch(*Code, Config, Inputs.arguments());
  Services.serve();
  alarm(0);
  if (!Result) {
    handleAllErrors(
        Result.takeError(),
        [&](const sim::Fault &F) {
          R.Kind = sim::name(F.Kind).str();
          raw_string_ostream OS(R.Text);
          F.log(OS);
        },
        [&](const ErrorInfoBase &E) {
          R.Kind = "launch refused";
          R.Text = E.message();
        });
    return R;
  }
  if (!Refused.empty()) {
    R.Kind = "host call refused";
    R.Text = Refused;
    return R;
  }
  R.Ok = true;
  sort(R.After.Printed);
  R.Counts.add(Result->Counts, Result->ModelCycles);
  for (const DeviceBuffer &B : Inputs.buffers())
    R.After.Buffers.emplace_back(B.Base, B.Base + B.Bytes);
  for (const sim::Variable &V : (*M)->variables()) {
    const uint8_t *At = reinterpret_cast<const uint8_t *>(V.Address);
    if (isOfProgram(V))
      R.After.Variables[V.Name].assign(At, At + V.Size);
  }
  return R;
}

std::string CaseRunner::compare(const CaseInputs &Inputs, const Memory &A, const Memory &B, const Mask &Varies) {
  static const std::vector<bool> None;
  for (size_t I = 0; I != A.Buffers.size(); ++I) {
    const DeviceBuffer &D = Inputs.buffers()[I];
    ComparedType Type{D.Element, D.Start};
    if (auto X = compareMemory(A.Buffers[I], B.Buffers[I], Type, I < Varies.Buffers.size() ? Varies.Buffers[I] : None,
                               Bound, Largest))
      return "buffer '" + D.Name + "': " + describeDifference(A.Buffers[I], B.Buffers[I], Type, *X);
  }
  for (auto &[Name, Bytes] : A.Variables) {
    auto It = B.Variables.find(Name);
    if (It == B.Variables.end())
      continue;
    auto V = Varies.Variables.find(Name);
    ComparedType Type = Bytes.size() % 4 == 0 ? ComparedType::words() : ComparedType();
    if (auto X = compareMemory(Bytes, It->second, Type, V == Varies.Variables.end() ? None : V->second, Bound, Largest))
      return "variable '" + Name + "': " + describeDifference(Bytes, It->second, Type, *X);
  }
  if (!Varies.Printed && A.Printed != B.Printed) {
    auto [X, Y] = std::mismatch(A.Printed.begin(), A.Printed.end(), B.Printed.begin(), B.Printed.end());
    auto Quoted = [](auto It, auto End) {
      return It == End ? std::string("nothing") : "'" + StringRef(*It).rtrim().str() + "'";
    };
    if (!Bound || A.Printed.size() != B.Printed.size() ||
        !std::equal(A.Printed.begin(), A.Printed.end(), B.Printed.begin(),
                    [&](const std::string &L, const std::string &R) { return sameText(L, R, *Bound); }))
      return "it prints " + Quoted(X, A.Printed.end()) + " before, " + Quoted(Y, B.Printed.end()) + " after";
  }
  return "";
}

bool CaseRunner::runCase(CaseInputs &Inputs) {
  unsigned Orders = std::max(1u, Opts.Schedules);
  RunResult First = launch(Inputs, false, 0);
  if (!First.Ok)
    return skip(First.Kind, First.Text), true;
  Mask Varies;
  auto TryOrder = [&](uint64_t Order) {
    RunResult R = launch(Inputs, false, Order);
    if (!R.Ok) {
      skip(R.Kind, R.Text);
      return false;
    }
    Varies.mark(First.After, R.After);
    return true;
  };
  for (unsigned Order = 1; Order != Orders; ++Order)
    if (!TryOrder(Order))
      return true;

  CountPair Counts;
  bool More = false;
  for (unsigned Order = 0; Order != Orders; ++Order) {
    say(json::Object{{"after", int64_t(Order)}});
    RunResult R = launch(Inputs, true, Order);
    if (!R.Ok) {
      say(json::Object{{"difference", "the rewritten kernel has a fault that the original has not: " + json::fixUTF8(R.Text)},
           {"order", int64_t(Order)}});
      return false;
    }
    if (Order == 0)
      Counts = R.Counts;
    std::string Text = compare(Inputs, First.After, R.After, Varies);
    if (!Text.empty() && !More) {
      More = true;
      for (unsigned Extra = 0; Extra != MoreOrders; ++Extra)
        if (!TryOrder(1000 + Extra))
          return true;
      Text = compare(Inputs, First.After, R.After, Varies);
    }
    if (!Text.empty()) {
      say(json::Object{{"difference", json::fixUTF8(Text)}, {"order", int64_t(Order)}});
      return false;
    }
  }
  if (TheGpu && (!runOnGpu(Inputs, Varies) || GpuFailed))
    return false;
  say(json::Object{{"equal", Varies.any()},
                   {"before", toJson(First.Counts)},
                   {"rewritten", toJson(Counts)},
                   {"relative", Largest.Relative},
                   {"absolute", Largest.Absolute}});
  return true;
}

const CaseRunner::ImageFacts &CaseRunner::factsOf(bool Rewritten) {
  std::optional<ImageFacts> &Facts = Known[Rewritten];
  if (Facts)
    return *Facts;
  Facts.emplace();
  // The simulator has run it, so it can be loaded.
  std::unique_ptr<sim::Module> M = cantFail(Device->loadModule(Images[Rewritten]));
  for (const sim::Variable &V : M->variables())
    if (isOfProgram(V))
      Facts->Variables.push_back({V.Name, V.Size});
  if (const sim::Kernel *Code = M->kernel(K.Mangled))
    Facts->Cooperative = hasGridBarrier(*Code);
  return *Facts;
}

RunResult CaseRunner::launchOnGpu(const CaseInputs &Inputs, bool Rewritten) {
  RunResult R;
  const ImageFacts &Facts = factsOf(Rewritten);
  alarm(Opts.CaseSeconds);
  Expected<GpuMemory> Memory = TheGpu->launch(Images[Rewritten], K.Mangled, Facts.Cooperative, Inputs, Facts.Variables);
  alarm(0);
  if (!Memory) {
    R.Kind = "GPU error";
    R.Text = toString(Memory.takeError());
    GpuFailed = true;
    return R;
  }
  R.Ok = true;
  R.After.Buffers = std::move(Memory->Buffers);
  R.After.Variables = std::move(Memory->Variables);
  return R;
}

bool CaseRunner::runOnGpu(CaseInputs &Inputs, Mask Varies) {
  say(json::Object{{"after", -1}});
  RunResult First = launchOnGpu(Inputs, false);
  auto Again = [&] {
    RunResult R = launchOnGpu(Inputs, false);
    if (!R.Ok)
      return skip(R.Kind, R.Text), false;
    Varies.mark(First.After, R.After);
    return true;
  };
  if (!First.Ok)
    return skip(First.Kind, First.Text), true;
  // The order of wavefronts cannot be asked for there.
  for (unsigned N = 0; N != 2; ++N)
    if (!Again())
      return true;
  for (unsigned N = 0; N != std::max(1u, Opts.Schedules); ++N) {
    say(json::Object{{"after", int64_t(N)}});
    RunResult R = launchOnGpu(Inputs, true);
    std::string Text = R.Ok ? compare(Inputs, First.After, R.After, Varies)
                            : "the rewritten kernel has an error that the original has not: " + R.Text;
    if (R.Ok && !Text.empty()) {
      say(json::Object{{"after", -1}});
      for (unsigned Extra = 0; Extra != MoreOrders; ++Extra)
        if (!Again())
          return true;
      Text = compare(Inputs, First.After, R.After, Varies);
    }
    if (!Text.empty()) {
      say(json::Object{{"difference", "on the GPU, " + json::fixUTF8(Text)}});
      return false;
    }
  }
  return true;
}

void CaseRunner::run(const std::vector<Launch> &Launches, const std::vector<const LaunchSpec *> &Specs,
                     unsigned First) {
  sim::DeviceOptions O;
  O.Threads = 1;
  // A rewritten kernel may wait by hand, in inline assembly.
  O.Races = O.Waits = Opts.Races;
  O.Uninitialized = true;
  O.HangLimit = O.IdleLimit = uint64_t(1) << 24;
  Device = std::make_unique<sim::Device>(O);
  Device->memory().setCapacity(uint64_t(4) << 30);
  std::unique_ptr<sim::Module> M;
  const sim::Kernel *Code = nullptr;
  if (Expected<std::unique_ptr<sim::Module>> Loaded = Device->loadModule(Images[0])) {
    M = std::move(*Loaded);
    Code = M->kernel(K.Mangled);
  } else {
    say(json::Object{{"problem", json::fixUTF8(toString(Loaded.takeError()))}});
    return;
  }
  if (!Code) {
    say(json::Object{{"problem", "the code object has no kernel of that name"}});
    return;
  }
  if (Opts.Gpu) {
    // What kernels print there goes to the standard output of this process.
    if (int Null = open("/dev/null", O_WRONLY); Null >= 0)
      dup2(Null, STDOUT_FILENO);
    Expected<std::unique_ptr<Gpu>> G = Gpu::open();
    if (!G) {
      say(json::Object{{"problem", json::fixUTF8(toString(G.takeError()))}});
      return;
    }
    TheGpu = std::move(*G);
  }
  std::vector<LaunchChoice> Choices = launchChoices(K, Launches, Specs, *Code, Opts);
  if (Choices.empty()) {
    say(json::Object{{"problem", "no block size that the kernel allows is known"}});
    return;
  }
  // Each choice of a launch meets each kind of case while there are cases.
  for (unsigned Number = First; Number < Opts.Cases * std::min<size_t>(Choices.size(), 4); ++Number) {
    const LaunchChoice &Choice = Choices[(Number / Opts.Cases) % Choices.size()];
    CaseInputs Inputs(K, *Code, Choice, Number % Opts.Cases, Opts);
    if (Error E = Inputs.make(Device->memory())) {
      say(json::Object{{"problem", json::fixUTF8(toString(std::move(E)))}});
      return;
    }
    say(json::Object{{"case", int64_t(Number)}, {"text", json::fixUTF8(Inputs.description())}});
    bool GoOn = runCase(Inputs);
    if (GpuFailed)
      say(json::Object{{"restart", true}});
    if (!GoOn || GpuFailed)
      return;
  }
  say(json::Object{{"end", true}});
}

/// Reads the child's lines into \p Out. Returns the number of the case to go on with, or nullopt at the end.
class Listener {
  KernelOutcome &Out;

public:
  std::optional<unsigned> Current; ///< a case has begun
  std::string Case;
  unsigned Last = 0;
  bool Rewritten = false, Ended = false;
  bool Restart = false; ///< the process is in no state for another case

  explicit Listener(KernelOutcome &Out) : Out(Out) {}

  void skip(StringRef Why, StringRef Text) {
    ++Out.Skipped[Why.str()];
    if (Out.SkippedExample.empty())
      Out.SkippedExample = Text.str();
    Current.reset();
  }
  void differ(StringRef Text) {
    Out.Difference = Text.str();
    Out.Case = Case;
    Out.CaseNumber = Current.value_or(0);
    Ended = true;
  }

  void line(StringRef Line) {
    Expected<json::Value> V = json::parse(Line);
    if (!V) {
      consumeError(V.takeError());
      return;
    }
    const json::Object *O = V->getAsObject();
    if (!O)
      return;
    if (auto N = O->getInteger("case")) {
      Current = Last = unsigned(*N);
      Case = O->getString("text").value_or("").str();
      Rewritten = false;
    } else if (auto Order = O->getInteger("after")) {
      Rewritten = *Order >= 0; // -1: the original again
    } else if (auto Why = O->getString("skip")) {
      skip(*Why, O->getString("text").value_or(""));
    } else if (auto Text = O->getString("difference")) {
      if (int64_t Order = O->getInteger("order").value_or(0))
        Case += ", order of wavefronts " + std::to_string(Order);
      differ(*Text);
    } else if (O->get("equal")) {
      ++Out.Equal;
      Out.OrderDependent += O->getBoolean("equal").value_or(false);
      Out.Before += countsOf(O->getArray("before"));
      Out.After += countsOf(O->getArray("rewritten"));
      Out.Largest.add({O->getNumber("relative").value_or(0), O->getNumber("absolute").value_or(0)});
      Current.reset();
    } else if (auto Text = O->getString("problem")) {
      Out.Problem = Text->str();
      Ended = true;
    } else if (O->get("restart")) {
      Restart = true;
    } else if (O->get("end")) {
      Ended = true;
    }
  }
};

} // namespace

KernelOutcome verification::runKernel(const Kernel &K, const std::vector<Launch> &Launches,
                                      const std::vector<const LaunchSpec *> &Specs, ArrayRef<uint8_t> Before,
                                      ArrayRef<uint8_t> After, const std::optional<ErrorBound> &Bound,
                                      const VerifyOptions &Opts) {
  KernelOutcome Out;
  unsigned First = 0;
  while (true) {
    int Ends[2];
    if (pipe(Ends)) {
      Out.Problem = std::string("cannot make a pipe: ") + strerror(errno);
      return Out;
    }
    outs().flush();
    errs().flush();
    pid_t Child = fork();
    if (Child < 0) {
      close(Ends[0]);
      close(Ends[1]);
      Out.Problem = std::string("cannot start a process: ") + strerror(errno);
      return Out;
    }
    if (!Child) {
      close(Ends[0]);
      // What ends a case from outside is told by the parent.
      for (int Signal : {SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
        signal(Signal, SIG_DFL);
      CaseRunner(K, Before, After, Bound, Opts, Ends[1]).run(Launches, Specs, First);
      _exit(0);
    }
    close(Ends[1]);
    Listener L(Out);
    std::string Pending;
    char Chunk[4096];
    while (true) {
      ssize_t N = read(Ends[0], Chunk, sizeof Chunk);
      if (N < 0 && errno == EINTR)
        continue;
      if (N <= 0)
        break;
      Pending.append(Chunk, size_t(N));
      for (size_t End; (End = Pending.find('\n')) != std::string::npos; Pending.erase(0, End + 1))
        L.line(StringRef(Pending).take_front(End));
    }
    close(Ends[0]);
    int Status = 0;
    while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
      ;
    if (L.Ended)
      return Out;
    if (L.Restart) {
      First = L.Last + 1;
      continue;
    }
    bool TooLong = WIFSIGNALED(Status) && WTERMSIG(Status) == SIGALRM;
    std::string Why = TooLong ? "takes more than " + std::to_string(Opts.CaseSeconds) + " s"
                              : "the simulator ended by signal " +
                                    std::to_string(WIFSIGNALED(Status) ? WTERMSIG(Status) : 0);
    if (!L.Current) {
      Out.Problem = Why;
      return Out;
    }
    First = *L.Current + 1;
    if (L.Rewritten) {
      L.differ("the rewritten kernel " + std::string(TooLong ? "" : "is where ") + Why + ", the original does not");
      return Out;
    }
    L.skip(Why, Why);
  }
}
