// The last workgroup to finish adds up. The barriers publish to other workgroups: none may be weakened.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

__device__ unsigned finished;

// One item stores, fences and counts; the block learns whether it was the last.
// hk-insertion: ends
static __global__ void sum_last_block(const float *__restrict__ in, float *partial, float *__restrict__ out) {
  __shared__ float part[256];
  __shared__ bool last;
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: needed|lds-only (the tree reads other items' values; the count comes later)
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: needed|lds-only (step 64 reads what wavefront 1 wrote)
  }
  if (t == 0) {
    partial[blockIdx.x] = part[0];
    __threadfence();
    last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads(); // hk: needed (all read `last`, and none may load partial sums before the count)
  if (last) {
    float acc = 0.0f;
    for (int b = t; b < gridDim.x; b += 256)
      acc += partial[b];
    part[t] = acc;
    __syncthreads(); // hk: needed|lds-only|unknown (the sum below reads all of part; same branch for the whole block)
    if (t == 0) {
      float total = 0.0f;
      for (int k = 0; k < 256; ++k)
        total += part[k];
      *out = total;
      finished = 0;
    }
  }
}

// All items store, then one counts: no two items of the workgroup meet at the first barrier.
// hk-insertion: ends
static __global__ void columns_last_block(const float *__restrict__ in, float *partial, float *__restrict__ out) {
  __shared__ unsigned ticket;
  const int t = threadIdx.x;
  partial[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
  __threadfence();
  // hk-execution: hidden (the stores are for other workgroups, whose races are not looked for)
  __syncthreads(); // hk: needed (every item's store comes before the count of item 0)
  if (t == 0)
    ticket = atomicAdd(&finished, 1u);
  __syncthreads(); // hk: needed (all read the ticket, and none may load before it was drawn)
  if (ticket == gridDim.x - 1) {
    float acc = 0.0f;
    for (int b = 0; b < gridDim.x; ++b)
      acc += partial[b * 256 + t];
    out[t] = acc;
    if (t == 0)
      finished = 0;
  }
}

// The fence in item 0 only: the barrier brings the others' stores before it.
// hk-insertion: ends
static __global__ void columns_fence_in_one(const float *__restrict__ in, float *partial, unsigned *count) {
  const int t = threadIdx.x;
  partial[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
  // hk-execution: hidden (the stores are for other workgroups, whose races are not looked for)
  __syncthreads(); // hk: needed (every item's store comes before the count of item 0)
  if (t == 0) {
    __threadfence();
    atomicAdd(count, 1u);
  }
}

// A release atomic instead of the fence.
// hk-insertion: ends
static __global__ void columns_release(const float *__restrict__ in, float *__restrict__ partial,
                                       unsigned *__restrict__ count) {
  const int t = threadIdx.x;
  partial[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
  // hk-execution: hidden (the stores are for other workgroups, whose races are not looked for)
  __syncthreads(); // hk: needed (every item's store comes before the release of item 0)
  if (t == 0)
    __hip_atomic_fetch_add(count, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// The count before the stores orders nothing that comes after it in this workgroup, but the barrier may.
// hk-insertion: ends
static __global__ void count_then_load(const float *partial, float *__restrict__ out, unsigned *__restrict__ count) {
  __shared__ unsigned ticket;
  const int t = threadIdx.x;
  if (t == 0)
    ticket = __hip_atomic_fetch_add(count, 1u, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
  __syncthreads(); // hk: needed (all read the ticket, and none may load before it was drawn)
  if (ticket % 2 == 1)
    out[blockIdx.x * 256 + t] = partial[t];
}

void launch_last_block(const float *in, float *partial, float *out, unsigned *count) {
  sum_last_block<<<4, 256>>>(in, partial, out);
  columns_last_block<<<4, 256>>>(in, partial, out);
  columns_fence_in_one<<<4, 256>>>(in, partial, count);
  columns_release<<<4, 256>>>(in, partial, count);
  count_then_load<<<4, 256>>>(partial, out, count);
}
