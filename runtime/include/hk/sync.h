//===- hk/sync.h - Workgroup, LDS-only and wave-level synchronization ------===//
//
// Three barriers, from strong to weak. Rewritten kernels call the weakest one that keeps every ordering the original
// barrier was needed for; hand-written kernels may call them too.
//
//   call                   waits for            orders between work-items      memory it orders
//   hk::sync::workgroup()  the workgroup        of the workgroup               LDS and global
//   hk::sync::lds()        the workgroup        of the workgroup               LDS only
//   hk::sync::wave()       the wavefront        of one wavefront               LDS and global
//
// All three must be reached by every work-item of the workgroup (wave(): of the wavefront) that has not returned.
//
// On AMD, lds() lets global loads and stores stay in flight across the barrier: its fences name the "local" address
// space alone, so the compiler waits on the LDS counter only. wave() is fences and a scheduling barrier without any
// instruction, since the lanes of a wavefront run together once the compiler keeps the order.
//
// On HIP's NVIDIA platform a warp has 32 lanes, and code written for a 64-lane wavefront may exchange data between two
// warps at a wave(): there lds() and wave() are the full barrier.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"

namespace hk::sync {

/// The full barrier: `__syncthreads()`.
HK_DEVICE void workgroup() { __syncthreads(); }

/// Barrier of the workgroup that orders LDS accesses only. Global accesses before it may complete after it.
HK_DEVICE void lds() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  // lgkmcnt(0) and no other counter. The fence asks for the same, but LLVM 22 loses that where the barrier begins a loop whose
  // stores come at its end.
  __builtin_amdgcn_s_waitcnt(0xc07f);
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#else
  __syncthreads();
#endif
}

/// Orders the memory accesses of the lanes of one wavefront; other wavefronts are not waited for.
HK_DEVICE void wave() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
  __syncthreads();
#endif
}

} // namespace hk::sync
