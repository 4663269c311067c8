// Sparse rows, graphs and lists: indices from memory.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// A wavefront a row: only the guard and the bounds come from memory, the slots do not.
static __global__ void csr_row_a_wave(const int *__restrict__ first, const int *__restrict__ col,
                                      const float *__restrict__ val, const float *__restrict__ x,
                                      float *__restrict__ y, int rows) {
  __shared__ float part[256];
  const int t = threadIdx.x, lane = t & 63;
  const int row = blockIdx.x * 4 + t / 64;
  float acc = 0.0f;
  if (row < rows)
    for (int j = first[row] + lane; j < first[row + 1]; j += 64)
      acc += val[j] * x[col[j]];
  part[t] = acc;
  __syncthreads(); // hk: wave-level (64 slots a wavefront)
  if (lane < 32)
    part[t] += part[t + 32];
  __syncthreads(); // hk: wave-level (64 slots a wavefront)
  if (lane < 16)
    part[t] += part[t + 16];
  __syncthreads(); // hk: wave-level (64 slots a wavefront)
  if (lane == 0 && row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k)
      sum += part[t + k];
    y[row] = sum;
  }
}

// A block a row.
static __global__ void csr_row_a_block(const int *__restrict__ first, const int *__restrict__ col,
                                       const float *__restrict__ val, const float *__restrict__ x,
                                       float *__restrict__ y) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int j = first[blockIdx.x] + t; j < first[blockIdx.x + 1]; j += 256)
    acc += val[j] * x[col[j]];
  part[t] = acc;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads(); // hk: lds-only (step 64 reads what wavefront 1 wrote)
  }
  if (t == 0)
    y[blockIdx.x] = part[0];
}

// Products first, then each item sums the products of its row: where a row begins is data.
static __global__ void csr_stream(const int *__restrict__ first, const int *__restrict__ col,
                                  const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float products[1024];
  const int t = threadIdx.x;
  const int base = first[blockIdx.x * 256];
  for (int k = t; k < 1024; k += 256)
    products[k] = val[base + k] * x[col[base + k]];
  __syncthreads(); // hk: lds-only|needed|unknown (which products belong to a row depends on the data)
  float acc = 0.0f;
  for (int j = first[blockIdx.x * 256 + t] - base; j < first[blockIdx.x * 256 + t + 1] - base; ++j)
    acc += products[j & 1023];
  y[blockIdx.x * 256 + t] = acc;
}

// A piece of x in LDS, picked by column numbers.
static __global__ void ell_cached(const int *__restrict__ col, const float *__restrict__ val,
                                  const float *__restrict__ x, float *__restrict__ y, int width) {
  __shared__ float xs[256];
  const int t = threadIdx.x;
  xs[t] = x[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only|needed|unknown (column numbers are data)
  float acc = 0.0f;
  for (int k = 0; k < width; ++k)
    acc += val[k * 256 + t] * xs[col[k * 256 + t] & 255];
  y[blockIdx.x * 256 + t] = acc;
}

// One level of a breadth-first search by one workgroup.
static __global__ void frontier(const int *__restrict__ first, const int *__restrict__ neighbours, int *level,
                                int depth) {
  // hk-require: needed|unknown >= 1
  __shared__ int more;
  const int t = threadIdx.x;
  for (int d = 0; d < depth; ++d) {
    if (t == 0)
      more = 0;
    __syncthreads(); // hk: lds-only|needed|unknown (item 0 clears what others set; levels of the turn before are read)
    if (level[t] == d) // hk: maybe-race (another item may set it, to something else than d)
      for (int j = first[t]; j < first[t + 1]; ++j)
        if (level[neighbours[j]] < 0) { // hk: maybe-race (two items may find one neighbour)
          level[neighbours[j]] = d + 1; // hk: maybe-race (they write the same value)
          more = 1;                     // hk: maybe-race (they write the same value)
        }
    __syncthreads(); // hk: lds-only|needed|unknown (everybody reads `more`, and levels that others have set)
    if (!more)
      break;
    __syncthreads(); // hk: lds-only|needed|unknown (item 0 clears what others still read)
  }
}

// A permutation from memory: who meets whom is data.
static __global__ void permute(const int *__restrict__ order, const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[order[t] & 255] = in[blockIdx.x * 256 + t]; // hk: maybe-race (none for a permutation)
  __syncthreads(); // hk: lds-only|needed|unknown (order is data)
  out[blockIdx.x * 256 + t] = s[t];
}

void launch_sparse(const int *first, const int *col, const float *val, const float *x, float *y, int *level) {
  csr_row_a_wave<<<2, 256>>>(first, col, val, x, y, 7);
  csr_row_a_block<<<2, 256>>>(first, col, val, x, y);
  csr_stream<<<2, 256>>>(first, col, val, x, y);
  ell_cached<<<2, 256>>>(col, val, x, y, 3);
  frontier<<<1, 256>>>(first, col, level, 3);
  permute<<<2, 256>>>(first, x, y);
}
