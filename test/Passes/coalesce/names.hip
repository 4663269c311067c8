// Kernels whose names, or whose parameters' names, a version and a launcher would get into trouble with.
// RUN: %hk-opt rewrite --passes=coalesce -o %t.hip %s -- -std=c++17 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT < %t.hip
#include <hip/hip_runtime.h>

#include <utility>

// CHECK: names.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] the version's name is its own: the kernel has overloads
__global__ void sum(const float *__restrict__ x, float *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int c = 0; c < columns; ++c)
    s += x[r * columns + c];
  y[r] = s;
}

// CHECK: names.hip:[[#@LINE+2]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] the version's name is its own: the kernel has overloads
__global__ void sum(const int *__restrict__ x, int *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0;
  for (int c = 0; c < columns; ++c)
    s += x[r * columns + c];
  y[r] = s;
}

// CHECK: names.hip:[[#@LINE+2]]:17: remark: a group of lanes
// CHECK: [failed] the launcher can name the kernel: a parameter has its name
__global__ void rgb(const unsigned char *__restrict__ rgb, int *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0;
  for (int c = 0; c < columns; ++c)
    s += rgb[r * columns + c];
  y[r] = s;
}

// Defaults with commas.
// TEXT: scaled_coalesced<hk::Group<hk::InWave>, T, U, V>
template <class T = float, class U = std::pair<T, int>, int V = (sizeof(std::pair<T, U>), 3)>
__global__ void scaled(const T *__restrict__ x, T *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  T s = 0;
  for (int c = 0; c < columns; ++c)
    s += x[r * columns + c];
  y[r] = s;
}

void launch(float *x, float *y, int *i, int *j, unsigned char *b) {
  sum<<<4, 64>>>(x, y, 256, 256);
  sum<<<4, 64>>>(i, j, 256, 256);
  rgb<<<4, 64>>>(b, i, 256, 256);
  scaled<<<4, 64>>>((const float *)x, y, 256, 256);
}
