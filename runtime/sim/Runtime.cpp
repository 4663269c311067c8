//===- Runtime.cpp - Settings, errors, the life of the library ------------===//

#include "Runtime.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

using namespace llvm;
using namespace hk::hip;

static double hostSeconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void hk::hip::complain(const Twine &Text) {
  // In one write, so that lines of several threads do not mix.
  SmallString<256> Line;
  ("hk-sim: " + Text + "\n").toVector(Line);
  errs() << Line;
  errs().flush();
}

hipError_t hk::hip::unsupported(const char *Call) {
  complain(Twine(Call) + " is not supported");
  return done(hipErrorNotSupported);
}

hipError_t &hk::hip::lastError() {
  static thread_local hipError_t Last = hipSuccess;
  return Last;
}

hipError_t hk::hip::done(hipError_t E) {
  // Not an error of the program.
  if (E != hipSuccess && E != hipErrorNotReady)
    lastError() = E;
  return E;
}

hipError_t hk::hip::doneWaiting(hipError_t E) {
  hipError_t Fault = Runtime::get().fault();
  return done(Fault != hipSuccess ? Fault : E);
}

static StringRef setting(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? StringRef(Value) : StringRef();
}

static bool isOn(const char *Name) {
  StringRef Value = setting(Name);
  return !Value.empty() && Value != "0";
}

static uint64_t number(const char *Name, uint64_t Default) {
  StringRef Value = setting(Name);
  uint64_t N;
  if (Value.empty())
    return Default;
  if (Value.getAsInteger(0, N)) {
    complain(Twine(Name) + "=" + Value + " is not a number");
    return Default;
  }
  return N;
}

static const Chip Chips[] = {
    {"gfx942", "AMD Instinct MI300X (simulated)", "gfx942:sramecc+:xnack-", 9, 4, 304, 2100000,
     1300000, 65536, 2.6e12},
    {"gfx90a", "AMD Instinct MI250X (simulated)", "gfx90a:sramecc+:xnack-", 9, 0, 104, 1700000,
     1600000, 65536, 0.8e12},
    {"gfx950", "AMD Instinct MI355X (simulated)", "gfx950:sramecc+:xnack-", 9, 5, 256, 2400000,
     2000000, 163840, 4e12},
};

static const Chip *readChip() {
  StringRef Name = setting("HK_SIM_ARCH");
  for (const Chip &C : Chips)
    if (Name == C.Processor)
      return &C;
  if (!Name.empty())
    complain("HK_SIM_ARCH=" + Name + " is not simulated; gfx942 is used");
  return Chips;
}

static Options readOptions() {
  Options O;
  O.Target = readChip();
  O.Device.Threads = unsigned(number("HK_SIM_THREADS", 0));
  O.Device.ScheduleSeed = number("HK_SIM_SEED", 0);
  O.Device.LineCounters = isOn("HK_SIM_LINES");
  O.Device.Races = isOn("HK_SIM_RACES");
  O.Device.Uninitialized = isOn("HK_SIM_UNINITIALIZED");
  O.Device.Waits = isOn("HK_SIM_WAITS");
  O.Device.Strict = isOn("HK_SIM_STRICT");
  O.Device.TraceKernel = setting("HK_SIM_TRACE").str();
  O.Device.IdleLimit = number("HK_SIM_HANG_LIMIT", O.Device.IdleLimit);
  O.Table = isOn("HK_SIM_STATS");
  O.JsonFile = setting("HK_SIM_JSON").str();
  O.HostTime = setting("HK_SIM_TIME") == "host";
  // Counting costs; nobody reads the counters but these and the model's clock.
  O.Device.Counters = O.Table || !O.JsonFile.empty() || O.Device.LineCounters || !O.HostTime;
  return O;
}

Runtime::Runtime() : Opts(readOptions()) {
  Device = std::make_unique<sim::Device>(Opts.Device);
  if (Opts.Device.Uninitialized)
    Device->memory().trackWritten(true);
  if (uint64_t Bytes = number("HK_SIM_MEMORY", 0))
    Device->memory().setCapacity(Bytes);
  StartSeconds = hostSeconds();
}

Runtime &Runtime::get() {
  // Never destroyed: programs free memory in destructors that run later than any of ours would.
  static Runtime *The = [] {
    auto *R = new Runtime;
    std::atexit([] { Runtime::get().writeStatistics(); });
    return R;
  }();
  return *The;
}

double Runtime::clock() const {
  return Opts.HostTime ? hostSeconds() - StartSeconds : DeviceSeconds;
}

void Runtime::resetDevice() { Sticky = hipSuccess; }

namespace hk::hip {
/// For Unsupported.cpp, which must not see the API's declarations.
int unsupportedCall(const char *Call) { return unsupported(Call); }
} // namespace hk::hip
