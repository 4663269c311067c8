// y = A x, a work-item a row: lanes are a row of A apart.
// Arguments: rows columns. Simulated: 128 512. Uneven: 300 200. GPU: 8192 8192
#include "common.h"

__global__ void matvec(const float *A, const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += A[row * columns + j] * x[j];
    y[row] = sum;
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {300, 200});
  const int rows = bench[0], columns = bench[1];
  const auto a = noiseVector(size_t(rows) * columns), b = noiseVector(columns, 2);
  Device<float> A(a), x(b), y(rows);
  while (bench.next())
    matvec<<<blocksFor(rows, 256), 256>>>(A, x, y, rows, columns);
  return bench.check(y.host(), [&](size_t i) {
    double sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += double(a[i * columns + j]) * b[j];
    return sum;
  }, 1e-5, std::sqrt(double(columns)));
}
