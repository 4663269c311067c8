// What comes out of a macro's body is never edited; what is spelled as an argument is, when it stands for one call.
// RUN: hk-opt rewrite %s -- %hip-flags 2>%t | FileCheck %s --check-prefix=DIFF
// RUN: FileCheck %s --input-file=%t
#include <hip/hip_runtime.h>
#define SYNC __syncthreads()
#define STORE_AND_SYNC(place, value) \
  place = value;                     \
  __syncthreads();
#define PASTE(a, b) a##b
#define RUN_IT(...) __VA_ARGS__
#define TWICE(statement) statement statement
#define DROPPED(statement)

// CHECK: macros.hip:[[#@LINE+7]]:3: remark: barrier is redundant: {{.*}}; kept [hk-barriers]
// CHECK: note: [failed] {{.*}}macro's body
// CHECK: macros.hip:[[#@LINE+6]]:3: remark: barrier is redundant: {{.*}}; kept
// CHECK: macros.hip:[[#@LINE+6]]:3: remark: barrier is redundant: {{.*}}; kept
// DIFF-NOT: {{^[-+].*(SYNC|PASTE)}}
__global__ void bodies(float *p) {
  p[threadIdx.x] = 1.0f;
  SYNC;
  STORE_AND_SYNC(p[threadIdx.x], 2.0f)
  PASTE(__sync, threads)();
}

// CHECK: macros.hip:[[#@LINE+20]]:10: remark: barrier is redundant: {{.*}}; removed
// CHECK: macros.hip:[[#@LINE+20]]:10: remark: barrier is redundant: {{.*}}; removed
// CHECK: macros.hip:[[#@LINE+22]]:5: remark: barrier is redundant: {{.*}}; removed
// CHECK: macros.hip:[[#@LINE+23]]:10: remark: barrier is redundant: {{.*}}; kept
// CHECK: macros.hip:[[#@LINE+23]]:9: remark: barrier is redundant: {{.*}}; kept
// CHECK-NOT: macros.hip:[[#@LINE+23]]
// DIFF: {{^-}} RUN_IT(__syncthreads());
// DIFF-NEXT: {{^-}} RUN_IT(__syncthreads(););
// DIFF-NEXT: {{^\+}} RUN_IT((void)0);
// DIFF-NEXT: {{^\+}} RUN_IT();
// DIFF-NEXT: RUN_IT({
// DIFF-NEXT: p[threadIdx.x] = 2.0f;
// DIFF-NEXT: {{^-}} __syncthreads();
// DIFF-NEXT: })
// DIFF-NEXT: {{^}} RUN_IT(SYNC);
// DIFF-NEXT: {{^}} TWICE(__syncthreads(););
// DIFF-NOT: {{^-.*DROPPED}}
__global__ void arguments(float *p) {
  p[threadIdx.x] = 1.0f;
  // (The lines below are counted above.)
  RUN_IT(__syncthreads());
  RUN_IT(__syncthreads(););
  RUN_IT({
    p[threadIdx.x] = 2.0f;
    __syncthreads();
  })
  RUN_IT(SYNC);
  TWICE(__syncthreads(););
  DROPPED(__syncthreads());
}
