// hk::linearDynamic: outputs of 8 bits with scales that follow from the values. Bounds in f64, and what is special: rows of zeros,
// NaN, infinities. The same bits whatever wavefronts do and in every replay of a captured graph. What is refused.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict --schedules=3 %t few | FileCheck --check-prefixes=CHECK,AGAIN %s
// CHECK: bits [[BITS:[0-9a-f]+]]
// CHECK: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
#include "Inputs/dynamic.h"

using namespace test;

namespace {

/// A captured launch, replayed: the bits of a launch.
void graph(hipStream_t stream) {
  Dynamic<hk::f16, hk::e4m3fnuz, float> problem({17, 77, 4096}, 0);
  Checker checker("graph", "graph");
  const ExactWorkspace workspace(problem.bytes());
  hk::GemmOptions options;
  options.workspace = workspace.get();
  problem.reset();
  checker.success(problem.launch(options));
  const std::vector<unsigned char> launched = problem.download();
  problem.verify(checker);
  addBits(launched);
  hipGraph_t graph;
  hipGraphExec_t replay;
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "hipStreamBeginCapture");
  // No memory can be had while a stream is captured.
  if (problem.launch({}, stream) != hipErrorInvalidValue)
    checker.fail("captured without a workspace");
  checker.success(problem.launch(options, stream));
  checker.success(problem.launch(options, stream));
  check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
  check(hipGraphInstantiate(&replay, graph, nullptr, nullptr, 0), "hipGraphInstantiate");
  for (int turn = 0; turn < 3; ++turn, ++elements) {
    problem.reset();
    check(hipGraphLaunch(replay, stream), "hipGraphLaunch");
    check(hipStreamSynchronize(stream), "hipStreamSynchronize");
    if (problem.download() != launched)
      checker.fail("replay " + std::to_string(turn) + " has other bits");
    if (!workspace.isReady())
      checker.fail("counters are not zero");
  }
  check(hipGraphExecDestroy(replay), "hipGraphExecDestroy");
  check(hipGraphDestroy(graph), "hipGraphDestroy");
}

/// Less workspace than the sums of all splits have use for, down to the values alone: fewer splits, never the values' place.
void littleWorkspace() {
  Dynamic<hk::f16, hk::e4m3fnuz, float> problem({4, 77, 8192}, 0);
  Checker checker("dynamic", "little workspace");
  const size_t all = problem.bytes(),
               least = hk::detail::GemmPartialsOffset + hk::detail::BetweenShape<float>(problem.shape).bytes;
  if (all <= least)
    checker.fail("K is not split");
  for (const size_t bytes : {least, least + 4096, (least + all) / 2, all - 16, all, all + 100}) {
    const ExactWorkspace workspace(bytes);
    hk::GemmOptions options;
    options.workspace = workspace.get();
    problem.reset();
    checker.success(problem.launch(options));
    addBits(problem.download());
    problem.verify(checker);
    if (!workspace.isReady())
      checker.fail("counters are not zero");
  }
}

void errors() {
  Dynamic<hk::f16, hk::e4m3fnuz, float> problem({17, 77, 40}, 0);
  problem.reset();
  const ExactWorkspace workspace(problem.bytes());
  auto refuse = [&](const char *what, hipError_t error, hipError_t wanted = hipErrorInvalidValue) {
    Checker checker("errors", what);
    refused(checker, problem.y, error, wanted);
    refused(checker, problem.scale, error, wanted);
  };
  auto launch = [&](const hk::GemmShape &shape, const hk::LinearOptions<float> &options,
                    hk::QuantizedRows<hk::e4m3fnuz> y) {
    return hk::linearDynamic({}, shape, problem.a.factor(), problem.b.factor(), options, y);
  };
  const hk::GemmShape shape{17, 77, 40};
  const size_t least = hk::detail::GemmPartialsOffset + hk::detail::BetweenShape<float>(shape).bytes;
  for (const size_t bytes : {size_t(1), hk::detail::GemmPartialsOffset, least - 1}) {
    hk::LinearOptions<float> options;
    options.gemm.workspace = {workspace.get().data, bytes};
    refuse("workspace", launch(shape, options, problem.output()));
  }
  hk::LinearOptions<float> noPool, scaled, rowScaled;
  noPool.gemm.usesPool = false;
  scaled.outScale = {problem.residual.data()}, rowScaled.outRowScale = {problem.residual.data()};
  refuse("no workspace", launch(shape, noPool, problem.output()));
  refuse("static scale", launch(shape, scaled, problem.output()));
  refuse("given scales", launch(shape, rowScaled, problem.output()));
  refuse("no scales", launch(shape, {}, {problem.y.data(), 77, nullptr}));
  refuse("pitch", launch(shape, {}, {problem.y.data(), -77, problem.scale.data()}));
  refuse("m < 0", launch({-1, 77, 40}, {}, problem.output()));
  refuse("k < 0", launch({17, 77, -1}, {}, problem.output()));
  refuse("too many columns", launch({17, 1 << 29, 40}, {}, problem.output()));
  refuse("no rows", launch({0, 77, 40}, {}, problem.output()), hipSuccess);
  refuse("no columns", launch({17, 0, 40}, {}, problem.output()), hipSuccess);
}

} // namespace

/// With an argument: fewer plans.
int main(int count, char **) {
  std::vector<NamedPlan> plans = allPlans(true, 3);
  if (count > 1)
    plans.erase(plans.begin() + 1, plans.end() - 1);
  for (const int64_t m : {1, 17, 65})
    for (const int64_t gap : {0, 1})
      Dynamic<hk::f16, hk::e4m3fnuz, float>({m, 77, 200}, gap).run("f16 e4m3fnuz", plans);
  Dynamic<hk::f16, hk::e4m3fnuz, float>({7, 64, 0}, 0).run("f16 e4m3fnuz", {});
  for (const bool dense : {false, true})
    Dynamic<hk::f16, hk::e4m3fnuz, float>({9, 77, 100, 3}, dense ? 0 : 1, dense).run("f16 e4m3fnuz, batches", {});
  littleWorkspace();
  hipStream_t stream;
  check(hipStreamCreate(&stream), "hipStreamCreate");
  graph(stream);
  check(hipStreamDestroy(stream), "hipStreamDestroy");
  errors();
  std::printf("bits %016llx\n", static_cast<unsigned long long>(bits));
  return finish();
}
