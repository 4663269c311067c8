//===- Scheduler.cpp - Who runs next --------------------------------------===//

#include "Scheduler.h"

#include "FloatFormats.h"
#include "Program.h"
#include "Races.h"
#include "WaitTracker.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <thread>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

/// What a wavefront runs before others of its workgroup get a turn, and a workgroup before it is
/// asked whether it got anywhere.
constexpr uint64_t WaveSlice = 1 << 16;
constexpr uint64_t GroupSlice = 1 << 22;
/// Workgroups one thread keeps alive; beyond that the chip would not hold them either.
constexpr size_t MaxActive = 4096;
/// What is kept for the next launch: registers that are mapped already make a short one cheap.
constexpr size_t MaxSpare = 4, MaxSpareWaves = 32;

uint64_t mix(uint64_t X) {
  X += 0x9e3779b97f4a7c15;
  X = (X ^ X >> 30) * 0xbf58476d1ce4e5b9;
  X = (X ^ X >> 27) * 0x94d049bb133111eb;
  return X ^ X >> 31;
}

constexpr size_t RowsBytes = Wave::Rows * NumLanes * sizeof(uint32_t);

unsigned bits(uint32_t X, unsigned High, unsigned Low) {
  return X >> Low & ((1u << (High - Low + 1)) - 1);
}

} // namespace

Scheduler::Scheduler() : Run(runWaveForHost()) {}

Scheduler::~Scheduler() {
  for (auto &G : Spare)
    for (auto &W : G->Waves)
      release(std::move(W));
  for (auto &W : SpareWaves)
    release(std::move(W));
}

void Scheduler::release(std::unique_ptr<Wave> W) {
  ::munmap(W->V, RowsBytes);
  std::free(W->Scratch);
  delete W->Waits;
}

void Scheduler::begin(Launch &Of, bool Counting) {
  L = &Of;
  Thread.Counting = Counting;
}

void Scheduler::end() {
  while (!Active.empty()) { // after a fault
    recycle(std::move(Active.back()));
    Active.pop_back();
  }
  for (size_t N = 0; N != Spare.size(); ++N)
    if (N >= MaxSpare)
      for (auto &W : Spare[N]->Waves)
        SpareWaves.push_back(std::move(W));
  if (Spare.size() > MaxSpare)
    Spare.resize(MaxSpare);
  while (SpareWaves.size() > MaxSpareWaves) {
    release(std::move(SpareWaves.back()));
    SpareWaves.pop_back();
  }
  for (auto &G : Spare)
    G->Races.reset();
  Thread.reset(L->Code);
  L = nullptr;
}

