//===- hk/platform.h - What differs between the two HIP platforms ---------===//
//
// The core kernels are one source for AMD's compiler and for nvcc. This header is the only one that includes the
// platform's runtime, and defines
//
//   HK_AMD, HK_NVIDIA      0 or 1: which compiler this is
//   HK_DEVICE              a device function that is always inlined
//   HK_HOST_DEVICE         the same for both sides
//   hk::WaveSize           lanes of a wavefront: 64 on CDNA; 32 on NVIDIA, where it is a warp
//
// Under nvcc without HIP's own NVIDIA headers, the few runtime names that these headers use are CUDA's under HIP's
// names (hk/detail/cuda_as_hip.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#if defined(__CUDACC__) && !defined(__HIP__)
#define HK_AMD 0
#define HK_NVIDIA 1
#else
#define HK_AMD 1
#define HK_NVIDIA 0
#endif

#if HK_AMD
#include <hip/hip_runtime.h>
#elif defined(__has_include)
#if __has_include(<hip/nvidia_detail/nvidia_hip_runtime.h>)
#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#include <hip/hip_runtime.h>
#else
#include "hk/detail/cuda_as_hip.h"
#endif
#endif

#include <cstdint>

#if HK_AMD
#define HK_DEVICE __device__ inline __attribute__((always_inline))
#define HK_HOST_DEVICE __host__ __device__ inline __attribute__((always_inline))
#else
#define HK_DEVICE __device__ __forceinline__
#define HK_HOST_DEVICE __host__ __device__ __forceinline__
#endif

namespace hk {

constexpr int WaveSize = HK_AMD ? 64 : 32;

} // namespace hk
