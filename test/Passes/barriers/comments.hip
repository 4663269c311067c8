// A weaker barrier says in a comment what it is for; a comment that is there stays, on the same line.
// RUN: hk-opt rewrite -o %t %s -- %hip-flags 2>/dev/null
// RUN: FileCheck %s --input-file=%t --match-full-lines --strict-whitespace
#include <hip/hip_runtime.h>
//      CHECK:  s[threadIdx.x] = in[threadIdx.x];
// CHECK-NEXT:  hk::sync::lds(); // the tile is full
// CHECK-NEXT:  float v = s[255 - threadIdx.x];
// CHECK-NEXT:  hk::sync::lds(); // orders LDS accesses only
// CHECK-NEXT:  s[threadIdx.x] = v; hk::sync::lds(); out[threadIdx.x] = s[threadIdx.x ^ 64];
__global__ __launch_bounds__(256) void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads(); // the tile is full
  float v = s[255 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = v; __syncthreads(); out[threadIdx.x] = s[threadIdx.x ^ 64];
}
