//===- Lds.cpp - DS instructions ------------------------------------------===//

#include "Access.h"
#include "Groups.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

void addresses(Wave &W, const Inst &I, uint32_t Offset, unsigned Bytes, Lane64 &A) {
  A.Lanes = W.exec();
  A.Bytes = Bytes;
  const uint32_t *V = W.V[I.Src[0].Reg];
  for (unsigned L = 0; L != NumLanes; ++L)
    A.Address[L] = uint64_t(uint32_t(V[L] + Offset));
  A.findContiguous();
}

bool refuseGds(Wave &W, const Inst &I) {
  if (!I.Gds)
    return false;
  W.fault(I, FaultKind::Unsupported, "global data share is not simulated");
  return true;
}

void runRead(Wave &W, const Inst &I) {
  Lane64 A;
  addresses(W, I, uint32_t(I.Imm), I.Op->AccessBytes, A);
  if (!refuseGds(W, I) && checkLds(W, I, A, Use::Load))
    loadLanes(W, I, I.Dst, A, I.DstDwords);
}

void runWrite(Wave &W, const Inst &I) {
  Lane64 A;
  addresses(W, I, uint32_t(I.Imm), I.Op->AccessBytes, A);
  if (!refuseGds(W, I) && checkLds(W, I, A, Use::Store))
    storeLanes(W, I, I.Src[1].Reg, A, I.Op->DataDwords);
}

/// Two places, in units of the element or of 64 elements.
template <unsigned Bytes, unsigned Stride> void runRead2(Wave &W, const Inst &I) {
  Lane64 A[2];
  for (unsigned N = 0; N != 2; ++N) {
    uint32_t Offset = (N ? I.LdsOffset1 : I.Imm & 0xff) * Bytes * Stride;
    addresses(W, I, Offset, Bytes, A[N]);
    if (!checkLds(W, I, A[N], Use::Load))
      return;
  }
  // The address register may be among the destinations, so both addresses come first.
  loadLanes(W, I, I.Dst, A[0], Bytes / 4);
  loadLanes(W, I, I.Dst + Bytes / 4, A[1], Bytes / 4);
}

template <unsigned Bytes, unsigned Stride> void runWrite2(Wave &W, const Inst &I) {
  for (unsigned N = 0; N != 2; ++N) {
    Lane64 A;
    uint32_t Offset = (N ? I.LdsOffset1 : I.Imm & 0xff) * Bytes * Stride;
    addresses(W, I, Offset, Bytes, A);
    if (!checkLds(W, I, A, Use::Store))
      return;
    storeLanes(W, I, I.Src[1 + N].Reg, A, Bytes / 4);
  }
}

template <bool Return> void runAtomic(Wave &W, const Inst &I) {
  Lane64 A;
  addresses(W, I, uint32_t(I.Imm), I.Op->AccessBytes, A);
  if (!refuseGds(W, I) && checkLds(W, I, A, Use::Atomic))
    atomicLanes(W, I, I.Src[1].Reg, A, Return);
}

/// Exchange at two places.
template <class T, unsigned Stride> void runExchange2(Wave &W, const Inst &I) {
  constexpr unsigned Dwords = sizeof(T) / 4;
  Lane64 A[2];
  for (unsigned N = 0; N != 2; ++N) {
    uint32_t Offset = (N ? I.LdsOffset1 : I.Imm & 0xff) * sizeof(T) * Stride;
    addresses(W, I, Offset, sizeof(T), A[N]);
    if (refuseGds(W, I) || !checkLds(W, I, A[N], Use::Atomic))
      return;
  }
  for (uint64_t M = W.exec(); M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    uint32_t Old[2 * Dwords];
    for (unsigned N = 0; N != 2; ++N) {
      void *At = reinterpret_cast<void *>(A[N].Address[L]);
      std::memcpy(&Old[N * Dwords], At, sizeof(T));
      uint32_t New[Dwords];
      for (unsigned D = 0; D != Dwords; ++D)
        New[D] = W.V[I.Src[1 + N].Reg + D][L];
      std::memcpy(At, New, sizeof(T));
    }
    for (unsigned D = 0; D != 2 * Dwords; ++D)
      W.V[I.Dst + D][L] = Old[D];
  }
  ++W.Thread->Progress;
}

