//===- Races.cpp - Unordered accesses inside a workgroup ------------------===//

#include "Races.h"

#include "OpTable.h"
#include "WaitTracker.h"
#include "Wave.h"

#include "llvm/ADT/StringExtras.h"

#include <bit>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

/// An atomic load or store is an ordinary instruction that goes past caches; so is a volatile one.
static bool synchronizes(const Inst &I, MemoryUse Use) {
  return Use == MemoryUse::Atomic || (I.Format == Encoding::Flat && (I.Sc0 || I.Sc1));
}

RaceDetector::RaceDetector(unsigned Waves, uint32_t LdsSize)
    : Clocks(Waves, Clock(Waves)), LdsCells((LdsSize + 3) / 4) {
  // Time 0 is before anything happened.
  for (unsigned W = 0; W != Waves; ++W)
    Clocks[W][W].Time = 1;
}

void RaceDetector::noteWaits(const Wave &W) {
  if (W.Waits)
    for (unsigned N : {0, 1})
      Clocks[W.Number][W.Number].Waited[N] = W.Waits->waited(N);
}

void RaceDetector::barrier(const Workgroup &G) {
  for (auto &W : G.Waves)
    noteWaits(*W);
  Clock All(Clocks.size());
  for (const Clock &C : Clocks)
    for (size_t W = 0; W != C.size(); ++W)
      All[W].learn(C[W]);
  for (size_t W = 0; W != Clocks.size(); ++W) {
    Clocks[W] = All;
    ++Clocks[W][W].Time;
  }
}

bool RaceDetector::report(Wave &W, const Inst &I, const Touch &T, uint64_t Address, unsigned Lane,
                          MemoryUse Use, bool Wrote, bool Lds) {
  StringRef Now = Use == MemoryUse::Load ? "load" : Use == MemoryUse::Store ? "store" : "atomic";
  StringRef Then = T.Atomic ? "atomic" : Wrote ? "store" : "load";
  std::string Where = Lds ? "LDS offset " + std::to_string(Address)
                          : "global address 0x" + utohexstr(Address, true);
  const char *Why = !met(T, W.Number) ? " have no barrier between them"
                    : T.Counter       ? ", which no s_waitcnt lgkmcnt covers before the barrier, are not ordered"
                                      : ", which no s_waitcnt vmcnt covers before the barrier, are not ordered";
  W.fault(I, FaultKind::Race,
          Twine(Now) + " at " + Where + " and " + Then + " by lane " + Twine(unsigned(T.Lane)) +
              " of wavefront " + Twine(unsigned(T.Wave)) + Why,
          Lane, Address);
  W.Failure->Other = placeOf(W.L->Owner, T.I->Pc);
  return false;
}

bool RaceDetector::check(Wave &W, const Inst &I, Cell &C, uint64_t Address, uint8_t Bytes,
                         unsigned Lane, MemoryUse Use, bool Lds) {
  unsigned Me = W.Number;
  Touch Now;
  Now.I = &I;
  Now.Time = Clocks[Me][Me].Time;
  Now.Wave = Me;
  Now.Lane = Lane;
  Now.Atomic = synchronizes(I, Use);
  if (Lds && W.Waits) {
    // The tracker counts this instruction when it is done.
    Now.Counter = !I.LdsDma;
    Now.Number = W.Waits->issuedSoFar(Now.Counter) + 1;
  }
  if (C.Write.I && (C.WriteBytes & Bytes) && C.Write.Wave != Me && !ordered(C.Write, Me) &&
      !(C.Write.Atomic && Now.Atomic))
    return report(W, I, C.Write, Address, Lane, Use, true, Lds);
  // A wavefront's LDS instructions are ordered among themselves, but not with its loads into LDS.
  if (C.Write.I && (C.WriteBytes & Bytes) && C.Write.Wave == Me && C.Write.Number && C.Write.I->LdsDma &&
      !I.LdsDma && C.Write.Number > W.Waits->waited(0)) {
    W.fault(I, FaultKind::MissingWait,
            Twine(I.Op->Name) + " uses LDS offset " + Twine(Address) + " before the s_waitcnt that covers the " +
                C.Write.I->Op->Name + " into it",
            Lane, Address);
    W.Failure->Other = placeOf(W.L->Owner, C.Write.I->Pc);
    return false;
  }
  if (Use == MemoryUse::Load) {
    for (Touch &T : C.Readers)
      if (T.Wave == Me) {
        T = Now;
        C.ReadBytes |= Bytes;
        return true;
      }
    C.Readers.push_back(Now);
    C.ReadBytes |= Bytes;
    return true;
  }
  if (C.ReadBytes & Bytes)
    for (const Touch &T : C.Readers)
      if (T.Wave != Me && !ordered(T, Me) && !(T.Atomic && Now.Atomic))
        return report(W, I, T, Address, Lane, Use, false, Lds);
  if (!C.Write.I || ordered(C.Write, Me) || C.Write.Wave == Me)
    C.WriteBytes = 0;
  C.WriteBytes |= Bytes;
  C.Write = Now;
  if (!(C.ReadBytes & ~Bytes)) {
    C.Readers.clear();
    C.ReadBytes = 0;
  }
  return true;
}

bool RaceDetector::access(Wave &W, const Inst &I, const uint64_t *Address, uint64_t Lanes,
                          unsigned Bytes, MemoryUse Use, bool Lds) {
  unsigned Me = W.Number;
  for (uint64_t M = Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    for (uint64_t At = Address[L], End = At + Bytes; At < End;) {
      uint64_t CellAt = At & ~uint64_t(3), Next = std::min(CellAt + 4, End);
      uint8_t Mask = uint8_t(((1u << (Next - At)) - 1) << (At - CellAt));
      Cell &C = Lds ? LdsCells[CellAt / 4] : GlobalCells[CellAt];
      if (!check(W, I, C, At, Mask, L, Use, Lds))
        return false;
      At = Next;
    }
  }
  // A load that follows an atomic, or an atomic itself, learns what the releasing side knew. Plain
  // loads of the address take part, because an atomic load is one.
  if (Use == MemoryUse::Store && !synchronizes(I, Use))
    return true;
  bool Any = false;
  for (uint64_t M = Lanes; M; M &= M - 1) {
    uint64_t Key = Address[std::countr_zero(M)] | (Lds ? uint64_t(1) << 63 : 0);
    if (Use == MemoryUse::Load) {
      auto It = Released.find(Key);
      if (It != Released.end())
        for (size_t N = 0; N != Clocks.size(); ++N)
          Clocks[Me][N].learn(It->second[N]);
      continue;
    }
    noteWaits(W);
    Clock &R = Released[Key];
    R.resize(Clocks.size());
    for (size_t N = 0; N != Clocks.size(); ++N) {
      Clocks[Me][N].learn(R[N]);
      R[N] = Clocks[Me][N];
    }
    Any = true;
  }
  if (Any)
    ++Clocks[Me][Me].Time;
  return true;
}
