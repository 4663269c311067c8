// Matrix products: tiles for a workgroup, tiles for a wavefront, split over K.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void matmul_16(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                 int n) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 16) {
    as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads(); // hk: lds-only (columns of bs come from other wavefronts)
    for (int k = 0; k < 16; ++k)
      acc += as[ty][k] * bs[k][tx];
    __syncthreads(); // hk: lds-only (the next tiles overwrite what others still read)
  }
  c[row * n + col] = acc;
}

// The forgotten second barrier.
static __global__ void matmul_16_race(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                      int n) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 16) {
    as[ty][tx] = a[row * n + k0 + tx];   // hk: race=next
    bs[ty][tx] = b[(k0 + ty) * n + col]; // hk: race=next
    __syncthreads(); // hk: lds-only (columns of bs come from other wavefronts)
    for (int k = 0; k < 16; ++k)
      acc += as[ty][k] * bs[k][tx]; // hk: race=next
  }
  c[row * n + col] = acc;
}

// Edges guarded, pointers without promises.
static __global__ void matmul_edges(const float *a, const float *b, float *c, int m, int n, int k) {
  // hk-require: needed >= 1
  __shared__ float as[16][17];
  __shared__ float bs[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 16) {
    as[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    bs[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.0f;
    __syncthreads(); // hk: needed|lds-only (columns of bs come from other wavefronts)
    for (int j = 0; j < 16; ++j)
      acc += as[ty][j] * bs[j][tx];
    __syncthreads(); // hk: needed|lds-only (the next tiles overwrite what others still read; c may be a)
  }
  if (row < m && col < n)
    c[row * n + col] = acc;
}

// 8 x 8 items are one wavefront.
static __global__ void matmul_8(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                int n) {
  __shared__ float as[8][9];
  __shared__ float bs[8][9];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 8) {
    as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads(); // hk: wave-level (the block is one wavefront)
    for (int k = 0; k < 8; ++k)
      acc += as[ty][k] * bs[k][tx];
    __syncthreads(); // hk: wave-level (the block is one wavefront)
  }
  c[row * n + col] = acc;
}

// 64 x 4 items: a wavefront a row. Its piece of A is its own, B is read from memory.
static __global__ void matmul_row_a_wave(const float *__restrict__ a, const float *__restrict__ b,
                                         float *__restrict__ c, int n) {
  __shared__ float as[4][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 4 + ty, col = blockIdx.x * 64 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 64) {
    as[ty][tx] = a[row * n + k0 + tx];
    __syncthreads(); // hk: wave-level (row ty of as is written and read by wavefront ty)
    for (int k = 0; k < 64; ++k)
      acc += as[ty][k] * b[(k0 + k) * n + col];
    __syncthreads(); // hk: wave-level (row ty of as is overwritten by wavefront ty)
  }
  c[row * n + col] = acc;
}

// The same with B in LDS as well: every wavefront loads a part of it for all.
static __global__ void matmul_shared_b(const float *__restrict__ a, const float *__restrict__ b,
                                       float *__restrict__ c, int n) {
  __shared__ float as[4][4];
  __shared__ float bs[4][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 4 + ty, col = blockIdx.x * 64 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 4) {
    if (tx < 4)
      as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads(); // hk: lds-only (rows of bs come from all four wavefronts)
    for (int k = 0; k < 4; ++k)
      acc += as[ty][k] * bs[k][tx];
    __syncthreads(); // hk: lds-only (the next tiles overwrite what others still read)
  }
  c[row * n + col] = acc;
}

// Two tiles in turn: one barrier a turn.
static __global__ void matmul_two_tiles(const float *__restrict__ a, const float *__restrict__ b,
                                        float *__restrict__ c, int n) {
  __shared__ float as[2][16][16];
  __shared__ float bs[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int i = 0; i < n / 16; ++i) {
    as[i & 1][ty][tx] = a[row * n + i * 16 + tx];
    bs[i & 1][ty][tx] = b[(i * 16 + ty) * n + col];
    __syncthreads(); // hk: lds-only (columns of bs come from other wavefronts)
    for (int k = 0; k < 16; ++k)
      acc += as[i & 1][ty][k] * bs[i & 1][k][tx];
  }
  c[row * n + col] = acc;
}

// Four rows an item, the tiles filled by strides.
static __global__ void matmul_four_rows(const float *__restrict__ a, const float *__restrict__ b,
                                        float *__restrict__ c, int n) {
  __shared__ float as[32][32];
  __shared__ float bs[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  float acc[4] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int r = 0; r < 32; r += 8) {
      as[ty + r][tx] = a[(row + r) * n + k0 + tx];
      bs[ty + r][tx] = b[(k0 + ty + r) * n + col];
    }
    __syncthreads(); // hk: lds-only (columns of bs come from all wavefronts)
    for (int k = 0; k < 32; ++k)
      for (int r = 0; r < 4; ++r)
        acc[r] += as[ty + 8 * r][k] * bs[k][tx];
    __syncthreads(); // hk: lds-only (the next tiles overwrite what others still read)
  }
  for (int r = 0; r < 4; ++r)
    c[(row + 8 * r) * n + col] = acc[r];
}

// Split over K: the sums of the blocks meet in c by atomics. What is loaded before them is read-only.
static __global__ void matmul_split_k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                      int n, int part) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int k0 = blockIdx.z * part; k0 < (blockIdx.z + 1) * part; k0 += 16) {
    as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads(); // hk: needed|lds-only (columns of bs come from other wavefronts)
    for (int k = 0; k < 16; ++k)
      acc += as[ty][k] * bs[k][tx];
    __syncthreads(); // hk: needed|lds-only (the next tiles overwrite what others still read)
  }
  atomicAdd(&c[row * n + col], acc);
}

// Matrix times vector, the vector piece in LDS.
static __global__ void matvec(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float xs[256];
  const int t = threadIdx.x;
  const int row = blockIdx.x * 256 + t;
  float acc = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 256) {
    xs[t] = k0 + t < n ? x[k0 + t] : 0.0f;
    __syncthreads(); // hk: lds-only (everybody reads the whole piece)
    for (int k = 0; k < 256 && k0 + k < n; ++k)
      acc += a[(size_t)(k0 + k) * n + row] * xs[k];
    __syncthreads(); // hk: lds-only (the next piece overwrites what others still read)
  }
  if (row < n)
    y[row] = acc;
}

void launch_matmul(const float *a, const float *b, float *c, int n) {
  const dim3 square(16, 16);
  matmul_16<<<dim3(2, 2), square>>>(a, b, c, 64);
  matmul_16_race<<<dim3(2, 2), square>>>(a, b, c, 64);
  matmul_edges<<<dim3(2, 2), square>>>(a, b, c, 30, 30, 50);
  matmul_8<<<dim3(2, 2), dim3(8, 8)>>>(a, b, c, 32);
  matmul_row_a_wave<<<dim3(1, 2), dim3(64, 4)>>>(a, b, c, 128);
  matmul_shared_b<<<dim3(1, 2), dim3(64, 4)>>>(a, b, c, 64);
  matmul_two_tiles<<<dim3(2, 2), square>>>(a, b, c, 64);
  matmul_four_rows<<<dim3(2, 2), dim3(32, 8)>>>(a, b, c, 64);
  matmul_split_k<<<dim3(2, 2, 2), square>>>(a, b, c, 64, 32);
  matvec<<<2, 256>>>(a, b, c, 500);
}
