//===- Stream.cpp - Streams and their capture -----------------------------===//
//
// Streams hold no queue: an operation is executed when it is submitted. Under capture it becomes a
// node that depends on the stream's last one; an event recorded in one captured stream and waited
// for in another makes the second one part of the same capture.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hk::hip;

static std::set<ihipStream_t *> &streams() {
  static auto *Streams = new std::set<ihipStream_t *>;
  return *Streams;
}

ihipStream_t *hk::hip::streamOf(hipStream_t Handle) {
  static auto *Default = new ihipStream_t;
  if (!Handle || Handle == hipStreamLegacy)
    return Default;
  if (Handle == hipStreamPerThread) {
    static thread_local ihipStream_t Own;
    return &Own;
  }
  return streams().count(Handle) ? Handle : nullptr;
}

hipError_t hk::hip::submit(hipStream_t Handle, Operation Op) {
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream)
    return hipErrorInvalidResourceHandle;
  if (Stream->Status == hipStreamCaptureStatusInvalidated)
    return hipErrorStreamCaptureInvalidated;
  if (!Stream->Capture)
    return execute(Op);
  Stream->Last = {addNode(*Stream->Capture, std::move(Op), Stream->Last)};
  return hipSuccess;
}

static void leaveCapture(ihipStream_t &Stream) {
  Stream.Capture = nullptr;
  Stream.Last.clear();
  Stream.Origin = false;
  Stream.OwnsCapture = true;
  Stream.Status = hipStreamCaptureStatusNone;
}

static hipError_t create(hipStream_t *Stream, unsigned Flags, int Priority) {
  if (!Stream || (Flags != hipStreamDefault && Flags != hipStreamNonBlocking))
    return hipErrorInvalidValue;
  auto *S = new ihipStream_t;
  S->Flags = Flags;
  S->Priority = std::min(1, std::max(-1, Priority));
  streams().insert(S);
  *Stream = S;
  return hipSuccess;
}

static hipError_t beginCapture(hipStream_t Handle, hipGraph_t Graph, ArrayRef<hipGraphNode_t> Last,
                               hipStreamCaptureMode Mode) {
  static unsigned long long NextId = 1;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream)
    return hipErrorInvalidResourceHandle;
  if (Mode != hipStreamCaptureModeGlobal && Mode != hipStreamCaptureModeThreadLocal &&
      Mode != hipStreamCaptureModeRelaxed)
    return hipErrorInvalidValue;
  // The legacy default stream cannot be captured: it waits for all others.
  if (!Handle || Handle == hipStreamLegacy)
    return hipErrorStreamCaptureUnsupported;
  if (Stream->Capture)
    return hipErrorIllegalState;
  Stream->OwnsCapture = !Graph;
  if (!Graph) {
    Graph = new ihipGraph;
    registerGraph(Graph);
  }
  Stream->Capture = Graph;
  Stream->Last.assign(Last.begin(), Last.end());
  Stream->Origin = true;
  Stream->Status = hipStreamCaptureStatusActive;
  Stream->CaptureId = NextId++;
  return hipSuccess;
}

/// Nodes that nothing depends on, among those that streams other than the origin still hold.
static bool hasUnjoined(const ihipStream_t &Origin) {
  for (ihipStream_t *S : streams())
    if (S != &Origin && S->Capture == Origin.Capture)
      for (hipGraphNode_t Node : S->Last) {
        if (is_contained(Origin.Last, Node))
          continue;
        bool Needed = any_of(Origin.Capture->Nodes, [&](const auto &Other) {
          return is_contained(Other->Dependencies, Node);
        });
        if (!Needed)
          return true;
      }
  return false;
}

