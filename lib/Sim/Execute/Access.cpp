//===- Access.cpp - Checks, counts and transfers of memory accesses -------===//

#include "Access.h"

#include "../Races.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

//===- Counting ------------------------------------------------------------===//

void countBytes(AccessCount &C, Use U, uint64_t Bytes, uint64_t Lanes) {
  if (U != Use::Store)
    C.BytesLoaded += Bytes;
  if (U != Use::Load)
    C.BytesStored += Bytes;
  if (U == Use::Atomic)
    C.Atomics += Lanes;
}

/// Lines of 128 bytes with a bit for each byte, for addresses in any order. Sorting them would take
/// several times as long.
class LineSet {
public:
  void add(uint64_t Address, unsigned Bytes) {
    while (Bytes) {
      unsigned Offset = Address & 127, Now = std::min(Bytes, 128 - Offset);
      Entry &E = find(Address >> 7);
      // Bytes is at most 16, so this is a shift by less than 64.
      uint64_t Ones = (uint64_t(1) << Now) - 1;
      if (Offset < 64) {
        E.Low |= Ones << Offset;
        if (Offset + Now > 64)
          E.High |= Ones >> (64 - Offset);
      } else {
        E.High |= Ones << (Offset - 64);
      }
      Address += Now;
      Bytes -= Now;
    }
  }
  void count(AccessCount &C) const {
    uint64_t Used = 0;
    for (unsigned N = 0; N != Count; ++N) {
      const Entry &E = Entries[N];
      C.Segments64 += (E.Low != 0) + (E.High != 0);
      Used += std::popcount(E.Low) + std::popcount(E.High);
    }
    C.Lines128 += Count;
    C.BytesUsed += Used;
    C.Segments64Min += (Used + 63) / 64;
    C.Lines128Min += (Used + 127) / 128;
  }

private:
  struct Entry {
    uint64_t Line, Low, High;
  };
  Entry &find(uint64_t Line) {
    if (Count && Entries[Last].Line == Line)
      return Entries[Last];
    for (unsigned Slot = Line * 0x9e3779b97f4a7c15 >> 56;; Slot = (Slot + 1) % 256) {
      if (!Index[Slot]) {
        Index[Slot] = uint8_t(Count + 1);
        Entries[Count] = {Line, 0, 0};
        return Entries[Last = Count++];
      }
      Last = Index[Slot] - 1;
      if (Entries[Last].Line == Line)
        return Entries[Last];
    }
  }

  uint8_t Index[256] = {}; ///< entry + 1; at most 2 lines a lane
  Entry Entries[2 * NumLanes];
  unsigned Count = 0, Last = 0;
};

/// Lines and segments touched by byte ranges, and how many the same bytes would need at best.
void countLines(AccessCount &C, const Lane64 &A) {
  LineSet Set;
  for (uint64_t M = A.Lanes; M; M &= M - 1)
    Set.add(A.Address[std::countr_zero(M)], A.Bytes);
  Set.count(C);
}

void countGlobal(Wave &W, const Inst &I, const Lane64 &A, Use U) {
  AccessCount &C = W.Thread->Accesses[I.Index];
  unsigned Lanes = std::popcount(A.Lanes);
  countBytes(C, U, uint64_t(Lanes) * A.Bytes, Lanes);
  if (!A.Contiguous && !A.Uniform) {
    countLines(C, A);
    return;
  }
  uint64_t Begin = A.Address[A.First], Size = A.Contiguous ? uint64_t(Lanes) * A.Bytes : A.Bytes;
  uint64_t Last = Begin + Size - 1;
  C.Segments64 += (Last >> 6) - (Begin >> 6) + 1;
  C.Lines128 += (Last >> 7) - (Begin >> 7) + 1;
  C.BytesUsed += Size;
  C.Segments64Min += (Size + 63) / 64;
  C.Lines128Min += (Size + 127) / 128;
}

