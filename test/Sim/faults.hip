// What a kernel does wrong is found and said, with its line.
//
// RUN: %sim-clang -g %s -o %t.co
// RUN: not %hk-sim-run %t.co overrun --block=64 --buf=i32:63 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: out-of-bounds: store of 4 bytes at 0x{{[0-9a-f]+}}, 0 bytes behind a device memory allocation of 252 bytes
// BEYOND-NEXT: at {{.*}}faults.hip:[[#@LINE+23]]
// BEYOND: in kernel overrun, workgroup (0,0,0), wavefront 0, lane 63
//
// RUN: not %hk-sim-run %t.co wild --block=64 --val=u64:4096 2>&1 | FileCheck %s --check-prefix=WILD
// WILD: out-of-bounds: store of 4 bytes at 0x1000, which is not in any allocation
//
// RUN: not %hk-sim-run %t.co lds --block=64 --val=i32:64 --buf=i32:1 2>&1 | FileCheck %s --check-prefix=LDS
// LDS: lds-out-of-bounds: store of 4 bytes at offset 256 of LDS, where the workgroup has 256 bytes
//
// RUN: not %hk-sim-run %t.co misaligned --block=1 --buf=i32:8 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// MISALIGNED: misaligned: atomic of 4 bytes at 0x{{[0-9a-f]+}}, which is not a multiple of that
//
// RUN: not %hk-sim-run %t.co copy --uninitialized --block=64 --buf=i32:64:none --buf=i32:64 2>&1 | FileCheck %s --check-prefix=UNINITIALIZED
// UNINITIALIZED: uninitialized: load of 4 bytes at offset 0 of a device memory allocation of 256 bytes, where nothing was ever written
// RUN: %hk-sim-run %t.co copy --uninitialized --block=64 --buf=i32:64:zero --buf=i32:64:none
//
// RUN: not %hk-sim-run %t.co ldsread --uninitialized --block=64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=LDSREAD
// LDSREAD: uninitialized: load of 4 bytes at offset 0 of LDS, where the workgroup has not written
//
// RUN: not %hk-sim-run %t.co trap --block=64 2>&1 | FileCheck %s --check-prefix=TRAP
// TRAP: trap: the kernel trapped
//
#include "Inputs/kernel.h"
KERNEL overrun(int *p) { p[lane()] = 1; }
// RUN: not %hk-sim-run %t.co forever --hang-limit=1000000 --grid=2 --block=64 --buf=u32:1 2>&1 | FileCheck %s --check-prefix=HANG
// HANG: hang: nothing changed for {{[0-9]+}} instructions: wavefronts or workgroups wait for each other, or loop forever
//
// RUN: not %hk-sim-run %t.co divergent --strict --block=128 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: barrier: wavefront 1 ended without reaching this barrier
// RUN: %hk-sim-run %t.co divergent --block=128
//
// RUN: not %hk-sim-run %t.co copy --block=2048 --buf=i32:64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: invalid launch: a workgroup of 2048x1x1 work-items

KERNEL wild(int *p) { p[lane()] = 1; }

KERNEL lds(int i, int *out) {
  __shared__ int s[64];
  s[lane() == 3 ? i : lane()] = 1;
  barrier();
  *out = s[0];
}

KERNEL misaligned(char *p) {
  __hip_atomic_fetch_add((int *)(p + 2), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL copy(const int *in, int *out) { out[lane()] = in[lane()]; }

KERNEL ldsread(int *out) {
  __shared__ volatile int s[64];
  if (lane() > 5)
    s[lane()] = 1;
  out[lane()] = s[lane()];
}

KERNEL trap() { __builtin_trap(); }

KERNEL forever(unsigned *p) {
  while (__hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
    __builtin_amdgcn_s_sleep(1);
}

KERNEL divergent() {
  if (lane() < 64)
    __builtin_amdgcn_s_barrier();
}
