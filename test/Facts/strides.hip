// Addresses as sums over work-item ids, workgroup ids, loop counters and arguments, with what neighbours are apart.
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK: kernel coalesced (_Z9coalescedPfPKf) at {{.*}}strides.hip:[[#@LINE+8]]:17
// CHECK: access #0 at [[#@LINE+9]]:12: read global 'in', 4 bytes
// CHECK-NEXT: address: in + 4*blockDim.x*blockIdx.x + 4*threadIdx.x (index modulo 2^32)
// CHECK-NEXT: lane stride: 4 bytes
// CHECK-NEXT: address is divergent, value is divergent
// CHECK: access #1 at [[#@LINE+5]]:10: write global 'out', 4 bytes
// CHECK-NEXT: address: out + 4*blockDim.x*blockIdx.x + 4*threadIdx.x
// CHECK-NEXT: lane stride: 4 bytes
__global__ void coalesced(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

// CHECK-LABEL: kernel strided
// CHECK: read global 'in', 4 bytes
// CHECK-NEXT: address: in + 128*threadIdx.x + 20
// CHECK-NEXT: lane stride: 128 bytes
// CHECK: write global 'out', 8 bytes
// CHECK-NEXT: address: out + -8*threadIdx.x + 2040
// CHECK-NEXT: lane stride: -8 bytes
__global__ void strided(double *out, const float *in) {
  out[255 - threadIdx.x] = in[threadIdx.x * 32 + 5];
}

// CHECK-LABEL: kernel pitched
// CHECK: read global 'in', 4 bytes
// CHECK-NEXT: address: in + 4*blockIdx.y + 4*pitch*threadIdx.x (index modulo 2^32)
// CHECK-NEXT: lane stride: 4*pitch
__global__ void pitched(float *out, const float *in, int pitch) {
  out[threadIdx.x] = in[threadIdx.x * pitch + blockIdx.y];
}

// Arrays of structs: the field's offset, the struct's size.
// CHECK-LABEL: kernel structs
// CHECK: read global 'p', 4 bytes
// CHECK-NEXT: address: p + 16*threadIdx.x + 12
// CHECK-NEXT: lane stride: 16 bytes
// CHECK: read global 'colors', 1 bytes
// CHECK-NEXT: address: colors + 4*threadIdx.x + 2
// CHECK-NEXT: lane stride: 4 bytes
struct Particle {
  float x, y, z, mass;
};
__global__ void structs(float *out, const Particle *p, const uchar4 *colors) {
  out[threadIdx.x] = p[threadIdx.x].mass * colors[threadIdx.x].z;
}

// CHECK-LABEL: kernel tile
// CHECK: read global 'in', 4 bytes
// CHECK-NEXT: address: in + 64*blockIdx.x + 64*blockIdx.y*width + 4*threadIdx.x + 4*threadIdx.y*width
// CHECK-NEXT: lane stride: 4 bytes
// CHECK: write LDS 't', 4 bytes
// CHECK-NEXT: address: t + 4*threadIdx.x + 68*threadIdx.y
// CHECK-NEXT: lane stride: 4 bytes
// CHECK: read LDS 't', 4 bytes
// CHECK-NEXT: address: t + 68*threadIdx.x + 4*threadIdx.y
// CHECK-NEXT: lane stride: 68 bytes
// CHECK: write global 'out', 4 bytes
// CHECK-NEXT: address: out + 64*blockIdx.x*width + 64*blockIdx.y + 4*threadIdx.x*width + 4*threadIdx.y
// CHECK-NEXT: lane stride: 4*width
// CHECK: barrier B0 at [[#@LINE+8]]:3: workgroup
// CHECK-NEXT: interval from entry: #0 #1; to B0
// CHECK-NEXT: interval from B0: #2 #3; to return
__global__ void tile(float *out, const float *in, int width) {
  __shared__ float t[16][17];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  t[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  out[x * width + y] = t[threadIdx.x][threadIdx.y];
}

// One address for all lanes; what is read there is one value only if nobody writes it meanwhile.
// CHECK-LABEL: kernel broadcast
// CHECK: read global 'in', 4 bytes
// CHECK-NEXT: address: in + 4*blockIdx.x
// CHECK-NEXT: lane stride: 0 bytes
// CHECK-NEXT: address is uniform, value is divergent
// CHECK: read global 'fixed', 4 bytes
// CHECK-NEXT: address: fixed + 4*blockIdx.x
// CHECK-NEXT: lane stride: 0 bytes
// CHECK-NEXT: address is uniform, value is uniform
__global__ void broadcast(float *out, const float *in, const float *__restrict__ fixed) {
  out[threadIdx.x] = in[blockIdx.x];
  out[threadIdx.x] += fixed[blockIdx.x];
}

// Constants of a template and helpers are part of the sum; the place of a helper's access has its callers.
// CHECK-LABEL: kernel staged<32>
// CHECK: access #0 at [[#@LINE+7]]:10: read global 'in', 4 bytes
// CHECK-NEXT: address: in + 128*blockIdx.x + 4*threadIdx.x
// CHECK-NEXT: lane stride: 4 bytes
// CHECK-NEXT: address is divergent
// CHECK-NEXT: called at {{.*}}strides.hip:[[#@LINE+7]]:22
template <int Stride>
static __device__ float fetch(const float *in, unsigned row) {
  return in[row * Stride + threadIdx.x];
}
template <int Stride>
__global__ void staged(float *out, const float *in) {
  out[threadIdx.x] = fetch<Stride>(in, blockIdx.x);
}
template __global__ void staged<32>(float *, const float *);
