//===- GraphNodes.cpp - Adding graph nodes, and their parameters ----------===//
//
// Each kind of node comes as four functions: add, get, set, and set in an executable graph. They
// share the functions that fill an operation in.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hk::hip;

static hipError_t add(hipGraphNode_t *Result, hipGraph_t Graph, const hipGraphNode_t *Dependencies,
                      size_t Count, hipError_t Prepared, Operation Op) {
  if (!Result || !isGraph(Graph) || (Count && !Dependencies))
    return done(hipErrorInvalidValue);
  ArrayRef<hipGraphNode_t> All(Dependencies, Count);
  for (hipGraphNode_t D : All)
    if (!D || D->Graph != Graph)
      return done(hipErrorInvalidValue);
  if (Prepared != hipSuccess)
    return done(Prepared);
  *Result = addNode(*Graph, std::move(Op), All);
  return hipSuccess;
}

/// The node's operation, if it is of that kind.
template <typename Kind> static Kind *get(hipGraphNode_t Node) {
  return Node ? std::get_if<Kind>(&Node->Op) : nullptr;
}

/// The copy of \p Node in an executable graph; in child graphs, too.
static hipGraphNode_t copyOf(const ihipGraph &Graph, hipGraphNode_t Node) {
  for (auto &N : Graph.Nodes) {
    if (N->Original == Node)
      return N.get();
    if (auto *Child = std::get_if<ChildOp>(&N->Op))
      if (hipGraphNode_t Found = copyOf(*Child->Graph, Node))
        return Found;
  }
  return nullptr;
}

static hipGraphNode_t copyOf(hipGraphExec_t Exec, hipGraphNode_t Node) {
  return Exec && Node ? copyOf(*Exec->Graph, Node) : nullptr;
}

/// Replaces the operation of \p Node by \p Op if both are of one kind.
template <typename Kind>
static hipError_t set(hipGraphNode_t Node, hipError_t Prepared, const Kind &Op) {
  Kind *Old = get<Kind>(Node);
  if (!Old)
    return done(hipErrorInvalidValue);
  if (Prepared == hipSuccess)
    *Old = Op;
  return done(Prepared);
}

static hipError_t prepare(KernelOp &Op, const hipKernelNodeParams *P) {
  if (!P)
    return hipErrorInvalidValue;
  return prepareKernel(Op, P->func, P->gridDim, P->blockDim, P->kernelParams, P->extra,
                       P->sharedMemBytes);
}

static hipError_t prepare(CopyOp &Op, const hipMemcpy3DParms *P) {
  return P ? prepareCopy(Op, *P) : hipErrorInvalidValue;
}

static hipError_t prepareSymbol(CopyOp &Op, const void *Symbol, void *Other, size_t Bytes,
                                size_t Offset, hipMemcpyKind Kind, bool ToSymbol) {
  void *Address = nullptr;
  size_t Size = 0;
  if (hipError_t E = Runtime::get().findSymbol(Symbol, Address, Size))
    return E;
  if (Offset > Size || Bytes > Size - Offset)
    return hipErrorInvalidValue;
  char *Place = static_cast<char *>(Address) + Offset;
  Op.Type = ToSymbol ? hipGraphNodeTypeMemcpyToSymbol : hipGraphNodeTypeMemcpyFromSymbol;
  return ToSymbol ? prepareCopy(Op, Place, Other, Bytes, Kind)
                  : prepareCopy(Op, Other, Place, Bytes, Kind);
}

static hipError_t prepare(FillOp &Op, const hipMemsetParams *P) {
  return P ? prepareFill(Op, *P) : hipErrorInvalidValue;
}

static hipError_t prepare(HostOp &Op, const hipHostNodeParams *P) {
  if (!P || !P->fn)
    return hipErrorInvalidValue;
  Op.Function = P->fn;
  Op.Data = P->userData;
  return hipSuccess;
}

static hipError_t prepare(EventOp &Op, hipEvent_t Event, bool Wait) {
  Op = {Event, Wait};
  return isEvent(Event) ? hipSuccess : hipErrorInvalidValue;
}

