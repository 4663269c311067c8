// Sixteen private bins a work-item over consecutive bytes: the input side of a histogram.
// Arguments: n each. Simulated: 65536 256. Uneven: 20000 48. GPU: 134217728 1024
#include "common.h"

__global__ void private_bins(const unsigned char *data, unsigned *bins, int n, int each) {
  int worker = blockIdx.x * blockDim.x + threadIdx.x;
  int workers = gridDim.x * blockDim.x;
  unsigned count[16];
  for (int b = 0; b < 16; ++b)
    count[b] = 0;
  for (int k = 0; k < each; ++k) {
    int i = worker * each + k;
    if (i < n)
      for (int b = 0; b < 16; ++b)
        count[b] += data[i] / 16 == b;
  }
  for (int b = 0; b < 16; ++b)
    bins[b * workers + worker] = count[b];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {20000, 48});
  const int n = bench[0], each = bench[1];
  const auto values = generate<unsigned char>(n, [](size_t i) { return (noise(i) + 1) * 127; });
  const unsigned blocks = blocksFor(blocksFor(n, each), 256), workers = blocks * 256;
  Device<unsigned char> data(values);
  Device<unsigned> bins(size_t(workers) * 16);
  while (bench.next())
    private_bins<<<blocks, 256>>>(data, bins, n, each);
  std::vector<unsigned> want(size_t(workers) * 16);
  for (int i = 0; i < n; ++i)
    ++want[size_t(values[i] / 16) * workers + i / each];
  return bench.check(bins.host(), [&](size_t i) { return want[i]; });
}
