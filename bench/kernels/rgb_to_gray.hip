// Three interleaved channels of bytes to one.
// Arguments: height width. Simulated: 48 512. Uneven: 60 77. GPU: 8192 8192
#include "common.h"

__global__ void rgb_to_gray(const unsigned char *rgb, unsigned char *gray, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int p = y * width + x;
    gray[p] = (rgb[3 * p] * 77 + rgb[3 * p + 1] * 151 + rgb[3 * p + 2] * 28) >> 8;
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {60, 77});
  const int height = bench[0], width = bench[1];
  const auto values = generate<unsigned char>(size_t(height) * width * 3, [](size_t i) { return (noise(i) + 1) * 127; });
  Device<unsigned char> rgb(values), gray(values.size() / 3);
  const dim3 block(32, 8), grid(blocksFor(width, 32), blocksFor(height, 8));
  while (bench.next())
    rgb_to_gray<<<grid, block>>>(rgb, gray, height, width);
  return bench.check(gray.host(), [&](size_t p) {
    return (values[3 * p] * 77 + values[3 * p + 1] * 151 + values[3 * p + 2] * 28) / 256;
  });
}
