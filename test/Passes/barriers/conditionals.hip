// Another configuration of the #if lines in a function may need its barrier. That it does not is an assumption, which the
// user has to make: here -DNEIGHBOURS makes a race of what is redundant without it.
// RUN: hk-opt rewrite -o %t.hip %s -- %hip-flags 2>&1 | FileCheck %s
// RUN: hk-opt rewrite --check %t.hip -- %hip-flags -DNEIGHBOURS 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: missing barrier
#include <hip/hip_runtime.h>

// CHECK: conditionals.hip:[[#@LINE+6]]:3: remark: barrier is redundant: {{.*}}; kept
__global__ void k(float *p) {
  p[threadIdx.x] = 1.0f;
#ifdef NEIGHBOURS
  p[threadIdx.x + 64] = 1.0f;
#endif
  __syncthreads();
  p[threadIdx.x] = 2.0f;
}
