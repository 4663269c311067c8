// Rows: softmax, RMS and layer normalization, absolute maximum for quantization, attention over tiles.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void softmax_row(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float red[256];
  const int t = threadIdx.x;
  const float *x = in + (size_t)blockIdx.x * n;
  float *y = out + (size_t)blockIdx.x * n;
  float m = -3.4e38f;
  for (int j = t; j < n; j += 256)
    m = fmaxf(m, x[j]);
  red[t] = m;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s)
      red[t] = fmaxf(red[t], red[t + s]);
    __syncthreads(); // hk: lds-only (the next step, and the maximum, read other items' values)
  }
  m = red[0];
  __syncthreads(); // hk: lds-only (item 0 overwrites red[0], which all read)
  float sum = 0.0f;
  for (int j = t; j < n; j += 256)
    sum += expf(x[j] - m);
  red[t] = sum;
  __syncthreads(); // hk: lds-only (the tree reads other items' values)
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s)
      red[t] += red[t + s];
    __syncthreads(); // hk: lds-only (the next step, and the sum, read other items' values)
  }
  const float inv = 1.0f / red[0];
  for (int j = t; j < n; j += 256)
    y[j] = expf(x[j] - m) * inv;
}

// Four rows a block, a wavefront a row.
static __global__ void softmax_row_a_wave(const float *__restrict__ in, float *__restrict__ out, int rows) {
  __shared__ float red[4][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.x * 4 + ty;
  if (row >= rows)
    return;
  const float x = in[row * 64 + tx];
  red[ty][tx] = x;
  __syncthreads(); // hk: wave-level (row ty is wavefront ty's)
  for (int s = 32; s > 0; s >>= 1) {
    if (tx < s)
      red[ty][tx] = fmaxf(red[ty][tx], red[ty][tx + s]);
    __syncthreads(); // hk: wave-level (row ty is wavefront ty's)
  }
  const float e = expf(x - red[ty][0]);
  __syncthreads(); // hk: wave-level (lane 0 overwrites the maximum of its row)
  red[ty][tx] = e;
  __syncthreads(); // hk: wave-level (row ty is wavefront ty's)
  for (int s = 32; s > 0; s >>= 1) {
    if (tx < s)
      red[ty][tx] += red[ty][tx + s];
    __syncthreads(); // hk: wave-level (row ty is wavefront ty's)
  }
  out[row * 64 + tx] = e / red[ty][0];
}

// In place: each item reads and writes the same elements of the row.
static __global__ void rmsnorm_in_place(float *x, const float *__restrict__ gain, int n, float eps) {
  __shared__ float part[4];
  const int t = threadIdx.x;
  float *row = x + (size_t)blockIdx.x * n;
  float acc = 0.0f;
  for (int j = t; j < n; j += 256)
    acc += row[j] * row[j];
  for (int d = 32; d > 0; d >>= 1)
    acc += __shfl_xor(acc, d);
  if ((t & 63) == 0)
    part[t >> 6] = acc;
  __syncthreads(); // hk: lds-only (four sums meet; elements of the row stay with their item)
  const float scale = rsqrtf((part[0] + part[1] + part[2] + part[3]) / n + eps);
  for (int j = t; j < n; j += 256)
    row[j] *= scale * gain[j];
}

// In place, but the second pass walks the row in pieces of four.
static __global__ void rmsnorm_in_place_by_four(float *x, int n, float eps) {
  __shared__ float part[4];
  const int t = threadIdx.x;
  float *row = x + (size_t)blockIdx.x * n;
  float acc = 0.0f;
  for (int j = t; j < n; j += 256)
    acc += row[j] * row[j];
  for (int d = 32; d > 0; d >>= 1)
    acc += __shfl_xor(acc, d);
  if ((t & 63) == 0)
    part[t >> 6] = acc;
  __syncthreads(); // hk: needed (four sums meet; and element 1, read by item 1, is overwritten by item 0)
  const float scale = rsqrtf((part[0] + part[1] + part[2] + part[3]) / n + eps);
  for (int j = 4 * t; j + 3 < n; j += 1024)
    for (int k = 0; k < 4; ++k)
      row[j + k] *= scale;
}

// Input and output may be one buffer, at any shift.
static __global__ void layernorm_may_alias(const float *x, float *y, float eps) {
  __shared__ float sums[4];
  __shared__ float squares[4];
  const int t = threadIdx.x;
  const float v = x[blockIdx.x * 256 + t];
  float s = v, q = v * v;
  for (int d = 32; d > 0; d >>= 1) {
    s += __shfl_xor(s, d);
    q += __shfl_xor(q, d);
  }
  if ((t & 63) == 0) {
    sums[t >> 6] = s;
    squares[t >> 6] = q;
  }
  __syncthreads(); // hk: needed (four sums meet, and y may be x)
  const float mean = (sums[0] + sums[1] + sums[2] + sums[3]) / 256;
  const float var = (squares[0] + squares[1] + squares[2] + squares[3]) / 256 - mean * mean;
  y[blockIdx.x * 256 + t] = (v - mean) * rsqrtf(var + eps);
}

// The row waits in LDS: each item comes back for its own elements.
static __global__ void rmsnorm_staged(const float *__restrict__ x, float *__restrict__ y, float eps) {
  __shared__ float row[1024];
  __shared__ float part[4];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < 4; ++k) {
    const float v = x[blockIdx.x * 1024 + k * 256 + t];
    row[k * 256 + t] = v;
    acc += v * v;
  }
  __syncthreads(); // hk: redundant (elements of the row stay with their item)
  for (int d = 32; d > 0; d >>= 1)
    acc += __shfl_xor(acc, d);
  if ((t & 63) == 0)
    part[t >> 6] = acc;
  __syncthreads(); // hk: lds-only (four sums meet)
  const float scale = rsqrtf((part[0] + part[1] + part[2] + part[3]) / 1024 + eps);
  for (int k = 0; k < 4; ++k)
    y[blockIdx.x * 1024 + k * 256 + t] = row[k * 256 + t] * scale;
}

