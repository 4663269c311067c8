#include <hip/hip_runtime.h>
__global__ void renamed(int *p) { __syncthreads(); *p = 1; }
