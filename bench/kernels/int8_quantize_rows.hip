// int8 with a scale for each row, a work-item a row.
// Arguments: rows columns. Simulated: 64 512. Uneven: 96 110. GPU: 8192 8192
#include "common.h"

__global__ void quantize(const float *x, signed char *q, float *scale, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float largest = 0;
  for (int i = 0; i < columns; ++i)
    largest = fmaxf(largest, fabsf(x[row * columns + i]));
  const float s = largest > 0 ? largest / 127.0f : 1.0f;
  for (int i = 0; i < columns; ++i)
    q[row * columns + i] = (signed char)rintf(x[row * columns + i] / s);
  scale[row] = s;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {96, 110});
  const int rows = bench[0], columns = bench[1];
  const auto values = noiseVector(size_t(rows) * columns);
  Device<float> x(values), scale(rows);
  Device<signed char> q(values.size());
  while (bench.next())
    quantize<<<blocksFor(rows, 64), 64>>>(x, q, scale, rows, columns);
  std::vector<float> largest(rows);
  for (size_t i = 0; i != values.size(); ++i)
    largest[i / columns] = std::max(largest[i / columns], std::abs(values[i]));
  const auto scales = scale.host();
  for (int r = 0; r < rows; ++r)
    if (scales[r] != largest[r] / 127.0f) {
      std::printf("FAIL: scale %d: %g, not %g\n", r, scales[r], largest[r] / 127.0f);
      return 1;
    }
  return bench.check(q.host(), [&](size_t i) { return std::rint(values[i] / (largest[i / columns] / 127.0f)); });
}
