//===- Runtime.h - State of the stand-in HIP library ----------------------===//
//
// The library runs a HIP program on the simulator. Work is executed when it is enqueued, by the
// thread that enqueues it: streams are in order by themselves, and what a program may observe is
// one of the orders the real library allows. Only a stream under capture keeps operations, as graph
// nodes.
//
// Each API function ends in done(), which remembers an error for hipGetLastError. A fault of a
// kernel is told on stderr at once and stays: everything that would wait for the device reports it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Sim/Device.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <hip/hip_runtime_api.h>

/// What a hipModule_t points to: one code object, loaded when it is first used.
struct ihipModule_t {
  std::vector<uint8_t> Bytes; ///< of a file; empty if Image is the program's own memory
  llvm::ArrayRef<uint8_t> Image;
  std::unique_ptr<hk::sim::Module> Loaded;
  hipError_t LoadError = hipSuccess;
  /// Managed variables by name: the memory and where the program keeps its address.
  struct Managed {
    void *Memory;
    size_t Size;
  };
  std::map<std::string, Managed> ManagedVariables;
  /// hipFunction_t handles given out, by kernel name.
  std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> Functions;
};

/// What a hipFunction_t points to.
struct ihipModuleSymbol_t {
  ihipModule_t *Module;
  const hk::sim::Kernel *Kernel;
  uint32_t MaxDynamicLds = 0;
};

namespace hk::hip {

struct KernelStatistics {
  uint64_t Launches = 0;
  sim::Counters Counts;
  double ModelCycles = 0, HostSeconds = 0;
  std::map<std::pair<std::string, unsigned>, sim::Counters> Lines;
  unsigned Vgprs = 0, Agprs = 0, Sgprs = 0, Spills = 0;
  uint32_t LdsSize = 0, PrivateSize = 0;
};

/// A chip that programs can be run as.
struct Chip {
  const char *Processor, *Name, *ArchName;
  int Major, Minor, Units, ClockKHz, MemoryClockKHz;
  unsigned Lds;           ///< bytes a workgroup
  double MemoryBandwidth; ///< bytes a second that copies reach
};

/// Settings, from HK_SIM_* of the environment, which the hk-sim tool sets.
struct Options {
  sim::DeviceOptions Device;
  bool Table = false;
  std::string JsonFile;
  const Chip *Target;
  bool HostTime = false; ///< events report the host's time, not the model's
};

class Runtime {
public:
  static Runtime &get();

  sim::Device &device() { return *Device; }
  sim::DeviceMemory &memory() { return Device->memory(); }
  const Options &options() const { return Opts; }
  const Chip &chip() const { return *Opts.Target; }
  std::recursive_mutex &mutex() { return Mutex; }

  // Registration.cpp and Modules.cpp.
  ihipModule_t *registerFatBinary(const void *Image);
  void unregisterFatBinary(ihipModule_t *Module);
  void registerFunction(ihipModule_t *Module, const void *Stub, llvm::StringRef Name);
  void registerVariable(ihipModule_t *Module, const void *Shadow, llvm::StringRef Name,
                        size_t Size);
  hipError_t registerManaged(ihipModule_t *Module, void **Pointer, const void *Initial,
                             llvm::StringRef Name, size_t Size);
  hipError_t load(ihipModule_t &Module);
  void addModule(std::unique_ptr<ihipModule_t> Module);
  hipError_t removeModule(ihipModule_t *Module);
  bool isModule(const ihipModule_t *Module) const;
  /// A handle of one of the library's modules, or null.
  ihipModuleSymbol_t *function(ihipModule_t &Module, llvm::StringRef Name);
  /// By the address of the host's stub, or by a hipFunction_t.
  hipError_t findFunction(const void *Stub, ihipModuleSymbol_t *&Result);
  hipError_t findSymbol(const void *Symbol, void *&Address, size_t &Size);
  llvm::StringRef nameOfStub(const void *Stub) const;

  // Device time, in seconds from the start; see Event.cpp.
  double clock() const;
  void advance(double Seconds) { DeviceSeconds += Seconds; }

  /// Of the first fault of a kernel; success if there was none.
  hipError_t fault() const { return Sticky; }
  void setFault(hipError_t E);
  uint64_t faults() const { return Faults; }
  void resetDevice();

  void count(const sim::Kernel &K, const sim::LaunchResult &Result);
  /// Table and JSON, when the program ends.
  void writeStatistics();

private:
  void writeResult() const;
  Runtime();

  Options Opts;
  std::unique_ptr<sim::Device> Device;
  mutable std::recursive_mutex Mutex;
  std::vector<std::unique_ptr<ihipModule_t>> Modules;
  struct Stub {
    ihipModule_t *Module;
    std::string Name;
  };
  llvm::DenseMap<const void *, Stub> Stubs, Shadows;
  std::map<std::string, KernelStatistics> Statistics;
  double DeviceSeconds = 0, StartSeconds = 0;
  hipError_t Sticky = hipSuccess;
  uint64_t Faults = 0;
};

/// Remembers an error for the calling thread and returns it.
hipError_t done(hipError_t E);
/// done(), or the fault of an earlier kernel.
hipError_t doneWaiting(hipError_t E);
/// Without remembering: the last error of the calling thread.
hipError_t &lastError();

/// One line on stderr.
void complain(const llvm::Twine &Text);
/// For what the library does not do: says so, and returns hipErrorNotSupported.
hipError_t unsupported(const char *Call);

struct ApiLock {
  std::lock_guard<std::recursive_mutex> Guard{Runtime::get().mutex()};
};

} // namespace hk::hip
