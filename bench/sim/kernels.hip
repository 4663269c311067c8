// Kernels whose simulation is timed; see run.py.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
typedef _Float16 Half8 __attribute__((ext_vector_type(8)));

// Nothing but scalar f32 arithmetic in registers.
extern "C" __global__ void valu(float *out, int n) {
  float a = __builtin_amdgcn_workitem_id_x(), b = a * 0.5f, c = 1.0f, d = a + 3.0f;
#pragma clang loop unroll_count(8)
  for (int i = 0; i < n; ++i) {
    a = __builtin_fmaf(a, 0.5f, b);
    b = __builtin_fmaf(b, 0.25f, c);
    c = __builtin_fmaf(c, 0.5f, d);
    d = __builtin_fmaf(d, 0.125f, a);
  }
  out[__builtin_amdgcn_workitem_id_x()] = a + b + c + d;
}

// A row a workgroup, 8 numbers a load.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
rmsnorm(const Half8 *x, const Half8 *weight, Half8 *y, int n, float epsilon) {
  __shared__ float partial[4];
  int t = __builtin_amdgcn_workitem_id_x();
  x += (long)__builtin_amdgcn_workgroup_id_x() * (n / 8);
  y += (long)__builtin_amdgcn_workgroup_id_x() * (n / 8);
  float sum = 0;
  for (int i = t; i < n / 8; i += 256) {
    Half8 v = x[i];
    for (int k = 0; k < 8; ++k)
      sum += (float)v[k] * (float)v[k];
  }
  for (int m = 32; m; m >>= 1)
    sum += __builtin_bit_cast(
        float, __builtin_amdgcn_ds_bpermute(((t & 63) ^ m) << 2, __builtin_bit_cast(int, sum)));
  if ((t & 63) == 0)
    partial[t / 64] = sum;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  float scale = __builtin_amdgcn_rsqf((partial[0] + partial[1] + partial[2] + partial[3]) / n + epsilon);
  for (int i = t; i < n / 8; i += 256) {
    Half8 v = x[i], w = weight[i], o;
    for (int k = 0; k < 8; ++k)
      o[k] = (_Float16)((float)v[k] * scale * (float)w[k]);
    y[i] = o;
  }
}

// 32 x 32 numbers a workgroup, through LDS; grid (n / 32, n / 32).
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
transpose(const float *x, float *y, int n) {
  __shared__ float tile[32][33];
  int t = __builtin_amdgcn_workitem_id_x(), column = t % 32, row = t / 32;
  int x0 = __builtin_amdgcn_workgroup_id_x() * 32, y0 = __builtin_amdgcn_workgroup_id_y() * 32;
  for (int i = row; i < 32; i += 8)
    tile[i][column] = x[(long)(y0 + i) * n + x0 + column];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  for (int i = row; i < 32; i += 8)
    y[(long)(x0 + i) * n + y0 + column] = tile[column][i];
}

// Sums of 256 numbers a workgroup: a tree in LDS, repeated.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
reduce(const float *x, float *y, int repeat) {
  __shared__ float partial[256];
  int t = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
  float total = 0;
  for (int r = 0; r < repeat; ++r) {
    partial[t] = x[group * 256 + t] + r;
    for (int s = 128; s; s >>= 1) {
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_s_barrier();
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
      if (t < s)
        partial[t] += partial[t + s];
    }
    if (t == 0)
      total += partial[0];
  }
  if (t == 0)
    y[group] = total;
}

// y = x w for x of 16 x k and w of n x k, both with k contiguous: a 16 x 16 tile a wavefront.
// Which of the k's an instruction gets is the same for both sides, so the order does not matter.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemm(const _Float16 *x, const _Float16 *w, float *y, int n, int k) {
  typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
  typedef float Float4 __attribute__((ext_vector_type(4)));
  int t = __builtin_amdgcn_workitem_id_x(), lane = t % 64;
  int tile = __builtin_amdgcn_workgroup_id_x() * 4 + t / 64;
  const Half8 *a = (const Half8 *)(x + (long)(lane % 16) * k) + lane / 16;
  const Half8 *b = (const Half8 *)(w + (long)(tile * 16 + lane % 16) * k) + lane / 16;
  Float4 sum = 0;
  for (int i = 0; i < k / 8; i += 4) {
    Half8 p = a[i], q = b[i];
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(p.lo, q.lo, sum, 0, 0, 0);
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(p.hi, q.hi, sum, 0, 0, 0);
  }
  for (int i = 0; i < 4; ++i)
    y[(long)(lane / 16 * 4 + i) * n + tile * 16 + lane % 16] = sum[i];
}

// Every lane somewhere else: a gather, and atomics on LDS and on memory.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
scatter(const int *x, int *y, int mask, int repeat) {
  __shared__ int bins[256];
  unsigned t = __builtin_amdgcn_workitem_id_x();
  unsigned state = t * 2654435761u + __builtin_amdgcn_workgroup_id_x();
  bins[t] = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  for (int r = 0; r < repeat; ++r) {
    state = state * 1664525u + 1013904223u;
    int v = x[state >> 8 & mask];
    __hip_atomic_fetch_add(&bins[v + (state >> 20) & 255], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  __hip_atomic_fetch_add(&y[t], bins[t], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

extern "C" __global__ void empty() {}

// For the cost of memory: reads one, writes the other.
extern "C" __global__ void copy(const float *x, float *y, int n) {
  int step = 256 * 1024; // a grid of 1024 workgroups of 256
  for (long i = __builtin_amdgcn_workgroup_id_x() * 256 +
                __builtin_amdgcn_workitem_id_x();
       i < n; i += step)
    y[i] = x[i];
}
// The same by one workgroup alone, with no barrier in between.
extern "C" __global__ void copyalone(const float *x, float *y, int n) {
  for (int i = __builtin_amdgcn_workitem_id_x(); i < n; i += 256)
    y[i] = x[i];
}
