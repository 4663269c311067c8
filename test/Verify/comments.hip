// What the file says of its launches; two pointers to one buffer show what --assume=noalias takes for granted.
// RUN: %python %S/Inputs/status.py 4 hk-opt verify --assume=noalias %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/status.py 4 hk-opt rewrite --verify --assume=noalias -o %t/out.hip %s -- %hip-flags -I%runtime-include 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: not ls %t/out.hip
// RUN: %python %S/Inputs/status.py 4 hk-opt rewrite --verify --assume=noalias %s -- %hip-flags -I%runtime-include 2>/dev/null | count 0
// RUN: hk-opt rewrite --verify -o %t/out.hip %s -- %hip-flags -I%runtime-include 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: ls %t/out.hip
#include <hip/hip_runtime.h>

// hk-launch: mirrored: grid=2 block=256 a=float[512] b=a
__global__ void mirrored(float *a, const float *b) {
  const int base = blockIdx.x * 256;
  const float v = b[base + 255 - threadIdx.x];
  __syncthreads();
  a[base + threadIdx.x] = v;
}
// CHECK: error: kernel 'mirrored' differs: {{.*}}race
// CHECK: case 0: grid=2 block=256 b=a a=float[512]
// WRITE: kernel 'mirrored' differs
// WRITE: nothing is written
// KEPT: nothing changes, so nothing is run

void launch(float *a, const float *b) { mirrored<<<2, 256>>>(a, b); }
