// Streams, events and host functions.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// RUN: hk-sim --time=host %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

__global__ void spin(float *Data, int Steps) {
  float V = Data[threadIdx.x];
  for (int I = 0; I < Steps; ++I)
    V = V * 0.5f + 1;
  Data[threadIdx.x] = V;
}

static void callback(hipStream_t, hipError_t Status, void *Data) {
  *static_cast<int *>(Data) = Status == hipSuccess ? 11 : -1;
}

int main() {
  float *Data;
  OK(hipMalloc(&Data, 256 * sizeof(float)));
  OK(hipMemset(Data, 0, 256 * sizeof(float)));
  hipStream_t A, B;
  OK(hipStreamCreate(&A));
  OK(hipStreamCreateWithFlags(&B, hipStreamNonBlocking));
  unsigned Flags;
  OK(hipStreamGetFlags(B, &Flags));
  EXPECT(Flags == hipStreamNonBlocking);
  int Least, Greatest, Priority;
  OK(hipDeviceGetStreamPriorityRange(&Least, &Greatest));
  EXPECT(Least > Greatest);
  hipStream_t Urgent;
  OK(hipStreamCreateWithPriority(&Urgent, hipStreamDefault, Greatest));
  OK(hipStreamGetPriority(Urgent, &Priority));
  EXPECT(Priority == Greatest);
  OK(hipStreamDestroy(Urgent));

  hipEvent_t Start, Middle, End, Untimed;
  OK(hipEventCreate(&Start));
  OK(hipEventCreate(&Middle));
  OK(hipEventCreate(&End));
  OK(hipEventCreateWithFlags(&Untimed, hipEventDisableTiming));
  float Short = 0, Long = 0;
  FAILS(hipErrorInvalidHandle, hipEventElapsedTime(&Short, Start, End));
  OK(hipEventRecord(Start, A));
  spin<<<1, 256, 0, A>>>(Data, 100);
  OK(hipEventRecord(Middle, A));
  OK(hipStreamWaitEvent(B, Middle, 0));
  spin<<<1, 256, 0, B>>>(Data, 1000000);
  OK(hipEventRecord(End, B));
  OK(hipEventSynchronize(End));
  OK(hipEventQuery(End));
  OK(hipEventElapsedTime(&Short, Start, Middle));
  OK(hipEventElapsedTime(&Long, Middle, End));
  EXPECT(Short > 0 && Long > Short);
  OK(hipEventRecord(Untimed, A));
  FAILS(hipErrorInvalidHandle, hipEventElapsedTime(&Short, Start, Untimed));

  int FromCallback = 0, FromFunction = 0;
  OK(hipStreamAddCallback(A, callback, &FromCallback, 0));
  OK(hipLaunchHostFunc(A, [](void *P) { *static_cast<int *>(P) = 12; }, &FromFunction));
  OK(hipStreamSynchronize(A));
  OK(hipStreamQuery(A));
  EXPECT(FromCallback == 11 && FromFunction == 12);
  OK(hipStreamSynchronize(hipStreamPerThread));
  OK(hipEventDestroy(Start));
  OK(hipStreamDestroy(A));
  OK(hipStreamDestroy(B));
  FAILS(hipErrorInvalidHandle, hipStreamSynchronize(A));
  EXPECT(fromDevice(Data, 1)[0] == 2);
  return finish();
}
