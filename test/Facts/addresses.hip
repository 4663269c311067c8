// Addresses that have a simple form in the source.
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel double_buffer
// CHECK: write LDS 'buffer', 4 bytes
// CHECK-NOT: address: {{.*}}256*L0 + 4*threadIdx.x
// CHECK: write global 'out', 4 bytes
__global__ void double_buffer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float buffer[2][64];
  for (int k = 0; k < n; ++k) {
    buffer[k & 1][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[k & 1][63 - threadIdx.x];
  }
}

// CHECK-LABEL: kernel fields
// CHECK: read global {{.*}}, 4 bytes
// CHECK-NEXT: address: args{{.*}} + 4*threadIdx.x
// CHECK-NEXT: lane stride: 4 bytes
struct Args {
  float *x;
  float *y;
};
__global__ void fields(Args args) { args.x[threadIdx.x] = args.y[threadIdx.x]; }

// CHECK-LABEL: kernel spins
// CHECK: read global 'ready', 4 bytes, volatile
// CHECK-NEXT: address: ready
// CHECK-NEXT: lane stride: 0 bytes
__global__ void spins(volatile int *ready) {
  while (*ready == 0) {
  }
}