void Scheduler::setUp(Wave &W, Workgroup &G, unsigned Items, const uint32_t (&Size)[3]) {
  const Kernel &K = L->K;
  unsigned Total = 8 * (bits(K.Rsrc1, 5, 0) + 1), Accum = 4 * (bits(K.Rsrc3, 5, 0) + 1);
  unsigned Rows = std::min(std::min(Total, Accum), 256u);
  unsigned AccRows = Total > Accum ? std::min(Total - Accum, 256u) : 0;
  std::memset(W.V, 0, std::max(Rows, W.RowsUsed) * sizeof(W.V[0]));
  std::memset(W.V + AccBase, 0, std::max(AccRows, W.AccRowsUsed) * sizeof(W.V[0]));
  // A kernel before this one may have had more.
  W.RowsUsed = Rows;
  W.AccRowsUsed = AccRows;
  std::memset(W.S, 0, sizeof(W.S));
  W.Scc = false;
  W.Failure.reset();
  W.Stopped = Stop::None;
  W.Executed = 0;
  W.GprIndexing = false;
  W.TrapStatus = 0;
  W.Group = &G;
  W.Thread = &Thread;
  W.L = L;
  W.Next = L->Code.at(K.Entry);
  Thread.enter(*W.Next, L->Code);
  delete W.Waits;
  W.Waits = L->Options.Waits ? new WaitTracker : nullptr;
  // What is on the stack must not depend on what ran here before.
  if (W.ScratchUsed)
    for (unsigned Lane = 0; Lane != NumLanes; ++Lane)
      std::memset(W.Scratch + size_t(Lane) * W.ScratchSize, 0, W.ScratchUsed);
  W.ScratchUsed = 0;
  if (!W.Scratch || W.ScratchRoom < L->ScratchSize) {
    std::free(W.Scratch);
    W.ScratchRoom = L->ScratchSize;
    W.Scratch = static_cast<uint8_t *>(std::calloc(NumLanes, L->ScratchSize + 16));
    if (!W.Scratch)
      report_fatal_error("out of host memory for stacks");
  }
  W.ScratchSize = L->ScratchSize;

  updateMode(W, bits(K.Rsrc1, 19, 12) | bits(K.Rsrc1, 21, 21) << 8 | bits(K.Rsrc1, 23, 23) << 9 |
                    bits(K.Rsrc1, 26, 26) << 23);

  unsigned First = W.Number * NumLanes, Count = std::min(Items - First, NumLanes);
  W.setExec(Count == NumLanes ? FullMask : (uint64_t(1) << Count) - 1);
  for (unsigned Lane = 0; Lane != Count; ++Lane) {
    unsigned N = First + Lane;
    W.V[0][Lane] = N % Size[0] | N / Size[0] % Size[1] << 10 | N / Size[0] / Size[1] << 20;
  }

  // User registers, in the order of their property bits, then those of the system.
  unsigned S = 0;
  auto Put = [&](uint64_t X, unsigned Dwords) {
    for (unsigned D = 0; D != Dwords; ++D)
      W.S[S++] = D < 2 ? uint32_t(X >> (32 * D)) : 0;
  };
  if (K.Properties & 1) { // a buffer descriptor for the stack; see Buffer.cpp
    W.S[S] = 0;
    W.S[S + 1] = 0x80000000;
    W.S[S + 2] = 0xffffffff;
    W.S[S + 3] = 0x53435254;
    S += 4;
  }
  if (K.Properties & 2)
    Put(L->DispatchPacket, 2);
  if (K.Properties & 4)
    Put(L->Queue, 2);
  if (K.Properties & 8)
    Put(L->Kernarg, 2);
  if (K.Properties & 16)
    Put(0, 2); // dispatch id
  if (K.Properties & 32)
    Put(0, 2); // flat scratch: addresses of the private aperture start at 0
  if (K.Properties & 64)
    Put(L->ScratchSize, 1);
  unsigned Preload = K.KernargPreload & 0x7f, From = K.KernargPreload >> 7;
  if (Preload && uint64_t(From + Preload) * 4 <= alignTo(std::max(K.KernargSize, 4u), 4) &&
      S + Preload <= 16) {
    std::memcpy(&W.S[S], reinterpret_cast<void *>(L->Kernarg + 4 * From), 4 * Preload);
    S += Preload;
  }
  S = std::max(S, bits(K.Rsrc2, 5, 1));
  for (unsigned A = 0; A != 3; ++A)
    if (K.Rsrc2 >> (7 + A) & 1)
      W.S[S++] = G.Id[A];
  if (K.Rsrc2 >> 10 & 1)
    W.S[S++] = (W.Number == 0 ? 1u << 26 : 0) | G.Waves.size(); // workgroup info
  if (K.Rsrc2 & 1)
    W.S[S++] = 0; // offset of this wavefront's scratch: each has its own
}

