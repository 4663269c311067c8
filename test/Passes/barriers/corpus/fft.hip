// Butterflies of a Fourier transform in LDS.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// 128 items, 256 points; input in bit-reversed order.
static __global__ void fft_256(const float2 *__restrict__ in, float2 *__restrict__ out) {
  __shared__ float re[256];
  __shared__ float im[256];
  const int t = threadIdx.x;
  for (int k = t; k < 256; k += 128) {
    const int from = __brev(k) >> 24;
    re[k] = in[blockIdx.x * 256 + from].x;
    im[k] = in[blockIdx.x * 256 + from].y;
  }
  __syncthreads(); // hk: lds-only (slots 2t and 2t+1 were filled by other items)
  for (int half = 1; half < 256; half <<= 1) {
    const int pos = t & (half - 1);
    const int i = 2 * t - pos, j = i + half;
    float sine, cosine;
    __sincosf(-3.14159265f * pos / half, &sine, &cosine);
    const float xr = re[j] * cosine - im[j] * sine;
    const float xi = re[j] * sine + im[j] * cosine;
    re[j] = re[i] - xr;
    im[j] = im[i] - xi;
    re[i] += xr;
    im[i] += xi;
    __syncthreads(); // hk: lds-only (the next stage pairs the points differently)
  }
  for (int k = t; k < 256; k += 128)
    out[blockIdx.x * 256 + k] = make_float2(re[k], im[k]);
}

// 64 items, 128 points: one wavefront.
static __global__ void fft_128(const float2 *__restrict__ in, float2 *__restrict__ out) {
  __shared__ float re[128];
  __shared__ float im[128];
  const int t = threadIdx.x;
  for (int k = t; k < 128; k += 64) {
    const int from = __brev(k) >> 25;
    re[k] = in[blockIdx.x * 128 + from].x;
    im[k] = in[blockIdx.x * 128 + from].y;
  }
  __syncthreads(); // hk: wave-level (the block is one wavefront)
  for (int half = 1; half < 128; half <<= 1) {
    const int pos = t & (half - 1);
    const int i = 2 * t - pos, j = i + half;
    float sine, cosine;
    __sincosf(-3.14159265f * pos / half, &sine, &cosine);
    const float xr = re[j] * cosine - im[j] * sine;
    const float xi = re[j] * sine + im[j] * cosine;
    re[j] = re[i] - xr;
    im[j] = im[i] - xi;
    re[i] += xr;
    im[i] += xi;
    __syncthreads(); // hk: wave-level (the block is one wavefront)
  }
  for (int k = t; k < 128; k += 64)
    out[blockIdx.x * 128 + k] = make_float2(re[k], im[k]);
}

// Walsh-Hadamard: a butterfly by a partner's value, read and written in two steps.
static __global__ void hadamard(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level|lds-only (the first step pairs neighbours; later ones have barriers before)
  for (int d = 1; d < 256; d <<= 1) {
    const float v = t & d ? s[t ^ d] - s[t] : s[t] + s[t ^ d];
    __syncthreads(); // hk: lds-only (the partner still reads s[t])
    s[t] = v;
    __syncthreads(); // hk: lds-only (the next step reads another partner's new value)
  }
  out[blockIdx.x * 256 + t] = s[t];
}

// Only the six near stages.
static __global__ void hadamard_64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  s[t] = v;
  __syncthreads(); // hk: wave-level (t and t^1 share a wavefront)
  v = t & 1 ? s[t ^ 1] - v : v + s[t ^ 1];
  __syncthreads(); // hk: wave-level (the partner still reads s[t])
  s[t] = v;
  __syncthreads(); // hk: wave-level (t and t^32 share a wavefront)
  v = t & 32 ? s[t ^ 32] - v : v + s[t ^ 32];
  out[blockIdx.x * 256 + t] = v;
}

void launch_fft(const float2 *in, float2 *out, const float *real, float *transformed) {
  fft_256<<<2, 128>>>(in, out);
  fft_128<<<2, 64>>>(in, out);
  hadamard<<<2, 256>>>(real, transformed);
  hadamard_64<<<2, 256>>>(real, transformed);
}
