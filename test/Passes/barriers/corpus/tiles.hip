// One tile, one exchange: which items of the block meet in LDS or in the buffer decides everything.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void reverse_block(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t reads item 255-t: another wavefront)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

static __global__ void reverse_wave(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level (t and t^63 share bits 6 and up)
  out[blockIdx.x * 256 + t] = s[t ^ 63];
}

static __global__ void reverse_pair_of_waves(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (t and t^127 are in neighbouring wavefronts)
  out[blockIdx.x * 256 + t] = s[t ^ 127];
}

static __global__ void rotate_in_wave(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level (the rotation stays inside 64 lanes)
  out[blockIdx.x * 256 + t] = s[(t & ~63) | ((t + 1) & 63)];
}

static __global__ void rotate_in_block(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 63 reads item 64)
  out[blockIdx.x * 256 + t] = s[(t + 1) & 255];
}

// Written for 32-lane warps: two of them make a wavefront.
static __global__ void reverse_32(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int lane = t % 32, warp = t / 32;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level (32 items at a time, two groups a wavefront)
  out[blockIdx.x * 256 + t] = s[warp * 32 + 31 - lane];
}

// Segments of 100 straddle wavefronts.
static __global__ void rotate_segments(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[200];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 200 + t];
  __syncthreads(); // hk: lds-only (item 63 reads item 64 of its segment)
  out[blockIdx.x * 200 + t] = s[t / 100 * 100 + (t % 100 + 1) % 100];
}

static __global__ void stage_own(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (every item reads its own element)
  out[blockIdx.x * 256 + t] = 2.0f * s[t];
}

// In place, through LDS, own global element: only LDS is shared.
static __global__ void reverse_in_place(float *data) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = data[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (data[i] is read and written by one item; s is not)
  data[blockIdx.x * 256 + t] = s[255 - t];
}

// In place, own LDS element: only global memory is shared, and it is what the barrier is for.
static __global__ void reverse_in_place_by_store(float *data) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = data[blockIdx.x * 256 + t];
  __syncthreads(); // hk: needed (item t overwrites what item 255-t has to read first)
  data[blockIdx.x * 256 + 255 - t] = s[t];
}

// The same without any LDS.
static __global__ void reverse_in_registers(float *data) {
  const int t = threadIdx.x;
  const float v = data[blockIdx.x * 256 + t];
  __syncthreads(); // hk: needed (item t overwrites what item 255-t has to read first)
  data[blockIdx.x * 256 + 255 - t] = v;
}

// The same inside each wavefront.
static __global__ void reverse_in_registers_64(float *data) {
  const int t = threadIdx.x;
  const float v = data[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level (item t overwrites what item t^63 has to read first)
  data[blockIdx.x * 256 + (t ^ 63)] = v;
}

// Pointers that may be one buffer: the LDS exchange is in one wavefront, the buffers are not.
static __global__ void reverse_wave_may_alias(const float *in, float *out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: needed (out may overlap in, at any shift)
  out[blockIdx.x * 256 + t] = s[t ^ 63];
}

// Two items a value: items 2k and 2k+1 write the halves of one slot, item k reads it.
static __global__ void pack_pairs(const unsigned short *__restrict__ in, unsigned *__restrict__ out) {
  __shared__ unsigned short s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 127 reads what items 254 and 255 wrote)
  if (t < 128)
    out[blockIdx.x * 128 + t] = s[2 * t] | (unsigned)s[2 * t + 1] << 16;
}

// Four elements an item, kept in one piece: item t reads the four it wrote.
static __global__ void stage_vector(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    s[4 * t + k] = in[blockIdx.x * 1024 + 4 * t + k];
  __syncthreads(); // hk: redundant (slots 4t..4t+3 belong to item t)
  for (int k = 0; k < 4; ++k)
    out[blockIdx.x * 1024 + 4 * t + k] = s[4 * t + 3 - k];
}

// The same with the load made coalesced: now item t reads what others wrote.
static __global__ void stage_coalesced(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    s[k * 256 + t] = in[blockIdx.x * 1024 + k * 256 + t];
  __syncthreads(); // hk: lds-only (slot 4t was written by item 4t mod 256)
  for (int k = 0; k < 4; ++k)
    out[blockIdx.x * 1024 + 4 * t + k] = s[4 * t + 3 - k];
}

void launch_tiles(const float *in, float *out, float *data, const unsigned short *halves, unsigned *words) {
  reverse_block<<<4, 256>>>(in, out);
  reverse_wave<<<4, 256>>>(in, out);
  reverse_pair_of_waves<<<4, 256>>>(in, out);
  rotate_in_wave<<<4, 256>>>(in, out);
  rotate_in_block<<<4, 256>>>(in, out);
  reverse_32<<<4, 256>>>(in, out);
  rotate_segments<<<4, 200>>>(in, out);
  stage_own<<<4, 256>>>(in, out);
  reverse_in_place<<<4, 256>>>(data);
  reverse_in_place_by_store<<<4, 256>>>(data);
  reverse_in_registers<<<4, 256>>>(data);
  reverse_in_registers_64<<<4, 256>>>(data);
  reverse_wave_may_alias<<<4, 256>>>(in, out);
  pack_pairs<<<4, 256>>>(halves, words);
  stage_vector<<<4, 256>>>(in, out);
  stage_coalesced<<<4, 256>>>(in, out);
}
