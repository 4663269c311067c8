// The text of a template is one: it gets what holds for all its instantiations, and without any it stays.
// RUN: hk-opt rewrite %s -- %hip-flags 2>%t | FileCheck %s --check-prefix=DIFF
// RUN: FileCheck %s --input-file=%t
#include <hip/hip_runtime.h>

// CHECK: templates.hip:[[#@LINE+5]]:3: remark: barrier is redundant: {{.*}}; removed
// DIFF: {{^-}} __syncthreads(); // agree
template <typename T>
__global__ void agree(T *p) {
  p[threadIdx.x] = T(1);
  __syncthreads(); // agree
  p[threadIdx.x] += T(2);
}
template __global__ void agree(float *);
template __global__ void agree(double *);

// CHECK: templates.hip:[[#@LINE+6]]:3: remark: barrier is needed: {{.*}} 'p' (in 'disagree<64>') [hk-barriers]
// CHECK: note: in 'disagree<0>' alone: barrier is redundant
// DIFF-NOT: {{^[-+].*}}// disagree
template <int Shift>
__global__ void disagree(int *p) {
  p[threadIdx.x] = 1;
  __syncthreads(); // disagree
  p[threadIdx.x + Shift] = 2;
}
template __global__ void disagree<0>(int *);
template __global__ void disagree<64>(int *);

// CHECK: templates.hip:[[#@LINE+4]]:3: remark: barrier is unknown: kept, {{.*}}instantiates
template <typename T>
__global__ void without_instantiation(T *p) {
  p[threadIdx.x] = T(1);
  __syncthreads();
}

// CHECK: templates.hip:[[#@LINE+7]]:5: remark: barrier is redundant: {{.*}}; removed
// DIFF: {{^}} if constexpr (Sync)
// DIFF-NEXT: {{^-}} __syncthreads();
template <bool Sync>
__global__ void discarded(float *p) {
  p[threadIdx.x] = 1.0f;
  if constexpr (Sync)
    __syncthreads();
  p[threadIdx.x] += 2.0f;
}
template __global__ void discarded<true>(float *);
template __global__ void discarded<false>(float *);

// Recursion by templates, from a member kernel.
// CHECK: templates.hip:[[#@LINE+5]]:5: remark: barrier is redundant: {{.*}}; removed
template <int N>
struct Steps {
  static __device__ void run(float *p) {
    p[threadIdx.x] += N;
    __syncthreads();
    Steps<N - 1>::run(p);
  }
  static __global__ void kernel(float *p) { run(p); }
};
template <>
struct Steps<0> {
  static __device__ void run(float *) {}
};
template struct Steps<3>;
