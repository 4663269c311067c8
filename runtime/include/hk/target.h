//===- hk/target.h - The device a launch goes to --------------------------===//
//
// What schedules are chosen from. `currentTarget()` asks the runtime once per device; afterwards it is a lookup, so that
// a launch costs no query.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"

#include <atomic>
#include <cstring>

namespace hk {

enum class Arch { Gfx90a, Gfx942, Gfx950, Sm80, Sm90 };

struct Target {
  Arch arch;
  int computeUnits; ///< compute units of the device; streaming multiprocessors on NVIDIA
};

/// Fp8 numbers of the target's own instructions: FNUZ on gfx942, OCP on gfx950 and NVIDIA. gfx90a has none; OCP by default.
inline bool usesFnuz(const Target &target) { return target.arch == Arch::Gfx942; }

/// The target of the calling thread's current device. hipErrorNotSupported for one that no schedule is known for.
inline hipError_t currentTarget(Target &target) {
  constexpr int MaxDevices = 64;
  static std::atomic<int> known[MaxDevices]; // arch + 1, computeUnits << 8; 0: not asked yet
  int device = 0;
  if (hipError_t error = hipGetDevice(&device); error != hipSuccess)
    return error;
  int packed = device < MaxDevices ? known[device].load(std::memory_order_relaxed) : 0;
  if (!packed) {
    hipDeviceProp_t properties;
    if (hipError_t error = hipGetDeviceProperties(&properties, device); error != hipSuccess)
      return error;
    Arch arch;
#if HK_AMD
    const char *name = properties.gcnArchName;
    if (!std::strncmp(name, "gfx90a", 6))
      arch = Arch::Gfx90a;
    else if (!std::strncmp(name, "gfx942", 6))
      arch = Arch::Gfx942;
    else if (!std::strncmp(name, "gfx950", 6))
      arch = Arch::Gfx950;
    else
      return hipErrorNotSupported;
#else
    if (properties.major < 8)
      return hipErrorNotSupported;
    arch = properties.major >= 9 ? Arch::Sm90 : Arch::Sm80;
#endif
    packed = (int(arch) + 1) | properties.multiProcessorCount << 8;
    if (device < MaxDevices)
      known[device].store(packed, std::memory_order_relaxed);
  }
  target = {Arch((packed & 0xff) - 1), packed >> 8};
  return hipSuccess;
}

} // namespace hk
