// Which accesses may touch the same memory: pointer parameters do, unless __restrict__, their types or an option say not.
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s --check-prefixes=CHECK,MAY
// RUN: hk-opt facts --assume=noalias %s -- %hip-flags | FileCheck %s --check-prefixes=CHECK,ASSUMED
// RUN: hk-opt facts %s -- %hip-flags -fno-strict-aliasing | FileCheck %s --check-prefix=TYPES
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel plain
// MAY: may overlap: #0 'b' and #1 'a'
// ASSUMED-NOT: may overlap
// CHECK-LABEL: kernel restricted
// CHECK-NOT: may overlap
__global__ void plain(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x]; }
__global__ void restricted(float *__restrict__ a, const float *__restrict__ b) { a[threadIdx.x] = b[threadIdx.x]; }

// CHECK-LABEL: kernel one_restricted
// CHECK-NOT: 'a'{{$}}
// MAY: may overlap: #0 'b' and #2 'c'
// ASSUMED-NOT: may overlap
__global__ void one_restricted(float *__restrict__ a, const float *b, float *c) {
  a[threadIdx.x] = b[threadIdx.x];
  c[threadIdx.x] = 1.0f;
}

// CHECK-LABEL: kernel types
// CHECK-NOT: may overlap
// CHECK-LABEL: kernel spaces
// CHECK-NOT: may overlap
// TYPES-LABEL: kernel types
// TYPES: may overlap: #0 'n' and #1 'a'
__global__ void types(float *a, const int *n) { a[threadIdx.x] = *n; }
__global__ void spaces(float *a) {
  __shared__ float s[64];
  __shared__ float t[64];
  s[threadIdx.x] = 1.0f;
  t[threadIdx.x] = 2.0f;
  a[threadIdx.x] = s[0] + t[0];
}

// A variable of the device may be passed as an argument too.
// CHECK-LABEL: kernel variable
// MAY: may overlap: #0 'a' and #1 'table'
__device__ float table[64];
__global__ void variable(float *a) { table[threadIdx.x] = a[threadIdx.x]; }

// All dynamic LDS is one object; offsets tell its parts apart.
// CHECK-LABEL: kernel carved
// CHECK: write LDS 'raw', 4 bytes
// CHECK-NEXT: address: raw + 4*threadIdx.x
// CHECK: write LDS 'raw', 4 bytes
// CHECK-NEXT: address: raw + 4*n + 4*threadIdx.x
extern __shared__ char raw[];
__global__ void carved(int n) {
  float *s = reinterpret_cast<float *>(raw);
  int *t = reinterpret_cast<int *>(raw + 4 * n);
  s[threadIdx.x] = 1.0f;
  t[threadIdx.x] = 2;
}
