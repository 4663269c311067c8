// Vectors of a fixed length of sixteen are normalized, a work-item each, through an array of its own.
// Arguments: batch. Simulated: 768. Uneven: 700. GPU: 2097152
#include "common.h"

constexpr int kLength = 16;

__global__ void normalize(const float *in, float *out, int batch) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= batch)
    return;
  float v[kLength], squares = 0;
#pragma unroll
  for (int i = 0; i < kLength; ++i) {
    v[i] = in[n * kLength + i];
    squares += v[i] * v[i];
  }
  const float inverse = 1.0f / sqrtf(squares + 1e-12f);
#pragma unroll
  for (int i = 0; i < kLength; ++i)
    out[n * kLength + i] = v[i] * inverse;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {700});
  const int batch = bench[0];
  const auto values = noiseVector(size_t(batch) * kLength);
  Device<float> in(values), out(values.size());
  while (bench.next())
    normalize<<<blocksFor(batch, 256), 256>>>(in, out, batch);
  return bench.check(out.host(), [&](size_t i) {
    double squares = 1e-12;
    for (int k = 0; k < kLength; ++k)
      squares += std::pow(double(values[i / kLength * kLength + k]), 2);
    return values[i] / std::sqrt(squares);
  }, 1e-5);
}
