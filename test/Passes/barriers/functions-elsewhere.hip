// With -fgpu-rdc other files may call a device function of external linkage: its barriers stay. What this file alone can
// call is rewritten as ever.
// RUN: hk-opt rewrite %s -- %hip-flags -fgpu-rdc 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK: functions-elsewhere.hip:[[#@LINE+3]]:3: remark: barrier is {{.*}}kept
__device__ void publish(float *p, float v) {
  p[threadIdx.x] = v;
  __syncthreads();
}
// CHECK: functions-elsewhere.hip:[[#@LINE+3]]:3: remark: barrier is redundant: {{.*}}; removed
static __device__ void here(float *p, float v) {
  p[threadIdx.x] = v;
  __syncthreads();
}
__global__ void k(float *p) {
  publish(p, 1.0f);
  p[threadIdx.x] += 1.0f;
  here(p, 1.0f);
  p[threadIdx.x] += 1.0f;
}
