// One access a line, or one struct; whole wavefronts, and objects and pitches that are multiples of a line.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <vector>

struct Three {
  float a, b, c;
};

static __global__ void along_x(const float *x, const double *d, const uint8_t *bytes, const float4 *quads, const Three *threes,
                               float *out, double *wide, int pitch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = x[i];
  sum += x[i + 1];
  sum += x[n - 1 - i];
  sum += x[2 * i];
  sum += x[i * 4];
  sum += x[i * 32];
  sum += x[i * pitch];
  sum += bytes[i];
  sum += bytes[3 * i];
  sum += bytes[pitch * i];
  const float4 q = quads[i];
  sum += q.x * q.y + q.z * q.w;
  const Three t = threes[i];
  sum += t.a * t.b + t.c;
  const double w = d[i];
  out[i] = sum;
  out[(i + 4096) * 2] = sum;
  wide[i] = w + d[pitch * i];
}

static __global__ void square(const float *in, float *out, int pitch) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float along = in[y * pitch + x];
  const float across = in[x * pitch + y];
  out[x * pitch + y] = along;
  out[(y + 64) * pitch + x] = across;
}

static __global__ void slices(float *out, int pitch) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * 4 + y) * pitch + x] = x;
  out[(x * 4 + y) * pitch + z + 1024 * pitch] = y;
}

template <class T> T *memory(size_t n) {
  T *p = nullptr;
  if (hipMalloc(reinterpret_cast<void **>(&p), n * sizeof(T)) != hipSuccess ||
      hipMemset(p, 0, n * sizeof(T)) != hipSuccess)
    exit(1);
  return p;
}

int main() {
  const int n = 512, pitch = 64;
  const size_t size = 1 << 20;
  along_x<<<n / 256, 256>>>(memory<float>(size), memory<double>(size), memory<uint8_t>(size), memory<float4>(size),
                            memory<Three>(size), memory<float>(size), memory<double>(size), 4 * pitch, n);
  square<<<dim3(4, 4), dim3(16, 16)>>>(memory<float>(size), memory<float>(size), pitch);
  slices<<<1, dim3(8, 4, 8)>>>(memory<float>(size), pitch);
  return hipDeviceSynchronize() != hipSuccess;
}
