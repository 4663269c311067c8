// Tree reductions in LDS: by a loop, unrolled down to one wavefront, over odd block sizes, and twice over one buffer.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

constexpr int kBlock = 256;

static __global__ void sum_tree(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float part[kBlock];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kBlock + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads(); // hk: lds-only (wavefronts 0 and 1 read what 2 and 3 wrote)
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: lds-only (step 64 reads what wavefront 1 wrote in step 128)
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

static __global__ void sum_unrolled(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float part[kBlock];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kBlock + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads(); // hk: lds-only (wavefronts 0 and 1 read what 2 and 3 wrote)
  if (t < 128)
    part[t] += part[t + 128];
  __syncthreads(); // hk: lds-only (wavefront 0 reads what wavefront 1 wrote)
  if (t < 64)
    part[t] += part[t + 64];
  __syncthreads(); // hk: wave-level (wavefront 0 reads what wavefront 0 wrote)
  if (t < 32)
    part[t] += part[t + 32];
  __syncthreads(); // hk: wave-level (only wavefront 0 is left)
  if (t < 16)
    part[t] += part[t + 16];
  __syncthreads(); // hk: wave-level (only wavefront 0 is left)
  if (t < 8)
    part[t] += part[t + 8];
  __syncthreads(); // hk: wave-level (only wavefront 0 is left)
  if (t < 4)
    part[t] += part[t + 4];
  __syncthreads(); // hk: wave-level (only wavefront 0 is left)
  if (t < 2)
    part[t] += part[t + 2];
  __syncthreads(); // hk: wave-level (item 0 reads what item 1 wrote)
  if (t < 1)
    part[t] += part[t + 1];
  __syncthreads(); // hk: redundant (item 0 reads what item 0 wrote)
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// Without __restrict__ the result may land in the input of an item that has not read it yet. One of the two barriers
// has to order that; the other may be weaker.
static __global__ void sum_tree_may_alias(const float *in, float *out, int n) {
  // hk-require: needed >= 1
  __shared__ float part[kBlock];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kBlock + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads(); // hk: needed|lds-only (wavefronts 0 and 1 read what 2 and 3 wrote)
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: needed|lds-only (step 64 reads what wavefront 1 wrote in step 128)
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// 192 items: the halves are not cut at wavefront borders.
static __global__ void sum_192(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[192];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 192 + t];
  __syncthreads(); // hk: lds-only (item 0 reads what item 96 wrote)
  if (t < 96)
    part[t] += part[t + 96];
  __syncthreads(); // hk: lds-only (item 16 reads what item 64 wrote: still two wavefronts)
  if (t < 48)
    part[t] += part[t + 48];
  __syncthreads(); // hk: wave-level (items 0..47 are in wavefront 0)
  if (t < 24)
    part[t] += part[t + 24];
  __syncthreads(); // hk: wave-level (items 0..23 are in wavefront 0)
  if (t < 12)
    part[t] += part[t + 12];
  __syncthreads(); // hk: wave-level (items 0..11 are in wavefront 0)
  if (t == 0) {
    float total = 0.0f;
    for (int k = 0; k < 12; ++k)
      total += part[k];
    out[blockIdx.x] = total;
  }
}

// One buffer for two sums: the second may not begin before everyone has read the first.
static __global__ void normalize_one_buffer(const float *__restrict__ x, float *__restrict__ y, float eps) {
  __shared__ float red[kBlock];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kBlock + t;
  const float v = x[i];
  red[t] = v;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (t < s)
      red[t] += red[t + s];
    __syncthreads(); // hk: lds-only (the next step, and the mean, read other items' sums)
  }
  const float mean = red[0] / kBlock;
  __syncthreads(); // hk: lds-only (item 0 overwrites red[0], which all read for the mean)
  const float d = v - mean;
  red[t] = d * d;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (t < s)
      red[t] += red[t + s];
    __syncthreads(); // hk: lds-only (the next step, and the variance, read other items' sums)
  }
  y[i] = d * rsqrtf(red[0] / kBlock + eps);
}

