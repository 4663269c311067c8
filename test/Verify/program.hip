// A file with main() is run as a program.
// RUN: hk-opt verify %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s
// RUN: hk-opt verify %s -- %hip-flags -I%runtime-include --args 3 same 2>/dev/null | FileCheck %s --check-prefix=ARGS
// RUN: hk-opt verify --run-args='3 same' %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s --check-prefix=ARGS
// RUN: %python %S/Inputs/status.py 4 hk-opt verify --assume=noalias --run-args='2 same' %s -- %hip-flags -I%runtime-include 2>/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %python %S/Inputs/status.py 4 hk-opt verify --against=%S/Inputs/program-wrong.hip %s -- %hip-flags -I%runtime-include | FileCheck %s --check-prefix=WRONG
// RUN: %python %S/Inputs/status.py 4 hk-opt verify --against=%S/Inputs/program-output.hip %s -- %hip-flags -I%runtime-include | FileCheck %s --check-prefix=OUTPUT
// RUN: %python %S/Inputs/status.py 4 hk-opt verify --against=%S/Inputs/program-exit.hip %s -- %hip-flags -I%runtime-include | FileCheck %s --check-prefix=EXIT
// RUN: hk-opt verify --run-args='1 wild' --against=%s %s -- %hip-flags -I%runtime-include | FileCheck %s --check-prefix=WILD
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void mirrored(float *a, const float *b) {
  __shared__ float s[256];
  const int base = blockIdx.x * 256;
  s[threadIdx.x] = b[base + 255 - threadIdx.x];
  __syncthreads();
  a[base + threadIdx.x] = s[threadIdx.x];
}

__global__ void increment(float *a) {
  __syncthreads();
  a[blockIdx.x * 256 + threadIdx.x] += 1;
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 1;
  const bool same = argc > 2;
  float *a, *b;
  std::vector<float> host(1024);
  for (int i = 0; i < 1024; ++i)
    host[i] = float(i);
  (void)hipMalloc(&a, 4096);
  (void)hipMalloc(&b, 4096);
  (void)hipMemcpy(a, host.data(), 4096, hipMemcpyHostToDevice);
  (void)hipMemcpy(b, host.data(), 4096, hipMemcpyHostToDevice);
  if (argc > 2 && argv[2][0] == 'w')
    a += 100000;
  for (int i = 0; i < times; ++i) {
    mirrored<<<4, 256>>>(a, same ? a : b);
    increment<<<4, 256>>>(a);
  }
  (void)hipMemcpy(host.data(), a, 4096, hipMemcpyDeviceToHost);
  std::printf("time %lld\n", (long long)std::chrono::steady_clock::now().time_since_epoch().count());
  std::printf("first %g last %g\n", host[0], host[1023]);
  return 0;
}

// CHECK: program.hip: equal: 2 launches, memory compared after 2, output and exit code too
// CHECK: mirrored(float*, float const*): 1 launches before, 1 after
// CHECK: barriers
// ARGS: equal: 6 launches, memory compared after 6
// RACE: program.hip: error: the rewritten program differs: the rewritten program has a fault that the original has not: {{.*}}race
// WRONG: the rewritten program differs: buffer 'a' after launch 2, of 'increment': element 0 is {{.*}} before, {{.*}} after
// OUTPUT: the rewritten program differs: line 2 of its output is 'first 256 last 769' before, 'first 256 and last 769' after
// EXIT: the rewritten program differs: the exit code is 0 before, 3 after
// WILD: warning: not verified: the original faults: {{.*}}out-of-bounds
