// RUN: hk-parse-dump --places --runtime=%runtime-include %s -- %hip-flags | FileCheck %s
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>
#include <hk/sync.h>
namespace cg = cooperative_groups;

// What only looks like a barrier of the workgroup is none.
namespace mine {
__device__ void __syncthreads() {}
__device__ void sync(cg::thread_block) {}
struct thread_block { __device__ void sync() {} };
} // namespace mine
__device__ void wave() {}
__global__ void none(int *p) {
  cg::thread_block block = cg::this_thread_block();
  mine::__syncthreads();
  mine::sync(block);
  mine::thread_block().sync();
  wave();
  auto tile = cg::tiled_partition<32>(block);
  tile.sync();
  cg::sync(tile);
  cg::thread_group group = cg::tiled_partition(block, 16);
  group.sync();
  cg::sync(group);
  cg::this_grid().sync();
  cg::coalesced_threads().sync();
  __threadfence_block();
  __threadfence();
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_sched_barrier(0);
}
// CHECK-NOT: 'none' file
// CHECK-NOT: header
__global__ void kinds(int *p) {
  // CHECK: sync workgroup at sync-kinds.hip:[[#@LINE+1]]:3 '__syncthreads()' in 'kinds' file
  __syncthreads();
  // CHECK-NEXT: sync workgroup-reduce at sync-kinds.hip:[[#@LINE+1]]:3 '__syncthreads_count(p[0])'
  __syncthreads_count(p[0]);
  // CHECK-NEXT: sync workgroup-reduce at sync-kinds.hip:[[#@LINE+1]]:7 '__syncthreads_and(p[1])'
  if (__syncthreads_and(p[1]))
    // CHECK-NEXT: sync workgroup-reduce at sync-kinds.hip:[[#@LINE+1]]:12 '__syncthreads_or(p[2])'
    p[0] = __syncthreads_or(p[2]);
  cg::thread_block block = cg::this_thread_block();
  // CHECK-NEXT: sync cooperative-block at sync-kinds.hip:[[#@LINE+1]]:3 'block.sync()'
  block.sync();
  // CHECK-NEXT: sync cooperative-block at sync-kinds.hip:[[#@LINE+1]]:3 'cg::sync(block)'
  cg::sync(block);
  // CHECK-NEXT: sync cooperative-block at sync-kinds.hip:[[#@LINE+1]]:3 'cg::this_thread_block().sync()'
  cg::this_thread_block().sync();
  cg::thread_block *pointer = &block;
  // CHECK-NEXT: sync cooperative-block at sync-kinds.hip:[[#@LINE+1]]:3 'pointer->sync()'
  pointer->sync();
  // CHECK-NEXT: sync raw-barrier at sync-kinds.hip:[[#@LINE+1]]:3 '__builtin_amdgcn_s_barrier()'
  __builtin_amdgcn_s_barrier();
  // CHECK-NEXT: sync wave at sync-kinds.hip:[[#@LINE+1]]:3 '__builtin_amdgcn_wave_barrier()'
  __builtin_amdgcn_wave_barrier();
  // CHECK-NEXT: sync workgroup at sync-kinds.hip:[[#@LINE+1]]:3 'hk::sync::workgroup()'
  hk::sync::workgroup();
  // CHECK-NEXT: sync workgroup-lds at sync-kinds.hip:[[#@LINE+1]]:3 'hk::sync::lds()'
  hk::sync::lds();
  using namespace hk;
  // CHECK-NEXT: sync wave at sync-kinds.hip:[[#@LINE+1]]:3 'sync::wave()'
  sync::wave();
}
// A call in an unnamed namespace, a class, a lambda, a host device function.
namespace {
struct S {
  // CHECK-NEXT: sync workgroup at {{.*}} in 'S::member' file
  __device__ void member() { __syncthreads(); }
};
} // namespace
// CHECK-NEXT: sync workgroup at {{.*}} in 'both' file
__host__ __device__ inline void both() {
#ifdef __HIP_DEVICE_COMPILE__
  __syncthreads();
#endif
}
__global__ void user() {
  S().member();
  both();
  // CHECK-NEXT: sync workgroup at {{.*}} in 'user' file {{.*}} lambda
  auto f = [] { __syncthreads(); };
  f();
}
// CHECK-NOT: {{^}}sync
// CHECK-NOT: unmatched
// CHECK: {{^}}matched
