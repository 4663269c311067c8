// Whether a pixel is larger than its eight neighbours; rows on threadIdx.x.
// Arguments: height width. Simulated: 32 256. Uneven: 40 60. GPU: 4096 4096
#include "common.h"

__global__ void regional_maximum(const float *image, uint8_t *peaks, int height, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < height && j < width) {
    const float own = image[i * width + j];
    bool peak = true;
    for (int di = -1; di <= 1; di++)
      for (int dj = -1; dj <= 1; dj++) {
        const int y = i + di, x = j + dj;
        if ((di || dj) && y >= 0 && y < height && x >= 0 && x < width && image[y * width + x] >= own)
          peak = false;
      }
    peaks[i * width + j] = peak;
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {40, 60});
  const int height = bench[0], width = bench[1];
  const auto values = noiseVector(size_t(height) * width);
  Device<float> image(values);
  Device<uint8_t> peaks(values.size());
  const dim3 block(16, 16), grid(blocksFor(height, 16), blocksFor(width, 16));
  while (bench.next())
    regional_maximum<<<grid, block>>>(image, peaks, height, width);
  return bench.check(peaks.host(), [&](size_t at) {
    const long i = long(at) / width, j = long(at) % width;
    for (long y = std::max(0l, i - 1); y <= std::min(height - 1l, i + 1); ++y)
      for (long x = std::max(0l, j - 1); x <= std::min(width - 1l, j + 1); ++x)
        if ((y != i || x != j) && values[y * width + x] >= values[at])
          return 0;
    return 1;
  });
}
