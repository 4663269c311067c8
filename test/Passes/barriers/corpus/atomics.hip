// Atomics: they do not race with each other, and still the barrier may matter.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void count_positive(const float *__restrict__ in, int *__restrict__ out) {
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0)
    count = 0;
  __syncthreads(); // hk: lds-only (item 0 sets to zero what all count in)
  if (in[blockIdx.x * 256 + t] > 0.0f)
    atomicAdd(&count, 1);
  __syncthreads(); // hk: lds-only (item 0 reads what all counted)
  if (t == 0)
    out[blockIdx.x] = count;
}

// Two rounds of the same operation whose results nobody looks at.
static __global__ void maximum_of_both(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ out) {
  __shared__ int most;
  const int t = threadIdx.x;
  if (t == 0)
    most = -2147483647;
  __syncthreads(); // hk: lds-only (item 0 sets what all update)
  atomicMax(&most, a[blockIdx.x * 256 + t]);
  __syncthreads(); // hk: redundant|lds-only (maxima may be taken in any order)
  atomicMax(&most, b[blockIdx.x * 256 + t]);
  __syncthreads(); // hk: lds-only (item 0 reads what all updated)
  if (t == 0)
    out[blockIdx.x] = most;
}

// Two different operations: their order shows.
static __global__ void add_then_limit(int *__restrict__ out, int limit) {
  __shared__ int sum;
  const int t = threadIdx.x;
  if (t == 0)
    sum = 0;
  __syncthreads(); // hk: lds-only (item 0 sets what all update)
  atomicAdd(&sum, t);
  // hk-execution: hidden (atomics do not race, and addends from zero up give the same limited sum in any order)
  __syncthreads(); // hk: lds-only (the sum is complete before it is limited)
  atomicMin(&sum, limit);
  __syncthreads(); // hk: lds-only (item 0 reads what all updated)
  if (t == 0)
    out[blockIdx.x] = sum;
}

// Tickets: the evens draw first, so theirs are the lower ones.
static __global__ void evens_first(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ int next;
  const int t = threadIdx.x;
  if (t == 0)
    next = 0;
  __syncthreads(); // hk: lds-only (item 0 sets what all draw from)
  int slot = 0;
  if (t % 2 == 0)
    slot = atomicAdd(&next, 1);
  __syncthreads(); // hk: lds-only-order (the tickets of the evens are below those of the odds)
  if (t % 2 == 1)
    slot = atomicAdd(&next, 1);
  out[blockIdx.x * 256 + slot] = in[blockIdx.x * 256 + t]; // hk: maybe-race (tickets are all different)
}

// A histogram with computed bins.
static __global__ void histogram_computed(int *__restrict__ bins, int mul) {
  __shared__ int local[256];
  const int t = threadIdx.x;
  local[t] = 0;
  __syncthreads(); // hk: lds-only (bins are counted by other items than cleared them)
  for (int k = 0; k < 8; ++k)
    atomicAdd(&local[((t + k) * mul) & 255], 1);
  __syncthreads(); // hk: lds-only (bins are read by other items than counted in them)
  bins[blockIdx.x * 256 + t] = local[t];
}

// A histogram of data, added to the global one.
static __global__ void histogram(const unsigned char *__restrict__ data, unsigned *__restrict__ bins, int n) {
  __shared__ unsigned local[256];
  const int t = threadIdx.x;
  local[t] = 0;
  __syncthreads(); // hk: lds-only|needed|unknown (bins are counted by other items than cleared them)
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads(); // hk: lds-only|needed|unknown (bins are read by other items; the data is read-only)
  atomicAdd(&bins[t], local[t]);
}

// A histogram a wavefront: its slice is its own until the end.
static __global__ void histogram_a_wave(const unsigned *__restrict__ data, unsigned *__restrict__ bins, int n) {
  __shared__ unsigned local[4][64];
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6;
  local[wave][lane] = 0;
  __syncthreads(); // hk: wave-level|needed|unknown (slices are cleared and counted in by one wavefront)
  for (int i = t; i < n; i += 256)
    atomicAdd(&local[wave][data[blockIdx.x * n + i] & 63], 1u);
  __syncthreads(); // hk: lds-only|needed|unknown (wavefront 0 adds up the slices of all)
  if (wave == 0)
    bins[blockIdx.x * 64 + lane] = local[0][lane] + local[1][lane] + local[2][lane] + local[3][lane];
}

// Stream compaction by an LDS counter.
static __global__ void compact(const float *__restrict__ in, float *__restrict__ out, int *__restrict__ sizes) {
  __shared__ float kept[256];
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0)
    count = 0;
  __syncthreads(); // hk: lds-only (item 0 sets to zero what all count in)
  const float v = in[blockIdx.x * 256 + t];
  if (v > 0.0f)
    kept[atomicAdd(&count, 1) & 255] = v; // hk: maybe-race (tickets are all different)
  __syncthreads(); // hk: lds-only|needed|unknown (slots and count are read by other items)
  if (t < count)
    out[blockIdx.x * 256 + t] = kept[t];
  if (t == 0)
    sizes[blockIdx.x] = count;
}

// A plain store and an atomic to one word.
static __global__ void reset_race(const int *__restrict__ in, int *__restrict__ out) {
  __shared__ int sum;
  const int t = threadIdx.x;
  if (t == 0)
    sum = 0; // hk: race=zero (nothing keeps the others from adding before)
  atomicAdd(&sum, in[blockIdx.x * 256 + t]); // hk: race=zero
  __syncthreads(); // hk: lds-only (item 0 reads what all added)
  if (t == 0)
    out[blockIdx.x] = sum;
}

// Global atomics before, loads after.
// hk-insertion: ends
static __global__ void add_then_read(float *sums, const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  atomicAdd(&sums[t & 15], in[blockIdx.x * 256 + t]);
  __syncthreads(); // hk: needed (item t reads what other items added)
  out[blockIdx.x * 256 + t] = sums[t & 15];
}

// Global atomics on one side and unrelated loads on the other: nothing says that they are unrelated to other blocks.
// hk-insertion: ends
static __global__ void add_then_load(unsigned *__restrict__ count, const float *in, float *__restrict__ out) {
  const int t = threadIdx.x;
  if (t == 0)
    atomicAdd(count, 1u);
  __syncthreads(); // hk: needed-publication (another block may wait for the count and write `in`)
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
}

// LDS atomics are nobody else's business.
static __global__ void lds_atomic_then_load(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0)
    atomicExch(&count, 0);
  __syncthreads(); // hk: redundant|lds-only (nothing after it touches count)
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
}

void launch_atomics(const float *in, float *out, float *sums, const int *iin, int *iout,
                    const unsigned char *bytes, const unsigned *words, unsigned *bins, int n) {
  count_positive<<<4, 256>>>(in, iout);
  maximum_of_both<<<4, 256>>>(iin, iin, iout);
  add_then_limit<<<4, 256>>>(iout, 100);
  evens_first<<<4, 256>>>(in, out);
  histogram_computed<<<4, 256>>>(iout, 3);
  histogram<<<4, 256>>>(bytes, bins, n);
  histogram_a_wave<<<4, 256>>>(words, bins, n);
  compact<<<4, 256>>>(in, out, iout);
  reset_race<<<4, 256>>>(iin, iout);
  add_then_read<<<4, 256>>>(sums, in, out);
  add_then_load<<<4, 256>>>(bins, in, out);
  lds_atomic_then_load<<<4, 256>>>(in, out);
}
