// Lanes of a wavefront that exchange through LDS: without a sync it is a race, with hk::sync::wave() it is not.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>
#include <hk/sync.h>

// "Threads of a warp run together": the compiler may still reorder.
static __global__ void last_warp_without_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = 128; s > 32; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: lds-only (step 64 reads what wavefront 1 wrote)
  }
  if (t < 32) {
    part[t] += part[t + 32];
    part[t] += part[t + 16]; // hk: race=last
    part[t] += part[t + 8];  // hk: race=last
    part[t] += part[t + 4];  // hk: race=last
    part[t] += part[t + 2];  // hk: race=last
    part[t] += part[t + 1];  // hk: race=last
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// The exchange of a wavefront with no sync at all.
static __global__ void exchange_without_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];            // hk: race=exchange
  out[blockIdx.x * 256 + t] = s[t ^ 1] + s[t]; // hk: race=exchange
}

// In global memory.
static __global__ void exchange_global_without_sync(float *data) {
  const int t = threadIdx.x;
  data[blockIdx.x * 256 + t] *= 2.0f;                           // hk: race=global
  data[blockIdx.x * 256 + t] += data[blockIdx.x * 256 + (t ^ 1)]; // hk: race=global
}

// One barrier forgotten between two that are there.
static __global__ void middle_forgotten(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  const float v = s[255 - t]; // hk: race=middle
  s[t] = 2.0f * v;            // hk: race=middle
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// The same exchange as it should be.
static __global__ void exchange_with_wave_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  hk::sync::wave(); // hk: wave-level|needed|none (as weak as can be)
  out[blockIdx.x * 256 + t] = s[t ^ 1];
}

// A wave-level sync does not order two wavefronts.
static __global__ void wave_sync_too_weak(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t]; // hk: race=weak
  hk::sync::wave();                       // hk: any|none
  out[blockIdx.x * 256 + t] = s[255 - t]; // hk: race=weak
}

// LDS-only, for LDS: right.
static __global__ void lds_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  hk::sync::lds(); // hk: lds-only|needed|none (as weak as can be)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// LDS-only, for global memory: wrong.
static __global__ void lds_sync_too_weak(float *data) {
  const int t = threadIdx.x;
  const float v = data[blockIdx.x * 256 + t]; // hk: race=global
  hk::sync::lds();                            // hk: any|none
  data[blockIdx.x * 256 + 255 - t] = v;       // hk: race=global
}

// The full barrier under its other name.
static __global__ void workgroup_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  hk::sync::workgroup(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// A wave-level sync is enough for the last steps; a full barrier next to it is not needed.
static __global__ void both_syncs(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant|wave-level (the wave-level sync below is all it takes)
  hk::sync::wave(); // hk: any|none
  out[blockIdx.x * 256 + t] = s[t ^ 1];
}

void launch_warp_synchronous(const float *in, float *out, float *data) {
  last_warp_without_sync<<<4, 256>>>(in, out);
  exchange_without_sync<<<4, 256>>>(in, out);
  exchange_global_without_sync<<<4, 256>>>(data);
  middle_forgotten<<<4, 256>>>(in, out);
  exchange_with_wave_sync<<<4, 256>>>(in, out);
  wave_sync_too_weak<<<4, 256>>>(in, out);
  lds_sync<<<4, 256>>>(in, out);
  lds_sync_too_weak<<<4, 256>>>(data);
  workgroup_sync<<<4, 256>>>(in, out);
  both_syncs<<<4, 256>>>(in, out);
}
