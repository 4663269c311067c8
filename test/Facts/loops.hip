// Loops with their bounds, and intervals between barriers that go round them.
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel fixed
// CHECK: loop L0 at line [[#@LINE+12]]: depth 1, trips 10, uniform, has a barrier
// CHECK: access #0 {{.*}}: read global 'in', 4 bytes
// CHECK-NEXT: address: in + 256*L0 + 4*threadIdx.x
// CHECK: access #1 {{.*}}: write LDS 't'
// CHECK: access #2 {{.*}}: read LDS 't'
// CHECK-NEXT: address: t + -4*threadIdx.x + 252
// CHECK: access #3 {{.*}}: write global 'out'
// CHECK: interval from entry: #0 #1; to B0
// CHECK-NEXT: interval from B0: #2 #3; to B1
// CHECK-NEXT: interval from B1 (carried round L0): #0 #1; to B0, return
__global__ void fixed(float *out, const float *in) {
  __shared__ float t[64];
  for (int k = 0; k < 10; ++k) {
    t[threadIdx.x] = in[k * 64 + threadIdx.x];
    __syncthreads();
    out[k * 64 + threadIdx.x] = t[63 - threadIdx.x];
    __syncthreads();
  }
}

// CHECK-LABEL: kernel carried
// CHECK: loop L0 at line [[#@LINE+5]]: depth 1, {{.*}}, uniform, has a barrier
// CHECK: interval from entry: #0 #1; to B0, return
// CHECK-NEXT: interval from B0 (carried round L0): #0 #1 #2 #3; to B0, return
__global__ void carried(float *out, const float *in, int n) {
  __shared__ float t[64];
  for (int k = 0; k < n; ++k) {
    t[threadIdx.x] = in[k * 64 + threadIdx.x];
    __syncthreads();
    out[k * 64 + threadIdx.x] = t[63 - threadIdx.x];
  }
}

// CHECK-LABEL: kernel nested
// CHECK: loop L0 at line [[#@LINE+6]]: depth 1, {{.*}}, uniform, no barrier
// CHECK: loop L1 at line [[#@LINE+6]]: depth 2, trips 4, uniform, no barrier
// CHECK: write global 'out', 4 bytes
// CHECK-NEXT: address: out + 1024*L0 + 256*L1 + 4*threadIdx.x
// CHECK-NEXT: lane stride: 4 bytes
__global__ void nested(float *out, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j)
      out[(i * 4 + j) * 64 + threadIdx.x] = 0.0f;
}

// CHECK-LABEL: kernel halved
// CHECK: loop L0 at line [[#@LINE+5]]: depth 1, {{.*}}, at most {{[1-9][0-9]?}}, uniform, has a barrier
// CHECK: read LDS 's'
// CHECK-NEXT: address: unknown: {{.+}}
__global__ void halved(float *out) {
  __shared__ float s[1024];
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  out[threadIdx.x] = s[0];
}

// CHECK-LABEL: kernel grid_stride
// CHECK: write global 'out', 4 bytes
// CHECK-NEXT: address: out + {{.*}}L0{{.*}}
// CHECK-NEXT: lane stride: 4 bytes
__global__ void grid_stride(float *out, int n) {
  int step = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = 0.0f;
}

// One interval holds the write of the one half and the read of the other, from this iteration and across the back edge.
// CHECK-LABEL: kernel double_buffer
// CHECK: access #1 {{.*}}: write LDS 'buffer'
// CHECK: access #3 {{.*}}: write LDS 'buffer'
// CHECK: access #4 {{.*}}: read LDS 'buffer'
// CHECK: interval from entry: #0 #1; to B0
// CHECK-NEXT: interval from B0: #2 #3 #4 #5; to B1, return
// CHECK-NEXT: interval from B1 (carried round L0): #2 #3 #4 #5; to B1, return
__global__ void double_buffer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float buffer[2][64];
  buffer[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int k = 1; k < n; ++k) {
    buffer[k & 1][threadIdx.x] = in[k * 64 + threadIdx.x];
    out[k * 64 + threadIdx.x] = buffer[(k - 1) & 1][63 - threadIdx.x];
    __syncthreads();
  }
}

// Work-items leave these in different iterations.
// CHECK-LABEL: kernel apart
// CHECK: loop L0 at line [[#@LINE+3]]: depth 1, {{.*}}, items may leave apart, no barrier
// CHECK: loop L1 at line [[#@LINE+4]]: depth 1, trips unknown, items may leave apart, no barrier
__global__ void apart(float *out, int *p) {
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    out[i] = 0.0f;
  while (p[threadIdx.x] > 0)
    --p[threadIdx.x];
}

// Barriers of other kinds bound intervals or not.
// CHECK-LABEL: kernel kinds
// CHECK: barrier B0 at [[#@LINE+8]]:{{[0-9]+}}: LDS-only
// CHECK: barrier B1 at [[#@LINE+8]]:{{[0-9]+}}: wave-level
// CHECK: barrier B2 at [[#@LINE+8]]:{{[0-9]+}}: {{reduction|workgroup}}
// CHECK: interval from entry: #0; to B0
// CHECK-NEXT: interval from B0: #1 #2; to B2
// CHECK-NEXT: interval from B2: #3; to return
#include <hk/sync.h>
__global__ void kinds(int *p) {
  p[threadIdx.x] = 1;   hk::sync::lds();
  p[threadIdx.x] = 2;   hk::sync::wave();
  p[threadIdx.x] = 3;   int all = __syncthreads_count(1);
  p[threadIdx.x] = all;
}
