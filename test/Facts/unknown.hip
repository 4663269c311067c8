// An address without a form has a reason; what the analyses cannot see into is named with its place.
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel gather
// CHECK: access #1 at [[#@LINE+4]]:{{[0-9]+}}: read global 'in', 4 bytes
// CHECK-NEXT: address: unknown: a value loaded from memory at line [[#@LINE+3]]
// CHECK-NEXT: address is divergent
__global__ void gather(float *out, const float *in, const int *index) {
  out[threadIdx.x] = in[index[threadIdx.x]];
}

// CHECK-LABEL: kernel modulo
// CHECK: write global 'out', 4 bytes
// CHECK-NEXT: address: unknown: a division
__global__ void modulo(float *out, int n) { out[threadIdx.x % n] = 1.0f; }

// CHECK-LABEL: kernel squared
// CHECK: write global 'out', 4 bytes
// CHECK-NEXT: address: out + 4*threadIdx.x*threadIdx.x
// CHECK-NEXT: lane stride: unknown
__global__ void squared(float *out) { out[threadIdx.x * threadIdx.x] = 1.0f; }

// CHECK-LABEL: kernel chosen
// CHECK: write global 'unknown memory', 4 bytes
// CHECK-NEXT: address: unknown: {{.+}}
__global__ void chosen(float *a, float *b, int which) {
  float *p = which ? a : b;
  p[threadIdx.x] = 1.0f;
}

// CHECK-LABEL: kernel chased
// CHECK: read global 'lists', 8 bytes
// CHECK-NEXT: address: lists + 8*blockIdx.x
// CHECK: write {{.*}} 'unknown memory', 4 bytes
// CHECK-NEXT: address: unknown: {{.+}}
__global__ void chased(int **lists) { lists[blockIdx.x][threadIdx.x] = 1; }

// CHECK-LABEL: kernel outside
// CHECK: not analyzed further: {{(a )?}}call of 'elsewhere(float*)', whose body is not inlined here at {{.*}}unknown.hip:[[#@LINE+4]]:3
// CHECK: device-scope synchronization at [[#@LINE+3]]:3: {{(a )?}}call of 'elsewhere(float*)'
__device__ void elsewhere(float *p);
__global__ void outside(float *out) {
  elsewhere(out);
  __syncthreads();
  out[threadIdx.x] = 1.0f;
}

// CHECK-LABEL: kernel outer_world
// CHECK: unknown extent
// CHECK: read {{.*}} 'ready', 4 bytes, volatile
// CHECK: atomic global 'count', 4 bytes
// CHECK: device-scope synchronization at [[#@LINE+5]]:3: inline assembly
// CHECK: device-scope synchronization at [[#@LINE+5]]:10: volatile {{.*}}'ready'
// CHECK: device-scope synchronization at [[#@LINE+6]]:3: atomic {{.*}}'count'
// CHECK: device-scope synchronization at [[#@LINE+6]]:3: {{.*}}fence
__global__ void outer_world(volatile int *ready, int *count) {
  asm volatile("s_nop 0" ::: "memory");
  while (*ready == 0) {
  }
  atomicAdd(count, 1);
  __threadfence();
}
