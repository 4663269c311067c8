//===- Atomics.cpp - Read, modify, write ----------------------------------===//
//
// Lanes go one after the other, from lane 0 up. Other workgroups run on other
// threads, so memory is changed by the host's compare and swap.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Groups.h"

#include "../FloatFormats.h"
#include "../FloatTranscendental.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

template <class T> T apply(AtomicOp Op, T Old, T X, T Y) {
  using Signed = std::make_signed_t<T>;
  using Float = std::conditional_t<sizeof(T) == 8, double, float>;
  auto F = [](T Bits) { return std::bit_cast<Float>(Bits); };
  auto B = [](Float Value) { return std::bit_cast<T>(Value); };
  switch (Op) {
  case AtomicOp::Swap:
    return X;
  case AtomicOp::CompareSwap:
    return Old == Y ? X : Old;
  case AtomicOp::Add:
    return Old + X;
  case AtomicOp::Sub:
    return Old - X;
  case AtomicOp::ReverseSub:
    return X - Old;
  case AtomicOp::SMin:
    return Signed(Old) < Signed(X) ? Old : X;
  case AtomicOp::UMin:
    return Old < X ? Old : X;
  case AtomicOp::SMax:
    return Signed(Old) > Signed(X) ? Old : X;
  case AtomicOp::UMax:
    return Old > X ? Old : X;
  case AtomicOp::And:
    return Old & X;
  case AtomicOp::Or:
    return Old | X;
  case AtomicOp::Xor:
    return Old ^ X;
  case AtomicOp::Inc:
    return Old >= X ? 0 : Old + 1;
  case AtomicOp::Dec:
    return Old == 0 || Old > X ? X : Old - 1;
  case AtomicOp::MaskedOr:
    return (Old & ~X) | Y;
  case AtomicOp::Wrap:
    return Old >= X ? Old - X : Old + Y;
  case AtomicOp::AddF:
    return B(F(Old) + F(X));
  case AtomicOp::MinF:
    return B(floatMin(F(Old), F(X)));
  case AtomicOp::MaxF:
    return B(floatMax(F(Old), F(X)));
  case AtomicOp::AddHalves:
  case AtomicOp::AddBrains: {
    T Out = 0;
    for (unsigned Shift = 0; Shift != 32; Shift += 16) {
      uint16_t P = uint16_t(Old >> Shift), Q = uint16_t(X >> Shift), R;
      if (Op == AtomicOp::AddHalves)
        R = floatToHalf(halfToFloat(P) + halfToFloat(Q));
      else
        R = uint16_t(encodeFloat(double(bf16ToFloat(P)) + double(bf16ToFloat(Q)), FormatBF16));
      Out |= T(R) << Shift;
    }
    return Out;
  }
  }
  return Old;
}

template <class T> T readLane(Wave &W, unsigned Row, unsigned L) {
  if constexpr (sizeof(T) == 8)
    return W.V[Row][L] | uint64_t(W.V[Row + 1][L]) << 32;
  else
    return W.V[Row][L];
}

