// Races inside a workgroup: each kernel with its barrier is clean, and without it is not.
//
// RUN: %sim-clang -g %s -o %t.co
// RUN: %sim-clang -g -DNO_BARRIER %s -o %t.bad.co
//
// RUN: %hk-sim-run %t.co neighbour --races --block=128 --buf=i32:128
// RUN: not %hk-sim-run %t.bad.co neighbour --races --block=128 --buf=i32:128 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR
// NEIGHBOUR: race: {{load|store}} at LDS offset {{[0-9]+}} and {{store|load}} by lane {{[0-9]+}} of wavefront {{[01]}} have no barrier between them
// NEIGHBOUR-NEXT: at {{.*}}races.hip:[[#@LINE+31]]
// NEIGHBOUR-NEXT: and {{.*}}races.hip:[[#@LINE+33]]
//
// A race is one under every schedule.
// RUN: not %hk-sim-run %t.bad.co neighbour --races --seed=5 --block=128 --buf=i32:128
//
// RUN: %hk-sim-run %t.co memory --races --block=256 --buf=i32:256 --buf=i32:256
// RUN: not %hk-sim-run %t.bad.co memory --races --block=256 --buf=i32:256 --buf=i32:256 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: race: {{load|store}} at global address
//
// One wavefront needs no barrier.
// RUN: %hk-sim-run %t.bad.co neighbour --races --block=64 --buf=i32:64
//
// Atomics do not race, and a flag that is released orders what was written before it.
// RUN: %hk-sim-run %t.bad.co atomics --races --block=256 --buf=i32:1
// RUN: %hk-sim-run %t.bad.co flag --races --block=128 --buf=i32:2 --buf=i32:1 --print=1 | FileCheck %s --check-prefix=FLAG
// FLAG: 0: 42
//
// In another rounding mode, too.
// RUN: not %hk-sim-run %t.bad.co rounded --races --block=128 --buf=i32:128 2>&1 | FileCheck %s --check-prefix=ROUNDED
// ROUNDED: race: {{load|store}} at LDS offset
// ROUNDED-NEXT: at {{.*}}races.hip:[[#LINE:]]
// ROUNDED-NEXT: and {{.*}}races.hip:{{[0-9]+}}
#include "Inputs/kernel.h"

#ifdef NO_BARRIER
#define barrier() asm volatile("" ::: "memory")
#endif

KERNEL neighbour(int *out) {
  __shared__ int s[128];
  s[lane()] = lane();
  barrier();
  //
  out[lane()] = s[(lane() + 1) % width()];
}

KERNEL memory(int *p, int *out) {
  p[lane()] = lane();
  barrier();
  out[lane()] = p[lane() ^ 64];
}

KERNEL atomics(int *p) {
  __hip_atomic_fetch_add(p, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL flag(int *p, int *out) {
  if (lane() == 64) {
    p[0] = 42;
    __hip_atomic_store(&p[1], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  if (lane() == 0) {
    while (!__hip_atomic_load(&p[1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
      ;
    *out = p[0];
  }
}

KERNEL rounded(int *out) {
  __shared__ int s[128];
  __builtin_amdgcn_s_setreg(1 | 1 << 11, 3);
  s[lane()] = lane();
  barrier();
  out[lane()] = s[(lane() + 1) % width()];
}
