// A barrier beside a clock read decides what the time covers: it stays.
// RUN: hk-opt rewrite %s -- %hip-flags 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>

static __global__ void timed(const float *__restrict__ in, float *__restrict__ out, long long *__restrict__ ticks) {
  const int t = threadIdx.x;
  const long long begin = clock64();
  out[t] = 2.0f * in[t];
  __syncthreads();
  // CHECK: clock.hip:[[@LINE-1]]:3: remark: barrier is needed: it shows in the time: a clock read and the
  if (t == 0)
    ticks[blockIdx.x] = clock64() - begin;
}

// The same without the clock: nothing to order.
static __global__ void plain(const float *__restrict__ in, float *__restrict__ out, long long *__restrict__ ticks) {
  const int t = threadIdx.x;
  out[t] = 2.0f * in[t];
  __syncthreads();
  // CHECK: clock.hip:[[@LINE-1]]:3: remark: barrier is redundant
  if (t == 0)
    ticks[blockIdx.x] = 1;
}

int main() {
  timed<<<1, 256>>>(nullptr, nullptr, nullptr);
  plain<<<1, 256>>>(nullptr, nullptr, nullptr);
}
