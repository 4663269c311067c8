//===- Races.cpp - Unordered accesses inside a workgroup ------------------===//

#include "Races.h"

#include "OpTable.h"
#include "WaitTracker.h"
#include "Wave.h"

#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

bool sim::synchronizes(const Inst &I, MemoryUse Use) {
  return Use == MemoryUse::Atomic || (I.Format == Encoding::Flat && (I.Sc0 || I.Sc1));
}

namespace {
constexpr uint64_t LdsBit = uint64_t(1) << 63;
constexpr size_t MemoSize = 1 << 12, MaxSparePages = 64;

uint64_t mix(uint64_t A, uint64_t B) {
  A = (A ^ B) * 0x9e3779b97f4a7c15;
  return A ^ A >> 29;
}
} // namespace

uint64_t RaceDetector::History::hash() const {
  uint64_t H = WriteBytes | ReadBytes << 8;
  auto Add = [&](const Touch &T) {
    H = mix(H, reinterpret_cast<uint64_t>(T.I));
    H = mix(H, uint64_t(T.Time) << 32 | T.Wave << 16 | T.Lane << 8 | T.Atomic);
    H = mix(H, T.Number << 1 | T.Counter);
  };
  Add(Write);
  for (const Touch &T : Readers)
    Add(T);
  return H;
}

RaceDetector::RaceDetector() : Histories(1), Memo(MemoSize) {}

void RaceDetector::reset(unsigned Waves, uint32_t LdsSize) {
  forget();
  LdsCells.assign((LdsSize + 3) / 4, History());
  Clocks.assign(Waves, Clock(Waves));
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
  // All accesses of global memory so far are ordered before what comes.
  forget();
}

void RaceDetector::forget() {
  for (auto &[Number, P] : Pages)
    if (SparePages.size() < MaxSparePages && !P->High) {
      std::memset(P->Low, 0, sizeof(P->Low));
      SparePages.push_back(std::move(P));
    }
  Pages.clear();
  LastPage = nullptr;
  Histories.resize(1);
  ByHash.clear();
  Released.clear();
  ++Version;
}

RaceDetector::Page &RaceDetector::page(uint64_t Number) {
  if (LastPage && LastNumber == Number)
    return *LastPage;
  std::unique_ptr<Page> &P = Pages[Number];
  if (!P) {
    if (SparePages.empty()) {
      P = std::make_unique<Page>();
    } else {
      P = std::move(SparePages.back());
      SparePages.pop_back();
    }
  }
  LastNumber = Number;
  return *(LastPage = P.get());
}

uint32_t RaceDetector::number(History H) {
  uint64_t Hash = H.hash();
  auto [Begin, End] = ByHash.equal_range(Hash);
  for (auto It = Begin; It != End; ++It)
    if (Histories[It->second] == H)
      return It->second;
  Histories.push_back(std::move(H));
  uint32_t N = uint32_t(Histories.size() - 1);
  ByHash.emplace(Hash, N);
  return N;
}

void RaceDetector::collect() {
  std::vector<uint32_t> New(Histories.size());
  std::vector<History> Kept(1);
  for (auto &[Number, P] : Pages)
    for (unsigned N = 0; N != Page::Cells; ++N)
      if (uint32_t Old = P->get(N)) {
        if (!New[Old]) {
          New[Old] = uint32_t(Kept.size());
          Kept.push_back(std::move(Histories[Old]));
        }
        P->set(N, New[Old]);
      }
  Histories = std::move(Kept);
  ByHash.clear();
  for (size_t N = 1; N != Histories.size(); ++N)
    ByHash.emplace(Histories[N].hash(), uint32_t(N));
  CollectAt = std::max<size_t>(60000, 2 * Histories.size());
  ++Version;
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

bool RaceDetector::check(Wave &W, const Inst &I, History &C, uint64_t Address, uint8_t Bytes,
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

/// Wavefront \p Wave knows what \p From knows. True if that was new.
bool RaceDetector::learn(const Clock &From, unsigned Wave) {
  bool New = false;
  for (size_t N = 0; N != Clocks.size(); ++N)
    New |= Clocks[Wave][N].learn(From[N]);
  return New;
}

bool RaceDetector::access(Wave &W, const Inst &I, const uint64_t *Address, uint64_t Lanes,
                          unsigned Bytes, MemoryUse Use, bool Lds) {
  unsigned Me = W.Number;
  if (Histories.size() >= CollectAt)
    collect();
  for (uint64_t M = Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    for (uint64_t At = Address[L], End = At + Bytes; At < End;) {
      uint64_t CellAt = At & ~uint64_t(3), Next = std::min(CellAt + 4, End);
      uint8_t Mask = uint8_t(((1u << (Next - At)) - 1) << (At - CellAt));
      if (Lds) {
        if (!check(W, I, LdsCells[CellAt / 4], At, Mask, L, Use, true))
          return false;
        At = Next;
        continue;
      }
      Page &P = page(CellAt / 4 / Page::Cells);
      unsigned Cell = CellAt / 4 % Page::Cells;
      uint32_t From = P.get(Cell), How = Me << 16 | L << 8 | unsigned(Use) << 4 | Mask;
      uint64_t Slot = mix(mix(reinterpret_cast<uint64_t>(&I), How), From);
      Step &K = Memo[Slot >> 32 & (MemoSize - 1)];
      if (K.I != &I || K.From != From || K.How != How || K.Version != Version) {
        History H = Histories[From];
        if (!check(W, I, H, At, Mask, L, Use, false))
          return false;
        K = {&I, Version, From, number(std::move(H)), How};
      }
      P.set(Cell, K.To);
      At = Next;
    }
  }
  // A load that follows an atomic, or an atomic itself, learns what the releasing side knew. Plain
  // loads of the address take part, because an atomic load is one.
  if (Use == MemoryUse::Store && !synchronizes(I, Use))
    return true;
  if (Use == MemoryUse::Load && Released.empty())
    return true;
  bool Any = false, New = false;
  for (uint64_t M = Lanes; M; M &= M - 1) {
    uint64_t Key = Address[std::countr_zero(M)] | (Lds ? LdsBit : 0);
    if (Use == MemoryUse::Load) {
      auto It = Released.find(Key);
      if (It != Released.end())
        New |= learn(It->second, Me);
      continue;
    }
    noteWaits(W);
    Clock &R = Released[Key];
    R.resize(Clocks.size());
    learn(R, Me);
    R = Clocks[Me];
    Any = true;
  }
  if (Any)
    ++Clocks[Me][Me].Time;
  if (Any || New)
    ++Version;
  return true;
}
