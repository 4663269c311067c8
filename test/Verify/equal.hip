// A barrier that goes without a difference, and what is counted.
// RUN: hk-opt verify --quiet %s -- %hip-flags -I%runtime-include | count 0
// RUN: hk-opt verify %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s
// RUN: hk-opt verify --cases=2 --schedules=1 --seed=9 %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s --check-prefix=FEW
#include <hip/hip_runtime.h>

// CHECK: equal.hip:[[#@LINE+10]]:24: kernel 'own_slot': equal over {{[0-9]+}} cases
// CHECK: before{{ +}}after
// CHECK: wave instructions
// CHECK: barriers {{[1-9][0-9]*}} 0 -100.0 %
// CHECK: 128-byte lines
// CHECK: LDS conflict cycles
// CHECK: model cycles (a model)
// CHECK: 2 kernels equal, 0 different, 0 not verified
// FEW: kernel 'own_slot': equal over 2 cases

static __global__ void own_slot(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x] + 1;
}

static __global__ void reversed(const double *__restrict__ in, double *__restrict__ out, int n) {
  __shared__ double s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n)
    out[i] = s[255 - threadIdx.x];
}

void launch(float *a, double *b, int n) {
  own_slot<<<4, 256>>>(a, a + 1024);
  reversed<<<4, 256>>>(b, b + 4096, n);
}
