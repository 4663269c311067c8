// What is proved for one kernel only is not said of a barrier that another one needs.
// RUN: hk-opt rewrite %s -- %hip-flags 2>&1 | FileCheck %s --implicit-check-not='[proved]'
#include <hip/hip_runtime.h>

// CHECK: disagreement.hip:[[#@LINE+3]]:3: remark: barrier is needed: {{.*}} 'p' (in 'others') [hk-barriers]
static __device__ void both(float *p) {
  p[threadIdx.x] = 1.0f;
  __syncthreads();
}
__global__ void own(float *p) {
  both(p);
  p[threadIdx.x] += 1.0f;
}
__global__ void others(float *p) {
  both(p);
  p[threadIdx.x + 64] += 1.0f;
}
// CHECK: 2 kernels: 0 rewrites