/// ds_append, ds_consume: one counter, moved by the number of active lanes; all get the old value.
template <bool Append> void runCounter(Wave &W, const Inst &I) {
  Lane64 A;
  A.Bytes = 4;
  if (!W.exec())
    return;
  unsigned First = std::countr_zero(W.exec());
  A.Lanes = uint64_t(1) << First;
  for (unsigned L = 0; L != NumLanes; ++L)
    A.Address[L] = (W.S[SgprM0] & 0xffff) + uint32_t(I.Imm);
  if (refuseGds(W, I) || !checkLds(W, I, A, Use::Atomic))
    return;
  uint32_t *P = reinterpret_cast<uint32_t *>(A.Address[First]), Old = *P;
  uint32_t Count = std::popcount(W.exec());
  *P = Append ? Old + Count : Old - Count;
  const uint32_t *M = W.execMask();
  for (unsigned L = 0; L != NumLanes; ++L)
    W.V[I.Dst][L] = (W.V[I.Dst][L] & ~M[L]) | (Old & M[L]);
}

template <bool Read> void runAddtid(Wave &W, const Inst &I) {
  Lane64 A;
  A.Bytes = 4;
  A.Lanes = W.exec();
  for (unsigned L = 0; L != NumLanes; ++L)
    A.Address[L] = (W.S[SgprM0] & 0xffff) + uint32_t(I.Imm) + 4 * L;
  A.findContiguous();
  if (!checkLds(W, I, A, Read ? Use::Load : Use::Store))
    return;
  if (Read)
    loadLanes(W, I, I.Dst, A, 1);
  else
    storeLanes(W, I, I.Src[1].Reg, A, 1);
}

//===- Exchange between lanes ----------------------------------------------===//

void runBpermute(Wave &W, const Inst &I) {
  uint32_t Out[NumLanes];
  const uint32_t *Index = W.V[I.Src[0].Reg], *From = W.V[I.Src[1].Reg];
  uint64_t Exec = W.exec();
  for (unsigned L = 0; L != NumLanes; ++L) {
    unsigned S = (Index[L] + uint32_t(I.Imm)) / 4 % NumLanes;
    Out[L] = Exec >> S & 1 ? From[S] : 0;
  }
  writeActive(W, I.Dst, Out);
}

void runPermute(Wave &W, const Inst &I) {
  uint32_t Out[NumLanes] = {};
  const uint32_t *Index = W.V[I.Src[0].Reg], *From = W.V[I.Src[1].Reg];
  for (uint64_t M = W.exec(); M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    Out[(Index[L] + uint32_t(I.Imm)) / 4 % NumLanes] = From[L];
  }
  writeActive(W, I.Dst, Out);
}

void runSwizzle(Wave &W, const Inst &I) {
  uint32_t Out[NumLanes], Offset = uint32_t(I.Imm) & 0xffff;
  const uint32_t *From = W.V[I.Src[0].Reg];
  uint64_t Exec = W.exec();
  for (unsigned L = 0; L != NumLanes; ++L) {
    unsigned In = L & 31, S;
    if (Offset >= 0xe000) { // FFT: lanes of a group of 2^n in bit-reversed order
      unsigned Mode = Offset & 0x1f, X = In, Reversed = 0;
      for (unsigned B = 0; B != 5; ++B)
        Reversed |= (X >> B & 1) << (4 - B);
      S = Mode == 0x1f ? In : Reversed;
    } else if (Offset >= 0xc000) { // rotate
      unsigned Count = Offset >> 5 & 31, Mask = Offset & 31;
      unsigned Moved = Offset >> 10 & 1 ? In - Count : In + Count;
      S = (In & Mask) | (Moved & ~Mask & 31);
    } else if (Offset & 0x8000) { // a permutation inside each quad
      S = (In & ~3u) | (Offset >> (2 * (In & 3)) & 3);
    } else {
      S = ((In & (Offset & 31)) | (Offset >> 5 & 31)) ^ (Offset >> 10 & 31);
    }
    S |= L & 32;
    Out[L] = Exec >> S & 1 ? From[S] : 0;
  }
  writeActive(W, I.Dst, Out);
}

