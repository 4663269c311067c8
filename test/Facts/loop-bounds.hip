// The bounds of the commonest loops.
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel counted
// CHECK: loop L0 {{.*}} trips n, {{.*}}uniform
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
