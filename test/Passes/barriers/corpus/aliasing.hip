// Two pointers that may name one buffer, and what says that they do not.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
// RUN: %python %S/../verdicts.py --prefix=hk-noalias --option=--assume=noalias hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void shift_restrict(float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  a[base + t] = 1.0f;
  __syncthreads(); // hk: redundant (a, b and c are different buffers)
  c[base + t] = b[base + 255 - t];
}

static __global__ void shift_plain(float *a, const float *b, float *__restrict__ c) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  a[base + t] = 1.0f;
  __syncthreads(); // hk: needed-alias hk-noalias: redundant (b may be a)
  c[base + t] = b[base + 255 - t];
}

// const says nothing about the other pointer.
static __global__ void write_after_read(const float *a, float *b) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  const float v = a[base + 255 - t];
  __syncthreads(); // hk: needed-alias hk-noalias: redundant (b may be a: item 255-t's element is overwritten)
  b[base + t] = v;
}

// Two stores.
static __global__ void write_after_write(float *a, float *b) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  a[base + t] = 1.0f;
  __syncthreads(); // hk: needed-alias hk-noalias: redundant (b may be a: the second store has to win)
  b[base + 255 - t] = 2.0f;
}

// Only loads: whatever they name, nothing conflicts.
static __global__ void only_loads(const float *a, const float *b, float *__restrict__ c) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  const float v = a[base + t];
  __syncthreads(); // hk: redundant (loads do not conflict)
  c[base + t] = v + b[base + 255 - t];
}

// int and float: no object is both.
static __global__ void by_type(int *counts, const float *values, float *__restrict__ c) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  counts[base + t] = t;
  __syncthreads(); // hk: redundant (an int store does not change a float)
  c[base + t] = values[base + 255 - t];
}

// unsigned char is every object.
static __global__ void bytes_are_everything(unsigned char *bytes, const float *values, float *__restrict__ c) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  bytes[base + t] = t;
  __syncthreads(); // hk: needed-alias hk-noalias: redundant (a byte store may change any float)
  c[base + t] = values[base + 255 - t];
}

struct Particle {
  float x, y, z, w;
};

// A structure has floats in it.
static __global__ void struct_and_float(Particle *p, const float *values, float *__restrict__ c) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  p[base + t].y = 1.0f;
  __syncthreads(); // hk: needed-alias hk-noalias: redundant (values may point into the particles)
  c[base + t] = values[base + 255 - t];
}

// Different members of an array of structures.
static __global__ void two_members(Particle *p) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  p[base + t].x = 1.0f;
  __syncthreads(); // hk: redundant (x of one particle is never w of another)
  p[base + 255 - t].w = 2.0f;
}

static __global__ void same_member(Particle *p) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  p[base + t].x = 1.0f;
  __syncthreads(); // hk: needed (two items write x of one particle)
  p[base + 255 - t].x = 2.0f;
}

struct Buffers {
  float *in;
  float *out;
};

// Pointers in a structure carry no promise.
static __global__ void pointers_in_struct(Buffers buf) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  const float v = buf.in[base + 255 - t];
  __syncthreads(); // hk: needed-alias hk-noalias: redundant|needed (buf.out may be buf.in)
  buf.out[base + t] = v;
}

// Pointers from memory.
static __global__ void pointers_in_memory(float *const *rows) {
  const int t = threadIdx.x;
  const float v = rows[0][255 - t];
  __syncthreads(); // hk: needed-alias|unknown hk-noalias: redundant|needed|unknown (rows[0] may be rows[1])
  rows[1][t] = v;
}

// Two slices of one buffer: the distance is an argument.
static __global__ void slices_by_argument(float *buf, int distance) {
  const int t = threadIdx.x;
  float *lo = buf, *hi = buf + distance;
  lo[t] = 1.0f;
  __syncthreads(); // hk: needed-alias (the slices meet if distance < 256)
  hi[255 - t] = 2.0f;
}

// The distance is known, and enough.
static __global__ void slices_by_constant(float *buf) {
  const int t = threadIdx.x;
  float *lo = buf + blockIdx.x * 512, *hi = lo + 256;
  lo[t] = 1.0f;
  __syncthreads(); // hk: redundant (256 items write 256 elements each side)
  hi[255 - t] = 2.0f;
}

// One short.
static __global__ void slices_too_close(float *buf) {
  const int t = threadIdx.x;
  float *lo = buf + blockIdx.x * 512, *hi = lo + 255;
  lo[t] = 1.0f;
  __syncthreads(); // hk: needed (lo[255] is hi[0])
  hi[t] = 2.0f;
}

__device__ float table_a[1024];
__device__ float table_b[1024];

static __global__ void two_globals(float *__restrict__ c) {
  const int t = threadIdx.x;
  table_a[t] = 1.0f;
  __syncthreads(); // hk: redundant (two variables)
  c[t] = table_b[255 - t];
}

static __global__ void one_global(float *__restrict__ c) {
  const int t = threadIdx.x;
  table_a[t] = 1.0f;
  __syncthreads(); // hk: needed (item t reads what item 255-t wrote)
  c[t] = table_a[255 - t];
}

// A host may pass the address of the variable.
static __global__ void global_or_argument(const float *values, float *__restrict__ c) {
  const int t = threadIdx.x;
  table_a[t] = 1.0f;
  __syncthreads(); // hk: needed-alias hk-noalias: redundant|needed (values may be table_a)
  c[t] = values[255 - t];
}

// Private arrays are nobody else's.
static __global__ void private_array(const float *__restrict__ in, float *__restrict__ out, int k) {
  float mine[8];
  const int t = threadIdx.x;
  for (int j = 0; j < 8; ++j)
    mine[j] = in[(blockIdx.x * 256 + t) * 8 + j];
  __syncthreads(); // hk: redundant (mine is private)
  out[blockIdx.x * 256 + t] = mine[k & 7];
}

// LDS and global memory never meet, whatever the pointers' types.
static __global__ void lds_is_not_global(const float *in, float *out) {
  __shared__ float s[256];
  const int t = threadIdx.x, base = blockIdx.x * 256;
  s[t] = 1.0f;
  __syncthreads(); // hk: lds-only (s is exchanged; in is only loaded, and only after the barrier)
  out[base + t] = in[base + t] + s[255 - t];
}

void launch_aliasing(float *a, const float *b, float *c, int *i, unsigned char *u, float *const *rows, void *p, int d) {
  shift_restrict<<<4, 256>>>(a, b, c);
  shift_plain<<<4, 256>>>(a, b, c);
  write_after_read<<<4, 256>>>(b, a);
  write_after_write<<<4, 256>>>(a, c);
  only_loads<<<4, 256>>>(b, a, c);
  by_type<<<4, 256>>>(i, b, c);
  bytes_are_everything<<<4, 256>>>(u, b, c);
  struct_and_float<<<4, 256>>>(static_cast<Particle *>(p), b, c);
  two_members<<<4, 256>>>(static_cast<Particle *>(p));
  same_member<<<4, 256>>>(static_cast<Particle *>(p));
  pointers_in_struct<<<4, 256>>>(Buffers{a, c});
  pointers_in_memory<<<4, 256>>>(rows);
  slices_by_argument<<<1, 256>>>(a, d);
  slices_by_constant<<<4, 256>>>(a);
  slices_too_close<<<4, 256>>>(a);
  two_globals<<<1, 256>>>(c);
  one_global<<<1, 256>>>(c);
  global_or_argument<<<1, 256>>>(b, c);
  private_array<<<4, 256>>>(b, c, d);
  lds_is_not_global<<<4, 256>>>(b, c);
}
