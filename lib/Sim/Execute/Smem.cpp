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
  if (Hit && Hit->contains(Address, Bytes) && !Hit->Freed && !W.L->Checks)
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

template <unsigned Dwords> void runLoad(Wave &W, const Inst &I) {
  // The offset is an unsigned register or a signed immediate; the low two bits count for nothing.
  uint64_t Address = W.pair(I.Src[0].Reg) + int64_t(I.Imm);
  if (I.Src[1].K != Operand::None)
    Address += scalar32(W, I.Src[1]);
  Address &= ~uint64_t(3);
  read(W, I, Address, Dwords);
  if (W.Thread->Counting)
    W.Thread->Accesses[I.Index].BytesLoaded += 4 * Dwords;
}

template <unsigned Dwords> void runBufferLoad(Wave &W, const Inst &I) {
  uint64_t Base = W.pair(I.Src[0].Reg) & 0xffffffffffff;
  uint32_t Records = W.S[I.Src[0].Reg + 2], Stride = W.S[I.Src[0].Reg + 1] >> 16 & 0x3fff;
  uint64_t Size = Stride ? uint64_t(Records) * Stride : Records;
  uint32_t Offset = offset(W, I) & ~3u;
  for (unsigned D = 0; D != Dwords; ++D) {
    uint64_t At = Offset + 4 * D;
    if (At + 4 > Size) {
      W.S[I.Dst + D] = 0;
      continue;
    }
    if (!check(W, I, Base + At, 4, Use::Load))
      return;
    std::memcpy(&W.S[I.Dst + D], reinterpret_cast<void *>(Base + At), 4);
  }
}

template <unsigned Dwords> void runStore(Wave &W, const Inst &I) {
  uint64_t Address = W.pair(I.Src[0].Reg) + int64_t(I.Imm);
  if (I.Src[1].K != Operand::None)
    Address += scalar32(W, I.Src[1]);
  Address &= ~uint64_t(3);
  if (check(W, I, Address, 4 * Dwords, Use::Store))
    std::memcpy(reinterpret_cast<void *>(Address), &W.S[I.Dst], 4 * Dwords);
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
  constexpr InstClass C = InstClass::Smem;
  T.raw(("s_load_" + Suffix).str(), runLoad<Dwords>, C, {S::B64, S::B32}, 0, Dwords).DataDwords =
      Dwords;
  T.raw(("s_buffer_load_" + Suffix).str(), runBufferLoad<Dwords>, C, {S::B64, S::B32}, 0, Dwords)
      .DataDwords = Dwords;
  T.raw(("s_scratch_load_" + Suffix).str(), runLoad<Dwords>, C, {S::B64, S::B32}, 0, Dwords)
      .DataDwords = Dwords;
  if (Dwords <= 4)
    T.raw(("s_store_" + Suffix).str(), runStore<Dwords>, C, {S::B64, S::B32}, OpNoDst).DataDwords =
        Dwords;
}

} // namespace

void addSmem(OpTable &Table) {
  Adder T(Table);
  add<1>(T, "dword");
  add<2>(T, "dwordx2");
  add<4>(T, "dwordx4");
  add<8>(T, "dwordx8");
  add<16>(T, "dwordx16");
  T.raw("s_memtime", runTime, InstClass::Smem, {}, 0, 2).DataDwords = 2;
  T.raw("s_memrealtime", runRealtime, InstClass::Smem, {}, 0, 2).DataDwords = 2;
}

HK_SIM_END
