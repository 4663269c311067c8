// Reductions by shuffles: LDS is needed only between wavefronts.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

__device__ inline float wave_sum(float v) {
  for (int d = 32; d > 0; d >>= 1)
    v += __shfl_down(v, d);
  return v;
}

static __global__ void sum_by_waves(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[4];
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  float v = wave_sum(in[blockIdx.x * 256 + t]);
  if (lane == 0)
    part[wave] = v;
  __syncthreads(); // hk: lds-only (wavefront 0 reads the sums of all four)
  if (wave == 0) {
    v = lane < 4 ? part[lane] : 0.0f;
    v = wave_sum(v);
    if (lane == 0)
      out[blockIdx.x] = v;
  }
}

// Shuffles exchange registers: a barrier around them orders no memory.
static __global__ void barriers_around_shuffles(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  for (int d = 32; d > 0; d >>= 1) {
    v += __shfl_xor(v, d);
    __syncthreads(); // hk: redundant (no memory is shared)
  }
  out[blockIdx.x * 256 + t] = v;
}

// The sum of a wavefront goes back to the same wavefront.
static __global__ void wave_broadcast(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[4];
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  const float v = in[blockIdx.x * 256 + t];
  const float sum = wave_sum(v);
  if (lane == 0)
    part[wave] = sum;
  __syncthreads(); // hk: wave-level (slot w is written and read by wavefront w)
  out[blockIdx.x * 256 + t] = v / part[wave];
}

// Groups of 32 lanes, as on other hardware: two groups a wavefront, eight slots.
static __global__ void groups_of_32(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[8];
  const int t = threadIdx.x, lane = t & 31, group = t >> 5;
  float v = in[blockIdx.x * 256 + t];
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_down(v, d, 32);
  if (lane == 0)
    part[group] = v;
  __syncthreads(); // hk: lds-only (group 0 reads the sums of all eight)
  if (t < 8)
    v = part[t];
  if (t < 8)
    out[blockIdx.x * 8 + t] = v;
}

// Groups of 32 that look at the other half of their wavefront only.
static __global__ void neighbour_of_32(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[8];
  const int t = threadIdx.x, lane = t & 31, group = t >> 5;
  float v = in[blockIdx.x * 256 + t];
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_down(v, d, 32);
  if (lane == 0)
    part[group] = v;
  __syncthreads(); // hk: wave-level (groups 2k and 2k+1 are one wavefront)
  out[blockIdx.x * 256 + t] = part[group ^ 1];
}

static __global__ void neighbour_group(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[8];
  const int t = threadIdx.x, lane = t & 31, group = t >> 5;
  float v = in[blockIdx.x * 256 + t];
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_down(v, d, 32);
  if (lane == 0)
    part[group] = v;
  __syncthreads(); // hk: lds-only (group 2 reads group 1: another wavefront)
  out[blockIdx.x * 256 + t] = part[(group + 7) & 7];
}

// Maximum, then sum, through one set of slots.
static __global__ void softmax_256(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[4];
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  const float x = in[blockIdx.x * 256 + t];
  float m = x;
  for (int d = 32; d > 0; d >>= 1)
    m = fmaxf(m, __shfl_xor(m, d));
  if (lane == 0)
    part[wave] = m;
  __syncthreads(); // hk: lds-only (everybody reads the maxima of all four)
  m = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  const float e = expf(x - m);
  float sum = e;
  for (int d = 32; d > 0; d >>= 1)
    sum += __shfl_xor(sum, d);
  __syncthreads(); // hk: lds-only (slots are overwritten while other wavefronts read the maxima)
  if (lane == 0)
    part[wave] = sum;
  __syncthreads(); // hk: lds-only (everybody reads the sums of all four)
  out[blockIdx.x * 256 + t] = e / (part[0] + part[1] + part[2] + part[3]);
}

// The same with two sets of slots: the barrier in the middle has nothing left to do.
static __global__ void softmax_256_two_sets(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float maxima[4];
  __shared__ float sums[4];
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  const float x = in[blockIdx.x * 256 + t];
  float m = x;
  for (int d = 32; d > 0; d >>= 1)
    m = fmaxf(m, __shfl_xor(m, d));
  if (lane == 0)
    maxima[wave] = m;
  __syncthreads(); // hk: lds-only (everybody reads the maxima of all four)
  m = fmaxf(fmaxf(maxima[0], maxima[1]), fmaxf(maxima[2], maxima[3]));
  const float e = expf(x - m);
  float sum = e;
  for (int d = 32; d > 0; d >>= 1)
    sum += __shfl_xor(sum, d);
  __syncthreads(); // hk: redundant (maxima is not written again, sums not written before)
  if (lane == 0)
    sums[wave] = sum;
  __syncthreads(); // hk: lds-only (everybody reads the sums of all four)
  out[blockIdx.x * 256 + t] = e / (sums[0] + sums[1] + sums[2] + sums[3]);
}

// The sixteen wavefronts of a block of 1024.
static __global__ void sum_1024(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[16];
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  float v = wave_sum(in[blockIdx.x * 1024 + t]);
  if (lane == 0)
    part[wave] = v;
  __syncthreads(); // hk: lds-only (items 0..15 read the sums of all wavefronts)
  if (t < 16)
    part[t] *= 0.5f;
  __syncthreads(); // hk: wave-level (items 0..15 wrote, item 0 reads)
  if (t == 0) {
    float total = 0.0f;
    for (int w = 0; w < 16; ++w)
      total += part[w];
    out[blockIdx.x] = total;
  }
}

void launch_shuffles(const float *in, float *out) {
  sum_by_waves<<<4, 256>>>(in, out);
  barriers_around_shuffles<<<4, 256>>>(in, out);
  wave_broadcast<<<4, 256>>>(in, out);
  groups_of_32<<<4, 256>>>(in, out);
  neighbour_of_32<<<4, 256>>>(in, out);
  neighbour_group<<<4, 256>>>(in, out);
  softmax_256<<<4, 256>>>(in, out);
  softmax_256_two_sets<<<4, 256>>>(in, out);
  sum_1024<<<1, 1024>>>(in, out);
}
