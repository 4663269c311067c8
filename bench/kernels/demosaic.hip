// A Bayer pattern (RGGB) to three channels, bilinear inside, borders copied; rows on threadIdx.x.
// Arguments: height width. Simulated: 32 256. Uneven: 36 52. GPU: 4096 4096
#include "common.h"

__global__ void demosaic(const uint8_t *raw, uint8_t *rgb, int height, int width) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  int x = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= height || x >= width)
    return;
  int r, g, b, own = raw[y * width + x];
  if (y == 0 || x == 0 || y == height - 1 || x == width - 1) {
    r = g = b = own;
  } else {
    int cross = (raw[(y - 1) * width + x] + raw[(y + 1) * width + x] + raw[y * width + x - 1] + raw[y * width + x + 1]) / 4;
    int diagonal = (raw[(y - 1) * width + x - 1] + raw[(y - 1) * width + x + 1] + raw[(y + 1) * width + x - 1] +
                    raw[(y + 1) * width + x + 1]) / 4;
    int horizontal = (raw[y * width + x - 1] + raw[y * width + x + 1]) / 2;
    int vertical = (raw[(y - 1) * width + x] + raw[(y + 1) * width + x]) / 2;
    if (y % 2 == 0)
      x % 2 == 0 ? (r = own, g = cross, b = diagonal) : (r = horizontal, g = own, b = vertical);
    else
      x % 2 == 0 ? (r = vertical, g = own, b = horizontal) : (r = diagonal, g = cross, b = own);
  }
  rgb[(y * width + x) * 3 + 0] = r;
  rgb[(y * width + x) * 3 + 1] = g;
  rgb[(y * width + x) * 3 + 2] = b;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {36, 52});
  const int height = bench[0], width = bench[1];
  const auto values = generate<uint8_t>(size_t(height) * width, [](size_t i) { return (noise(i) + 1) * 127; });
  Device<uint8_t> raw(values), rgb(values.size() * 3);
  const dim3 block(16, 16), grid(blocksFor(height, 16), blocksFor(width, 16));
  while (bench.next())
    demosaic<<<grid, block>>>(raw, rgb, height, width);
  return bench.check(rgb.host(), [&](size_t i) {
    const long pixel = long(i / 3), y = pixel / width, x = pixel % width;
    auto at = [&](long dy, long dx) { return int(values[(y + dy) * width + x + dx]); };
    if (y == 0 || x == 0 || y == height - 1 || x == width - 1)
      return at(0, 0);
    // Red is where both are even, blue where both are odd.
    const int channel = int(i % 3), row = channel == 2, column = channel == 2;
    if (channel == 1)
      return (y + x) % 2 ? at(0, 0) : (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4;
    const bool inRow = y % 2 == row, inColumn = x % 2 == column;
    if (inRow && inColumn)
      return at(0, 0);
    if (inRow)
      return (at(0, -1) + at(0, 1)) / 2;
    if (inColumn)
      return (at(-1, 0) + at(1, 0)) / 2;
    return (at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)) / 4;
  });
}
