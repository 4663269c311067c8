// Flags, semaphores, queues and look-back between workgroups.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// hk-insertion: ends
// hk-execution: hidden (it orders what other workgroups see or do, whose races are not looked for)
static __global__ void produce(float *__restrict__ buf, int *__restrict__ flag) {
  const int t = threadIdx.x;
  buf[blockIdx.x * 256 + t] = sqrtf(t);
  __syncthreads(); // hk: needed (all stores come before the flag)
  if (t == 0)
    __hip_atomic_store(&flag[blockIdx.x], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// hk-insertion: ends
// hk-execution: hidden (it orders what other workgroups see or do, whose races are not looked for)
static __global__ void consume(const float *buf, int *flag, float *__restrict__ out) {
  const int t = threadIdx.x;
  if (t == 0)
    while (__hip_atomic_load(&flag[blockIdx.x], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
      __builtin_amdgcn_s_sleep(1);
  __syncthreads(); // hk: needed (nobody loads before item 0 saw the flag)
  out[blockIdx.x * 256 + t] = buf[blockIdx.x * 256 + t];
}

// The old way: fence, then a volatile store.
// hk-insertion: none
// hk-execution: hidden (it orders what other workgroups see or do, whose races are not looked for)
static __global__ void produce_volatile(float *__restrict__ buf, volatile int *__restrict__ flag) {
  const int t = threadIdx.x;
  buf[blockIdx.x * 256 + t] = sqrtf(t);
  __threadfence();
  __syncthreads(); // hk: needed (all stores come before the flag)
  if (t == 0)
    flag[blockIdx.x] = 1;
}

// hk-insertion: none
// hk-execution: hidden (it orders what other workgroups see or do, whose races are not looked for)
static __global__ void consume_volatile(const float *buf, volatile int *flag, float *__restrict__ out) {
  const int t = threadIdx.x;
  if (t == 0)
    while (flag[blockIdx.x] == 0)
      ;
  __syncthreads(); // hk: needed (nobody loads before item 0 saw the flag)
  out[blockIdx.x * 256 + t] = buf[blockIdx.x * 256 + t];
}

// Split-K: the blocks of one tile add in turn, passing a semaphore.
// hk-insertion: ends
// hk-execution: hidden (it orders what other workgroups see or do, whose races are not looked for)
static __global__ void split_k_turns(const float *__restrict__ a, float *tile, int *turn) {
  const int t = threadIdx.x;
  const float mine = a[blockIdx.x * 256 + t];
  if (t == 0)
    while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != blockIdx.x)
      __builtin_amdgcn_s_sleep(1);
  __syncthreads(); // hk: needed (nobody touches the tile before this block's turn)
  tile[t] += mine;
  __syncthreads(); // hk: needed (everybody is done with the tile before the next turn)
  if (t == 0)
    __hip_atomic_store(turn, blockIdx.x + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// A queue of tiles: item 0 draws, all work.
// hk-insertion: none
static __global__ void work_queue(const float *__restrict__ in, float *__restrict__ out, int *__restrict__ queue,
                                  int tiles) {
  __shared__ int drawn;
  const int t = threadIdx.x;
  for (;;) {
    if (t == 0)
      drawn = atomicAdd(queue, 1);
    __syncthreads(); // hk: needed|unknown (all read what item 0 drew, and work only after it)
    const int tile = drawn;
    if (tile >= tiles)
      break;
    out[tile * 256 + t] = 2.0f * in[tile * 256 + t];
    __syncthreads(); // hk: needed|unknown (item 0 draws again into the same variable; the tile is done before)
  }
}

// Decoupled look-back: publish the sum of the block, wait for the prefix of those before it.
// hk-insertion: ends
static __global__ void look_back(const int *__restrict__ in, int *__restrict__ out, int *prefix, int *ready) {
  __shared__ int totals[4];
  __shared__ int before;
  const int t = threadIdx.x, lane = t & 63, wave = t >> 6, b = blockIdx.x;
  int v = in[b * 256 + t];
  for (int d = 1; d < 64; d <<= 1) {
    const int up = __shfl_up(v, d);
    if (lane >= d)
      v += up;
  }
  if (lane == 63)
    totals[wave] = v;
  __syncthreads(); // hk: needed|lds-only (the totals of four wavefronts; the flags come later)
  for (int w = 0; w < wave; ++w)
    v += totals[w];
  if (t == 255) {
    int sum = 0;
    if (b > 0) {
      while (__hip_atomic_load(&ready[b - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
        ;
      sum = prefix[b - 1];
    }
    before = sum;
    prefix[b] = sum + v;
    __hip_atomic_store(&ready[b], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  __syncthreads(); // hk: needed (all read what item 255 found; flags on one side, stores on the other)
  out[b * 256 + t] = v + before;
}

// A spin lock around a critical section of the whole workgroup.
// hk-insertion: ends
// hk-execution: hidden (it orders what other workgroups see or do, whose races are not looked for)
static __global__ void locked_update(float *__restrict__ shared_row, int *__restrict__ lock) {
  const int t = threadIdx.x;
  if (t == 0)
    while (atomicCAS(lock, 0, 1) != 0)
      ;
  __syncthreads(); // hk: needed (nobody enters before item 0 holds the lock)
  shared_row[t] += 1.0f;
  __threadfence();
  __syncthreads(); // hk: needed (everybody is out before item 0 lets go)
  if (t == 0)
    atomicExch(lock, 0);
}

// The same lock, let go by a plain store.
// hk-insertion: ends
// hk-execution: hidden (it orders what other workgroups see or do, whose races are not looked for)
static __global__ void locked_by_store(float *__restrict__ shared_row, int *lock) {
  const int t = threadIdx.x;
  if (t == 0)
    while (atomicCAS(lock, 0, 1) != 0)
      ;
  __syncthreads(); // hk: needed (nobody enters before item 0 holds the lock)
  shared_row[t] += 1.0f;
  __threadfence();
  __syncthreads(); // hk: needed (everybody is out before item 0 lets go)
  if (t == 0)
    lock[0] = 0;
}

// Missing: everybody's stores come before the signal of item 0, everybody waits for the flag it waits for.
// hk-insertion: none
static __global__ void signals_early(float *__restrict__ buf, int *__restrict__ flag) {
  const int t = threadIdx.x;
  buf[blockIdx.x * 256 + t] = sqrtf(t); // hk: race=early
  __threadfence();
  if (t == 0)
    atomicExch(&flag[blockIdx.x], 1); // hk: race=early
}

// hk-insertion: none
static __global__ void waits_alone(const float *buf, int *flag, float *__restrict__ out) {
  const int t = threadIdx.x;
  if (t == 0)
    while (__hip_atomic_load(&flag[blockIdx.x], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) // hk: race=alone
      __builtin_amdgcn_s_sleep(1);
  out[blockIdx.x * 256 + t] = buf[blockIdx.x * 256 + t]; // hk: race=alone
}

// A statistic that nobody waits for, and a signal that each item gives for itself: nothing is missing.
// hk-insertion: none
static __global__ void counts_only(const float *__restrict__ in, float *__restrict__ out, int *__restrict__ done) {
  const int t = threadIdx.x;
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
  if (t == 0)
    atomicAdd(done, 1);
}

// hk-insertion: none
static __global__ void signals_for_itself(float *__restrict__ out, int *__restrict__ flags) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = sqrtf(i);
  __threadfence();
  atomicExch(&flags[i], 1);
}

void launch_flags(const float *in, float *buf, float *out, int *flag, const int *iin, int *iout, int *prefix, int n) {
  produce<<<4, 256>>>(buf, flag);
  consume<<<4, 256>>>(buf, flag, out);
  produce_volatile<<<4, 256>>>(buf, flag);
  consume_volatile<<<4, 256>>>(buf, flag, out);
  split_k_turns<<<4, 256>>>(in, out, flag);
  work_queue<<<4, 256>>>(in, out, flag, n / 256);
  look_back<<<4, 256>>>(iin, iout, prefix, flag);
  locked_update<<<4, 256>>>(out, flag);
  locked_by_store<<<4, 256>>>(out, flag);
  signals_early<<<4, 256>>>(buf, flag);
  waits_alone<<<4, 256>>>(buf, flag, out);
  counts_only<<<4, 256>>>(in, out, flag);
  signals_for_itself<<<4, 256>>>(out, flag);
}
