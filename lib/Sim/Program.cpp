//===- Program.cpp - From code bytes to instructions ----------------------===//

#include "Program.h"

#include "OpTable.h"
#include "hk/Sim/Module.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace hk::sim {

/// LLVM's disassembler for one processor. Making one costs as much as decoding a kernel, so all
/// modules share it.
class Disassembler {
public:
  static Disassembler &get(StringRef Processor) {
    static std::mutex Mutex;
    static StringMap<std::unique_ptr<Disassembler>> All;
    std::lock_guard Lock(Mutex);
    std::unique_ptr<Disassembler> &Found = All[Processor];
    if (!Found)
      Found = std::make_unique<Disassembler>(Processor);
    return *Found;
  }

  explicit Disassembler(StringRef Processor) {
    static std::once_flag Once;
    std::call_once(Once, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUDisassembler();
    });
    Triple T("amdgcn-amd-amdhsa");
    std::string Error;
    const Target *Found = TargetRegistry::lookupTarget(T, Error);
    if (!Found)
      report_fatal_error("this LLVM has no AMDGPU target");
    Registers.reset(Found->createMCRegInfo(T));
    AsmInfo.reset(Found->createMCAsmInfo(*Registers, T, Options));
    Instructions.reset(Found->createMCInstrInfo());
    Subtarget.reset(Found->createMCSubtargetInfo(T, Processor, ""));
    Context = std::make_unique<MCContext>(T, AsmInfo.get(), Registers.get(), Subtarget.get());
    Disasm.reset(Found->createMCDisassembler(*Subtarget, *Context));
    Printer.reset(Found->createMCInstPrinter(T, 0, *AsmInfo, *Instructions, *Registers));
  }

  /// The mnemonic of the instruction at \p Bytes (20 of them), empty if it is none, and its size.
  StringRef decode(ArrayRef<uint8_t> Bytes, uint64_t Address, uint64_t &Size) {
    std::lock_guard Lock(Mutex);
    MCInst Instruction;
    uint32_t Words[5];
    std::memcpy(Words, Bytes.data(), sizeof(Words));
    // A literal in a long encoding does not exist on these processors, and LLVM crashes over its
    // own message about it.
    Encoding Format = encodingOf(Words[0]);
    bool Literal = false;
    if (Format == Encoding::Mubuf || Format == Encoding::Mtbuf)
      Literal = Words[1] >> 24 == 255;
    else if (Format == Encoding::Vop3 || Format == Encoding::Vop3p)
      for (unsigned Source = 0; Source != 3; ++Source)
        Literal |= (Words[1] >> (9 * Source) & 0x1ff) == 255;
    if (Literal) {
      Size = 8;
      return "";
    }
    // A destination of this number is a vector register, or such a literal.
    if (Format == Encoding::Vop3 && (Words[0] & 255) == 255) {
      Words[0] ^= 1;
      Bytes = ArrayRef(reinterpret_cast<uint8_t *>(Words), sizeof(Words));
    }
    SmallString<64> Comment;
    raw_svector_ostream Comments(Comment);
    if (Disasm->getInstruction(Instruction, Size, Bytes, Address, Comments) !=
        MCDisassembler::Success) {
      Size = 4;
      return "";
    }
    // An operand that does not exist, like a scalar register that is not aligned, is a comment of
    // LLVM's and no failure.
    if (!Comment.empty())
      return "";
    for (const MCOperand &O : Instruction)
      if (!O.isValid())
        return "";
    const char *Name = Printer->getMnemonic(Instruction).first;
    // Some forms have the first operand's text in it: "scratch_store_dword off,".
    return Name ? StringRef(Name).split(' ').first.rtrim() : "";
  }

private:
  std::mutex Mutex;
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers;
  std::unique_ptr<MCAsmInfo> AsmInfo;
  std::unique_ptr<MCInstrInfo> Instructions;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  std::unique_ptr<MCContext> Context;
  std::unique_ptr<MCDisassembler> Disasm;
  std::unique_ptr<MCInstPrinter> Printer;
};

} // namespace hk::sim

StringRef sim::baseMnemonic(StringRef Mnemonic) {
  for (StringRef Suffix : {"_e32", "_e64", "_sdwa", "_dpp", "_e64_dpp"})
    if (Mnemonic.ends_with(Suffix))
      return Mnemonic.drop_back(Suffix.size());
  return Mnemonic;
}

Program::Program(const Image &I) : I(I) {
  for (const Image::Range &R : I.Code) {
    CodeMap M;
    M.Begin = R.Begin;
    M.End = R.End;
    M.ByDword = std::make_unique<std::atomic<const Inst *>[]>((R.End - R.Begin) / 4 + 1);
    Maps.push_back(std::move(M));
  }
}

Program::~Program() = default;

const FunctionRange *Program::functionAt(uint64_t Address) const {
  auto It = llvm::upper_bound(I.Functions, Address,
                              [](uint64_t A, const FunctionRange &F) { return A < F.Begin; });
  if (It == I.Functions.begin())
    return nullptr;
  const FunctionRange &F = *std::prev(It);
  return Address < F.End ? &F : nullptr;
}

