// Large elements of a volume, with x on threadIdx.z.
#include <hip/hip_runtime.h>

__global__ void clamped(const float *in, float *out, int nz, int ny, int nx, float most) {
  const int z = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = blockIdx.z * blockDim.z + threadIdx.z;
  if (z >= nz || y >= ny || x >= nx)
    return;
  const int i = (z * ny + y) * nx + x;
  if (in[i] > most)
    out[i] = most;
}

void run(const float *in, float *out, int n) { clamped<<<dim3(n / 8, n / 8, n / 4), dim3(8, 8, 4)>>>(in, out, n, n, n, 2.0f); }
