// A signal that ends hk-opt while a program runs ends the program, and the folder of both versions goes.
// RUN: %python %S/../runtime-sim/Inputs/interrupt.py %t.tmp SIGTERM "%t.tmp/hk-verify[^/]*/program" hk-opt verify --against=%s %s -- %hip-flags -I%runtime-include | FileCheck %s
// RUN: %python %S/../runtime-sim/Inputs/interrupt.py %t.tmp SIGINT "%t.tmp/hk-verify[^/]*/program" hk-opt verify --against=%s %s -- %hip-flags -I%runtime-include | FileCheck %s
// CHECK: nothing left

// So does one that ends it while clang runs.
// RUN: %python %S/../runtime-sim/Inputs/interrupt.py %t.tmp SIGTERM ".*clang.* -o %t.tmp/hk-verify[^/]*/before" hk-opt verify --against=%s %s -- %hip-flags -I%runtime-include | FileCheck %s
#include <hip/hip_runtime.h>

#include <unistd.h>

__global__ void set(int *a) { a[threadIdx.x] = int(threadIdx.x); }

int main() {
  int *a;
  (void)hipMalloc(&a, 256);
  set<<<1, 64>>>(a);
  (void)hipDeviceSynchronize();
  sleep(300);
  return 0;
}
