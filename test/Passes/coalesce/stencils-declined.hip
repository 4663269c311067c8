// Stencils of which no window is loaded, and why.
// RUN: %hk-opt rewrite --passes=coalesce %s -- -std=c++17 > %t.diff 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: FileCheck %s --check-prefix=SUMMARY < %t.txt
// RUN: count 0 < %t.diff

#include <hip/hip_runtime.h>

// Which elements can be loaded is not known: only some work-items, or none, read any.
__global__ void masked(const float *x, const int *mask, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2 && mask[i])
    y[i] = x[i - 2] + x[i - 1] + x[i + 1] + x[i + 2];
}

__global__ void leaves_early(const float *x, const int *mask, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 2 || i >= n - 2)
    return;
  if (mask[i] > 3)
    return;
  y[i] = x[i - 2] + x[i - 1] + x[i + 1] + x[i + 2];
}

__global__ void leaves_inside(const float *x, const int *mask, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2) {
    if (mask[i] > 3)
      return;
    y[i] = x[i - 2] + x[i - 1] + x[i + 1] + x[i + 2];
  }
}

// CHECK: stencils-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] elements of a window can be loaded, wanted or not: no read is known to happen in each work-item
__global__ void stops(const float *x, float *y, int n, float most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2) {
    float sum = 0;
    for (int k = -2; k <= 2; ++k) {
      if (sum > most)
        break;
      sum += x[i + k];
    }
    y[i] = sum;
  }
}

// i - 1 < n - 2 is true of i = 0 where n is 1: no number is less than 0.
// CHECK: stencils-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] elements of a window can be loaded, wanted or not: no read is known to happen in each work-item
__global__ void without_sign(const float *x, float *y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i - 1 < n - 2)
    y[i] = x[i - 1] + 2 * x[i] + x[i + 1];
}

// An iteration that no loop says happens.
// CHECK: stencils-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] elements of a window can be loaded, wanted or not: no read is known to happen in each work-item
__global__ void every_other(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 4 && i < n - 4) {
    float sum = 0;
    for (int k = -4; k <= 4; k += 2)
      sum += x[i + k];
    y[i] = sum;
  }
}

// Only some pairs of offsets happen: a diagonal.
// CHECK: stencils-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] elements of a window can be loaded, wanted or not: no read is known to happen in each work-item
__global__ void diagonal(const float *x, float *y, int rows, int columns) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= 2 && r < rows - 2 && c >= 2 && c < columns - 2) {
    float sum = 0;
    for (int k = -2; k <= 2; ++k)
      sum += x[(r + k) * columns + c + k];
    y[r * columns + c] = sum;
  }
}

// How far around is what the data say.
__global__ void by_data(const float *x, const int *radius, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int k = 0; k < radius[i]; ++k)
      sum += x[i + k];
    y[i] = sum;
  }
}

// CHECK: stencils-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] elements that work-items share are near each other: they are not
__global__ void far(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 100 && i < n - 100)
    y[i] = x[i - 100] + x[i - 99] + x[i - 1] + x[i] + x[i + 1] + x[i + 100];
}

// In place: work-items read what others have written, or not yet.
__global__ void in_place(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2)
    x[i] = x[i - 2] + x[i - 1] + x[i + 1] + x[i + 2];
}

// 32 bits wrap before they become 64: row 0 has no row above it, and the index is far away.
__global__ void wraps(const float *x, float *y, unsigned rows, unsigned columns) {
  unsigned r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < columns)
    y[r * columns + c] = x[size_t(r) * columns + c] + x[size_t(r - 1) * columns + c] + x[size_t(c - 1) + size_t(r) * columns] +
                         x[size_t(r - 2) * columns + c];
}

// Neighbours reach neighbours, and the caches have what the loop reads again.
// CHECK: stencils-declined.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] LDS gains over the caches: neighbours are read in a loop, along x already
__global__ void cached(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 4 && i < n - 4) {
    float sum = 0;
    for (int k = -4; k <= 4; ++k)
      sum += x[i + k];
    y[i] = sum;
  }
}

// Each work-item has its own element, twice.
__global__ void twice(const float *x, const float *z, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && z[i] > 0)
    y[i] = x[i] > 3 ? x[i] * z[i] : x[i] + z[i] * x[i];
}

// SUMMARY: 13 kernels: 0 rewrites

void launches(float *x, float *y, int *m, int n) {
  masked<<<n / 64, 64>>>(x, m, y, n);
  leaves_early<<<n / 64, 64>>>(x, m, y, n);
  leaves_inside<<<n / 64, 64>>>(x, m, y, n);
  stops<<<n / 64, 64>>>(x, y, n, 3);
  without_sign<<<n / 64, 64>>>(x, y, n);
  every_other<<<n / 64, 64>>>(x, y, n);
  diagonal<<<dim3(n / 64, n), 64>>>(x, y, n, n);
  by_data<<<n / 64, 64>>>(x, m, y, n);
  far<<<n / 64, 64>>>(x, y, n);
  in_place<<<n / 64, 64>>>(x, n);
  twice<<<n / 64, 64>>>(x, x, y, n);
  cached<<<n / 64, 64>>>(x, y, n);
  wraps<<<dim3(n / 64, n), 64>>>(x, y, n, n);
}
