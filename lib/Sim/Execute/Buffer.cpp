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

namespace {

/// False: this is scratch, and addresses are offsets into it.
bool addresses(Wave &W, const Inst &I, Lane64 &A) {
  const uint32_t *R = &W.S[I.SDst];
  uint64_t Base = (R[0] | uint64_t(R[1]) << 32) & 0xffffffffffff;
  bool Scratch = (R[0] | uint64_t(R[1] & 0xffff) << 32) == 0 && R[1] >> 31 && R[3] == 0x53435254;
  uint32_t Stride = R[1] >> 16 & 0x3fff, Records = R[2];
  bool Swizzle = R[1] >> 31, AddTid = R[3] >> 23 & 1;
  uint32_t Soffset = scalar32(W, I.Src[2]);
  A.Bytes = I.Op->AccessBytes;
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
    bool Inside;
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
    }
    A.Address[L] = Inside ? Base + At : 0;
    A.Lanes |= uint64_t(Inside && (Exec >> L & 1)) << L;
  }
  if (!Scratch)
    A.findContiguous();
  return !Scratch;
}

bool check(Wave &W, const Inst &I, Lane64 &A, Use U) {
  if (addresses(W, I, A))
    return checkGlobal(W, I, A, U);
  return checkScratch(W, I, A, U);
}

void runLoad(Wave &W, const Inst &I) {
  Lane64 A;
  if (!check(W, I, A, Use::Load))
    return;
  if (I.LdsDma) {
    Lane64 To;
    To.Lanes = A.Lanes;
    To.Bytes = 4;
    for (unsigned L = 0; L != NumLanes; ++L)
      To.Address[L] = (W.S[SgprM0] & 0xffff) + uint32_t(I.Imm) + 4 * L;
    if (!checkLds(W, I, To, Use::Store))
      return;
    for (uint64_t M = A.Lanes; M; M &= M - 1) {
      unsigned L = std::countr_zero(M);
      uint32_t X = 0;
      std::memcpy(&X, reinterpret_cast<void *>(A.Address[L]), std::min(4u, A.Bytes));
      std::memcpy(reinterpret_cast<void *>(To.Address[L]), &X, 4);
    }
    return;
  }
  // Lanes outside the buffer read 0.
  if (uint64_t Outside = W.exec() & ~A.Lanes)
    for (unsigned D = 0; D != I.DstDwords; ++D)
      for (unsigned L = 0; L != NumLanes; ++L)
        if (Outside >> L & 1)
          W.V[I.Dst + D][L] = 0;
  loadLanes(W, I, I.Dst, A, I.DstDwords);
}

void runStore(Wave &W, const Inst &I) {
  Lane64 A;
  if (check(W, I, A, Use::Store))
    storeLanes(W, I, I.Src[1].Reg, A, I.Op->DataDwords);
}

void runAtomic(Wave &W, const Inst &I) {
  Lane64 A;
  if (check(W, I, A, Use::Atomic))
    atomicLanes(W, I, I.Src[1].Reg, A, I.Sc0);
}

void addAtomic(Adder &T, StringRef Name, AtomicOp Op, bool Wide) {
  OpInfo &O = T.raw(("buffer_atomic_" + Name).str(), runAtomic, InstClass::GlobalAtomic, {}, 0,
                    Wide ? 2 : 1);
  O.DataDwords = (Wide ? 2 : 1) * (Op == AtomicOp::CompareSwap ? 2 : 1);
  O.AccessBytes = Wide ? 8 : 4;
  O.Extra = atomicCode(Op, Wide);
}

} // namespace

void addBuffer(OpTable &Table) {
  Adder T(Table);
  addTransfers(T, "buffer_", runLoad, runStore, InstClass::GlobalLoad, InstClass::GlobalStore);
  struct {
    const char *Name;
    AtomicOp Op;
  } Integer[] = {{"swap", AtomicOp::Swap}, {"cmpswap", AtomicOp::CompareSwap},
                 {"add", AtomicOp::Add},   {"sub", AtomicOp::Sub},
                 {"smin", AtomicOp::SMin}, {"umin", AtomicOp::UMin},
                 {"smax", AtomicOp::SMax}, {"umax", AtomicOp::UMax},
                 {"and", AtomicOp::And},   {"or", AtomicOp::Or},
                 {"xor", AtomicOp::Xor},   {"inc", AtomicOp::Inc},
                 {"dec", AtomicOp::Dec}};
  for (auto &X : Integer) {
    addAtomic(T, X.Name, X.Op, false);
    addAtomic(T, (X.Name + Twine("_x2")).str(), X.Op, true);
  }
  addAtomic(T, "add_f32", AtomicOp::AddF, false);
  addAtomic(T, "pk_add_f16", AtomicOp::AddHalves, false);
  addAtomic(T, "add_f64", AtomicOp::AddF, true);
  addAtomic(T, "min_f64", AtomicOp::MinF, true);
  addAtomic(T, "max_f64", AtomicOp::MaxF, true);
}

HK_SIM_END
