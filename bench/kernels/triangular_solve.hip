// L X = B for many right-hand sides, a work-item each; B and X hold a side in a row.
// Arguments: n sides. Simulated: 32 200. Uneven: 24 200. GPU: 256 65536
#include "common.h"

__global__ void forward_solve(const float *L, const float *B, float *X, int n, int sides) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= sides)
    return;
  for (int i = 0; i < n; ++i) {
    float value = B[s * n + i];
    for (int k = 0; k < i; ++k)
      value -= L[i * n + k] * X[s * n + k];
    X[s * n + i] = value / L[i * n + i];
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {24, 200});
  const int n = bench[0], sides = bench[1];
  const auto l = generate<float>(size_t(n) * n, [&](size_t i) {
    return i / n == i % n ? 2 + noise(i) : noise(i) / float(n);
  });
  const auto b = noiseVector(size_t(n) * sides, 2);
  Device<float> L(l), B(b), X(b.size());
  while (bench.next())
    forward_solve<<<blocksFor(sides, 64), 64>>>(L, B, X, n, sides);
  std::vector<double> x(b.size());
  for (int s = 0; s < sides; ++s)
    for (int i = 0; i < n; ++i) {
      double value = b[size_t(s) * n + i];
      for (int k = 0; k < i; ++k)
        value -= double(l[size_t(i) * n + k]) * x[size_t(s) * n + k];
      x[size_t(s) * n + i] = value / l[size_t(i) * n + i];
    }
  return bench.check(X.host(), [&](size_t i) { return x[i]; }, 1e-5);
}
