// f16 elements one at a time: coalesced, but two bytes a lane.
// Arguments: n. Simulated: 1048576. Uneven: 1100003. GPU: 134217728
#include "common.h"

#include <hip/hip_fp16.h>

__global__ void scale_bias(const __half *x, __half *y, int n, float scale, float bias) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __float2half(__half2float(x[i]) * scale + bias);
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {10001});
  const int n = bench[0];
  const auto values = generate<__half>(n, [](size_t i) { return __float2half(noise(i)); });
  Device<__half> x(values), y(n);
  while (bench.next())
    scale_bias<<<blocksFor(n, 256), 256>>>(x, y, n, 1.5f, 0.25f);
  return bench.check(y.host(), [&](size_t i) { return double(__half2float(values[i])) * 1.5 + 0.25; }, 0x1p-10);
}
