// A sparse matrix with long rows times a dense vector, a work-item a row.
// Options: --assume=long-loops
// Arguments: rows columns each. Simulated: 160 400 64. Uneven: 150 400 64. GPU: 32768 32768 1024
#include "common.h"

__global__ void csr(const int *__restrict__ offsets, const int *__restrict__ columns, const float *__restrict__ values,
                    const float *__restrict__ x, float *__restrict__ y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.f;
    for (int k = offsets[row]; k < offsets[row + 1]; ++k)
      sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {150, 400, 64});
  const int rows = bench[0], width = bench[1], each = std::min(bench[1], bench[2]);
  std::vector<int> offset(rows + 1), column;
  for (int r = 0; r < rows; ++r) {
    const int length = each - int((noise(r, 5) + 1) * each / 8), first = int((noise(r, 6) + 1) / 2 * (width - length));
    for (int k = 0; k < length; ++k)
      column.push_back(first + k);
    offset[r + 1] = int(column.size());
  }
  const auto v = noiseVector(column.size()), b = noiseVector(width, 2);
  Device<int> offsets(offset), columns(column);
  Device<float> values(v), x(b), y(rows);
  while (bench.next())
    csr<<<blocksFor(rows, 128), 128>>>(offsets, columns, values, x, y, rows);
  return bench.check(y.host(), [&](size_t r) {
    double sum = 0;
    for (int k = offset[r]; k < offset[r + 1]; ++k)
      sum += double(v[k]) * b[column[k]];
    return sum;
  }, 1e-5, std::sqrt(double(each)));
}
