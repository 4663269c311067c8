//===- Inst.h - One decoded instruction -------------------------*- C++ -*-===//
//
// What executing needs and nothing else: the handler, and operands resolved to
// register rows or constants. LLVM's MC layer says which instruction it is and
// how long; the fields are then read from the words themselves, because their
// places in each encoding are fixed by the ISA, while the order of an MCInst's
// operands is private to LLVM and changes between its versions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Sim/Counters.h"

#include <cstdint>

namespace hk::sim {

struct Wave;
struct Inst;
struct OpInfo;
using Handler = void (*)(Wave &, const Inst &);

enum class Encoding : uint8_t {
  Sop1,
  Sop2,
  Sopk,
  Sopc,
  Sopp,
  Smem,
  Vop1,
  Vop2,
  Vopc,
  Vop3,
  Vop3p,
  Ds,
  Flat,
  Mubuf,
  Mtbuf,
  Unknown,
};

/// Numbers of special scalar registers, as encoded.
enum : uint16_t {
  SgprFlatScratch = 102,
  SgprXnackMask = 104,
  SgprVcc = 106,
  SgprTtmp = 108,
  SgprM0 = 124,
  SgprExec = 126,
  SourceSharedBase = 235,
  SourceVccz = 251,
  SourceExecz = 252,
  SourceScc = 253,
};

/// Accumulation registers follow the 256 architected ones.
constexpr unsigned AccBase = 256;

enum class SourceType : uint8_t { None, B16, F16, B32, F32, B64, F64, PkB16, PkF16, PkF32, Wide };

struct Operand {
  enum Kind : uint8_t { None, Vgpr, Sgpr, Constant, Special };
  enum : uint8_t { Neg = 1, Abs = 2, Sext = 4, NegHi = 8 };
  Kind K = None;
  uint8_t Mods = 0;
  uint8_t Sel = 6;    ///< SDWA: 0-3 a byte, 4-5 a word, 6 all
  uint8_t Dwords = 1; ///< registers it spans
  uint16_t Reg = 0;   ///< row of a VGPR, number of an SGPR or special source
  uint64_t Value = 0; ///< of a constant, in the type of the operand
};

struct Inst {
  Handler Run = nullptr;
  const OpInfo *Op = nullptr;
  uint64_t Pc = 0;
  const Inst *Target = nullptr; ///< of a branch, once it is decoded
  uint32_t Index = 0;           ///< of its counters
  int32_t Imm = 0;              ///< offset or immediate
  uint8_t Size = 0;
  Encoding Format = Encoding::Unknown;
  InstClass Class = InstClass::Message;

  /// No modifier, selection or permutation at any operand: sources can be read where they are.
  bool Plain = true;
  bool Dpp = false, Sdwa = false;
  bool Clamp = false;
  uint8_t Omod = 0;
  uint8_t OpSel = 0, OpSelHi = 7;
  uint8_t DstSel = 6, DstUnused = 0; ///< SDWA; unused: 0 pad, 1 sign-extend, 2 preserve
  uint16_t DppCtrl = 0;
  uint8_t RowMask = 15, BankMask = 15;
  bool BoundCtrl = false;

  bool Sc0 = false, Sc1 = false, Nt = false; ///< sc0 of atomics: return the old value
  bool Offen = false, Idxen = false, LdsDma = false, Gds = false;
  bool HasSaddr = false, HasVaddr = true;
  uint8_t Cbsz = 0, Abid = 0, Blgp = 0;

  uint16_t Dst = 0;  ///< row of a VGPR or number of an SGPR, as the operation has it
  uint16_t SDst = 0; ///< SGPR
  uint8_t DstDwords = 1;
  uint8_t LdsOffset1 = 0;
  uint32_t Block = 0; ///< of the program, which it was decoded with
  Operand Src[3];
};

} // namespace hk::sim