template <class T, AtomicOp Op>
void eachLane(Wave &W, const Inst &I, unsigned Row, const Lane64 &A, bool Return) {
  constexpr unsigned Dwords = sizeof(T) / 4;
  bool Lds = I.Format == Encoding::Ds;
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    T X = readLane<T>(W, Row, L), Y = 0;
    if (Op == AtomicOp::CompareSwap) {
      // VMEM: new value, then the one compared with; DS: data0 is compared, data1 is new.
      if (Lds) {
        Y = X;
        X = readLane<T>(W, I.Src[2].Reg, L);
      } else {
        Y = readLane<T>(W, Row + Dwords, L);
      }
    } else if (Op == AtomicOp::MaskedOr || Op == AtomicOp::Wrap) {
      Y = readLane<T>(W, I.Src[2].Reg, L);
    }
    T *P = reinterpret_cast<T *>(A.Address[L]);
    T Old = __atomic_load_n(P, __ATOMIC_RELAXED);
    T New = apply<T>(Op, Old, X, Y);
    if (Lds)
      __atomic_store_n(P, New, __ATOMIC_RELAXED);
    else
      while (!__atomic_compare_exchange_n(P, &Old, New, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        New = apply<T>(Op, Old, X, Y);
    // Trying for a lock in a loop is no progress.
    W.Thread->Progress += New != Old;
    if (Return) {
      W.V[I.Dst][L] = uint32_t(Old);
      if constexpr (sizeof(T) == 8)
        W.V[I.Dst + 1][L] = uint32_t(Old >> 32);
    }
  }
}

template <class T>
void choose(Wave &W, const Inst &I, AtomicOp Op, unsigned Row, const Lane64 &A, bool Return) {
  switch (Op) {
#define HK_SIM_CASE(Name)                                                                          \
  case AtomicOp::Name:                                                                             \
    return eachLane<T, AtomicOp::Name>(W, I, Row, A, Return);
    HK_SIM_CASE(Swap)
    HK_SIM_CASE(CompareSwap)
    HK_SIM_CASE(Add)
    HK_SIM_CASE(Sub)
    HK_SIM_CASE(ReverseSub)
    HK_SIM_CASE(SMin)
    HK_SIM_CASE(UMin)
    HK_SIM_CASE(SMax)
    HK_SIM_CASE(UMax)
    HK_SIM_CASE(And)
    HK_SIM_CASE(Or)
    HK_SIM_CASE(Xor)
    HK_SIM_CASE(Inc)
    HK_SIM_CASE(Dec)
    HK_SIM_CASE(MaskedOr)
    HK_SIM_CASE(AddF)
    HK_SIM_CASE(MinF)
    HK_SIM_CASE(MaxF)
    HK_SIM_CASE(AddHalves)
    HK_SIM_CASE(AddBrains)
    HK_SIM_CASE(Wrap)
#undef HK_SIM_CASE
  }
}

} // namespace

void atomicLanes(Wave &W, const Inst &I, unsigned DataRow, const Lane64 &A, bool Return) {
  AtomicOp Op = AtomicOp(I.Op->Extra & 0x7f);
  if (I.Op->Extra & 0x80)
    choose<uint64_t>(W, I, Op, DataRow, A, Return);
  else
    choose<uint32_t>(W, I, Op, DataRow, A, Return);
}

template <class T> static T exchange(AtomicOp Op, uint64_t Address, T X, T Y) {
  T *P = reinterpret_cast<T *>(Address);
  T Old = __atomic_load_n(P, __ATOMIC_RELAXED), New;
  do
    New = apply<T>(Op, Old, X, Y);
  while (!__atomic_compare_exchange_n(P, &Old, New, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return Old;
}

uint64_t atomicScalar(AtomicOp Op, bool Wide, uint64_t Address, uint64_t X, uint64_t Y) {
  if (Wide)
    return exchange<uint64_t>(Op, Address, X, Y);
  return exchange<uint32_t>(Op, Address, uint32_t(X), uint32_t(Y));
}

void addAtomics(Adder &T, StringRef Prefix, Handler Run) {
  auto Add = [&](const Twine &Name, AtomicOp Op, bool Wide) {
    OpInfo &O =
        T.raw((Prefix + "atomic_" + Name).str(), Run, InstClass::GlobalAtomic, {}, 0, Wide ? 2 : 1);
    O.DataDwords = (Wide ? 2 : 1) * (Op == AtomicOp::CompareSwap ? 2 : 1);
    O.AccessBytes = Wide ? 8 : 4;
    O.Extra = atomicCode(Op, Wide);
  };
  for (const NamedAtomic &X : IntegerAtomics) {
    Add(X.Name, X.Op, false);
    Add(Twine(X.Name) + "_x2", X.Op, true);
  }
  Add("add_f32", AtomicOp::AddF, false);
  Add("pk_add_f16", AtomicOp::AddHalves, false);
  Add("pk_add_bf16", AtomicOp::AddBrains, false);
  Add("add_f64", AtomicOp::AddF, true);
  Add("min_f64", AtomicOp::MinF, true);
  Add("max_f64", AtomicOp::MaxF, true);
}

HK_SIM_END
