// One call in the text is one record, whatever instantiates it.
// RUN: hk-parse-dump --places %s -- %hip-flags | FileCheck %s
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>
namespace cg = cooperative_groups;

template <int N> __global__ void plain(int *p) {
  // CHECK: sync workgroup at sync-templates.hip:[[#@LINE+1]]:3 '__syncthreads()' in 'plain' file {{.*}} template{{$}}
  __syncthreads();
  if constexpr (N > 1)
    // CHECK-NEXT: sync workgroup at sync-templates.hip:[[#@LINE+1]]:5 {{.*}} template{{$}}
    __syncthreads();
}
template <class T> __global__ void never(T *p) {
  // CHECK-NEXT: sync workgroup at sync-templates.hip:[[#@LINE+1]]:3 '__syncthreads()' in 'never' {{.*}} template{{$}}
  __syncthreads();
}
// Only the instantiation tells what this is.
template <class Group> __device__ void always_block(Group g) {
  // CHECK-NEXT: sync cooperative-block at sync-templates.hip:[[#@LINE+1]]:3 'g.sync()' in 'always_block' file {{.*}} statement 'g.sync();' template{{$}}
  g.sync();
  // CHECK-NEXT: sync cooperative-block at sync-templates.hip:[[#@LINE+1]]:3 'cg::sync(g)' in 'always_block' {{.*}} template{{$}}
  cg::sync(g);
}
// And here they do not agree.
template <class Group> __device__ void any_group(Group g) {
  // CHECK-NEXT: sync cooperative-block at sync-templates.hip:[[#@LINE+1]]:3 'g.sync()' in 'any_group' {{.*}} template ambiguous{{$}}
  g.sync();
}
template <class Group> __device__ void only_tiles(Group g) {
  // CHECK-NOT: only_tiles
  g.sync();
}
template <class T> struct Holder {
  T value;
  // CHECK-NEXT: sync workgroup at {{.*}} in 'Holder::member' file {{.*}} template{{$}}
  __device__ void member() { __syncthreads(); }
  // CHECK-NEXT: sync workgroup at {{.*}} in 'Holder::unused' file {{.*}} template{{$}}
  __device__ void unused() { __syncthreads(); }
};
__global__ void use(int *p) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  always_block(block);
  any_group(block);
  any_group(tile);
  only_tiles(tile);
  Holder<int>{}.member();
  Holder<float>{}.member();
  // CHECK-NEXT: sync cooperative-block at sync-templates.hip:[[#@LINE+1]]:31 'g.sync()' in 'use' file {{.*}} template lambda{{$}}
  auto generic = [](auto g) { g.sync(); };
  generic(block);
}
void host(int *p) {
  plain<1><<<1, 1>>>(p);
  plain<2><<<1, 1>>>(p);
  plain<3><<<1, 1>>>(p);
}
// CHECK-NOT: {{^}}sync
// CHECK-NOT: unmatched
// CHECK: {{^}}matched
