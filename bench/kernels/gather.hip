// out[i] = in[index[i]]: which lines that touches is for the data to say. Nothing to rewrite.
// Arguments: n. Simulated: 8192. Uneven: 8000. GPU: 16777216
#include "common.h"

__global__ void gather(const int *index, const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i]];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {8000});
  const int n = bench[0];
  const auto places = generate<int>(n, [&](size_t i) { return (noise(i, 3) + 1) / 2 * n; });
  const auto values = noiseVector(n);
  Device<int> index(places);
  Device<float> in(values), out(n);
  while (bench.next())
    gather<<<blocksFor(n, 256), 256>>>(index, in, out, n);
  return bench.check(out.host(), [&](size_t i) { return values[places[i]]; });
}
