// A kernel's fault is told once, stays for the calls that follow, and makes hk-sim fail even if the program
// does not look.
// RUN: %hip-sim-build -g %s -o %t
// RUN: not hk-sim %t check >%t.out 2>%t.err
// RUN: FileCheck --input-file=%t.out %s
// RUN: FileCheck --check-prefix=ERR --input-file=%t.err %s
// RUN: not hk-sim %t ignore 2>&1 | FileCheck --check-prefix=ERR %s
// ERR: out-of-bounds
// ERR-NEXT: fault.hip:[[@LINE+7]]
// CHECK: 700 700 700
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void beyond(int *Data, int N) {
  Data[threadIdx.x + N] = 1;
}

int main(int Argc, char **Argv) {
  int *Data;
  if (hipMalloc(&Data, 256) != hipSuccess)
    return 1;
  beyond<<<1, 64>>>(Data, 1);
  if (Argv[1][0] == 'i')
    return 0;
  int Value, First = hipDeviceSynchronize(), Second = hipMemcpy(&Value, Data, 4, hipMemcpyDefault);
  std::printf("%d %d %d\n", First, Second, hipGetLastError());
  std::fflush(stdout);
  _Exit(0);
}
