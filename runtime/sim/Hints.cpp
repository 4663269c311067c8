//===- Hints.cpp - Calls with nothing to do, and queries about them -------===//
//
// Settings that could only make something faster, or that have one possible value here.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;
using namespace hk::hip;

/// Compares as the wait of a stream does. What is not there yet will never be: nothing runs behind.
static hipError_t waitValue(const char *Call, uint64_t Memory, uint64_t Value, uint64_t Mask,
                            unsigned Flags) {
  Memory &= Mask;
  switch (Flags) {
  case hipStreamWaitValueGte:
    return int64_t(Memory - (Value & Mask)) >= 0 ? hipSuccess : unsupported(Call);
  case hipStreamWaitValueEq:
    return Memory == (Value & Mask) ? hipSuccess : unsupported(Call);
  case hipStreamWaitValueAnd:
    return Memory & Value ? hipSuccess : unsupported(Call);
  case hipStreamWaitValueNor:
    return ~(Memory | Value) & Mask ? hipSuccess : unsupported(Call);
  default:
    return hipErrorInvalidValue;
  }
}

static void printDot(raw_ostream &OS, const ihipGraph &Graph) {
  static const char *const Names[] = {"kernel", "memcpy", "memset", "host",   "graph",
                                      "empty",  "wait",   "record", "signal", "wait",
                                      "alloc",  "free",   "memcpy", "memcpy", "batch"};
  OS << "digraph {\n";
  std::map<const hipGraphNode *, unsigned> Numbers;
  for (auto &Node : Graph.Nodes) {
    unsigned Number = unsigned(Numbers.size());
    Numbers[Node.get()] = Number;
    OS << "  n" << Number << " [label=\"" << Names[typeOf(*Node)];
    if (auto *Kernel = std::get_if<KernelOp>(&Node->Op))
      OS << ' ' << Kernel->Function->Kernel->Name;
    OS << "\"];\n";
  }
  for (auto &Node : Graph.Nodes)
    for (hipGraphNode *D : Node->Dependencies)
      OS << "  n" << Numbers[D] << " -> n" << Numbers[Node.get()] << ";\n";
  OS << "}\n";
}

extern "C" {

hipError_t hipCtxSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *Config) { return hipDeviceGetCacheConfig(Config); }
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig) { return hipSuccess; }
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *Config) {
  return hipDeviceGetSharedMemConfig(Config);
}
hipError_t hipCtxEnablePeerAccess(hipCtx_t, unsigned) { return done(hipErrorInvalidContext); }
hipError_t hipCtxDisablePeerAccess(hipCtx_t) { return done(hipErrorPeerAccessNotEnabled); }

hipError_t hipDeviceGraphMemTrim(int Device) {
  return done(Device ? hipErrorInvalidDevice : hipSuccess);
}
hipError_t hipDeviceGetGraphMemAttribute(int Device, hipGraphMemAttributeType, void *Value) {
  if (Device || !Value)
    return done(Device ? hipErrorInvalidDevice : hipErrorInvalidValue);
  *static_cast<uint64_t *>(Value) = 0;
  return hipSuccess;
}
hipError_t hipDeviceSetGraphMemAttribute(int Device, hipGraphMemAttributeType, void *Value) {
  if (Device || !Value)
    return done(Device ? hipErrorInvalidDevice : hipErrorInvalidValue);
  return hipSuccess;
}

hipError_t hipPointerSetAttribute(const void *Value, hipPointer_attribute Attribute,
                                  hipDeviceptr_t Pointer) {
  if (!Value || !Pointer || Attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return done(hipErrorInvalidValue);
  return hipSuccess;
}

// Attributes of kernel nodes are about caches and priorities.
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t Node, hipKernelNodeAttrID,
                                          const hipKernelNodeAttrValue *Value) {
  return done(Node && Value ? hipSuccess : hipErrorInvalidValue);
}
hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t Node, hipKernelNodeAttrID,
                                          hipKernelNodeAttrValue *Value) {
  if (!Node || !Value)
    return done(hipErrorInvalidValue);
  *Value = {};
  return hipSuccess;
}
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t From, hipGraphNode_t To) {
  return done(From && To ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphDebugDotPrint(hipGraph_t Graph, const char *Path, unsigned) {
  ApiLock Lock;
  if (!isGraph(Graph) || !Path)
    return done(hipErrorInvalidValue);
  std::error_code EC;
  raw_fd_ostream OS(Path, EC, sys::fs::OF_Text);
  if (EC)
    return done(hipErrorOperatingSystem);
  printDot(OS, *Graph);
  return hipSuccess;
}

hipError_t hipStreamWaitValue32(hipStream_t Stream, void *Pointer, uint32_t Value, unsigned Flags,
                                uint32_t Mask) {
  ApiLock Lock;
  if (!Pointer || !streamOf(Stream))
    return done(hipErrorInvalidValue);
  return done(waitValue("hipStreamWaitValue32 for a value that is not there yet",
                        *static_cast<uint32_t *>(Pointer), Value, Mask, Flags));
}
hipError_t hipStreamWaitValue64(hipStream_t Stream, void *Pointer, uint64_t Value, unsigned Flags,
                                uint64_t Mask) {
  ApiLock Lock;
  if (!Pointer || !streamOf(Stream))
    return done(hipErrorInvalidValue);
  return done(waitValue("hipStreamWaitValue64 for a value that is not there yet",
                        *static_cast<uint64_t *>(Pointer), Value, Mask, Flags));
}

} // extern "C"
