// c = a * b: nothing to coalesce, only to widen.
// Arguments: n. Simulated: 1048576. Uneven: 1050001. GPU: 33554432
#include "common.h"

__global__ void vector_multiply(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] * b[i];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {10007});
  const int n = bench[0];
  const auto x = noiseVector(n), y = noiseVector(n, 2);
  Device<float> a(x), b(y), c(n);
  while (bench.next())
    vector_multiply<<<blocksFor(n, 256), 256>>>(a, b, c, n);
  return bench.check(c.host(), [&](size_t i) { return x[i] * y[i]; });
}
