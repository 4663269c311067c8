// A statement that can be deleted is a call directly inside braces, with its own semicolon.
// RUN: hk-parse-dump --places %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>
#define SEMICOLON ;
#define EMPTY

__global__ void refused(int *p) {
  if (p[0])
    // CHECK: :[[#@LINE+1]]:5 {{.*}} statement none
    __syncthreads();
  else
    // CHECK-NEXT: :[[#@LINE+1]]:5 {{.*}} statement none
    __syncthreads();
  for (int i = 0; i < 4; i++)
    // CHECK-NEXT: :[[#@LINE+1]]:5 {{.*}} statement none
    __syncthreads();
  // CHECK-NEXT: :[[#@LINE+2]]:8 {{.*}} statement none
  // CHECK-NEXT: :[[#@LINE+1]]:35 {{.*}} statement none
  for (__syncthreads(); p[1] > 0; __syncthreads())
    p[1]--;
  switch (p[2]) {
  case 1:
    // CHECK-NEXT: :[[#@LINE+1]]:5 {{.*}} statement none
    __syncthreads();
    // CHECK-NEXT: :[[#@LINE+1]]:5 {{.*}} statement '__syncthreads();'
    __syncthreads();
  }
label:
  // CHECK-NEXT: :[[#@LINE+1]]:3 {{.*}} statement none
  __syncthreads();
  // CHECK-NEXT: :[[#@LINE+2]]:3 {{.*}} statement none
  // CHECK-NEXT: :[[#@LINE+1]]:20 {{.*}} statement none
  __syncthreads(), __syncthreads();
  // CHECK-NEXT: :[[#@LINE+1]]:4 {{.*}} statement none
  (__syncthreads());
  // CHECK-NEXT: :[[#@LINE+1]]:9 {{.*}} statement none conditionals{{$}}
  (void)__syncthreads_count(p[0]);
  // CHECK-NEXT: :[[#@LINE+1]]:3 {{.*}} statement none
  __syncthreads() SEMICOLON
  // CHECK-NEXT: :[[#@LINE+1]]:3 {{.*}} statement none conditionals
  __syncthreads()
#ifndef NEVER
  ;
#endif
  // CHECK-NEXT: :[[#@LINE+1]]:25 {{.*}} statement none result-used
  int value = p[0] + ({ __syncthreads_or(p[0]); });
  // CHECK-NEXT: :[[#@LINE+1]]:17 {{.*}} statement none result-used
  p[3] = true ? __syncthreads_or(p[0]) : value;
  // CHECK-NEXT: :[[#@LINE+1]]:10 {{.*}} statement none result-used
  while (__syncthreads_or(p[0]))
    p[0]++;
  if (p[4])
    goto label;
}
__global__ void accepted(int *p) {
  // CHECK-NEXT: :[[#@LINE+1]]:3 {{.*}} call '__syncthreads()' statement '__syncthreads();'
  __syncthreads();
  // CHECK-NEXT: :[[#@LINE+1]]:3 {{.*}} call '__syncthreads()' statement '__syncthreads() /* why */ ;'
  __syncthreads() /* why */ ;
  // CHECK-NEXT: :[[#@LINE+1]]:3 {{.*}} call '__syncthreads ( )' statement '__syncthreads ( ) // first\n  ;'
  __syncthreads ( ) // first
  ;
  // CHECK: :[[#@LINE+1]]:3 {{.*}} statement '__syncthreads_or(p[0]);'{{$}}
  __syncthreads_or(p[0]);
  // CHECK-NEXT: :[[#@LINE+1]]:15 {{.*}} statement '__syncthreads();'
  if (p[0]) { __syncthreads(); }
  // CHECK-NEXT: :[[#@LINE+1]]:3 {{.*}} statement '::__syncthreads();'
  ::__syncthreads();
  // CHECK-NEXT: :[[#@LINE+1]]:9 {{.*}} statement '__syncthreads();'
  EMPTY __syncthreads();
}
