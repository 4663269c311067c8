//===- Fields.cpp - Reads operands from instruction words -----------------===//
//
// The encodings of GFX9 with the changes of gfx90a and gfx940. Which registers
// a field names and how wide they are follows from the operation's entry in the
// table, which the mnemonic has already selected.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

unsigned bits(uint64_t Word, unsigned High, unsigned Low) {
  return Word >> Low & ((uint64_t(1) << (High - Low + 1)) - 1);
}

unsigned dwordsOf(SourceType T) {
  switch (T) {
  case SourceType::B64:
  case SourceType::F64:
  case SourceType::PkF32:
    return 2;
  default:
    return 1;
  }
}

/// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi): codes 240 to 248.
uint64_t floatConstant(unsigned Code, SourceType T) {
  static constexpr double Values[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4};
  static constexpr uint16_t Half[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                      0xc000, 0x4400, 0xc400, 0x3118};
  unsigned I = Code - 240;
  switch (T) {
  case SourceType::F64:
  case SourceType::B64:
    return I == 8 ? 0x3fc45f306dc9c882 : std::bit_cast<uint64_t>(Values[I]);
  case SourceType::F16:
  case SourceType::B16:
  case SourceType::PkF16:
    return Half[I];
  default: {
    uint64_t Single = I == 8 ? 0x3e22f983 : std::bit_cast<uint32_t>(float(Values[I]));
    return T == SourceType::PkF32 ? Single | Single << 32 : Single;
  }
  }
}

/// A 9-bit source code.
Operand source(unsigned Code, SourceType T, uint32_t Literal) {
  Operand O;
  O.Dwords = dwordsOf(T);
  if (Code >= 256) {
    O.K = Operand::Vgpr;
    O.Reg = Code - 256;
  } else if (Code < 128) {
    O.K = Operand::Sgpr;
    O.Reg = Code;
  } else if (Code <= 208) {
    O.K = Operand::Constant;
    int64_t Value = Code <= 192 ? int64_t(Code) - 128 : 192 - int64_t(Code);
    if (T == SourceType::PkF32)
      O.Value = uint64_t(uint32_t(Value)) | uint64_t(uint32_t(Value)) << 32;
    else
      O.Value = O.Dwords == 2 ? uint64_t(Value) : uint32_t(Value);
  } else if (Code >= 235 && Code <= 238) {
    O.K = Operand::Special;
    O.Reg = Code;
  } else if (Code >= 240 && Code <= 248) {
    O.K = Operand::Constant;
    O.Value = floatConstant(Code, T);
  } else if (Code == 255) {
    O.K = Operand::Constant;
    // A double's literal is its high half; an integer's is extended with zeros.
    O.Value = T == SourceType::F64 ? uint64_t(Literal) << 32 : Literal;
  } else {
    O.K = Operand::Special;
    O.Reg = Code;
  }
  return O;
}

Operand vgpr(unsigned Row, unsigned Dwords = 1) {
  Operand O;
  O.K = Operand::Vgpr;
  O.Reg = Row;
  O.Dwords = Dwords;
  return O;
}

Operand sgpr(unsigned Number, unsigned Dwords = 1) {
  Operand O;
  O.K = Operand::Sgpr;
  O.Reg = Number;
  O.Dwords = Dwords;
  return O;
}

void decodeSdwa(Inst &I, uint32_t W, uint32_t Extra) {
  const OpInfo &Op = *I.Op;
  I.Sdwa = true;
  I.Plain = false;
  auto Register = [&](unsigned Number, bool Scalar, SourceType T) {
    return Scalar ? source(Number, T, 0) : vgpr(Number, dwordsOf(T));
  };
  I.Src[0] = Register(bits(Extra, 7, 0), bits(Extra, 23, 23), Op.Src[0]);
  I.Src[0].Sel = bits(Extra, 18, 16);
  I.Src[0].Mods = bits(Extra, 20, 20) * Operand::Neg | bits(Extra, 21, 21) * Operand::Abs |
                  bits(Extra, 19, 19) * Operand::Sext;
  if (I.Format != Encoding::Vop1) {
    I.Src[1] = Register(bits(W, 16, 9), bits(Extra, 31, 31), Op.Src[1]);
    I.Src[1].Sel = bits(Extra, 26, 24);
    I.Src[1].Mods = bits(Extra, 28, 28) * Operand::Neg | bits(Extra, 29, 29) * Operand::Abs |
                    bits(Extra, 27, 27) * Operand::Sext;
  }
  if (I.Format == Encoding::Vopc) {
    I.SDst = bits(Extra, 15, 15) ? bits(Extra, 14, 8) : SgprVcc;
  } else {
    I.DstSel = bits(Extra, 10, 8);
    I.DstUnused = bits(Extra, 12, 11);
    I.Clamp = bits(Extra, 13, 13);
    I.Omod = bits(Extra, 15, 14);
  }
}

