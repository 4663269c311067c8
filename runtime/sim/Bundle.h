//===- Bundle.h - How long an image in memory is --------------------------===//

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace hk::hip {

/// The whole image that starts at \p Start: an offload bundle, compressed or not, or an ELF file.
/// Callers of the HIP API pass no length; the image itself has to tell.
llvm::Expected<llvm::ArrayRef<uint8_t>> imageAt(const void *Start);

} // namespace hk::hip
