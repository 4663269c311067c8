// A call that goes takes the blanks beside it along: no trailing blanks, no double ones.
// RUN: hk-opt rewrite -o %t %s -- %hip-flags 2>/dev/null
// RUN: FileCheck %s --input-file=%t --match-full-lines --strict-whitespace
#include <hip/hip_runtime.h>
// clang-format off

//      CHECK:__global__ void one_line(float *p) {
// CHECK-NEXT:  p[threadIdx.x] = 1.0f; p[threadIdx.x] = 2.0f;
// CHECK-NEXT:  // all is stored
// CHECK-NEXT:  /* before */
// CHECK-NEXT:}
__global__ void one_line(float *p) {
  p[threadIdx.x] = 1.0f; __syncthreads(); p[threadIdx.x] = 2.0f; __syncthreads(); __syncthreads();
  __syncthreads(); // all is stored
  /* before */ __syncthreads();
}
