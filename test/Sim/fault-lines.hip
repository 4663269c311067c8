// Every kind of fault, each at its line. FOUND is the line of the access; for two of them the other one follows.
//
// RUN: %sim-clang -g %s -o %t.co
// RUN: not %hk-sim-run %t.co freed --block=64 --buf=i32:64:freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %hk-sim-run %t.co constant --block=64 --val=i32:3 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not %hk-sim-run %t.co code --block=64 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not %hk-sim-run %t.co variable --block=1 --val=i32:1000 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not %hk-sim-run %t.co variable --block=1 --val=i32:10 2>&1 | FileCheck %s --check-prefix=PADDING
// RUN: %hk-sim-run %t.co variable --block=1 --val=i32:9
// RUN: not %hk-sim-run %t.co misaligned --block=1 --buf=i32:8 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: not %hk-sim-run %t.co ldsmisaligned --block=1 --buf=i32:8 2>&1 | FileCheck %s --check-prefix=LDSMISALIGNED
// RUN: not %hk-sim-run %t.co unwritten --uninitialized --block=64 --buf=i32:64:none --buf=i32:64 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not %hk-sim-run %t.co ldsunwritten --uninitialized --block=64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=LDSUNWRITTEN
// RUN: not %hk-sim-run %t.co ldsbeyond --block=64 --val=i32:64 2>&1 | FileCheck %s --check-prefix=LDSBEYOND
// RUN: not %hk-sim-run %t.co stack --block=64 --val=i32:4000 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=STACK
// RUN: not %hk-sim-run %t.co ldsrace --races --block=128 --buf=i32:128 2>&1 | FileCheck %s --check-prefix=LDSRACE
// RUN: not %hk-sim-run %t.co globalrace --races --block=128 --buf=i32:128 --buf=i32:128 2>&1 | FileCheck %s --check-prefix=GLOBALRACE
// RUN: not %hk-sim-run %t.co lanes --races --block=64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not %hk-sim-run %t.co ldslanes --races --block=64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=LDSLANES
// RUN: not %hk-sim-run %t.co vmcnt --waits --block=64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=VMCNT
// RUN: not %hk-sim-run %t.co lgkmcnt --waits --block=64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=LGKMCNT
// RUN: not %hk-sim-run %t.co scalar --waits --block=64 --buf=i32:64 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not %hk-sim-run %t.co divergent --strict --block=128 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: not %hk-sim-run %t.co mutual --hang-limit=1000000 --grid=2 --block=64 --buf=u32:2 2>&1 | FileCheck %s --check-prefix=MUTUAL
// RUN: not %hk-sim-run %t.co trap --block=64 2>&1 | FileCheck %s --check-prefix=TRAP
//
// No fault without the option, and none where lanes agree or say that it is meant.
// RUN: %hk-sim-run %t.co lanes --block=64 --buf=i32:64
// RUN: %hk-sim-run %t.co agree --races --block=64 --buf=i32:64
// RUN: %hk-sim-run %t.co meant --races --block=64 --buf=i32:64
#include "Inputs/kernel.h"

KERNEL freed(int *p) {
  // FREED: use-after-free: store of 4 bytes {{.*}} at offset 0 of a device memory allocation of 256 bytes that was freed
  // FREED-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  p[lane()] = 1;
}

__constant__ int table[4] = {1, 2, 3, 4};
KERNEL constant(int i) {
  // CONSTANT: read-only: store of 4 bytes {{.*}} of a code allocation of {{.*}} which is read-only
  // CONSTANT-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  const_cast<volatile int *>(table)[i] = 7;
}

KERNEL code() {
  int *p;
  asm volatile("s_getpc_b64 %0" : "=s"(p));
  // CODE: read-only: store of 4 bytes
  // CODE-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  asm volatile("global_store_dword %0, %0, %1" ::"v"(0), "s"(p) : "memory");
}

__device__ int before[16], data[10], after[16];
KERNEL variable(int i) {
  // What is no variable at all, whatever it follows: the padding behind one, or beyond all.
  // VARIABLE: out-of-bounds: store of 4 bytes {{.*}} bytes behind a variable '{{.*}}' of {{[0-9]+}} bytes
  // VARIABLE-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+3]]
  // PADDING: out-of-bounds: store of 4 bytes {{.*}} 0 bytes behind a variable 'data' of 40 bytes
  // PADDING-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  *(volatile int *)(data + i) = 1;
  before[0] += after[0];
}

KERNEL misaligned(char *p) {
  // MISALIGNED: misaligned: atomic of 4 bytes
  // MISALIGNED-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  __hip_atomic_fetch_add((int *)(p + 2), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL ldsmisaligned(int *out) {
  __shared__ int s[16];
  // LDSMISALIGNED: misaligned: atomic of 4 bytes
  // LDSMISALIGNED-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  asm volatile("ds_add_u32 %0, %1" ::"v"(1), "v"(2) : "memory");
  s[lane()] = *out;
  *out = s[1];
}

KERNEL unwritten(const int *in, int *out) {
  // UNWRITTEN: uninitialized: load of 4 bytes
  // UNWRITTEN-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  out[lane()] = in[lane()];
}

