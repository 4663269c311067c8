// RUN: hk-parse-dump %s -- %hip-flags -include hip/hip_runtime.h | FileCheck %s
// CHECK: include-point include-points-none.hip:3 includes{{$}}

/// The kernel.
__global__ void k() {}
