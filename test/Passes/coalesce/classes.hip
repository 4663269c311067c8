// What the pass says of each kind of access. It changes nothing, and runs when it is named only.
// RUN: %hk-opt rewrite --check --passes=coalesce %s -- %hip-flags 2> %t.remarks
// RUN: FileCheck %s --match-full-lines < %t.remarks
// RUN: FileCheck %s --check-prefix=NOT < %t.remarks
// RUN: %hk-opt rewrite %s -- %hip-flags 2>&1 | FileCheck %s --allow-empty --check-prefix=DEFAULT
// DEFAULT-NOT: hk-coalesce
// NOT-NOT: of 'tile'
#include <hip/hip_runtime.h>

struct Body {
  float x, y, z, mass;
  float vx, vy, vz, unused;
};

// Nothing launches it here: the workgroup is taken to be 64 wide or more.
__global__ void row_sums(const float *m, float *sums, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0;
  for (int c = 0; c < columns; ++c)
    // CHECK: {{.*}}:[[@LINE+1]]:12: remark: read of 'm', 4 bytes a lane, is blocked: each lane goes through consecutive elements, lanes are 4*columns bytes apart; 64 lines of 128 bytes a wavefront, 2 would do: ratio 0.03; not all work-items get here [hk-coalesce]
    sum += m[r * columns + c];
  // CHECK: {{.*}}:[[@LINE+1]]:11: remark: write of 'sums', 4 bytes a lane, is coalesced; 2 lines of 128 bytes a wavefront, 2 would do: ratio 1.00; not all work-items get here [hk-coalesce]
  sums[r] = sum;
}

// The pitch is no number of trips.
__global__ void pitched(const short *m, short *out, int columns, int pitch) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < columns; ++c)
    // CHECK: {{.*}}:[[@LINE+2]]:24: remark: write of 'out', 2 bytes a lane, is strided: lanes are 2*pitch bytes apart; 64 lines of 128 bytes a wavefront, 1 would do: ratio 0.02 [hk-coalesce]
    // CHECK: {{.*}}:[[@LINE+1]]:26: remark: read of 'm', 2 bytes a lane, is strided: lanes are 2*pitch bytes apart; 64 lines of 128 bytes a wavefront, 1 would do: ratio 0.02 [hk-coalesce]
    out[r * pitch + c] = m[r * pitch + c];
}

__global__ void move(const Body *bodies, float *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Four members side by side are one access for the compiler, and one remark.
  // CHECK: {{.*}}:[[@LINE+1]]:39: remark: read of 'bodies', 16 bytes a lane, is in an array of structs: lanes are 32 bytes apart; 16 lines of 128 bytes a wavefront, 8 would do: ratio 0.50 [hk-coalesce]
  const float mass = 0.5f * bodies[i].mass;
  // CHECK: {{.*}}:[[@LINE+1]]:17: remark: write of 'energy', 4 bytes a lane, is coalesced, downwards; 3 lines of 128 bytes a wavefront, 2 would do: ratio 0.67 [hk-coalesce]
  energy[n - i] = mass * (bodies[i].vx * bodies[i].vx + bodies[i].vy * bodies[i].vy + bodies[i].vz * bodies[i].vz);
}

static __global__ void indirect(const int *index, const float *in, float *out, int width, int *count) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: {{.*}}:[[@LINE+2]]:23: remark: read of 'in', 4 bytes a lane, is gathered: the address depends on a value loaded from memory at line [[@LINE+2]] [hk-coalesce]
  // CHECK: {{.*}}:[[@LINE+1]]:26: remark: read of 'index', 4 bytes a lane, is coalesced; 2 lines of 128 bytes a wavefront, 2 would do: ratio 1.00 [hk-coalesce]
  tile[threadIdx.x] = in[index[i]];
  __syncthreads();
  // CHECK: {{.*}}:[[@LINE+2]]:18: remark: write of 'out', 4 bytes a lane, is not classed: the address depends on the operation 'sdiv' [hk-coalesce]
  // CHECK: {{.*}}:[[@LINE+1]]:46: remark: read of 'in', 4 bytes a lane, is uniform: neighbouring lanes use one address; 1 line of 128 bytes a wavefront, 1 would do: ratio 1.00 [hk-coalesce]
  out[i / width] = tile[255 - threadIdx.x] + in[blockIdx.x];
  // CHECK: {{.*}}:[[@LINE+1]]:3: remark: atomic update of 'count', 4 bytes a lane, is uniform: neighbouring lanes use one address; 1 line of 128 bytes a wavefront, 1 would do: ratio 1.00 [hk-coalesce]
  atomicAdd(count, 1);
}

// A helper's access is where the helper has it, once for all callers with the same pattern.
__device__ float fetch(const float *p, int i) {
  // CHECK: {{.*}}:[[@LINE+2]]:10: remark: read of 'a', 4 bytes a lane, is strided: lanes are 16 bytes apart; 8 lines of 128 bytes a wavefront, 2 would do: ratio 0.25 [hk-coalesce]
  // CHECK-NOT: {{.*}}:[[@LINE+1]]:10: remark: {{.*}}
  return p[4 * i];
}
__global__ void helped(const float *a, float *out) { out[threadIdx.x] = fetch(a, threadIdx.x); }
template <int N> __global__ void helped_too(const float *a, float *out) { out[threadIdx.x + N] = fetch(a, threadIdx.x); }

// CHECK: {{.*}}:[[@LINE+3]]:36: remark: write of 'b', 4 bytes a lane, is transposed: lanes are 4*n bytes apart, threadIdx.y reaches neighbours; 16 lines of 128 bytes a wavefront, 2 would do: ratio 0.12 [hk-coalesce]
// CHECK: {{.*}}:[[@LINE+2]]:38: remark: read of 'a', 4 bytes a lane, is coalesced; 4 lines of 128 bytes a wavefront, 2 would do: ratio 0.50 [hk-coalesce]
static __global__ void turn(const float *a, float *b, int n) {
  b[threadIdx.x * n + threadIdx.y] = a[threadIdx.y * n + threadIdx.x];
}

void run(const int *index, const float *in, float *out, int *count) {
  indirect<<<4, 256>>>(index, in, out, 3, count);
  turn<<<1, dim3(16, 16)>>>(in, out, 64);
  helped_too<1><<<1, 256>>>(in, out);
  helped_too<2><<<1, 256>>>(in, out);
}
