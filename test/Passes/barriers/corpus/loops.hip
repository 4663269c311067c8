// Loops: what one turn leaves for the next.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void tile_loop(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    tile[t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (everybody reads the whole tile)
    for (int j = 0; j < 256; ++j)
      acc += tile[j];
    __syncthreads(); // hk: lds-only (the next tile overwrites what others still read)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// out may be in: one of the two barriers orders the last loads before the stores.
static __global__ void tile_loop_may_alias(const float *in, float *out, int tiles) {
  // hk-require: needed >= 1
  __shared__ float tile[256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    tile[t] = in[k * 256 + t];
    __syncthreads(); // hk: needed|lds-only (everybody reads the whole tile)
    for (int j = 0; j < 256; ++j)
      acc += tile[j];
    __syncthreads(); // hk: needed|lds-only (the next tile overwrites what others still read)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// The tile is read only by its own wavefront.
static __global__ void tile_loop_by_wave(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float tile[256];
  const int t = threadIdx.x, first = t & ~63;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    tile[t] = in[k * 256 + t];
    __syncthreads(); // hk: wave-level (64 slots a wavefront)
    for (int j = 0; j < 64; ++j)
      acc += tile[first + j];
    __syncthreads(); // hk: wave-level (64 slots a wavefront, in the next turn too)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Scratch in global memory, reused every turn.
static __global__ void scratch_loop(float *__restrict__ scratch, float *__restrict__ out, int turns) {
  const int t = threadIdx.x;
  float *mine = scratch + blockIdx.x * 256;
  float acc = 0.0f;
  for (int k = 0; k < turns; ++k) {
    mine[t] = sqrtf(t + k);
    __syncthreads(); // hk: needed (item t reads what its mirror item wrote)
    acc += mine[255 - t];
    __syncthreads(); // hk: needed (the next turn overwrites what the mirror item reads)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// A slice a turn: nothing is written twice.
static __global__ void slice_a_turn(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[8][256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < 8; ++k) {
    s[k][t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[k][255 - t];
    __syncthreads(); // hk: redundant (the next turn writes the next slice)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Two turns a slice: now the second turn overwrites the first's.
static __global__ void slice_for_two_turns(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[4][256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < 8; ++k) {
    s[k / 2][t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[k / 2][255 - t];
    __syncthreads(); // hk: lds-only (turns 2m and 2m+1 share a slice)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Slices that overlap by half.
static __global__ void slices_half_over(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[8 * 256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < 8; ++k) {
    s[k * 128 + t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[k * 128 + 255 - t];
    __syncthreads(); // hk: lds-only (item 127 reads slot 128 of this slice, item 0 writes it as slot 0 of the next)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Slices that share two slots with the next.
static __global__ void slices_two_over(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[8 * 256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < 8; ++k) {
    s[k * 254 + t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[k * 254 + 255 - t];
    __syncthreads(); // hk: wave-level (item 1 reads slot 254 of this slice, item 0 writes it as slot 0 of the next)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Slices that share one slot with the next.
static __global__ void slices_one_over(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[8 * 256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < 8; ++k) {
    s[k * 255 + t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[k * 255 + 255 - t];
    __syncthreads(); // hk: redundant (item 0 reads slot 255 of this slice, and item 0 writes it as slot 0 of the next)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// The tree inside a row loop; only item 0 looks at the result.
static __global__ void rows_result_for_one(const float *__restrict__ in, float *__restrict__ out, int rows) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  for (int r = 0; r < rows; ++r) {
    s[t] = in[r * 256 + t];
    __syncthreads(); // hk: lds-only (the tree reads other items' values)
    for (int d = 128; d > 0; d >>= 1) {
      if (t < d)
        s[t] += s[t + d];
      __syncthreads(); // hk: lds-only (the next step reads other items' sums)
    }
    if (t == 0)
      out[r] = s[0];
    __syncthreads(); // hk: redundant (item 0 reads s[0], and item 0 overwrites it)
  }
}

// Everybody looks at the result.
static __global__ void rows_result_for_all(const float *__restrict__ in, float *__restrict__ out, int rows) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  for (int r = 0; r < rows; ++r) {
    s[t] = in[r * 256 + t];
    __syncthreads(); // hk: lds-only (the tree reads other items' values)
    for (int d = 128; d > 0; d >>= 1) {
      if (t < d)
        s[t] += s[t + d];
      __syncthreads(); // hk: lds-only (the next step, and the result, read other items' sums)
    }
    out[r * 256 + t] = in[r * 256 + t] / s[0];
    __syncthreads(); // hk: lds-only (everybody reads s[0], item 0 overwrites it)
  }
}

// A shift register across the block.
static __global__ void shift_register(const float *__restrict__ in, float *__restrict__ out, int turns) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  for (int k = 0; k < turns; ++k) {
    __syncthreads(); // hk: lds-only (the neighbour's new value is read)
    const float v = s[(t + 1) & 255];
    __syncthreads(); // hk: lds-only (the neighbour still reads the old value)
    s[t] = v;
  }
  out[blockIdx.x * 256 + t] = s[t];
}

// The barrier is skipped in the last turn only.
static __global__ void not_in_the_last_turn(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    s[t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[255 - t];
    if (k + 1 < tiles)
      __syncthreads(); // hk: lds-only (the next tile overwrites what the mirror item reads)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Every fourth turn, the same for all.
static __global__ void every_fourth_turn(const float *__restrict__ in, float *__restrict__ out, int turns) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = 0.0f;
  for (int k = 0; k < turns; ++k) {
    s[t] += in[k * 256 + t];
    if (k % 4 == 3) {
      __syncthreads(); // hk: lds-only (item t reads its mirror item)
      out[k / 4 * 256 + t] = s[255 - t];
      __syncthreads(); // hk: lds-only (the slot is cleared while the mirror item may read it)
      s[t] = 0.0f;
    }
  }
}

// Two loops without a barrier inside, one barrier between: the counters have nothing to do with each other.
static __global__ void fill_then_walk(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    s[k * 256 + t] = in[k * 256 + t];
  __syncthreads(); // hk: lds-only (slot j was filled by item j mod 256)
  float acc = 0.0f;
  for (int j = 0; j <= t; ++j)
    acc += s[4 * j];
  out[blockIdx.x * 256 + t] = acc;
}

// Down-counting, by two, with a do-while.
static __global__ void down_by_two(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float s[2][256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  int k = tiles;
  do {
    s[0][t] = in[k * 256 + t];
    s[1][t] = in[(k - 1) * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[0][255 - t] + s[1][255 - t];
    __syncthreads(); // hk: lds-only (the next turn overwrites what the mirror item reads)
    k -= 2;
  } while (k > 0);
  out[blockIdx.x * 256 + t] = acc;
}

// Two halves of one global buffer, swapped every turn: one barrier a turn, and that is needed.
static __global__ void two_halves_in_turn(float *u, int turns) {
  const int t = threadIdx.x;
  float *mine = u + blockIdx.x * 512;
  for (int k = 0; k < turns; ++k) {
    const float *from = mine + (k & 1) * 256;
    float *to = mine + ((k + 1) & 1) * 256;
    to[t] = 0.5f * (from[t] + from[(t + 1) & 255]);
    __syncthreads(); // hk: needed (the next turn reads the neighbour's result in global memory)
  }
}

void launch_loops(const float *in, float *out, float *scratch, float *u) {
  tile_loop<<<2, 256>>>(in, out, 4);
  tile_loop_may_alias<<<2, 256>>>(in, out, 4);
  tile_loop_by_wave<<<2, 256>>>(in, out, 4);
  scratch_loop<<<2, 256>>>(scratch, out, 4);
  slice_a_turn<<<2, 256>>>(in, out);
  slice_for_two_turns<<<2, 256>>>(in, out);
  slices_half_over<<<2, 256>>>(in, out);
  slices_two_over<<<2, 256>>>(in, out);
  slices_one_over<<<2, 256>>>(in, out);
  rows_result_for_one<<<1, 256>>>(in, out, 4);
  rows_result_for_all<<<1, 256>>>(in, out, 4);
  shift_register<<<2, 256>>>(in, out, 4);
  not_in_the_last_turn<<<2, 256>>>(in, out, 4);
  every_fourth_turn<<<1, 256>>>(in, out, 8);
  fill_then_walk<<<2, 256>>>(in, out);
  down_by_two<<<2, 256>>>(in, out, 4);
  two_halves_in_turn<<<2, 256>>>(u, 4);
}
