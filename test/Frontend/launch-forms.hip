// RUN: hk-parse-dump %s -- %hip-flags | FileCheck %s
// RUN: hk-parse-dump --no-host %s -- %hip-flags | FileCheck %s
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

template <int N> __global__ void t(int *p) { *p = N; }
__global__ void k(int *p, int n) { *p = n; }
static __global__ void s(int *p) { *p = 0; }
#define LAUNCH(kernel, grid, ...) kernel<<<grid, 64>>>(__VA_ARGS__)
#define WRAPPED(x) x
#define GGL(kernel, ...) hipLaunchKernelGGL(kernel, dim3(1), dim3(64), 0, 0, __VA_ARGS__)

template <int N> void templated(int *p) {
  // CHECK: launch _Z1tILi2EEvPi at launch-forms.hip:[[#@LINE+2]]:3 chevron file in 'templated' grid 2,1,1 block 1,1,1
  // CHECK: launch _Z1tILi3EEvPi at launch-forms.hip:[[#@LINE+1]]:3 chevron file in 'templated' grid 3,1,1 block 1,1,1
  t<N><<<N, 1>>>(p);
  // One kernel, two values of the dimension: it has no constant value.
  // CHECK: launch _Z1kPii at launch-forms.hip:[[#@LINE+1]]:3 chevron file in 'templated' grid {N},1,1 block 9,1,1
  k<<<N, 9>>>(p, 1);
}
template <class T> void never(T *p) {
  // CHECK: launch _Z1kPii at launch-forms.hip:[[#@LINE+1]]:3 chevron file in 'never' grid 4,1,1 block {sizeof(T)},1,1
  k<<<4, sizeof(T)>>>(p, 1);
  // The kernel of a launch is not known while the template is not used.
  // CHECK: launch - at launch-forms.hip:[[#@LINE+1]]:3
  t<sizeof(T)><<<1, 1>>>(p);
}

void host(int *p, int n, hipStream_t stream) {
  // CHECK: launch _Z1kPii at launch-forms.hip:[[#@LINE+1]]:3 chevron file in 'host' grid 1,1,1 block 2,1,1 shared '' stream '' args 'p' 'n + 1'
  k<<<1, 2>>>(p, n + 1);
  // CHECK: launch _Z1kPii at {{.*}} shared 'n * sizeof(int)' stream 'stream' args 'p' '2'
  (k)<<<1, 2, n * sizeof(int), stream>>>(p, 2);
  // CHECK: launch _Z1kPii at launch-forms.hip:[[#@LINE+1]]:3 hipLaunchKernelGGL file in 'host' grid {n},1,1 block 32,2,1 shared '128' stream 'stream' args 'p' 'n'
  hipLaunchKernelGGL(k, dim3(n), dim3(32, 2), 128, stream, p, n);
  // CHECK: launch _Z1tILi5EEvPi at launch-forms.hip:[[#@LINE+1]]:3 hipLaunchKernelGGL file
  hipLaunchKernelGGL((t<5>), 1, 2, 0, 0, p);
  // CHECK: launch _Z1tILi6EEvPi at launch-forms.hip:[[#@LINE+1]]:3 hipLaunchKernelGGL file
  hipLaunchKernelGGL(HIP_KERNEL_NAME(t<6>), 1, 2, 0, 0, p);
  // CHECK: launch _ZL1sPi at launch-forms.hip:[[#@LINE+1]]:10 chevron macro-body in 'host' grid 7,1,1 block 64,1,1
  LAUNCH(s, 7, p);
  // CHECK: launch _ZL1sPi at launch-forms.hip:[[#@LINE+1]]:12 chevron macro-argument
  WRAPPED((s<<<8, 1>>>(p)));
  // CHECK: launch _ZL1sPi at launch-forms.hip:[[#@LINE+1]]:11 hipLaunchKernelGGL macro-argument
  WRAPPED(hipLaunchKernelGGL(s, 9, 1, 0, 0, p));
  // CHECK: launch _ZL1sPi at launch-forms.hip:[[#@LINE+1]]:3 hipLaunchKernelGGL macro-body
  GGL(s, p);
  void *args[] = {&p, &n};
  // CHECK: launch _Z1kPii at launch-forms.hip:[[#@LINE+1]]:{{[0-9]+}} hipLaunchKernel file in 'host' grid 3,1,1 block 5,1,1 shared '0' stream 'stream' args{{$}}
  (void)hipLaunchKernel((const void *)k, dim3(3), dim3(5), args, 0, stream);
  // CHECK: launch _Z1tILi7EEvPi at {{.*}} hipLaunchKernel file
  (void)hipLaunchKernel(reinterpret_cast<const void *>(&t<7>), 3, 5, args, 0, stream);
  // CHECK: launch _Z1kPii at {{.*}} other file
  (void)hipLaunchCooperativeKernel((const void *)k, dim3(3), dim3(5), args, 0, stream);
  // CHECK: launch _Z1kPii at {{.*}} other file in 'host' grid 3,1,1 block 5,1,1 shared '0' stream 'stream' args 'p' 'n'
  hipExtLaunchKernelGGL(k, dim3(3), dim3(5), 0, stream, nullptr, nullptr, 0, p, n);
  // A variable holds the kernel: which one it is, is not known.
  auto variable = s;
  // CHECK: launch - at launch-forms.hip:[[#@LINE+1]]:3 chevron file
  variable<<<1, 1>>>(p);
  // CHECK: launch _Z1tILi11EEvPi at {{.*}} in 'host'
  auto lambda = [&](auto q) { t<11><<<1, 1>>>(q); };
  lambda(p);
  templated<2>(p);
  templated<3>(p);
  // Two launches of one line are two.
  // CHECK: launch _ZL1sPi at launch-forms.hip:[[#@LINE+2]]:3
  // CHECK-NEXT: launch _ZL1sPi at launch-forms.hip:[[#@LINE+1]]:19
  s<<<1, 1>>>(p); s<<<2, 1>>>(p);
  // CHECK-NOT: {{^}}launch
}