/// Cycles of a group of lanes whose dwords do not all go to different banks.
__attribute__((noinline)) unsigned busiestBank(const Lane64 &A, unsigned First, uint64_t Lanes,
                                               unsigned Dwords) {
  uint32_t Seen[32][33];
  uint8_t Count[32] = {};
  unsigned Most = 1;
  for (; Lanes; Lanes &= Lanes - 1) {
    uint32_t Dword = uint32_t(A.Address[First + std::countr_zero(Lanes)] / 4);
    for (unsigned D = 0; D != Dwords; ++D, ++Dword) {
      unsigned Bank = Dword % 32, N = 0;
      while (N != Count[Bank] && Seen[Bank][N] != Dword)
        ++N;
      if (N == Count[Bank] && N < 32) {
        Seen[Bank][Count[Bank]++] = Dword;
        Most = std::max<unsigned>(Most, Count[Bank]);
      }
    }
  }
  return Most;
}

/// Cycles of LDS: lanes go in groups that could use each of the 32 banks once; a bank gives one
/// dword a cycle, to all lanes of the group that want that dword.
void countBanks(AccessCount &C, const Lane64 &A) {
  unsigned Dwords = std::max(1u, A.Bytes / 4);
  unsigned GroupLanes = Dwords >= 4 ? 8 : Dwords >= 2 ? 16 : 32;
  bool NoConflict = (A.Contiguous && A.Bytes != 12) || A.Uniform;
  if (NoConflict && A.Lanes == FullMask) {
    C.LdsCycles += NumLanes / GroupLanes;
    return;
  }
  for (unsigned First = 0; First != NumLanes; First += GroupLanes) {
    uint64_t Lanes = A.Lanes >> First & (GroupLanes == 32 ? 0xffffffff : (1u << GroupLanes) - 1);
    if (!Lanes)
      continue;
    unsigned Most = 1;
    if (!NoConflict) {
      uint64_t Banks = 0;
      unsigned Wanted = 0;
      for (uint64_t M = Lanes; M; M &= M - 1, Wanted += Dwords) {
        unsigned Bank = A.Address[First + std::countr_zero(M)] / 4 % 32;
        Banks |= ((uint64_t(1) << Dwords) - 1) << Bank;
      }
      Banks |= Banks >> 32; // past bank 31 comes bank 0
      if (unsigned(std::popcount(Banks & 0xffffffff)) != Wanted)
        Most = busiestBank(A, First, Lanes, Dwords);
    }
    C.LdsCycles += Most;
    C.LdsConflicts += Most - 1;
  }
}

//===- Faults --------------------------------------------------------------===//

StringRef verb(Use U) { return U == Use::Load ? "load" : U == Use::Store ? "store" : "atomic"; }

/// "device memory allocation of 64 bytes", "variable 'table' of 64 bytes"
std::string describe(const Allocation &A) {
  std::string Text = name(A.Kind).str();
  if (A.Kind == MemoryKind::Variable && !A.Label.empty())
    Text += " '" + A.Label + "'";
  else
    Text += " allocation";
  return Text + " of " + std::to_string(A.Size) + " bytes";
}

__attribute__((noinline)) bool faultGlobal(Wave &W, const Inst &I, const Lane64 &A, Use U,
                                           unsigned L, const Allocation *Found) {
  uint64_t Address = A.Address[L];
  std::string What =
      (Twine(verb(U)) + " of " + Twine(A.Bytes) + " bytes at 0x" + utohexstr(Address, true)).str();
  if (!Found || !Found->contains(Address)) {
    // Name the neighbour: nearly always an index ran over.
    const Allocation *Near = W.L->Memory.before(Address);
    if (Near && Address - Near->end() < 1 << 20)
      W.fault(I, FaultKind::OutOfBounds,
              What + ", " + Twine(Address - Near->end()) + " bytes behind a " + describe(*Near) +
                  (Near->Freed ? " that was freed" : ""),
              L, Address);
    else
      W.fault(I, FaultKind::OutOfBounds, What + ", which is not in any allocation", L, Address);
    return false;
  }
  std::string Where =
      (" at offset " + Twine(Address - Found->Base) + " of a " + describe(*Found)).str();
  if (Found->Freed)
    W.fault(I, FaultKind::UseAfterFree, What + Where + " that was freed", L, Address);
  else if (!Found->contains(Address, A.Bytes))
    W.fault(I, FaultKind::OutOfBounds, What + Where + ", across its end", L, Address);
  else
    W.fault(I, FaultKind::ReadOnly, What + Where + ", which is read-only", L, Address);
  return false;
}

