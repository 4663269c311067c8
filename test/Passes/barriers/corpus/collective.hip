// Barriers that also count, and, or: the result is used, and they order like any other, given several wavefronts.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// hk-insertion: ends
static __global__ void count_and_exchange(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  s[t] = v;
  const int positive = __syncthreads_count(v > 0.0f); // hk: needed|unknown (its result is used, and it orders s)
  out[blockIdx.x * 256 + t] = s[255 - t] * positive;
}

// Nothing to order, but the result.
// hk-insertion: ends
static __global__ void count_only(const float *__restrict__ in, int *__restrict__ out) {
  const int t = threadIdx.x;
  const int positive = __syncthreads_count(in[blockIdx.x * 256 + t] > 0.0f); // hk: needed|unknown (its result is used)
  if (t == 0)
    out[blockIdx.x] = positive;
}

// Relax until nothing changes: the loop turns equally often for all.
// hk-insertion: ends
static __global__ void until_settled(const int *__restrict__ in, int *__restrict__ out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t reads its neighbour)
  bool changed;
  do {
    const int left = t > 0 ? s[t - 1] : s[t];
    changed = left < s[t];
    __syncthreads(); // hk: lds-only (s[t] is still read by item t+1)
    if (changed)
      s[t] = left;
  } while (__syncthreads_or(changed)); // hk: needed|unknown (its result is used; the next turn reads the neighbour)
  out[blockIdx.x * 256 + t] = s[t];
}

// A plain barrier right before a collective one.
// hk-insertion: ends
static __global__ void plain_then_collective(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  s[t] = v;
  __syncthreads(); // hk: redundant|lds-only (the collective one orders s as well)
  const int all = __syncthreads_and(v > 0.0f); // hk: needed|unknown (its result is used)
  out[blockIdx.x * 256 + t] = all ? s[255 - t] : 0.0f;
}

// In a block of one wavefront the collective call is a vote without a barrier: it must not replace one.
// hk-insertion: ends
static __global__ void plain_then_vote(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 64 + t];
  s[t] = v;
  __syncthreads(); // hk: wave-level|lds-only|needed|unknown (t reads its mirror item in the wavefront)
  const int all = __syncthreads_and(v > 0.0f); // hk: needed|unknown (its result is used)
  out[blockIdx.x * 64 + t] = all ? s[63 - t] : 0.0f;
}

// The result thrown away: a barrier all the same.
// hk-insertion: ends
static __global__ void result_unused(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads_or(1); // hk: lds-only|needed|unknown (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

void launch_collective(const float *in, float *out, const int *iin, int *iout) {
  count_and_exchange<<<4, 256>>>(in, out);
  count_only<<<4, 256>>>(in, iout);
  until_settled<<<4, 256>>>(iin, iout);
  plain_then_collective<<<4, 256>>>(in, out);
  plain_then_vote<<<4, 64>>>(in, out);
  result_unused<<<4, 256>>>(in, out);
}
