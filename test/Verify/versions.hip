// A version that stands beside its kernel is launched by host code: what generated inputs cannot show is not called verified, and
// a version that never ran is named.
// RUN: %hk-opt verify --passes=coalesce %s -- -std=c++17 2>&1 | FileCheck %s
// RUN: %hk-opt verify --passes=coalesce --kernel=sums %s -- -std=c++17 2>&1 | FileCheck %s --check-prefix=INPUTS
// REQUIRES: sim
#include <hip/hip_runtime.h>

// CHECK: note: both end with exit code 3
// CHECK: versions.hip:[[#@LINE+5]]:17: warning: the new version of 'sums' did not run: what its launcher checks did not hold [hk-verify]
// CHECK-NOT: warning
// INPUTS: versions.hip:[[#@LINE+3]]:17: warning: kernel 'sums' is not verified: its new version is launched by host code, which generated inputs do not run; verify a program that launches it [hk-verify]
// INPUTS: 0 kernels equal, 0 different, 1 not verified

__global__ void sums(const float *x, float *y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += x[r * columns + c];
  y[r] = sum;
}

__global__ void scaled(const float *x, float *y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  for (int c = 0; c < columns; ++c)
    y[r * columns + c] = 2 * x[r * columns + c];
}

int main() {
  float *x;
  if (hipMalloc((void **)&x, 1 << 16) || hipMemset(x, 0, 1 << 16))
    return 1;
  sums<<<1, 64>>>(x, x, 8, 100); // results on what is read
  scaled<<<1, 64>>>(x, x + 6400, 64, 100);
  return hipDeviceSynchronize() ? 1 : 3;
}
