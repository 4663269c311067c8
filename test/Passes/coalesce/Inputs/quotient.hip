// Neighbours along x are neighbours in memory, from a quotient on.
#include <hip/hip_runtime.h>

__global__ void filtered(const float *__restrict__ in, const float *__restrict__ taps, float *__restrict__ out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  const int start = i - n / 2;
  for (int j = 0; j < n; ++j)
    if (start + j >= 0 && start + j < width)
      sum += in[start + j] * taps[j];
  out[i] = sum;
}

void run(const float *in, const float *taps, float *out, int width, int n) { filtered<<<width / 64, 64>>>(in, taps, out, width, n); }
