//===- device.h - What the tests of the formats share ---------------------===//
#pragma once

#include "hk/platform.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#if HK_NVIDIA
#define hipFree cudaFree
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipGetLastError cudaGetLastError
#define hipDeviceSynchronize cudaDeviceSynchronize
#endif

namespace test {

inline int failures = 0;

inline void check(hipError_t error) {
  if (error != hipSuccess) {
    std::printf("HIP error %d\n", int(error));
    std::exit(2);
  }
}

/// Memory of the device with a copy on the host.
template <class T> class Buffer {
public:
  explicit Buffer(const std::vector<T> &data) : host(data) {
    check(hipMalloc(&device, host.size() * sizeof(T)));
    check(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Buffer() { check(hipFree(device)); }
  Buffer(const Buffer &) = delete;
  const std::vector<T> &fetch() {
    check(hipMemcpy(host.data(), device, host.size() * sizeof(T), hipMemcpyDeviceToHost));
    return host;
  }
  T *device;
  std::vector<T> host;
};

inline int finish() {
  if (failures)
    std::printf("%d wrong\n", failures);
  else
    std::printf("all passed\n");
  return failures != 0;
}

} // namespace test
