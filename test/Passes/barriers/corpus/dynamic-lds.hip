// LDS carved out of one array: what overlaps is decided by offsets, not by names or types.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

extern __shared__ float smem[];
extern __shared__ float smem_too[];

// Two arrays of 256 in one: each item keeps to its slots.
static __global__ void two_arrays(const float *__restrict__ in, float *__restrict__ out) {
  float *a = smem;
  float *b = smem + blockDim.x;
  const int t = threadIdx.x;
  a[t] = in[blockIdx.x * 256 + t];
  b[t] = 1.0f;
  __syncthreads(); // hk: redundant (a[t] and b[t] are item t's own)
  out[blockIdx.x * 256 + t] = a[t] + b[t];
}

// The second array starts 32 floats too early.
static __global__ void two_arrays_overlap(const float *__restrict__ in, float *__restrict__ out) {
  float *a = smem;
  float *b = smem + blockDim.x - 32;
  const int t = threadIdx.x;
  a[t] = in[blockIdx.x * 256 + t];
  const float v = a[t] * 2.0f;
  __syncthreads(); // hk: lds-only (b[0..31] is a[224..255])
  b[t] = v;
  out[blockIdx.x * 256 + t] = b[t];
}

// The offset is an argument: nothing says that it is at least 256.
static __global__ void offset_by_argument(const float *__restrict__ in, float *__restrict__ out, int offset) {
  float *a = smem;
  float *b = smem + offset;
  const int t = threadIdx.x;
  a[t] = in[blockIdx.x * 256 + t];
  const float v = a[t] * 2.0f;
  __syncthreads(); // hk: lds-only-alias (b meets a if offset < 256)
  b[t] = v;
  out[blockIdx.x * 256 + t] = b[t];
}

// Indices first, values behind them, by casts.
static __global__ void indices_and_values(const float *__restrict__ in, float *__restrict__ out) {
  int *index = reinterpret_cast<int *>(smem);
  float *value = reinterpret_cast<float *>(index + 256);
  const int t = threadIdx.x;
  index[t] = (t * 5) & 255;
  value[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (each item reads its own index and its own value)
  out[blockIdx.x * 256 + t] = value[t] * index[t];
}

// Values of two types in the same bytes, one after the other.
static __global__ void reuse_as_int(const float *__restrict__ in, int *__restrict__ out) {
  float *value = smem;
  int *count = reinterpret_cast<int *>(smem);
  const int t = threadIdx.x;
  value[t] = in[blockIdx.x * 256 + t];
  const float v = value[t];
  __syncthreads(); // hk: lds-only (count[255-t] is the word of value[255-t])
  count[255 - t] = v > 0.0f;
  out[blockIdx.x * 256 + t] = count[255 - t];
}

// Bytes: item t owns four bytes, the others are one word away.
static __global__ void bytes_of_words(const unsigned *__restrict__ in, unsigned char *__restrict__ out) {
  unsigned *word = reinterpret_cast<unsigned *>(smem);
  unsigned char *byte = reinterpret_cast<unsigned char *>(smem);
  const int t = threadIdx.x;
  word[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (bytes 4t..4t+3 are word t)
  for (int k = 0; k < 4; ++k)
    out[(blockIdx.x * 256 + t) * 4 + k] = byte[4 * t + 3 - k];
}

static __global__ void bytes_of_other_words(const unsigned *__restrict__ in, unsigned char *__restrict__ out) {
  unsigned *word = reinterpret_cast<unsigned *>(smem);
  unsigned char *byte = reinterpret_cast<unsigned char *>(smem);
  const int t = threadIdx.x;
  word[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (byte t is in word t/4)
  for (int k = 0; k < 4; ++k)
    out[blockIdx.x * 1024 + k * 256 + t] = byte[k * 256 + t];
}

// Two names, one place: every dynamic array of a kernel starts at the same address.
static __global__ void two_names(const float *__restrict__ in, float *__restrict__ out) {
  const int t = threadIdx.x;
  smem[t] = in[blockIdx.x * 256 + t];
  const float v = smem[t];
  __syncthreads(); // hk: lds-only (smem_too is smem)
  smem_too[255 - t] = v;
  out[blockIdx.x * 256 + t] = smem_too[255 - t];
}

// Two static arrays never meet.
static __global__ void two_static_arrays(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float a[256];
  __shared__ float b[256];
  const int t = threadIdx.x;
  a[t] = in[blockIdx.x * 256 + t];
  const float v = a[t];
  __syncthreads(); // hk: redundant (a and b are two arrays; each item keeps to its slots)
  b[255 - t] = v;
  out[blockIdx.x * 256 + t] = b[255 - t];
}

struct Staging {
  float rows[256];
  float columns[256];
};

union Scratch {
  float as_float[256];
  int as_int[256];
};

static __global__ void struct_members(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ Staging s;
  const int t = threadIdx.x;
  s.rows[t] = in[blockIdx.x * 256 + t];
  const float v = s.rows[t];
  __syncthreads(); // hk: redundant (rows and columns are different members)
  s.columns[255 - t] = v;
  out[blockIdx.x * 256 + t] = s.columns[255 - t];
}

// hk-execution: hidden (the compiler keeps v in a register and drops the first store, so nothing is left to race)
static __global__ void union_members(const float *__restrict__ in, int *__restrict__ out) {
  __shared__ Scratch s;
  const int t = threadIdx.x;
  s.as_float[t] = in[blockIdx.x * 256 + t];
  const float v = s.as_float[t];
  __syncthreads(); // hk: lds-only (the members of a union share their bytes)
  s.as_int[255 - t] = v > 0.0f;
  out[blockIdx.x * 256 + t] = s.as_int[255 - t];
}

// A ring of rows: the row is chosen by an argument, the same for everyone.
static __global__ void ring_row(const float *__restrict__ in, float *__restrict__ out, int row) {
  __shared__ float ring[8][256];
  const int t = threadIdx.x;
  ring[row & 7][t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (same row, own column)
  out[blockIdx.x * 256 + t] = ring[row & 7][t];
}

// Two arguments may name one row.
static __global__ void ring_two_rows(const float *__restrict__ in, float *__restrict__ out, int row, int other) {
  __shared__ float ring[8][256];
  const int t = threadIdx.x;
  ring[row & 7][t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only-alias (row and other may be equal)
  out[blockIdx.x * 256 + t] = ring[other & 7][255 - t];
}

void launch_dynamic_lds(const float *in, float *out, int *counts, const unsigned *words, unsigned char *bytes) {
  two_arrays<<<4, 256, 2 * 256 * sizeof(float)>>>(in, out);
  two_arrays_overlap<<<4, 256, 2 * 256 * sizeof(float)>>>(in, out);
  offset_by_argument<<<4, 256, 2 * 256 * sizeof(float)>>>(in, out, 256);
  indices_and_values<<<4, 256, 2 * 256 * sizeof(float)>>>(in, out);
  reuse_as_int<<<4, 256, 256 * sizeof(float)>>>(in, counts);
  bytes_of_words<<<4, 256, 256 * sizeof(float)>>>(words, bytes);
  bytes_of_other_words<<<4, 256, 256 * sizeof(float)>>>(words, bytes);
  two_names<<<4, 256, 256 * sizeof(float)>>>(in, out);
  two_static_arrays<<<4, 256>>>(in, out);
  struct_members<<<4, 256>>>(in, out);
  union_members<<<4, 256>>>(in, counts);
  ring_row<<<4, 256>>>(in, out, 3);
  ring_two_rows<<<4, 256>>>(in, out, 2, 2);
}
