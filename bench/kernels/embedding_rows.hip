// Rows of a table, chosen by an index, a work-item a row.
// Arguments: rows columns table. Simulated: 96 256 400. Uneven: 150 72 400. GPU: 65536 1024 50000
#include "common.h"

__global__ void embed(const int *__restrict__ tokens, const float *__restrict__ table, float *__restrict__ out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    int token = tokens[r];
    for (int c = 0; c < columns; ++c)
      out[r * columns + c] = table[token * columns + c];
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {150, 72, 400});
  const int rows = bench[0], columns = bench[1], size = bench[2];
  const auto chosen = generate<int>(rows, [&](size_t i) { return (noise(i, 3) + 1) / 2 * size; });
  const auto values = noiseVector(size_t(size) * columns);
  Device<int> tokens(chosen);
  Device<float> table(values), out(size_t(rows) * columns);
  bench.moves(2 * sizeof(float) * rows * columns + sizeof(int) * rows);
  while (bench.next())
    embed<<<blocksFor(rows, 64), 64>>>(tokens, table, out, rows, columns);
  return bench.check(out.host(), [&](size_t i) { return values[size_t(chosen[i / columns]) * columns + i % columns]; });
}
