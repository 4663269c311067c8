// Where a call is spelled, and that the debug info of its instruction has the same place.
// RUN: hk-parse-dump --places %s -- %hip-flags | FileCheck %s
// RUN: rm -rf %t && mkdir %t && cp %s %t/copy.hip
// RUN: cd %t && hk-parse-dump --places ./copy.hip -- %hip-flags | FileCheck %s --check-prefix=RELATIVE
// RELATIVE-NOT: unmatched
// RELATIVE: matched 22
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>
#define SYNC __syncthreads()
#define SYNC_CALL() __syncthreads()
#define SAME(...) __VA_ARGS__
#define NESTED(x) SAME(x)
#define TWICE(x) x; x
#define TEXT(x) x; (void)#x
#define AND_MORE(x) x; SYNC
#define PART(x) __syncthreads x
#define OBJECT(x) x.sync()

__global__ void k(int *p) {
  // CHECK: sync workgroup at sync-places.hip:[[#@LINE+1]]:3 'SYNC' in 'k' macro-body call none statement none
  SYNC;
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:3 'SYNC_CALL' in 'k' macro-body call none statement none
  SYNC_CALL();
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:8 '__syncthreads()' in 'k' macro-argument call '__syncthreads()' statement none
  SAME(__syncthreads());
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:8 '__syncthreads()' in 'k' macro-argument call '__syncthreads()' statement '__syncthreads();'
  SAME(__syncthreads(); p[0] = 1;)
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:12 '__syncthreads()' in 'k' macro-argument call '__syncthreads()' statement none
  NESTED(  __syncthreads());
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:10 'SYNC' in 'k' macro-body
  NESTED(SYNC);
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:9 '__syncthreads()' in 'k' macro-body
  TWICE(__syncthreads());
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+2]]:3 'AND_MORE' in 'k' macro-body
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:12 '__syncthreads()' in 'k' macro-argument
  AND_MORE(__syncthreads());
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:3 'PART' in 'k' macro-body call none
  PART(());
  cooperative_groups::thread_block b = cooperative_groups::this_thread_block();
  // CHECK-NEXT: sync cooperative-block at sync-places.hip:[[#@LINE+1]]:10 '{{.*}}' in 'k' macro-body call none
  OBJECT(b);
  // CHECK-NEXT: sync cooperative-block at sync-places.hip:[[#@LINE+1]]:8 'b.sync()' in 'k' macro-argument
  SAME(b.sync());
  // CHECK-NEXT: sync cooperative-block at sync-places.hip:[[#@LINE+1]]:3 'b
  b
    .sync();
  // CHECK: sync workgroup at sync-places.hip:[[#@LINE+3]]:12 '__syncthreads()'
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+2]]:31 '__syncthreads()'
  // CHECK-NEXT: sync workgroup at sync-places.hip:[[#@LINE+1]]:48 '__syncthreads()'
  if (*p) {__syncthreads(); } __syncthreads(); __syncthreads();
  // CHECK-NEXT: sync workgroup-reduce at generated.cu:77:5
#line 77 "generated.cu"
  p[__syncthreads_count(p[1])] = 0;
  // CHECK-NEXT: sync workgroup at generated.cu:5:3
#line 5
  SYNC;
  // The same place again, for another call: neither can be told from the other.
  // CHECK-NEXT: sync workgroup at generated.cu:9:3 '__syncthreads()' in 'k' macro-body {{.*}} ambiguous
#line 9
  __syncthreads();
#line 9
  __syncthreads();
  // CHECK-NEXT: sync workgroup at other.cu:9:3
#line 9 "sub/other.cu"
  __syncthreads();
}
// CHECK-NOT: {{^}}sync
// CHECK-NOT: unmatched
// CHECK: matched 22