bool valid(const Allocation *A, uint64_t Address, unsigned Bytes, Use U) {
  return A && A->contains(Address, Bytes) && !A->Freed.load(std::memory_order_relaxed) &&
         !(A->ReadOnly && U != Use::Load);
}

/// Each lane by itself: they are in different allocations, or one of them is wrong.
__attribute__((noinline)) bool checkEach(Wave &W, const Inst &I, const Lane64 &A, Use U) {
  const Allocation *Hit = W.Thread->LastHit[I.Index];
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    if (valid(Hit, A.Address[L], A.Bytes, U))
      continue;
    Hit = W.L->Memory.lookup(A.Address[L]);
    if (!valid(Hit, A.Address[L], A.Bytes, U))
      return faultGlobal(W, I, A, U, L, Hit);
  }
  W.Thread->LastHit[I.Index] = Hit;
  return true;
}

__attribute__((noinline)) bool checkWritten(Wave &W, const Inst &I, const Lane64 &A, Use U) {
  const Allocation *Hit = W.Thread->LastHit[I.Index];
  if (A.Contiguous) {
    uint64_t Size = uint64_t(A.End - A.First) * A.Bytes, Begin = A.Address[A.First];
    if (Hit && Hit->contains(Begin, Size)) {
      if (U == Use::Store)
        markWritten(const_cast<Allocation &>(*Hit), Begin - Hit->Base, Size);
      // If something is missing, the lane at fault is found below.
      if (U == Use::Store || isWritten(*Hit, Begin - Hit->Base, Size))
        return true;
    }
  }
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    uint64_t Address = A.Address[L];
    if (!Hit || !Hit->contains(Address, A.Bytes))
      Hit = W.L->Memory.lookup(Address);
    if (!Hit || !Hit->Written)
      continue;
    if (U != Use::Store && !isWritten(*Hit, Address - Hit->Base, A.Bytes)) {
      W.fault(I, FaultKind::Uninitialized,
              Twine(verb(U)) + " of " + Twine(A.Bytes) + " bytes at offset " +
                  Twine(Address - Hit->Base) + " of a " + describe(*Hit) +
                  ", where nothing was ever written",
              L, Address);
      return false;
    }
    if (U != Use::Load)
      markWritten(const_cast<Allocation &>(*Hit), Address - Hit->Base, A.Bytes);
  }
  return true;
}

bool checkAlignment(Wave &W, const Inst &I, const Lane64 &A) {
  uint64_t Low = 0; // an atomic is of 4 or 8 bytes
  for (unsigned L = 0; L != NumLanes; ++L)
    Low |= A.Address[L] & (0 - (A.Lanes >> L & 1));
  if (!(Low & (A.Bytes - 1)))
    return true;
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    if (A.Address[L] % A.Bytes) {
      W.fault(I, FaultKind::Misaligned,
              "atomic of " + Twine(A.Bytes) + " bytes at 0x" + utohexstr(A.Address[L], true) +
                  ", which is not a multiple of that",
              L, A.Address[L]);
      return false;
    }
  }
  return true;
}

MemoryUse raceUse(Use U) {
  return U == Use::Load ? MemoryUse::Load : U == Use::Store ? MemoryUse::Store : MemoryUse::Atomic;
}

} // namespace

