// One sweep of Jacobi's method, rows on threadIdx.x, a row of the grid in steps of the block.
// Arguments: rows columns. Simulated: 40 256. Uneven: 50 66. GPU: 8192 8192
#include "common.h"

__global__ void jacobi(const float *u, const float *f, float *next, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i < rows - 1 && j < columns - 1)
    next[i * columns + j] = 0.25f * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j] + u[i * columns + j - 1] +
                                     u[i * columns + j + 1] - f[i * columns + j]);
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {50, 66});
  const int rows = bench[0], columns = bench[1];
  const auto a = noiseVector(size_t(rows) * columns), b = noiseVector(a.size(), 2);
  Device<float> u(a), f(b), next(std::vector<float>(a.size(), 1.0f));
  const dim3 block(16, 16), grid(blocksFor(rows, 16), blocksFor(columns, 16));
  while (bench.next())
    jacobi<<<grid, block>>>(u, f, next, rows, columns);
  return bench.check(next.host(), [&](size_t at) {
    const long i = long(at) / columns, j = long(at) % columns;
    if (i < 1 || j < 1 || i >= rows - 1 || j >= columns - 1)
      return 1.0;
    return 0.25 * (double(a[at - columns]) + a[at + columns] + a[at - 1] + a[at + 1] - b[at]);
  }, 1e-6);
}
