// A program with code for several chips runs as each of them.
// RUN: %hip-sim-build --offload-arch=gfx90a --offload-arch=gfx950 %s -o %t
// RUN: hk-sim %t | FileCheck --check-prefix=GFX942 %s
// RUN: hk-sim --arch=gfx90a %t | FileCheck --check-prefix=GFX90A %s
// RUN: hk-sim --arch=gfx950 %t | FileCheck --check-prefix=GFX950 %s
// RUN: not hk-sim --arch=gfx1100 %t 2>&1 | FileCheck --check-prefix=OTHER %s
// GFX942: gfx942 304 65536: 942
// GFX90A: gfx90a 104 65536: 910
// GFX950: gfx950 256 163840: 950
// OTHER: --arch takes gfx942, gfx90a or gfx950
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void which(int *Out) {
#if defined(__gfx942__)
  *Out = 942;
#elif defined(__gfx90a__)
  *Out = 910;
#elif defined(__gfx950__)
  *Out = 950;
#endif
}

int main() {
  int *Out, Host = 0;
  hipDeviceProp_t P;
  if (hipGetDeviceProperties(&P, 0) != hipSuccess || hipMalloc(&Out, 4) != hipSuccess)
    return 1;
  which<<<1, 1>>>(Out);
  if (hipMemcpy(&Host, Out, 4, hipMemcpyDeviceToHost) != hipSuccess)
    return 2;
  std::printf("%.6s %d %zu: %d\n", P.gcnArchName, P.multiProcessorCount, P.sharedMemPerBlock, Host);
}
