// Layout change of images, channels first to channels last; stores are `channels` apart.
// Arguments: images channels height width. Simulated: 2 64 64 64. Uneven: 2 37 61 67. GPU: 32 64 128 128
#include "common.h"

__global__ void nchw_to_nhwc(const float *in, float *out, int images, int channels, int height, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int total = images * channels * height * width;
  if (i >= total)
    return;
  int w = i % width;
  int h = i / width % height;
  int c = i / (width * height) % channels;
  int n = i / (width * height * channels);
  out[((n * height + h) * width + w) * channels + c] = in[i];
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {2, 12, 17, 19});
  const int images = bench[0], channels = bench[1], height = bench[2], width = bench[3];
  const auto values = noiseVector(size_t(images) * channels * height * width);
  Device<float> in(values), out(values.size());
  while (bench.next())
    nchw_to_nhwc<<<blocksFor(values.size(), 256), 256>>>(in, out, images, channels, height, width);
  return bench.check(out.host(), [&](size_t i) {
    const size_t c = i % channels, pixel = i / channels, area = size_t(height) * width;
    return values[(pixel / area * channels + c) * area + pixel % area];
  });
}
