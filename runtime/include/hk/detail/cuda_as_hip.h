//===- hk/detail/cuda_as_hip.h - CUDA's runtime under HIP's names ---------===//
//
// For nvcc where HIP's NVIDIA headers are not installed: the names of the HIP runtime that the core kernels use, and
// no more. A program that includes <hip/hip_runtime.h> itself has to bring those headers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cuda_runtime.h>

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipDeviceProp_t = cudaDeviceProp;

constexpr hipError_t hipSuccess = cudaSuccess;
constexpr hipError_t hipErrorInvalidValue = cudaErrorInvalidValue;
constexpr hipError_t hipErrorNotSupported = cudaErrorNotSupported;
constexpr auto hipDeviceAttributeMultiprocessorCount = cudaDevAttrMultiProcessorCount;

inline hipError_t hipGetDevice(int *Device) { return cudaGetDevice(Device); }
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *Properties, int Device) {
  return cudaGetDeviceProperties(Properties, Device);
}
inline hipError_t hipLaunchKernel(const void *Kernel, dim3 Grid, dim3 Block, void **Arguments, size_t Lds,
                                  hipStream_t Stream) {
  return cudaLaunchKernel(Kernel, Grid, Block, Arguments, Lds, Stream);
}
using hipStreamCaptureStatus = cudaStreamCaptureStatus;
constexpr auto hipStreamCaptureStatusNone = cudaStreamCaptureStatusNone;
inline hipError_t hipStreamIsCapturing(hipStream_t Stream, hipStreamCaptureStatus *Status) {
  return cudaStreamIsCapturing(Stream, Status);
}
inline hipError_t hipMallocAsync(void **Memory, size_t Bytes, hipStream_t Stream) {
  return cudaMallocAsync(Memory, Bytes, Stream);
}
inline hipError_t hipFreeAsync(void *Memory, hipStream_t Stream) { return cudaFreeAsync(Memory, Stream); }
inline hipError_t hipMemsetAsync(void *To, int Byte, size_t Bytes, hipStream_t Stream) {
  return cudaMemsetAsync(To, Byte, Bytes, Stream);
}
