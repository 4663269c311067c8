//===- Image.h - An ELF code object placed in memory ------------*- C++ -*-===//
#pragma once

#include "hk/Sim/Memory.h"
#include "hk/Sim/Module.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hk::sim {

/// A function of the text: half-open range of addresses.
struct FunctionRange {
  uint64_t Begin = 0, End = 0;
  std::string Name;
};

/// Segments where they run, relocated; symbols and metadata as plain data with final addresses.
class Image {
public:
  static llvm::Expected<std::unique_ptr<Image>>
  load(llvm::ArrayRef<uint8_t> Bytes, DeviceMemory &Memory,
       const std::function<uint64_t(llvm::StringRef)> &Resolve);
  ~Image();

  std::vector<uint8_t> File; ///< the image as it came, for line tables
  std::string Processor;
  uint64_t Bias = 0; ///< what is added to an address of the file
  uint8_t *Begin = nullptr;
  uint64_t Size = 0;

  struct Range {
    uint64_t Begin, End;
  };
  std::vector<Range> Code;              ///< executable segments
  std::vector<FunctionRange> Functions; ///< sorted, not overlapping
  std::vector<Variable> Variables;      ///< sorted by name
  std::vector<std::unique_ptr<Kernel>> Kernels;
  std::vector<std::string> PrintfFormats;

  bool contains(uint64_t Address, uint64_t Bytes) const {
    uint64_t Offset = Address - reinterpret_cast<uint64_t>(Begin);
    return Offset <= Size && Bytes <= Size - Offset;
  }
  bool isCode(uint64_t Address) const {
    for (const Range &R : Code)
      if (Address >= R.Begin && Address < R.End)
        return true;
    return false;
  }

private:
  explicit Image(DeviceMemory &Memory) : Memory(Memory) {}
  template <class ELFT> friend class ImageLoader;

  DeviceMemory &Memory;
  std::vector<void *> Adopted;
};

/// Kernels and printf formats from the metadata note, without addresses.
llvm::Error readMetadata(llvm::StringRef Note, std::vector<std::unique_ptr<Kernel>> &Kernels,
                         std::vector<std::string> &PrintfFormats);

} // namespace hk::sim
