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