std::unique_ptr<Workgroup> Scheduler::start(uint64_t Linear) {
  std::unique_ptr<Workgroup> G;
  if (!Spare.empty()) {
    G = std::move(Spare.back());
    Spare.pop_back();
  } else {
    G = std::make_unique<Workgroup>();
  }
  const LaunchConfig &C = L->Config;
  uint32_t Grid[3] = {C.Grid.X, C.Grid.Y, C.Grid.Z}, Size[3] = {C.Block.X, C.Block.Y, C.Block.Z};
  G->Linear = Linear;
  G->Id[0] = Linear % Grid[0];
  G->Id[1] = Linear / Grid[0] % Grid[1];
  G->Id[2] = Linear / Grid[0] / Grid[1];
  // The last workgroup of a row may be smaller.
  for (unsigned A = 0; A != 3; ++A)
    Size[A] = std::min<uint64_t>(Size[A], L->Items[A] - uint64_t(G->Id[A]) * Size[A]);
  unsigned Items = Size[0] * Size[1] * Size[2];
  unsigned Waves = (Items + NumLanes - 1) / NumLanes;
  G->LdsStorage.assign(L->LdsSize + 64, 0);
  G->Lds = G->LdsStorage.data();
  G->Lds += (64 - reinterpret_cast<uintptr_t>(G->Lds) % 64) % 64;
  G->LdsSize = L->LdsSize;
  if (L->Options.Uninitialized)
    G->LdsWritten.assign(L->LdsSize, 0);
  else
    G->LdsWritten.clear();
  if (!L->Options.Races)
    G->Races.reset();
  else if (!G->Races)
    G->Races = std::make_unique<RaceDetector>();
  if (G->Races)
    G->Races->reset(Waves, L->LdsSize);
  G->Turn = G->Idle = 0;
  while (G->Waves.size() > Waves) {
    SpareWaves.push_back(std::move(G->Waves.back()));
    G->Waves.pop_back();
  }
  while (G->Waves.size() < Waves) {
    if (!SpareWaves.empty()) {
      SpareWaves.back()->Number = G->Waves.size();
      G->Waves.push_back(std::move(SpareWaves.back()));
      SpareWaves.pop_back();
      continue;
    }
    auto W = std::make_unique<Wave>();
    void *Rows = ::mmap(nullptr, RowsBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Rows == MAP_FAILED)
      report_fatal_error("out of host memory for registers");
    W->V = static_cast<uint32_t (*)[NumLanes]>(Rows);
    W->Number = G->Waves.size();
    G->Waves.push_back(std::move(W));
  }
  for (auto &W : G->Waves)
    setUp(*W, *G, Items, Size);
  ++Thread.Workgroups;
  Thread.Waves += Waves;
  return G;
}

void Scheduler::fail(Workgroup &G, Wave &W) {
  std::lock_guard Lock(L->FaultMutex);
  if (G.Linear >= L->FaultGroup)
    return;
  L->FaultGroup = G.Linear;
  L->FirstFault = std::move(W.Failure);
}

/// All wavefronts that have not ended wait: they go on together.
bool Scheduler::releaseBarrier(Workgroup &G) {
  const Wave *Ended = nullptr;
  Wave *Waiting = nullptr;
  for (auto &W : G.Waves) {
    if (W->Stopped == Stop::End)
      Ended = W.get();
    else if (!Waiting)
      Waiting = W.get();
  }
  if (L->Options.Strict && Waiting) {
    // The chip lets these pass, but the language does not: all must reach the same barrier.
    const Inst *At = Waiting->Next - 1;
    for (auto &W : G.Waves)
      if (W->Stopped != Stop::End && W->Next - 1 != At) {
        W->fault(*(W->Next - 1), FaultKind::Barrier,
                 "wavefronts wait at different barriers, which is no barrier for the workgroup");
        W->Failure->Other = placeOf(L->Owner, At->Pc);
        fail(G, *W);
        return false;
      }
    if (Ended) {
      Waiting->fault(*At, FaultKind::Barrier,
                     "wavefront " + Twine(Ended->Number) + " ended without reaching this barrier");
      fail(G, *Waiting);
      return false;
    }
  }
  for (auto &W : G.Waves)
    if (W->Stopped == Stop::Barrier)
      W->Stopped = Stop::None;
  if (G.Races)
    G.Races->barrier(G);
  ++Thread.Barriers;
  ++Thread.Progress;
  return true;
}

