// out = in^T without a tile: stores are a column apart.
// Arguments: rows columns. Simulated: 512 576. Uneven: 515 513. GPU: 4096 4096
#include "common.h"

__global__ void transpose(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows)
    out[x * rows + y] = in[y * columns + x];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {100, 130});
  const int rows = bench[0], columns = bench[1];
  const auto values = noiseVector(size_t(rows) * columns);
  Device<float> in(values), out(values.size());
  const dim3 block(16, 16), grid(blocksFor(columns, 16), blocksFor(rows, 16));
  while (bench.next())
    transpose<<<grid, block>>>(in, out, rows, columns);
  return bench.check(out.host(), [&](size_t i) { return values[i % rows * columns + i / rows]; });
}
