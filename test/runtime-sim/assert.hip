// A failed assert prints its text and ends the kernel.
// RUN: %hip-sim-build %s -o %t
// RUN: not hk-sim %t > %t.out 2>&1
// RUN: FileCheck --input-file=%t.out %s
// CHECK: Data[threadIdx.x] < 3
// CHECK: error 710
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void check(const int *Data) { assert(Data[threadIdx.x] < 3); }

int main() {
  int Host[4] = {0, 1, 2, 3}, *Data;
  if (hipMalloc(&Data, 16) != hipSuccess ||
      hipMemcpy(Data, Host, 16, hipMemcpyHostToDevice) != hipSuccess)
    return 2;
  check<<<1, 3>>>(Data);
  if (hipDeviceSynchronize() != hipSuccess)
    return 3;
  check<<<1, 4>>>(Data);
  hipError_t E = hipDeviceSynchronize();
  std::printf("error %d\n", E);
  return E != hipSuccess;
}