bool checkGlobal(Wave &W, const Inst &I, const Lane64 &A, Use U) {
  if (!A.Lanes)
    return true;
  if (U == Use::Atomic && !checkAlignment(W, I, A))
    return false;
  uint64_t Low, High;
  if (A.Contiguous || A.Uniform) {
    Low = A.Address[A.First];
    High = A.Address[A.End - 1];
  } else if (A.Lanes == FullMask) {
    Low = High = A.Address[0];
    for (unsigned L = 1; L != NumLanes; ++L) {
      Low = std::min(Low, A.Address[L]);
      High = std::max(High, A.Address[L]);
    }
  } else {
    Low = UINT64_MAX;
    High = 0;
    for (uint64_t M = A.Lanes; M; M &= M - 1) {
      uint64_t X = A.Address[std::countr_zero(M)];
      Low = std::min(Low, X);
      High = std::max(High, X);
    }
  }
  const Allocation *Hit = W.Thread->LastHit[I.Index];
  if (!(Hit && High - Low <= Hit->Size && valid(Hit, Low, High - Low + A.Bytes, U)) &&
      !checkEach(W, I, A, U))
    return false;
  if (W.Thread->Counting)
    countGlobal(W, I, A, U);
  if (W.L->Checks) {
    if (W.L->Options.Uninitialized && !checkWritten(W, I, A, U))
      return false;
    if (W.Group->Races &&
        !W.Group->Races->access(W, I, A.Address, A.Lanes, A.Bytes, raceUse(U), false))
      return false;
  }
  return true;
}

bool checkLds(Wave &W, const Inst &I, Lane64 &A, Use U) {
  if (!A.Lanes)
    return true;
  if (U == Use::Atomic && !checkAlignment(W, I, A))
    return false;
  uint64_t Size = W.Group->LdsSize;
  uint64_t Highest = 0;
  if (A.Contiguous || A.Uniform) {
    Highest = A.Address[A.End - 1];
  } else if (A.Lanes == FullMask) {
    for (unsigned L = 0; L != NumLanes; ++L)
      Highest = std::max(Highest, A.Address[L]);
  } else {
    for (uint64_t M = A.Lanes; M; M &= M - 1)
      Highest = std::max(Highest, A.Address[std::countr_zero(M)]);
  }
  if (Highest + A.Bytes > Size) {
    unsigned L = A.First;
    while (!(A.Lanes >> L & 1) || A.Address[L] + A.Bytes <= Size)
      ++L;
    W.fault(I, FaultKind::LdsOutOfBounds,
            Twine(verb(U)) + " of " + Twine(A.Bytes) + " bytes at offset " + Twine(A.Address[L]) +
                " of LDS, where the workgroup has " + Twine(Size) + " bytes",
            L, A.Address[L]);
    return false;
  }
  if (W.Thread->Counting) {
    AccessCount &C = W.Thread->Accesses[I.Index];
    unsigned Lanes = std::popcount(A.Lanes);
    C.LdsBytes += uint64_t(Lanes) * A.Bytes;
    if (U == Use::Atomic)
      C.Atomics += Lanes;
    countBanks(C, A);
  }
  if (W.L->Checks) {
    std::vector<uint8_t> &Written = W.Group->LdsWritten;
    if (!Written.empty())
      for (uint64_t M = A.Lanes; M; M &= M - 1) {
        unsigned L = std::countr_zero(M);
        for (unsigned B = 0; B != A.Bytes; ++B) {
          if (U != Use::Store && !Written[A.Address[L] + B]) {
            W.fault(I, FaultKind::Uninitialized,
                    Twine(verb(U)) + " of " + Twine(A.Bytes) + " bytes at offset " +
                        Twine(A.Address[L]) + " of LDS, where the workgroup has not written",
                    L, A.Address[L]);
            return false;
          }
          if (U != Use::Load)
            Written[A.Address[L] + B] = 1;
        }
      }
    if (W.Group->Races &&
        !W.Group->Races->access(W, I, A.Address, A.Lanes, A.Bytes, raceUse(U), true))
      return false;
  }
  uint64_t Base = reinterpret_cast<uint64_t>(W.Group->Lds);
  for (unsigned L = 0; L != NumLanes; ++L)
    A.Address[L] += Base;
  return true;
}