void decodeDpp(Inst &I, uint32_t Extra) {
  I.Dpp = true;
  I.Plain = false;
  I.Src[0] = vgpr(bits(Extra, 7, 0), dwordsOf(I.Op->Src[0]));
  I.DppCtrl = bits(Extra, 16, 8);
  I.BoundCtrl = bits(Extra, 19, 19);
  I.Src[0].Mods = bits(Extra, 20, 20) * Operand::Neg | bits(Extra, 21, 21) * Operand::Abs;
  I.Src[1].Mods = bits(Extra, 22, 22) * Operand::Neg | bits(Extra, 23, 23) * Operand::Abs;
  I.BankMask = bits(Extra, 27, 24);
  I.RowMask = bits(Extra, 31, 28);
}

/// VOP1, VOP2 and VOPC: a 9-bit first source that may announce a second word.
void decodeShortVop(Inst &I, const uint32_t *Words) {
  const OpInfo &Op = *I.Op;
  uint32_t W = Words[0], Extra = Words[1];
  unsigned Code = bits(W, 8, 0);
  I.Dst = bits(W, 24, 17);
  I.SDst = SgprVcc;
  if (I.Format != Encoding::Vop1)
    I.Src[1] = vgpr(bits(W, 16, 9), dwordsOf(Op.Src[1]));
  if (Code == 249)
    decodeSdwa(I, W, Extra);
  else if (Code == 250)
    decodeDpp(I, Extra);
  else
    I.Src[0] = source(Code, Op.Src[0], Extra);
  if (Op.Flags & OpCarryIn)
    I.Src[2] = sgpr(SgprVcc, 2);
  else if (Op.Flags & OpTiedDst)
    I.Src[2] = vgpr(I.Dst, I.DstDwords);
  if (Op.Name.starts_with("v_fmamk") || Op.Name.starts_with("v_madmk")) {
    // dst = src0 * K + src1
    I.Src[2] = I.Src[1];
    I.Src[1] = source(255, Op.Src[1], Extra);
  } else if (Op.Name.starts_with("v_fmaak") || Op.Name.starts_with("v_madak")) {
    I.Src[2] = source(255, Op.Src[2], Extra);
  }
  if (Op.Name == "v_accvgpr_mov_b32") {
    I.Dst += AccBase;
    if (I.Src[0].K != Operand::Vgpr)
      I.Run = runUnknown;
    I.Src[0].Reg += AccBase;
  }
}

void decodeVop3(Inst &I, const uint32_t *Words) {
  const OpInfo &Op = *I.Op;
  uint64_t W = Words[0] | uint64_t(Words[1]) << 32;
  I.Dst = bits(W, 7, 0);
  I.SDst = I.Dst;
  I.Clamp = bits(W, 15, 15);
  I.Omod = bits(W, 60, 59);
  unsigned Abs = 0, Neg = bits(W, 63, 61);
  if (Op.Flags & OpSdst) {
    I.SDst = bits(W, 14, 8);
  } else {
    Abs = bits(W, 10, 8);
    I.OpSel = bits(W, 14, 11);
  }
  for (unsigned N = 0; N != 3; ++N) {
    if (Op.Src[N] == SourceType::None)
      continue;
    unsigned Low = 32 + 9 * N;
    I.Src[N] = source(bits(W, Low + 8, Low), Op.Src[N], 0);
    I.Src[N].Mods = (Neg >> N & 1) * Operand::Neg | (Abs >> N & 1) * Operand::Abs;
    if (I.Src[N].Mods)
      I.Plain = false;
  }
  if (Op.Flags & OpCarryIn) {
    I.Src[2] = source(bits(W, 58, 50), SourceType::B64, 0);
  } else if (Op.Flags & OpMaskSrc2) {
    I.Src[2] = source(bits(W, 58, 50), SourceType::B64, 0);
  } else if (Op.Flags & OpTiedDst) {
    // The two-operand forms accumulate into the destination also when they are encoded long.
    I.Src[2] = vgpr(I.Dst, I.DstDwords);
  }
  if (I.Clamp || I.Omod || I.OpSel)
    I.Plain = false;
}

