// Whole kernels against what they must compute, with all checks on and under several schedules.
//
// RUN: %sim-clang %s -o %t.co
// RUN: %hk-sim-run %t.co add %checks --grid=4 --block=256 --buf=f32:1000:iota --buf=f32:1000:const=0.5 --buf=f32:1000:none --val=i32:1000 --print=2:998 | FileCheck %s --check-prefix=ADD
// ADD: 998: 998.5
// ADD-NEXT: 999: 999.5
//
// RUN: %hk-sim-run %t.co reduce %checks --grid=4 --block=256 --buf=i32:10000:iota --buf=i32:1 --val=i32:10000 --print=1 | FileCheck %s --check-prefix=REDUCE
// RUN: %hk-sim-run %t.co reduce %checks --seed=1 --grid=4 --block=256 --buf=i32:10000:iota --buf=i32:1 --val=i32:10000 --print=1 | FileCheck %s --check-prefix=REDUCE
// RUN: %hk-sim-run %t.co reduce %checks --seed=7 --threads=4 --grid=4 --block=256 --buf=i32:10000:iota --buf=i32:1 --val=i32:10000 --print=1 | FileCheck %s --check-prefix=REDUCE
// REDUCE: 0: 49995000
//
// RUN: %hk-sim-run %t.co scan %checks --block=64 --buf=i32:64:const=3 --buf=i32:64:none --print=1:0:1 --print=1:63 | FileCheck %s --check-prefix=SCAN
// SCAN: 0: 3
// SCAN-NEXT: 63: 192
//
// RUN: %hk-sim-run %t.co stack %checks --block=64 --buf=i32:64:iota --buf=i32:64:none --val=i32:40 --print=1:60 | FileCheck %s --check-prefix=STACK
// STACK: 60: 64
// STACK-NEXT: 61: 88
// STACK-NEXT: 62: 80
// STACK-NEXT: 63: 72
//
// RUN: %hk-sim-run %t.co pointers %checks --block=64 --buf=i32:64:iota --buf=i32:64:none --print=1:0:3 | FileCheck %s --check-prefix=POINTERS
// POINTERS: 0: 100
// POINTERS-NEXT: 1: 1001
// POINTERS-NEXT: 2: 2
//
// RUN: %hk-sim-run %t.co recursive %checks --block=64 --buf=i32:64:none --print=0:8:2 | FileCheck %s --check-prefix=CALL
// CALL: 8: 21
// CALL-NEXT: 9: 34
//
// RUN: %hk-sim-run %t.co dynamic %checks --block=128 --lds=512 --buf=i32:128:none --print=0:0:2 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: 0: 127
// DYNAMIC-NEXT: 1: 126
//
// RUN: %hk-sim-run %t.co histogram %checks --grid=2 --block=256 --buf=u32:16 --print=0 | FileCheck %s --check-prefix=HISTOGRAM
// HISTOGRAM-COUNT-16: {{[0-9]+}}: 32
//
// RUN: %hk-sim-run %t.co divide %checks --block=4 --buf=i64:4:iota --buf=i64:4:const=-3 --buf=i64:8:none --print=2 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: 0: 0
// DIVIDE: 3: -1
// DIVIDE: 4: 0
// DIVIDE-NEXT: 5: 1
// DIVIDE-NEXT: 6: 2
// DIVIDE-NEXT: 7: 0
//
// RUN: %hk-sim-run %t.co table %checks --block=64 --buf=i32:64:none --print=0:5:2 | FileCheck %s --check-prefix=TABLE
// TABLE: 5: 26
// TABLE-NEXT: 6: 37
//
// RUN: %hk-sim-run %t.co spin %checks --grid=3 --block=64 --buf=u32:4 --print=0 | FileCheck %s --check-prefix=SPIN
// RUN: %hk-sim-run %t.co spin --threads=3 --grid=3 --block=64 --buf=u32:4 --print=0 | FileCheck %s --check-prefix=SPIN
// SPIN: 0: 3
// SPIN-NEXT: 1: 30
//
// RUN: %hk-sim-run %t.co shape --grid=2,3,2 --block=4,2,2 --buf=u32:192:none --print=0:0:1 --print=0:191 | FileCheck %s --check-prefix=SHAPE
// SHAPE: 0: 0
// SHAPE-NEXT: 191: 1211311
//
// RUN: %hk-sim-run %t.co wide %checks --block=64 --buf=u8:64:iota --buf=u64:64:none --print=1:63 | FileCheck %s --check-prefix=WIDE
// WIDE: 63: 4557430888798830399

