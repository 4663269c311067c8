// Prefix sums: Hillis-Steele with one buffer and with two, Blelloch, and by wavefronts.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void scan_one_buffer(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 64 reads item 63)
  for (int d = 1; d < 256; d <<= 1) {
    const float add = t >= d ? s[t - d] : 0.0f;
    __syncthreads(); // hk: lds-only (s[t] is still read by item t+d)
    s[t] += add;
    __syncthreads(); // hk: lds-only (the next step reads other items' sums)
  }
  out[blockIdx.x * 256 + t] = s[t];
}

// Forgetting the barrier between read and write.
static __global__ void scan_one_buffer_race(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 64 reads item 63)
  for (int d = 1; d < 256; d <<= 1) {
    if (t >= d)
      s[t] += s[t - d]; // hk: race (item t-d writes s[t-d] in the same interval)
    __syncthreads(); // hk: lds-only (the next step reads other items' sums)
  }
  out[blockIdx.x * 256 + t] = s[t];
}

static __global__ void scan_two_buffers(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[2][256];
  const int t = threadIdx.x;
  int from = 0;
  s[0][t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 64 reads item 63)
  for (int d = 1; d < 256; d <<= 1) {
    const int to = 1 - from;
    s[to][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from = to;
    __syncthreads(); // hk: lds-only (the next step reads other items' sums)
  }
  out[blockIdx.x * 256 + t] = s[from][t];
}

// 512 elements, 256 items; loads and stores are coalesced, so the last barrier counts too.
// hk-insertion: ends
static __global__ void scan_blelloch(const int *__restrict__ in, int *__restrict__ out) {
  __shared__ int s[512];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  s[t + 256] = in[blockIdx.x * 512 + t + 256];
  int step = 1;
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads(); // hk: lds-only (the level reads other items' sums)
    if (t < d)
      s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
    step *= 2;
  }
  if (t == 0)
    s[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    step >>= 1;
    __syncthreads(); // hk: lds-only (the level reads other items' sums)
    if (t < d) {
      const int lo = step * (2 * t + 1) - 1, hi = step * (2 * t + 2) - 1;
      const int keep = s[lo];
      s[lo] = s[hi];
      s[hi] += keep;
    }
  }
  __syncthreads(); // hk: lds-only (s[t] was written by item t/2)
  out[blockIdx.x * 512 + t] = s[t];
  out[blockIdx.x * 512 + t + 256] = s[t + 256];
}

// Each wavefront scans by shuffles; the four totals meet in LDS.
static __global__ void scan_by_waves(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float totals[4];
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  float v = in[blockIdx.x * 256 + t];
  for (int d = 1; d < 64; d <<= 1) {
    const float up = __shfl_up(v, d);
    if (lane >= d)
      v += up;
  }
  if (lane == 63)
    totals[wave] = v;
  __syncthreads(); // hk: lds-only (every wavefront reads the totals of those before it)
  for (int w = 0; w < wave; ++w)
    v += totals[w];
  out[blockIdx.x * 256 + t] = v;
}

// Scan of a row per block, chunk by chunk, with a carry in LDS.
static __global__ void scan_long_row(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float totals[4];
  __shared__ float carry;
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  if (t == 0)
    carry = 0.0f;
  for (int base = 0; base < n; base += 256) {
    float v = base + t < n ? in[base + t] : 0.0f;
    for (int d = 1; d < 64; d <<= 1) {
      const float up = __shfl_up(v, d);
      if (lane >= d)
        v += up;
    }
    if (lane == 63)
      totals[wave] = v;
    __syncthreads(); // hk: lds-only (totals and carry are read by all wavefronts)
    float before = carry;
    for (int w = 0; w < wave; ++w)
      before += totals[w];
    if (base + t < n)
      out[base + t] = before + v;
    __syncthreads(); // hk: lds-only (carry and totals are about to be overwritten)
    if (t == 255)
      carry = before + v;
  }
}

// In place in global memory.
static __global__ void scan_in_place(int *data) {
  const int t = threadIdx.x;
  int *mine = data + blockIdx.x * 256;
  for (int d = 1; d < 256; d <<= 1) {
    const int add = t >= d ? mine[t - d] : 0;
    __syncthreads(); // hk: needed (mine[t] is still read by item t+d)
    mine[t] += add;
    __syncthreads(); // hk: needed (the next step reads other items' sums)
  }
}

void launch_scans(const float *in, float *out, const int *iin, int *iout, int *data) {
  scan_one_buffer<<<2, 256>>>(in, out);
  scan_one_buffer_race<<<2, 256>>>(in, out);
  scan_two_buffers<<<2, 256>>>(in, out);
  scan_blelloch<<<2, 256>>>(iin, iout);
  scan_by_waves<<<2, 256>>>(in, out);
  scan_long_row<<<1, 256>>>(in, out, 1000);
  scan_in_place<<<2, 256>>>(data);
}
