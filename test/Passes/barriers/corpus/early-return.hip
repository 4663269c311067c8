// Items that leave before a barrier. They count as having passed it, and what they did before stays to be ordered.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// The partial last workgroup leaves early.
static __global__ void tail_returns(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (i >= n)
    return;
  s[t] = in[i];
  __syncthreads(); // hk: lds-only (item t reads item t-1, over wavefront borders too)
  out[i] = t > 0 ? s[t] - s[t - 1] : s[t];
}

// The whole workgroup leaves: uniform.
static __global__ void spare_blocks_return(const float *__restrict__ in, float *__restrict__ out, int blocks) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (blockIdx.x >= blocks)
    return;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// After the return only wavefront 0 is left.
static __global__ void one_wave_stays(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (wavefront 0 reads what the others wrote)
  if (t >= 64)
    return;
  s[t] += s[t + 64] + s[t + 128] + s[t + 192];
  __syncthreads(); // hk: wave-level (only wavefront 0 is left)
  if (t >= 32)
    return;
  s[t] += s[t + 32];
  __syncthreads(); // hk: wave-level (item 0 reads what 0..31 wrote)
  if (t == 0) {
    float total = 0.0f;
    for (int k = 0; k < 32; ++k)
      total += s[k];
    out[blockIdx.x] = total;
  }
}

// After the return two wavefronts are left.
static __global__ void two_waves_stay(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (wavefronts 0 and 1 read what 2 and 3 wrote)
  if (t >= 128)
    return;
  s[t] += s[t + 128];
  __syncthreads(); // hk: lds-only (item t reads its mirror item in the other wavefront)
  out[blockIdx.x * 128 + t] = s[127 - t];
}

// 96 items stay: a wavefront and a half.
static __global__ void odd_cut(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (t >= 96)
    return;
  s[t] = in[blockIdx.x * 96 + t];
  __syncthreads(); // hk: lds-only (item 63 reads item 64)
  out[blockIdx.x * 96 + t] = s[(t + 1) % 96];
}

// What the leaving items wrote is read by the others. No path leads from the write through the barrier to the read,
// and still the barrier is what orders the two.
static __global__ void writers_return(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  if (t >= 128) {
    s[t - 128] = v;
    return;
  }
  __syncthreads(); // hk: lds-only (item t reads what item t+128 wrote before it left)
  out[blockIdx.x * 128 + t] = v + s[t];
}

// The same inside each wavefront: the upper 32 lanes leave.
static __global__ void half_waves_return(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  if (t & 32) {
    s[t] = v;
    return;
  }
  __syncthreads(); // hk: wave-level|lds-only (item t reads what item t+32 of its wavefront wrote before it left)
  out[blockIdx.x * 256 + t] = v + s[t + 32];
}

// The same in global memory.
static __global__ void writers_return_global(float *scratch, float *__restrict__ out) {
  const int t = threadIdx.x;
  float *mine = scratch + blockIdx.x * 256;
  if (t >= 128) {
    mine[t - 128] = 1.0f / (1 + t);
    return;
  }
  __syncthreads(); // hk: needed (item t reads from global memory what item t+128 wrote before it left)
  out[blockIdx.x * 128 + t] = mine[t];
}

// What the leaving items did touches nothing of the others.
static __global__ void strangers_return(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  if (t >= 128)
    return;
  __syncthreads(); // hk: redundant (items below 128 read only their own element)
  out[blockIdx.x * 128 + t] = s[t] * s[t];
}

// Return after the barrier: no matter.
static __global__ void return_after(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  if (i >= n)
    return;
  out[i] = s[255 - t];
}

// Leaving from inside a loop, all together.
static __global__ void leave_loop(const float *__restrict__ in, float *__restrict__ out, int rows, int stop) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  for (int r = 0; r < rows; ++r) {
    if (r == stop)
      return;
    s[t] = in[r * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    out[r * 256 + t] = s[255 - t];
    __syncthreads(); // hk: lds-only (the next row overwrites what the mirror item reads)
  }
}

void launch_early_return(const float *in, float *out, float *scratch, int n) {
  tail_returns<<<4, 256>>>(in, out, n - 100);
  spare_blocks_return<<<4, 256>>>(in, out, 3);
  one_wave_stays<<<4, 256>>>(in, out);
  two_waves_stay<<<4, 256>>>(in, out);
  odd_cut<<<4, 256>>>(in, out);
  writers_return<<<4, 256>>>(in, out);
  half_waves_return<<<4, 256>>>(in, out);
  writers_return_global<<<4, 256>>>(scratch, out);
  strangers_return<<<4, 256>>>(in, out);
  return_after<<<4, 256>>>(in, out, n - 100);
  leave_loop<<<1, 256>>>(in, out, 4, 9);
}