#include "Inputs/kernel.h"

KERNEL add(const float *a, const float *b, float *c, int n) {
  if (global() < n)
    c[global()] = a[global()] + b[global()];
}

KERNEL reduce(const int *a, int *out, int n) {
  __shared__ int s[256];
  int sum = 0;
  for (int i = global(); i < n; i += 1024)
    sum += a[i];
  s[lane()] = sum;
  barrier();
  for (int d = 128; d; d >>= 1) {
    if (lane() < d)
      s[lane()] += s[lane() + d];
    barrier();
  }
  if (lane() == 0)
    __hip_atomic_fetch_add(out, s[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL scan(const int *a, int *out) {
  int v = a[lane()];
  for (int d = 1; d < 64; d <<= 1) {
    int x = shuffle(v, lane() - d);
    v += lane() >= d ? x : 0;
  }
  out[lane()] = v;
}

KERNEL stack(const int *index, int *out, int n) {
  int a[32];
  for (int i = 0; i < 32; ++i)
    a[i] = -1;
  for (volatile int i = 0; i < n; i = i + 1)
    a[(i * 7) & 31] = i < 32 ? i + lane() : a[(i * 7) & 31];
  out[lane()] = a[index[lane()] & 31];
}

// One pointer that is global, LDS or stack, as a branch decides.
KERNEL pointers(int *in, int *out) {
  __shared__ int s[64];
  int p[2] = {1000 + lane(), 7};
  s[lane()] = 100 + lane();
  int *q = lane() % 3 == 0 ? &s[lane()] : lane() % 3 == 1 ? &p[0] : &in[lane()];
  asm volatile("" : "+v"(q));
  out[lane()] = *q;
}

__device__ __attribute__((noinline)) int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
KERNEL recursive(int *out) { out[lane()] = fibonacci(lane() % 10); }

extern __shared__ int room[];
KERNEL dynamic(int *out) {
  room[lane()] = lane();
  barrier();
  out[lane()] = room[127 - lane()];
}

KERNEL histogram(unsigned *out) {
  __shared__ unsigned bins[16];
  if (lane() < 16)
    bins[lane()] = 0;
  barrier();
  __hip_atomic_fetch_add(&bins[lane() * 5 % 16], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  barrier();
  if (lane() < 16)
    __hip_atomic_fetch_add(&out[lane()], bins[lane()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL divide(const long *a, const long *b, long *out) {
  out[lane()] = a[lane()] / b[lane()];
  out[lane() + 4] = a[lane()] % b[lane()];
}

__constant__ int squares[8] = {1, 2, 5, 10, 17, 26, 37, 50};
KERNEL table(int *out) { out[lane()] = squares[lane() & 7]; }

// Each workgroup waits for the one with the next number: started in order, the first would wait for
// ever if the others did not get a turn.
KERNEL spin(unsigned *state) {
  if (lane() != 0)
    return;
  unsigned turn = 2 - group();
  while (__hip_atomic_load(&state[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != turn)
    ;
  state[1] += 10;
  __hip_atomic_store(&state[0], turn + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL shape(unsigned *out) {
  unsigned x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
           z = __builtin_amdgcn_workitem_id_z();
  unsigned gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(),
           gz = __builtin_amdgcn_workgroup_id_z();
  unsigned i = ((gz * 3 + gy) * 2 + gx) * 16 + (z * 2 + y) * 4 + x;
  out[i] = gx * 1000000 + gy * 100000 + gz * 10000 + x * 100 + y * 10 + z + (gx + x == 4) * 1000;
}

KERNEL wide(const unsigned char *in, unsigned long *out) {
  unsigned long x = in[lane()];
  out[lane()] = x | x << 8 | x << 16 | x << 24 | x << 32 | x << 40 | x << 48 | x << 56;
}
