#include <hip/hip_runtime.h>
__global__ void small(float *p) {
  p[threadIdx.x] = 1.0f;
  __syncthreads();
}
