// Barriers by cooperative groups.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

static __global__ void block_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  cg::thread_block block = cg::this_thread_block();
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  block.sync(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

static __global__ void free_function_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  cg::sync(block); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

static __global__ void temporary_block_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  cg::this_thread_block().sync(); // hk: wave-level (t and t^63 share a wavefront)
  out[blockIdx.x * 256 + t] = s[t ^ 63];
}

static __global__ void block_sync_own(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  cg::thread_block block = cg::this_thread_block();
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  block.sync(); // hk: redundant (item t's own slot)
  out[blockIdx.x * 256 + t] = s[t];
}

static __global__ void block_sync_global(float *data) {
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  const float v = data[blockIdx.x * 256 + t];
  block.sync(); // hk: needed (item t overwrites what its mirror item reads)
  data[blockIdx.x * 256 + 255 - t] = v;
}

// A mixed pair: two spellings of one barrier.
static __global__ void mixed_spellings(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (the next line is the same barrier)
  block.sync();    // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

static __global__ void reduce_by_group(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[256];
  const cg::thread_block block = cg::this_thread_block();
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  block.sync(); // hk: lds-only (the tree reads other items' values)
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    block.sync(); // hk: lds-only (step 64 reads what wavefront 1 wrote)
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// A tile of a wavefront: its sync is a fence, not a barrier of the workgroup.
// hk-insertion: none
static __global__ void tile_sync(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];          // hk: maybe-race
  tile.sync();                              // hk: any|none
  out[blockIdx.x * 256 + t] = s[t ^ 1];     // hk: maybe-race
}

// The whole grid.
// hk-insertion: none
static __global__ void grid_sync(float *data, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  data[i] *= 2.0f;              // hk: maybe-race
  cg::this_grid().sync();       // hk: any|none
  data[i] += data[n - 1 - i];   // hk: maybe-race
}

void launch_cooperative_groups(const float *in, float *out, float *data, int n) {
  block_sync<<<4, 256>>>(in, out);
  free_function_sync<<<4, 256>>>(in, out);
  temporary_block_sync<<<4, 256>>>(in, out);
  block_sync_own<<<4, 256>>>(in, out);
  block_sync_global<<<4, 256>>>(data);
  mixed_spellings<<<4, 256>>>(in, out);
  reduce_by_group<<<4, 256>>>(in, out);
  tile_sync<<<4, 256>>>(in, out);
  grid_sync<<<4, 256>>>(data, n);
}
