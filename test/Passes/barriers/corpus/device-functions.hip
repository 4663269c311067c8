// Barriers in device functions: one line of source, many barriers of a run. The strictest verdict holds.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// Called once a kernel: the first barrier has nothing before it.
__device__ float sum_once(float v) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  __syncthreads(); // hk: redundant (no caller calls it twice)
  part[t] = v;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: lds-only (the next step, and the result, read other items' sums)
  }
  return part[0];
}

// Called twice: now the first barrier keeps the second call off the result of the first.
__device__ float sum_again(float v) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  __syncthreads(); // hk: lds-only (the result of the call before is still being read)
  part[t] = v;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: lds-only (the next step, and the result, read other items' sums)
  }
  return part[0];
}

static __global__ void center(const float *__restrict__ in, float *__restrict__ out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] - sum_once(in[i]) / 256;
}

static __global__ void standardize(const float *__restrict__ in, float *__restrict__ out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float d = in[i] - sum_again(in[i]) / 256;
  out[i] = d * rsqrtf(sum_again(d * d) / 256 + 1e-5f);
}

// Once in a loop is also twice.
__device__ float broadcast_first(float v) {
  __shared__ float first;
  __syncthreads(); // hk: lds-only (the next turn overwrites what others still read)
  if (threadIdx.x == 0)
    first = v;
  __syncthreads(); // hk: lds-only (all read what item 0 wrote)
  return first;
}

static __global__ void rows_minus_first(const float *__restrict__ in, float *__restrict__ out, int rows) {
  for (int r = 0; r < rows; ++r) {
    const float v = in[r * 256 + threadIdx.x];
    out[r * 256 + threadIdx.x] = v - broadcast_first(v);
  }
}

// A wrapper with two uses, one of which needs it.
__device__ void sync_block() {
  __syncthreads(); // hk: lds-only (one of its two uses is an exchange)
}

static __global__ void wrapper_both(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  sync_block();
  out[blockIdx.x * 256 + t] = s[255 - t];
  sync_block();
}

// A wrapper with two uses that need nothing.
__device__ void sync_for_luck() {
  __syncthreads(); // hk: redundant (neither use orders anything)
}

static __global__ void wrapper_neither(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  sync_for_luck();
  out[blockIdx.x * 256 + t] = s[t];
  sync_for_luck();
}

// Used by a block of one wavefront and by a block of four: not wave-level.
__device__ void sync_any_size() {
  __syncthreads(); // hk: lds-only (the larger block crosses wavefronts)
}

static __global__ void small_block(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[64];
  s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  sync_any_size();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

static __global__ void large_block(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  sync_any_size();
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}

// Two levels deep, with the exchange itself in the function.
__device__ float exchange(float *s, float v, int partner) {
  s[threadIdx.x] = v;
  __syncthreads(); // hk: lds-only (one caller's partner is 64 items away)
  return s[partner];
}

__device__ float butterfly(float *s, float v, int mask) { return v + exchange(s, v, threadIdx.x ^ mask); }

static __global__ void two_butterflies(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float near[256];
  __shared__ float far[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = butterfly(near, in[i], 1);
  out[i] = butterfly(far, v, 64);
}

// The same, near partners only, and two buffers.
__device__ float exchange_near(float *s, float v, int partner) {
  s[threadIdx.x] = v;
  __syncthreads(); // hk: wave-level (partners are 1 and 32 items away)
  return s[partner];
}

static __global__ void two_near_butterflies(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float a[256];
  __shared__ float b[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = exchange_near(a, in[i], threadIdx.x ^ 1);
  out[i] = exchange_near(b, v, threadIdx.x ^ 32);
}

// One buffer for both calls: the second call's write and the first call's read are not ordered.
__device__ float exchange_race(float *s, float v, int partner) {
  s[threadIdx.x] = v; // hk: race=reuse
  __syncthreads();    // hk: lds-only|wave-level (partners are 1 and 32 items away)
  return s[partner];  // hk: race=reuse
}

static __global__ void butterflies_in_one_buffer(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = exchange_race(s, in[i], threadIdx.x ^ 1);
  out[i] = exchange_race(s, v, threadIdx.x ^ 32);
}

// A function that is not inlined.
__device__ __attribute__((noinline)) void store_and_wait(float *s, float v) {
  s[threadIdx.x] = v;
  __syncthreads(); // hk: lds-only|needed|unknown (the caller reads its mirror item)
}

// hk-insertion: none
static __global__ void not_inlined(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  store_and_wait(s, in[blockIdx.x * 256 + t]);
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// A member function.
struct BlockSum {
  float part[256];

  __device__ float operator()(float v) {
    part[threadIdx.x] = v;
    __syncthreads(); // hk: lds-only (item 0 reads all of part)
    float total = 0.0f;
    if (threadIdx.x == 0)
      for (int k = 0; k < 256; ++k)
        total += part[k];
    return total;
  }
};

static __global__ void by_member(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ BlockSum sum;
  const float total = sum(in[blockIdx.x * 256 + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = total;
}

// Nobody calls it.
__device__ inline void never_called() {
  __syncthreads(); // hk: any|none
}

void launch_device_functions(const float *in, float *out) {
  center<<<4, 256>>>(in, out);
  standardize<<<4, 256>>>(in, out);
  rows_minus_first<<<1, 256>>>(in, out, 4);
  wrapper_both<<<4, 256>>>(in, out);
  wrapper_neither<<<4, 256>>>(in, out);
  small_block<<<4, 64>>>(in, out);
  large_block<<<4, 256>>>(in, out);
  two_butterflies<<<4, 256>>>(in, out);
  two_near_butterflies<<<4, 256>>>(in, out);
  butterflies_in_one_buffer<<<4, 256>>>(in, out);
  not_inlined<<<4, 256>>>(in, out);
  by_member<<<4, 256>>>(in, out);
}
