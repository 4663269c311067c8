//===- driver.hip - One operator, one launch, for counting ----------------===//
//
//   driver OPERATOR POLICY WORKSPACE ROWS COLUMNS
//
// OPERATOR: rmsnorm (residual + RMSNorm + fp8 with a static scale of one, f16) or swiglu (+ fp8, gate and up in one
// tensor, f16). POLICY: exact or fast. WORKSPACE: 0 or 1. Exit status: 0, or 1 and a message.
//
//===----------------------------------------------------------------------===//

#include "hk/ops/activation.h"
#include "hk/ops/norm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace hk;

namespace {

void check(hipError_t error, const char *what) {
  if (error == hipSuccess)
    return;
  std::fprintf(stderr, "driver: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

template <class T> T *allocate(size_t elements) {
  void *memory = nullptr;
  check(hipMalloc(&memory, elements * sizeof(T)), "hipMalloc");
  return static_cast<T *>(memory);
}

f16 *numbers(size_t elements) {
  std::vector<f16> host(elements);
  uint32_t state = 1;
  for (f16 &element : host) {
    state = state * 1664525 + 1013904223;
    element = Element<f16>::fromValue(float(int32_t(state)) * 0x1p-31f);
  }
  f16 *device = allocate<f16>(elements);
  check(hipMemcpy(device, host.data(), elements * sizeof(f16), hipMemcpyHostToDevice), "hipMemcpy");
  return device;
}

template <class Policy>
hipError_t run(const std::string &name, const Launch &launch, RowShape shape) {
  const size_t all = size_t(shape.rows) * shape.columns;
  e4m3fnuz *y = allocate<e4m3fnuz>(all);
  const Matrix<e4m3fnuz> output{y, shape.columns};
  if (name == "rmsnorm")
    return residualRmsNorm<Policy>(launch, shape, Matrix<const f16>{numbers(all), shape.columns},
                                   Matrix<f16>{numbers(all), shape.columns},
                                   RowVector<f16>{numbers(shape.columns)}, 1e-5f, output);
  f16 *x = numbers(2 * all);
  return gated<Silu, Policy>(launch, shape, Matrix<const f16>{x, 2 * shape.columns},
                             Matrix<const f16>{x + shape.columns, 2 * shape.columns}, output);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: driver rmsnorm|swiglu exact|fast 0|1 ROWS COLUMNS\n");
    return 1;
  }
  Launch launch;
  if (!std::strcmp(argv[3], "1")) {
    launch.workspace.data = allocate<char>(Workspace::Bytes);
    check(prepareWorkspace(launch.workspace, launch.stream), "prepareWorkspace");
  }
  const RowShape shape{std::atoll(argv[4]), std::atoll(argv[5])};
  check(std::strcmp(argv[2], "fast") ? run<Exact>(argv[1], launch, shape) : run<Fast>(argv[1], launch, shape),
        argv[1]);
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  return 0;
}
