// Code objects from a file and from memory: bundled, compressed, bare.
// RUN: %hip-sim-device %s -o %t.co
// RUN: %hip-sim-device --offload-compress %s -o %t.ccob
// RUN: %hip-sim-device --no-gpu-bundle-output %s -o %t.elf
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t %t.co %t.ccob %t.elf | FileCheck %s
// RUN: %hip-sim-build --offload-compress %s -o %t.compressed
// RUN: hk-sim %t.compressed | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

#include <fstream>
#include <iterator>

extern "C" __device__ int Offset = 7;
extern "C" __global__ void shift(int *Data, int Value) { Data[threadIdx.x] += Value + Offset; }

static void run(hipModule_t Module, int *Data, int Offset) {
  hipFunction_t Function;
  OK(hipModuleGetFunction(&Function, Module, "shift"));
  FAILS(hipErrorNotFound, hipModuleGetFunction(&Function, Module, "missing"));
  OK(hipModuleGetFunction(&Function, Module, "shift"));
  OK(hipMemset(Data, 0, 256));
  int Value = 100;
  void *Arguments[] = {&Data, &Value};
  OK(hipModuleLaunchKernel(Function, 1, 1, 1, 64, 1, 1, 0, nullptr, Arguments, nullptr));
  EXPECT(fromDevice(Data, 64)[63] == 100 + Offset);
}

int main(int Argc, char **Argv) {
  int *Data;
  OK(hipMalloc(&Data, 256));
  for (int I = 1; I != Argc; ++I) {
    hipModule_t Module;
    OK(hipModuleLoad(&Module, Argv[I]));
    run(Module, Data, 7);
    hipDeviceptr_t Address;
    size_t Size;
    OK(hipModuleGetGlobal(&Address, &Size, Module, "Offset"));
    int New = 1000 + I;
    EXPECT(Size == sizeof New);
    OK(hipMemcpyHtoD(Address, &New, sizeof New));
    run(Module, Data, New);
    OK(hipModuleUnload(Module));

    std::ifstream In(Argv[I], std::ios::binary);
    std::vector<char> Bytes{std::istreambuf_iterator<char>(In), {}};
    OK(hipModuleLoadData(&Module, Bytes.data()));
    Bytes.assign(Bytes.size(), 0);
    run(Module, Data, 7);
    OK(hipModuleUnload(Module));
  }
  hipModule_t Module;
  FAILS(hipErrorFileNotFound, hipModuleLoad(&Module, "/nonexistent"));
  char Garbage[64] = "this is no code object";
  FAILS(hipErrorInvalidImage, hipModuleLoadData(&Module, Garbage));
  OK(hipMemset(Data, 0, 256));
  shift<<<1, 64>>>(Data, 1);
  EXPECT(fromDevice(Data, 64)[0] == 8);
  return finish();
}
