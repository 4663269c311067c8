// A transpose through LDS whose columns all fall on one bank.
// Arguments: rows columns. Simulated: 96 128. Uneven: 96 128. GPU: 4096 4096
#include "common.h"

constexpr int kTile = 32;

__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8)
    if (x < columns && y + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8)
    if (x < rows && y + j < columns)
      out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {96, 128});
  const int rows = bench[0], columns = bench[1];
  const auto values = noiseVector(size_t(rows) * columns);
  Device<float> in(values), out(values.size());
  const dim3 block(kTile, 8), grid(blocksFor(columns, kTile), blocksFor(rows, kTile));
  while (bench.next())
    transpose<<<grid, block>>>(in, out, rows, columns);
  return bench.check(out.host(), [&](size_t i) { return values[i % rows * columns + i / rows]; });
}
