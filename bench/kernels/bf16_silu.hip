// bf16 elements of a matrix with a row a work-item.
// Arguments: rows columns. Simulated: 64 1024. Uneven: 80 120. GPU: 16384 8192
#include "common.h"

__device__ float widen(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }
__device__ unsigned short narrow(float x) {
  unsigned bits = __float_as_uint(x);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

__global__ void silu(const unsigned short *x, unsigned short *y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  for (int c = 0; c < columns; c++) {
    const float v = widen(x[r * columns + c]);
    y[r * columns + c] = narrow(v / (1.0f + expf(-v)));
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {80, 120});
  const int rows = bench[0], columns = bench[1];
  auto toFloat = [](unsigned short bits) {
    const uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::copy_n(reinterpret_cast<const char *>(&wide), 4, reinterpret_cast<char *>(&value));
    return double(value);
  };
  const auto values = generate<unsigned short>(size_t(rows) * columns, [](size_t i) {
    const float x = 4 * noise(i);
    uint32_t bits;
    std::copy_n(reinterpret_cast<const char *>(&x), 4, reinterpret_cast<char *>(&bits));
    return bits >> 16;
  });
  Device<unsigned short> x(values), y(values.size());
  while (bench.next())
    silu<<<blocksFor(rows, 64), 64>>>(x, y, rows, columns);
  std::vector<float> got;
  for (unsigned short bits : y.host())
    got.push_back(float(toFloat(bits)));
  return bench.check(got, [&](size_t i) {
    const double v = toFloat(values[i]);
    return v / (1 + std::exp(-v));
  }, 0x1p-7, 0x1p-6);
}
