// Two (or three) LDS buffers and how many barriers an iteration they save.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// One barrier an iteration is enough: iteration k+1 writes the other buffer.
static __global__ void ping_pong(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float buf[2][256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    buf[k & 1][t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (the tile is read by its mirror item)
    acc += buf[k & 1][255 - t];
  }
  out[blockIdx.x * 256 + t] = acc;
}

// The habit of two barriers, kept after the second buffer came in.
static __global__ void ping_pong_two_barriers(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float buf[2][256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    buf[k & 1][t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (the tile is read by its mirror item)
    acc += buf[k & 1][255 - t];
    __syncthreads(); // hk: redundant (iteration k+1 writes the other buffer, k+2 comes after its first barrier)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Prefetch: the next tile is stored while this one is read.
static __global__ void prefetch(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float buf[2][256];
  const int t = threadIdx.x;
  buf[0][t] = in[t];
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    __syncthreads(); // hk: lds-only (the tile stored before it is read after it by the mirror item)
    if (k + 1 < tiles)
      buf[(k + 1) & 1][t] = in[(k + 1) * 256 + t];
    acc += buf[k & 1][255 - t];
  }
  out[blockIdx.x * 256 + t] = acc;
}

// One buffer, one barrier: the next tile overwrites this one while others still read it.
static __global__ void single_buffer_race(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float buf[256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    buf[t] = in[k * 256 + t]; // hk: race=war
    __syncthreads();          // hk: lds-only (the tile is read by its mirror item)
    acc += buf[255 - t];      // hk: race=war
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Three buffers: the copy runs two tiles ahead of the reads.
static __global__ void triple_buffer(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float buf[3][256];
  const int t = threadIdx.x;
  buf[0][t] = in[t];
  buf[1][t] = in[256 + t];
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    __syncthreads(); // hk: lds-only (tile k was stored before it)
    acc += buf[k % 3][255 - t];
    if (k + 2 < tiles)
      buf[(k + 2) % 3][t] = in[(k + 2) * 256 + t];
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Two buffers whose roles are swapped by pointers, in global memory: the block iterates on its own row.
static __global__ void relax_rows(float *__restrict__ a, float *__restrict__ b, int steps) {
  const int t = threadIdx.x;
  float *src = a + blockIdx.x * 256;
  float *dst = b + blockIdx.x * 256;
  for (int k = 0; k < steps; ++k) {
    const float left = src[t > 0 ? t - 1 : 0];
    const float right = src[t < 255 ? t + 1 : 255];
    dst[t] = 0.5f * (left + right);
    __syncthreads(); // hk: needed (the next step reads the neighbours' results in global memory)
    float *const swap = src;
    src = dst;
    dst = swap;
  }
}

void launch_double_buffer(const float *in, float *out, float *a, float *b) {
  ping_pong<<<2, 256>>>(in, out, 5);
  ping_pong_two_barriers<<<2, 256>>>(in, out, 5);
  prefetch<<<2, 256>>>(in, out, 5);
  single_buffer_race<<<2, 256>>>(in, out, 5);
  triple_buffer<<<2, 256>>>(in, out, 5);
  relax_rows<<<2, 256>>>(a, b, 4);
}
