// --assume=noalias is about pointer parameters: nothing else is taken for granted. The host may pass the address of a
// __device__ variable, and pointers inside one by-value struct are no parameters.
// RUN: hk-opt facts --assume=noalias %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel variable
// CHECK: may overlap: #0 'a' and #1 'table'
__device__ float table[64];
__global__ void variable(float *a) { table[threadIdx.x] = a[threadIdx.x]; }

// CHECK-LABEL: kernel fields
// CHECK: may overlap:
struct Args {
  float *x;
  float *y;
};
__global__ void fields(Args args) { args.x[threadIdx.x] = args.y[threadIdx.x]; }