static __global__ void normalize_two_buffers(const float *__restrict__ x, float *__restrict__ y, float eps) {
  __shared__ float sums[kBlock];
  __shared__ float squares[kBlock];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kBlock + t;
  const float v = x[i];
  sums[t] = v;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (t < s)
      sums[t] += sums[t + s];
    __syncthreads(); // hk: lds-only (the next step, and the mean, read other items' sums)
  }
  const float mean = sums[0] / kBlock;
  __syncthreads(); // hk: redundant (the squares live in a buffer of their own)
  const float d = v - mean;
  squares[t] = d * d;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (t < s)
      squares[t] += squares[t + s];
    __syncthreads(); // hk: lds-only (the next step, and the variance, read other items' sums)
  }
  y[i] = d * rsqrtf(squares[0] / kBlock + eps);
}

static __global__ void argmax(const float *__restrict__ x, int *__restrict__ where, int n) {
  __shared__ float best[kBlock];
  __shared__ int index[kBlock];
  const int t = threadIdx.x;
  float v = -3.4e38f;
  int at = -1;
  for (int j = t; j < n; j += kBlock) {
    const float c = x[(size_t)blockIdx.x * n + j];
    if (c > v) {
      v = c;
      at = j;
    }
  }
  best[t] = v;
  index[t] = at;
  __syncthreads(); // hk: lds-only (the tree compares with another wavefront's candidate)
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (t < s && best[t + s] > best[t]) {
      best[t] = best[t + s];
      index[t] = index[t + s];
    }
    __syncthreads(); // hk: lds-only (step 64 compares with what wavefront 1 kept in step 128)
  }
  if (t == 0)
    where[blockIdx.x] = index[0];
}

// A block of 64 is one wavefront: nothing crosses.
static __global__ void sum_64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[64];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 64 + t];
  __syncthreads(); // hk: wave-level (the block is one wavefront)
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: wave-level (the block is one wavefront)
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// Column sums: each wavefront has a row, the first adds up all rows.
static __global__ void column_sums(const float *__restrict__ in, float *__restrict__ out, int rows, int pitch) {
  __shared__ float part[4][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float acc = 0.0f;
  for (int r = ty; r < rows; r += 4)
    acc += in[(size_t)r * pitch + blockIdx.x * 64 + tx];
  part[ty][tx] = acc;
  __syncthreads(); // hk: lds-only (wavefront 0 reads the rows of all four)
  if (ty == 0)
    out[blockIdx.x * 64 + tx] = part[0][tx] + part[1][tx] + part[2][tx] + part[3][tx];
}

// A persistent block reuses the buffer for the next row: the write after the read goes round the back edge.
static __global__ void row_sums_persistent(const float *__restrict__ in, float *__restrict__ out, int rows, int n) {
  __shared__ float part[kBlock];
  const int t = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float acc = 0.0f;
    for (int j = t; j < n; j += kBlock)
      acc += in[(size_t)row * n + j];
    part[t] = acc;
    __syncthreads(); // hk: lds-only (the sum below reads all of part)
    if (t == 0) {
      float total = 0.0f;
      for (int k = 0; k < kBlock; ++k)
        total += part[k];
      out[row] = total;
    }
    __syncthreads(); // hk: lds-only (the next row overwrites what item 0 still reads)
  }
}

void launch_reductions(const float *in, float *out, int *where, int n) {
  sum_tree<<<4, kBlock>>>(in, out, n);
  sum_unrolled<<<4, kBlock>>>(in, out, n);
  sum_tree_may_alias<<<4, kBlock>>>(in, out, n);
  sum_192<<<4, 192>>>(in, out);
  normalize_one_buffer<<<4, kBlock>>>(in, out, 1e-5f);
  normalize_two_buffers<<<4, kBlock>>>(in, out, 1e-5f);
  argmax<<<4, kBlock>>>(in, where, n);
  sum_64<<<4, 64>>>(in, out);
  column_sums<<<4, dim3(64, 4)>>>(in, out, 32, 256);
  row_sums_persistent<<<2, kBlock>>>(in, out, 5, n);
}
