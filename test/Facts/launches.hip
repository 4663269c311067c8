// What launches and __launch_bounds__ say about block sizes. Launches count only where all of them are in view.
// RUN: hk-opt facts %s -- %hip-flags | FileCheck %s --check-prefixes=CHECK,OPEN
// RUN: hk-opt facts --assume=launches %s -- %hip-flags | FileCheck %s --check-prefixes=CHECK,ASSUMED
#include <hip/hip_runtime.h>

// CHECK-LABEL: kernel once
// CHECK-NEXT: block: launched with 128x1x1 work-items a workgroup, at most 128 work-items
// CHECK-NEXT: launch at {{.*}}launches.hip:[[#@LINE+35]]:3: block 128 1 1
// CHECK: address: p + 512*blockIdx.x + 4*threadIdx.x
static __global__ void once(float *p) { p[threadIdx.x + blockDim.x * blockIdx.x] = 1.0f; }

// CHECK-LABEL: kernel twice
// CHECK-NEXT: block: launched with ?x?x1 work-items a workgroup, at most 256 work-items
// CHECK-NEXT: launch at {{.*}}: block 16 4 1
// CHECK-NEXT: launch at {{.*}}: block 32 8 1
// CHECK: address: p + 4*blockDim.x*threadIdx.y + 4*threadIdx.x
static __global__ void twice(float *p) { p[threadIdx.x + blockDim.x * threadIdx.y] = 1.0f; }

// CHECK-LABEL: kernel symbolic
// CHECK-NEXT: block: launched with ?x1x1 work-items a workgroup, at most 1024 work-items
// CHECK-NEXT: launch at {{.*}}: block threads * 2 1 1
static __global__ void symbolic(float *p) { p[threadIdx.x] = 1.0f; }

// CHECK-LABEL: kernel anyone
// OPEN-NEXT: block: unknown block size, at most 1024 work-items
// ASSUMED-NEXT: block: launched with 256x1x1 work-items a workgroup, at most 256 work-items
// CHECK-NEXT: launch at {{.*}}: block 256 1 1
__global__ void anyone(float *p) { p[threadIdx.x] = 1.0f; }

// CHECK-LABEL: kernel bounded
// OPEN-NEXT: block: __launch_bounds__(512), at most 512 work-items
// ASSUMED-NEXT: block: launched with 256x1x1 work-items a workgroup{{.*}}, at most 256 work-items
// CHECK-NEXT: launch at {{.*}}: block 256 1 1
__global__ __launch_bounds__(512) void bounded(float *p) { p[threadIdx.x] = 1.0f; }

// CHECK-LABEL: kernel through_pointer
// OPEN-NEXT: block: unknown block size, at most 1024 work-items
static __global__ void through_pointer(float *p) { p[threadIdx.x] = 1.0f; }
void (*pointer)(float *) = through_pointer;

constexpr int Width = 128;
void host(float *p, int threads, hipStream_t stream) {
  once<<<10, Width, 0, stream>>>(p);
  twice<<<10, dim3(16, 4)>>>(p);
  hipLaunchKernelGGL(twice, dim3(1), dim3(32, 8), 0, stream, p);
  symbolic<<<10, threads * 2>>>(p);
  anyone<<<1, 256>>>(p);
  bounded<<<1, 256>>>(p);
  through_pointer<<<1, 64>>>(p);
  pointer<<<1, 128>>>(p);
}
