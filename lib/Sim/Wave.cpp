//===- Wave.cpp - What handlers do rarely ---------------------------------===//

#include "Wave.h"

#include "FloatFormats.h"
#include "Program.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

void Wave::makeMask(uint64_t X) {
  for (unsigned L = 0; L != NumLanes; ++L)
    Mask[L] = 0 - uint32_t(X >> L & 1);
  MaskOf = X;
}

void Wave::fault(const Inst &I, FaultKind Kind, const Twine &Message, int Lane, uint64_t Address) {
  Stopped = Stop::Fault;
  if (Failure)
    return;
  Failure = std::make_unique<Fault>();
  Failure->Kind = Kind;
  Failure->Message = Message.str();
  Failure->Kernel = L->K.Name;
  Failure->Address = Address;
  for (unsigned A = 0; A != 3; ++A)
    Failure->Workgroup[A] = Group->Id[A];
  Failure->Wave = Number;
  Failure->Lane = Lane;
  Failure->Place = placeOf(L->Owner, I.Pc);
}

FaultPlace sim::placeOf(const Module &M, uint64_t Pc) {
  FaultPlace P;
  P.Pc = Pc;
  P.Function = M.functionAt(Pc).str();
  if (std::optional<SourceLine> Line = M.sourceLine(Pc)) {
    P.File = Line->File;
    P.Line = Line->Line;
    P.Column = Line->Column;
  }
  return P;
}

uint64_t sim::readSpecial(const Wave &W, unsigned Code) {
  switch (Code) {
  case SourceSharedBase:
    return SharedBase;
  case SourceSharedBase + 1: // limit
    return SharedBase | 0xffffffff;
  case SourceSharedBase + 2:
    return PrivateBase;
  case SourceSharedBase + 3:
    return PrivateBase | 0xffffffff;
  case SourceVccz:
    return !W.vcc();
  case SourceExecz:
    return !W.exec();
  case SourceScc:
    return W.Scc;
  }
  return 0;
}

void sim::updateMode(Wave &W, uint32_t Mode) {
  W.Mode = Mode;
  FloatMode M = FloatMode::decode(Mode);
  W.Special = W.GprIndexing || !M.plainF32() || !M.plainF64F16();
}

void sim::runUnknown(Wave &W, const Inst &I) {
  W.fault(I, FaultKind::UnknownInstruction,
          "'" + W.L->Code.mnemonicAt(I.Pc) + "' is not simulated");
}

void sim::runContinue(Wave &W, const Inst &I) {
  // No instruction of its own: what was counted for it is taken back.
  --W.Executed;
  if (const Inst *Next = W.L->Code.at(I.Pc)) {
    W.Thread->reserve(W.L->Code.count());
    W.Next = Next;
    return;
  }
  W.fault(I, FaultKind::BadProgramCounter, "runs past the end of the code");
}
