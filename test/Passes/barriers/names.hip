// The names that an edit uses mean what they should wherever it is made, whatever the code calls its own things.
// RUN: hk-opt rewrite -o %t %s -- %hip-flags 2>&1 | FileCheck %s
// CHECK-NOT: error:
#include <hip/hip_runtime.h>

namespace user {
namespace hk {
struct sync {};
} // namespace hk
__global__ __launch_bounds__(64) void k(float *p) {
  __shared__ float s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
} // namespace user
