//===- Buffer.cpp - MUBUF: addresses through a resource descriptor --------===//
//
// A descriptor has base, stride and number of records; an access outside reads
// 0 or is dropped, which is what the descriptor is for and no fault. On gfx90a
// the stack is reached this way too: the descriptor handed to a kernel for it
// has a mark of its own, and the scalar offset counts for the
// whole wavefront.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Groups.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

bool bufferAddresses(Wave &W, const Inst &I, unsigned Bytes, Lane64 &A, Straddling &Part) {
  const uint32_t *R = &W.S[I.SDst];
  uint64_t Base = (R[0] | uint64_t(R[1]) << 32) & 0xffffffffffff;
  bool Scratch = (R[0] | uint64_t(R[1] & 0xffff) << 32) == 0 && R[1] >> 31 && R[3] == 0x53435254;
  uint32_t Stride = R[1] >> 16 & 0x3fff, Records = R[2];
  bool Swizzle = R[1] >> 31, AddTid = R[3] >> 23 & 1;
  uint32_t Soffset = scalar32(W, I.Src[2]);
  A.Bytes = Bytes;
  A.Lanes = 0;
  uint64_t Exec = W.exec();
  const uint32_t *Index = I.Idxen ? W.V[I.Src[0].Reg] : nullptr;
  const uint32_t *Voffset = I.Offen ? W.V[I.Src[0].Reg + I.Idxen] : nullptr;
  for (unsigned L = 0; L != NumLanes; ++L) {
    uint64_t Offset = uint64_t(I.Imm) + (Voffset ? Voffset[L] : 0);
    uint64_t N = (Index ? Index[L] : 0) + (AddTid ? L : 0);
    if (Scratch) {
      A.Address[L] = Offset + Soffset / NumLanes;
      A.Lanes |= Exec & uint64_t(1) << L;
      continue;
    }
    bool Inside, Partly = false;
    uint64_t At;
    if (Stride || Index) {
      Inside = N < Records && (!Stride || !Swizzle || Offset + A.Bytes <= Stride);
      if (Swizzle) {
        unsigned IndexStride = 8u << (R[3] >> 21 & 3), Element = 4;
        At = (N / IndexStride * Stride + Offset / Element * Element) * IndexStride +
             N % IndexStride * Element + Offset % Element;
      } else {
        At = N * Stride + Offset;
      }
      At += Soffset;
    } else {
      At = Offset + Soffset;
      Inside = At + A.Bytes <= Records;
      Partly = !Inside && At + 4 <= Records;
    }
    A.Address[L] = Inside || Partly ? Base + At : 0;
    A.Lanes |= uint64_t(Inside && (Exec >> L & 1)) << L;
    Part.Lanes |= uint64_t(Partly && (Exec >> L & 1)) << L;
  }
  Part.Limit = Base + Records;
  if (!Scratch)
    A.findContiguous();
  return !Scratch;
}

namespace {

bool addresses(Wave &W, const Inst &I, Lane64 &A, Straddling &Part) {
  return bufferAddresses(W, I, I.Op->AccessBytes, A, Part);
}

bool check(Wave &W, const Inst &I, Lane64 &A, Use U, Straddling &Part) {
  if (addresses(W, I, A, Part))
    return Part.Lanes || checkGlobal(W, I, A, U);
  return checkScratch(W, I, A, U);
}

/// Calls \p Move for each dword of the access, with the lanes that have it inside.
template <class Fn>
void eachDword(Wave &W, const Inst &I, const Lane64 &A, const Straddling &Part, Use U, Fn Move) {
  for (unsigned D = 0; 4 * D < A.Bytes; ++D) {
    Lane64 One;
    One.Bytes = 4;
    for (unsigned L = 0; L != NumLanes; ++L) {
      One.Address[L] = A.Address[L] + 4 * D;
      bool Inside = One.Address[L] + 4 <= Part.Limit;
      One.Lanes |= uint64_t(Inside) << L & (A.Lanes | Part.Lanes);
    }
    if (!checkGlobal(W, I, One, U))
      return;
    Move(D, One);
  }
}

void zeroLanes(Wave &W, unsigned Row, uint64_t Lanes) {
  for (; Lanes; Lanes &= Lanes - 1)
    W.V[Row][std::countr_zero(Lanes)] = 0;
}

void runLoad(Wave &W, const Inst &I) {
  Lane64 A;
  Straddling Part;
  if (!check(W, I, A, Use::Load, Part))
    return;
  if (Part.Lanes && !I.LdsDma) {
    // The address register may be among the destinations; the addresses are known by now.
    eachDword(W, I, A, Part, Use::Load, [&](unsigned D, const Lane64 &One) {
      zeroLanes(W, I.Dst + D, W.exec() & ~One.Lanes);
      loadLanes(W, I, I.Dst + D, One, 1);
    });
    return;
  }
  if (I.LdsDma)
    return loadToLds(W, I, A, W.exec());
  // Lanes outside the buffer read 0.
  if (uint64_t Outside = W.exec() & ~A.Lanes)
    for (unsigned D = 0; D != I.DstDwords; ++D)
      zeroLanes(W, I.Dst + D, Outside);
  loadLanes(W, I, I.Dst, A, I.DstDwords);
}

void runStore(Wave &W, const Inst &I) {
  Lane64 A;
  Straddling Part;
  if (!check(W, I, A, Use::Store, Part))
    return;
  if (Part.Lanes)
    eachDword(W, I, A, Part, Use::Store,
              [&](unsigned D, const Lane64 &One) { storeLanes(W, I, I.Src[1].Reg + D, One, 1); });
  else
    storeLanes(W, I, I.Src[1].Reg, A, I.Op->DataDwords);
}

/// From LDS; the places there follow each other as for loads.
void runStoreLds(Wave &W, const Inst &I) {
  Lane64 A, From;
  Straddling Part;
  if (!check(W, I, A, Use::Store, Part))
    return;
  From.Lanes = A.Lanes;
  From.Bytes = 4;
  for (unsigned L = 0; L != NumLanes; ++L)
    From.Address[L] = (W.S[SgprM0] & 0xffff) + uint32_t(I.Imm) + 4 * L;
  From.findContiguous();
  if (!checkLds(W, I, From, Use::Load))
    return;
  ++W.Thread->Progress;
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    std::memcpy(reinterpret_cast<void *>(A.Address[L]),
                reinterpret_cast<const void *>(From.Address[L]), 4);
  }
}

void runAtomic(Wave &W, const Inst &I) {
  Lane64 A;
  Straddling Part; // an atomic is inside as a whole, or not
  if (addresses(W, I, A, Part) ? !checkGlobal(W, I, A, Use::Atomic)
                               : !checkScratch(W, I, A, Use::Atomic))
    return;
  atomicLanes(W, I, I.Src[1].Reg, A, I.Sc0);
  if (I.Sc0)
    for (unsigned D = 0; D != I.DstDwords; ++D)
      zeroLanes(W, I.Dst + D, W.exec() & ~A.Lanes);
}

} // namespace

void addBuffer(OpTable &Table) {
  Adder T(Table);
  addTransfers(T, "buffer_", runLoad, runStore, InstClass::GlobalLoad, InstClass::GlobalStore);
  addAtomics(T, "buffer_", runAtomic);
  OpInfo &FromLds =
      T.raw("buffer_store_lds_dword", runStoreLds, InstClass::GlobalStore, {}, OpNoDst);
  FromLds.DataDwords = 0;
  FromLds.AccessBytes = 4;
}

HK_SIM_END
