//===- Smem.cpp - Scalar memory -------------------------------------------===//

#include "Access.h"
#include "Groups.h"

#include "llvm/ADT/StringExtras.h"

#include <atomic>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

uint32_t offset(Wave &W, const Inst &I) {
  return uint32_t(I.Imm) + (I.Src[1].K == Operand::None ? 0 : scalar32(W, I.Src[1]));
}

bool check(Wave &W, const Inst &I, uint64_t Address, unsigned Bytes, Use U) {
  const Allocation *&Hit = W.Thread->LastHit[I.Index];
  if (Hit && Hit->contains(Address, Bytes) && !Hit->Freed && !W.L->Checks && U == Use::Load)
    return true;
  // The words of one lane; the check for vectors names all that can be wrong.
  Lane64 A;
  A.Bytes = Bytes;
  A.Lanes = 1;
  A.Address[0] = Address;
  bool Counting = W.Thread->Counting;
  W.Thread->Counting = false;
  const Allocation *Found = W.L->Memory.lookup(Address);
  // A load may run over the end as long as what it gets there is not used: compilers round up.
  if (Found && !Found->Freed && U == Use::Load && !Found->contains(Address, Bytes))
    A.Bytes = 4;
  bool Ok = checkGlobal(W, I, A, U);
  W.Thread->Counting = Counting;
  return Ok;
}

void read(Wave &W, const Inst &I, uint64_t Address, unsigned Dwords) {
  if (!check(W, I, Address, 4 * Dwords, Use::Load))
    return;
  const Allocation *Hit = W.Thread->LastHit[I.Index];
  if (Hit && !Hit->contains(Address, 4 * Dwords)) {
    uint64_t Left = Hit->contains(Address) ? Hit->end() - Address : 0;
    std::memset(&W.S[I.Dst], 0, 4 * Dwords);
    std::memcpy(&W.S[I.Dst], reinterpret_cast<void *>(Address),
                std::min<uint64_t>(Left, 4 * Dwords));
    return;
  }
  std::memcpy(&W.S[I.Dst], reinterpret_cast<void *>(Address), 4 * Dwords);
}

/// The base, an immediate and a register, of which scratch takes 64 times as much; the low two bits
/// count for nothing.
template <unsigned Scale = 1> uint64_t addressOf(Wave &W, const Inst &I) {
  uint64_t Address = W.pair(I.Src[0].Reg) + int64_t(I.Imm);
  if (I.Src[1].K != Operand::None)
    Address += uint64_t(scalar32(W, I.Src[1])) * Scale;
  return Address & ~uint64_t(3);
}

template <unsigned Dwords, unsigned Scale> void runLoad(Wave &W, const Inst &I) {
  read(W, I, addressOf<Scale>(W, I), Dwords);
  if (W.Thread->Counting)
    W.Thread->Accesses[I.Index].BytesLoaded += 4 * Dwords;
}

/// A scalar buffer: what is outside reads 0 and takes no stores.
struct ScalarBuffer {
  uint64_t Base, Size;
  uint32_t Offset;
  ScalarBuffer(Wave &W, const Inst &I) {
    const uint32_t *R = &W.S[I.Src[0].Reg];
    uint32_t Stride = R[1] >> 16 & 0x3fff;
    Base = W.pair(I.Src[0].Reg) & 0xffffffffffff;
    Size = Stride ? uint64_t(R[2]) * Stride : R[2];
    Offset = offset(W, I) & ~3u;
  }
  bool inside(uint64_t At, unsigned Bytes) const { return At + Bytes <= Size; }
};

template <unsigned Dwords> void runBufferLoad(Wave &W, const Inst &I) {
  ScalarBuffer B(W, I);
  uint32_t Out[Dwords] = {}; // the descriptor may be among the destinations
  for (unsigned D = 0; D != Dwords; ++D) {
    uint64_t At = uint64_t(B.Offset) + 4 * D;
    if (!B.inside(At, 4))
      continue;
    if (!check(W, I, B.Base + At, 4, Use::Load))
      return;
    std::memcpy(&Out[D], reinterpret_cast<void *>(B.Base + At), 4);
  }
  std::memcpy(&W.S[I.Dst], Out, sizeof(Out));
}

void write(Wave &W, const Inst &I, uint64_t Address, unsigned Dwords) {
  if (!check(W, I, Address, 4 * Dwords, Use::Store))
    return;
  ++W.Thread->Progress;
  std::memcpy(reinterpret_cast<void *>(Address), &W.S[I.Dst], 4 * Dwords);
}

template <unsigned Dwords, unsigned Scale> void runStore(Wave &W, const Inst &I) {
  write(W, I, addressOf<Scale>(W, I), Dwords);
}

