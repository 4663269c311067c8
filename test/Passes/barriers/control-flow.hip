// Control flow that the analyses do not follow: unknown, with the reason, and never edited.
// RUN: hk-opt rewrite %s -- %hip-flags 2>%t | count 0
// RUN: FileCheck %s --input-file=%t
#include <hip/hip_runtime.h>

// CHECK: control-flow.hip:[[#@LINE+6]]:3: remark: barrier is unknown: kept, {{.*}}irreducible
__global__ void into_the_loop(float *p, int n) {
  int i = 0;
  if (n & 1) goto middle;
top:
  p[threadIdx.x] += i;
  __syncthreads();
middle:
  p[threadIdx.x] *= 2;
  if (++i < n) goto top;
}

// CHECK: control-flow.hip:[[#@LINE+3]]:3: remark: barrier is unknown: kept
// CHECK: control-flow.hip:[[#@LINE+7]]:3: remark: barrier is unknown: kept, {{.*}}'countdown
static __device__ __attribute__((noinline)) int countdown(int n) {
  __syncthreads();
  return n < 2 ? n : countdown(n - 1) + countdown(n - 2);
}
__global__ void recursive(int *p) {
  p[threadIdx.x] = countdown(p[0]);
  __syncthreads();
}

// CHECK: control-flow.hip:[[#@LINE+5]]:5: warning: barrier in divergent flow
// CHECK: control-flow.hip:[[#@LINE+9]]:3: remark: barrier is unknown: kept, another barrier
__global__ void cases(int *p) {
  switch (threadIdx.x) {
  case 0:
    __syncthreads();
    break;
  default:
    p[threadIdx.x] = 1;
  }
  __syncthreads();
}

// CHECK: control-flow.hip:[[#@LINE+4]]:3: remark: barrier is {{needed|unknown}}: {{.*}}inline assembly
__global__ void assembly(int *p) {
  p[threadIdx.x] = 1;
  asm volatile("s_nop 0" ::: "memory");
  __syncthreads();
  asm volatile("s_nop 0" ::: "memory");
  p[threadIdx.x] = 2;
}
