// Products and the like, whose operands go through tiles in LDS: layouts, types, steps and work-items that fill no tile, loops
// that do not start at 0, values that are kept from loop to loop. Memory is exactly as large as what is read. Prints a number
// for each launch.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

// Rows on x: neither A nor C is reached along x.
__global__ void nn(const float *A, const float *B, float *C, int M, int N, int K) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < M && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
      sum += A[i * K + k] * B[k * N + j];
    C[i * N + j] = sum;
  }
}

// The second operand is transposed; leading dimensions; C is read, too.
__global__ void nt(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int M, int N, int K, float alpha, float beta) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N)
    return;
  // One after the other.
  const float *a = A + (size_t)row * lda, *b = B + (size_t)col * ldb;
  float sum = 0; // of products
  for (int k = 0; k < K; ++k) {
    sum += a[k] * b[k];
  }
  if (beta == 0)
    C[row * ldc + col] = alpha * sum;
  else
    C[row * ldc + col] = alpha * sum + beta * C[row * ldc + col];
}

// The first is; from step 1 to the last one; numbers without sign.
__global__ void tn(const int8_t *A, const int8_t *B, int *C, unsigned M, unsigned N, unsigned K) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned col = blockIdx.y * blockDim.y + threadIdx.y;
  if (!(row < M) || col >= N)
    return;
  int sum = 7, last = -1;
  for (unsigned k = 1; k <= K; ++k) {
    const int product = A[k * M + row] * B[k * N + col];
    if (product & 1)
      last = (int)k;
    sum += product;
  }
  C[row * N + col] = sum * 100 + last;
}

// A batch, of doubles.
__global__ void batched(const double *__restrict__ A, size_t strideA, const double *__restrict__ B, size_t strideB, double *__restrict__ C,
                        long long M, long long N, long long K) {
  const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x, col = (long long)blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (row < M && col < N) {
    double sum = 0;
    for (long long k = 0; k < K; ++k)
      sum += A[z * strideA + row * K + k] * B[z * strideB + k * N + col];
    C[z * M * N + row * N + col] = sum;
  }
}

// Two sums of one loop, a vector that all work-items of a column share, and one that all share.
__global__ void gated(const _Float16 *x, const _Float16 *gate, const _Float16 *up, const float *scale, const float *bias, float *out, int rows,
                      int width, int depth) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= width)
    return;
  const float factor = scale[c];
  float g = bias[c], u = 0;
  for (int k = 0; k < depth; ++k) {
    float v = (float)x[r * depth + k] * bias[k];
    g += v * (float)gate[c * depth + k];
    u += v * (float)up[c * depth + k];
  }
  out[r * width + c] = (g > 0 ? g : 0) * u * factor;
}

// One loop after the other; the nearest of them is a number of a step.
__global__ void nearest(const float *a, const float *b, float *out, int *where, int points, int others, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < points && j < others) {
    float norm = 0, best[2];
    for (int k = 0; k < depth; ++k)
      norm += a[i * depth + k] * a[i * depth + k];
    best[0] = 1e30f;
    best[1] = norm;
    int at = -1;
    for (int k = 0; k < depth; ++k) {
      const float d = a[i * depth + k] > b[j * depth + k] ? a[i * depth + k] - b[j * depth + k] : b[j * depth + k] - a[i * depth + k];
      if (d < best[0]) {
        best[0] = d;
        at = k;
      }
      best[1] += d * d;
    }
    out[i * others + j] = best[1] + best[0];
    where[i * others + j] = at;
  }
}

// The sum is in memory all along.
__global__ void in_place(const float *A, const float *B, float *C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    C[row * N + col] *= 2;
    for (int k = 0; k < K; ++k)
      C[row * N + col] += A[row * K + k] * B[col * K + k];
  }
}

// Halves, which are structs.
__global__ void halves(const __half *__restrict__ A, const __half *__restrict__ B, __half *__restrict__ C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; ++k)
      sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
    C[row * N + col] = __float2half(sum);
  }
}

// Both operands lie behind one parameter.
__global__ void gram(const int *a, int *out, int n, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int sum = 0;
  for (int k = 0; k < depth; ++k)
    sum += a[i * depth + k] * a[j * depth + k];
  out[i * n + j] = sum;
}

