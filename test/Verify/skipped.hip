// Cases that the original does not run are none, and a kernel without a case is not called equal.
// RUN: hk-opt verify --against=%s %s -- %hip-flags -I%runtime-include | FileCheck %s
#include <hip/hip_runtime.h>

// 1000 * 1000 elements are more than a generated buffer has.
// CHECK: kernel 'square': equal over {{[0-9]+}} cases
// CHECK-NEXT: note: {{[0-9]+}} cases left out, since the original does not run: {{.*}}out-of-bounds
__global__ void square(float *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[size_t(i) * n] = i;
}

// CHECK: skipped.hip:[[#@LINE+4]]:17: warning: kernel 'wild' is not verified: no case ran; describe a launch with --launch or '// hk-launch:' [hk-verify]
// CHECK-NEXT: note: {{[0-9]+}} cases left out, since the original does not run: {{[0-9]+}} out-of-bounds
// CHECK-NEXT: note: the first: {{.*}}out-of-bounds
// CHECK-NOT: kernel 'wild': equal
__global__ void wild(float *a) { a[threadIdx.x + 100000000] = 1; }

// Blocks of one wavefront have no race.
// CHECK: kernel 'racy': equal over {{[0-9]+}} cases
// CHECK-NEXT: note: {{[0-9]+}} cases left out, since the original does not run: {{[0-9]+}} race
__global__ void racy(int *a) { a[0] = threadIdx.x / 64; }

// Sums of any order.
// CHECK: kernel 'slots': equal over
// CHECK: some bytes depend on the order of wavefronts by themselves and were not compared
__global__ void slots(unsigned *count, unsigned *out) {
  __shared__ unsigned next;
  if (threadIdx.x == 0)
    next = 0;
  __syncthreads();
  out[blockIdx.x * blockDim.x + atomicAdd(&next, 1u)] = threadIdx.x;
}

// CHECK: 3 kernels equal, 0 different, 1 not verified
