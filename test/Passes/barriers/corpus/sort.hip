// Sorting networks: the distance of a compare-exchange says whether it crosses wavefronts.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void bitonic_256(int *keys) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = keys[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level|lds-only (the first step pairs neighbours; later ones have barriers before)
  for (int size = 2; size <= 256; size <<= 1) {
    for (int d = size / 2; d > 0; d >>= 1) {
      const int partner = t ^ d;
      if (partner > t) {
        const bool up = (t & size) == 0;
        const int a = s[t], b = s[partner];
        if ((a > b) == up) {
          s[t] = b;
          s[partner] = a;
        }
      }
      __syncthreads(); // hk: lds-only (the next step pairs differently, up to 128 items away)
    }
  }
  keys[blockIdx.x * 256 + t] = s[t];
}

static __global__ void bitonic_64(int *keys) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = keys[blockIdx.x * 64 + t];
  __syncthreads(); // hk: wave-level (the block is one wavefront)
  for (int size = 2; size <= 64; size <<= 1) {
    for (int d = size / 2; d > 0; d >>= 1) {
      const int partner = t ^ d;
      if (partner > t && (s[t] > s[partner]) == ((t & size) == 0)) {
        const int keep = s[t];
        s[t] = s[partner];
        s[partner] = keep;
      }
      __syncthreads(); // hk: wave-level (the block is one wavefront)
    }
  }
  keys[blockIdx.x * 64 + t] = s[t];
}

__device__ inline void compare_exchange(int *s, int t, int d) {
  const int partner = t ^ d;
  if (partner > t && s[t] > s[partner]) {
    const int keep = s[t];
    s[t] = s[partner];
    s[partner] = keep;
  }
}

// The last merge of a bitonic sort, unrolled: from distance 32 on a step stays in its wavefront.
static __global__ void bitonic_merge(const int *__restrict__ in, int *__restrict__ out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (partners are 128 apart)
  compare_exchange(s, t, 128);
  __syncthreads(); // hk: lds-only (what item t wrote 128 away is read there)
  compare_exchange(s, t, 64);
  __syncthreads(); // hk: lds-only (what item t wrote 64 away is read there)
  compare_exchange(s, t, 32);
  __syncthreads(); // hk: wave-level (the steps before and after stay in the wavefront)
  compare_exchange(s, t, 16);
  __syncthreads(); // hk: wave-level (the steps before and after stay in the wavefront)
  compare_exchange(s, t, 8);
  __syncthreads(); // hk: wave-level (the steps before and after stay in the wavefront)
  compare_exchange(s, t, 4);
  __syncthreads(); // hk: wave-level (the steps before and after stay in the wavefront)
  compare_exchange(s, t, 2);
  __syncthreads(); // hk: wave-level (the steps before and after stay in the wavefront)
  compare_exchange(s, t, 1);
  __syncthreads(); // hk: wave-level (item t reads what its partner may have written)
  out[blockIdx.x * 256 + t] = s[t];
}

// Odd-even transposition: neighbours, but pairs straddle wavefronts in odd passes.
static __global__ void odd_even(int *keys) {
  __shared__ int s[512];
  const int t = threadIdx.x;
  s[t] = keys[blockIdx.x * 512 + t];
  s[t + 256] = keys[blockIdx.x * 512 + t + 256];
  __syncthreads(); // hk: lds-only (slot 2t was filled by another item)
  for (int k = 0; k < 512; ++k) {
    const int i = 2 * t + (k & 1);
    if (i + 1 < 512 && s[i] > s[i + 1]) {
      const int keep = s[i];
      s[i] = s[i + 1];
      s[i + 1] = keep;
    }
    __syncthreads(); // hk: lds-only (item 64 compares what item 63 moved)
  }
  keys[blockIdx.x * 512 + t] = s[t];
  keys[blockIdx.x * 512 + t + 256] = s[t + 256];
}

// Even passes only: every pair is one item's, but slots are loaded and stored by others.
static __global__ void even_passes(int *keys, int passes) {
  // hk-require: redundant == 1
  __shared__ int s[512];
  const int t = threadIdx.x;
  s[t] = keys[blockIdx.x * 512 + t];
  s[t + 256] = keys[blockIdx.x * 512 + t + 256];
  __syncthreads(); // hk: lds-only (slot 2t was filled by another item)
  for (int k = 0; k < passes; ++k) {
    s[2 * t] = min(s[2 * t], s[2 * t + 1] - k);
    __syncthreads(); // hk: redundant|lds-only (slots 2t and 2t+1 are item t's in every pass)
  }
  __syncthreads(); // hk: lds-only|redundant (slot t was written by item t/2)
  keys[blockIdx.x * 512 + t] = s[t];
  keys[blockIdx.x * 512 + t + 256] = s[t + 256];
}

// Count the smaller keys, write to that place: everybody reads everything.
static __global__ void rank_sort(const int *__restrict__ in, int *__restrict__ out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int key = in[blockIdx.x * 256 + t];
  s[t] = key;
  __syncthreads(); // hk: lds-only (everybody reads all keys)
  int rank = 0;
  for (int j = 0; j < 256; ++j)
    rank += s[j] < key || (s[j] == key && j < t);
  out[blockIdx.x * 256 + rank] = key; // hk: maybe-race (ranks are all different)
}

// In place: the scattered stores come after all loads.
static __global__ void rank_sort_in_place(int *keys) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  int *mine = keys + blockIdx.x * 256;
  const int key = mine[t];
  s[t] = key;
  __syncthreads(); // hk: needed|unknown (everybody reads all keys; stores go anywhere)
  int rank = 0;
  for (int j = 0; j < 256; ++j)
    rank += s[j] < key || (s[j] == key && j < t);
  mine[rank] = key; // hk: maybe-race (ranks are all different)
}

void launch_sort(int *keys, const int *in, int *out) {
  bitonic_256<<<2, 256>>>(keys);
  bitonic_64<<<2, 64>>>(keys);
  bitonic_merge<<<2, 256>>>(in, out);
  odd_even<<<2, 256>>>(keys);
  even_passes<<<2, 256>>>(keys, 3);
  rank_sort<<<2, 256>>>(in, out);
  rank_sort_in_place<<<2, 256>>>(keys);
}
