// The device, and what of a kernel fits on it.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

__global__ void __launch_bounds__(256) bounded(int *Out) { Out[threadIdx.x] = warpSize; }

__global__ void lds(float *Out) {
  __shared__ float Tile[6000];
  for (int I = threadIdx.x; I < 6000; I += blockDim.x)
    Tile[I] = Out[I];
  __syncthreads();
  Out[threadIdx.x] = Tile[5999 - threadIdx.x];
}

int main() {
  int Count = 0, Value = 0;
  OK(hipGetDeviceCount(&Count));
  EXPECT(Count == 1);
  hipDeviceProp_t P;
  OK(hipGetDeviceProperties(&P, 0));
  EXPECT(P.multiProcessorCount == 304 && P.warpSize == 64 && P.maxThreadsPerBlock == 1024);
  EXPECT(!strncmp(P.gcnArchName, "gfx942", 6) && P.sharedMemPerBlock == 65536);
  EXPECT(P.major == 9 && P.minor == 4 && P.totalGlobalMem > size_t(100) << 30);
  FAILS(hipErrorInvalidDevice, hipGetDeviceProperties(&P, 1));
  OK(hipDeviceGetAttribute(&Value, hipDeviceAttributeMultiprocessorCount, 0));
  EXPECT(Value == 304);
  OK(hipDeviceGetAttribute(&Value, hipDeviceAttributeWarpSize, 0));
  EXPECT(Value == 64);
  FAILS(hipErrorInvalidDevice, hipSetDevice(1));
  OK(hipSetDevice(0));
  OK(hipGetDevice(&Value));
  EXPECT(Value == 0);
  OK(hipRuntimeGetVersion(&Value));
  EXPECT(Value / 10000000 == 6);

  hipFuncAttributes A;
  OK(hipFuncGetAttributes(&A, reinterpret_cast<void *>(bounded)));
  EXPECT(A.maxThreadsPerBlock == 256 && A.sharedSizeBytes == 0 && A.numRegs > 0);
  OK(hipFuncGetAttributes(&A, reinterpret_cast<void *>(lds)));
  EXPECT(A.sharedSizeBytes == 24000 && A.maxThreadsPerBlock == 1024);
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&Value, lds, 256, 0));
  EXPECT(Value == 2); // of 64 KiB
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&Value, bounded, 256, 0));
  EXPECT(Value == 8); // 32 wavefronts
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&Value, bounded, 256, 32768));
  EXPECT(Value == 2);
  int Grid, Block;
  OK(hipOccupancyMaxPotentialBlockSize(&Grid, &Block, bounded, 0, 0));
  EXPECT(Block == 256 && Grid == 8 * 304);
  OK(hipFuncSetAttribute(reinterpret_cast<void *>(bounded),
                         hipFuncAttributeMaxDynamicSharedMemorySize, 65536));
  FAILS(hipErrorInvalidValue,
        hipFuncSetAttribute(reinterpret_cast<void *>(lds), hipFuncAttributeMaxDynamicSharedMemorySize,
                            65536));
  int *Out;
  OK(hipMalloc(&Out, 1024));
  bounded<<<1, 256>>>(Out);
  EXPECT(fromDevice(Out, 256)[255] == 64);
  return finish();
}