void runNop(Wave &, const Inst &) {}

void describe(OpInfo &Op, unsigned Bytes, unsigned DataDwords, Data D) {
  Op.AccessBytes = Bytes;
  Op.DataDwords = DataDwords;
  Op.Extra = uint8_t(D);
}

void addAtomic(Adder &T, StringRef Name, StringRef ReturnName, AtomicOp Op, bool Wide) {
  auto Describe = [&](OpInfo &O) {
    O.AccessBytes = Wide ? 8 : 4;
    O.DataDwords = Wide ? 2 : 1;
    O.Extra = atomicCode(Op, Wide);
  };
  if (!Name.empty())
    Describe(T.raw(Name, runAtomic<false>, InstClass::LdsAtomic, {}, OpNoDst));
  Describe(T.raw(ReturnName, runAtomic<true>, InstClass::LdsAtomic, {}, 0, Wide ? 2 : 1));
}

void addAtomics(Adder &T) {
  struct Row {
    const char *Name, *Type;
    AtomicOp Op;
  };
  static constexpr Row Integer[] = {
      {"add", "u", AtomicOp::Add},         {"sub", "u", AtomicOp::Sub},
      {"rsub", "u", AtomicOp::ReverseSub}, {"inc", "u", AtomicOp::Inc},
      {"dec", "u", AtomicOp::Dec},         {"min", "i", AtomicOp::SMin},
      {"max", "i", AtomicOp::SMax},        {"min", "u", AtomicOp::UMin},
      {"max", "u", AtomicOp::UMax},        {"and", "b", AtomicOp::And},
      {"or", "b", AtomicOp::Or},           {"xor", "b", AtomicOp::Xor},
      {"mskor", "b", AtomicOp::MaskedOr},  {"cmpst", "b", AtomicOp::CompareSwap}};
  for (bool Wide : {false, true}) {
    std::string Bits = Wide ? "64" : "32";
    for (const Row &R : Integer)
      addAtomic(T, ("ds_" + Twine(R.Name) + "_" + R.Type + Bits).str(),
                ("ds_" + Twine(R.Name) + "_rtn_" + R.Type + Bits).str(), R.Op, Wide);
    addAtomic(T, "", "ds_wrxchg_rtn_b" + Bits, AtomicOp::Swap, Wide);
    for (const Row &R : {Row{"add", "f", AtomicOp::AddF}, Row{"min", "f", AtomicOp::MinF},
                         Row{"max", "f", AtomicOp::MaxF}, Row{"cmpst", "f", AtomicOp::CompareSwap}})
      addAtomic(T, ("ds_" + Twine(R.Name) + "_" + R.Type + Bits).str(),
                ("ds_" + Twine(R.Name) + "_rtn_" + R.Type + Bits).str(), R.Op, Wide);
  }
  addAtomic(T, "ds_pk_add_f16", "ds_pk_add_rtn_f16", AtomicOp::AddHalves, false);
  addAtomic(T, "ds_pk_add_bf16", "ds_pk_add_rtn_bf16", AtomicOp::AddBrains, false);
  addAtomic(T, "", "ds_wrap_rtn_b32", AtomicOp::Wrap, false);
}

} // namespace

