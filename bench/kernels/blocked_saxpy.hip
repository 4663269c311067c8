// y = a x + y, where each work-item has a block of consecutive elements.
// Arguments: n each. Simulated: 16384 64. Uneven: 9001 16. GPU: 33554432 64
#include "common.h"

__global__ void saxpy(float a, const float *x, const float *y, float *z, int n, int each) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = first; i < first + each && i < n; ++i)
    z[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {9001, 16});
  const int n = bench[0], each = bench[1];
  const auto u = noiseVector(n), v = noiseVector(n, 2);
  Device<float> x(u), y(v), z(n);
  while (bench.next())
    saxpy<<<blocksFor(blocksFor(n, each), 256), 256>>>(0.5f, x, y, z, n, each);
  return bench.check(z.host(), [&](size_t i) { return 0.5 * u[i] + v[i]; }, 1e-6);
}
