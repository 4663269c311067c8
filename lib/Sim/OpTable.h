//===- OpTable.h - Which operation a mnemonic names -------------*- C++ -*-===//
//
// Filled once a process by the files in Execute/, each of which adds the
// operations of its class under the names of the ISA manual without encoding
// suffixes. The execution files are compiled twice, for plain x86-64 and for
// x86-64-v3; the table has the handlers that fit the processor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Inst.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace hk::sim {

enum OpFlags : uint16_t {
  OpScalarDst = 1,     ///< a vector instruction that writes an SGPR: readlane, compares
  OpSdst = 2,          ///< a second, scalar, destination: VOP3B
  OpTiedDst = 4,       ///< the destination is a source too
  OpNoDst = 8,         ///< nothing is written to a register
  OpKeepsHigh = 16,    ///< a 16-bit result leaves the other half of the register alone
  OpEndsBlock = 32,    ///< what follows is not reached by falling through
  OpTransfers = 64,    ///< sets the PC
  OpCarryIn = 128,     ///< reads VCC, or src2 as a mask
  OpMaskSrc2 = 256,    ///< src2 is a mask in SGPRs
  OpNoModifiers = 512, ///< neg and abs bits mean something else
};

struct OpInfo {
  llvm::StringRef Name; ///< without suffixes, "v_add_f32"
  Handler Run = nullptr;
  Handler RunClamp = nullptr; ///< for integers: with saturation
  Handler RunMode = nullptr;  ///< under a MODE that is not the default, if that differs
  InstClass Class = InstClass::Valu;
  uint16_t Flags = 0;
  SourceType Src[3] = {SourceType::None, SourceType::None, SourceType::None};
  uint8_t DstDwords = 1;
  /// Of memory operations: dwords of data and what the handler wants to know.
  uint8_t DataDwords = 1;
  uint8_t AccessBytes = 0;
  uint8_t Extra = 0;
};

class OpTable {
public:
  /// The table for this processor.
  static const OpTable &get();

  const OpInfo *find(llvm::StringRef Name) const {
    auto It = Ops.find(Name);
    return It == Ops.end() ? nullptr : &It->second;
  }
  OpInfo &add(llvm::StringRef Name, Handler Run, InstClass Class) {
    OpInfo &Op = Ops[Name];
    Op.Name = Ops.find(Name)->first();
    Op.Run = Run;
    Op.Class = Class;
    return Op;
  }
  llvm::StringMap<OpInfo> &all() { return Ops; }

private:
  llvm::StringMap<OpInfo> Ops;
};

} // namespace hk::sim
