//===- Global.cpp - Global, flat and scratch instructions -----------------===//

#include "Access.h"
#include "Groups.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

enum class Segment { Flat, Global, Scratch };

template <Segment G> void addresses(Wave &W, const Inst &I, Lane64 &A) {
  A.Lanes = W.exec();
  A.Bytes = I.Op->AccessBytes;
  if (G == Segment::Scratch) {
    uint32_t Base = uint32_t(I.Imm) + (I.HasSaddr ? W.S[I.Src[2].Reg] : 0);
    if (I.HasVaddr) {
      const uint32_t *V = W.V[I.Src[0].Reg];
      for (unsigned L = 0; L != NumLanes; ++L)
        A.Address[L] = uint32_t(V[L] + Base);
    } else {
      for (unsigned L = 0; L != NumLanes; ++L)
        A.Address[L] = Base;
    }
    return;
  }
  const uint32_t *Low = W.V[I.Src[0].Reg];
  uint64_t Base = int64_t(I.Imm);
  if (I.HasSaddr) {
    Base += W.pair(I.Src[2].Reg);
    for (unsigned L = 0; L != NumLanes; ++L)
      A.Address[L] = Base + Low[L];
  } else {
    const uint32_t *High = W.V[I.Src[0].Reg + 1];
    for (unsigned L = 0; L != NumLanes; ++L)
      A.Address[L] = Base + (Low[L] | uint64_t(High[L]) << 32);
  }
  A.findContiguous();
}

template <Segment G> bool check(Wave &W, const Inst &I, Lane64 &A, Use U) {
  if (G == Segment::Scratch)
    return checkScratch(W, I, A, U);
  return G == Segment::Flat ? checkFlat(W, I, A, U) : checkGlobal(W, I, A, U);
}

template <Segment G> void runLoad(Wave &W, const Inst &I) {
  Lane64 A;
  addresses<G>(W, I, A);
  if (!check<G>(W, I, A, Use::Load))
    return;
  if (I.LdsDma)
    loadToLds(W, I, A, 0);
  else
    loadLanes(W, I, I.Dst, A, I.DstDwords);
}

template <Segment G> void runStore(Wave &W, const Inst &I) {
  Lane64 A;
  addresses<G>(W, I, A);
  if (check<G>(W, I, A, Use::Store))
    storeLanes(W, I, I.Src[1].Reg, A, I.Op->DataDwords);
}

template <Segment G> void runAtomic(Wave &W, const Inst &I) {
  Lane64 A;
  addresses<G>(W, I, A);
  if (check<G>(W, I, A, Use::Atomic))
    atomicLanes(W, I, I.Src[1].Reg, A, I.Sc0);
}

} // namespace

void addGlobal(OpTable &Table) {
  Adder T(Table);
  addTransfers(T, "global_", runLoad<Segment::Global>, runStore<Segment::Global>,
               InstClass::GlobalLoad, InstClass::GlobalStore);
  addTransfers(T, "flat_", runLoad<Segment::Flat>, runStore<Segment::Flat>, InstClass::GlobalLoad,
               InstClass::GlobalStore);
  addTransfers(T, "scratch_", runLoad<Segment::Scratch>, runStore<Segment::Scratch>,
               InstClass::Scratch, InstClass::Scratch);
  struct {
    const char *Name;
    Data D;
    uint8_t Bytes;
  } ToLds[] = {{"ubyte", Data::U8, 1},       {"sbyte", Data::I8, 1},
               {"ushort", Data::U16, 2},     {"sshort", Data::I16, 2},
               {"dword", Data::Dwords, 4},   {"dwordx3", Data::Dwords, 12},
               {"dwordx4", Data::Dwords, 16}};
  auto ToLdsFrom = [&](StringRef Prefix, Handler Run, InstClass Class) {
    for (auto &X : ToLds) {
      OpInfo &Op = T.raw((Prefix + "load_lds_" + X.Name).str(), Run, Class, {}, OpNoDst);
      Op.DataDwords = 0;
      Op.AccessBytes = X.Bytes;
      Op.Extra = uint8_t(X.D);
    }
  };
  ToLdsFrom("global_", runLoad<Segment::Global>, InstClass::GlobalLoad);
  ToLdsFrom("scratch_", runLoad<Segment::Scratch>, InstClass::Scratch);
  addAtomics(T, "global_", runAtomic<Segment::Global>);
  addAtomics(T, "flat_", runAtomic<Segment::Flat>);
}

HK_SIM_END
