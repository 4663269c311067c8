// Transposes through LDS: the block shape decides which rows share a wavefront.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void transpose_32x8(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads(); // hk: lds-only (columns are read by other wavefronts than wrote the rows)
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w)
      out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

static __global__ void transpose_8x8(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[8][9];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[(blockIdx.y * 8 + ty) * n + blockIdx.x * 8 + tx];
  __syncthreads(); // hk: wave-level (8 x 8 items are one wavefront)
  out[(blockIdx.x * 8 + ty) * n + blockIdx.y * 8 + tx] = tile[tx][ty];
}

// 8 x 8 tiles, four of them a block, one a wavefront.
static __global__ void transpose_8x8x4(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[4][8][9];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int base = (blockIdx.x * 4 + tz) * 64;
  tile[tz][ty][tx] = in[base + ty * 8 + tx];
  __syncthreads(); // hk: wave-level (each z plane is one wavefront)
  out[base + ty * 8 + tx] = tile[tz][tx][ty];
}

static __global__ void transpose_16x16_may_alias(const float *in, float *out, int n) {
  __shared__ float tile[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx];
  __syncthreads(); // hk: needed (columns in LDS, and out may be in)
  out[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = tile[tx][ty];
}

// In place on a 16 x 16 matrix a block, by registers: the barrier orders global memory alone.
static __global__ void transpose_in_place(float *m) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  float *mine = m + blockIdx.x * 256;
  const float v = mine[ty * 16 + tx];
  __syncthreads(); // hk: needed (item (x, y) overwrites what item (y, x) reads)
  mine[tx * 16 + ty] = v;
}

// The same by swapping above the diagonal: each pair is one item's own.
static __global__ void transpose_by_swap(float *m) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  float *mine = m + blockIdx.x * 256;
  if (tx > ty) {
    const float a = mine[ty * 16 + tx];
    const float b = mine[tx * 16 + ty];
    mine[ty * 16 + tx] = b;
    mine[tx * 16 + ty] = a;
  }
  __syncthreads(); // hk: redundant (kernel end)
}

void launch_transpose(const float *in, float *out, float *m, int n) {
  transpose_32x8<<<dim3(2, 2), dim3(32, 8)>>>(in, out, 64, 64);
  transpose_8x8<<<dim3(4, 4), dim3(8, 8)>>>(in, out, 32);
  transpose_8x8x4<<<4, dim3(8, 8, 4)>>>(in, out);
  transpose_16x16_may_alias<<<dim3(2, 2), dim3(16, 16)>>>(in, out, n);
  transpose_in_place<<<4, dim3(16, 16)>>>(m);
  transpose_by_swap<<<4, dim3(16, 16)>>>(m);
}
