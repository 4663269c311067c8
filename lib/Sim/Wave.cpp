//===- Wave.cpp - What handlers do rarely ---------------------------------===//

#include "Wave.h"

#include "FloatFormats.h"
#include "Program.h"

#include <algorithm>
#include <array>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

void Wave::makeMask(uint64_t X) {
  // Without shifts by a lane's number, which only newer processors do in vectors.
  static constexpr auto Bits = [] {
    std::array<uint32_t, 32> B{};
    for (unsigned L = 0; L != 32; ++L)
      B[L] = 1u << L;
    return B;
  }();
  for (unsigned Half = 0; Half != 2; ++Half) {
    uint32_t Part = uint32_t(X >> (32 * Half));
    for (unsigned L = 0; L != 32; ++L)
      Mask[32 * Half + L] = (Part & Bits[L]) == Bits[L] ? ~0u : 0;
  }
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

void Worker::enterSlow(const Inst &I, Program &Code) {
  size_t Needed = Code.count();
  if (LastHit.size() < Needed) {
    size_t N = Needed + Needed / 2;
    LastHit.resize(N);
    Counts.resize(N);
    Accesses.resize(N);
  }
  if (Entered.size() <= I.Block)
    Entered.resize(I.Block + 1);
  Entered[I.Block] = true;
  Blocks.push_back(I.Block);
}

void Worker::reset(Program &Code) {
  for (uint32_t Block : Blocks) {
    Entered[Block] = false;
    uint32_t First = Code.firstIndexOf(Block), Size = Code.sizeOf(Block);
    std::fill_n(LastHit.begin() + First, Size, nullptr);
    for (uint32_t I = First; I != First + Size; ++I)
      if (Counts[I].Count) {
        Counts[I] = {};
        Accesses[I] = {};
      }
  }
  Blocks.clear();
  Barriers = Progress = Workgroups = Waves = 0;
}

void sim::runUnknown(Wave &W, const Inst &I) {
  W.fault(I, FaultKind::UnknownInstruction,
          "'" + W.L->Code.mnemonicAt(I.Pc) + "' is not simulated");
}

void sim::runContinue(Wave &W, const Inst &I) {
  // No instruction of its own: what was counted for it is taken back.
  --W.Executed;
  if (const Inst *Next = W.L->Code.at(I.Pc)) {
    W.Thread->enter(*Next, W.L->Code);
    W.Next = Next;
    return;
  }
  W.fault(I, FaultKind::BadProgramCounter, "runs past the end of the code");
}
