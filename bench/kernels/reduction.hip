// Partial sums: each work-item adds a block of consecutive elements.
// Arguments: n each. Simulated: 32768 128. Uneven: 20000 37. GPU: 67108864 1024
#include "common.h"

__global__ void partial_sums(const float *in, float *partial, int n, int each) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int begin = tid * each;
  int end = begin + each < n ? begin + each : n;
  float sum = 0;
  for (int i = begin; i < end; ++i)
    sum += in[i];
  if (begin < n)
    partial[tid] = sum;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {20000, 37});
  const int n = bench[0], each = bench[1], parts = int(blocksFor(n, each));
  const auto values = noiseVector(n);
  Device<float> in(values), partial(parts);
  while (bench.next())
    partial_sums<<<blocksFor(parts, 128), 128>>>(in, partial, n, each);
  return bench.check(partial.host(), [&](size_t p) {
    double sum = 0;
    for (size_t i = p * each; i < std::min<size_t>(n, (p + 1) * each); ++i)
      sum += values[i];
    return sum;
  }, 1e-5, std::sqrt(double(each)));
}