void decodeVop3p(Inst &I, const uint32_t *Words) {
  const OpInfo &Op = *I.Op;
  uint64_t W = Words[0] | uint64_t(Words[1]) << 32;
  I.Dst = bits(W, 7, 0);
  for (unsigned N = 0; N != 3; ++N)
    if (Op.Src[N] != SourceType::None) {
      unsigned Low = 32 + 9 * N;
      I.Src[N] = source(bits(W, Low + 8, Low), Op.Src[N], 0);
    }
  if (Op.Class == InstClass::Mfma || Op.Name.starts_with("v_accvgpr")) {
    // A and B are in accumulation registers on their own bits, C and D on one.
    I.Cbsz = bits(W, 10, 8);
    I.Abid = bits(W, 14, 11);
    I.Blgp = bits(W, 63, 61);
    if (Op.Name == "v_accvgpr_read_b32") {
      if (I.Src[0].K != Operand::Vgpr)
        I.Run = runUnknown;
      I.Src[0].Reg |= AccBase;
      return;
    }
    if (Op.Name == "v_accvgpr_write_b32") {
      I.Dst |= AccBase;
      return;
    }
    for (unsigned N = 0; N != 2; ++N)
      if (I.Src[N].K == Operand::Vgpr && bits(W, 59 + N, 59 + N))
        I.Src[N].Reg |= AccBase;
    if (bits(W, 15, 15)) {
      I.Dst |= AccBase;
      if (I.Src[2].K == Operand::Vgpr && !Op.Name.starts_with("v_smfmac"))
        I.Src[2].Reg |= AccBase;
    }
    return;
  }
  I.Clamp = bits(W, 15, 15);
  I.OpSel = bits(W, 13, 11);
  I.OpSelHi = bits(W, 60, 59) | bits(W, 14, 14) << 2;
  unsigned NegHi = bits(W, 10, 8), Neg = bits(W, 63, 61);
  for (unsigned N = 0; N != 3; ++N)
    if (Op.Src[N] != SourceType::None) {
      I.Src[N].Mods = (Neg >> N & 1) * Operand::Neg | (NegHi >> N & 1) * Operand::NegHi;
      I.Plain &= !I.Src[N].Mods && !(I.OpSel >> N & 1) && (I.OpSelHi >> N & 1);
    }
  I.Plain &= !I.Clamp;
}

void decodeScalar(Inst &I, const uint32_t *Words) {
  const OpInfo &Op = *I.Op;
  uint32_t W = Words[0], Literal = Words[1];
  I.Imm = SignExtend32<16>(W & 0xffff);
  switch (I.Format) {
  case Encoding::Sop2:
    I.Dst = bits(W, 22, 16);
    I.Src[0] = source(bits(W, 7, 0), Op.Src[0], Literal);
    I.Src[1] = source(bits(W, 15, 8), Op.Src[1], Literal);
    break;
  case Encoding::Sop1:
    I.Dst = bits(W, 22, 16);
    I.Src[0] = source(bits(W, 7, 0), Op.Src[0], Literal);
    break;
  case Encoding::Sopc:
    I.Src[0] = source(bits(W, 7, 0), Op.Src[0], Literal);
    I.Src[1] = source(bits(W, 15, 8), Op.Src[1], Literal);
    // s_set_gpr_idx_on has an immediate there
    I.LdsOffset1 = bits(W, 15, 8);
    break;
  case Encoding::Sopk:
    I.Dst = bits(W, 22, 16);
    I.Src[0] = sgpr(I.Dst, dwordsOf(Op.Src[0]));
    // s_setreg_imm32_b32 brings a literal
    I.Src[1].K = Operand::Constant;
    I.Src[1].Value = Literal;
    break;
  default:
    break;
  }
}

