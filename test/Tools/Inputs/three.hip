#include <hip/hip_runtime.h>

// Its barriers are wave-level, LDS-only, needed, needed and redundant; one is missing.
__global__ __launch_bounds__(256) void three(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float t[256];
  t[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float v = t[threadIdx.x ^ 1];
  t[threadIdx.x] = v;
  __syncthreads();
  out[threadIdx.x] = t[255 - threadIdx.x];
  __syncthreads();
  float w = out[threadIdx.x ^ 128];
  __syncthreads();
  out[threadIdx.x] = w;
  __syncthreads();
}
