// Loops whose operands do not go through tiles in LDS, and why.
// RUN: %hk-opt rewrite --passes=coalesce %s -- -std=c++17 > %t.diff 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: FileCheck %s --check-prefix=NONE --allow-empty < %t.diff

// NONE-NOT: #include <hk/{{o}}perand_tiles.h>

#include <hip/hip_runtime.h>

// Work-items of a workgroup run different numbers of steps.
// CHECK: operands-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] all work-items of a workgroup run the loop alike: its bounds are not of parameters
__global__ void triangle(const float *A, const float *B, float *C, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k <= row; ++k)
    sum += A[row * n + k] * B[col * n + k];
  C[row * n + col] = sum;
}

// CHECK: operands-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] all work-items of a workgroup run the loop alike: it may be left early
__global__ void stops(const float *A, const float *B, float *C, int n, float most) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += A[row * n + k] * B[col * n + k];
    if (sum > most)
      break;
  }
  C[row * n + col] = sum;
}

// Some work-items do not get there, as the data say.
// CHECK: operands-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] only the limits of their numbers keep work-items from a loop: another condition does
__global__ void masked(const float *A, const float *B, const int *mask, float *C, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  if (mask[row] > 0)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[col * n + k];
  C[row * n + col] = sum;
}

// Nor to each step: what is not wanted may not be there.
__global__ void masked_steps(const float *A, const float *B, const int *mask, float *C, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    if (mask[k])
      sum += A[row * n + k] * B[col * n + k];
  C[row * n + col] = sum;
}

// CHECK: operands-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] what is loaded early is the same later: 'A' is written, too
__global__ void own_operand(float *A, const float *B, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[col * n + k];
  A[row * n + col] = sum;
}

// Lanes that stand for work-items of their own change what others use.
// CHECK: operands-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] a work-item's values can be kept from loop to loop: the parameter 'scale' is changed
__global__ void changes(const float *A, const float *B, float *C, int n, float scale) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += scale * A[row * n + k] * B[col * n + k];
    scale = -scale;
  }
  C[row * n + col] = sum;
}

// CHECK: operands-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] the kernel's effects are known: an address does not start from a parameter
__global__ void pointers(const float *A, const float *B, float *C, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  const float *at = A + row * n;
  for (int k = 0; k < n; ++k)
    sum += *at++ * B[col * n + k];
  C[row * n + col] = sum;
}

// An array that starts with values cannot be kept.
// CHECK: operands-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] a work-item's values can be kept from loop to loop: 'sums' cannot
__global__ void starts_full(const float *A, const float *B, float *C, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sums[2] = {1, 2};
  for (int k = 0; k < n; ++k)
    sums[k & 1] += A[row * n + k] * B[col * n + k];
  C[row * n + col] = sums[0] - sums[1];
}

// Few steps.
__global__ void few(const float *A, const float *B, float *C, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += A[row * 8 + k] * B[col * 8 + k];
  C[row * n + col] = sum;
}

// Where elements are is in memory.
__global__ void gathered(const float *A, const float *B, const int *index, float *C, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[index[row] * n + k] * B[index[col] * n + k];
  C[row * n + col] = sum;
}

// Indices that wrap below zero are taken for longer numbers.
__global__ void wraps(const float *A, const float *B, float *C, unsigned n) {
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k)
    sum += A[row * n + k - 1] * B[col * n + k - 1];
  C[row * n + col] = sum;
}

int main() {
  const dim3 grid(1, 1), block(16, 16);
  float *x = nullptr;
  int *i = nullptr;
  triangle<<<grid, block>>>(x, x, x, 16);
  stops<<<grid, block>>>(x, x, x, 16, 1);
  masked<<<grid, block>>>(x, x, i, x, 16);
  masked_steps<<<grid, block>>>(x, x, i, x, 16);
  own_operand<<<grid, block>>>(x, x, 16);
  changes<<<grid, block>>>(x, x, x, 16, 1);
  pointers<<<grid, block>>>(x, x, x, 16);
  starts_full<<<grid, block>>>(x, x, x, 16);
  few<<<grid, block>>>(x, x, x, 16);
  gathered<<<grid, block>>>(x, x, i, x, 16);
  wraps<<<grid, block>>>(x, x, x, 16);
}