/// The node owns a clone.
static hipError_t prepare(ChildOp &Op, hipGraph_t Graph) {
  if (!isGraph(Graph))
    return hipErrorInvalidValue;
  Op.Graph = cloneGraph(*Graph).release();
  registerGraph(Op.Graph);
  return hipSuccess;
}

static hipError_t prepare(AllocOp &Op, hipMemAllocNodeParams *P) {
  if (!P || !P->bytesize)
    return hipErrorInvalidValue;
  // Kernel nodes are given the address before the graph ever runs.
  hipError_t E = hipMalloc(&P->dptr, P->bytesize);
  Op.Params = *P;
  return E;
}

static hipError_t setEvent(hipGraphNode_t Node, hipEvent_t Event, bool Wait) {
  EventOp *Op = get<EventOp>(Node);
  if (!Op || Op->Wait != Wait || !isEvent(Event))
    return done(hipErrorInvalidValue);
  Op->Event = Event;
  return hipSuccess;
}

static hipError_t getEvent(hipGraphNode_t Node, hipEvent_t *Event, bool Wait) {
  EventOp *Op = get<EventOp>(Node);
  if (!Op || Op->Wait != Wait || !Event)
    return done(hipErrorInvalidValue);
  *Event = Op->Event;
  return hipSuccess;
}

/// hipGraphNodeSetParams, for the original or the copy.
static hipError_t setAny(hipGraphNode_t Node, hipGraphNodeParams *P) {
  if (!Node || !P)
    return done(hipErrorInvalidValue);
  switch (P->type) {
  case hipGraphNodeTypeKernel: {
    KernelOp Op;
    return set(Node, prepare(Op, &P->kernel), Op);
  }
  case hipGraphNodeTypeMemcpy: {
    CopyOp Op;
    return set(Node, prepare(Op, &P->memcpy.copyParams), Op);
  }
  case hipGraphNodeTypeMemset: {
    FillOp Op;
    return set(Node, prepare(Op, &P->memset), Op);
  }
  case hipGraphNodeTypeHost: {
    HostOp Op;
    return set(Node, prepare(Op, &P->host), Op);
  }
  case hipGraphNodeTypeWaitEvent:
    return setEvent(Node, P->eventWait.event, true);
  case hipGraphNodeTypeEventRecord:
    return setEvent(Node, P->eventRecord.event, false);
  default:
    return unsupported("hipGraphNodeSetParams for this type of node");
  }
}

#define HK_NODE                                                                                    \
  hipGraphNode_t *Node, hipGraph_t Graph, const hipGraphNode_t *Dependencies, size_t Count
#define HK_ADD(Prepared, Op) add(Node, Graph, Dependencies, Count, Prepared, Op)

extern "C" {

// Kernels.

hipError_t hipGraphAddKernelNode(HK_NODE, const hipKernelNodeParams *Params) {
  ApiLock Lock;
  KernelOp Op;
  hipError_t E = prepare(Op, Params);
  return HK_ADD(E, Op);
}
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t Node, hipKernelNodeParams *Params) {
  ApiLock Lock;
  KernelOp *Op = get<KernelOp>(Node);
  if (!Op || !Params)
    return done(hipErrorInvalidValue);
  Op->Pointers.clear();
  for (const hk::sim::KernelArgument &A : Op->Function->Kernel->Arguments)
    if (!A.hidden())
      Op->Pointers.push_back(Op->Arguments.data() + A.Offset);
  Params->func = const_cast<void *>(Op->Stub);
  Params->gridDim = Op->Grid;
  Params->blockDim = Op->Block;
  Params->sharedMemBytes = Op->DynamicLds;
  Params->kernelParams = Op->Pointers.data();
  Params->extra = nullptr;
  return hipSuccess;
}
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t Node, const hipKernelNodeParams *Params) {
  ApiLock Lock;
  KernelOp Op;
  hipError_t E = prepare(Op, Params);
  return set(Node, E, Op);
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t Exec, hipGraphNode_t Node,
                                           const hipKernelNodeParams *Params) {
  ApiLock Lock;
  return hipGraphKernelNodeSetParams(copyOf(Exec, Node), Params);
}

