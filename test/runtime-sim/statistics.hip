// What was counted, on a terminal and as JSON.
// RUN: %hip-sim-build -g %s -o %t
// RUN: hk-sim --stats --lines --json=%t.json %t 2>&1 | FileCheck %s
// RUN: %python %S/Inputs/statistics.py %t.json
// CHECK: launches
// CHECK: 3 {{.*}} copy(
#include <hip/hip_runtime.h>

__global__ void copy(float *Out, const float *In) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = In[I];
}

int main() {
  float *A, *B;
  if (hipMalloc(&A, 4096) != hipSuccess || hipMalloc(&B, 4096) != hipSuccess)
    return 1;
  for (int I = 0; I != 3; ++I)
    copy<<<4, 256>>>(A, B);
  return hipDeviceSynchronize() != hipSuccess;
}
