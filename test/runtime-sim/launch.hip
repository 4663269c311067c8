// All ways to launch a kernel, with arguments of all sizes and dynamic LDS.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

#include <hip/hip_ext.h>

struct Large {
  char Tag;
  double Values[5];
};

__global__ void fill(int *Out, char Small, short Medium, Large Big, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = I + Small + Medium + int(Big.Values[4]) + Big.Tag;
}

__global__ void reverse(int *Data) {
  extern __shared__ int Shared[];
  Shared[threadIdx.x] = Data[threadIdx.x];
  __syncthreads();
  Data[threadIdx.x] = Shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void place(int *Out) {
  int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y,
      Z = blockIdx.z * blockDim.z + threadIdx.z;
  int Width = gridDim.x * blockDim.x, Height = gridDim.y * blockDim.y;
  Out[(Z * Height + Y) * Width + X] = X + 100 * Y + 10000 * Z;
}

__global__ void count(int *Counter) { atomicAdd(Counter, 1); }

int main() {
  constexpr int N = 1000;
  int *Out;
  OK(hipMalloc(&Out, N * sizeof(int)));
  Large Big = {1, {0, 0, 0, 0, 1000}};
  auto Check = [&](const char *What) {
    std::vector<int> Host = fromDevice(Out, N);
    for (int I = 0; I != N; ++I)
      if (Host[I] != I + 2 + 300 + 1000 + 1) {
        std::printf("%s: element %d is %d\n", What, I, Host[I]);
        ++Failures;
        break;
      }
    OK(hipMemset(Out, 0, N * sizeof(int)));
  };
  fill<<<(N + 127) / 128, 128>>>(Out, 2, 300, Big, N);
  Check("<<<>>>");
  hipLaunchKernelGGL(fill, dim3((N + 255) / 256), dim3(256), 0, nullptr, Out, char(2), short(300), Big,
                     N);
  Check("hipLaunchKernelGGL");

  char Small = 2;
  short Medium = 300;
  int Count = N;
  void *Arguments[] = {&Out, &Small, &Medium, &Big, &Count};
  OK(hipLaunchKernel(reinterpret_cast<void *>(fill), dim3(4), dim3(256), Arguments, 0, nullptr));
  Check("hipLaunchKernel");
  hipFunction_t Function;
  OK(hipGetFuncBySymbol(&Function, reinterpret_cast<void *>(fill)));
  OK(hipModuleLaunchKernel(Function, 8, 1, 1, 128, 1, 1, 0, nullptr, Arguments, nullptr));
  Check("hipModuleLaunchKernel");

  struct __attribute__((packed, aligned(8))) {
    int *Out;
    char Small, Padding;
    short Medium;
    int Padding2;
    Large Big;
    int Count;
  } Packed = {Out, 2, 0, 300, 0, Big, N};
  size_t Size = sizeof Packed;
  void *Extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &Packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &Size,
                   HIP_LAUNCH_PARAM_END};
  OK(hipModuleLaunchKernel(Function, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, Extra));
  Check("packed arguments");

  hipEvent_t Start, Stop;
  OK(hipEventCreate(&Start));
  OK(hipEventCreate(&Stop));
  OK(hipExtLaunchKernel(reinterpret_cast<void *>(fill), dim3(8), dim3(128), Arguments, 0, nullptr, Start,
                        Stop, 0));
  float Milliseconds = -1;
  OK(hipEventElapsedTime(&Milliseconds, Start, Stop));
  EXPECT(Milliseconds > 0);
  Check("hipExtLaunchKernel");

  std::vector<int> Numbers(256);
  for (int I = 0; I != 256; ++I)
    Numbers[I] = I;
  int *Data = toDevice(Numbers);
  reverse<<<1, 256, 256 * sizeof(int)>>>(Data);
  Numbers = fromDevice(Data, 256);
  EXPECT(Numbers[0] == 255 && Numbers[255] == 0 && Numbers[100] == 155);

  int *Places;
  OK(hipMalloc(&Places, 6 * 10 * 8 * sizeof(int)));
  place<<<dim3(2, 5, 4), dim3(3, 2, 2)>>>(Places);
  std::vector<int> All = fromDevice(Places, 6 * 10 * 8);
  EXPECT(All[(7 * 10 + 9) * 6 + 5] == 5 + 900 + 70000 && All[0] == 0 && All[6] == 100);

  // Work-items that are no whole number of workgroups.
  int *Counter;
  OK(hipMalloc(&Counter, sizeof(int)));
  OK(hipMemset(Counter, 0, sizeof(int)));
  OK(hipGetFuncBySymbol(&Function, reinterpret_cast<void *>(count)));
  void *CountArguments[] = {&Counter};
  OK(hipExtModuleLaunchKernel(Function, 1000, 1, 1, 256, 1, 1, 0, nullptr, CountArguments, nullptr));
  EXPECT(fromDevice(Counter, 1)[0] == 1000);
  OK(hipDeviceSynchronize());
  return finish();
}
