// A matrix is mirrored left to right, a work-item a row, with a negative step.
// Arguments: rows columns. Simulated: 64 512. Uneven: 70 130. GPU: 8192 8192
#include "common.h"

__global__ void mirror(const float *in, float *out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows)
    for (int c = columns - 1; c >= 0; --c)
      out[r * columns + (columns - 1 - c)] = in[r * columns + c];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {70, 130});
  const int rows = bench[0], columns = bench[1];
  const auto values = noiseVector(size_t(rows) * columns);
  Device<float> in(values), out(values.size());
  while (bench.next())
    mirror<<<blocksFor(rows, 64), 64>>>(in, out, rows, columns);
  return bench.check(out.host(), [&](size_t i) { return values[i / columns * columns + columns - 1 - i % columns]; });
}
