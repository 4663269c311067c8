// The program's own floating-point mode, which -ffast-math and others set, is not that of its kernels: neither in the
// thread that launches nor in others.
// RUN: %hip-sim-build -DMODE=0x8040 %s -o %t.flush && hk-sim %t.flush && hk-sim --threads=1 %t.flush
// RUN: %hip-sim-build -DMODE=0x6000 %s -o %t.zero && hk-sim %t.zero && hk-sim --threads=1 %t.zero
// RUN: %hip-sim-build -DTRAPS %s -o %t.traps && hk-sim %t.traps && hk-sim --threads=1 %t.traps
#include <hip/hip_runtime.h>

#include <cstdio>
#include <xmmintrin.h>

__global__ void compute(float *out, float tiny, float third, float zero) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i % 3 == 0 ? tiny * 0.5f : i % 3 == 1 ? third * 1.1f : 1.0f / zero;
  out[i] = x;
}

int main() {
  constexpr int N = 64 * 64;
  float *out, host[N];
  if (hipMalloc(&out, sizeof(host)) != hipSuccess)
    return 1;
  float tiny = 1.5e-38f, third = 0.3333333f, zero = 0;
  volatile float halved = tiny, more = third;
  halved = halved * 0.5f;
  more = more * 1.1f;
#if defined(TRAPS)
  unsigned mode = _mm_getcsr() & ~0x680u; // invalid, division by zero, overflow
#else
  unsigned mode = _mm_getcsr() | MODE;
#endif
  unsigned old = _mm_getcsr();
  _mm_setcsr(mode);
  compute<<<N / 64, 64>>>(out, tiny, third, zero);
  hipError_t error = hipDeviceSynchronize();
  unsigned after = _mm_getcsr();
  _mm_setcsr(old);
  if (error != hipSuccess || (after & ~0x3fu) != (mode & ~0x3fu))
    return 2;
  if (hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess)
    return 3;
  for (int i = 0; i < N; ++i) {
    float want = i % 3 == 0 ? halved : i % 3 == 1 ? more : __builtin_inff();
    if (host[i] != want) {
      std::printf("%d: %g, not %g\n", i, host[i], want);
      return 4;
    }
  }
  return 0;
}