static hipError_t endCapture(hipStream_t Handle, hipGraph_t *Graph) {
  ihipStream_t *Stream = streamOf(Handle);
  if (!Graph)
    return hipErrorInvalidValue;
  *Graph = nullptr;
  if (!Stream)
    return hipErrorInvalidResourceHandle;
  if (!Stream->Capture)
    return hipErrorIllegalState;
  if (!Stream->Origin)
    return hipErrorStreamCaptureUnmatched;
  bool Invalid = Stream->Status == hipStreamCaptureStatusInvalidated,
       Unjoined = hasUnjoined(*Stream);
  hipGraph_t Captured = Stream->Capture;
  bool Owned = Stream->OwnsCapture;
  for (ihipStream_t *S : streams())
    if (S != Stream && S->Capture == Captured)
      leaveCapture(*S);
  leaveCapture(*Stream);
  if (Invalid || Unjoined) {
    if (Owned) {
      forgetGraph(Captured);
      delete Captured;
    }
    return Unjoined ? hipErrorStreamCaptureUnjoined : hipErrorStreamCaptureInvalidated;
  }
  *Graph = Captured;
  return hipSuccess;
}

/// A stream under capture must not be waited for.
static hipError_t refuseCapture(hipStream_t Handle) {
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream)
    return hipErrorInvalidResourceHandle;
  if (!Stream->Capture)
    return hipSuccess;
  for (ihipStream_t *S : streams())
    if (S->Capture == Stream->Capture)
      S->Status = hipStreamCaptureStatusInvalidated;
  return hipErrorStreamCaptureUnsupported;
}

extern "C" {

hipError_t hipStreamCreate(hipStream_t *Stream) {
  ApiLock Lock;
  return done(create(Stream, hipStreamDefault, 0));
}
hipError_t hipStreamCreateWithFlags(hipStream_t *Stream, unsigned Flags) {
  ApiLock Lock;
  return done(create(Stream, Flags, 0));
}
hipError_t hipStreamCreateWithPriority(hipStream_t *Stream, unsigned Flags, int Priority) {
  ApiLock Lock;
  return done(create(Stream, Flags, Priority));
}

// Which compute units a stream uses changes nothing here.
hipError_t hipExtStreamCreateWithCUMask(hipStream_t *Stream, uint32_t Words, const uint32_t *Mask) {
  ApiLock Lock;
  if (!Stream || !Words || !Mask)
    return done(hipErrorInvalidValue);
  hipError_t E = create(Stream, hipStreamDefault, 0);
  if (E == hipSuccess)
    (*Stream)->CuMask.assign(Mask, Mask + Words);
  return done(E);
}
hipError_t hipExtStreamGetCUMask(hipStream_t Handle, uint32_t Words, uint32_t *Mask) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream || !Words || !Mask)
    return done(hipErrorInvalidValue);
  for (uint32_t I = 0; I != Words; ++I)
    Mask[I] = Stream->CuMask.empty()      ? UINT32_MAX
              : I < Stream->CuMask.size() ? Stream->CuMask[I]
                                          : 0;
  return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t Stream) {
  ApiLock Lock;
  if (!streams().count(Stream))
    return done(hipErrorInvalidResourceHandle);
  if (Stream->Capture && Stream->Origin) {
    hipGraph_t Graph;
    (void)endCapture(Stream, &Graph);
    if (Graph) {
      forgetGraph(Graph);
      delete Graph;
    }
  }
  streams().erase(Stream);
  delete Stream;
  return hipSuccess;
}

hipError_t hipStreamQuery(hipStream_t Stream) {
  ApiLock Lock;
  return doneWaiting(refuseCapture(Stream));
}
hipError_t hipStreamQuery_spt(hipStream_t Stream) { return hipStreamQuery(Stream); }
hipError_t hipStreamSynchronize(hipStream_t Stream) {
  ApiLock Lock;
  return doneWaiting(refuseCapture(Stream));
}
hipError_t hipStreamSynchronize_spt(hipStream_t Stream) { return hipStreamSynchronize(Stream); }

