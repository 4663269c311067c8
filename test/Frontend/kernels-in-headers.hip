// Kernels may stand in headers and in included sources, which may lean on what the includer defines.
// RUN: hk-parse-dump %s -- %hip-flags -I%S/Inputs | FileCheck %s
#include <hip/hip_runtime.h>
#define FACTOR 3
#include "Inputs/shared.cuh"
#include <included.cu>
int main() {}

// CHECK: file kernels-in-headers.hip main
// CHECK: kernel _ZL11from_headerPi 'from_header' at shared.cuh:3:24 body 3:44..3:74 header internal
// CHECK: kernel _Z7from_cuPi 'from_cu' at included.cu:1:17 body 1:33..4 header
// CHECK: sync workgroup at shared.cuh:2:40 '__syncthreads()' in 'shared_sync' file call '__syncthreads()' statement '__syncthreads();' header
// CHECK: sync workgroup at included.cu:2:3 {{.*}} header
// CHECK: include-point kernels-in-headers.hip:7 includes hip/hip_runtime.h Inputs/shared.cuh included.cu
// CHECK: include-point included.cu:1 includes
// CHECK: include-point shared.cuh:2 includes
