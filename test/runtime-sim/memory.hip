// The malloc family, and what is said about pointers.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

__global__ void add(int *Data, int N, int Value) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] += Value;
}

static hipMemoryType typeOf(const void *Pointer) {
  hipPointerAttribute_t Attributes;
  OK(hipPointerGetAttributes(&Attributes, Pointer));
  return Attributes.type;
}

int main() {
  constexpr int N = 300;
  constexpr size_t Bytes = N * sizeof(int);
  size_t FreeBefore, Free, Total;
  OK(hipMemGetInfo(&FreeBefore, &Total));
  EXPECT(Total > size_t(100) << 30 && FreeBefore <= Total);

  int *Device;
  OK(hipMalloc(&Device, Bytes));
  EXPECT(typeOf(Device) == hipMemoryTypeDevice && typeOf(Device + 10) == hipMemoryTypeDevice);
  OK(hipMemGetInfo(&Free, &Total));
  EXPECT(Free < FreeBefore);
  hipDeviceptr_t Base;
  size_t Size;
  OK(hipMemGetAddressRange(&Base, &Size, Device + 5));
  EXPECT(Base == Device && Size == Bytes);
  OK(hipFree(Device));
  OK(hipFree(nullptr));
  FAILS(hipErrorInvalidValue, hipFree(Device));
  int OnStack;
  FAILS(hipErrorInvalidValue, hipFree(&OnStack));
  EXPECT(typeOf(&OnStack) == hipMemoryTypeUnregistered);
  void *Nothing = &OnStack;
  OK(hipMalloc(&Nothing, 0));
  EXPECT(!Nothing);
  FAILS(hipErrorOutOfMemory, hipMalloc(&Nothing, size_t(1) << 50));

  // Whatever the size, memory starts where the widest accesses of kernels may.
  for (size_t Odd = 1; Odd < 100000; Odd += Odd / 7 + 1) {
    void *Plain, *Both, *Host;
    OK(hipMalloc(&Plain, Odd));
    OK(hipMallocManaged(&Both, Odd));
    OK(hipHostMalloc(&Host, Odd, 0));
    for (void *P : {Plain, Both, Host})
      EXPECT(reinterpret_cast<uintptr_t>(P) % 256 == 0);
    OK(hipFree(Plain));
    OK(hipFree(Both));
    OK(hipHostFree(Host));
  }

  int *Managed;
  OK(hipMallocManaged(&Managed, Bytes));
  EXPECT(typeOf(Managed) == hipMemoryTypeManaged);
  for (int I = 0; I != N; ++I)
    Managed[I] = I;
  add<<<3, 128>>>(Managed, N, 7);
  OK(hipDeviceSynchronize());
  EXPECT(Managed[0] == 7 && Managed[299] == 306);
  OK(hipFree(Managed));

  int *Pinned, *Mapped;
  OK(hipHostMalloc(&Pinned, Bytes, hipHostMallocMapped));
  EXPECT(typeOf(Pinned) == hipMemoryTypeHost);
  unsigned Flags;
  OK(hipHostGetFlags(&Flags, Pinned));
  EXPECT(Flags == hipHostMallocMapped);
  OK(hipHostGetDevicePointer(reinterpret_cast<void **>(&Mapped), Pinned, 0));
  memset(Pinned, 0, Bytes);
  add<<<3, 128>>>(Mapped, N, 3);
  OK(hipDeviceSynchronize());
  EXPECT(Pinned[0] == 3 && Pinned[299] == 3);
  OK(hipHostFree(Pinned));

  std::vector<int> Own(N, 1);
  OK(hipHostRegister(Own.data(), Bytes, hipHostRegisterDefault));
  FAILS(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(Own.data(), Bytes, 0));
  OK(hipHostGetDevicePointer(reinterpret_cast<void **>(&Mapped), Own.data(), 0));
  add<<<3, 128>>>(Mapped, N, 4);
  OK(hipDeviceSynchronize());
  EXPECT(Own[0] == 5 && Own[299] == 5);
  OK(hipHostUnregister(Own.data()));
  FAILS(hipErrorHostMemoryNotRegistered, hipHostUnregister(Own.data()));

  void *Pitched;
  size_t Pitch;
  OK(hipMallocPitch(&Pitched, &Pitch, 100, 5));
  EXPECT(Pitch >= 100 && Pitch % 64 == 0);
  OK(hipFree(Pitched));
  hipPitchedPtr Box;
  OK(hipMalloc3D(&Box, make_hipExtent(100, 4, 3)));
  EXPECT(Box.ptr && Box.pitch >= 100 && Box.xsize == 100 && Box.ysize == 4);
  OK(hipFree(Box.ptr));

  hipStream_t Stream;
  OK(hipStreamCreate(&Stream));
  int *Async;
  OK(hipMallocAsync(&Async, Bytes, Stream));
  OK(hipMemsetAsync(Async, 0, Bytes, Stream));
  add<<<3, 128, 0, Stream>>>(Async, N, 9);
  OK(hipStreamSynchronize(Stream));
  EXPECT(fromDevice(Async, N)[299] == 9);
  OK(hipFreeAsync(Async, Stream));
  hipMemPool_t Pool;
  OK(hipDeviceGetDefaultMemPool(&Pool, 0));
  uint64_t Threshold = 12345, Read = 0;
  OK(hipMemPoolSetAttribute(Pool, hipMemPoolAttrReleaseThreshold, &Threshold));
  OK(hipMemPoolGetAttribute(Pool, hipMemPoolAttrReleaseThreshold, &Read));
  EXPECT(Read == Threshold);
  OK(hipMallocFromPoolAsync(&Async, Bytes, Pool, Stream));
  OK(hipFreeAsync(Async, Stream));
  OK(hipStreamDestroy(Stream));
  return finish();
}