hipError_t hipStreamWaitEvent(hipStream_t Handle, hipEvent_t Event, unsigned Flags) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Event || !isEvent(Event) || !Stream)
    return done(hipErrorInvalidResourceHandle);
  if (Flags)
    return done(hipErrorInvalidValue);
  if (Event->Capture && isGraph(Event->Capture)) {
    if (Stream->Capture && Stream->Capture != Event->Capture)
      return done(hipErrorStreamCaptureMerge);
    if (!Stream->Capture) {
      if (!Handle || Handle == hipStreamLegacy)
        return done(hipErrorStreamCaptureImplicit);
      Stream->Capture = Event->Capture;
      Stream->Status = hipStreamCaptureStatusActive;
      Stream->CaptureId = Event->CaptureId;
    }
    for (hipGraphNode_t Node : Event->Nodes)
      if (!is_contained(Stream->Last, Node))
        Stream->Last.push_back(Node);
    return hipSuccess;
  }
  if (Stream->Capture) // recorded outside: nothing to order against
    return done(hipErrorStreamCaptureIsolation);
  return hipSuccess;
}
hipError_t hipStreamWaitEvent_spt(hipStream_t Stream, hipEvent_t Event, unsigned Flags) {
  return hipStreamWaitEvent(Stream ? Stream : hipStreamPerThread, Event, Flags);
}

hipError_t hipStreamGetFlags(hipStream_t Handle, unsigned *Flags) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream || !Flags)
    return done(Flags ? hipErrorInvalidResourceHandle : hipErrorInvalidValue);
  *Flags = Stream->Flags;
  return hipSuccess;
}
hipError_t hipStreamGetFlags_spt(hipStream_t Stream, unsigned *Flags) {
  return hipStreamGetFlags(Stream, Flags);
}
hipError_t hipStreamGetPriority(hipStream_t Handle, int *Priority) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream || !Priority)
    return done(Priority ? hipErrorInvalidResourceHandle : hipErrorInvalidValue);
  *Priority = Stream->Priority;
  return hipSuccess;
}
hipError_t hipStreamGetPriority_spt(hipStream_t Stream, int *Priority) {
  return hipStreamGetPriority(Stream, Priority);
}
hipError_t hipStreamGetDevice(hipStream_t Handle, hipDevice_t *Device) {
  ApiLock Lock;
  if (!Device || !streamOf(Handle))
    return done(Device ? hipErrorInvalidResourceHandle : hipErrorInvalidValue);
  *Device = 0;
  return hipSuccess;
}
int hipGetStreamDeviceId(hipStream_t Handle) {
  ApiLock Lock;
  return streamOf(Handle) ? 0 : -1;
}

hipError_t hipStreamAddCallback(hipStream_t Handle, hipStreamCallback_t Callback, void *Data,
                                unsigned Flags) {
  ApiLock Lock;
  if (!Callback || Flags)
    return done(hipErrorInvalidValue);
  HostOp Op;
  Op.Callback = Callback;
  Op.Data = Data;
  Op.Stream = Handle;
  return done(submit(Handle, Op));
}
hipError_t hipStreamAddCallback_spt(hipStream_t Handle, hipStreamCallback_t Callback, void *Data,
                                    unsigned Flags) {
  return hipStreamAddCallback(Handle ? Handle : hipStreamPerThread, Callback, Data, Flags);
}
hipError_t hipLaunchHostFunc(hipStream_t Handle, hipHostFn_t Function, void *Data) {
  ApiLock Lock;
  if (!Function)
    return done(hipErrorInvalidValue);
  HostOp Op;
  Op.Function = Function;
  Op.Data = Data;
  return done(submit(Handle, Op));
}
hipError_t hipLaunchHostFunc_spt(hipStream_t Handle, hipHostFn_t Function, void *Data) {
  return hipLaunchHostFunc(Handle ? Handle : hipStreamPerThread, Function, Data);
}

