//===- Hang.cpp - Tells waiting without end from long work ----------------===//
//
// Long without a change of memory is no hang by itself: a wavefront may compute,
// or wait for a time to come. What proves a hang is that a wavefront comes back
// to the same instruction with the same registers, while no memory was changed
// and no clock was read: then it does the same forever, unless somebody else
// changes memory. If that holds for all wavefronts of all threads, nobody will.
// A wait that counts its turns is never in the same state again, so waiting which
// cannot be proved ends at a limit that no program reaches by working.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Scheduler.h"

#include <cassert>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

/// Instructions in which a wavefront has to come back to where it was.
constexpr unsigned ProbeSteps = 1 << 16;
/// Without a change, while memory or a clock is read and no repetition is seen.
constexpr uint64_t PollLimit = uint64_t(1) << 36;

/// What decides what a wavefront does next, but for memory.
struct Snapshot {
  std::vector<uint32_t> Rows;
  uint32_t S[sizeof(Wave::S) / sizeof(uint32_t)];
  const Inst *Next;
  bool Scc, GprIndexing;
  uint32_t Mode, TrapStatus;

  explicit Snapshot(const Wave &W)
      : Rows(&W.V[0][0], &W.V[0][0] + Wave::Rows * NumLanes), Next(W.Next), Scc(W.Scc),
        GprIndexing(W.GprIndexing), Mode(W.Mode), TrapStatus(W.TrapStatus) {
    std::memcpy(S, W.S, sizeof(S));
  }
  bool operator==(const Wave &W) const {
    return Next == W.Next && Scc == W.Scc && GprIndexing == W.GprIndexing && Mode == W.Mode &&
           TrapStatus == W.TrapStatus && !std::memcmp(S, W.S, sizeof(S)) &&
           !std::memcmp(Rows.data(), W.V, Rows.size() * sizeof(uint32_t));
  }
};

bool readsMemory(InstClass C) {
  switch (C) {
  case InstClass::Smem:
  case InstClass::Lds:
  case InstClass::LdsAtomic:
  case InstClass::GlobalLoad:
  case InstClass::GlobalAtomic:
  case InstClass::Scratch:
    return true;
  default:
    return false;
  }
}

} // namespace

/// Lets a wavefront go on until it is where it was, or long enough to say that it is not.
Scheduler::Idling Scheduler::probe(Workgroup &G, Wave &W) {
  uint64_t Progress = Thread.Progress, Clocks = Thread.ClockReads;
  Snapshot Start(W);
  bool Reads = false;
  for (unsigned N = 0; N != ProbeSteps; ++N) {
    // Code that was never reached has no class yet; it is no wait then.
    Reads |= readsMemory(W.Next->Class);
    Run(W, 1);
    if (W.Stopped == Stop::Fault)
      fail(G, W);
    if (W.Stopped == Stop::End)
      ++Thread.Progress;
    if (W.Stopped == Stop::Fault || W.Stopped == Stop::End || W.Stopped == Stop::Barrier ||
        Thread.Progress != Progress)
      return Idling::Changed;
    if (Thread.ClockReads == Clocks && Start == W)
      return Idling::Repeat;
  }
  return Reads || Thread.ClockReads != Clocks ? Idling::Poll : Idling::Compute;
}

/// The first answer of a wavefront that is not Repeat.
Scheduler::Idling Scheduler::probe() {
  for (auto &G : Active)
    for (auto &W : G->Waves)
      if (W->Stopped != Stop::End && W->Stopped != Stop::Barrier)
        if (Idling I = probe(*G, *W); I != Idling::Repeat)
          return I;
  return Idling::Repeat;
}

/// Something changed: waiting starts anew.
void Scheduler::moved() {
  Idle = 0;
  NextProbe = L->Options.HangLimit;
  L->Stuck[Index] = 0;
}

/// Called when nothing changed for some time, \p Progress being the launch's.
bool Scheduler::isHang(uint64_t Progress) {
  const DeviceOptions &O = L->Options;
  if (O.IdleLimit && Idle > O.IdleLimit)
    return true;
  if (L->Stuck[Index] != Progress + 1) {
    if (Idle < NextProbe)
      return false;
    NextProbe = Idle + O.HangLimit;
    switch (probe()) {
    case Idling::Repeat:
      L->Stuck[Index] = Progress + 1;
      break;
    case Idling::Poll:
      return Idle > PollLimit;
    case Idling::Compute:
      if (!O.IdleLimit)
        moved();
      return false;
    case Idling::Changed:
      return false;
    }
  }
  // Another thread may have changed something that its Progress does not show yet, but it is not
  // stuck then.
  for (std::atomic<uint64_t> &S : L->Stuck)
    if (uint64_t At = S; At != Progress + 1 && At != UINT64_MAX)
      return false;
  return L->Progress == Progress;
}

/// Makes it a fault of the first workgroup with a wavefront that is not at a barrier.
void Scheduler::hang() {
  Wave *First = nullptr;
  for (auto &G : Active)
    for (auto &W : G->Waves)
      if (W->Stopped != Stop::End && W->Stopped != Stop::Barrier &&
          (!First || G->Linear < First->Group->Linear))
        First = W.get();
  assert(First && "a workgroup whose wavefronts are all at a barrier goes on");
  First->fault(*(First->Next - (First->Next->Op ? 0 : 1)), FaultKind::Hang,
               "nothing changed for " + Twine(Idle) +
                   " instructions: wavefronts or workgroups wait for each other, or loop forever");
  fail(*First->Group, *First);
}