void addLds(OpTable &Table) {
  Adder T(Table);
  constexpr InstClass C = InstClass::Lds;
  struct Kind {
    const char *Name;
    Data D;
    uint8_t Bytes, Dwords;
  };
  for (const Kind &K :
       {Kind{"u8", Data::U8, 1, 1}, Kind{"i8", Data::I8, 1, 1}, Kind{"u16", Data::U16, 2, 1},
        Kind{"i16", Data::I16, 2, 1}, Kind{"u8_d16", Data::U8Low, 1, 1},
        Kind{"u8_d16_hi", Data::U8High, 1, 1}, Kind{"i8_d16", Data::I8Low, 1, 1},
        Kind{"i8_d16_hi", Data::I8High, 1, 1}, Kind{"u16_d16", Data::B16Low, 2, 1},
        Kind{"u16_d16_hi", Data::B16High, 2, 1}, Kind{"b32", Data::Dwords, 4, 1},
        Kind{"b64", Data::Dwords, 8, 2}, Kind{"b96", Data::Dwords, 12, 3},
        Kind{"b128", Data::Dwords, 16, 4}})
    describe(T.raw((Twine("ds_read_") + K.Name).str(), runRead, C, {}, 0, K.Dwords), K.Bytes, 0,
             K.D);
  for (const Kind &K : {Kind{"b8", Data::U8, 1, 1}, Kind{"b8_d16_hi", Data::U8High, 1, 1},
                        Kind{"b16", Data::U16, 2, 1}, Kind{"b16_d16_hi", Data::B16High, 2, 1},
                        Kind{"b32", Data::Dwords, 4, 1}, Kind{"b64", Data::Dwords, 8, 2},
                        Kind{"b96", Data::Dwords, 12, 3}, Kind{"b128", Data::Dwords, 16, 4}})
    describe(T.raw((Twine("ds_write_") + K.Name).str(), runWrite, C, {}, OpNoDst), K.Bytes,
             K.Dwords, K.D);
  describe(T.raw("ds_read2_b32", runRead2<4, 1>, C, {}, 0, 2), 4, 0, Data::Dwords);
  describe(T.raw("ds_read2st64_b32", runRead2<4, 64>, C, {}, 0, 2), 4, 0, Data::Dwords);
  describe(T.raw("ds_read2_b64", runRead2<8, 1>, C, {}, 0, 4), 8, 0, Data::Dwords);
  describe(T.raw("ds_read2st64_b64", runRead2<8, 64>, C, {}, 0, 4), 8, 0, Data::Dwords);
  describe(T.raw("ds_write2_b32", runWrite2<4, 1>, C, {}, OpNoDst), 4, 1, Data::Dwords);
  describe(T.raw("ds_write2st64_b32", runWrite2<4, 64>, C, {}, OpNoDst), 4, 1, Data::Dwords);
  describe(T.raw("ds_write2_b64", runWrite2<8, 1>, C, {}, OpNoDst), 8, 2, Data::Dwords);
  describe(T.raw("ds_write2st64_b64", runWrite2<8, 64>, C, {}, OpNoDst), 8, 2, Data::Dwords);
  addAtomics(T);
  constexpr InstClass Atomic = InstClass::LdsAtomic;
  T.raw("ds_wrxchg2_rtn_b32", runExchange2<uint32_t, 1>, Atomic, {}, 0, 2);
  T.raw("ds_wrxchg2st64_rtn_b32", runExchange2<uint32_t, 64>, Atomic, {}, 0, 2);
  T.raw("ds_wrxchg2_rtn_b64", runExchange2<uint64_t, 1>, Atomic, {}, 0, 4).DataDwords = 2;
  T.raw("ds_wrxchg2st64_rtn_b64", runExchange2<uint64_t, 64>, Atomic, {}, 0, 4).DataDwords = 2;
  describe(T.raw("ds_append", runCounter<true>, InstClass::LdsAtomic), 4, 0, Data::Dwords);
  describe(T.raw("ds_consume", runCounter<false>, InstClass::LdsAtomic), 4, 0, Data::Dwords);
  describe(T.raw("ds_read_addtid_b32", runAddtid<true>, C), 4, 0, Data::Dwords);
  describe(T.raw("ds_write_addtid_b32", runAddtid<false>, C, {}, OpNoDst), 4, 1, Data::Dwords);
  T.raw("ds_bpermute_b32", runBpermute, C);
  T.raw("ds_permute_b32", runPermute, C);
  T.raw("ds_swizzle_b32", runSwizzle, C).DataDwords = 0;
  T.raw("ds_nop", runNop, C, {}, OpNoDst).DataDwords = 0;
}

HK_SIM_END
