// All pairs by tiles, and a spectrum of ways to move the bodies.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

__device__ inline float3 pull(float3 force, float4 me, float4 other) {
  const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
  const float r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
  const float f = other.w * rsqrtf(r2 * r2 * r2);
  return make_float3(force.x + f * dx, force.y + f * dy, force.z + f * dz);
}

static __global__ void forces(const float4 *__restrict__ bodies, float4 *__restrict__ out, int n) {
  __shared__ float4 tile[256];
  const int t = threadIdx.x;
  const float4 me = bodies[blockIdx.x * 256 + t];
  float3 force = make_float3(0.0f, 0.0f, 0.0f);
  for (int base = 0; base < n; base += 256) {
    tile[t] = bodies[base + t];
    __syncthreads(); // hk: lds-only (everybody reads the whole tile)
    for (int j = 0; j < 256; ++j)
      force = pull(force, me, tile[j]);
    __syncthreads(); // hk: lds-only (the next tile overwrites what others still read)
  }
  out[blockIdx.x * 256 + t] = make_float4(force.x, force.y, force.z, 0.0f);
}

// One workgroup moves its bodies in place: positions in global memory are read by all and written by their owner.
static __global__ void move_in_place(float *x, float *__restrict__ v, int steps) {
  const int t = threadIdx.x;
  for (int k = 0; k < steps; ++k) {
    const float me = x[t];
    float force = 0.0f;
    for (int j = 0; j < 256; ++j)
      force += x[j] - me;
    __syncthreads(); // hk: needed (positions are about to change while others still read them)
    v[t] += 0.01f * force;
    x[t] = me + 0.01f * v[t];
    __syncthreads(); // hk: needed (the next step reads positions that others have changed)
  }
}

// Each wavefront looks at its own 64 neighbours only.
static __global__ void forces_in_wave(const float4 *__restrict__ bodies, float4 *__restrict__ out) {
  __shared__ float4 tile[256];
  const int t = threadIdx.x, first = t & ~63;
  const float4 me = bodies[blockIdx.x * 256 + t];
  tile[t] = me;
  __syncthreads(); // hk: wave-level (64 slots a wavefront)
  float3 force = make_float3(0.0f, 0.0f, 0.0f);
  for (int j = 0; j < 64; ++j)
    force = pull(force, me, tile[first + j]);
  out[blockIdx.x * 256 + t] = make_float4(force.x, force.y, force.z, 0.0f);
}

void launch_nbody(const float4 *bodies, float4 *out, float *x, float *v, int n) {
  forces<<<2, 256>>>(bodies, out, 512);
  move_in_place<<<1, 256>>>(x, v, 2);
  forces_in_wave<<<2, 256>>>(bodies, out);
}
