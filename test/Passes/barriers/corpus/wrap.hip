// Indices wrap: what holds for unbounded integers need not hold for these.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// 255 + 1 is 0 in a byte.
static __global__ void byte_neighbour(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const unsigned char next = t + 1;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 63 reads item 64, item 255 reads item 0)
  out[blockIdx.x * 256 + t] = s[next];
}

// A byte holds the number of any item of a block of 256.
static __global__ void byte_of_256(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const unsigned char same = t;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (the byte is t itself)
  out[blockIdx.x * 256 + t] = s[same];
}

// In a block of 512 it does not.
static __global__ void byte_of_512(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[512];
  const int t = threadIdx.x;
  const unsigned char low = t;
  s[t] = in[blockIdx.x * 512 + t];
  __syncthreads(); // hk: lds-only (item 256 reads item 0)
  out[blockIdx.x * 512 + t] = s[low];
}

// Twice the number does not fit either: items t and t+128 write one slot.
static __global__ void byte_doubled(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const unsigned char slot = 2 * t;
  s[slot] = in[blockIdx.x * 256 + t]; // hk: race (slot 0 has two writers)
  __syncthreads(); // hk: lds-only (item t may read what item t+128 wrote)
  out[blockIdx.x * 256 + t] = s[slot];
}

static __global__ void signed_byte(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const signed char b = t;
  s[b + 128] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (b + 128 is another slot for each t, the same on both sides)
  out[blockIdx.x * 256 + t] = s[b + 128];
}

static __global__ void signed_byte_and_int(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const signed char b = t;
  s[b + 128] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (b + 128 is not t: items 0 and 128 exchange)
  out[blockIdx.x * 256 + t] = s[t];
}

// The product keeps the low eight bits of t only.
static __global__ void product_of_512(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[512];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  __syncthreads(); // hk: lds-only (256 * 2^24 is 0 in 32 bits: item 256 reads item 0)
  out[blockIdx.x * 512 + t] = s[t * 0x1000000u >> 24];
}

static __global__ void product_of_256(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (below 256 nothing is lost: the index is t)
  out[blockIdx.x * 256 + t] = s[t * 0x1000000u >> 24];
}

// Wide enough: nothing is lost in 64 bits.
static __global__ void product_in_64_bits(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[512];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  __syncthreads(); // hk: redundant (the index is t)
  out[blockIdx.x * 512 + t] = s[(unsigned long long)t * 0x1000000u >> 24];
}

// Halves: 512 * 128 is 0 in 16 bits.
static __global__ void product_in_16_bits(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const unsigned short high = t * 512;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 128 reads item 0)
  out[blockIdx.x * 256 + t] = s[high >> 9];
}

// Odd factors permute, even ones do not.
static __global__ void times_five(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[(t * 5) & 255] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (a permutation, the same on both sides)
  out[blockIdx.x * 256 + t] = s[(t * 5) & 255];
}

static __global__ void times_six(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[(t * 6) & 255] = in[blockIdx.x * 256 + t]; // hk: race (items t and t+128 write one slot)
  __syncthreads(); // hk: lds-only (item t may read what item t+128 wrote)
  out[blockIdx.x * 256 + t] = s[(t * 6) & 255];
}

static __global__ void times_five_and_seven(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[(t * 5) & 255] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (two different permutations)
  out[blockIdx.x * 256 + t] = s[(t * 7) & 255];
}

// 0 - 1 as size_t is very large, and the guard knows it.
static __global__ void below_zero(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const unsigned t = threadIdx.x;
  const size_t before = (size_t)(t - 1u);
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item 64 reads item 63)
  out[blockIdx.x * 256 + t] = before < 256 ? s[before] : 0.0f;
}

// The guard lets only item 0 through: 4294967295 * 2 + 2 is 0 in 32 bits.
static __global__ void guard_by_wrapping(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const unsigned t = threadIdx.x;
  const unsigned before = t - 1u;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (only item 0 reads, and it reads slot 0)
  if (before > 255)
    out[blockIdx.x * 256] = s[before * 2 + 2];
}

// Remainders of negative numbers are negative: the index is t.
static __global__ void negative_remainder(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[257];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant ((t - 1) % 256 + 1 is t for 0..255)
  out[blockIdx.x * 256 + t] = s[(t - 1) % 256 + 1];
}

// A counter that ends by wrapping.
static __global__ void down_to_zero(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (everybody reads all slots)
  float acc = 0.0f;
  for (unsigned k = 255; k < 256; --k)
    acc = 0.5f * acc + s[k];
  out[blockIdx.x * 256 + t] = acc;
}

// A hash of the item number may hit any slot.
static __global__ void hashed(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (the hash of t is some other item)
  out[blockIdx.x * 256 + t] = s[t * 2654435769u >> 24];
}

// The pitch is an argument: 2^31 times 0 and times 2 are equal in 32 bits.
static __global__ void pitch_in_32_bits(float *data, unsigned pitch) {
  const unsigned t = threadIdx.x;
  data[t * pitch] = 1.0f; // hk: maybe-race (for some pitches)
  __syncthreads(); // hk: needed-alias (for some pitches two items share an element)
  data[t * pitch] += 1.0f; // hk: maybe-race (for some pitches)
}

// A 32-bit and a 64-bit offset of the same element.
static __global__ void two_widths(float *data) {
  const unsigned narrow = blockIdx.x * 256 + threadIdx.x;
  const size_t wide = (size_t)blockIdx.x * 256 + threadIdx.x;
  data[narrow] = 1.0f;
  __syncthreads(); // hk: redundant (equal modulo 2^32 only for one item)
  data[wide] += 1.0f;
}

// A row an item, columns below the pitch: rows do not meet.
static __global__ void row_an_item(float *data, int pitch) {
  for (int k = 0; k < pitch; ++k)
    data[(size_t)threadIdx.x * pitch + k] *= 2.0f; // hk: maybe-race (none: k < pitch)
  __syncthreads(); // hk: redundant|needed|unknown (rows do not meet, but the product is not linear)
  for (int k = 0; k < pitch; ++k)
    data[(size_t)threadIdx.x * pitch + k] += 1.0f; // hk: maybe-race (none: k < pitch)
}

void launch_wrap(const float *in, float *out, float *data) {
  byte_neighbour<<<4, 256>>>(in, out);
  byte_of_256<<<4, 256>>>(in, out);
  byte_of_512<<<2, 512>>>(in, out);
  byte_doubled<<<4, 256>>>(in, out);
  signed_byte<<<4, 256>>>(in, out);
  signed_byte_and_int<<<4, 256>>>(in, out);
  product_of_512<<<2, 512>>>(in, out);
  product_of_256<<<4, 256>>>(in, out);
  product_in_64_bits<<<2, 512>>>(in, out);
  product_in_16_bits<<<4, 256>>>(in, out);
  times_five<<<4, 256>>>(in, out);
  times_six<<<4, 256>>>(in, out);
  times_five_and_seven<<<4, 256>>>(in, out);
  below_zero<<<4, 256>>>(in, out);
  guard_by_wrapping<<<4, 256>>>(in, out);
  negative_remainder<<<4, 256>>>(in, out);
  down_to_zero<<<4, 256>>>(in, out);
  hashed<<<4, 256>>>(in, out);
  pitch_in_32_bits<<<1, 256>>>(data, 1);
  two_widths<<<4, 256>>>(data);
  row_an_item<<<1, 256>>>(data, 4);
}
