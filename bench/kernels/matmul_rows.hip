// C = A B with the row on threadIdx.x: loads of A and stores of C are a row apart.
// Arguments: M N K. Simulated: 48 128 64. Uneven: 40 48 64. GPU: 2048 2048 2048
#include "common.h"

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < M && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
      sum += A[i * K + k] * B[k * N + j];
    C[i * N + j] = sum;
  }
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {40, 48, 64});
  const int M = bench[0], N = bench[1], K = bench[2];
  const auto a = noiseVector(size_t(M) * K), b = noiseVector(size_t(K) * N, 2);
  Device<float> A(a), B(b), C(size_t(M) * N);
  const dim3 block(16, 16), grid(blocksFor(M, 16), blocksFor(N, 16));
  while (bench.next())
    matmul<<<grid, block>>>(A, B, C, M, N, K);
  // All of a small product, samples of a large one.
  const size_t step = size_t(M) * N > 100000 ? 9973 : 1;
  const auto c = C.host();
  std::vector<float> some;
  for (size_t at = 0; at < c.size(); at += step)
    some.push_back(c[at]);
  return bench.check(some, [&](size_t n) {
    const size_t i = n * step / N, j = n * step % N;
    double sum = 0;
    for (int k = 0; k < K; ++k)
      sum += double(a[i * K + k]) * b[size_t(k) * N + j];
    return sum;
  }, 1e-5, std::sqrt(double(K)));
}
