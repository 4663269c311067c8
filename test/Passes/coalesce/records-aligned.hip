// Records whose alignment is more than a bank.
// RUN: %hk-opt verify --passes=coalesce %s -- -std=c++17 -I%hk-src/runtime/include 2>&1 | FileCheck %s
// REQUIRES: sim
#include <hip/hip_runtime.h>

struct Point {
  double x, y, z;
};
struct Pair {
  double re, im;
  long long a, b;
};

// CHECK-DAG: records-aligned.hip:[[#@LINE+1]]:17: remark: records of 'p', 'q' go through LDS
__global__ void turned(const Point *__restrict__ p, Point *__restrict__ q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  q[i].x = p[i].y;
  q[i].y = p[i].z;
  q[i].z = p[i].x;
}

// CHECK-DAG: records-aligned.hip:[[#@LINE+1]]:17: remark: records of 'p' go through LDS
__global__ void lengths(const double4 *__restrict__ p, double *__restrict__ l, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    l[i] = p[i].x * p[i].y * p[i].z * p[i].w;
}

// CHECK-DAG: records-aligned.hip:[[#@LINE+1]]:17: remark: records of 'p' go through LDS
__global__ void products(const Pair *__restrict__ p, double *__restrict__ l, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    l[i] = p[i].re * p[i].im * double(p[i].a * p[i].b);
}

int main() {
  const int n = 1000;
  double *in = nullptr, *out = nullptr;
  if (hipMalloc((void **)&in, n * 32) || hipMalloc((void **)&out, n * 32))
    return 1;
  double values[4 * n];
  for (int i = 0; i < 4 * n; ++i)
    values[i] = i % 97 * 0.5;
  if (hipMemcpy(in, values, sizeof(values), hipMemcpyHostToDevice) || hipMemset(out, 0, n * 32))
    return 1;
  turned<<<4, 256>>>((const Point *)in, (Point *)out, n);
  lengths<<<4, 256>>>((const double4 *)in, out, n);
  products<<<4, 256>>>((const Pair *)in, out, n);
  return hipDeviceSynchronize() != hipSuccess;
}
// CHECK: records-aligned.hip: equal: 3 launches, memory compared after 3
// CHECK-NOT: did not run
