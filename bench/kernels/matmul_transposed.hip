// C = A B^T, the weights of a layer row by row, as people write it: lanes are a row of B apart.
// Arguments: M N K. Simulated: 48 128 64. Uneven: 40 48 64. GPU: 2048 2048 2048
#include "common.h"

__global__ void matmul_transposed(const float *A, const float *B, float *C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += A[row * K + k] * B[col * K + k];
  C[row * N + col] = sum;
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {40, 48, 64});
  const int M = bench[0], N = bench[1], K = bench[2];
  const auto a = noiseVector(size_t(M) * K), b = noiseVector(size_t(K) * N, 2);
  Device<float> A(a), B(b), C(size_t(M) * N);
  const dim3 block(16, 16), grid(blocksFor(N, 16), blocksFor(M, 16));
  while (bench.next())
    matmul_transposed<<<grid, block>>>(A, B, C, M, N, K);
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
      sum += double(a[i * K + k]) * b[j * K + k];
    return sum;
  }, 1e-5, std::sqrt(double(K)));
}