bool checkScratch(Wave &W, const Inst &I, Lane64 &A, Use U) {
  uint64_t Base = reinterpret_cast<uint64_t>(W.Scratch), Highest = 0;
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    Highest = std::max(Highest, A.Address[L]);
    if (A.Address[L] > W.ScratchSize || A.Bytes > W.ScratchSize - A.Address[L]) {
      W.fault(I, FaultKind::ScratchOutOfBounds,
              Twine(verb(U)) + " of " + Twine(A.Bytes) + " bytes at offset " +
                  Twine(int64_t(A.Address[L])) + " of a stack of " + Twine(W.ScratchSize) +
                  " bytes",
              L, A.Address[L]);
      return false;
    }
    A.Address[L] += Base + uint64_t(L) * W.ScratchSize;
  }
  if (A.Lanes && U != Use::Load)
    W.ScratchUsed = std::max<uint32_t>(W.ScratchUsed, Highest + A.Bytes);
  A.Contiguous = A.Uniform = false;
  return true;
}

bool checkFlat(Wave &W, const Inst &I, Lane64 &A, Use U) {
  uint64_t Shared = 0, Private = 0;
  for (unsigned L = 0; L != NumLanes; ++L) {
    Shared |= uint64_t((A.Address[L] & ApertureMask) == SharedBase) << L;
    Private |= uint64_t((A.Address[L] & ApertureMask) == PrivateBase) << L;
  }
  Shared &= A.Lanes;
  Private &= A.Lanes;
  if (!(Shared | Private))
    return checkGlobal(W, I, A, U);
  // Lanes of each space on their own; inactive lanes of a part hold harmless zeros.
  auto Part = [&](uint64_t Lanes, uint64_t Base, auto Check) {
    if (!Lanes)
      return true;
    Lane64 P;
    P.Lanes = Lanes;
    P.Bytes = A.Bytes;
    for (unsigned L = 0; L != NumLanes; ++L)
      P.Address[L] = Lanes >> L & 1 ? A.Address[L] - Base : 0;
    P.findContiguous();
    if (!Check(P))
      return false;
    for (unsigned L = 0; L != NumLanes; ++L)
      if (Lanes >> L & 1)
        A.Address[L] = P.Address[L];
    return true;
  };
  bool Ok =
      Part(Shared, SharedBase, [&](Lane64 &P) { return checkLds(W, I, P, U); }) &&
      Part(Private, PrivateBase, [&](Lane64 &P) { return checkScratch(W, I, P, U); }) &&
      Part(A.Lanes & ~(Shared | Private), 0, [&](Lane64 &P) { return checkGlobal(W, I, P, U); });
  A.findContiguous();
  return Ok;
}

//===- Transfers -----------------------------------------------------------===//

namespace {

template <class T, class Merge> void loadNarrow(Wave &W, unsigned Row, const Lane64 &A, Merge Do) {
  uint32_t *D = W.V[Row];
  if (A.Contiguous && A.Lanes == FullMask) {
    T From[NumLanes];
    std::memcpy(From, reinterpret_cast<const void *>(A.Address[0]), sizeof(From));
    for (unsigned L = 0; L != NumLanes; ++L)
      D[L] = Do(From[L], D[L]);
    return;
  }
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    T X;
    std::memcpy(&X, reinterpret_cast<const void *>(A.Address[L]), sizeof(T));
    D[L] = Do(X, D[L]);
  }
}

