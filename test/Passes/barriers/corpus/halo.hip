// Tiles with a halo: the items at the border load for their neighbours.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

constexpr int kRadius = 3;

static __global__ void blur(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[256 + 2 * kRadius];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  tile[t + kRadius] = i < n ? in[i] : 0.0f;
  if (t < kRadius) {
    tile[t] = i >= kRadius ? in[i - kRadius] : 0.0f;
    tile[t + 256 + kRadius] = i + 256 < n ? in[i + 256] : 0.0f;
  }
  __syncthreads(); // hk: lds-only (item 64 reads what items 61..67 loaded)
  float acc = 0.0f;
  for (int k = -kRadius; k <= kRadius; ++k)
    acc += tile[t + kRadius + k];
  if (i < n)
    out[i] = acc;
}

static __global__ void blur_may_alias(const float *in, float *out, int n) {
  __shared__ float tile[256 + 2];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  tile[t + 1] = i < n ? in[i] : 0.0f;
  if (t == 0)
    tile[0] = i > 0 ? in[i - 1] : 0.0f;
  if (t == 255)
    tile[257] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads(); // hk: needed (neighbours in LDS, and out may be in)
  if (i < n)
    out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

// In place: the halo of this block is read before it is overwritten, if the barrier holds.
static __global__ void smooth_in_place(float *x) {
  const int t = threadIdx.x;
  float *row = x + blockIdx.x * 256;
  const float left = t > 0 ? row[t - 1] : row[t];
  const float right = t < 255 ? row[t + 1] : row[t];
  __syncthreads(); // hk: needed (item t overwrites what its neighbours read: global memory, no LDS)
  row[t] = 0.5f * (left + right);
}

// Several steps in LDS before anything is written back.
static __global__ void jacobi_in_lds(const float *__restrict__ in, float *__restrict__ out, int steps) {
  __shared__ float u[258];
  const int t = threadIdx.x;
  u[t + 1] = in[blockIdx.x * 256 + t];
  if (t == 0)
    u[0] = u[257] = 0.0f;
  __syncthreads(); // hk: lds-only (neighbours read each other's value)
  for (int k = 0; k < steps; ++k) {
    const float v = 0.5f * (u[t] + u[t + 2]);
    __syncthreads(); // hk: lds-only (u[t+1] is still read by the neighbours)
    u[t + 1] = v;
    __syncthreads(); // hk: lds-only (the next step reads the neighbours' new values)
  }
  out[blockIdx.x * 256 + t] = u[t + 1];
}

// A wavefront a row, with a halo of its own: nothing is shared between rows.
static __global__ void blur_rows(const float *__restrict__ in, float *__restrict__ out, int pitch) {
  __shared__ float tile[4][66];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = (blockIdx.y * 4 + ty) * pitch + blockIdx.x * 64 + tx;
  tile[ty][tx + 1] = in[i];
  if (tx == 0)
    tile[ty][0] = in[i > 0 ? i - 1 : i];
  if (tx == 63)
    tile[ty][65] = in[i + 1];
  __syncthreads(); // hk: wave-level (a row of 64 items is a wavefront)
  out[i] = tile[ty][tx] + tile[ty][tx + 1] + tile[ty][tx + 2];
}

// The same with rows of 65: the last slot of a row is the first of the next. Items of two wavefronts write it.
static __global__ void blur_rows_short_pitch(const float *__restrict__ in, float *__restrict__ out, int pitch) {
  __shared__ float tile[4 * 65 + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = (blockIdx.y * 4 + ty) * pitch + blockIdx.x * 64 + tx;
  tile[ty * 65 + tx + 1] = in[i];
  if (tx == 0)
    tile[ty * 65] = in[i > 0 ? i - 1 : i]; // hk: race=slot
  if (tx == 63)
    tile[ty * 65 + 65] = in[i + 1]; // hk: race=slot
  __syncthreads(); // hk: lds-only (slot 65 is written by row 0 and by row 1)
  out[i] = tile[ty * 65 + tx] + tile[ty * 65 + tx + 1] + tile[ty * 65 + tx + 2];
}

void launch_halo(const float *in, float *out, float *x, int n) {
  blur<<<4, 256>>>(in, out, n);
  blur_may_alias<<<4, 256>>>(in, out, n);
  smooth_in_place<<<4, 256>>>(x);
  jacobi_in_lds<<<4, 256>>>(in, out, 3);
  blur_rows<<<dim3(2, 2), dim3(64, 4)>>>(in, out, 128);
  blur_rows_short_pitch<<<dim3(2, 2), dim3(64, 4)>>>(in, out, 128);
}
