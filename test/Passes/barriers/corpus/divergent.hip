// Barriers that not every item reaches are reported; conditions that only look so are not.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// Nothing follows the branch: the other items are as good as returned.
static __global__ void half_of_the_block(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  if (t < 128) {
    s[t] = in[blockIdx.x * 128 + t]; // hk: maybe-race
    __syncthreads();                 // hk: divergent|lds-only (items 128 and up never come)
    out[blockIdx.x * 128 + t] = s[127 - t]; // hk: maybe-race
  }
}

static __global__ void by_data(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  if (v > 0.0f) {
    out[blockIdx.x * 256 + t] = v;
    __syncthreads(); // hk: divergent (each item looks at its own value)
    out[blockIdx.x * 256 + t] += 1.0f;
  }
  out[blockIdx.x * 256 + t] *= 2.0f;
}

// The number of turns differs between items.
static __global__ void trips_differ(float *data, int n) {
  for (int i = threadIdx.x; i < n; i += 256) {
    data[i] *= 2.0f;
    __syncthreads(); // hk: divergent (n need not be a multiple of 256)
  }
}

// The same loop with equal turns for all.
static __global__ void trips_agree(float *data, int n) {
  for (int base = 0; base < n; base += 256) {
    const int i = base + threadIdx.x;
    if (i < n)
      data[i] *= 2.0f;
    __syncthreads(); // hk: redundant (each element has one item)
  }
}

// Equal in a wavefront is not equal in the workgroup.
static __global__ void by_wave_number(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  const int wave = __builtin_amdgcn_readfirstlane(t / 64);
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
  if (wave == 0) {
    out[blockIdx.x * 256 + t] += 1.0f;
    __syncthreads(); // hk: divergent (wavefronts 1 to 3 never come)
  }
  out[blockIdx.x * 256 + t] *= 2.0f;
}

static __global__ void by_vote(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  if (__any(v > 0.0f)) {
    out[blockIdx.x * 256 + t] = v;
    __syncthreads(); // hk: divergent (each wavefront votes for itself)
  }
  out[blockIdx.x * 256 + t] += v;
}

static __global__ void by_ballot(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  while (__ballot(v > 1.0f) != 0) {
    v *= 0.5f;
    __syncthreads(); // hk: divergent (each wavefront counts its own turns)
  }
  out[blockIdx.x * 256 + t] = v;
}

static __global__ void both_branches(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  if (t < 128) {
    out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
    __syncthreads(); // hk: divergent (the others wait at another barrier)
  } else {
    out[blockIdx.x * 256 + t] = 0.0f;
    __syncthreads(); // hk: divergent (the others wait at another barrier)
  }
}

static __global__ void by_switch(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  switch (t & 3) {
  case 0:
    v += 1.0f;
    __syncthreads(); // hk: divergent (one item in four)
    break;
  case 1:
    v += 2.0f;
    break;
  default:
    v += 3.0f;
  }
  out[blockIdx.x * 256 + t] = v;
}

static __global__ void by_break(const float *__restrict__ in, float *__restrict__ out, int turns) {
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  for (int k = 0; k < turns; ++k) {
    if (v > 100.0f)
      break;
    v *= 2.0f;
    __syncthreads(); // hk: divergent (items leave the loop at different turns)
  }
  out[blockIdx.x * 256 + t] = v;
}

static __global__ void by_continue(const float *__restrict__ in, float *__restrict__ out, int turns) {
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  for (int k = 0; k < turns; ++k) {
    if ((t + k) % 2)
      continue;
    v *= 2.0f;
    __syncthreads(); // hk: divergent (items skip it in different turns)
  }
  out[blockIdx.x * 256 + t] = v;
}

__device__ float wait_and_double(float v) {
  __syncthreads(); // hk: divergent (the caller calls it for some items)
  return 2.0f * v;
}

static __global__ void in_a_function(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  if (t % 2)
    v = wait_and_double(v);
  out[blockIdx.x * 256 + t] = v;
}

