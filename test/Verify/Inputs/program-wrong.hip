// Differs from ../program.hip.
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void mirrored(float *a, const float *b) {
  __shared__ float s[256];
  const int base = blockIdx.x * 256;
  s[threadIdx.x] = b[base + 255 - threadIdx.x];
  __syncthreads();
  a[base + threadIdx.x] = s[threadIdx.x];
}

__global__ void increment(float *a) {
  __syncthreads();
  a[blockIdx.x * 256 + threadIdx.x] += 1.5f;
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 1;
  const bool same = argc > 2;
  float *a, *b;
  std::vector<float> host(1024);
  for (int i = 0; i < 1024; ++i)
    host[i] = float(i);
  (void)hipMalloc(&a, 4096);
  (void)hipMalloc(&b, 4096);
  (void)hipMemcpy(a, host.data(), 4096, hipMemcpyHostToDevice);
  (void)hipMemcpy(b, host.data(), 4096, hipMemcpyHostToDevice);
  if (argc > 2 && argv[2][0] == 'w')
    a += 100000;
  for (int i = 0; i < times; ++i) {
    mirrored<<<4, 256>>>(a, same ? a : b);
    increment<<<4, 256>>>(a);
  }
  (void)hipMemcpy(host.data(), a, 4096, hipMemcpyDeviceToHost);
  std::printf("time %lld\n", (long long)std::chrono::steady_clock::now().time_since_epoch().count());
  std::printf("first %g last %g\n", host[0], host[1023]);
  return 0;
}

