// All workgroups of a cooperative launch meet at a grid barrier.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void twoSteps(int *Partial, int *Total, int Blocks) {
  cg::grid_group Grid = cg::this_grid();
  if (threadIdx.x == 0)
    Partial[blockIdx.x] = blockIdx.x + 1;
  Grid.sync();
  if (threadIdx.x == 0) {
    int Sum = 0;
    for (int I = 0; I < Blocks; ++I)
      Sum += Partial[I];
    Total[blockIdx.x] = Sum;
  }
}

int main() {
  int Blocks = 20, *Partial, *Total;
  OK(hipMalloc(&Partial, 20 * sizeof(int)));
  OK(hipMalloc(&Total, 20 * sizeof(int)));
  OK(hipMemset(Partial, 0, 20 * sizeof(int)));
  void *Arguments[] = {&Partial, &Total, &Blocks};
  OK(hipLaunchCooperativeKernel(reinterpret_cast<void *>(twoSteps), dim3(20), dim3(128), Arguments, 0,
                                nullptr));
  OK(hipDeviceSynchronize());
  for (int T : fromDevice(Total, 20))
    EXPECT(T == 210);
  FAILS(hipErrorCooperativeLaunchTooLarge,
        hipLaunchCooperativeKernel(reinterpret_cast<void *>(twoSteps), dim3(1000000), dim3(128),
                                   Arguments, 0, nullptr));
  return finish();
}
