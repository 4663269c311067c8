// A 7-point stencil on a cube with the slowest index on threadIdx.x.
// Arguments: nz ny nx. Simulated: 18 18 128. Uneven: 20 18 22. GPU: 384 384 384
#include "common.h"

__global__ void stencil(const float *in, float *out, int nz, int ny, int nx) {
  const int z = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = blockIdx.z * blockDim.z + threadIdx.z;
  if (z < 1 || y < 1 || x < 1 || z >= nz - 1 || y >= ny - 1 || x >= nx - 1)
    return;
  const int i = (z * ny + y) * nx + x;
  out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - ny * nx] + in[i + ny * nx]);
}

int main(int argc, char **argv) {
  Bench bench(argc, argv, {20, 18, 22});
  const int nz = bench[0], ny = bench[1], nx = bench[2];
  const auto values = noiseVector(size_t(nz) * ny * nx);
  Device<float> in(values), out(std::vector<float>(values.size(), 3.0f));
  const dim3 block(8, 8, 4), grid(blocksFor(nz, 8), blocksFor(ny, 8), blocksFor(nx, 4));
  while (bench.next())
    stencil<<<grid, block>>>(in, out, nz, ny, nx);
  return bench.check(out.host(), [&](size_t i) {
    const long x = long(i % nx), y = long(i / nx % ny), z = long(i / nx / ny), plane = long(ny) * nx;
    if (z < 1 || y < 1 || x < 1 || z >= nz - 1 || y >= ny - 1 || x >= nx - 1)
      return 3.0;
    const float *at = &values[i];
    return 0.4 * at[0] + 0.1 * (double(at[-1]) + at[1] + at[-nx] + at[nx] + at[-plane] + at[plane]);
  }, 1e-6);
}
