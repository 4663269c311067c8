// Kernels that print, allocate, assert, or wait for the whole grid.
// RUN: hk-opt verify %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s
// RUN: sed -e 's/sum [%%]d/sums %%d/' -e 's/\*mine = in/*mine = 1 + in/' -e 's/in\[i\] < 1000/in[i] > -1/' %s >%t.hip
// RUN: %python %S/Inputs/status.py 4 hk-opt verify --against=%t.hip %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s --check-prefix=WRONG
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>
#include <hip/hip_cooperative_groups.h>

__global__ void prints(const int *in) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    printf("block %d: sum %d\n", blockIdx.x, s[0] + s[63]);
  }
}

__global__ void allocates(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *mine = static_cast<int *>(malloc(64));
  __syncthreads();
  if (!mine)
    return;
  *mine = in[i];
  out[i] = *mine + 1;
  free(mine);
}

__global__ void asserts(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(in[i] < 1000);
  out[i] = in[i];
}

__global__ void waits(int *sums, const int *in) {
  auto grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = in[i];
  grid.sync();
  int next = (i + blockDim.x) % (gridDim.x * blockDim.x);
  int other = sums[next];
  grid.sync();
  sums[i] += other;
}

// hk-launch: prints: grid=3 block=64
// hk-launch: allocates: grid=2 block=64
// hk-launch: asserts: grid=2 block=64
// hk-launch: waits: grid=3 block=128

// CHECK: kernel 'prints': equal over
// CHECK: kernel 'allocates': equal over
// CHECK: kernel 'asserts': equal over
// CHECK: note: {{.*}} left out, since the original does not run: {{.*}}trap
// CHECK: kernel 'waits': equal over

// WRONG: kernel 'prints' differs: it prints 'block {{[0-9]}}: sum {{[-0-9]+}}' before, 'block {{[0-9]}}: sums {{[-0-9]+}}' after
// WRONG: kernel 'allocates' differs: buffer 'out': element 0 is
// WRONG: kernel 'asserts'
