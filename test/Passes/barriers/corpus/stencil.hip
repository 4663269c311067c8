// Stencils in two and three dimensions, in LDS and in global memory, and wavefronts of a dynamic program.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void five_points(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  __shared__ float tile[18][18];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  const int cx = min(x, w - 1), cy = min(y, h - 1);
  tile[ty + 1][tx + 1] = in[cy * w + cx];
  if (tx == 0)
    tile[ty + 1][0] = in[cy * w + max(cx - 1, 0)];
  if (tx == 15)
    tile[ty + 1][17] = in[cy * w + min(cx + 1, w - 1)];
  if (ty == 0)
    tile[0][tx + 1] = in[max(cy - 1, 0) * w + cx];
  if (ty == 15)
    tile[17][tx + 1] = in[min(cy + 1, h - 1) * w + cx];
  __syncthreads(); // hk: lds-only (row 4 reads rows 3 and 5: other wavefronts)
  if (x < w && y < h)
    out[y * w + x] = 0.2f * (tile[ty + 1][tx + 1] + tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] +
                             tile[ty + 1][tx + 2]);
}

// Neighbours in x only: a row of 16 lies in one wavefront.
static __global__ void three_points_in_x(const float *__restrict__ in, float *__restrict__ out, int w) {
  __shared__ float tile[16][18];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = (blockIdx.y * 16 + ty) * w + blockIdx.x * 16 + tx;
  tile[ty][tx + 1] = in[i];
  if (tx == 0)
    tile[ty][0] = tile[ty][17] = 0.0f;
  __syncthreads(); // hk: wave-level (rows are not mixed, and four of them make a wavefront)
  out[i] = tile[ty][tx] + tile[ty][tx + 1] + tile[ty][tx + 2];
}

// Planes of a volume one after the other, the plane's neighbours through LDS. The extents are arguments: with a small
// one, elements of two planes may be one, and one barrier has to order their stores.
static __global__ void march_in_z(const float *__restrict__ in, float *__restrict__ out, int w, int h, int d) {
  // hk-require: needed >= 1
  __shared__ float plane[18][18];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int i = (blockIdx.y * 16 + threadIdx.y) * w + blockIdx.x * 16 + threadIdx.x;
  float below = 0.0f, here = in[i];
  for (int z = 0; z + 1 < d; ++z) {
    const float above = in[(z + 1) * w * h + i];
    plane[ty][tx] = here;
    if (ty == 1)
      plane[0][tx] = plane[17][tx] = 0.0f;
    if (tx == 1)
      plane[ty][0] = plane[ty][17] = 0.0f;
    __syncthreads(); // hk: needed|lds-only (neighbours in y are in other wavefronts)
    out[z * w * h + i] = above + below + plane[ty - 1][tx] + plane[ty + 1][tx] + plane[ty][tx - 1] + plane[ty][tx + 1];
    below = here;
    here = above;
    __syncthreads(); // hk: needed|lds-only (the next plane overwrites what neighbours still read)
  }
}

// Several steps on a tile that stays in LDS.
static __global__ void heat_in_lds(const float *__restrict__ in, float *__restrict__ out, int steps) {
  __shared__ float u[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  u[ty][tx] = in[blockIdx.x * 256 + ty * 16 + tx];
  for (int k = 0; k < steps; ++k) {
    __syncthreads(); // hk: lds-only (neighbours' new values are read)
    const float up = u[(ty + 15) & 15][tx], down = u[(ty + 1) & 15][tx];
    const float left = u[ty][(tx + 15) & 15], right = u[ty][(tx + 1) & 15];
    __syncthreads(); // hk: lds-only (neighbours still read the old values)
    u[ty][tx] = 0.25f * (up + down + left + right);
  }
  out[blockIdx.x * 256 + ty * 16 + tx] = u[ty][tx];
}

// One workgroup, a grid in global memory, updated in place.
static __global__ void heat_in_place(float *u, int steps) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  float *mine = u + blockIdx.x * 256;
  for (int k = 0; k < steps; ++k) {
    const float up = mine[((ty + 15) & 15) * 16 + tx], down = mine[((ty + 1) & 15) * 16 + tx];
    __syncthreads(); // hk: needed (neighbours still read the old values in global memory)
    mine[ty * 16 + tx] = 0.5f * (up + down);
    __syncthreads(); // hk: needed (neighbours' new values are read from global memory)
  }
}

// Longest common subsequence of two pieces of 128: one anti-diagonal after the other.
static __global__ void lcs_128(const char *__restrict__ a, const char *__restrict__ b, int *__restrict__ out) {
  __shared__ short best[129][129];
  const int t = threadIdx.x;
  best[t + 1][0] = 0;
  best[0][t + 1] = 0;
  if (t == 0)
    best[0][0] = 0;
  __syncthreads(); // hk: redundant|lds-only (the first diagonal is item 0 alone, and later ones have barriers before)
  for (int d = 0; d < 255; ++d) {
    const int j = d - t;
    if (j >= 0 && j < 128)
      best[t + 1][j + 1] = a[t] == b[j] ? best[t][j] + 1 : max(best[t][j + 1], best[t + 1][j]);
    __syncthreads(); // hk: lds-only (item 64 reads what item 63 wrote on the diagonal before)
  }
  if (t == 0)
    out[blockIdx.x] = best[128][128];
}

// Pieces of 64 are a wavefront.
static __global__ void lcs_64(const char *__restrict__ a, const char *__restrict__ b, int *__restrict__ out) {
  __shared__ short best[65][65];
  const int t = threadIdx.x;
  best[t + 1][0] = 0;
  best[0][t + 1] = 0;
  if (t == 0)
    best[0][0] = 0;
  __syncthreads(); // hk: redundant|wave-level (the first diagonal is item 0 alone; the block is one wavefront)
  for (int d = 0; d < 127; ++d) {
    const int j = d - t;
    if (j >= 0 && j < 64)
      best[t + 1][j + 1] = a[t] == b[j] ? best[t][j] + 1 : max(best[t][j + 1], best[t + 1][j]);
    __syncthreads(); // hk: wave-level (the block is one wavefront)
  }
  if (t == 0)
    out[blockIdx.x] = best[64][64];
}

void launch_stencil(const float *in, float *out, float *u, const char *a, const char *b, int *lengths) {
  const dim3 square(16, 16);
  five_points<<<dim3(2, 2), square>>>(in, out, 30, 30);
  three_points_in_x<<<dim3(2, 2), square>>>(in, out, 32);
  march_in_z<<<dim3(2, 2), square>>>(in, out, 32, 32, 5);
  heat_in_lds<<<2, square>>>(in, out, 3);
  heat_in_place<<<2, square>>>(u, 3);
  lcs_128<<<1, 128>>>(a, b, lengths);
  lcs_64<<<1, 64>>>(a, b, lengths);
}
