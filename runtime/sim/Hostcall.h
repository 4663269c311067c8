//===- Hostcall.h - Calls from kernels to the host ------------------------===//
//
// Device code asks the host to print, to allocate or to call a function by packets in a shared
// buffer: it takes a packet from a stack of free ones, fills it in for its active lanes, pushes it
// on a stack of ready ones, rings a doorbell and waits until the host has cleared the packet's
// ready bit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace hk::hip {

/// For LaunchConfig::HostcallBuffer; made when it is first asked for.
uint64_t hostcallBuffer();
/// For LaunchConfig::Heap: what the device library's malloc works on.
uint64_t deviceHeap();
/// Serves all packets that are ready. Any thread may call it.
void serveHostcalls();

/// Prints what a device printf sent: a control word, the format, its arguments.
void printMessage(const uint64_t *Words, uint64_t Count);

} // namespace hk::hip
