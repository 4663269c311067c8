//===- hip/hip_runtime.h - HIP's names on CUDA's runtime ------------------===//
//
// What the benchmark programs use of HIP, where HIP's own NVIDIA headers are not installed: nvcc -x cu -Invidia.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/cuda_as_hip.h"

using hipEvent_t = cudaEvent_t;

constexpr auto hipMemcpyHostToDevice = cudaMemcpyHostToDevice;
constexpr auto hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
constexpr auto hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;

inline hipError_t hipMalloc(void **Memory, size_t Bytes) { return cudaMalloc(Memory, Bytes); }
inline hipError_t hipFree(void *Memory) { return cudaFree(Memory); }
inline hipError_t hipMemcpy(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  return cudaMemcpy(To, From, Bytes, Kind);
}
inline hipError_t hipMemcpyAsync(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind, hipStream_t Stream) {
  return cudaMemcpyAsync(To, From, Bytes, Kind, Stream);
}
inline hipError_t hipMemset(void *To, int Byte, size_t Bytes) { return cudaMemset(To, Byte, Bytes); }
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline const char *hipGetErrorString(hipError_t Error) { return cudaGetErrorString(Error); }
inline hipError_t hipEventCreate(hipEvent_t *Event) { return cudaEventCreate(Event); }
inline hipError_t hipEventDestroy(hipEvent_t Event) { return cudaEventDestroy(Event); }
inline hipError_t hipEventRecord(hipEvent_t Event, hipStream_t Stream) { return cudaEventRecord(Event, Stream); }
inline hipError_t hipEventSynchronize(hipEvent_t Event) { return cudaEventSynchronize(Event); }
inline hipError_t hipEventElapsedTime(float *Milliseconds, hipEvent_t Start, hipEvent_t Stop) {
  return cudaEventElapsedTime(Milliseconds, Start, Stop);
}
