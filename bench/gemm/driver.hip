//===- driver.hip - One product, one launch, for counting -----------------===//
//
//   driver TYPE M N K MODE CONFIG SPLITS
//
// TYPE: f16, bf16 or fp8 (e4m3fnuz); the output is f16, or bf16 for bf16. A is M x K and B N x K, both contiguous along
// K. MODE: stream, tile, ring or dot, CONFIG: an index in hk/gemm/configs.h, or a tile's size like 128x128 (N and M; the first of
// it), or "largest". SPLITS: -1 for the library's own plan, whatever MODE and CONFIG are. Prints the plan that it used:
//
//   MODE CONFIG SPLITS TILE_N TILE_M PARTIALS      bytes of sums that workgroups write to the workspace, and read again
//
// Exit status: 0, or 1 and a message.
//
//===----------------------------------------------------------------------===//

#include "hk/ops/gemm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace hk;

namespace {

void check(hipError_t error, const char *what) {
  if (error == hipSuccess)
    return;
  std::fprintf(stderr, "driver: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

template <class T> T *allocate(size_t bytes) {
  void *memory = nullptr;
  check(hipMalloc(&memory, bytes), "hipMalloc");
  return static_cast<T *>(memory);
}

template <class T> T *numbers(size_t elements) {
  std::vector<T> host(elements);
  uint32_t state = 1;
  for (T &element : host) {
    state = state * 1664525 + 1013904223;
    element = Element<T>::fromValue(float(int32_t(state)) * 0x1p-31f);
  }
  T *device = allocate<T>(elements * sizeof(T));
  check(hipMemcpy(device, host.data(), elements * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
  return device;
}

/// The index that CONFIG stands for; one that does not exist if there is none.
int findConfig(GemmMode mode, const char *text) {
  int n = 0, m = 0, found = 1 << 30, largest = 0;
  if (std::strcmp(text, "largest") && std::sscanf(text, "%dx%d", &n, &m) != 2)
    return std::atoi(text);
  for (int config = 0;; ++config) {
    const detail::ConfigShape shape = detail::shapeOf(mode, config);
    if (shape.threads == 0)
      return found;
    if (n ? shape.tileN == n && shape.tileM == m && found == 1 << 30 : shape.tileN * shape.tileM > largest)
      found = config, largest = shape.tileN * shape.tileM;
  }
}

template <class T, class Y> void run(const GemmShape &shape, const GemmPlan *given) {
  Target target;
  check(currentTarget(target), "currentTarget");
  using Factor = detail::Rows<T, true, AsStored>;
  const detail::GemmProblem problem = detail::problemOf<Factor, Factor>(target, shape, true);
  GemmOptions options;
  const GemmPlan plan = given ? *given : planGemm(target, problem, detail::MostPooled);
  const detail::ConfigShape config = detail::shapeOf(plan.mode, plan.config);
  if (config.threads == 0)
    check(hipErrorInvalidValue, "no such configuration");
  options.workspace.bytes = detail::splitBytes(target, problem, config, plan.splits);
  options.plan = &plan;
  options.constantB = true;
  if (options.workspace.bytes) {
    options.workspace.data = allocate<char>(options.workspace.bytes);
    check(prepareGemmWorkspace(options.workspace, nullptr), "prepareGemmWorkspace");
  }
  const T *a = numbers<T>(size_t(shape.m) * shape.k), *b = numbers<T>(size_t(shape.n) * shape.k);
  Y *y = allocate<Y>(size_t(shape.m) * shape.n * sizeof(Y));
  check(gemm(Launch{}, shape, rowMajor(a, shape.k), columnMajor(b, shape.k), AsSummed{}, tuple(),
             tuple(Matrix<Y>{y, shape.n}), options),
        "gemm");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  const char *const modes[] = {"stream", "tile", "warpgroup", "ring", "dot"};
  std::printf("%s %d %d %d %d %lld\n", modes[int(plan.mode)], plan.config, plan.splits, config.tileN, config.tileM,
              (long long)detail::workspaceTraffic(target, problem, config, plan.splits));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: driver f16|bf16|fp8 M N K stream|tile|ring|dot CONFIG SPLITS\n");
    return 1;
  }
  const GemmShape shape{std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])};
  const GemmMode mode = !std::strcmp(argv[5], "tile")   ? GemmMode::Tile
                        : !std::strcmp(argv[5], "ring") ? GemmMode::Ring
                        : !std::strcmp(argv[5], "dot")  ? GemmMode::Dot
                                                        : GemmMode::Stream;
  const GemmPlan plan{mode, findConfig(mode, argv[6]), std::atoi(argv[7])};
  const GemmPlan *given = plan.splits >= 0 ? &plan : nullptr;
  if (!std::strcmp(argv[1], "fp8"))
    run<e4m3fnuz, f16>(shape, given);
  else if (!std::strcmp(argv[1], "bf16"))
    run<bf16, bf16>(shape, given);
  else
    run<f16, f16>(shape, given);
  return 0;
}
