// Each column is scaled by its largest magnitude; a column-major matrix, a work-item a column.
// Arguments: rows columns. Simulated: 256 96. Uneven: 90 100. GPU: 8192 8192
#include "common.h"

__global__ void scale_columns(const float *in, float *out, long rows, long columns) {
  long c = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  float top = 0;
  for (long r = 0; r < rows; ++r)
    top = fmaxf(top, fabsf(in[c * rows + r]));
  for (long r = 0; r < rows; ++r)
    out[c * rows + r] = in[c * rows + r] / (top + 1e-6f);
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {90, 100});
  const int rows = bench[0], columns = bench[1];
  const auto values = noiseVector(size_t(rows) * columns);
  Device<float> in(values), out(values.size());
  while (bench.next())
    scale_columns<<<blocksFor(columns, 64), 64>>>(in, out, rows, columns);
  std::vector<double> top(columns);
  for (size_t i = 0; i != values.size(); ++i)
    top[i / rows] = std::max(top[i / rows], std::abs(double(values[i])));
  return bench.check(out.host(), [&](size_t i) { return values[i] / (top[i / rows] + 1e-6); }, 1e-6);
}
