// Global memory counts: kernels without any LDS that need their barriers, and some that do not.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void mirror(float *__restrict__ scratch, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = sqrtf(t);
  __syncthreads(); // hk: needed (item t reads what item 255-t wrote)
  out[base + t] = scratch[base + 255 - t];
}

static __global__ void mirror_in_wave(float *__restrict__ scratch, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = sqrtf(t);
  __syncthreads(); // hk: wave-level (item t reads what item t^63 wrote)
  out[base + t] = scratch[base + (t ^ 63)];
}

static __global__ void own_element(float *__restrict__ scratch, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = sqrtf(t);
  __syncthreads(); // hk: redundant (item t reads what item t wrote)
  out[base + t] = scratch[base + t];
}

// The next workgroup's part: a barrier orders nothing between workgroups.
static __global__ void next_block(float *__restrict__ scratch, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = sqrtf(t);
  __syncthreads(); // hk: redundant (no two items of one workgroup meet)
  out[base + t] = scratch[base + 256 + t];
}

// The part that the mask picks may be this workgroup's own.
static __global__ void wrapped_block(float *__restrict__ scratch, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = sqrtf(t);
  __syncthreads(); // hk: needed-alias (in a grid of one the block reads its own part, mirrored)
  out[base + t] = scratch[(blockIdx.x + 1) % gridDim.x * 256 + 255 - t];
}

static __global__ void odd_even_sort(int *keys, int n) {
  const int t = threadIdx.x;
  int *mine = keys + blockIdx.x * 512;
  for (int k = 0; k < n; ++k) {
    const int i = 2 * t + (k & 1);
    if (i + 1 < 512 && mine[i] > mine[i + 1]) {
      const int keep = mine[i];
      mine[i] = mine[i + 1];
      mine[i + 1] = keep;
    }
    __syncthreads(); // hk: needed (the next pass pairs the elements differently)
  }
}

// All passes pair alike: every pair is one item's own.
static __global__ void same_pairs_each_pass(int *keys, int n) {
  const int t = threadIdx.x;
  int *mine = keys + blockIdx.x * 512;
  for (int k = 0; k < n; ++k) {
    mine[2 * t] += mine[2 * t + 1];
    mine[2 * t + 1] -= k;
    __syncthreads(); // hk: redundant (elements 2t and 2t+1 are item t's)
  }
}

// Red and black points: a black one reads its red neighbours.
static __global__ void red_black(float *u) {
  const int t = threadIdx.x;
  float *row = u + blockIdx.x * 514;
  row[2 * t + 1] = 0.5f * (row[2 * t] + row[2 * t + 2]);
  __syncthreads(); // hk: needed (point 2t+2 reads point 2t+3, which item t+1 has just updated)
  row[2 * t + 2] = 0.5f * (row[2 * t + 1] + row[2 * t + (t < 255 ? 3 : 2)]);
}

// Gather through an index from memory.
static __global__ void gather(float *__restrict__ scratch, const int *__restrict__ index, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = sqrtf(t);
  __syncthreads(); // hk: needed|unknown (whose element it is depends on the data)
  out[base + t] = scratch[base + index[base + t]];
}

// Scatter through an index from memory.
static __global__ void scatter(float *__restrict__ scratch, const int *__restrict__ index, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = 0.0f;
  __syncthreads(); // hk: needed|unknown (whose element it is depends on the data)
  if (t % 2)
    scratch[base + index[base + t]] = 1.0f; // hk: maybe-race (if the indices repeat)
}

// Pointer jumping.
static __global__ void list_ranks(int *next, int *rank, int steps) {
  const int t = threadIdx.x;
  for (int k = 0; k < steps; ++k) {
    const int to = next[t];
    const int add = rank[to];
    const int jump = next[to];
    __syncthreads(); // hk: needed|unknown (next and rank of item t are still read by others)
    rank[t] += add;
    next[t] = jump;
    __syncthreads(); // hk: needed|unknown (the next step reads the others' new values)
  }
}

// A matrix factorization of one workgroup, row operations in global memory.
static __global__ void eliminate(float *a, int n) {
  const int t = threadIdx.x;
  for (int k = 0; k + 1 < n; ++k) {
    if (t > k && t < n)
      a[t * 256 + k] /= a[k * 256 + k];
    __syncthreads(); // hk: needed (the update below reads column k)
    if (t > k && t < n)
      for (int i = k + 1; i < n; ++i)
        a[i * 256 + t] -= a[i * 256 + k] * a[k * 256 + t];
    __syncthreads(); // hk: needed (the next step divides by an updated element)
  }
}

// Chunks of a long vector, each item over its own elements only.
static __global__ void strided_own(float *x, int n) {
  for (int i = threadIdx.x; i < n; i += 256)
    x[i] *= 2.0f;
  __syncthreads(); // hk: redundant (items keep to their residues modulo 256)
  for (int i = threadIdx.x; i < n; i += 256)
    x[i] += 1.0f;
}

static __global__ void strided_other(float *x, int n) {
  for (int i = threadIdx.x; i < n; i += 256)
    x[i] *= 2.0f;
  __syncthreads(); // hk: needed (the second pass walks the vector from the end)
  for (int i = threadIdx.x; i < n; i += 256)
    x[n - 1 - i] += 1.0f;
}

// First strided, then in blocks of 16: other items' elements.
static __global__ void strided_then_blocked(float *x) {
  for (int i = threadIdx.x; i < 4096; i += 256)
    x[i] *= 2.0f;
  __syncthreads(); // hk: needed (element 1 was item 1's and becomes item 0's)
  for (int k = 0; k < 16; ++k)
    x[threadIdx.x * 16 + k] += 1.0f;
}

void launch_global_communication(float *scratch, float *out, int *keys, const int *index, int n) {
  mirror<<<4, 256>>>(scratch, out);
  mirror_in_wave<<<4, 256>>>(scratch, out);
  own_element<<<4, 256>>>(scratch, out);
  next_block<<<4, 256>>>(scratch, out);
  wrapped_block<<<4, 256>>>(scratch, out);
  odd_even_sort<<<2, 256>>>(keys, 7);
  same_pairs_each_pass<<<2, 256>>>(keys, 3);
  red_black<<<2, 256>>>(scratch);
  gather<<<4, 256>>>(scratch, index, out);
  scatter<<<4, 256>>>(scratch, index, out);
  list_ranks<<<1, 256>>>(keys, keys + 256, 3);
  eliminate<<<1, 256>>>(scratch, 200);
  strided_own<<<1, 256>>>(scratch, n);
  strided_other<<<1, 256>>>(scratch, n);
  strided_then_blocked<<<1, 256>>>(scratch);
}