void decodeSmem(Inst &I, const uint32_t *Words) {
  uint32_t W = Words[0], X = Words[1];
  I.Dst = bits(W, 12, 6);
  I.Src[0] = sgpr(bits(W, 5, 0) << 1, 2);
  bool HasImm = bits(W, 17, 17), HasSgpr = bits(W, 14, 14);
  if (HasImm)
    I.Imm = SignExtend32<21>(bits(X, 20, 0));
  if (HasSgpr)
    I.Src[1] = source(bits(X, 31, 25), SourceType::B32, 0);
  else if (!HasImm)
    I.Src[1] = source(bits(X, 6, 0), SourceType::B32, 0);
  I.Sc0 = bits(W, 16, 16);
  I.DstDwords = I.Op->DataDwords;
}

/// Whether a DS operation takes two data operands. In the others the second field means nothing.
bool hasSecondData(StringRef Name) {
  return any_of(ArrayRef<StringRef>{"ds_write2", "ds_wrxchg2", "ds_cmpst", "ds_mskor", "ds_wrap"},
                [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

void decodeDs(Inst &I, const uint32_t *Words) {
  const OpInfo &Op = *I.Op;
  uint32_t W = Words[0], X = Words[1];
  unsigned Acc = bits(W, 25, 25) ? AccBase : 0;
  I.Gds = bits(W, 16, 16);
  I.Imm = bits(W, 15, 0); // of one-address forms, 16 bits; of two: offset0 in the low byte
  I.LdsOffset1 = bits(W, 15, 8);
  I.Src[0] = vgpr(bits(X, 7, 0));
  I.Src[1] = vgpr(bits(X, 15, 8) | Acc, Op.DataDwords);
  if (hasSecondData(Op.Name))
    I.Src[2] = vgpr(bits(X, 23, 16) | Acc, Op.DataDwords);
  I.Dst = bits(X, 31, 24) | Acc;
  I.DstDwords = Op.DstDwords;
}

void decodeFlat(Inst &I, const uint32_t *Words, StringRef Processor) {
  const OpInfo &Op = *I.Op;
  uint32_t W = Words[0], X = Words[1];
  unsigned Acc = bits(X, 23, 23) ? AccBase : 0;
  bool Scratch = bits(W, 15, 14) == 1;
  I.Imm = SignExtend32<13>(bits(W, 12, 0));
  I.Sc0 = bits(W, 16, 16);
  I.Nt = bits(W, 17, 17);
  I.Sc1 = bits(W, 25, 25);
  unsigned Saddr = bits(X, 22, 16);
  I.HasSaddr = bits(W, 15, 14) != 0 && Saddr != 0x7f;
  I.Src[0] = vgpr(bits(X, 7, 0), I.HasSaddr || Scratch ? 1 : 2);
  if (Scratch) {
    bool Gfx90a = Processor == "gfx90a";
    I.HasVaddr = Gfx90a ? !I.HasSaddr : bits(W, 13, 13);
    if (!I.HasVaddr)
      I.Src[0] = Operand();
  }
  I.Src[1] = vgpr(bits(X, 15, 8) | Acc, Op.DataDwords);
  if (I.HasSaddr)
    I.Src[2] = sgpr(Saddr, Scratch ? 1 : 2);
  I.Dst = bits(X, 31, 24) | Acc;
  I.DstDwords = Op.DstDwords;
  I.LdsDma = Op.Name.contains("_lds_");
}

void decodeBuffer(Inst &I, const uint32_t *Words) {
  const OpInfo &Op = *I.Op;
  uint32_t W = Words[0], X = Words[1];
  unsigned Acc = bits(X, 23, 23) ? AccBase : 0;
  I.Imm = bits(W, 11, 0);
  I.Offen = bits(W, 12, 12);
  I.Idxen = bits(W, 13, 13);
  I.Sc0 = bits(W, 14, 14);
  I.Sc1 = bits(W, 15, 15);
  I.LdsDma = bits(W, 16, 16) && I.Format == Encoding::Mubuf;
  if (I.Format == Encoding::Mtbuf) {
    // The opcode begins a bit earlier, and the format follows it.
    I.Sc1 = false;
    I.Cbsz = bits(W, 22, 19);
    I.Abid = bits(W, 25, 23);
  }
  I.Nt = bits(W, 17, 17);
  I.Src[0] = vgpr(bits(X, 7, 0), I.Offen + I.Idxen);
  if (!(I.Offen || I.Idxen))
    I.Src[0] = Operand();
  I.Src[1] = vgpr(bits(X, 15, 8) | Acc, Op.DataDwords);
  I.Dst = I.Src[1].Reg;
  I.DstDwords = Op.DstDwords;
  I.SDst = bits(X, 20, 16) << 2;
  I.Src[2] = source(bits(X, 31, 24), SourceType::B32, 0);
}

} // namespace

Encoding sim::encodingOf(uint32_t W) {
  if (!(W >> 31)) {
    unsigned Op = bits(W, 30, 25);
    return Op == 0x3f ? Encoding::Vop1 : Op == 0x3e ? Encoding::Vopc : Encoding::Vop2;
  }
  if (bits(W, 31, 30) == 2) {
    switch (bits(W, 31, 23)) {
    case 0x17d:
      return Encoding::Sop1;
    case 0x17e:
      return Encoding::Sopc;
    case 0x17f:
      return Encoding::Sopp;
    }
    return bits(W, 31, 28) == 11 ? Encoding::Sopk : Encoding::Sop2;
  }
  switch (bits(W, 31, 26)) {
  case 0x30:
    return Encoding::Smem;
  case 0x34:
    return bits(W, 31, 23) == 0x1a7 ? Encoding::Vop3p : Encoding::Vop3;
  case 0x36:
    return Encoding::Ds;
  case 0x37:
    return Encoding::Flat;
  case 0x38:
    return Encoding::Mubuf;
  case 0x3a:
    return Encoding::Mtbuf;
  }
  return Encoding::Unknown;
}

void sim::decodeFields(Inst &I, const uint32_t *Words, unsigned Size, StringRef Processor) {
  I.Size = Size;
  I.Format = encodingOf(Words[0]);
  I.DstDwords = I.Op->DstDwords;
  switch (I.Format) {
  case Encoding::Vop1:
  case Encoding::Vop2:
  case Encoding::Vopc:
    decodeShortVop(I, Words);
    break;
  case Encoding::Vop3:
    decodeVop3(I, Words);
    break;
  case Encoding::Vop3p:
    decodeVop3p(I, Words);
    break;
  case Encoding::Sop1:
  case Encoding::Sop2:
  case Encoding::Sopk:
  case Encoding::Sopc:
  case Encoding::Sopp:
    decodeScalar(I, Words);
    break;
  case Encoding::Smem:
    decodeSmem(I, Words);
    break;
  case Encoding::Ds:
    decodeDs(I, Words);
    break;
  case Encoding::Flat:
    decodeFlat(I, Words, Processor);
    break;
  case Encoding::Mubuf:
  case Encoding::Mtbuf:
    decodeBuffer(I, Words);
    break;
  case Encoding::Unknown:
    I.Run = runUnknown;
    break;
  }
  if (I.Op->Flags & OpScalarDst) {
    // A field that could name 256 registers; there are 128.
    I.Dst &= 127;
    I.SDst &= 127;
  }
  bool VectorDst = I.Format >= Encoding::Vop1 && I.Format <= Encoding::Vop3p &&
                   !(I.Op->Flags & (OpScalarDst | OpNoDst));
  if (VectorDst && I.Dst % AccBase + I.DstDwords > AccBase)
    I.Run = runUnknown; // there is no register behind the last
  if (I.Clamp && I.Op->RunClamp && I.Run != runUnknown) {
    I.Run = I.Op->RunClamp;
    I.Clamp = false;
  }
}
