// int8 to float with a scale for each group of columns, a row of the matrix on threadIdx.x.
// Arguments: rows columns group. Simulated: 64 512 32. Uneven: 60 128 32. GPU: 8192 8192 128
#include "common.h"

__global__ void dequantize(const int8_t *q, const float *scales, float *x, int rows, int columns, int group) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns)
    x[r * columns + c] = q[r * columns + c] * scales[r * (columns / group) + c / group];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {60, 128, 32});
  const int rows = bench[0], group = bench[2], columns = std::max(1, bench[1] / group) * group;
  const auto values = generate<int8_t>(size_t(rows) * columns, [](size_t i) { return noise(i) * 127; });
  const auto s = noiseVector(values.size() / group, 2);
  Device<int8_t> q(values);
  Device<float> scales(s), x(values.size());
  const dim3 block(16, 16), grid(blocksFor(rows, 16), blocksFor(columns, 16));
  while (bench.next())
    dequantize<<<grid, block>>>(q, scales, x, rows, columns, group);
  return bench.check(x.host(), [&](size_t i) { return values[i] * s[i / group]; });
}
