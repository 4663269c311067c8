// Waiting for memory that nobody will change is a hang; long work and waiting for a time to come are none.
//
// RUN: %sim-clang -g %s -o %t.co
//
// Two workgroups that wait for each other, without and with s_sleep, on one thread and on two.
// RUN: not %hk-sim-run %t.co crossed --hang-limit=100000 --grid=2 --block=64 --buf=u32:2 --threads=1 2>&1 | FileCheck %s --check-prefix=CROSSED
// RUN: not %hk-sim-run %t.co crossed --hang-limit=100000 --grid=2 --block=64 --buf=u32:2 --threads=2 2>&1 | FileCheck %s --check-prefix=CROSSED
// RUN: not %hk-sim-run %t.co crossed --hang-limit=100000 --grid=2 --block=64 --buf=u32:2 --seed=3 2>&1 | FileCheck %s --check-prefix=CROSSED
// CROSSED: hang: nothing changed for {{[0-9]+}} instructions: wavefronts or workgroups wait for each other, or loop forever
// CROSSED-NEXT: at {{.*}}hang.hip:
// CROSSED: in kernel crossed, workgroup (0,0,0)
//
// A wavefront that waits for another of its workgroup, which is at a barrier.
// RUN: not %hk-sim-run %t.co barred --hang-limit=100000 --block=128 2>&1 | FileCheck %s --check-prefix=BARRED
// BARRED: hang: nothing changed
// BARRED: in kernel barred, workgroup (0,0,0), wavefront 1
//
// RUN: not %hk-sim-run %t.co endless --hang-limit=100000 --block=64 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: hang: nothing changed
//
// Turns that are counted are no repetition; a limit ends them, if one was asked for.
// RUN: not %hk-sim-run %t.co counted --hang-limit=100000 --idle-limit=3000000 --block=64 --buf=u32:1 --buf=u64:1 2>&1 | FileCheck %s --check-prefix=COUNTED
// COUNTED: hang: nothing changed for {{[3-9][0-9][0-9][0-9][0-9][0-9][0-9]}} instructions
//
// Many times the limit of nothing but computing, for which another workgroup waits.
// RUN: %hk-sim-run %t.co computed --hang-limit=100000 --grid=2 --block=64 --buf=u32:1 --buf=u32:2 --val=i32:3000000 --threads=1 --print=1 | FileCheck %s --check-prefix=COMPUTED
// RUN: %hk-sim-run %t.co computed --hang-limit=100000 --grid=2 --block=64 --buf=u32:1 --buf=u32:2 --val=i32:3000000 --threads=2 --print=1 | FileCheck %s --check-prefix=COMPUTED
// COMPUTED: 0: 1
// COMPUTED-NEXT: 1: 1
//
// A wait for the clock is far longer than the limit, too.
// RUN: %hk-sim-run %t.co timed --hang-limit=100000 --block=64 --buf=u64:1 --val=u64:20000000 --print=0 | FileCheck %s --check-prefix=TIMED
// TIMED: 0: 20000{{[0-9][0-9][0-9]$}}
//
// s_sleep takes its time: 64 cycles for each unit. The clock of 100 MHz is 21 times slower.
// RUN: %hk-sim-run %t.co slept --block=1 --buf=u64:2 --print=0 | FileCheck %s --check-prefix=SLEPT
// SLEPT: 0: 64{{[0-9][0-9][0-9]$}}
// SLEPT-NEXT: 1: 30{{[0-9][0-9]$}}
//
#include "Inputs/kernel.h"

static __device__ unsigned peek(unsigned *p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
static __device__ void poke(unsigned *p) {
  __hip_atomic_store(p, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL crossed(unsigned *p) {
  while (peek(p + 1 - group()) == 0)
    if (group())
      __builtin_amdgcn_s_sleep(1);
  poke(p + group());
}

KERNEL barred() {
  __shared__ volatile unsigned flag[1];
  if (lane() == 64)
    while (flag[0] == 0)
      ;
  __builtin_amdgcn_s_barrier();
  flag[0] = 1;
}

KERNEL endless() {
  while (true)
    asm volatile("");
}

KERNEL counted(unsigned *p, unsigned long *turns) {
  unsigned long n = 0;
  while (peek(p) == 0)
    ++n;
  *turns = n;
}

KERNEL computed(unsigned *p, unsigned *out, int n) {
  unsigned x = 1;
  if (group() == 0) {
    while (peek(p) == 0)
      ;
  } else {
    for (int i = 0; i != n; ++i) {
      x = x * 1664525 + 1013904223;
      asm volatile("" : "+v"(x));
    }
    poke(p);
  }
  out[group()] = x != 0;
}

KERNEL timed(unsigned long *out, unsigned long cycles) {
  unsigned long begin = __builtin_amdgcn_s_memtime(), now;
  do
    now = __builtin_amdgcn_s_memtime();
  while (now - begin < cycles);
  *out = now - begin;
}

KERNEL slept(unsigned long *out) {
  unsigned long time = __builtin_amdgcn_s_memtime(), slow = __builtin_amdgcn_s_memrealtime();
  for (int i = 0; i != 10; ++i)
    __builtin_amdgcn_s_sleep(100);
  out[0] = __builtin_amdgcn_s_memtime() - time;
  out[1] = __builtin_amdgcn_s_memrealtime() - slow;
}
