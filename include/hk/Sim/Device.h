//===- Device.h - Launches kernels on the simulated GPU ---------*- C++ -*-===//
//
// One launch() runs a whole grid and returns when it ended. Workgroups are
// spread over threads; what a kernel that is free of races computes, and what
// is counted, does not depend on how many there are. The order in which
// wavefronts take turns follows from the seed alone when one thread runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Sim/Counters.h"
#include "hk/Sim/Fault.h"
#include "hk/Sim/Memory.h"
#include "hk/Sim/Module.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace hk::sim {

struct DeviceOptions {
  unsigned Threads = 0; ///< 0: one a processor of the host
  /// 0: each wavefront runs until it waits. Else wavefronts take turns in an order, and for a number
  /// of instructions, drawn from it.
  uint64_t ScheduleSeed = 0;
  bool Counters = true;
  bool LineCounters = false;  ///< also by source line; implies Counters
  bool Races = false;         ///< data races inside a workgroup are faults
  bool Uninitialized = false; ///< reads of device memory and LDS never written are faults
  bool Waits = false;         ///< use of a register before the s_waitcnt that covers it is a fault
  /// Refuse a kernel that contains an unknown instruction. Barriers have to be reached by all
  /// wavefronts, and be the same for all: the chip counts neither those that ended nor places.
  bool Strict = false;
  /// Instructions without any change of memory, barrier or end, after which wavefronts that all
  /// repeat themselves are a hang. Computing and waiting for a time to come are none.
  uint64_t HangLimit = uint64_t(1) << 26;
  /// The same for whatever the wavefronts do; 0: no limit.
  uint64_t IdleLimit = 0;
  /// If not 0: a wavefront that has executed more instructions than this is taken for one that hangs,
  /// whatever it changes.
  uint64_t InstructionLimit = 0;
  /// If not empty: each instruction of kernels with this name is printed with its results.
  std::string TraceKernel;
};

struct Dim3 {
  uint32_t X = 1, Y = 1, Z = 1;
};

struct LaunchConfig {
  Dim3 Grid;  ///< in workgroups
  Dim3 Block; ///< in work-items
  /// In work-items, if the grid is no whole number of workgroups (hipExtModuleLaunchKernel); zeros:
  /// Grid times Block.
  Dim3 GridItems = {0, 0, 0};
  uint32_t DynamicLds = 0;
  bool Cooperative = false; ///< all workgroups make progress together

  /// Values of hidden arguments that only a runtime has; 0 where there are none.
  uint64_t HostcallBuffer = 0;
  uint64_t PrintfBuffer = 0;
  uint64_t Heap = 0;
  uint64_t MultigridSync = 0;
  uint64_t DefaultQueue = 0, CompletionAction = 0;
  uint64_t PrivateLimit = 16384; ///< bytes of stack for a kernel with calls of unknown depth

  /// Called by whichever thread runs a wavefront that sends a message or sleeps: the place to serve
  /// device calls to the host. May be called from several threads at once.
  std::function<void()> Service;
};

/// From now on the code for any x86-64 is used, as on a processor without AVX2: for tests of it. Has
/// to come before the first module is loaded.
void usePlainCode();

struct LaunchResult {
  Counters Counts;
  std::vector<LineCounters> Lines; ///< sorted by file and line; empty unless asked for
  double ModelCycles = 0;          ///< a model for ranking two versions; no time of any chip
  double HostSeconds = 0;
};

class Device {
public:
  explicit Device(DeviceOptions Options = {});
  ~Device();

  DeviceMemory &memory() { return Memory; }
  DeviceOptions &options() { return Options; }

  llvm::Expected<std::unique_ptr<Module>>
  loadModule(llvm::ArrayRef<uint8_t> Image,
             std::function<uint64_t(llvm::StringRef)> Resolve = nullptr) {
    return Module::load(Image, Memory, std::move(Resolve));
  }

  /// \p Arguments is the explicit part of the kernel argument segment; hidden arguments are added.
  /// A fault of the kernel is an error of type Fault.
  llvm::Expected<LaunchResult> launch(const Kernel &K, const LaunchConfig &Config,
                                      llvm::ArrayRef<uint8_t> Arguments);

private:
  struct Launcher;

  DeviceOptions Options;
  DeviceMemory Memory;
  std::unique_ptr<Launcher> Kept;
};

} // namespace hk::sim
