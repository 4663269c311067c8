// What is known of the block size, and from where: the weakest knowledge holds.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
// RUN: %python %S/../verdicts.py --prefix=hk-launches --option=--assume=launches hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// Anyone may launch it, with any block. The launch below does not count.
__global__ void external(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: lds-only hk-launches: wave-level (a block of 128 would have two wavefronts)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

// The same, seen in this file only: 64 items are one wavefront.
static __global__ void internal_64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: wave-level (its only launch has 64 items)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

namespace {
__global__ void anonymous_64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: wave-level (its only launch has 64 items)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}
} // namespace

// Two launches, 64 and 128.
static __global__ void launched_twice(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: lds-only (the launch with 128 items has two wavefronts)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

// Two launches, both of one wavefront.
static __global__ void launched_twice_small(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: wave-level (32 or 64 items)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

// The block is a run-time value.
static __global__ void runtime_block(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: lds-only (the block may have several wavefronts)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

// Its address goes elsewhere: there may be launches that are not seen.
static __global__ void address_taken(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: lds-only hk-launches: wave-level (the launch of 64 need not be the only one)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

// __launch_bounds__ is a promise whoever launches it.
__global__ __launch_bounds__(64) void bounds_64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: wave-level (at most one wavefront)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

__global__ __launch_bounds__(65) void bounds_65(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[65];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: lds-only (item 64 is in a second wavefront)
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

// A maximum, not the size: the tree below is right for 256 only, but no barrier of it may go.
__global__ __launch_bounds__(256) void bounds_256(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads(); // hk: lds-only (items of two wavefronts meet)
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads(); // hk: lds-only (step 64 reads what wavefront 1 wrote)
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

// One item a block.
static __global__ void single_item(float *data, int n) {
  __shared__ float s[4];
  for (int k = 0; k < 4; ++k)
    s[k] = data[blockIdx.x * 4 + k];
  __syncthreads(); // hk: redundant (the block has one item)
  for (int k = 0; k < n; ++k)
    data[blockIdx.x * 4 + (k & 3)] = s[3 - (k & 3)];
}

// A named constant in the launch.
constexpr int kThreads = 64;
static __global__ void named_constant(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * kThreads + t];
  __syncthreads(); // hk: wave-level (kThreads is 64)
  out[blockIdx.x * kThreads + t] = s[kThreads - 1 - t];
}

// By hipLaunchKernelGGL.
static __global__ void by_macro(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads(); // hk: wave-level (launched with 64 items)
  out[blockIdx.x * 64 + t] = s[63 - t];
}

static __global__ void by_macro_128(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads(); // hk: lds-only (launched with 128 items)
  out[blockIdx.x * 128 + t] = s[127 - t];
}

// 32 x 2 items: the linear id counts, not threadIdx.x.
static __global__ void flat_64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[2][32];
  s[threadIdx.y][threadIdx.x] = in[blockIdx.x * 64 + threadIdx.y * 32 + threadIdx.x];
  __syncthreads(); // hk: wave-level (32 x 2 items are one wavefront)
  out[blockIdx.x * 64 + threadIdx.y * 32 + threadIdx.x] = s[1 - threadIdx.y][threadIdx.x];
}

// One launch of one wavefront, one of two: dim3(32, 2) and dim3(64, 2).
static __global__ void flat_64_or_128(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[2][64];
  const int i = (blockIdx.x * 2 + threadIdx.y) * blockDim.x + threadIdx.x;
  s[threadIdx.y][threadIdx.x] = in[i];
  __syncthreads(); // hk: lds-only (in the wide launch row y is wavefront y)
  out[i] = s[1 - threadIdx.y][threadIdx.x];
}

void launch_unknown_block(const float *in, float *out, float *data, int n, int threads) {
  external<<<4, 64>>>(in, out);
  internal_64<<<4, 64>>>(in, out);
  anonymous_64<<<4, 64>>>(in, out);
  launched_twice<<<4, 64>>>(in, out);
  launched_twice<<<2, 128>>>(in, out);
  launched_twice_small<<<4, 64>>>(in, out);
  launched_twice_small<<<8, 32>>>(in, out);
  runtime_block<<<4, threads>>>(in, out);
  address_taken<<<4, 64>>>(in, out);
  bounds_64<<<4, 64>>>(in, out);
  bounds_65<<<4, 65>>>(in, out);
  bounds_256<<<4, 256>>>(in, out);
  single_item<<<16, 1>>>(data, n);
  named_constant<<<4, kThreads>>>(in, out);
  hipLaunchKernelGGL(by_macro, dim3(4), dim3(64), 0, 0, in, out);
  hipLaunchKernelGGL(by_macro_128, dim3(4), dim3(128), 0, 0, in, out);
  flat_64<<<4, dim3(32, 2)>>>(in, out);
  flat_64_or_128<<<4, dim3(32, 2)>>>(in, out);
  flat_64_or_128<<<4, dim3(64, 2)>>>(in, out);
}

using Exchange = void (*)(const float *, float *);

Exchange pick_exchange() { return address_taken; }