KERNEL ldsunwritten(int *out) {
  __shared__ volatile int s[64];
  if (lane() > 5)
    s[lane()] = 1;
  // LDSUNWRITTEN: uninitialized: load of 4 bytes at offset 0 of LDS
  // LDSUNWRITTEN-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  out[lane()] = s[lane()];
}

KERNEL ldsbeyond(int i) {
  __shared__ volatile int s[64];
  // LDSBEYOND: lds-out-of-bounds: store of 4 bytes at offset 256 of LDS
  // LDSBEYOND-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  s[i] = 1;
}

KERNEL stack(int i, int *out) {
  volatile int s[32] = {};
  // STACK: scratch-out-of-bounds: store of 4 bytes
  // STACK-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  s[i] = 1;
  out[lane()] = s[lane() % 32];
}

KERNEL ldsrace(int *out) {
  __shared__ int s[128];
  s[lane()] = lane();
  // The second wavefront finds that the first one has been here.
  // LDSRACE: race: store at LDS offset {{[0-9]+}} and load by lane
  // LDSRACE-NEXT: at {{.*}}fault-lines.hip:[[#@LINE-3]]
  // LDSRACE-NEXT: and {{.*}}fault-lines.hip:[[#@LINE+1]]
  out[lane()] = s[(lane() + 1) % 128];
}

KERNEL globalrace(int *p, int *out) {
  p[lane()] = lane();
  // GLOBALRACE: race: load at global address {{.*}} and store by lane
  // GLOBALRACE-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+2]]
  // GLOBALRACE-NEXT: and {{.*}}fault-lines.hip:[[#@LINE-3]]
  out[lane()] = p[lane() ^ 64];
}

KERNEL lanes(int *p) {
  // LANES: race: lanes {{[0-9]+}} and {{[0-9]+}} store different values at global address
  // LANES-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  p[lane() / 2] = lane();
}

KERNEL ldslanes(int *out) {
  __shared__ short s[64];
  // LDSLANES: race: lanes {{[0-9]+}} and {{[0-9]+}} store different values at LDS offset
  // LDSLANES-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  s[lane() & 60] = lane();
  out[lane()] = s[lane() * 5 & 63];
}

KERNEL agree(int *p) { p[lane() / 8] = lane() / 8; }
KERNEL meant(int *p) {
  __hip_atomic_store(p, lane(), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL vmcnt(int *p) {
  int x, y;
  asm volatile("global_load_dword %0, %1, %2" : "=v"(x) : "v"(lane() * 4), "s"(p));
  // VMCNT: missing-wait: v_add_u32 uses v{{[0-9]+}} before the s_waitcnt that covers the global_load_dword into it
  // VMCNT-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+2]]
  // VMCNT-NEXT: and {{.*}}fault-lines.hip:[[#@LINE-3]]
  asm volatile("v_add_u32 %0, %1, %1" : "=v"(y) : "v"(x));
  p[lane()] = y;
}

KERNEL lgkmcnt(int *p) {
  __shared__ int s[64];
  s[lane()] = 1;
  int x, y;
  asm volatile("ds_read_b32 %0, %1" : "=v"(x) : "v"(lane() * 4) : "memory");
  // LGKMCNT: missing-wait: v_add_u32 uses v{{[0-9]+}} before the s_waitcnt that covers the ds_read_b32 into it
  // LGKMCNT-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+2]]
  // LGKMCNT-NEXT: and {{.*}}fault-lines.hip:[[#@LINE-3]]
  asm volatile("v_add_u32 %0, %1, %1" : "=v"(y) : "v"(x));
  p[lane()] = y + s[0];
}

KERNEL scalar(int *p) {
  int x, y;
  asm volatile("s_load_dword %0, %1, 0" : "=s"(x) : "s"(p));
  // SCALAR: missing-wait: s_add_i32 uses s{{[0-9]+}} before the s_waitcnt that covers the s_load_dword into it
  // SCALAR-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+2]]
  // SCALAR-NEXT: and {{.*}}fault-lines.hip:[[#@LINE-3]]
  asm volatile("s_add_i32 %0, %1, 1" : "=s"(y) : "s"(x) : "scc");
  p[lane()] = y;
}

KERNEL divergent() {
  if (lane() < 64)
    // BARRIER: barrier: wavefront 1 ended without reaching this barrier
    // BARRIER-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
    __builtin_amdgcn_s_barrier();
}

// Each workgroup waits for what the other does after its own wait.
KERNEL mutual(unsigned *p) {
  // MUTUAL: hang: nothing changed for {{[0-9]+}} instructions: wavefronts or workgroups wait for each other
  // MUTUAL-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  while (__hip_atomic_load(p + 1 - group(), __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
    __builtin_amdgcn_s_sleep(1);
  __hip_atomic_store(p + group(), 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL trap() {
  // TRAP: trap: the kernel trapped
  // TRAP-NEXT: at {{.*}}fault-lines.hip:[[#@LINE+1]]
  __builtin_trap();
}