// Per-row scale for int8: the maximum goes through one LDS variable.
static __global__ void quantize_row(const float *__restrict__ x, signed char *__restrict__ q,
                                    float *__restrict__ scales) {
  __shared__ float part[4];
  __shared__ float inverse;
  const int t = threadIdx.x;
  const float v = x[blockIdx.x * 256 + t];
  float m = fabsf(v);
  for (int d = 32; d > 0; d >>= 1)
    m = fmaxf(m, __shfl_xor(m, d));
  if ((t & 63) == 0)
    part[t >> 6] = m;
  __syncthreads(); // hk: lds-only (item 0 reads four maxima)
  if (t == 0) {
    const float most = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
    scales[blockIdx.x] = most / 127.0f;
    inverse = 127.0f / most;
  }
  __syncthreads(); // hk: lds-only (all read what item 0 computed)
  q[blockIdx.x * 256 + t] = (signed char)rintf(v * inverse);
}

// Two rows a block, the LDS variable reused: the write for the second row waits for the readers of the first.
static __global__ void row_pairs(const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float first;
  const int t = threadIdx.x;
  for (int r = 0; r < 2; ++r) {
    if (t == 0)
      first = x[(blockIdx.x * 2 + r) * 256];
    __syncthreads(); // hk: lds-only (all read what item 0 wrote)
    y[(blockIdx.x * 2 + r) * 256 + t] = x[(blockIdx.x * 2 + r) * 256 + t] - first;
    __syncthreads(); // hk: lds-only (item 0 writes it again)
  }
}

// One query a wavefront, keys and values by tiles of 64 for all four wavefronts.
static __global__ void attend(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                              float *__restrict__ out, int n) {
  __shared__ float keys[64][64];
  __shared__ float values[64][64];
  __shared__ float scores[4][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.x * 4 + ty;
  float m = -3.4e38f, sum = 0.0f, acc = 0.0f;
  for (int base = 0; base < n; base += 64) {
    for (int j = ty; j < 64; j += 4) {
      keys[j][tx] = k[(base + j) * 64 + tx];
      values[j][tx] = v[(base + j) * 64 + tx];
    }
    __syncthreads(); // hk: lds-only (keys come from all four wavefronts)
    float s = 0.0f;
    for (int c = 0; c < 64; ++c)
      s += q[row * 64 + c] * keys[tx][c];
    scores[ty][tx] = s;
    __syncthreads(); // hk: wave-level (row ty of scores is wavefront ty's)
    float most = m;
    for (int c = 0; c < 64; ++c)
      most = fmaxf(most, scores[ty][c]);
    const float old = expf(m - most);
    sum *= old;
    acc *= old;
    for (int c = 0; c < 64; ++c) {
      const float p = expf(scores[ty][c] - most);
      sum += p;
      acc += p * values[c][tx];
    }
    m = most;
    __syncthreads(); // hk: lds-only (the next tile overwrites keys and values that others still read)
  }
  out[row * 64 + tx] = acc / sum;
}

void launch_rows(const float *in, float *out, float *x, signed char *q, const float *k, const float *v) {
  softmax_row<<<2, 256>>>(in, out, 700);
  softmax_row_a_wave<<<2, dim3(64, 4)>>>(in, out, 7);
  rmsnorm_in_place<<<2, 256>>>(x, in, 700, 1e-5f);
  rmsnorm_in_place_by_four<<<2, 256>>>(x, 700, 1e-5f);
  layernorm_may_alias<<<2, 256>>>(in, out, 1e-5f);
  rmsnorm_staged<<<2, 256>>>(in, out, 1e-5f);
  quantize_row<<<2, 256>>>(in, q, out);
  row_pairs<<<2, 256>>>(in, out);
  attend<<<2, dim3(64, 4)>>>(in, k, v, out, 128);
}