#define CHECK(call)                                                                                                            \
  if (hipError_t e = call; e != hipSuccess)                                                                                    \
  printf(#call ": %s\n", hipGetErrorString(e))

// Exactly \p n elements, which are small whole numbers.
template <class T> struct Memory {
  T *data;
  size_t n;
  explicit Memory(size_t n, unsigned seed = 1) : n(n) {
    CHECK(hipMalloc((void **)&data, n * sizeof(T) + !n));
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i)
      values[i] = T(int((i + seed) * 2654435761u * seed >> 13) % 7 - 3);
    CHECK(hipMemcpy(data, values.data(), n * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Memory() { CHECK(hipFree(data)); }
  void show(const char *name) {
    std::vector<T> values(n);
    CHECK(hipMemcpy(values.data(), data, n * sizeof(T), hipMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum = sum * 31 + (unsigned long long)(long long)values[i];
    printf("%s %llx\n", name, sum);
  }
};
#define SHOW(memory) memory.show(#memory)

static dim3 over(int x, int y, int z, dim3 block) {
  return dim3((x + block.x - 1) / block.x, (y + block.y - 1) / block.y, z);
}

int main() {
  const dim3 block(16, 16), flat(8, 8);
  for (int M : {1, 5, 34})
    for (int N : {1, 63, 66})
      for (int K : {0, 1, 32, 33, 70}) {
        Memory<float> A(M * K), B(N * K, 3), C(M * N, 5);
        nn<<<over(M, N, 1, block), block>>>(A.data, B.data, C.data, M, N, K);
        SHOW(C);
        nn<<<dim3(1, 2), flat>>>(A.data, B.data, C.data, M, N, K); // a part of them
        SHOW(C);
        nt<<<over(N, M, 1, block), block>>>(A.data, K, B.data, K, C.data, N, M, N, K, 2.0f, 3.0f);
        SHOW(C);
        in_place<<<over(N, M, 1, block), block>>>(A.data, B.data, C.data, M, N, K);
        SHOW(C);
        if (K > 1) {
          // Rows of a larger matrix; the last one is not there behind what is read.
          nt<<<over(N, M, 1, block), block>>>(A.data, K, B.data + 1, K, C.data, N, M, N, K - 1, 1.0f, 0.0f);
          SHOW(C);
        }
        Memory<int8_t> P((K + 1) * M), Q((K + 1) * N, 3);
        Memory<int> R(M * N);
        tn<<<over(M, N, 1, flat), flat>>>(P.data, Q.data, R.data, M, N, K);
        SHOW(R);
        Memory<double> X(2 * M * K), Y(N * K), Z(3 * M * N);
        batched<<<over(M, N, 2, flat), flat>>>(X.data, M * K, Y.data, 0, Z.data, M, N, K);
        SHOW(Z);
        Memory<_Float16> x(M * K), gate(N * K, 5), up(N * K, 9);
        Memory<float> scale(N), bias(N > K ? N : K);
        gated<<<over(N, M, 1, block), block>>>(x.data, gate.data, up.data, scale.data, bias.data, C.data, M, N, K);
        SHOW(C);
        Memory<_Float16> F(M * N);
        halves<<<over(N, M, 1, block), block>>>((const __half *)x.data, (const __half *)gate.data, (__half *)F.data, M, N, K);
        SHOW(F);
        nearest<<<over(M, N, 1, flat), flat>>>(A.data, B.data, C.data, R.data, M, N, K);
        SHOW(C);
        SHOW(R);
        Memory<int> G(M * K), H(M * M);
        gram<<<over(M, M, 1, flat), flat>>>(G.data, H.data, M, K);
        SHOW(H);
      }
  { // nothing to do; results on an operand; more steps than there can be
    Memory<float> A(64 * 64), B(64 * 64, 3);
    nn<<<over(64, 64, 1, flat), flat>>>(A.data, B.data, B.data, 0, 64, 64);
    nn<<<over(64, 64, 1, flat), flat>>>(A.data, B.data, B.data, -5, 64, 64);
    nn<<<over(64, 64, 1, flat), flat>>>(A.data, B.data, B.data, 64, 64, -1);
    SHOW(B);
    nn<<<dim3(1, 1), flat>>>(A.data, B.data, A.data + 64, 1, 1, 64);
    SHOW(A);
    nn<<<dim3(1, 1), flat>>>(A.data, B.data, A.data, 1, 1, 64); // the first element of a row
    SHOW(A);
  }
  { // enough for large tiles
    const int M = 1030, N = 1030, K = 35;
    Memory<float> A(M * K), B(N * K), C(M * N);
    nn<<<over(M, N, 1, block), block>>>(A.data, B.data, C.data, M, N, K);
    SHOW(C);
    nt<<<over(N, M, 1, block), block>>>(A.data, K, B.data, K, C.data, N, M, N, K, 1.0f, 0.0f);
    SHOW(C);
    in_place<<<over(N, M, 1, block), block>>>(A.data, B.data, C.data, M, N, K);
    SHOW(C);
    Memory<float> out(M * N);
    Memory<int> where(M * N);
    nearest<<<over(M, N, 1, block), block>>>(A.data, B.data, out.data, where.data, M, N, 20);
    SHOW(out);
    SHOW(where);
  }
  CHECK(hipDeviceSynchronize());
}
