// Guards: who writes, who reads, and whether they can sit in two wavefronts.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void first_wave_only(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t < 64)
    s[t] = in[blockIdx.x * 64 + t];
  __syncthreads(); // hk: wave-level (only items 0..63 touch s)
  if (t < 64)
    out[blockIdx.x * 64 + t] = s[63 - t];
}

static __global__ void first_hundred(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[100];
  const int t = threadIdx.x;
  if (t < 100)
    s[t] = in[blockIdx.x * 100 + t];
  __syncthreads(); // hk: lds-only (items 0..99 are two wavefronts)
  if (t < 100)
    out[blockIdx.x * 100 + t] = s[99 - t];
}

static __global__ void second_wave_feeds_first(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t >= 64 && t < 128)
    s[t - 64] = in[blockIdx.x * 64 + t - 64];
  __syncthreads(); // hk: lds-only (wavefront 1 writes, wavefront 0 reads)
  if (t < 64)
    out[blockIdx.x * 64 + t] = s[t];
}

// Evens write, odds write, each reads its own.
static __global__ void evens_and_odds(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (t % 2 == 0)
    s[t] = in[blockIdx.x * 256 + t];
  else
    s[t] = 1.0f;
  __syncthreads(); // hk: redundant (slot t is item t's on both sides)
  out[blockIdx.x * 256 + t] = s[t];
}

// Evens write, odds read.
static __global__ void evens_feed_odds(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (t % 2 == 0)
    s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level (items 2k and 2k+1 share a wavefront)
  if (t % 2 == 1)
    out[blockIdx.x * 256 + t] = s[t - 1];
}

static __global__ void odds_feed_next_evens(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[257];
  const int t = threadIdx.x;
  if (t % 2 == 1)
    s[t + 1] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 63 writes what item 64 reads)
  if (t % 2 == 0 && t > 0)
    out[blockIdx.x * 256 + t] = s[t];
}

static __global__ void broadcast_to_block(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float scale;
  const int t = threadIdx.x;
  if (t == 0)
    scale = 1.0f / in[blockIdx.x];
  __syncthreads(); // hk: lds-only (item 0 writes, all wavefronts read)
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t] * scale;
}

static __global__ void broadcast_to_wave(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float scale;
  const int t = threadIdx.x;
  if (t == 5)
    scale = 1.0f / in[blockIdx.x];
  __syncthreads(); // hk: wave-level (item 5 writes, items 0..63 read)
  if (t < 64)
    out[blockIdx.x * 64 + t] = scale;
}

static __global__ void broadcast_to_self(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float scale;
  const int t = threadIdx.x;
  if (t == 0)
    scale = 1.0f / in[blockIdx.x];
  __syncthreads(); // hk: redundant (item 0 writes and item 0 reads)
  if (t == 0)
    out[blockIdx.x] = scale;
}

// The wavefront that works is an argument: the same one on both sides.
static __global__ void chosen_wave(const float *__restrict__ in, float *__restrict__ out, int who) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t / 64 == who)
    s[t % 64] = in[blockIdx.x * 64 + t % 64];
  __syncthreads(); // hk: wave-level (one wavefront, whichever it is, writes and reads)
  if (t / 64 == who)
    out[blockIdx.x * 64 + t % 64] = s[63 - t % 64];
}

// A different one on each side.
static __global__ void hand_over(const float *__restrict__ in, float *__restrict__ out, int from, int to) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t / 64 == from)
    s[t % 64] = in[blockIdx.x * 64 + t % 64];
  __syncthreads(); // hk: lds-only (wavefront `from` writes, wavefront `to` reads)
  if (t / 64 == to)
    out[blockIdx.x * 64 + t % 64] = s[t % 64];
}

// A slice of LDS a wavefront.
static __global__ void slice_a_wave(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[4 * 65];
  const int t = threadIdx.x, lane = t % 64;
  float *mine = s + t / 64 * 65;
  mine[lane] = in[blockIdx.x * 256 + t];
  if (lane == 0)
    mine[64] = 0.0f;
  __syncthreads(); // hk: wave-level (slices of 65 do not meet)
  out[blockIdx.x * 256 + t] = mine[lane] - mine[lane + 1];
}

// Slices one too short: lane 63 of one wavefront and lane 0 of the next share a slot.
static __global__ void slices_overlap(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[4 * 63 + 1];
  const int t = threadIdx.x, lane = t % 64;
  float *mine = s + t / 64 * 63;
  mine[lane] = in[blockIdx.x * 256 + t]; // hk: race (slot 63 has two writers)
  __syncthreads();                       // hk: lds-only (slot 63 is read by another wavefront than wrote it last)
  out[blockIdx.x * 256 + t] = mine[63 - lane];
}

// The guard depends on the data, the slots do not.
static __global__ void guarded_by_data(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  s[t] = 0.0f;
  if (v > 0.5f)
    s[t] = v;
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  if (v <= 0.5f)
    out[blockIdx.x * 256 + t] = s[255 - t];
}

// Items below `half` write the slots that items from `half` on read.
static __global__ void two_halves(const float *__restrict__ in, float *__restrict__ out, int half) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (t < half)
    s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t >= half reads item t-half)
  if (t >= half && t - half < half)
    out[blockIdx.x * 256 + t] = s[t - half];
}

void launch_guards(const float *in, float *out, int half) {
  first_wave_only<<<4, 256>>>(in, out);
  first_hundred<<<4, 256>>>(in, out);
  second_wave_feeds_first<<<4, 256>>>(in, out);
  evens_and_odds<<<4, 256>>>(in, out);
  evens_feed_odds<<<4, 256>>>(in, out);
  odds_feed_next_evens<<<4, 256>>>(in, out);
  broadcast_to_block<<<4, 256>>>(in, out);
  broadcast_to_wave<<<4, 256>>>(in, out);
  broadcast_to_self<<<4, 256>>>(in, out);
  chosen_wave<<<4, 256>>>(in, out, 2);
  hand_over<<<4, 256>>>(in, out, 1, 3);
  slice_a_wave<<<4, 256>>>(in, out);
  slices_overlap<<<4, 256>>>(in, out);
  guarded_by_data<<<4, 256>>>(in, out);
  two_halves<<<4, 256>>>(in, out, 128);
}