hipError_t hipStreamBeginCapture(hipStream_t Stream, hipStreamCaptureMode Mode) {
  ApiLock Lock;
  return done(beginCapture(Stream, nullptr, {}, Mode));
}
hipError_t hipStreamBeginCapture_spt(hipStream_t Stream, hipStreamCaptureMode Mode) {
  return hipStreamBeginCapture(Stream ? Stream : hipStreamPerThread, Mode);
}
hipError_t hipStreamBeginCaptureToGraph(hipStream_t Stream, hipGraph_t Graph,
                                        const hipGraphNode_t *Dependencies,
                                        const hipGraphEdgeData *, size_t Count,
                                        hipStreamCaptureMode Mode) {
  ApiLock Lock;
  if (!isGraph(Graph) || (Count && !Dependencies))
    return done(hipErrorInvalidValue);
  return done(beginCapture(Stream, Graph, ArrayRef(Dependencies, Count), Mode));
}
hipError_t hipStreamEndCapture(hipStream_t Stream, hipGraph_t *Graph) {
  ApiLock Lock;
  return done(endCapture(Stream, Graph));
}
hipError_t hipStreamEndCapture_spt(hipStream_t Stream, hipGraph_t *Graph) {
  return hipStreamEndCapture(Stream ? Stream : hipStreamPerThread, Graph);
}
hipError_t hipStreamIsCapturing(hipStream_t Handle, hipStreamCaptureStatus *Status) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Status || !Stream)
    return done(Status ? hipErrorInvalidResourceHandle : hipErrorInvalidValue);
  *Status = Stream->Status;
  return hipSuccess;
}
hipError_t hipStreamIsCapturing_spt(hipStream_t Stream, hipStreamCaptureStatus *Status) {
  return hipStreamIsCapturing(Stream, Status);
}
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t Handle, hipStreamCaptureStatus *Status,
                                      unsigned long long *Id, hipGraph_t *Graph,
                                      const hipGraphNode_t **Dependencies, size_t *Count) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Status || !Stream)
    return done(Status ? hipErrorInvalidResourceHandle : hipErrorInvalidValue);
  *Status = Stream->Status;
  if (Stream->Status != hipStreamCaptureStatusActive)
    return hipSuccess;
  if (Id)
    *Id = Stream->CaptureId;
  if (Graph)
    *Graph = Stream->Capture;
  if (Dependencies)
    *Dependencies = Stream->Last.data();
  if (Count)
    *Count = Stream->Last.size();
  return hipSuccess;
}
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t Stream, hipStreamCaptureStatus *Status,
                                          unsigned long long *Id, hipGraph_t *Graph,
                                          const hipGraphNode_t **Dependencies, size_t *Count) {
  return hipStreamGetCaptureInfo_v2(Stream, Status, Id, Graph, Dependencies, Count);
}
hipError_t hipStreamGetCaptureInfo(hipStream_t Stream, hipStreamCaptureStatus *Status,
                                   unsigned long long *Id) {
  return hipStreamGetCaptureInfo_v2(Stream, Status, Id, nullptr, nullptr, nullptr);
}
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t Stream, hipStreamCaptureStatus *Status,
                                       unsigned long long *Id) {
  return hipStreamGetCaptureInfo(Stream, Status, Id);
}
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t Handle, hipGraphNode_t *Dependencies,
                                              size_t Count, unsigned Flags) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream || (Count && !Dependencies) || Flags > hipStreamSetCaptureDependencies)
    return done(hipErrorInvalidValue);
  if (!Stream->Capture)
    return done(hipErrorIllegalState);
  if (Flags == hipStreamSetCaptureDependencies)
    Stream->Last.clear();
  Stream->Last.insert(Stream->Last.end(), Dependencies, Dependencies + Count);
  return hipSuccess;
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *Mode) {
  static thread_local hipStreamCaptureMode Own = hipStreamCaptureModeGlobal;
  if (!Mode)
    return done(hipErrorInvalidValue);
  std::swap(Own, *Mode);
  return hipSuccess;
}

// All work is done when it is enqueued, so that memory that is waited for must have its value.
hipError_t hipStreamWriteValue32(hipStream_t Stream, void *Pointer, uint32_t Value, unsigned) {
  return hipMemsetD32Async(Pointer, int(Value), 1, Stream);
}
hipError_t hipStreamWriteValue64(hipStream_t Stream, void *Pointer, uint64_t Value, unsigned) {
  ApiLock Lock;
  CopyOp Op;
  if (streamOf(Stream) && streamOf(Stream)->Capture)
    return unsupported("hipStreamWriteValue64 under capture");
  if (hipError_t E = prepareCopy(Op, Pointer, &Value, sizeof Value, hipMemcpyDefault))
    return done(E);
  return done(submit(Stream, Op));
}

} // extern "C"
