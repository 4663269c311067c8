// Three interleaved float channels, read and written in place by one work-item a pixel.
// Arguments: pixels. Simulated: 8192. Uneven: 7001. GPU: 33554432
#include "common.h"

__global__ void brighten(float *rgb, int pixels, float gain, float offset) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < pixels)
    for (int c = 0; c < 3; ++c) {
      float v = rgb[p * 3 + c] * gain + offset;
      rgb[p * 3 + c] = v < 0.f ? 0.f : v > 1.f ? 1.f : v;
    }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {7001});
  const int pixels = bench[0];
  const auto values = noiseVector(size_t(pixels) * 3);
  Device<float> rgb(values);
  bench.moves(2 * sizeof(float) * values.size());
  // A gain of one and no offset: the second launch changes nothing.
  while (bench.next())
    brighten<<<blocksFor(pixels, 256), 256>>>(rgb, pixels, 1.0f, 0.0f);
  return bench.check(rgb.host(), [&](size_t i) { return std::min(1.0f, std::max(0.0f, values[i])); });
}
