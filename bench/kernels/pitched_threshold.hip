// A pitched image of bytes, a work-item a row.
// Arguments: height width pitch. Simulated: 64 1024 1024. Uneven: 90 100 128. GPU: 16384 16384 16384
#include "common.h"

__global__ void threshold(const uint8_t *in, uint8_t *out, int height, int width, size_t pitch, uint8_t level) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= height)
    return;
  const uint8_t *from = in + row * pitch;
  uint8_t *to = out + row * pitch;
  for (int x = 0; x < width; ++x)
    to[x] = from[x] > level ? 255 : 0;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {90, 100, 128});
  const int height = bench[0], width = bench[1], pitch = std::max(bench[1], bench[2]);
  const auto values = generate<uint8_t>(size_t(height) * pitch, [](size_t i) { return (noise(i) + 1) * 127; });
  Device<uint8_t> in(values), out(std::vector<uint8_t>(values.size(), 9));
  bench.moves(2 * size_t(height) * width);
  while (bench.next())
    threshold<<<blocksFor(height, 64), 64>>>(in, out, height, width, pitch, 100);
  return bench.check(out.host(), [&](size_t i) {
    return int(i % pitch) >= width ? 9 : values[i] > 100 ? 255 : 0;
  });
}