template <unsigned N> void loadDwords(Wave &W, unsigned Row, const Lane64 &A) {
  uint32_t (*D)[NumLanes] = W.V + Row;
  if (A.Uniform) {
    uint32_t X[N];
    std::memcpy(X, reinterpret_cast<const void *>(A.Address[A.First]), sizeof(X));
    for (unsigned K = 0; K != N; ++K)
      if (A.Lanes == FullMask)
        fillRow(D[K], X[K]);
      else
        std::fill(D[K] + A.First, D[K] + A.End, X[K]);
    return;
  }
  if (A.Contiguous) {
    // Bytes: nothing says that the address is a multiple of 4.
    const auto *From = reinterpret_cast<const uint8_t *>(A.Address[A.First]);
    if (N == 1) {
      std::memcpy(D[0] + A.First, From, sizeof(D[0][0]) * (A.End - A.First));
    } else if (A.Lanes == FullMask) {
      for (unsigned L = 0; L != NumLanes; ++L)
        for (unsigned K = 0; K != N; ++K) {
          uint32_t X;
          std::memcpy(&X, From + 4 * (L * N + K), 4);
          D[K][L] = X;
        }
    } else {
      for (unsigned L = A.First; L != A.End; ++L)
        for (unsigned K = 0; K != N; ++K)
          std::memcpy(&D[K][L], From + 4 * ((L - A.First) * N + K), 4);
    }
    return;
  }
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    uint32_t X[N];
    std::memcpy(X, reinterpret_cast<const void *>(A.Address[L]), sizeof(X));
    for (unsigned K = 0; K != N; ++K)
      D[K][L] = X[K];
  }
}

template <class T> void storeNarrow(Wave &W, unsigned Row, unsigned Shift, const Lane64 &A) {
  const uint32_t *D = W.V[Row];
  if (A.Contiguous && A.Lanes == FullMask) {
    T To[NumLanes];
    for (unsigned L = 0; L != NumLanes; ++L)
      To[L] = T(D[L] >> Shift);
    std::memcpy(reinterpret_cast<void *>(A.Address[0]), To, sizeof(To));
    return;
  }
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    T X = T(D[L] >> Shift);
    std::memcpy(reinterpret_cast<void *>(A.Address[L]), &X, sizeof(T));
  }
}

template <unsigned N> void storeDwords(Wave &W, unsigned Row, const Lane64 &A) {
  uint32_t (*D)[NumLanes] = W.V + Row;
  if (A.Contiguous) {
    auto *To = reinterpret_cast<uint8_t *>(A.Address[A.First]);
    if (N == 1) {
      std::memcpy(To, D[0] + A.First, sizeof(D[0][0]) * (A.End - A.First));
    } else if (A.Lanes != FullMask) {
      for (unsigned L = A.First; L != A.End; ++L)
        for (unsigned K = 0; K != N; ++K)
          std::memcpy(To + 4 * ((L - A.First) * N + K), &D[K][L], 4);
    } else {
      for (unsigned L = 0; L != NumLanes; ++L)
        for (unsigned K = 0; K != N; ++K)
          std::memcpy(To + 4 * (L * N + K), &D[K][L], 4);
    }
    return;
  }
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    uint32_t X[N];
    for (unsigned K = 0; K != N; ++K)
      X[K] = D[K][L];
    std::memcpy(reinterpret_cast<void *>(A.Address[L]), X, sizeof(X));
  }
}

} // namespace

