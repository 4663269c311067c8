// A barrier in a device function gets the strictest verdict of the kernels that call it.
// RUN: hk-opt rewrite %s -- %hip-flags 2>%t | FileCheck %s --check-prefix=DIFF
// RUN: FileCheck %s --input-file=%t
#include <hip/hip_runtime.h>

// CHECK: functions.hip:[[#@LINE+6]]:3: remark: barrier is needed: {{.*}} 'p' (in 'others') [hk-barriers]
// CHECK: functions.hip:[[#@LINE+4]]:18: note: write of 'p' before the barrier
// CHECK: functions.hip:[[#@LINE+13]]:23: note: {{read|write}} of 'p' after the barrier
// CHECK: note: in 'own' alone: barrier is redundant
static __device__ void both(float *p) {
  p[threadIdx.x] = 1.0f;
  __syncthreads(); // both
}
// DIFF-NOT: {{^[-+].*}}// both
__global__ void own(float *p) {
  both(p);
  p[threadIdx.x] += 1.0f;
}
__global__ void others(float *p) {
  both(p);
  p[threadIdx.x + 64] += 1.0f;
}

// CHECK: functions.hip:[[#@LINE+4]]:3: remark: barrier is redundant: {{.*}}; removed
// DIFF: {{^-}} __syncthreads(); // alike
static __device__ void alike(float *p) {
  p[threadIdx.x] = 2.0f;
  __syncthreads(); // alike
}
__global__ void first(float *p) { alike(p); }
__global__ void second(float *p) { alike(p + 64 * blockIdx.x); }

// Nothing is known of code that no kernel runs.
// CHECK: functions.hip:[[#@LINE+1]]:34: remark: barrier is unknown: kept, no kernel of this file calls
static __device__ void never() { __syncthreads(); }
// CHECK: functions.hip:[[#@LINE+2]]:60: remark: barrier is unknown: kept, no kernel of this file calls
template <typename T>
__device__ void never_instantiated(T *p) { p[threadIdx.x]; __syncthreads(); }

// Nor of what is called through a pointer.
// CHECK: functions.hip:[[#@LINE+2]]:3: remark: barrier is unknown: kept
static __device__ void by_pointer(float *p) {
  __syncthreads();
  p[threadIdx.x] = 3.0f;
}
__global__ void calls(float *p, int n) {
  void (*callee)(float *) = n ? by_pointer : nullptr;
  callee(p);
}
// DIFF-NOT: {{^-}}