// Copies.

hipError_t hipGraphAddMemcpyNode(HK_NODE, const hipMemcpy3DParms *Params) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepare(Op, Params);
  return HK_ADD(E, Op);
}
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t Node, hipMemcpy3DParms *Params) {
  ApiLock Lock;
  CopyOp *Op = get<CopyOp>(Node);
  if (!Op || !Params)
    return done(hipErrorInvalidValue);
  *Params = Op->Params;
  return hipSuccess;
}
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t Node, const hipMemcpy3DParms *Params) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepare(Op, Params);
  return set(Node, E, Op);
}
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t Exec, hipGraphNode_t Node,
                                           hipMemcpy3DParms *Params) {
  ApiLock Lock;
  return hipGraphMemcpyNodeSetParams(copyOf(Exec, Node), Params);
}
hipError_t hipGraphAddMemcpyNode1D(HK_NODE, void *Dst, const void *Src, size_t Bytes,
                                   hipMemcpyKind Kind) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepareCopy(Op, Dst, Src, Bytes, Kind);
  return HK_ADD(E, Op);
}
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t Node, void *Dst, const void *Src,
                                         size_t Bytes, hipMemcpyKind Kind) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepareCopy(Op, Dst, Src, Bytes, Kind);
  return set(Node, E, Op);
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t Exec, hipGraphNode_t Node, void *Dst,
                                             const void *Src, size_t Bytes, hipMemcpyKind Kind) {
  ApiLock Lock;
  return hipGraphMemcpyNodeSetParams1D(copyOf(Exec, Node), Dst, Src, Bytes, Kind);
}
hipError_t hipGraphAddMemcpyNodeToSymbol(HK_NODE, const void *Symbol, const void *Src, size_t Bytes,
                                         size_t Offset, hipMemcpyKind Kind) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepareSymbol(Op, Symbol, const_cast<void *>(Src), Bytes, Offset, Kind, true);
  return HK_ADD(E, Op);
}
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t Node, const void *Symbol,
                                               const void *Src, size_t Bytes, size_t Offset,
                                               hipMemcpyKind Kind) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepareSymbol(Op, Symbol, const_cast<void *>(Src), Bytes, Offset, Kind, true);
  return set(Node, E, Op);
}
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t Exec, hipGraphNode_t Node,
                                                   const void *Symbol, const void *Src,
                                                   size_t Bytes, size_t Offset,
                                                   hipMemcpyKind Kind) {
  ApiLock Lock;
  return hipGraphMemcpyNodeSetParamsToSymbol(copyOf(Exec, Node), Symbol, Src, Bytes, Offset, Kind);
}
hipError_t hipGraphAddMemcpyNodeFromSymbol(HK_NODE, void *Dst, const void *Symbol, size_t Bytes,
                                           size_t Offset, hipMemcpyKind Kind) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepareSymbol(Op, Symbol, Dst, Bytes, Offset, Kind, false);
  return HK_ADD(E, Op);
}
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t Node, void *Dst, const void *Symbol,
                                                 size_t Bytes, size_t Offset, hipMemcpyKind Kind) {
  ApiLock Lock;
  CopyOp Op;
  hipError_t E = prepareSymbol(Op, Symbol, Dst, Bytes, Offset, Kind, false);
  return set(Node, E, Op);
}
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t Exec, hipGraphNode_t Node,
                                                     void *Dst, const void *Symbol, size_t Bytes,
                                                     size_t Offset, hipMemcpyKind Kind) {
  ApiLock Lock;
  return hipGraphMemcpyNodeSetParamsFromSymbol(copyOf(Exec, Node), Dst, Symbol, Bytes, Offset,
                                               Kind);
}

// Fills.