const Inst *Program::at(uint64_t Address) {
  for (CodeMap &M : Maps) {
    if (Address < M.Begin || Address >= M.End || Address % 4)
      continue;
    std::atomic<const Inst *> &Slot = M.ByDword[(Address - M.Begin) / 4];
    if (const Inst *Found = Slot.load(std::memory_order_acquire))
      return Found;
    std::lock_guard Lock(Mutex);
    if (const Inst *Found = Slot.load(std::memory_order_acquire))
      return Found;
    // From here to the end of the function, or to the next one where there is no symbol.
    uint64_t End = M.End;
    if (const FunctionRange *F = functionAt(Address)) {
      End = F->End;
    } else {
      auto Next = llvm::upper_bound(I.Functions, Address,
                                    [](uint64_t A, const FunctionRange &F) { return A < F.Begin; });
      if (Next != I.Functions.end())
        End = std::min(End, Next->Begin);
    }
    decodeRange(Address, End);
    return Slot.load(std::memory_order_acquire);
  }
  return nullptr;
}

void Program::decodeRange(uint64_t Begin, uint64_t End) {
  if (!Disasm)
    Disasm = &Disassembler::get(I.Processor);
  CodeMap *Map = nullptr;
  for (CodeMap &M : Maps)
    if (Begin >= M.Begin && Begin < M.End)
      Map = &M;
  const OpTable &Table = OpTable::get();
  uint32_t Index = Count.load(std::memory_order_relaxed);
  Block B;
  B.reserve((End - Begin) / 6 + 2);
  uint64_t Pc = Begin;
  while (Pc + 4 <= End) {
    // Where code was decoded before, that is used: two copies would be counted apart.
    if (Map->ByDword[(Pc - Map->Begin) / 4].load(std::memory_order_relaxed))
      break;
    // A copy with zeros behind it, for the last instruction of a segment.
    uint32_t Words[5] = {};
    std::memcpy(Words, reinterpret_cast<void *>(Pc), std::min<uint64_t>(20, End - Pc));
    uint64_t Size = 4;
    StringRef Mnemonic = Disasm->decode(ArrayRef(reinterpret_cast<uint8_t *>(Words), 20), Pc, Size);
    if (Pc + Size > End)
      Mnemonic = "";
    Inst Decoded;
    Decoded.Pc = Pc;
    Decoded.Index = Index++;
    Decoded.Block = Blocks.size();
    Decoded.Size = Size;
    const OpInfo *Op = Mnemonic.empty() ? nullptr : Table.find(baseMnemonic(Mnemonic));
    if (Op) {
      Decoded.Op = Op;
      Decoded.Class = Op->Class;
      Decoded.Run = Op->Run;
      decodeFields(Decoded, Words, Size, I.Processor);
    } else {
      static const OpInfo Unknown;
      Decoded.Op = &Unknown;
      Decoded.Run = runUnknown;
    }
    B.push_back(Decoded);
    Pc += Size;
  }
  Inst Last;
  Last.Pc = Pc;
  Last.Run = runContinue;
  Last.Index = Index++;
  Last.Block = Blocks.size();
  B.push_back(Last);
  Count.store(Index, std::memory_order_release);
  Blocks.push_back(std::move(B));

  // Direct branches inside the block need no lookup later.
  Block &Placed = Blocks.back();
  for (Inst &X : Placed)
    if (X.Op && (X.Op->Flags & OpTransfers) && X.Format == Encoding::Sopp) {
      uint64_t Target = X.Pc + 4 + int64_t(X.Imm) * 4;
      auto It =
          llvm::lower_bound(Placed, Target, [](const Inst &A, uint64_t P) { return A.Pc < P; });
      if (It != Placed.end() && It->Pc == Target)
        X.Target = &*It;
    }
  for (const Inst &X : Placed)
    if (X.Op)
      Map->ByDword[(X.Pc - Map->Begin) / 4].store(&X, std::memory_order_release);
}

void Program::decodeAll() {
  for (const FunctionRange &F : I.Functions)
    at(F.Begin);
  if (I.Functions.empty())
    for (const Image::Range &R : I.Code)
      at(R.Begin);
}

std::string Program::mnemonicAt(uint64_t Address) {
  std::lock_guard Lock(Mutex);
  if (!Disasm)
    Disasm = &Disassembler::get(I.Processor);
  for (const CodeMap &M : Maps)
    if (Address >= M.Begin && Address + 4 <= M.End) {
      uint32_t Words[5] = {};
      std::memcpy(Words, reinterpret_cast<void *>(Address),
                  std::min<uint64_t>(20, M.End - Address));
      uint64_t Size;
      StringRef Name =
          Disasm->decode(ArrayRef(reinterpret_cast<uint8_t *>(Words), 20), Address, Size);
      return Name.empty() ? "an invalid instruction" : Name.str();
    }
  return "no instruction";
}
