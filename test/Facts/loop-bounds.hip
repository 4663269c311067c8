// The bounds of the commonest loops.
// Missing: "computed (a minimum or maximum)" for `k < n`; a loop that steps by blockDim.x itself has accesses through "a loop
// variable that does not grow by a fixed step", though the step is the same in each iteration.
// XFAIL: *
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel counted
// CHECK: loop L0 {{.*}} trips {{.*\bn\b.*}}, uniform
__global__ void counted(float *out, int n) {
  for (int k = 0; k < n; ++k)
    out[k * 64 + threadIdx.x] = 0.0f;
}

// CHECK-LABEL: kernel block_stride
// CHECK: write global 'out', 4 bytes
// CHECK-NEXT: address: out + {{.*}}blockDim.x{{.*}}
// CHECK-NEXT: lane stride: 4 bytes
__global__ void block_stride(float *out) {
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    out[i] = 0.0f;
}
