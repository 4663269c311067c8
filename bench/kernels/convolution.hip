// A 2-D convolution, zeros outside, with the row of the image on threadIdx.x.
// Arguments: height width radius. Simulated: 40 128 2. Uneven: 40 70 2. GPU: 4096 4096 2
#include "common.h"

__global__ void convolve(const float *image, const float *filter, float *out, int height, int width, int radius) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || col >= width)
    return;
  float sum = 0.f;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const int y = row + dy, x = col + dx;
      if (y >= 0 && y < height && x >= 0 && x < width)
        sum += image[y * width + x] * filter[(dy + radius) * (2 * radius + 1) + dx + radius];
    }
  out[row * width + col] = sum;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {40, 70, 2});
  const int height = bench[0], width = bench[1], radius = bench[2], side = 2 * radius + 1;
  const auto picture = noiseVector(size_t(height) * width), weights = noiseVector(size_t(side) * side, 2);
  Device<float> image(picture), filter(weights), out(picture.size());
  const dim3 block(16, 16), grid(blocksFor(height, 16), blocksFor(width, 16));
  while (bench.next())
    convolve<<<grid, block>>>(image, filter, out, height, width, radius);
  return bench.check(out.host(), [&](size_t i) {
    double sum = 0;
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx) {
        const long y = long(i) / width + dy, x = long(i) % width + dx;
        if (y >= 0 && y < height && x >= 0 && x < width)
          sum += double(picture[y * width + x]) * weights[(dy + radius) * side + dx + radius];
      }
    return sum;
  }, 1e-5, side);
}