Scheduler::State Scheduler::advance(Workgroup &G) {
  uint64_t Left = GroupSlice, Before = Thread.Progress;
  uint64_t Seed = L->Options.ScheduleSeed;
  unsigned Count = G.Waves.size();
  while (true) {
    unsigned Alive = 0, AtBarrier = 0;
    for (auto &W : G.Waves) {
      Alive += W->Stopped != Stop::End;
      AtBarrier += W->Stopped == Stop::Barrier;
    }
    if (!Alive)
      return State::Done;
    if (AtBarrier == Alive) {
      if (!releaseBarrier(G))
        return State::Failed;
      continue;
    }
    // One round: each wavefront that can run gets a turn.
    bool Ran = false;
    uint64_t Offset = Seed ? mix(Seed ^ mix(G.Linear) ^ mix(~G.Turn)) : 0;
    ++G.Turn;
    for (unsigned N = 0; N != Count; ++N) {
      unsigned Which = Seed ? (N + Offset) % Count : N;
      Wave &W = *G.Waves[Which];
      if (W.Stopped == Stop::End || W.Stopped == Stop::Barrier)
        continue;
      uint64_t Slice = WaveSlice;
      if (Seed) {
        uint64_t Draw = mix(Offset + N);
        if (Draw % 4 == 0)
          continue; // others may get ahead
        Slice = 1 + (Draw >> 8) % 256;
      }
      uint64_t Start = W.Executed;
      if (uint64_t Limit = L->Options.InstructionLimit) {
        if (Start >= Limit) {
          overran(G, W);
          return State::Failed;
        }
        Slice = std::min(Slice, Limit - Start);
      }
      Run(W, Slice);
      Left -= std::min(Left, W.Executed - Start);
      G.Idle += W.Executed - Start;
      if (W.Stopped == Stop::Fault) {
        fail(G, W);
        return State::Failed;
      }
      Ran |= W.Stopped != Stop::Yield;
      if (W.Stopped == Stop::End)
        ++Thread.Progress;
    }
    if (Thread.Progress != Before) {
      Before = Thread.Progress;
      G.Idle = 0;
    } else if (!Ran && !Seed) {
      return State::Waiting;
    }
    if (!Left)
      return G.Idle >= GroupSlice ? State::Waiting : State::Busy;
  }
}

void Scheduler::overran(Workgroup &G, Wave &W) {
  W.fault(*(W.Next - (W.Next->Op ? 0 : 1)), FaultKind::Hang,
          "executed more than " + Twine(L->Options.InstructionLimit) + " instructions");
  fail(G, W);
}

void Scheduler::hang(Workgroup &G) {
  for (auto &W : G.Waves)
    if (W->Stopped != Stop::End && W->Stopped != Stop::Barrier) {
      W->fault(*(W->Next - (W->Next->Op ? 0 : 1)), FaultKind::Hang,
               "nothing changed for " + Twine(L->Options.HangLimit) +
                   " instructions: wavefronts or workgroups wait for each other");
      fail(G, *W);
      return;
    }
}

void Scheduler::recycle(std::unique_ptr<Workgroup> G) { Spare.push_back(std::move(G)); }

void Scheduler::run() {
  // The program may have set the mode of its own thread: -ffast-math does.
  HostFloatScope Default(Rounding::NearestEven, false, false);
  size_t Turn = 0;
  uint64_t SeenProgress = 0, IdleInstructions = 0;
  bool More = true;
  while (More || !Active.empty()) {
    if (Active.empty() || (Turn >= Active.size() && More && Active.size() < MaxActive)) {
      uint64_t Next = L->NextGroup.fetch_add(1, std::memory_order_relaxed);
      // Groups behind a fault need not start; those before it might have an earlier one.
      if (Next >= L->Groups || Next > L->FaultGroup) {
        More = false;
        if (Active.empty())
          return;
      } else {
        Active.push_back(start(Next));
        Turn = Active.size() - 1;
      }
    }
    if (Turn >= Active.size())
      Turn = 0;
    Workgroup &G = *Active[Turn];
    if (G.Linear >= L->FaultGroup) {
      recycle(std::move(Active[Turn]));
      Active.erase(Active.begin() + Turn);
      continue;
    }
    uint64_t Before = 0, After = 0, Own = Thread.Progress;
    for (auto &W : G.Waves)
      Before += W->Executed;
    State S = advance(G);
    for (auto &W : G.Waves)
      After += W->Executed;
    if (S == State::Done || S == State::Failed) {
      L->Progress.fetch_add(1, std::memory_order_relaxed);
      recycle(std::move(Active[Turn]));
      Active.erase(Active.begin() + Turn);
      IdleInstructions = 0;
      continue;
    }
    if (Thread.Progress != Own)
      L->Progress.fetch_add(1, std::memory_order_relaxed);
    uint64_t Now = L->Progress.load(std::memory_order_relaxed);
    if (Now != SeenProgress) {
      SeenProgress = Now;
      IdleInstructions = 0;
    } else if ((IdleInstructions += After - Before) > L->Options.HangLimit) {
      hang(G);
      continue;
    }
    if (S == State::Waiting) {
      ++Turn; // the next one, or a new one
      if (Turn >= Active.size() && !More)
        std::this_thread::yield();
    }
  }
}
