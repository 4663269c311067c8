// LayerNorm in two passes over the row, a work-item a row; rows have a pitch.
// Arguments: rows columns pitch. Simulated: 64 256 256. Uneven: 100 90 96. GPU: 16384 4096 4096
#include "common.h"

__global__ void layernorm(const float *x, const float *gamma, const float *beta, float *y, int rows, int columns,
                          int pitch) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float mean = 0;
    for (int i = 0; i < columns; ++i)
      mean += x[row * pitch + i];
    mean /= columns;
    float variance = 0;
    for (int i = 0; i < columns; ++i)
      variance += (x[row * pitch + i] - mean) * (x[row * pitch + i] - mean);
    variance /= columns;
    float scale = rsqrtf(variance + 1e-5f);
    for (int i = 0; i < columns; ++i)
      y[row * pitch + i] = (x[row * pitch + i] - mean) * scale * gamma[i] + beta[i];
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {100, 90, 96});
  const int rows = bench[0], columns = bench[1], pitch = std::max(bench[1], bench[2]);
  const auto values = noiseVector(size_t(rows) * pitch), g = noiseVector(columns, 2), b = noiseVector(columns, 3);
  Device<float> x(values), gamma(g), beta(b), y(std::vector<float>(values.size(), -7.0f));
  bench.moves(sizeof(float) * (2 * size_t(rows) * columns + 2 * columns));
  while (bench.next())
    layernorm<<<blocksFor(rows, 64), 64>>>(x, gamma, beta, y, rows, columns, pitch);
  std::vector<double> mean(rows), variance(rows);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c)
      mean[r] += values[size_t(r) * pitch + c];
    mean[r] /= columns;
    for (int c = 0; c < columns; ++c)
      variance[r] += std::pow(values[size_t(r) * pitch + c] - mean[r], 2);
    variance[r] /= columns;
  }
  return bench.check(y.host(), [&](size_t i) {
    const size_t r = i / pitch, c = i % pitch;
    return c >= size_t(columns) ? -7.0 : (values[i] - mean[r]) / std::sqrt(variance[r] + 1e-5) * g[c] + b[c];
  }, 1e-5);
}