// Divergent where one caller calls it for all and another for some.
__device__ float wait_and_triple(float v) {
  __syncthreads(); // hk: divergent (one of the two callers calls it for some items)
  return 3.0f * v;
}

static __global__ void for_all(const float *__restrict__ in, float *__restrict__ out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = wait_and_triple(in[i]);
}

static __global__ void for_some(const float *__restrict__ in, float *__restrict__ out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = threadIdx.x > 7 ? wait_and_triple(in[i]) : 0.0f;
}

// Conditions on arguments and block numbers are the same for all.
static __global__ void uniform_conditions(const float *__restrict__ in, float *__restrict__ out, int mode) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  if (mode == 1) {
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    out[blockIdx.x * 256 + t] = s[255 - t];
  } else if (blockIdx.x == 0) {
    __syncthreads(); // hk: lds-only (item t reads its neighbour)
    out[blockIdx.x * 256 + t] = s[(t + 1) & 255];
  } else {
    out[blockIdx.x * 256 + t] = s[t];
  }
}

// A condition loaded from one place by everybody.
static __global__ void loaded_condition(const float *__restrict__ in, float *__restrict__ out,
                                        const int *__restrict__ active) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  if (active[blockIdx.x]) {
    __syncthreads(); // hk: lds-only|needed|unknown (item t reads its mirror item)
    out[blockIdx.x * 256 + t] = s[255 - t];
  }
}

// A loop as long as a bound from memory says, the same for all items of the block.
static __global__ void loaded_bound(const float *__restrict__ in, float *__restrict__ out,
                                    const int *__restrict__ turns) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  const int n = turns[blockIdx.x];
  for (int k = 0; k < n; ++k) {
    s[t] = v;
    __syncthreads(); // hk: lds-only|needed|unknown (item t reads its mirror item)
    v += s[255 - t];
    __syncthreads(); // hk: lds-only|needed|unknown (the next turn overwrites what the mirror item reads)
  }
  out[blockIdx.x * 256 + t] = v;
}

// A flag in LDS that one item sets, read by everybody between two barriers.
static __global__ void flag_in_lds(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  __shared__ int go;
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  for (;;) {
    s[t] = v;
    if (t == 0)
      go = 0;
    __syncthreads(); // hk: lds-only|needed|unknown (everybody reads its mirror item, and may set the flag)
    v = 0.5f * (v + s[255 - t]);
    if (v > 1.0f)
      go = 1; // hk: maybe-race (all write the same value)
    __syncthreads(); // hk: lds-only|needed|unknown (everybody reads the flag)
    if (!go)
      break;
    __syncthreads(); // hk: lds-only|needed|unknown (item 0 clears the flag that others still read)
  }
  out[blockIdx.x * 256 + t] = v;
}

void launch_divergent(const float *in, float *out, float *data, const int *active, int n) {
  half_of_the_block<<<4, 256>>>(in, out);
  by_data<<<4, 256>>>(in, out);
  trips_differ<<<1, 256>>>(data, n);
  trips_agree<<<1, 256>>>(data, n);
  by_wave_number<<<4, 256>>>(in, out);
  by_vote<<<4, 256>>>(in, out);
  by_ballot<<<4, 256>>>(in, out);
  both_branches<<<4, 256>>>(in, out);
  by_switch<<<4, 256>>>(in, out);
  by_break<<<4, 256>>>(in, out, 4);
  by_continue<<<4, 256>>>(in, out, 4);
  in_a_function<<<4, 256>>>(in, out);
  for_all<<<4, 256>>>(in, out);
  for_some<<<4, 256>>>(in, out);
  uniform_conditions<<<4, 256>>>(in, out, 1);
  loaded_condition<<<4, 256>>>(in, out, active);
  loaded_bound<<<4, 256>>>(in, out, active);
  flag_in_lds<<<4, 256>>>(in, out);
}
