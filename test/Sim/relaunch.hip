// What a simulator keeps between launches shows in none of them: registers, stack and LDS start with zeros, and the
// arguments of a launch are dead when it is over.
// RUN: %sim-clang %s -o %t.co
// RUN: %hk-sim-run %t.co leftovers --repeat=3 --grid=3 --block=128 --buf=i32:1152 --dump=0:%t.some
// RUN: %hk-sim-run %t.co leftovers --repeat=3 --grid=3 --block=128 --buf=i32:1152 --threads=3 --dump=0:%t.more
// RUN: %python -c "import sys; sys.exit(any(open(sys.argv[1], 'rb').read() + open(sys.argv[2], 'rb').read()))" %t.some %t.more
// RUN: not %hk-sim-run %t.co stale --repeat=2 --buf=u64:2 --block=1 2>&1 | FileCheck %s
// CHECK: load of {{4|8}} bytes at {{.*}} of a argument memory allocation of {{.*}} that was freed
// RUN: %hk-sim-run %t.co stale --repeat=1 --buf=u64:2 --block=1
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

extern "C" __global__ void leftovers(int *out) {
  __shared__ int lds[128];
  volatile int stack[64];
  int t = __builtin_amdgcn_workitem_id_x(), register77, old = stack[t & 63];
  volatile int *own = lds;
  int *mine = out + (__builtin_amdgcn_workgroup_id_x() * 128 + t) * 3;
  asm volatile("v_mov_b32 %0, v77\n v_mov_b32 v77, 7" : "=v"(register77) : : "v77");
  mine[0] |= register77;
  mine[1] |= old;
  mine[2] |= own[t];
  stack[t & 63] = 7;
  own[t] = 7;
}

extern "C" __global__ void stale(unsigned long *kept) {
  if (kept[0])
    kept[1] = *(const volatile unsigned long *)kept[0];
  kept[0] = (unsigned long)__builtin_amdgcn_kernarg_segment_ptr();
}
