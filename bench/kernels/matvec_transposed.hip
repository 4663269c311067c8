// y = A^T x, a work-item a column: coalesced, but one long loop for few work-items.
// Arguments: rows columns. Simulated: 128 320. Uneven: 200 300. GPU: 8192 8192
#include "common.h"

__global__ void matvec_transposed(const float *A, const float *x, float *y, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns)
    return;
  float sum = 0;
  for (int i = 0; i < rows; i++)
    sum += A[i * columns + column] * x[i];
  y[column] = sum;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {200, 300});
  const int rows = bench[0], columns = bench[1];
  const auto a = noiseVector(size_t(rows) * columns), b = noiseVector(rows, 2);
  Device<float> A(a), x(b), y(columns);
  while (bench.next())
    matvec_transposed<<<blocksFor(columns, 256), 256>>>(A, x, y, rows, columns);
  return bench.check(y.host(), [&](size_t j) {
    double sum = 0;
    for (int i = 0; i < rows; ++i)
      sum += double(a[size_t(i) * columns + j]) * b[i];
    return sum;
  }, 1e-5, std::sqrt(double(rows)));
}
