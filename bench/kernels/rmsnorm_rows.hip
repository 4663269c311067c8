// RMSNorm, a work-item a row.
// Arguments: rows columns. Simulated: 64 512. Uneven: 130 96. GPU: 4096 16384
#include "common.h"

__global__ void rmsnorm(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ weight, int rows,
                        int columns, float epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float squares = 0.0f;
  for (int i = 0; i < columns; i++) {
    const float v = x[row * columns + i];
    squares += v * v;
  }
  const float inverse = 1.0f / sqrtf(squares / columns + epsilon);
  for (int i = 0; i < columns; i++)
    y[row * columns + i] = x[row * columns + i] * inverse * weight[i];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {130, 96});
  const int rows = bench[0], columns = bench[1];
  const auto values = noiseVector(size_t(rows) * columns), w = noiseVector(columns, 2);
  Device<float> x(values), weight(w), y(values.size());
  while (bench.next())
    rmsnorm<<<blocksFor(rows, 64), 64>>>(y, x, weight, rows, columns, 1e-5f);
  std::vector<double> squares(rows);
  for (size_t i = 0; i != values.size(); ++i)
    squares[i / columns] += double(values[i]) * values[i];
  return bench.check(y.host(), [&](size_t i) {
    return values[i] / std::sqrt(squares[i / columns] / columns + 1e-5) * w[i % columns];
  }, 1e-5);
}