void loadLanes(Wave &W, const Inst &I, unsigned Row, const Lane64 &A, unsigned Dwords) {
  switch (Data(I.Op->Extra)) {
  case Data::U8:
    return loadNarrow<uint8_t>(W, Row, A, [](uint32_t X, uint32_t) { return X; });
  case Data::I8:
    return loadNarrow<int8_t>(W, Row, A, [](int32_t X, uint32_t) { return uint32_t(X); });
  case Data::U16:
    return loadNarrow<uint16_t>(W, Row, A, [](uint32_t X, uint32_t) { return X; });
  case Data::I16:
    return loadNarrow<int16_t>(W, Row, A, [](int32_t X, uint32_t) { return uint32_t(X); });
  case Data::U8Low:
    return loadNarrow<uint8_t>(W, Row, A,
                               [](uint32_t X, uint32_t Old) { return (Old & 0xffff0000) | X; });
  case Data::U8High:
    return loadNarrow<uint8_t>(W, Row, A,
                               [](uint32_t X, uint32_t Old) { return (Old & 0xffff) | X << 16; });
  case Data::I8Low:
    return loadNarrow<int8_t>(W, Row, A, [](int32_t X, uint32_t Old) {
      return (Old & 0xffff0000) | (uint32_t(X) & 0xffff);
    });
  case Data::I8High:
    return loadNarrow<int8_t>(
        W, Row, A, [](int32_t X, uint32_t Old) { return (Old & 0xffff) | uint32_t(X) << 16; });
  case Data::B16Low:
    return loadNarrow<uint16_t>(W, Row, A,
                                [](uint32_t X, uint32_t Old) { return (Old & 0xffff0000) | X; });
  case Data::B16High:
    return loadNarrow<uint16_t>(W, Row, A,
                                [](uint32_t X, uint32_t Old) { return (Old & 0xffff) | X << 16; });
  case Data::Dwords:
    break;
  }
  switch (Dwords) {
  case 1:
    return loadDwords<1>(W, Row, A);
  case 2:
    return loadDwords<2>(W, Row, A);
  case 3:
    return loadDwords<3>(W, Row, A);
  default:
    return loadDwords<4>(W, Row, A);
  }
}

namespace {

/// Lanes that store different bytes at one place, in one instruction: which of them stays is not
/// defined. False after that fault.
__attribute__((noinline)) bool lanesAgree(Wave &W, const Inst &I, unsigned Row, const Lane64 &A) {
  if (synchronizes(I, MemoryUse::Store))
    return true;
  Data Kind = Data(I.Op->Extra);
  unsigned Shift = Kind == Data::U8High || Kind == Data::B16High ? 2 : 0; // bytes
  auto Byte = [&](unsigned L, uint64_t At) {
    uint64_t N = At - A.Address[L] + Shift;
    return uint8_t(W.V[Row + N / 4][L] >> (8 * (N % 4)));
  };
  uint8_t Order[NumLanes];
  unsigned Count = 0;
  for (uint64_t M = A.Lanes; M; M &= M - 1)
    Order[Count++] = std::countr_zero(M);
  std::sort(Order, Order + Count, [&](uint8_t X, uint8_t Y) {
    return std::pair(A.Address[X], X) < std::pair(A.Address[Y], Y);
  });
  for (unsigned N = 1; N < Count; ++N) {
    unsigned L = Order[N], Before = Order[N - 1];
    for (uint64_t At = A.Address[L]; At < A.Address[Before] + A.Bytes; ++At) {
      if (Byte(L, At) == Byte(Before, At))
        continue;
      uint64_t Lds = reinterpret_cast<uint64_t>(W.Group->Lds);
      bool InLds = At - Lds < W.Group->LdsSize;
      W.fault(I, FaultKind::Race,
              "lanes " + Twine(std::min(L, Before)) + " and " + Twine(std::max(L, Before)) +
                  " store different values at " +
                  (InLds ? "LDS offset " + Twine(At - Lds).str()
                         : "global address 0x" + utohexstr(At, true)),
              L, InLds ? At - Lds : At);
      return false;
    }
  }
  return true;
}

} // namespace