hipError_t hipGraphAddMemsetNode(HK_NODE, const hipMemsetParams *Params) {
  ApiLock Lock;
  FillOp Op;
  hipError_t E = prepare(Op, Params);
  return HK_ADD(E, Op);
}
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t Node, hipMemsetParams *Params) {
  ApiLock Lock;
  FillOp *Op = get<FillOp>(Node);
  if (!Op || !Params)
    return done(hipErrorInvalidValue);
  Params->dst = Op->Dst;
  Params->elementSize = Op->ElementSize;
  Params->value = Op->Value;
  Params->width = Op->Width;
  Params->height = Op->Height;
  Params->pitch = Op->Pitch;
  return hipSuccess;
}
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t Node, const hipMemsetParams *Params) {
  ApiLock Lock;
  FillOp Op;
  hipError_t E = prepare(Op, Params);
  return set(Node, E, Op);
}
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t Exec, hipGraphNode_t Node,
                                           const hipMemsetParams *Params) {
  ApiLock Lock;
  return hipGraphMemsetNodeSetParams(copyOf(Exec, Node), Params);
}

// Host functions.

hipError_t hipGraphAddHostNode(HK_NODE, const hipHostNodeParams *Params) {
  ApiLock Lock;
  HostOp Op;
  hipError_t E = prepare(Op, Params);
  return HK_ADD(E, Op);
}
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t Node, hipHostNodeParams *Params) {
  ApiLock Lock;
  HostOp *Op = get<HostOp>(Node);
  if (!Op || !Params)
    return done(hipErrorInvalidValue);
  Params->fn = Op->Function;
  Params->userData = Op->Data;
  return hipSuccess;
}
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t Node, const hipHostNodeParams *Params) {
  ApiLock Lock;
  HostOp Op;
  hipError_t E = prepare(Op, Params);
  return set(Node, E, Op);
}
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t Exec, hipGraphNode_t Node,
                                         const hipHostNodeParams *Params) {
  ApiLock Lock;
  return hipGraphHostNodeSetParams(copyOf(Exec, Node), Params);
}

// Events.

hipError_t hipGraphAddEventRecordNode(HK_NODE, hipEvent_t Event) {
  ApiLock Lock;
  EventOp Op;
  hipError_t E = prepare(Op, Event, false);
  return HK_ADD(E, Op);
}
hipError_t hipGraphAddEventWaitNode(HK_NODE, hipEvent_t Event) {
  ApiLock Lock;
  EventOp Op;
  hipError_t E = prepare(Op, Event, true);
  return HK_ADD(E, Op);
}
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t Node, hipEvent_t *Event) {
  ApiLock Lock;
  return getEvent(Node, Event, false);
}
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t Node, hipEvent_t Event) {
  ApiLock Lock;
  return setEvent(Node, Event, false);
}
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t Exec, hipGraphNode_t Node,
                                               hipEvent_t Event) {
  ApiLock Lock;
  return setEvent(copyOf(Exec, Node), Event, false);
}
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t Node, hipEvent_t *Event) {
  ApiLock Lock;
  return getEvent(Node, Event, true);
}
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t Node, hipEvent_t Event) {
  ApiLock Lock;
  return setEvent(Node, Event, true);
}
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t Exec, hipGraphNode_t Node,
                                             hipEvent_t Event) {
  ApiLock Lock;
  return setEvent(copyOf(Exec, Node), Event, true);
}

// Child graphs.

hipError_t hipGraphAddChildGraphNode(HK_NODE, hipGraph_t Child) {
  ApiLock Lock;
  ChildOp Op;
  hipError_t E = prepare(Op, Child);
  return HK_ADD(E, Op);
}
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t Node, hipGraph_t *Graph) {
  ApiLock Lock;
  ChildOp *Op = get<ChildOp>(Node);
  if (!Op || !Graph)
    return done(hipErrorInvalidValue);
  *Graph = Op->Graph;
  return hipSuccess;
}
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t Exec, hipGraphNode_t Node,
                                               hipGraph_t Child) {
  ApiLock Lock;
  ChildOp *Op = get<ChildOp>(copyOf(Exec, Node));
  if (!Op || !isGraph(Child) || Op->Graph->Nodes.size() != Child->Nodes.size())
    return done(hipErrorInvalidValue);
  forgetGraph(Op->Graph);
  delete Op->Graph;
  return done(prepare(*Op, Child));
}

