// Layout change of images, channels last to channels first, one block row of work-items a channel.
// Arguments: images height width channels. Simulated: 2 64 64 64. Uneven: 2 61 67 37. GPU: 32 128 128 64
#include "common.h"

__global__ void nhwc_to_nchw(const float *in, float *out, int height, int width, int channels) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y;
  const int image = blockIdx.z;
  const int area = height * width;
  if (pixel < area)
    out[(image * channels + channel) * area + pixel] = in[(image * area + pixel) * channels + channel];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {2, 15, 18, 12});
  const int images = bench[0], height = bench[1], width = bench[2], channels = bench[3];
  const size_t area = size_t(height) * width;
  const auto values = noiseVector(images * area * channels);
  Device<float> in(values), out(values.size());
  const dim3 grid(blocksFor(area, 256), channels, images);
  while (bench.next())
    nhwc_to_nchw<<<grid, 256>>>(in, out, height, width, channels);
  return bench.check(out.host(), [&](size_t i) {
    const size_t pixel = i % area, c = i / area % channels, n = i / area / channels;
    return values[(n * area + pixel) * channels + c];
  });
}
