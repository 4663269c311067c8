// Counts that can be told by hand.
//
// RUN: %sim-clang -g %s -o %t.co
// RUN: %hk-sim-run %t.co copy --grid=4 --block=256 --buf=i32:4096 --buf=i32:4096 --val=i32:1 --counters | FileCheck %s --check-prefix=ONE
// ONE-DAG: waves 16
// ONE-DAG: workgroups 4
// ONE-DAG: global_load 16
// ONE-DAG: global_store 16
// ONE-DAG: lines128 64
// ONE-DAG: lines128_min 64
// ONE-DAG: segments64 128
// ONE-DAG: bytes_stored 4096
// ONE-DAG: bytes_used 8192
//
// Four apart: each line has 8 of the values a wavefront asks for.
// RUN: %hk-sim-run %t.co copy --grid=4 --block=256 --buf=i32:4096 --buf=i32:4096 --val=i32:4 --counters | FileCheck %s --check-prefix=FOUR
// FOUR-DAG: lines128 256
// FOUR-DAG: lines128_min 64
// FOUR-DAG: segments64 512
//
// All the same address: one line.
// RUN: %hk-sim-run %t.co copy --grid=1 --block=64 --buf=i32:4096 --buf=i32:4096 --val=i32:0 --counters | FileCheck %s --check-prefix=SAME
// SAME-DAG: lines128 2
// SAME-DAG: bytes_used 8
// SAME-DAG: bytes_stored 256
//
// LDS: 1 dword apart is free of conflicts, 2 apart makes pairs, 32 apart has one bank for all.
// RUN: %hk-sim-run %t.co banks --block=64 --lds=16384 --buf=i32:64 --val=i32:1 --counters | FileCheck %s --check-prefix=BANK1
// BANK1-DAG: lds_conflicts 0
// BANK1-DAG: lds_cycles 2
// RUN: %hk-sim-run %t.co banks --block=64 --lds=16384 --buf=i32:64 --val=i32:2 --counters | FileCheck %s --check-prefix=BANK2
// BANK2-DAG: lds_conflicts 2
// RUN: %hk-sim-run %t.co banks --block=64 --lds=16384 --buf=i32:64 --val=i32:32 --counters | FileCheck %s --check-prefix=BANK32
// BANK32-DAG: lds_conflicts 62
// RUN: %hk-sim-run %t.co banks --block=64 --lds=16384 --buf=i32:64 --val=i32:0 --counters | FileCheck %s --check-prefix=BANK0
// BANK0-DAG: lds_conflicts 0
//
// RUN: %hk-sim-run %t.co half --grid=2 --block=128 --buf=i32:256 --counters | FileCheck %s --check-prefix=HALF
// HALF-DAG: barriers 2
// HALF-DAG: bytes_stored 512
//
// Nothing depends on the number of threads.
// RUN: %hk-sim-run %t.co half --grid=40 --block=256 --buf=i32:10240 --counters --print=0 --threads=1 > %t.one
// RUN: %hk-sim-run %t.co half --grid=40 --block=256 --buf=i32:10240 --counters --print=0 --threads=4 > %t.four
// RUN: diff %t.one %t.four
//
// RUN: %hk-sim-run %t.co copy --grid=4 --block=256 --buf=i32:4096 --buf=i32:4096 --val=i32:4 --lines | FileCheck %s --check-prefix=LINES
// LINES: counters.hip:[[#@LINE+5]] {{.*}} 256 lines of at least 64

#include "Inputs/kernel.h"

KERNEL copy(const int *in, int *out, int stride) {
  out[global() * stride] = in[global() * stride];
}

extern __shared__ int room[];
KERNEL banks(int *out, int stride) { out[lane()] = room[lane() * stride]; }

KERNEL half(int *out) {
  barrier();
  if (lane() % 2)
    out[global()] = 1;
}
