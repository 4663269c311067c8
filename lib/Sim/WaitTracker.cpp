//===- WaitTracker.cpp - Uses of a register before its s_waitcnt ----------===//

#include "WaitTracker.h"

#include "OpTable.h"
#include "Wave.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

WaitTracker::WaitTracker() : Vector(Wave::Rows), Scalar(160) {}

bool WaitTracker::done(const Load &L) const {
  if (L.Count != Lgkm && L.Number[0] > Done[0])
    return false;
  return L.Count == Vm || L.Number[1] <= Done[1];
}

void WaitTracker::issuedSlow(const Inst &I) {
  if (!I.Op)
    return;
  Load L;
  L.I = &I;
  switch (I.Format) {
  case Encoding::Smem:
  case Encoding::Ds:
    L.Count = Lgkm;
    break;
  case Encoding::Flat:
    L.Count = I.Op->Name.starts_with("flat_") ? Both : Vm;
    break;
  case Encoding::Mubuf:
  case Encoding::Mtbuf:
    L.Count = Vm;
    break;
  default:
    return;
  }
  L.Number[0] = L.Count != Lgkm ? ++Issued[0] : 0;
  L.Number[1] = L.Count != Vm ? ++Issued[1] : 0;
  if (I.Format == Encoding::Smem)
    LastSmem = Issued[1];
  if (L.Count == Both) {
    LastFlat[0] = Issued[0];
    LastFlat[1] = Issued[1];
  }
  bool Atomic = I.Class == InstClass::GlobalAtomic ||
                (I.Format == Encoding::Smem && I.Op->Name.contains("_atomic_"));
  if ((I.Op->Flags & OpNoDst) || (Atomic && !I.Sc0) || I.LdsDma)
    return;
  // Without any wait between; further ones are not followed.
  if (Loads.size() == 0xfffe)
    return;
  Loads.push_back(L);
  auto &Registers = I.Format == Encoding::Smem ? Scalar : Vector;
  for (unsigned D = 0; D != I.DstDwords && I.Dst + D < Registers.size(); ++D)
    Registers[I.Dst + D] = uint16_t(Loads.size());
  ++Pending;
}

void WaitTracker::retire() {
  if (all_of(Loads, [&](const Load &L) { return done(L); })) {
    for (const Load &L : Loads) {
      auto &Registers = L.I->Format == Encoding::Smem ? Scalar : Vector;
      for (unsigned D = 0; D != L.I->DstDwords && L.I->Dst + D < Registers.size(); ++D)
        Registers[L.I->Dst + D] = 0;
    }
    Loads.clear();
    Pending = 0;
    return;
  }
  // Those that are done do no harm until there are many.
  if (Loads.size() < 64)
    return;
  std::vector<Load> Left;
  std::vector<uint16_t> Map(Loads.size() + 1);
  for (size_t N = 0; N != Loads.size(); ++N)
    if (!done(Loads[N])) {
      Left.push_back(Loads[N]);
      Map[N + 1] = uint16_t(Left.size());
    }
  for (auto *Registers : {&Vector, &Scalar})
    for (uint16_t &R : *Registers)
      R = Map[R];
  Loads = std::move(Left);
  Pending = Loads.size();
}

void WaitTracker::wait(uint32_t Imm) {
  unsigned Count[2] = {(Imm & 15) | (Imm >> 14 & 3) << 4, Imm >> 8 & 15};
  unsigned Most[2] = {63, 15};
  for (unsigned N = 0; N != 2; ++N) {
    if (Count[N] == Most[N] || Issued[N] <= Count[N])
      continue;
    uint64_t Upto = Issued[N] - Count[N];
    // What returns out of order is known to be there only when nothing is pending.
    if (Count[N] && LastFlat[N] > Done[N])
      continue;
    if (N == 1 && Count[N] && LastSmem > Done[N])
      continue;
    Done[N] = std::max(Done[N], Upto);
  }
  if (Pending)
    retire();
}

bool WaitTracker::checkRange(Wave &W, const Inst &I, bool IsScalar, unsigned First,
                             unsigned Count) {
  auto &Registers = IsScalar ? Scalar : Vector;
  for (unsigned R = First; R != First + Count && R < Registers.size(); ++R) {
    if (!Registers[R])
      continue;
    const Load &L = Loads[Registers[R] - 1];
    if (done(L))
      continue;
    // A later load into the same register from the same unit comes in order.
    W.fault(I, FaultKind::MissingWait,
            Twine(I.Op->Name) + " uses " +
                (IsScalar      ? "s"
                 : R < AccBase ? "v"
                               : "a") +
                Twine(IsScalar ? R : R % AccBase) + " before the s_waitcnt that covers the " +
                L.I->Op->Name + " into it");
    W.Failure->Other = placeOf(W.L->Owner, L.I->Pc);
    return false;
  }
  return true;
}

bool WaitTracker::checkSlow(Wave &W, const Inst &I) {
  // Cache maintenance is encoded as a buffer access and touches no register.
  if (!I.Op || I.Format == Encoding::Sopp || I.Op->Class == InstClass::Message)
    return true;
  for (const Operand &O : I.Src) {
    // The field of an operand that does not exist: s_getpc, v_nop.
    if ((I.Format == Encoding::Sop1 || I.Format == Encoding::Vop1) && I.Op->Src[&O - I.Src] == SourceType::None)
      continue;
    if (O.K == Operand::Vgpr) {
      unsigned Count = O.Dwords;
      if (I.Op->Src[&O - I.Src] == SourceType::Wide)
        Count = 1;
      if (!checkRange(W, I, false, O.Reg, Count))
        return false;
    } else if (O.K == Operand::Sgpr && !checkRange(W, I, true, O.Reg, O.Dwords)) {
      return false;
    }
  }
  if ((I.Format == Encoding::Mubuf || I.Format == Encoding::Mtbuf) &&
      !checkRange(W, I, true, I.SDst, 4))
    return false;
  if (I.Op->Flags & OpNoDst)
    return true;
  bool IsScalar = I.Format <= Encoding::Smem || (I.Op->Flags & OpScalarDst);
  bool Memory = I.Format == Encoding::Flat || I.Format == Encoding::Ds ||
                I.Format == Encoding::Mubuf || I.Format == Encoding::Mtbuf ||
                I.Format == Encoding::Smem;
  // Loads of one unit into one register return in the order they were issued in.
  if (Memory)
    return true;
  unsigned Dst = IsScalar && I.Format >= Encoding::Vop1 && I.DstDwords == 2 ? I.SDst : I.Dst;
  return checkRange(W, I, IsScalar, Dst, I.DstDwords);
}
