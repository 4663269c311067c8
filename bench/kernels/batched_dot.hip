// Dot products of many short vectors, a work-item a pair.
// Arguments: batch length. Simulated: 512 64. Uneven: 600 24. GPU: 1048576 64
#include "common.h"

__global__ void batched_dot(const float *a, const float *b, float *c, int batch, int length) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= batch)
    return;
  float sum = 0;
  for (int i = 0; i < length; ++i)
    sum += a[n * length + i] * b[n * length + i];
  c[n] = sum;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {600, 24});
  const int batch = bench[0], length = bench[1];
  const auto u = noiseVector(size_t(batch) * length), v = noiseVector(u.size(), 2);
  Device<float> a(u), b(v), c(batch);
  while (bench.next())
    batched_dot<<<blocksFor(batch, 256), 256>>>(a, b, c, batch, length);
  return bench.check(c.host(), [&](size_t n) {
    double sum = 0;
    for (int i = 0; i < length; ++i)
      sum += double(u[n * length + i]) * v[n * length + i];
    return sum;
  }, 1e-5, std::sqrt(double(length)));
}
