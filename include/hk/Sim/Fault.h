//===- Fault.h - What a kernel did wrong ------------------------*- C++ -*-===//
//
// A launch that fails because of the kernel's own doing ends in one of these,
// as an llvm::Error. Errors of the caller (a block that is too large, too few
// argument bytes) are plain string errors.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace hk::sim {

enum class FaultKind : uint8_t {
  OutOfBounds,
  UseAfterFree,
  ReadOnly,
  Misaligned,
  Uninitialized,
  LdsOutOfBounds,
  ScratchOutOfBounds,
  Race,
  MissingWait,
  Barrier,            ///< not reached by all wavefronts
  Hang,               ///< wavefronts or workgroups wait for each other forever
  UnknownInstruction, ///< one the simulator does not execute
  BadProgramCounter,
  Trap, ///< s_trap: abort(), assert(), __builtin_trap()
  Unsupported,
};
/// "out-of-bounds", "race", ...
llvm::StringRef name(FaultKind Kind);

struct FaultPlace {
  uint64_t Pc = 0;
  std::string Function;
  std::string File; ///< empty: no line table
  unsigned Line = 0, Column = 0;
};

class Fault : public llvm::ErrorInfo<Fault> {
public:
  static char ID;

  FaultKind Kind = FaultKind::Unsupported;
  std::string Message; ///< one sentence, no place in it
  std::string Kernel;
  FaultPlace Place;
  std::optional<FaultPlace> Other; ///< of a race: the earlier access; of a wait: the load
  uint64_t Address = 0;            ///< of memory accesses; LDS and scratch: the offset
  std::array<uint32_t, 3> Workgroup = {0, 0, 0};
  unsigned Wave = 0;
  int Lane = -1; ///< -1: the wavefront as a whole

  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
};

} // namespace hk::sim
