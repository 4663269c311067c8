// Errors of the caller, and the last error.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t 2>%t.err | FileCheck %s
// RUN: FileCheck --check-prefix=ERR --input-file=%t.err %s
// CHECK: all passed
#include "Inputs/check.h"

__global__ void nothing() {}
// ERR: kernel {{.*}}small{{.*}} is launched with 512 work-items a workgroup but was compiled for at most 64
__global__ void __launch_bounds__(64) small() {}

int main() {
  EXPECT(hipGetLastError() == hipSuccess);
  nothing<<<0, 64>>>();
  EXPECT(hipPeekAtLastError() == hipErrorInvalidConfiguration);
  EXPECT(hipPeekAtLastError() == hipErrorInvalidConfiguration);
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration);
  EXPECT(hipGetLastError() == hipSuccess);
  nothing<<<1, 1025>>>();
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration);
  nothing<<<1, 64, 65537>>>();
  EXPECT(hipGetLastError() == hipErrorInvalidValue);
  small<<<1, 512>>>();
  EXPECT(hipGetLastError() == hipErrorLaunchFailure);
  void *Arguments[] = {nullptr};
  FAILS(hipErrorInvalidDeviceFunction,
        hipLaunchKernel(reinterpret_cast<void *>(main), dim3(1), dim3(1), Arguments, 0, nullptr));
  nothing<<<1, 64>>>();
  EXPECT(hipGetLastError() == hipSuccess);
  OK(hipDeviceSynchronize());

  EXPECT(!strcmp(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue"));
  EXPECT(!strcmp(hipGetErrorString(hipErrorInvalidValue), "invalid argument"));
  EXPECT(!strcmp(hipGetErrorString(hipErrorOutOfMemory), "out of memory"));
  FAILS(hipErrorInvalidValue, hipMalloc(static_cast<void **>(nullptr), 4));
  FAILS(hipErrorInvalidHandle, hipEventRecord(nullptr, nullptr));

  // What is missing says so.
  // ERR: hk-sim: hipMallocArray is not supported
  hipArray_t Array;
  hipChannelFormatDesc Format = hipCreateChannelDesc<float>();
  FAILS(hipErrorNotSupported, hipMallocArray(&Array, &Format, 16, 16, 0));
  return finish();
}