void storeLanes(Wave &W, const Inst &I, unsigned Row, const Lane64 &A, unsigned Dwords) {
  ++W.Thread->Progress;
  if (W.Group->Races && !A.Contiguous && !lanesAgree(W, I, Row, A))
    return;
  switch (Data(I.Op->Extra)) {
  case Data::U8:
  case Data::I8:
    return storeNarrow<uint8_t>(W, Row, 0, A);
  case Data::U8High:
    return storeNarrow<uint8_t>(W, Row, 16, A);
  case Data::U16:
    return storeNarrow<uint16_t>(W, Row, 0, A);
  case Data::B16High:
    return storeNarrow<uint16_t>(W, Row, 16, A);
  default:
    break;
  }
  switch (Dwords) {
  case 1:
    return storeDwords<1>(W, Row, A);
  case 2:
    return storeDwords<2>(W, Row, A);
  case 3:
    return storeDwords<3>(W, Row, A);
  default:
    return storeDwords<4>(W, Row, A);
  }
}

void loadToLds(Wave &W, const Inst &I, const Lane64 &A, uint64_t Zero) {
  Lane64 To;
  To.Lanes = A.Lanes | Zero;
  To.Bytes = std::max(4u, A.Bytes);
  for (unsigned L = 0; L != NumLanes; ++L)
    To.Address[L] = (W.S[SgprM0] & 0xffff) + uint32_t(I.Imm) + L * To.Bytes;
  To.findContiguous();
  if (!checkLds(W, I, To, Use::Store))
    return;
  for (uint64_t M = To.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    uint32_t X[4] = {};
    if (A.Lanes >> L & 1)
      std::memcpy(X, reinterpret_cast<void *>(A.Address[L]), A.Bytes);
    if (Data(I.Op->Extra) == Data::I8)
      X[0] = uint32_t(int32_t(int8_t(X[0])));
    else if (Data(I.Op->Extra) == Data::I16)
      X[0] = uint32_t(int32_t(int16_t(X[0])));
    std::memcpy(reinterpret_cast<void *>(To.Address[L]), X, To.Bytes);
  }
}

void addTransfers(Adder &T, StringRef Prefix, Handler Load, Handler Store, InstClass LoadClass,
                  InstClass StoreClass) {
  struct Kind {
    const char *Name;
    Data D;
    uint8_t Bytes, Dwords;
  };
  static constexpr Kind Loads[] = {
      {"ubyte", Data::U8, 1, 1},         {"sbyte", Data::I8, 1, 1},
      {"ushort", Data::U16, 2, 1},       {"sshort", Data::I16, 2, 1},
      {"ubyte_d16", Data::U8Low, 1, 1},  {"ubyte_d16_hi", Data::U8High, 1, 1},
      {"sbyte_d16", Data::I8Low, 1, 1},  {"sbyte_d16_hi", Data::I8High, 1, 1},
      {"short_d16", Data::B16Low, 2, 1}, {"short_d16_hi", Data::B16High, 2, 1},
      {"dword", Data::Dwords, 4, 1},     {"dwordx2", Data::Dwords, 8, 2},
      {"dwordx3", Data::Dwords, 12, 3},  {"dwordx4", Data::Dwords, 16, 4}};
  static constexpr Kind Stores[] = {
      {"byte", Data::U8, 1, 1},         {"byte_d16_hi", Data::U8High, 1, 1},
      {"short", Data::U16, 2, 1},       {"short_d16_hi", Data::B16High, 2, 1},
      {"dword", Data::Dwords, 4, 1},    {"dwordx2", Data::Dwords, 8, 2},
      {"dwordx3", Data::Dwords, 12, 3}, {"dwordx4", Data::Dwords, 16, 4}};
  for (const Kind &K : Loads) {
    OpInfo &Op = T.raw((Prefix + "load_" + K.Name).str(), Load, LoadClass, {}, 0, K.Dwords);
    Op.DataDwords = 0;
    Op.AccessBytes = K.Bytes;
    Op.Extra = uint8_t(K.D);
  }
  for (const Kind &K : Stores) {
    OpInfo &Op = T.raw((Prefix + "store_" + K.Name).str(), Store, StoreClass, {}, OpNoDst);
    Op.DataDwords = K.Dwords;
    Op.AccessBytes = K.Bytes;
    Op.Extra = uint8_t(K.D);
  }
}

HK_SIM_END
