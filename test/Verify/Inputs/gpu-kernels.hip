#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

__device__ int total = 5;

__global__ void nested(int **rows) {
  int row = blockIdx.x, i = threadIdx.x;
  rows[row][i] = 1;
}

__global__ void counted(int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    out[0] = total = total + 1;
}

__global__ void waits(int *sums, const int *in) {
  auto grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = in[i];
  grid.sync();
  int next = (i + blockDim.x) % (gridDim.x * blockDim.x);
  int other = sums[next];
  grid.sync();
  sums[i] += other;
}

// hk-launch: nested: grid=4 block=64
// hk-launch: counted: grid=2 block=64
// hk-launch: waits: grid=3 block=64
