// Split barriers exist on newer targets.
// RUN: hk-parse-dump --target=gfx1200 %s -- -x hip --rocm-path=%rocm-path | FileCheck %s
#include <hip/hip_runtime.h>
__global__ void k() {
  // CHECK: sync raw-barrier at sync-split-barrier.hip:[[#@LINE+1]]:3 '__builtin_amdgcn_s_barrier_signal(-1)'
  __builtin_amdgcn_s_barrier_signal(-1);
  // CHECK: sync raw-barrier at sync-split-barrier.hip:[[#@LINE+1]]:3 '__builtin_amdgcn_s_barrier_wait(-1)'
  __builtin_amdgcn_s_barrier_wait(-1);
}
