//===- Launcher.h - What a device keeps between launches --------*- C++ -*-===//
//
// A short kernel takes microseconds, so nothing that asks the operating system
// may come with each launch: threads, schedulers with mapped registers, and
// memory for arguments are kept.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Scheduler.h"
#include "Threads.h"

#include <memory>
#include <mutex>
#include <vector>

namespace hk::sim {

/// Memory for kernel arguments. What a launch had is dead afterwards, and comes back only after
/// many more, so that a kernel which holds on to a pointer into it is found out.
class ArgumentMemory {
public:
  explicit ArgumentMemory(DeviceMemory &Memory) : Memory(Memory) {}

  /// \p Bytes of zeros.
  llvm::Expected<uint8_t *> take(uint64_t Bytes);
  void giveBack(uint8_t *Base);

private:
  struct Slot {
    uint8_t *Base = nullptr;
    uint64_t Room = 0;
    bool Taken = false;
  };
  static constexpr size_t Slots = 64;

  DeviceMemory &Memory;
  std::mutex Mutex;
  std::vector<Slot> All;
  size_t Next = 0;
};

struct Device::Launcher {
  explicit Launcher(DeviceMemory &Memory) : Arguments(Memory) {}

  ArgumentMemory Arguments;
  ThreadPool Threads;

  /// As many schedulers as asked for, none of which serves a launch.
  std::vector<std::unique_ptr<Scheduler>> take(unsigned Count);
  void giveBack(std::vector<std::unique_ptr<Scheduler>> Used);

private:
  std::mutex Mutex;
  std::vector<std::unique_ptr<Scheduler>> Idle;
};

} // namespace hk::sim
