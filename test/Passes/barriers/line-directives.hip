// Places follow #line, as clang's do; edits go where the text is. Identifiers may be of any script.
// RUN: hk-opt rewrite -o %t %s -- %hip-flags 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=AFTER --input-file=%t
#include <hip/hip_runtime.h>
// CHECK: {{^}}elsewhere/generated.cu:102:16: remark: barrier is redundant: {{.*}}; removed
// AFTER: __global__ void größe(float *größen) {
// AFTER-NEXT: größen[threadIdx.x] = 1.0f;
// AFTER-NEXT: /* 漢字 */
// AFTER-NEXT: größen[threadIdx.x] *= 2.0f; // ✓
// AFTER-NEXT: }
#line 100 "elsewhere/generated.cu"
__global__ void größe(float *größen) {
  größen[threadIdx.x] = 1.0f;
  /* 漢字 */ __syncthreads();
  größen[threadIdx.x] *= 2.0f; // ✓
}
