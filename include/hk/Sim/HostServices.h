//===- HostServices.h - Calls from kernels to the host ----------*- C++ -*-===//
//
// Device code asks the host to print, to allocate or to call a function by
// packets in a shared buffer: it takes a packet from a stack of free ones, fills
// it in for its active lanes, pushes it on a stack of ready ones, rings a
// doorbell and waits until the host has cleared the packet's ready bit.
//
// A grid barrier needs memory of the host, too, so that it is found here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Sim/Device.h"

#include <functional>
#include <memory>

namespace hk::sim {

class HostServices {
public:
  struct Options {
    /// Text of a device printf, or of an assertion that failed.
    std::function<void(llvm::StringRef Text, bool ToStderr)> Print;
    std::function<void(const llvm::Twine &)> Complain;
    /// Serve calls of host functions by their address, which only the program itself can have given.
    bool Functions = false;
  };

  HostServices(DeviceMemory &Memory, Options Opts);
  /// Frees the memory it has, and what kernels allocated.
  ~HostServices();

  /// Sets what \p K asks for by its hidden arguments; memory is made when it is first needed.
  void prepare(const Kernel &K, LaunchConfig &Config);
  /// Serves all packets that are ready. Any thread may call it.
  void serve();

private:
  struct State;
  std::unique_ptr<State> S;
};

/// The text of a device printf from what it sent: a control word, the format, its arguments.
std::string printfText(const uint64_t *Words, uint64_t Count, bool &ToStderr);

} // namespace hk::sim
