//===- Event.cpp - Events -------------------------------------------------===//
//
// Times are those of the device's clock: it advances by what the cycle model says of each kernel,
// at 2.1 GHz, and by the bytes of copies over the bandwidth of link or memory. That ranks two
// versions of a program; it is no time of any chip. With HK_SIM_TIME=host it is the host's time.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

using namespace hk::hip;

static std::set<ihipEvent_t *> &events() {
  static auto *Events = new std::set<ihipEvent_t *>;
  return *Events;
}

bool hk::hip::isEvent(hipEvent_t Event) { return events().count(Event); }

void hk::hip::stamp(ihipEvent_t &Event) {
  Event.Recorded = true;
  Event.Seconds = Runtime::get().clock();
}

extern "C" {

hipError_t hipEventCreateWithFlags(hipEvent_t *Event, unsigned Flags) {
  ApiLock Lock;
  constexpr unsigned Known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                             hipEventReleaseToDevice | hipEventReleaseToSystem |
                             hipEventDisableSystemFence;
  if (!Event || (Flags & ~Known))
    return done(hipErrorInvalidValue);
  auto *E = new ihipEvent_t;
  E->Flags = Flags;
  events().insert(E);
  *Event = E;
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t *Event) { return hipEventCreateWithFlags(Event, 0); }

hipError_t hipEventDestroy(hipEvent_t Event) {
  ApiLock Lock;
  if (!events().erase(Event))
    return done(Event ? hipErrorContextIsDestroyed : hipErrorInvalidResourceHandle);
  delete Event;
  return hipSuccess;
}

hipError_t hipEventRecordWithFlags(hipEvent_t Event, hipStream_t Handle, unsigned Flags) {
  ApiLock Lock;
  ihipStream_t *Stream = streamOf(Handle);
  if (!isEvent(Event) || !Stream)
    return done(hipErrorInvalidResourceHandle);
  if (Stream->Capture) {
    if (Flags == hipEventRecordExternal)
      return done(submit(Handle, EventOp{Event, false}));
    Event->Capture = Stream->Capture;
    Event->Nodes = Stream->Last;
    Event->CaptureId = Stream->CaptureId;
    return hipSuccess;
  }
  Event->Capture = nullptr;
  Event->Nodes.clear();
  stamp(*Event);
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t Event, hipStream_t Stream) {
  return hipEventRecordWithFlags(Event, Stream, 0);
}
hipError_t hipEventRecord_spt(hipEvent_t Event, hipStream_t Stream) {
  return hipEventRecord(Event, Stream ? Stream : hipStreamPerThread);
}

hipError_t hipEventSynchronize(hipEvent_t Event) {
  ApiLock Lock;
  if (!isEvent(Event))
    return done(hipErrorInvalidResourceHandle);
  if (Event->Capture && isGraph(Event->Capture))
    return done(hipErrorCapturedEvent);
  return doneWaiting(hipSuccess);
}

hipError_t hipEventQuery(hipEvent_t Event) {
  ApiLock Lock;
  if (!isEvent(Event))
    return done(hipErrorInvalidResourceHandle);
  if (Event->Capture && isGraph(Event->Capture))
    return done(hipErrorCapturedEvent);
  return doneWaiting(hipSuccess);
}

hipError_t hipEventElapsedTime(float *Milliseconds, hipEvent_t Start, hipEvent_t Stop) {
  ApiLock Lock;
  if (!Milliseconds)
    return done(hipErrorInvalidValue);
  if (!isEvent(Start) || !isEvent(Stop))
    return done(hipErrorInvalidResourceHandle);
  if ((Start->Flags | Stop->Flags) & hipEventDisableTiming)
    return done(hipErrorInvalidResourceHandle);
  if (!Start->Recorded || !Stop->Recorded)
    return done(hipErrorInvalidResourceHandle);
  *Milliseconds = float((Stop->Seconds - Start->Seconds) * 1e3);
  return doneWaiting(hipSuccess);
}

} // extern "C"
