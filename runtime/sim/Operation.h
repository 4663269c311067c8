//===- Operation.h - Things a stream can be asked to do -------------------===//
//
// An operation owns all it needs. It is executed at once, or becomes a graph node if its stream is
// under capture; graphs built by hand hold the same ones.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Runtime.h"

#include <variant>

namespace hk::hip {

struct KernelOp {
  ihipModuleSymbol_t *Function = nullptr;
  const void *Stub = nullptr; ///< as the program named it; for hipGraphKernelNodeGetParams
  dim3 Grid = dim3(0), Block = dim3(0);
  uint32_t GridItems[3] = {0, 0, 0}; ///< if not whole workgroups; else zeros
  uint32_t DynamicLds = 0;
  bool Cooperative = false;
  std::vector<uint8_t> Arguments; ///< the explicit part of the argument segment
  std::vector<void *> Pointers;   ///< to each argument in it; made on demand
  hipEvent_t Start = nullptr, Stop = nullptr;
};

/// A box of bytes from one place to another. Symbols and arrays are resolved already.
struct CopyOp {
  void *Dst = nullptr;
  const void *Src = nullptr;
  size_t DstPitch = 0, DstSlice = 0, SrcPitch = 0, SrcSlice = 0; ///< in bytes
  size_t Width = 0, Height = 1, Depth = 1;
  hipMemcpyKind Kind = hipMemcpyDefault;
  hipMemcpy3DParms Params = {}; ///< as given, for hipGraphMemcpyNodeGetParams
  hipGraphNodeType Type = hipGraphNodeTypeMemcpy;
};

struct FillOp {
  void *Dst = nullptr;
  unsigned Value = 0, ElementSize = 1;
  size_t Width = 0, Height = 1, Pitch = 0, Depth = 1, Slice = 0; ///< Width in elements
};

struct HostOp {
  hipHostFn_t Function = nullptr;
  void *Data = nullptr;
  hipStreamCallback_t Callback = nullptr; ///< instead of Function
  hipStream_t Stream = nullptr;           ///< what Callback is told
};

struct EventOp {
  hipEvent_t Event = nullptr;
  bool Wait = false;
};

struct ChildOp {
  hipGraph_t Graph = nullptr; ///< owned by the node
};

struct AllocOp {
  hipMemAllocNodeParams Params = {};
};

struct FreeOp {
  void *Pointer = nullptr;
};

struct EmptyOp {};

using Operation =
    std::variant<EmptyOp, KernelOp, CopyOp, FillOp, HostOp, EventOp, ChildOp, AllocOp, FreeOp>;

/// Does it now.
hipError_t execute(Operation &Op);
hipError_t executeKernel(KernelOp &Op);
hipError_t executeCopy(const CopyOp &Op);
hipError_t executeFill(const FillOp &Op);
hipError_t executeGraph(hipGraph_t Graph);

/// Does it now, or adds it to the graph that \p Stream is captured into.
hipError_t submit(hipStream_t Stream, Operation Op);

/// Fills in a launch, with what is wrong with it told as the real library would.
hipError_t prepareKernel(KernelOp &Op, const void *Stub, dim3 Grid, dim3 Block, void **Arguments,
                         void **Extra, size_t DynamicLds);
hipError_t checkKernel(const KernelOp &Op);
/// The memory of a linear copy, checked against the allocations.
hipError_t prepareCopy(CopyOp &Op, void *Dst, const void *Src, size_t Bytes, hipMemcpyKind Kind);
hipError_t prepareCopy(CopyOp &Op, const hipMemcpy3DParms &Params);
hipError_t prepareFill(FillOp &Op, const hipMemsetParams &Params);
hipError_t checkCopy(const CopyOp &Op);
hipError_t checkFill(const FillOp &Op);

} // namespace hk::hip
