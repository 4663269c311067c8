// Barriers in lambdas, and around them.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void lambda_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const auto sync = [] {
    __syncthreads(); // hk: lds-only (one of its two uses is an exchange)
  };
  s[t] = in[blockIdx.x * 256 + t];
  sync();
  out[blockIdx.x * 256 + t] = s[255 - t];
  sync();
}

// A butterfly in LDS: partners inside the wavefront.
static __global__ void lambda_butterfly_near(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  const auto add_partner = [&](int mask) {
    s[t] = v;
    __syncthreads(); // hk: wave-level (partners are 1, 2 and 32 items away)
    v += s[t ^ mask];
    __syncthreads(); // hk: wave-level (the next call overwrites what the partner reads)
  };
  add_partner(1);
  add_partner(2);
  add_partner(32);
  out[blockIdx.x * 256 + t] = v;
}

// One call with a far partner.
static __global__ void lambda_butterfly_far(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  const auto add_partner = [&](int mask) {
    s[t] = v;
    __syncthreads(); // hk: lds-only (one partner is 128 items away)
    v += s[t ^ mask];
    __syncthreads(); // hk: lds-only (the next call overwrites what the far partner reads)
  };
  add_partner(128);
  add_partner(1);
  out[blockIdx.x * 256 + t] = v;
}

template <typename Body>
__device__ void for_each_row(int rows, Body body) {
  for (int r = 0; r < rows; ++r) {
    body(r);
    __syncthreads(); // hk: lds-only (the next row overwrites what the mirror item reads)
  }
}

static __global__ void rows_by_lambda(const float *__restrict__ in, float *__restrict__ out, int rows) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  for_each_row(rows, [&](int r) {
    s[t] = in[r * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    out[r * 256 + t] = s[255 - t];
  });
}

// The row function keeps to the item's own slot.
template <typename Body>
__device__ void for_each_row_apart(int rows, Body body) {
  for (int r = 0; r < rows; ++r) {
    body(r);
    __syncthreads(); // hk: redundant (the body touches only its own elements)
  }
}

static __global__ void rows_apart(const float *__restrict__ in, float *__restrict__ out, int rows) {
  const int t = threadIdx.x;
  for_each_row_apart(rows, [&](int r) { out[r * 256 + t] = 2.0f * in[r * 256 + t]; });
}

// A generic lambda: the index function decides.
static __global__ void generic_lambda(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const auto through_lds = [&](auto index) {
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads(); // hk: lds-only (the index mirrors the block)
    out[blockIdx.x * 256 + t] = s[index(t)];
  };
  through_lds([](int i) { return 255 - i; });
}

static __global__ void generic_lambda_near(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const auto through_lds = [&](auto index) {
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads(); // hk: wave-level (the index mirrors each wavefront)
    out[blockIdx.x * 256 + t] = s[index(t)];
  };
  through_lds([](int i) { return i ^ 63; });
}

void launch_lambdas(const float *in, float *out) {
  lambda_sync<<<4, 256>>>(in, out);
  lambda_butterfly_near<<<4, 256>>>(in, out);
  lambda_butterfly_far<<<4, 256>>>(in, out);
  rows_by_lambda<<<1, 256>>>(in, out, 4);
  rows_apart<<<1, 256>>>(in, out, 4);
  generic_lambda<<<4, 256>>>(in, out);
  generic_lambda_near<<<4, 256>>>(in, out);
}
