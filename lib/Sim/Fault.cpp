//===- Fault.cpp - Faults as text -----------------------------------------===//

#include "hk/Sim/Fault.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

char Fault::ID = 0;

StringRef sim::name(FaultKind Kind) {
  switch (Kind) {
  case FaultKind::OutOfBounds:
    return "out-of-bounds";
  case FaultKind::UseAfterFree:
    return "use-after-free";
  case FaultKind::ReadOnly:
    return "read-only";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::Uninitialized:
    return "uninitialized";
  case FaultKind::LdsOutOfBounds:
    return "lds-out-of-bounds";
  case FaultKind::ScratchOutOfBounds:
    return "scratch-out-of-bounds";
  case FaultKind::Race:
    return "race";
  case FaultKind::MissingWait:
    return "missing-wait";
  case FaultKind::Barrier:
    return "barrier";
  case FaultKind::Hang:
    return "hang";
  case FaultKind::UnknownInstruction:
    return "unknown-instruction";
  case FaultKind::BadProgramCounter:
    return "bad-program-counter";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::Unsupported:
    return "unsupported";
  }
  return "fault";
}

static void printPlace(raw_ostream &OS, const FaultPlace &P) {
  if (!P.File.empty()) {
    OS << P.File << ':' << P.Line;
    if (P.Column)
      OS << ':' << P.Column;
  } else {
    OS << (P.Function.empty() ? "unknown function" : P.Function);
  }
}

void Fault::log(raw_ostream &OS) const {
  OS << name(Kind) << ": " << Message << "\n  at ";
  printPlace(OS, Place);
  OS << " (pc " << format_hex(Place.Pc, 1) << ")";
  if (Other) {
    OS << "\n  and ";
    printPlace(OS, *Other);
    OS << " (pc " << format_hex(Other->Pc, 1) << ")";
  }
  OS << "\n  in kernel " << Kernel << ", workgroup (" << Workgroup[0] << "," << Workgroup[1] << ","
     << Workgroup[2] << "), wavefront " << Wave;
  if (Lane >= 0)
    OS << ", lane " << Lane;
}

std::error_code Fault::convertToErrorCode() const { return inconvertibleErrorCode(); }
