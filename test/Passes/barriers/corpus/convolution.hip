// Convolutions: taps in constant memory, tiles with an apron, rows that a wavefront keeps to itself.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

constexpr int kTaps = 9;
__constant__ float taps[kTaps];

static __global__ void fir(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float x[256 + kTaps - 1];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  x[t] = in[i];
  if (t < kTaps - 1)
    x[t + 256] = in[i + 256];
  __syncthreads(); // hk: lds-only (item 63 reads on into the next wavefront's samples)
  float acc = 0.0f;
  for (int k = 0; k < kTaps; ++k)
    acc += taps[k] * x[t + k];
  out[i] = acc;
}

// Rows pass: a wavefront a row, apron included.
static __global__ void rows_pass(const float *__restrict__ in, float *__restrict__ out, int pitch) {
  __shared__ float x[4][64 + kTaps - 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = (blockIdx.y * 4 + ty) * pitch + blockIdx.x * 64 + tx;
  x[ty][tx] = in[i];
  if (tx < kTaps - 1)
    x[ty][tx + 64] = in[i + 64];
  __syncthreads(); // hk: wave-level (row ty is wavefront ty's)
  float acc = 0.0f;
  for (int k = 0; k < kTaps; ++k)
    acc += taps[k] * x[ty][tx + k];
  out[i] = acc;
}

// Columns pass: the neighbours are in other wavefronts.
static __global__ void columns_pass(const float *__restrict__ in, float *__restrict__ out, int pitch) {
  __shared__ float x[8 + kTaps - 1][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = (blockIdx.y * 8 + ty) * pitch + blockIdx.x * 64 + tx;
  x[ty][tx] = in[i];
  x[ty + 8][tx] = in[i + 8 * pitch];
  __syncthreads(); // hk: lds-only (a column runs through all wavefronts)
  float acc = 0.0f;
  for (int k = 0; k < kTaps; ++k)
    acc += taps[k] * x[ty + k][tx];
  out[i] = acc;
}

// Rows then columns in one kernel: the first barrier is for the rows, the second for the columns.
static __global__ void separable(const float *__restrict__ in, float *__restrict__ out, int pitch) {
  __shared__ float x[16][16];
  __shared__ float mid[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = (blockIdx.y * 16 + ty) * pitch + blockIdx.x * 16 + tx;
  x[ty][tx] = in[i];
  __syncthreads(); // hk: wave-level (rows of 16 stay in their wavefront)
  mid[ty][tx] = taps[0] * x[ty][tx] + taps[1] * x[ty][(tx + 1) & 15] + taps[2] * x[ty][(tx + 2) & 15];
  __syncthreads(); // hk: lds-only (columns do not)
  out[i] = taps[0] * mid[ty][tx] + taps[1] * mid[(ty + 1) & 15][tx] + taps[2] * mid[(ty + 2) & 15][tx];
}

// Weights copied to LDS by the first items, used by all.
static __global__ void weights_in_lds(const float *in, const float *weights, float *out, int n) {
  __shared__ float w[32];
  const int t = threadIdx.x;
  if (t < 32)
    w[t] = weights[t];
  __syncthreads(); // hk: needed (all wavefronts read w, and out may be weights)
  for (int i = blockIdx.x * 256 + t; i + 32 <= n; i += gridDim.x * 256) {
    float acc = 0.0f;
    for (int k = 0; k < 32; ++k)
      acc += w[k] * in[i + k];
    out[i] = acc;
  }
}

// Channels summed by a block: a tile a channel, reused.
static __global__ void channels(const float *__restrict__ in, float *__restrict__ out, int pitch, int count) {
  __shared__ float tile[10][10];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int t = ty * 8 + tx;
  float acc = 0.0f;
  for (int c = 0; c < count; ++c) {
    for (int k = t; k < 100; k += 64)
      tile[k / 10][k % 10] = in[c * pitch * pitch + (blockIdx.y * 8 + k / 10) * pitch + blockIdx.x * 8 + k % 10];
    __syncthreads(); // hk: wave-level (8 x 8 items are one wavefront)
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        acc += taps[dy * 3 + dx] * tile[ty + dy][tx + dx];
    __syncthreads(); // hk: wave-level (the next channel overwrites the tile of this wavefront)
  }
  out[(blockIdx.y * 8 + ty) * pitch + blockIdx.x * 8 + tx] = acc;
}

void launch_convolution(const float *in, const float *weights, float *out, int n) {
  fir<<<4, 256>>>(in, out);
  rows_pass<<<dim3(2, 2), dim3(64, 4)>>>(in, out, 128);
  columns_pass<<<dim3(2, 2), dim3(64, 8)>>>(in, out, 128);
  separable<<<dim3(2, 2), dim3(16, 16)>>>(in, out, 32);
  weights_in_lds<<<2, 256>>>(in, weights, out, n);
  channels<<<dim3(2, 2), dim3(8, 8)>>>(in, out, 32, 3);
}
