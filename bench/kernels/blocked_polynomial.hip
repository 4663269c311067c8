// A polynomial of each element, for a fixed number of blocks: the share of a work-item follows from the grid.
// Arguments: n. Simulated: 65536. Uneven: 12345. GPU: 33554432
#include "common.h"

__global__ void polynomial(const float *x, float *y, size_t n) {
  const size_t workers = (size_t)gridDim.x * blockDim.x;
  const size_t share = (n + workers - 1) / workers;
  const size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (size_t k = 0; k < share; ++k) {
    const size_t i = id * share + k;
    if (i < n) {
      const float v = x[i];
      y[i] = ((0.25f * v - 0.5f) * v + 1.0f) * v - 2.0f;
    }
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {12345});
  const int n = bench[0];
  const auto values = noiseVector(n);
  Device<float> x(values), y(n);
  const unsigned blocks = n > 1000000 ? 1024 : 4;
  while (bench.next())
    polynomial<<<blocks, 256>>>(x, y, n);
  return bench.check(y.host(), [&](size_t i) {
    const double v = values[i];
    return ((0.25 * v - 0.5) * v + 1) * v - 2;
  }, 1e-6);
}
