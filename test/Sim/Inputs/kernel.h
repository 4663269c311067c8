// What kernels of the tests use of HIP, without its headers: these compile in a tenth of the time.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define KERNEL extern "C" __global__ void

struct Index {
  static __device__ int x() { return __builtin_amdgcn_workitem_id_x(); }
  static __device__ int y() { return __builtin_amdgcn_workitem_id_y(); }
};
static __device__ inline int lane() { return __builtin_amdgcn_workitem_id_x(); }
static __device__ inline int group() { return __builtin_amdgcn_workgroup_id_x(); }
static __device__ inline int width() { return __builtin_amdgcn_workgroup_size_x(); }
static __device__ inline int global() { return group() * width() + lane(); }
static __device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static __device__ inline int shuffle(int value, int from) {
  return __builtin_amdgcn_ds_bpermute(from << 2, value);
}
