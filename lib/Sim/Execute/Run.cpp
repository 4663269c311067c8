//===- Run.cpp - The loop that executes a wavefront -----------------------===//

#include "../FloatFormats.h"
#include "../Trace.h"
#include "../WaitTracker.h"
#include "Groups.h"
#include "Lanes.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

/// Which of the two fields of MODE an operation obeys.
bool isF32(const OpInfo &Op) {
  if (Op.DstDwords == 2 || Op.Src[0] == SourceType::F64 || Op.Src[0] == SourceType::F16 ||
      Op.Src[0] == SourceType::PkF16)
    return Op.Src[0] == SourceType::PkF32;
  return true;
}

/// An instruction under a MODE that is not the default, or with indexed registers.
__attribute__((noinline)) void runSpecial(Wave &W, const Inst &I) {
  // Accesses are remembered by their instruction, so a copy would not do for them.
  if (I.Format < Encoding::Vop1 || I.Format > Encoding::Vop3p)
    return I.Run(W, I);
  Inst Moved = I;
  if (W.GprIndexing) {
    unsigned Index = W.S[SgprM0] & 0xff, Which = W.S[SgprM0] >> 12 & 15;
    auto Move = [&](uint16_t &Reg) { Reg = std::min<unsigned>(Reg + Index, AccBase - 1); };
    for (unsigned N = 0; N != 3; ++N)
      if ((Which >> N & 1) && Moved.Src[N].K == Operand::Vgpr && Moved.Src[N].Reg < AccBase)
        Move(Moved.Src[N].Reg);
    if ((Which & 8) && !(I.Op->Flags & (OpScalarDst | OpNoDst)) && I.Dst < AccBase)
      Move(Moved.Dst);
  }
  FloatMode Mode = FloatMode::decode(W.Mode);
  if (Mode.plainF32() && Mode.plainF64F16()) {
    Moved.Run(W, Moved);
  } else if (I.Op->RunMode) {
    Moved.Plain = false;
    I.Op->RunMode(W, Moved);
  } else if (isF32(*I.Op)) {
    HostFloatScope Scope(Mode.F32, Mode.F32FlushIn, Mode.F32FlushOut);
    Moved.Run(W, Moved);
  } else {
    // f16 denormals are flushed where operands are fetched and results stored the slow way.
    Moved.Plain = false;
    HostFloatScope Scope(Mode.F64F16, Mode.F64F16FlushIn, Mode.F64F16FlushOut);
    Moved.Run(W, Moved);
  }
}

template <bool Counting, bool Checking> void loop(Wave &W, uint64_t Budget) {
  uint64_t End = W.Executed + Budget;
  // The table may grow, but only when a jump reaches code that was never decoded.
  while (W.Executed < End) {
    const Inst &I = *W.Next;
    W.Next = &I + 1;
    ++W.Executed;
    if (Counting) {
      InstCount &C = W.Thread->Counts[I.Index];
      uint64_t Exec = W.exec();
      ++C.Count;
      C.Lanes += Exec == FullMask ? 64 : std::popcount(Exec);
    }
    if (Checking && W.Waits && !W.Waits->check(W, I))
      return;
    if (W.Special) [[unlikely]]
      runSpecial(W, I);
    else
      I.Run(W, I);
    if (Checking) {
      if (W.Waits)
        W.Waits->issued(I);
      if (W.L->Trace)
        traceInstruction(W, I);
    }
    if (W.Stopped != Stop::None) [[unlikely]]
      return;
  }
}

} // namespace

void runWave(Wave &W, uint64_t Budget) {
  W.Stopped = Stop::None;
  bool Checking = W.Waits || W.L->Trace;
  if (W.Thread->Counting)
    Checking ? loop<true, true>(W, Budget) : loop<true, false>(W, Budget);
  else
    Checking ? loop<false, true>(W, Budget) : loop<false, false>(W, Budget);
}

HK_SIM_END
