// memcpy and memset in one, two and three dimensions, and with symbols; what they refuse.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

__device__ int Table[16];
__constant__ float Scale[4];
__managed__ int Shared = 41;

__global__ void use(float *Out) {
  int I = threadIdx.x;
  Out[I] = Table[I] * Scale[I % 4];
  if (I == 0)
    ++Shared;
}

__global__ void store() { Table[threadIdx.x] = 100 + threadIdx.x; }

int main() {
  std::vector<int> Numbers(1000), Back(1000);
  for (int I = 0; I != 1000; ++I)
    Numbers[I] = I * I;
  int *A = toDevice(Numbers), *B;
  OK(hipMalloc(&B, 4000));
  OK(hipMemcpy(B, A, 4000, hipMemcpyDeviceToDevice));
  OK(hipMemcpy(Back.data(), B, 4000, hipMemcpyDefault));
  EXPECT(Back == Numbers);
  OK(hipMemcpyDtoD(B, A + 500, 2000));
  OK(hipMemcpyDtoH(Back.data(), B, 4000));
  EXPECT(Back[0] == 250000 && Back[999] == Numbers[999]);
  FAILS(hipErrorInvalidValue, hipMemcpy(B, A, 4001, hipMemcpyDeviceToDevice));
  FAILS(hipErrorInvalidValue, hipMemcpy(B + 1, Numbers.data(), 4000, hipMemcpyHostToDevice));
  FAILS(hipErrorInvalidValue, hipMemcpy(nullptr, A, 4, hipMemcpyDeviceToDevice));
  FAILS(hipErrorInvalidMemcpyDirection, hipMemcpy(B, A, 4, hipMemcpyKind(77)));

  // Rows 3..7 and columns 2..11 of a 10 x 20 matrix, and into place.
  OK(hipMemcpy2D(B, 10 * 4, A + 3 * 20 + 2, 20 * 4, 10 * 4, 5, hipMemcpyDeviceToDevice));
  Back = fromDevice(B, 50);
  EXPECT(Back[0] == Numbers[62] && Back[10] == Numbers[82] && Back[49] == Numbers[7 * 20 + 11]);
  FAILS(hipErrorInvalidPitchValue,
        hipMemcpy2D(B, 10 * 4, A, 20 * 4, 11 * 4, 5, hipMemcpyDeviceToDevice));
  hip_Memcpy2D Described = {};
  Described.srcMemoryType = hipMemoryTypeDevice;
  Described.srcDevice = A;
  Described.srcXInBytes = 8;
  Described.srcY = 3;
  Described.srcPitch = 80;
  Described.dstMemoryType = hipMemoryTypeHost;
  Described.dstHost = Back.data();
  Described.dstPitch = 40;
  Described.WidthInBytes = 40;
  Described.Height = 5;
  Back.assign(50, 0);
  OK(hipMemcpyParam2D(&Described));
  EXPECT(Back[0] == Numbers[62] && Back[49] == Numbers[7 * 20 + 11]);

  // A box of 4 x 3 x 2 from a 10 x 10 x 10 cube, at (1, 2, 3).
  hipMemcpy3DParms P = {};
  P.srcPtr = make_hipPitchedPtr(A, 40, 10, 10);
  P.srcPos = make_hipPos(4, 2, 3);
  P.dstPtr = make_hipPitchedPtr(Back.data(), 16, 4, 3);
  P.extent = make_hipExtent(16, 3, 2);
  P.kind = hipMemcpyDeviceToHost;
  OK(hipMemcpy3D(&P));
  EXPECT(Back[0] == Numbers[321] && Back[3] == Numbers[324] && Back[4] == Numbers[331] &&
         Back[23] == Numbers[444]);

  OK(hipMemset(A, 0x11, 4000));
  EXPECT(fromDevice(A, 1000)[999] == 0x11111111);
  OK(hipMemsetD32(A, 12345678, 1000));
  EXPECT(fromDevice(A, 1000)[999] == 12345678);
  OK(hipMemsetD16(A, 0x1234, 2));
  EXPECT(fromDevice(A, 2)[0] == 0x12341234 && fromDevice(A, 2)[1] == 12345678);
  OK(hipMemset2D(A, 80, 0, 8, 5));
  Back = fromDevice(A, 100);
  EXPECT(Back[0] == 0 && Back[1] == 0 && Back[2] == 12345678 && Back[20] == 0 && Back[81] == 0);
  FAILS(hipErrorInvalidValue, hipMemset(A, 0, 4001));

  int Values[16];
  float Factors[4] = {1, 2, 0.5f, -1};
  for (int I = 0; I != 16; ++I)
    Values[I] = I + 1;
  OK(hipMemcpyToSymbol(HIP_SYMBOL(Table), Values, sizeof Values));
  OK(hipMemcpyToSymbol(HIP_SYMBOL(Scale), Factors, 8));
  OK(hipMemcpyToSymbol(HIP_SYMBOL(Scale), Factors + 2, 8, 8));
  FAILS(hipErrorInvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(Scale), Factors, 16, 4));
  FAILS(hipErrorInvalidSymbol, hipMemcpyToSymbol(Values, Factors, 4));
  float *Out;
  OK(hipMalloc(&Out, 64));
  use<<<1, 16>>>(Out);
  std::vector<float> Products = fromDevice(Out, 16);
  EXPECT(Products[0] == 1 && Products[1] == 4 && Products[2] == 1.5f && Products[15] == -16);
  OK(hipDeviceSynchronize());
  EXPECT(Shared == 42);
  store<<<1, 16>>>();
  OK(hipMemcpyFromSymbol(Values, HIP_SYMBOL(Table), 8, 56));
  EXPECT(Values[0] == 114 && Values[1] == 115);
  void *Address;
  size_t Size;
  OK(hipGetSymbolAddress(&Address, HIP_SYMBOL(Table)));
  OK(hipGetSymbolSize(&Size, HIP_SYMBOL(Table)));
  EXPECT(Size == 64 && fromDevice(static_cast<int *>(Address), 1)[0] == 100);
  return finish();
}
