// Volatile accesses and inline assembly: kept, whatever they do.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// hk-insertion: none
static __global__ void volatile_lds(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ volatile float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only|needed|unknown (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// Own slots, but volatile: someone wanted to see every access.
// hk-insertion: none
static __global__ void volatile_own(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ volatile float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant|lds-only|needed|unknown (item t's own slot)
  out[blockIdx.x * 256 + t] = s[t];
}

// A volatile store to global memory next to plain ones.
// hk-insertion: none
static __global__ void volatile_mailbox(float *__restrict__ buf, volatile int *__restrict__ mailbox) {
  const int t = threadIdx.x;
  buf[blockIdx.x * 256 + t] = 1.0f;
  __syncthreads(); // hk: needed-publication (a host or another block may watch the mailbox)
  if (t == 0)
    mailbox[blockIdx.x] = t + 1;
}

// Assembly that says it touches memory.
// hk-insertion: none
static __global__ void assembly_clobber(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  const float v = in[blockIdx.x * 256 + t];
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  __syncthreads(); // hk: needed-publication (no one knows what the assembly does)
  asm volatile("s_nop 0" ::: "memory");
  out[blockIdx.x * 256 + t] = v;
}

// Assembly on registers only.
// hk-insertion: none
static __global__ void assembly_on_registers(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  asm volatile("v_add_f32 %0, %0, %0" : "+v"(v));
  s[t] = v;
  __syncthreads(); // hk: lds-only|needed|unknown (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// A barrier written out: it has no fences.
// hk-insertion: none
static __global__ void raw_barrier(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t]; // hk: maybe-race
  __builtin_amdgcn_s_waitcnt(0);
  __builtin_amdgcn_s_barrier();               // hk: any|none (no fence: neither removed nor relied on)
  out[blockIdx.x * 256 + t] = s[255 - t]; // hk: maybe-race
}

void launch_volatile(const float *in, float *out, float *buf, int *mailbox) {
  volatile_lds<<<4, 256>>>(in, out);
  volatile_own<<<4, 256>>>(in, out);
  volatile_mailbox<<<4, 256>>>(buf, mailbox);
  assembly_clobber<<<4, 256>>>(in, out);
  assembly_on_registers<<<4, 256>>>(in, out);
  raw_barrier<<<4, 256>>>(in, out);
}
