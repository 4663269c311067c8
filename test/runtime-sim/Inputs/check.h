// What the self-checking programs share: a failed expectation names its line, and main's result is how many
// there were.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

inline int Failures = 0;

#define EXPECT(Condition)                                                                          \
  do {                                                                                             \
    if (!(Condition)) {                                                                            \
      std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #Condition);                          \
      ++Failures;                                                                                  \
    }                                                                                              \
  } while (false)

#define OK(Call)                                                                                   \
  do {                                                                                             \
    hipError_t Error_ = (Call);                                                                    \
    if (Error_ != hipSuccess) {                                                                    \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #Call, hipGetErrorName(Error_));          \
      ++Failures;                                                                                  \
    }                                                                                              \
  } while (false)

/// The call fails with this error, and hipGetLastError tells it once.
#define FAILS(Error, Call)                                                                         \
  do {                                                                                             \
    hipError_t Error_ = (Call);                                                                    \
    if (Error_ != (Error) || hipGetLastError() != (Error) || hipGetLastError() != hipSuccess) {    \
      std::printf("%s:%d: %s gives %s, not %s\n", __FILE__, __LINE__, #Call,                       \
                  hipGetErrorName(Error_), #Error);                                                \
      ++Failures;                                                                                  \
    }                                                                                              \
  } while (false)

template <typename T> std::vector<T> fromDevice(const T *Device, size_t Count) {
  std::vector<T> Host(Count);
  OK(hipMemcpy(Host.data(), Device, Count * sizeof(T), hipMemcpyDeviceToHost));
  return Host;
}

template <typename T> T *toDevice(const std::vector<T> &Host) {
  T *Device = nullptr;
  OK(hipMalloc(&Device, Host.size() * sizeof(T)));
  OK(hipMemcpy(Device, Host.data(), Host.size() * sizeof(T), hipMemcpyHostToDevice));
  return Device;
}

inline int finish() {
  if (!Failures)
    std::printf("all passed\n");
  return Failures != 0;
}
