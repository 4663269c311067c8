// A launch orders by itself: barriers at the beginning and the end of a kernel, and what looks like them.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void barrier_at_end(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + 255 - t];
  __syncthreads(); // hk: redundant (only the next launch reads it)
}

static __global__ void barrier_at_start(const float *__restrict__ in, float *__restrict__ out) {
  __syncthreads(); // hk: redundant (nothing happened before it)
  const int t = threadIdx.x;
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + 255 - t];
}

// In place: the end of the kernel orders, not the barrier.
static __global__ void scale_in_place(float *data, float by) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  data[i] *= by;
  __syncthreads(); // hk: redundant (only the next launch reads it)
}

// Under a condition that is the same for all, at the end.
static __global__ void barrier_in_last_branch(float *data, int twice) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  data[i] *= 2.0f;
  if (twice) {
    data[i] *= 2.0f;
    __syncthreads(); // hk: redundant (nothing follows)
  }
}

// At the end of a loop body it is not the end of the kernel.
static __global__ void barrier_at_end_of_body(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
    s[t] = in[base + t];
    __syncthreads(); // hk: lds-only|needed (item t reads its mirror item; the stride between turns is a run-time value)
    out[base + t] = s[255 - t];
    __syncthreads(); // hk: lds-only|needed (the next turn overwrites what the mirror item reads)
  }
}

// After the loop nothing follows.
static __global__ void barrier_after_loop(float *data, int n) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    data[i] += 1.0f;
  __syncthreads(); // hk: redundant (nothing follows)
}

// The statement after the barrier touches registers only.
static __global__ void registers_after(float *data) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float v = data[i];
  data[i] = v + 1.0f;
  __syncthreads(); // hk: redundant (the only access that follows is to the item's own element)
  v *= 3.0f;
  if (v > 100.0f)
    data[i] = 0.0f;
}

// An intermediate buffer that the next kernel reads.
static __global__ void first_pass(const float *__restrict__ in, float *__restrict__ mid) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  mid[blockIdx.x * 256 + t] = s[255 - t];
  __syncthreads(); // hk: redundant (the second pass is another launch)
}

static __global__ void second_pass(const float *__restrict__ mid, float *__restrict__ out) {
  const int t = threadIdx.x;
  __syncthreads(); // hk: redundant (nothing happened before it)
  out[blockIdx.x * 256 + t] = mid[blockIdx.x * 256 + 255 - t];
}

// Cleanup of LDS at the end, as if the next launch could see it.
static __global__ void clear_at_end(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
  __syncthreads(); // hk: lds-only (slot t is cleared while the mirror item may still read it)
  s[t] = 0.0f;
}

void launch_launch_visible(const float *in, float *out, float *data, float *mid, int n) {
  barrier_at_end<<<4, 256>>>(in, out);
  barrier_at_start<<<4, 256>>>(in, out);
  scale_in_place<<<4, 256>>>(data, 2.0f);
  barrier_in_last_branch<<<4, 256>>>(data, 1);
  barrier_at_end_of_body<<<2, 256>>>(in, out, 1024);
  barrier_after_loop<<<2, 256>>>(data, n);
  registers_after<<<4, 256>>>(data);
  first_pass<<<4, 256>>>(in, mid);
  second_pass<<<4, 256>>>(mid, out);
  clear_at_end<<<4, 256>>>(in, out);
}
