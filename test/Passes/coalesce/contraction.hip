// With -ffp-contract=fast, the default, the compiler may take another product into a sum where the same text stands in other
// surroundings. That is said, and verify knows; --fp=exact declines.
// RUN: %hk-opt rewrite --passes=coalesce %s -- -std=c++17 2>&1 >/dev/null | FileCheck %s
// RUN: %hk-opt rewrite --passes=coalesce --fp=exact %s -- -std=c++17 2>&1 >/dev/null | FileCheck %s --check-prefix=EXACT
// RUN: %hk-opt rewrite --passes=coalesce --fp=exact %s -- -std=c++17 -ffp-contract=on 2>&1 >/dev/null | FileCheck %s --check-prefix=ON
#include <hip/hip_runtime.h>

__device__ float squares(float a, float b) { return a * a + b * b; }

// CHECK: contraction.hip:[[#@LINE+4]]:17: remark: each lane takes 4 neighbours
// CHECK: [assumed] products are rounded before they are added, or not, as in the kernel: --fp=reassoc, the default; -ffp-contract=on would say it
// ON-NOT: products are rounded
// ON: 5 kernels: 5 rewrites, 0 declined
__global__ void twice(const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * x[i] - x[i] * 0.3f;
}

// In what it calls.
// CHECK: contraction.hip:[[#@LINE+2]]:17: remark: each lane takes 4 neighbours
// CHECK: [assumed] products are rounded
__global__ void calls(const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = squares(x[i], 3);
}

// Nothing to contract.
// CHECK: contraction.hip:[[#@LINE+3]]:17: remark: each lane takes 4 neighbours
// CHECK-NOT: products are rounded
// EXACT: contraction.hip:[[#@LINE+1]]:17: remark: each lane takes 4 neighbours
__global__ void product(const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * x[i] * 0.3f;
}

// EXACT: contraction.hip:[[#@LINE+1]]:17: remark: each lane takes 4 neighbours
__global__ void integers(const int *__restrict__ x, int *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * x[i] - x[i] * 3;
}
// Rows: what is declined is uncoalesced, so the reason is said.
// CHECK: contraction.hip:[[#@LINE+4]]:17: remark: a workgroup loads
// CHECK: [assumed] products are rounded
// EXACT: contraction.hip:[[#@LINE+2]]:17: remark: a workgroup loads
// EXACT: [failed] products are rounded before they are added, or not, as in the kernel: --fp=exact asks for it, and -ffp-contract=fast leaves it to the compiler
__global__ void rows(const float *__restrict__ x, float *__restrict__ y, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  y[i * width + j] = x[i * width + j] * 3 + x[i * width + j + 1] * x[i * width + j + 2];
}
// CHECK: 5 kernels: 5 rewrites, 0 declined
// EXACT: 5 kernels: 2 rewrites, 1 declined

void launch(float *x, float *y, int *i, int *j) {
  twice<<<4096, 256>>>(x, y);
  calls<<<4096, 256>>>(x, y);
  product<<<4096, 256>>>(x, y);
  integers<<<4096, 256>>>(i, j);
  rows<<<dim3(64, 64), dim3(16, 16)>>>(x, y, 1024);
}
