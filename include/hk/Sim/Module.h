//===- Module.h - A code object, loaded -------------------------*- C++ -*-===//
//
// Takes the ELF image that clang emits for a GPU, places its segments in
// memory, applies its relocations, and reads what the image says of itself:
// kernels with their descriptors and arguments, global variables, line tables.
// An image is input from outside: whatever is wrong with it is an llvm::Error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Sim/Memory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hk::sim {

class Module;
class Program; // the decoded instructions; private to lib/Sim

struct KernelArgument {
  std::string Name;      ///< as in the source, if the compiler kept it
  std::string ValueKind; ///< "by_value", "global_buffer", "hidden_block_count_x", ...
  uint32_t Offset = 0;
  uint32_t Size = 0;
  bool hidden() const { return llvm::StringRef(ValueKind).starts_with("hidden_"); }
};

struct Kernel {
  std::string Name;   ///< as programs ask for it, mangled
  std::string Symbol; ///< of the descriptor, NAME.kd
  const Module *Owner = nullptr;

  std::vector<KernelArgument> Arguments; ///< hidden ones too
  uint32_t KernargSize = 0;              ///< all of the segment
  uint32_t ExplicitSize = 0;             ///< up to the end of the last argument that is not hidden
  uint32_t LdsSize = 0;                  ///< static
  uint32_t PrivateSize = 0;              ///< a work-item; without what calls at run time may need
  bool DynamicStack = false;
  uint32_t MaxWorkgroupSize = 1024;
  uint32_t RequiredWorkgroupSize[3] = {0, 0, 0}; ///< zeros: none required
  unsigned Vgprs = 0, Agprs = 0, Sgprs = 0;
  unsigned VgprSpills = 0, SgprSpills = 0;

  uint64_t Entry = 0; ///< address of the first instruction
  uint32_t Rsrc1 = 0, Rsrc2 = 0, Rsrc3 = 0;
  uint16_t Properties = 0;    ///< which user SGPRs are set up
  uint16_t KernargPreload = 0; ///< bits 0-6: dwords; 7-15: first dword
};

struct Variable {
  std::string Name;
  uint64_t Address = 0;
  uint64_t Size = 0;
};

struct SourceLine {
  std::string File;
  unsigned Line = 0, Column = 0;
};

class Module {
public:
  /// \p Image is an AMDGPU ELF image, which is copied. Symbols that the image leaves undefined are
  /// asked from \p Resolve, which returns 0 for what it does not know.
  static llvm::Expected<std::unique_ptr<Module>>
  load(llvm::ArrayRef<uint8_t> Image, DeviceMemory &Memory,
       std::function<uint64_t(llvm::StringRef)> Resolve = nullptr);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// In the order of the image's metadata.
  llvm::ArrayRef<std::unique_ptr<Kernel>> kernels() const;
  const Kernel *kernel(llvm::StringRef Name) const;
  /// Writable and constant variables of external linkage, sorted by name.
  llvm::ArrayRef<Variable> variables() const;
  const Variable *variable(llvm::StringRef Name) const;

  /// "gfx942"
  llvm::StringRef processor() const;
  /// "hip", if the metadata names printf formats: their text in order, for hidden_printf_buffer.
  llvm::ArrayRef<std::string> printfFormats() const;

  /// The source line of the instruction at an address of this module, if there are line tables.
  std::optional<SourceLine> sourceLine(uint64_t Address) const;
  /// The function that an address is in; empty if unknown.
  llvm::StringRef functionAt(uint64_t Address) const;
  bool containsCode(uint64_t Address) const;

  /// Mnemonics that \p K may reach by direct flow and the simulator cannot execute, each with its
  /// address: "v_foo_b32 at 0x1234 (k.hip:12)". Sorted; empty is good.
  std::vector<std::string> unknownInstructions(const Kernel &K) const;
  /// Mnemonics of all instructions of the module's functions and how often each occurs; a trailing
  /// "?" marks those without an implementation.
  std::vector<std::pair<std::string, unsigned>> mnemonics() const;

  Program &program() const;

private:
  struct Parts;
  explicit Module(std::unique_ptr<Parts> P);
  std::unique_ptr<Parts> P;
};

/// A device code object for \p Processor ("gfx942") from an executable, object, fat binary
/// (__CLANG_OFFLOAD_BUNDLE__, also compressed: CCOB) or a code object itself.
llvm::Expected<std::vector<uint8_t>> extractCodeObject(llvm::ArrayRef<uint8_t> Bytes,
                                                       llvm::StringRef Processor);

} // namespace hk::sim
