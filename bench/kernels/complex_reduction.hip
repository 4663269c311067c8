// Partial sums of the squares of complex numbers, stored as pairs; blocks of consecutive elements.
// Arguments: n each. Simulated: 16384 64. Uneven: 9000 29. GPU: 33554432 512
#include "common.h"

struct Complex {
  float re, im;
};

__global__ void square_sums(const Complex *z, Complex *sums, int n, int each) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Complex sum = {0, 0};
  for (int k = 0; k < each; ++k) {
    const int i = t * each + k;
    if (i < n) {
      sum.re += z[i].re * z[i].re - z[i].im * z[i].im;
      sum.im += 2 * z[i].re * z[i].im;
    }
  }
  if (t * each < n)
    sums[t] = sum;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {9000, 29});
  const int n = bench[0], each = bench[1], parts = int(blocksFor(n, each));
  std::vector<Complex> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = {noise(i), noise(i, 2)};
  Device<Complex> z(values), sums(parts);
  while (bench.next())
    square_sums<<<blocksFor(parts, 256), 256>>>(z, sums, n, each);
  std::vector<float> flat;
  for (const Complex &one : sums.host())
    flat.push_back(one.re), flat.push_back(one.im);
  return bench.check(flat, [&](size_t f) {
    double re = 0, im = 0;
    for (size_t i = f / 2 * each; i < std::min<size_t>(n, (f / 2 + 1) * each); ++i) {
      const double x = values[i].re, y = values[i].im;
      re += x * x - y * y, im += 2 * x * y;
    }
    return f % 2 ? im : re;
  }, 1e-5, std::sqrt(double(each)));
}
