// printf of all kinds, from one lane, from all, and from a divergent branch.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: plain
// CHECK: 42 -7 0x2a 052 c 100%
// CHECK: 1.500000 2.50e+00 |  3.14| 0.1
// CHECK: string <{{.*}}> longer than eight characters
// CHECK: 123456789012345 18446744073709551615
// CHECK: [   5|5    |00005]
// CHECK: many 1 2 3 4 5 6 7 8 9 10 11 12
// CHECK: done
// CHECK-COUNT-4: odd lane
// CHECK-NOT: odd lane
// CHECK: host
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void one() {
  printf("plain\n");
  printf("%d %d %#x %#o %c 100%%\n", 42, -7, 42, 42, 'c');
  printf("%f %.2e |%6.2f| %g\n", 1.5f, 2.5, 3.14159, 0.1);
  printf("string <%s> %s\n", "abc", "longer than eight characters");
  printf("%lld %llu\n", 123456789012345ll, ~0ull);
  printf("[%*d|%-5d|%05d]\n", 4, 5, 5, 5);
  printf("many %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  printf("done\n");
}

__global__ void some() {
  if (threadIdx.x % 2 && threadIdx.x < 8)
    printf("odd lane %d\n", threadIdx.x);
}

int main() {
  one<<<1, 1>>>();
  some<<<1, 64>>>();
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  std::printf("host\n");
}
