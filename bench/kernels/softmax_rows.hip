// Softmax, a work-item a row.
// Arguments: rows columns. Simulated: 64 512. Uneven: 130 100. GPU: 8192 4096
#include "common.h"

__global__ void softmax(const float *x, float *y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *in = x + (size_t)r * columns;
  float *out = y + (size_t)r * columns;
  float top = in[0];
  for (int c = 1; c < columns; ++c)
    top = fmaxf(top, in[c]);
  float sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += expf(in[c] - top);
  for (int c = 0; c < columns; ++c)
    out[c] = expf(in[c] - top) / sum;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {130, 100});
  const int rows = bench[0], columns = bench[1];
  const auto values = noiseVector(size_t(rows) * columns);
  Device<float> x(values), y(values.size());
  while (bench.next())
    softmax<<<blocksFor(rows, 128), 128>>>(x, y, rows, columns);
  std::vector<double> sum(rows);
  for (size_t i = 0; i != values.size(); ++i)
    sum[i / columns] += std::exp(double(values[i]));
  return bench.check(y.host(), [&](size_t i) { return std::exp(double(values[i])) / sum[i / columns]; }, 1e-5, 1.0 / columns);
}
