// Device memory of the tests, and the operands of the interface made from it.
#pragma once

#include "hk_kernels.h"

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

inline int Failures = 0;

inline void check(bool Holds, const char *What) {
  if (Holds)
    return;
  std::printf("FAILED: %s\n", What);
  ++Failures;
}

inline void must(hipError_t Error) {
  if (Error == hipSuccess)
    return;
  std::printf("FAILED: %s\n", hipGetErrorString(Error));
  std::exit(1);
}

inline void started(int Error) {
  if (!Error)
    return must(hipDeviceSynchronize());
  std::printf("FAILED: %d, %s\n", Error, hk_last_message());
  std::exit(1);
}

inline uint16_t toBF16(float Value) {
  uint32_t Bits;
  std::memcpy(&Bits, &Value, 4);
  return uint16_t((Bits + 0x7fff + (Bits >> 16 & 1)) >> 16);
}
inline float fromBF16(uint16_t Word) {
  const uint32_t Bits = uint32_t(Word) << 16;
  float Value;
  std::memcpy(&Value, &Bits, 4);
  return Value;
}

/// E4M3FNUZ, from its definition.
inline float fromE4M3FNUZ(uint8_t Byte) {
  if (Byte == 0x80)
    return NAN;
  const int Exponent = Byte >> 3 & 15, Mantissa = Byte & 7;
  const float Magnitude = Exponent ? std::ldexp(1.0f + float(Mantissa) / 8, Exponent - 8)
                                   : std::ldexp(float(Mantissa) / 8, -7);
  return Byte & 0x80 ? -Magnitude : Magnitude;
}

template <class T> class Device {
public:
  explicit Device(size_t Count) : Count(Count) {
    must(hipMalloc(reinterpret_cast<void **>(&Data), Count * sizeof(T)));
  }
  explicit Device(const std::vector<T> &Host) : Device(Host.size()) {
    must(hipMemcpy(Data, Host.data(), Count * sizeof(T), hipMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  ~Device() { must(hipFree(Data)); }
  std::vector<T> host() const {
    std::vector<T> Host(Count);
    must(hipMemcpy(Host.data(), Data, Count * sizeof(T), hipMemcpyDeviceToHost));
    return Host;
  }
  T *data() const { return Data; }

private:
  size_t Count;
  T *Data = nullptr;
};

/// Values that differ, about -2 to 2.
inline std::vector<float> values(size_t Count, int Seed) {
  std::vector<float> All(Count);
  for (size_t N = 0; N < Count; ++N)
    All[N] = float(int((N * 37 + size_t(Seed) * 101) % 257) - 128) / 64.0f;
  return All;
}
inline std::vector<uint16_t> asBF16(const std::vector<float> &From) {
  std::vector<uint16_t> All;
  for (float Value : From)
    All.push_back(toBF16(Value));
  return All;
}

inline void near(double Is, double Should, double Tolerance, const char *What) {
  if (std::fabs(Is - Should) <= Tolerance * (std::fabs(Should) + 1e-3))
    return;
  std::printf("FAILED: %s: %.9g, not %.9g\n", What, Is, Should);
  ++Failures;
}

inline int finish() {
  if (!Failures)
    std::puts("all passed");
  return Failures != 0;
}
