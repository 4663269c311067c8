// Several barriers between the same accesses: which may go together, and which one stays.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

static __global__ void two_in_a_row(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (the next line is the same barrier)
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

static __global__ void three_in_a_row(float *data) {
  const int t = threadIdx.x;
  float v = data[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (two more follow)
  v += 1.0f;
  __syncthreads(); // hk: redundant (one more follows, and registers are nobody else's)
  v *= 2.0f;
  __syncthreads(); // hk: needed (item t overwrites what its mirror item reads)
  data[blockIdx.x * 256 + 255 - t] = v;
}

// Each may go alone; both may not.
static __global__ void either_not_both(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (what lies between the two is item t's own)
  const float own = s[t];
  __syncthreads(); // hk: lds-only (with the first gone, it alone orders the mirror item's read)
  out[blockIdx.x * 256 + t] = own + s[255 - t];
}

// The same in global memory.
static __global__ void either_not_both_global(float *__restrict__ scratch, float *__restrict__ out) {
  const int t = threadIdx.x, base = blockIdx.x * 256;
  scratch[base + t] = sqrtf(t);
  __syncthreads(); // hk: redundant (what lies between the two is item t's own)
  const float own = scratch[base + t];
  __syncthreads(); // hk: needed (with the first gone, it alone orders the mirror item's read)
  out[base + t] = own + scratch[base + 255 - t];
}

// The first orders both reads; the second has only reads on either side.
static __global__ void ordered_already(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (the mirror item's value is read right after it)
  const float v = s[255 - t];
  __syncthreads(); // hk: redundant (s was written before the first barrier)
  out[blockIdx.x * 256 + t] = v + s[(t + 1) & 255];
}

// Two writes, one barrier for both is enough: the later.
static __global__ void one_for_two_writes(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float a[256];
  __shared__ float b[256];
  const int t = threadIdx.x;
  a[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (a is read only after the next barrier)
  b[t] = 1.0f;
  __syncthreads(); // hk: lds-only (a and b are read in mirror order)
  out[blockIdx.x * 256 + t] = a[255 - t] + b[255 - t];
}

// Two reads with a write between: all three stay.
static __global__ void three_that_stay(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (read after write)
  const float v = s[255 - t];
  __syncthreads(); // hk: lds-only (write after read)
  s[t] = 2.0f * v;
  __syncthreads(); // hk: lds-only (read after write)
  out[blockIdx.x * 256 + t] = s[(t + 128) & 255];
}

static __global__ void doubled_in_the_middle(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (read after write)
  const float v = s[255 - t];
  __syncthreads(); // hk: redundant (the next line is the same barrier)
  __syncthreads(); // hk: lds-only (write after read)
  s[t] = 2.0f * v;
  out[blockIdx.x * 256 + t] = s[t];
}

// A near exchange, then a far one, of one write: the pair across wavefronts is ordered twice.
static __global__ void near_then_far(const float *__restrict__ in, float *__restrict__ out) {
  // hk-require: lds-only >= 1
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only|wave-level (the partner in the wavefront reads right after it)
  const float v = s[t ^ 1];
  __syncthreads(); // hk: redundant|lds-only (the mirror item's read; redundant if the first stays a barrier)
  out[blockIdx.x * 256 + t] = v + s[255 - t];
}

// A barrier at the top of the body and one at the bottom meet round the back edge: one of them is too many.
static __global__ void top_and_bottom(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  // hk-require: redundant == 1
  __shared__ float s[256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    __syncthreads(); // hk: redundant|lds-only (write after read round the back edge, with the one at the bottom)
    s[t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[255 - t];
    __syncthreads(); // hk: redundant|lds-only (write after read round the back edge, with the one at the top)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// The barrier after the loop repeats the last one in it.
static __global__ void after_the_loop(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    s[t] = in[k * 256 + t];
    __syncthreads(); // hk: lds-only (item t reads its mirror item)
    acc += s[255 - t];
    __syncthreads(); // hk: lds-only (the next tile overwrites what the mirror item reads)
  }
  __syncthreads(); // hk: redundant (the barrier at the end of the body was just passed)
  s[t] = acc;
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// The first barrier may be skipped, the second not.
static __global__ void first_under_condition(const float *__restrict__ in, float *__restrict__ out, int mode) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  if (mode)
    __syncthreads(); // hk: redundant (another one follows on every path)
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// The second may be skipped: the first has to stay.
static __global__ void second_under_condition(const float *__restrict__ in, float *__restrict__ out, int mode) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (without `mode` it is the only one)
  if (mode)
    __syncthreads(); // hk: redundant (the one before is passed on every path)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// One in each branch, one after both.
static __global__ void branches_and_after(const float *__restrict__ in, float *__restrict__ out, int mode) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (mode) {
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads(); // hk: redundant (another one follows)
  } else {
    s[t] = 1.0f;
    __syncthreads(); // hk: redundant (another one follows)
  }
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// One in each branch, none after: both stay.
static __global__ void branches_only(const float *__restrict__ in, float *__restrict__ out, int mode) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (mode) {
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads(); // hk: lds-only (the only one on this path)
  } else {
    s[t] = 1.0f;
    __syncthreads(); // hk: lds-only (the only one on this path)
  }
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// In the loop only reads happen: one barrier before it serves all turns.
static __global__ void reads_in_a_loop(const float *__restrict__ in, float *__restrict__ out, int turns) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (the loop reads other items' values)
  float acc = 0.0f;
  for (int k = 0; k < turns; ++k) {
    acc += s[(t + k + 1) & 255];
    __syncthreads(); // hk: redundant (nothing is written any more)
  }
  out[blockIdx.x * 256 + t] = acc;
}

// Here the barrier before the loop is the one too many: the body begins with its own, and nothing reads s without it.
static __global__ void barrier_begins_body(const float *__restrict__ in, float *__restrict__ out, int turns) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  float acc = 0.0f;
  __syncthreads(); // hk: redundant (the body begins with a barrier)
  for (int k = 0; k < turns; ++k) {
    __syncthreads(); // hk: lds-only (the neighbour's new value is read)
    const float v = s[(t + 1) & 255];
    __syncthreads(); // hk: lds-only (the neighbour still reads the old value)
    s[t] = v;
    acc += v;
  }
  out[blockIdx.x * 256 + t] = acc;
}

void launch_sets(const float *in, float *out, float *data, float *scratch) {
  two_in_a_row<<<4, 256>>>(in, out);
  three_in_a_row<<<4, 256>>>(data);
  either_not_both<<<4, 256>>>(in, out);
  either_not_both_global<<<4, 256>>>(scratch, out);
  ordered_already<<<4, 256>>>(in, out);
  one_for_two_writes<<<4, 256>>>(in, out);
  three_that_stay<<<4, 256>>>(in, out);
  doubled_in_the_middle<<<4, 256>>>(in, out);
  near_then_far<<<4, 256>>>(in, out);
  top_and_bottom<<<1, 256>>>(in, out, 4);
  after_the_loop<<<1, 256>>>(in, out, 4);
  first_under_condition<<<4, 256>>>(in, out, 1);
  second_under_condition<<<4, 256>>>(in, out, 1);
  branches_and_after<<<4, 256>>>(in, out, 1);
  branches_only<<<4, 256>>>(in, out, 1);
  reads_in_a_loop<<<4, 256>>>(in, out, 4);
  barrier_begins_body<<<4, 256>>>(in, out, 4);
}
