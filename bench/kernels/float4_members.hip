// Members of a float4, which are one 128-bit load already. Nothing to rewrite.
// Arguments: n. Simulated: 6144. Uneven: 6000. GPU: 16777216
#include "common.h"

__global__ void lengths(const float4 *v, float *length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    length[i] = sqrtf(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w);
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {6000});
  const int n = bench[0];
  std::vector<float4> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = make_float4(noise(i, 1), noise(i, 2), noise(i, 3), noise(i, 4));
  Device<float4> v(values);
  Device<float> length(n);
  while (bench.next())
    lengths<<<blocksFor(n, 256), 256>>>(v, length, n);
  return bench.check(length.host(), [&](size_t i) {
    double sum = 0;
    for (int k = 1; k <= 4; ++k)
      sum += std::pow(double(noise(i, k)), 2);
    return std::sqrt(sum);
  }, 1e-6);
}
