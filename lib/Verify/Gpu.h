//===- Gpu.h - Cases on a GPU, through the HIP library ----------*- C++ -*-===//
//
// The library is loaded when it is needed, so that a machine without one can do
// without. Its functions are called by their C interface, which is stable.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Inputs.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace hk::verification {

/// What a launch left behind.
struct GpuMemory {
  std::vector<std::vector<uint8_t>> Buffers;
  std::map<std::string, std::vector<uint8_t>> Variables;
};

class Gpu {
public:
  /// The first GPU.
  static llvm::Expected<std::unique_ptr<Gpu>> open();
  /// What HK_HIP_LIBRARY says, else empty: libamdhip64 as the system has it.
  static llvm::StringRef library();
  /// Its name, as a process of its own finds it: a process that has used the library cannot fork any more.
  static llvm::Expected<std::string> probe();
  ~Gpu();

  std::string name() const;
  /// Launches \p Kernel of \p Image on a copy of the inputs and waits. \p Variables: of the module, with their sizes.
  /// After an error the GPU is in no state for another launch.
  llvm::Expected<GpuMemory> launch(llvm::ArrayRef<uint8_t> Image, const std::string &Kernel, bool Cooperative,
                                   const CaseInputs &Inputs,
                                   const std::vector<std::pair<std::string, uint64_t>> &Variables);

private:
  struct Library;
  explicit Gpu(std::unique_ptr<Library> L);
  std::unique_ptr<Library> L;
};

} // namespace hk::verification
