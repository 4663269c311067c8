//===- Program.h - The decoded instructions of a module ---------*- C++ -*-===//
//
// Decoding is lazy, a function at a time: a module has far more code than a
// launch runs. Instructions lie in program order in blocks, so the next one is
// the next in memory; a block ends with an entry that looks up what follows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Image.h"
#include "Inst.h"

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace llvm {
class MCInst;
}

namespace hk::sim {

class Disassembler;

class Program {
public:
  explicit Program(const Image &I);
  ~Program();

  /// The instruction at an address; null if it is not code. Decodes if need be.
  const Inst *at(uint64_t Address);
  /// Number of instructions decoded so far; each Inst::Index is below it.
  uint32_t count() const { return Count.load(std::memory_order_acquire); }
  /// Calls \p Do for each decoded instruction.
  template <class Fn> void forEach(Fn Do) {
    std::lock_guard Lock(Mutex);
    for (const Block &B : Blocks)
      for (const Inst &I : B)
        if (I.Op)
          Do(I);
  }
  /// The same for one block. Blocks are numbered by Inst::Block.
  template <class Fn> void forEachOf(uint32_t Block, Fn Do) {
    std::lock_guard Lock(Mutex);
    for (const Inst &I : Blocks[Block])
      if (I.Op)
        Do(I);
  }
  /// The instructions of a block have consecutive numbers: the first one.
  uint32_t firstIndexOf(uint32_t Block) {
    std::lock_guard Lock(Mutex);
    return Blocks[Block].front().Index;
  }
  uint32_t sizeOf(uint32_t Block) {
    std::lock_guard Lock(Mutex);
    return uint32_t(Blocks[Block].size());
  }
  /// Decodes every function of the image.
  void decodeAll();
  /// The mnemonic of what is at an address, also if nothing executes it.
  std::string mnemonicAt(uint64_t Address);
  const FunctionRange *functionAt(uint64_t Address) const;

private:
  using Block = std::vector<Inst>;

  void decodeRange(uint64_t Begin, uint64_t End);

  const Image &I;
  std::mutex Mutex;
  Disassembler *Disasm = nullptr; ///< once it is needed
  std::deque<Block> Blocks;
  struct CodeMap {
    uint64_t Begin = 0, End = 0;
    std::unique_ptr<std::atomic<const Inst *>[]> ByDword;
  };
  std::vector<CodeMap> Maps;
  std::atomic<uint32_t> Count = 0;
};

/// "v_add_f32_e32" -> "v_add_f32"
llvm::StringRef baseMnemonic(llvm::StringRef Mnemonic);

/// Reads the fields of an instruction from its words. \p Words has at least Size bytes.
void decodeFields(Inst &I, const uint32_t *Words, unsigned Size, llvm::StringRef Processor);
Encoding encodingOf(uint32_t Word);

/// Handlers of instructions that nobody implements, and of the end of a block.
void runUnknown(Wave &W, const Inst &I);
void runContinue(Wave &W, const Inst &I);

} // namespace hk::sim
