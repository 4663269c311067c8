// What removal makes of the many places of a call: the code around it stays valid and nothing else is touched.
// RUN: hk-opt rewrite -o %t %s -- %hip-flags 2>/dev/null
// RUN: FileCheck %s --input-file=%t --match-full-lines --strict-whitespace
#include <hip/hip_runtime.h>
// clang-format off

//      CHECK:__global__ void under_conditions(float *p, int c) {
// CHECK-NEXT:  p[threadIdx.x] = 1.0f;
// CHECK-NEXT:  if (c) {{\(void\)0;|[{][}]}}
// CHECK-NEXT:  if (c)
// CHECK-NEXT:    {{\(void\)0;|[{][}]}}
// CHECK-NEXT:  else
// CHECK-NEXT:    p[threadIdx.x] = 2.0f;
// CHECK-NEXT:  for (int i = 0; i < c; ++i)
// CHECK-NEXT:    {{\(void\)0;|[{][}]}}
// CHECK-NEXT:  do {{\(void\)0;|[{][}]}} while (c-- > 0);
// CHECK-NEXT:  switch (c) { case 1: (void)0; break; default: (void)0; }
// CHECK-NEXT:again:
// CHECK-NEXT:  (void)0;
// CHECK-NEXT:  if (c++ < 3) goto again;
// CHECK-NEXT:}
__global__ void under_conditions(float *p, int c) {
  p[threadIdx.x] = 1.0f;
  if (c) __syncthreads();
  if (c)
    __syncthreads();
  else
    p[threadIdx.x] = 2.0f;
  for (int i = 0; i < c; ++i)
    __syncthreads();
  do __syncthreads(); while (c-- > 0);
  switch (c) { case 1: __syncthreads(); break; default: __syncthreads(); }
again:
  __syncthreads();
  if (c++ < 3) goto again;
}

//      CHECK:__global__ void spread_out(float *p) {
// CHECK-NEXT:  p[threadIdx.x] = 1.0f, (void)0;
// CHECK-NEXT:  {{.*}}
// CHECK-NEXT:  p[threadIdx.x] = 2.0f;
// CHECK-NEXT:  const char *text = "__syncthreads();"; (void)text;
// CHECK-NEXT:  // __syncthreads();
// CHECK-NEXT:  [] { return (void)0; }();
// CHECK-NEXT:}
__global__ void spread_out(float *p) {
  p[threadIdx.x] = 1.0f, __syncthreads();
  { __syncthreads(); }
  __syncthreads
  (
  )
  ;
  p[threadIdx.x] = 2.0f;
  const char *text = "__syncthreads();"; (void)text;
  // __syncthreads();
  [] { return __syncthreads(); }();
}

// Comments stay: they may say more than the call they stand by.
//      CHECK:__global__ void comments(float *p) {
// CHECK-NEXT:  p[threadIdx.x] = 1.0f;
// CHECK-NEXT: {{ *}}// all is stored
// CHECK-NEXT:  /* before */{{ *}}
// CHECK-NEXT: {{ *}}/* over
// CHECK-NEXT:     lines */ p[threadIdx.x] = 2.0f;
// CHECK-NEXT:}
__global__ void comments(float *p) {
  p[threadIdx.x] = 1.0f;
  __syncthreads(); // all is stored
  /* before */ __syncthreads();
  __syncthreads(); /* over
     lines */ p[threadIdx.x] = 2.0f;
}

// Text that the compiler does not see.
//      CHECK:__global__ void never_compiled(float *p) {
// CHECK-NEXT:#if 0
// CHECK-NEXT:  p[threadIdx.x] = don't;
// CHECK-NEXT:  __syncthreads();
// CHECK-NEXT:#endif
// CHECK-NEXT:}
__global__ void never_compiled(float *p) {
#if 0
  p[threadIdx.x] = don't;
  __syncthreads();
#endif
}
