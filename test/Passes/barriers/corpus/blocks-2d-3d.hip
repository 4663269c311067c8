// Wavefronts are cut from the linear id: x first, then y, then z.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// 16 x 16: a wavefront holds four rows.
static __global__ void rows_16(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 16 + tx];
  __syncthreads(); // hk: wave-level (a row of 16 lies in one wavefront)
  out[blockIdx.x * 256 + ty * 16 + tx] = tile[ty][15 - tx];
}

static __global__ void columns_16(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 16 + tx];
  __syncthreads(); // hk: lds-only (a column runs through four wavefronts)
  out[blockIdx.x * 256 + ty * 16 + tx] = tile[15 - ty][tx];
}

static __global__ void row_groups_16(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 16 + tx];
  __syncthreads(); // hk: wave-level (rows 4k..4k+3 are one wavefront)
  out[blockIdx.x * 256 + ty * 16 + tx] = tile[ty ^ 3][tx];
}

static __global__ void row_groups_16_wider(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 16 + tx];
  __syncthreads(); // hk: lds-only (rows y and y^4 are in two wavefronts)
  out[blockIdx.x * 256 + ty * 16 + tx] = tile[ty ^ 4][tx];
}

static __global__ void next_row_16(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 16 + tx];
  __syncthreads(); // hk: lds-only (row 3 reads row 4)
  out[blockIdx.x * 256 + ty * 16 + tx] = tile[(ty + 1) & 15][tx];
}

// 32 x 8: a wavefront holds two rows.
static __global__ void row_pairs_32(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 32 + tx];
  __syncthreads(); // hk: wave-level (rows 2k and 2k+1 are one wavefront)
  out[blockIdx.x * 256 + ty * 32 + tx] = tile[ty ^ 1][31 - tx];
}

static __global__ void row_pairs_32_wider(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 32 + tx];
  __syncthreads(); // hk: lds-only (rows y and y^2 are in two wavefronts)
  out[blockIdx.x * 256 + ty * 32 + tx] = tile[ty ^ 2][tx];
}

// 24 x 8: rows straddle wavefronts.
static __global__ void rows_24(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[8][24];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 192 + ty * 24 + tx];
  __syncthreads(); // hk: lds-only (row 2 is items 48..71)
  out[blockIdx.x * 192 + ty * 24 + tx] = tile[ty][23 - tx];
}

// 64 x 4: a row is a wavefront.
static __global__ void rows_64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[4][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 64 + tx];
  __syncthreads(); // hk: wave-level (row y is wavefront y)
  out[blockIdx.x * 256 + ty * 64 + tx] = tile[ty][63 - tx];
}

// 128 x 2: a row is two.
static __global__ void rows_128(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[2][128];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[blockIdx.x * 256 + ty * 128 + tx];
  __syncthreads(); // hk: lds-only (a row is two wavefronts)
  out[blockIdx.x * 256 + ty * 128 + tx] = tile[ty][127 - tx];
}

// 4 x 64, x fastest: 16 rows of four a wavefront. People who think of y as the lane get it wrong.
static __global__ void columns_of_4x64(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[4][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[tx][ty] = in[blockIdx.x * 256 + tx * 64 + ty];
  __syncthreads(); // hk: lds-only (y runs through four wavefronts)
  out[blockIdx.x * 256 + tx * 64 + ty] = tile[tx][63 - ty];
}

// 4 x 4 x 16: a wavefront holds four z planes.
static __global__ void planes_4x4(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float cube[16][4][4];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int i = blockIdx.x * 256 + tz * 16 + ty * 4 + tx;
  cube[tz][ty][tx] = in[i];
  __syncthreads(); // hk: wave-level (a plane of 16 lies in one wavefront)
  out[i] = cube[tz][tx][ty];
}

static __global__ void plane_groups_4x4(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float cube[16][4][4];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int i = blockIdx.x * 256 + tz * 16 + ty * 4 + tx;
  cube[tz][ty][tx] = in[i];
  __syncthreads(); // hk: lds-only (planes z and z^4 are in two wavefronts)
  out[i] = cube[tz ^ 4][ty][tx];
}

// The linear id by hand, in launch order and in the other order.
static __global__ void linear_by_rows(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int id = threadIdx.y * blockDim.x + threadIdx.x;
  s[id] = in[blockIdx.x * 256 + id];
  __syncthreads(); // hk: wave-level (bit 5 of the linear id changes)
  out[blockIdx.x * 256 + id] = s[id ^ 32];
}

static __global__ void linear_by_columns(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int id = threadIdx.x * blockDim.y + threadIdx.y;
  s[id] = in[blockIdx.x * 256 + id];
  __syncthreads(); // hk: lds-only (bit 2 of this id is bit 2 of y: bit 6 of the linear id)
  out[blockIdx.x * 256 + id] = s[id ^ 4];
}

static __global__ void linear_by_columns_near(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int id = threadIdx.x * blockDim.y + threadIdx.y;
  s[id] = in[blockIdx.x * 256 + id];
  __syncthreads(); // hk: wave-level (bit 4 of this id is bit 0 of x)
  out[blockIdx.x * 256 + id] = s[id ^ 16];
}

// One LDS row for all rows of the block: everybody in a column writes the same slot.
static __global__ void forgot_y(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float row[64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  row[tx] = in[blockIdx.x * 256 + ty * 64 + tx]; // hk: race (four wavefronts write row[tx])
  __syncthreads(); // hk: lds-only (item (tx, 0) may read what item (tx, 3) wrote)
  out[blockIdx.x * 256 + ty * 64 + tx] = row[tx];
}

void launch_blocks(const float *in, float *out) {
  rows_16<<<4, dim3(16, 16)>>>(in, out);
  columns_16<<<4, dim3(16, 16)>>>(in, out);
  row_groups_16<<<4, dim3(16, 16)>>>(in, out);
  row_groups_16_wider<<<4, dim3(16, 16)>>>(in, out);
  next_row_16<<<4, dim3(16, 16)>>>(in, out);
  row_pairs_32<<<4, dim3(32, 8)>>>(in, out);
  row_pairs_32_wider<<<4, dim3(32, 8)>>>(in, out);
  rows_24<<<4, dim3(24, 8)>>>(in, out);
  rows_64<<<4, dim3(64, 4)>>>(in, out);
  rows_128<<<4, dim3(128, 2)>>>(in, out);
  columns_of_4x64<<<4, dim3(4, 64)>>>(in, out);
  planes_4x4<<<4, dim3(4, 4, 16)>>>(in, out);
  plane_groups_4x4<<<4, dim3(4, 4, 16)>>>(in, out);
  linear_by_rows<<<4, dim3(16, 16)>>>(in, out);
  linear_by_columns<<<4, dim3(16, 16)>>>(in, out);
  linear_by_columns_near<<<4, dim3(16, 16)>>>(in, out);
  forgot_y<<<4, dim3(64, 4)>>>(in, out);
}
