// A kernel whose address goes elsewhere may be launched in ways the file does not show.
// RUN: hk-parse-dump %s -- %hip-flags | FileCheck %s
// RUN: hk-parse-dump --no-host %s -- %hip-flags | FileCheck %s
#include <hip/hip_runtime.h>

// CHECK: 'launched' at {{[^ ]+}} body {{[^ ]+}}{{$}}
// CHECK: 'queried' at {{[^ ]+}} body {{[^ ]+}}{{$}}
// CHECK: 'variable' {{.*}} escapes{{$}}
// CHECK: 'table' {{.*}} escapes{{$}}
// CHECK: 'argument' {{.*}} escapes{{$}}
// CHECK: 'parameter' {{.*}} escapes{{$}}
// CHECK: 'both' {{.*}} escapes{{$}}
// CHECK: 'instance<1>' {{.*}} instantiation{{$}}
// CHECK: 'instance<2>' {{.*}} instantiation escapes{{$}}
// CHECK: 'dependent<3>' {{.*}} instantiation escapes{{$}}
__global__ void launched()  {}
__global__ void queried()   {}
__global__ void variable()  {}
__global__ void table()     {}
__global__ void argument()  {}
__global__ void parameter() {}
__global__ void both()      {}
template <int> __global__ void instance() {}
template <int> __global__ void dependent() {}

void (*kernels[])() = {table, nullptr};
void later(void (*f)());
template <void (*K)()> void run() { K<<<1, 1>>>(); }
template <int N> void pass() { later(dependent<N>); }

void host() {
  launched<<<1, 1>>>();
  void *args[] = {nullptr};
  (void)hipLaunchKernel((const void *)launched, 1, 1, args, 0, 0);
  hipFuncAttributes attributes;
  int blocks = 0, size = 0;
  (void)hipFuncGetAttributes(&attributes, (const void *)queried);
  (void)hipFuncSetAttribute(reinterpret_cast<const void *>(&queried), hipFuncAttributeMaxDynamicSharedMemorySize, 1);
  (void)hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, queried, 64, 0);
  (void)hipOccupancyMaxPotentialBlockSize(&blocks, &size, queried, 0, 0);
  auto f = variable;
  f<<<1, 1>>>();
  later(argument);
  run<parameter>();
  both<<<1, 1>>>();
  later(both);
  instance<1><<<1, 1>>>();
  later(instance<2>);
  pass<3>();
}