template <unsigned Dwords> void runBufferStore(Wave &W, const Inst &I) {
  ScalarBuffer B(W, I);
  // Each dword by itself, as for loads.
  for (unsigned D = 0; D != Dwords; ++D) {
    uint64_t At = uint64_t(B.Offset) + 4 * D;
    if (!B.inside(At, 4))
      continue;
    if (!check(W, I, B.Base + At, 4, Use::Store))
      return;
    ++W.Thread->Progress;
    std::memcpy(reinterpret_cast<void *>(B.Base + At), &W.S[I.Dst + D], 4);
  }
}

template <bool Buffer> void runAtomic(Wave &W, const Inst &I) {
  bool Wide = I.Op->Extra & 0x80;
  unsigned Dwords = Wide ? 2 : 1;
  uint64_t Address, Old = 0;
  bool Inside = true;
  if (Buffer) {
    ScalarBuffer B(W, I);
    Address = B.Base + B.Offset;
    Inside = B.inside(B.Offset, 4 * Dwords);
  } else {
    Address = addressOf(W, I);
  }
  if (Inside) {
    if (!check(W, I, Address, 4 * Dwords, Use::Atomic))
      return;
    // An exchange under condition: the new value, then the one compared with.
    uint64_t X = Wide ? W.pair(I.Dst) : W.S[I.Dst], Y = Wide ? W.pair(I.Dst + 2) : W.S[I.Dst + 1];
    Old = atomicScalar(AtomicOp(I.Op->Extra & 0x7f), Wide, Address, X, Y);
    ++W.Thread->Progress;
    if (W.Thread->Counting)
      ++W.Thread->Accesses[I.Index].Atomics;
  }
  if (!I.Sc0)
    return;
  W.S[I.Dst] = uint32_t(Old);
  if (Wide)
    W.S[I.Dst + 1] = uint32_t(Old >> 32);
}

/// A clock that depends on nothing but what was executed, and always goes on.
void runTime(Wave &W, const Inst &I) {
  ++W.Thread->ClockReads;
  W.setPair(I.Dst, W.cycles());
}
/// The same of 100 MHz, while the chip has 2100.
void runRealtime(Wave &W, const Inst &I) {
  ++W.Thread->ClockReads;
  W.setPair(I.Dst, W.cycles() / 21);
}

template <unsigned Dwords> void add(Adder &T, StringRef Suffix) {
  using S = SourceType;
  auto Load = [&](const char *Name, Handler Run) {
    T.raw((Twine("s_") + Name + Suffix).str(), Run, InstClass::Smem, {S::B64, S::B32}, 0, Dwords)
        .DataDwords = Dwords;
  };
  Load("load_", runLoad<Dwords, 1>);
  Load("buffer_load_", runBufferLoad<Dwords>);
  if (Dwords > 4)
    return;
  Load("scratch_load_", runLoad<Dwords, 64>);
  auto Store = [&](const char *Name, Handler Run) {
    T.raw((Twine("s_") + Name + Suffix).str(), Run, InstClass::Smem, {S::B64, S::B32}, OpNoDst)
        .DataDwords = Dwords;
  };
  Store("store_", runStore<Dwords, 1>);
  Store("buffer_store_", runBufferStore<Dwords>);
  Store("scratch_store_", runStore<Dwords, 64>);
}

void addAtomics(Adder &T) {
  using S = SourceType;
  for (const NamedAtomic &X : IntegerAtomics)
    for (bool Wide : {false, true})
      for (bool Buffer : {false, true}) {
        OpInfo &Op = T.raw(
            (Twine(Buffer ? "s_buffer_atomic_" : "s_atomic_") + X.Name + (Wide ? "_x2" : "")).str(),
            Buffer ? runAtomic<true> : runAtomic<false>, InstClass::Smem, {S::B64, S::B32}, 0,
            Wide ? 2 : 1);
        Op.DataDwords = Op.DstDwords;
        Op.Extra = atomicCode(X.Op, Wide);
      }
}

} // namespace

void addSmem(OpTable &Table) {
  Adder T(Table);
  add<1>(T, "dword");
  add<2>(T, "dwordx2");
  add<4>(T, "dwordx4");
  add<8>(T, "dwordx8");
  add<16>(T, "dwordx16");
  addAtomics(T);
  T.raw("s_memtime", runTime, InstClass::Smem, {}, 0, 2).DataDwords = 2;
  T.raw("s_memrealtime", runRealtime, InstClass::Smem, {}, 0, 2).DataDwords = 2;
}

HK_SIM_END