// Memory, and nothing.

hipError_t hipGraphAddMemAllocNode(HK_NODE, hipMemAllocNodeParams *Params) {
  ApiLock Lock;
  AllocOp Op;
  hipError_t E = prepare(Op, Params);
  return HK_ADD(E, Op);
}
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t Node, hipMemAllocNodeParams *Params) {
  ApiLock Lock;
  AllocOp *Op = get<AllocOp>(Node);
  if (!Op || !Params)
    return done(hipErrorInvalidValue);
  *Params = Op->Params;
  return hipSuccess;
}
hipError_t hipGraphAddMemFreeNode(HK_NODE, void *Pointer) {
  ApiLock Lock;
  return HK_ADD(Pointer ? hipSuccess : hipErrorInvalidValue, FreeOp{Pointer});
}
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t Node, void *Pointer) {
  ApiLock Lock;
  FreeOp *Op = get<FreeOp>(Node);
  if (!Op || !Pointer)
    return done(hipErrorInvalidValue);
  *static_cast<void **>(Pointer) = Op->Pointer;
  return hipSuccess;
}
hipError_t hipGraphAddEmptyNode(HK_NODE) {
  ApiLock Lock;
  return HK_ADD(hipSuccess, EmptyOp{});
}

// Any kind.

hipError_t hipGraphAddNode(HK_NODE, hipGraphNodeParams *P) {
  ApiLock Lock;
  if (!P)
    return done(hipErrorInvalidValue);
  switch (P->type) {
  case hipGraphNodeTypeKernel:
    return hipGraphAddKernelNode(Node, Graph, Dependencies, Count, &P->kernel);
  case hipGraphNodeTypeMemcpy:
    return hipGraphAddMemcpyNode(Node, Graph, Dependencies, Count, &P->memcpy.copyParams);
  case hipGraphNodeTypeMemset:
    return hipGraphAddMemsetNode(Node, Graph, Dependencies, Count, &P->memset);
  case hipGraphNodeTypeHost:
    return hipGraphAddHostNode(Node, Graph, Dependencies, Count, &P->host);
  case hipGraphNodeTypeGraph:
    return hipGraphAddChildGraphNode(Node, Graph, Dependencies, Count, P->graph.graph);
  case hipGraphNodeTypeEmpty:
    return hipGraphAddEmptyNode(Node, Graph, Dependencies, Count);
  case hipGraphNodeTypeWaitEvent:
    return hipGraphAddEventWaitNode(Node, Graph, Dependencies, Count, P->eventWait.event);
  case hipGraphNodeTypeEventRecord:
    return hipGraphAddEventRecordNode(Node, Graph, Dependencies, Count, P->eventRecord.event);
  case hipGraphNodeTypeMemAlloc:
    return hipGraphAddMemAllocNode(Node, Graph, Dependencies, Count, &P->alloc);
  case hipGraphNodeTypeMemFree:
    return hipGraphAddMemFreeNode(Node, Graph, Dependencies, Count, P->free.dptr);
  default:
    return unsupported("hipGraphAddNode for this type of node");
  }
}
hipError_t hipGraphNodeSetParams(hipGraphNode_t Node, hipGraphNodeParams *Params) {
  ApiLock Lock;
  return setAny(Node, Params);
}
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t Exec, hipGraphNode_t Node,
                                     hipGraphNodeParams *Params) {
  ApiLock Lock;
  return setAny(copyOf(Exec, Node), Params);
}
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t Exec, hipGraphNode_t Node, unsigned Enabled) {
  ApiLock Lock;
  hipGraphNode_t Copy = copyOf(Exec, Node);
  if (!Copy)
    return done(hipErrorInvalidValue);
  Copy->Enabled = Enabled;
  return hipSuccess;
}
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t Exec, hipGraphNode_t Node, unsigned *Enabled) {
  ApiLock Lock;
  hipGraphNode_t Copy = copyOf(Exec, Node);
  if (!Copy || !Enabled)
    return done(hipErrorInvalidValue);
  *Enabled = Copy->Enabled;
  return hipSuccess;
}

} // extern "C"
