// The same kernels for gfx90a, whose stack is reached by buffer instructions and whose registers are set up otherwise.
//
// RUN: %sim-clang --offload-arch=gfx90a --no-offload-arch=gfx942 %S/kernels.hip -o %t.co
// RUN: %hk-sim-run %t.co reduce %checks --arch=gfx90a --grid=4 --block=256 --buf=i32:10000:iota --buf=i32:1 --val=i32:10000 --print=1 | FileCheck %s --check-prefix=REDUCE
// REDUCE: 0: 49995000
// RUN: %hk-sim-run %t.co stack %checks --arch=gfx90a --block=64 --buf=i32:64:iota --buf=i32:64:none --val=i32:40 --print=1:60:1 | FileCheck %s --check-prefix=STACK
// STACK: 60: 64
// RUN: %hk-sim-run %t.co pointers %checks --arch=gfx90a --block=64 --buf=i32:64:iota --buf=i32:64:none --print=1:0:3 | FileCheck %s --check-prefix=POINTERS
// POINTERS: 0: 100
// POINTERS-NEXT: 1: 1001
// POINTERS-NEXT: 2: 2
// RUN: %hk-sim-run %t.co recursive %checks --arch=gfx90a --block=64 --buf=i32:64:none --print=0:8:2 | FileCheck %s --check-prefix=CALL
// CALL: 8: 21
// CALL-NEXT: 9: 34
