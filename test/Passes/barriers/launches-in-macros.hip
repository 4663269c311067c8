// Launches are seen through macros: both barriers are wave-level because of the block sizes there.
// RUN: hk-opt rewrite %s -- %hip-flags 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>
#define LAUNCH(kernel, grid, block, ...) \
  do { \
    hipLaunchKernelGGL(kernel, dim3(grid), dim3(block), 0, 0, __VA_ARGS__); \
  } while (0)
#define GO mirror<<<1, 64>>>(p)
#define INDEX (threadIdx.x + blockDim.x * blockIdx.x)

// CHECK: launches-in-macros.hip:[[#@LINE+5]]:3: remark: barrier is wave-level
// CHECK: note: [proved] the kernel is launched with 64x1x1
static __global__ void mirror(float *p) {
  __shared__ float s[64];
  s[threadIdx.x] = p[INDEX];
  __syncthreads();
  p[INDEX] = s[63 - threadIdx.x];
}
// CHECK: launches-in-macros.hip:[[#@LINE+6]]:3: remark: barrier is wave-level
// CHECK: note: [proved] the kernel is launched with 16x4x1
template <typename T>
static __global__ void mirror_rows(T *p) {
  __shared__ T s[64];
  s[threadIdx.x + 16 * threadIdx.y] = p[INDEX];
  __syncthreads();
  p[INDEX] = s[threadIdx.x + 16 * (3 - threadIdx.y)];
}
void host(float *p) {
  GO;
  LAUNCH((mirror_rows<float>), 4, dim3(16, 4), p);
}
// CHECK: 2 kernels: 2 rewrites, 0 declined
