// Operators in a captured graph, rows shared by workgroups among them: each replay has the bits that launches have, with
// other inputs too, and replays without a reset between them have the same.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include -I%hk-src/runtime/kernels/include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --schedules=3 --threads=1 %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/direct.h"
#include "hk/ops/activation.h"
#include "hk/ops/norm.h"

using namespace test;

namespace {

constexpr int64_t Rows = 6, Columns = 8192;

struct Chain {
  Tensor x{BF16, Rows, Columns}, residual{BF16, Rows, Columns, {}, Tensor::Output};
  Tensor weight{BF16, 1, Columns};
  Tensor y{E4M3FNUZ, Rows, Columns, {}, Tensor::Output}, scale{F32, Rows, 1, {}, Tensor::Output};
  Tensor z{BF16, Rows, Columns / 2, {}, Tensor::Output};
  hk::Workspace workspace;

  Chain() {
    check(hipMalloc(&workspace.data, hk::Workspace::Bytes), "hipMalloc");
    check(hk::prepareWorkspace(workspace, nullptr), "prepareWorkspace");
    weight.fill([](int64_t, int64_t c) { return 1 + normal(3, 0, c); });
  }
  ~Chain() { check(hipFree(workspace.data), "hipFree"); }

  void inputs(int seed) {
    x.fill([&](int64_t r, int64_t c) { return normal(seed, r, c); });
    residual.fill([&](int64_t r, int64_t c) { return normal(seed + 1, r, c); });
    // What replays do not write stays poison: outputs of the run before must not pass for theirs.
    y.fill([](int64_t, int64_t) { return -7; });
    z.fill([](int64_t, int64_t) { return -7; });
    scale.fill([](int64_t, int64_t) { return -7; });
  }
  /// Twice the row exchange, in one stream and workspace, and an element-wise operator on what they leave.
  hipError_t start(hipStream_t stream) {
    const hk::Launch launch{stream, workspace};
    const hk::RowShape shape{Rows, Columns};
    hipError_t error = hk::residualRmsNorm(launch, shape, hk::Matrix<const hk::bf16>{x.data<hk::bf16>(), Columns},
                                           hk::Matrix<hk::bf16>{residual.data<hk::bf16>(), Columns},
                                           hk::RowVector<hk::bf16>{weight.data<hk::bf16>()}, 1e-5f,
                                           hk::QuantizedRows<hk::e4m3fnuz>{y.data<hk::e4m3fnuz>(), Columns, scale.data<float>()});
    if (error == hipSuccess)
      error = hk::residualRmsNorm(launch, shape, hk::Matrix<const hk::bf16>{x.data<hk::bf16>(), Columns},
                                  hk::Matrix<hk::bf16>{residual.data<hk::bf16>(), Columns},
                                  hk::RowVector<hk::bf16>{weight.data<hk::bf16>()}, 1e-5f,
                                  hk::QuantizedRows<hk::e4m3fnuz>{y.data<hk::e4m3fnuz>(), Columns, scale.data<float>()});
    if (error == hipSuccess)
      error = hk::gated<hk::Silu>(launch, {Rows, Columns / 2}, hk::Matrix<const hk::bf16>{residual.data<hk::bf16>(), Columns},
                                  hk::Matrix<const hk::bf16>{residual.data<hk::bf16>() + Columns / 2, Columns},
                                  hk::Matrix<hk::bf16>{z.data<hk::bf16>(), Columns / 2});
    return error;
  }
  std::vector<std::vector<unsigned char>> results() {
    std::vector<std::vector<unsigned char>> all;
    for (Tensor *t : {&residual, &y, &scale, &z}) {
      t->download();
      all.push_back(t->bytes());
    }
    return all;
  }
};

} // namespace

int main() {
  Checker checker("graph", "graph");
  Chain chain;
  hk::Target target;
  check(hk::currentTarget(target), "currentTarget");
  const hk::RowPlan plan = hk::planRows(target, {Rows, int(Columns), 8, 16, false, true, 1, 1});
  if (plan.mode != hk::RowMode::Split)
    checker.fail("the rows are not shared");

  std::vector<std::vector<std::vector<unsigned char>>> launched;
  for (int seed : {10, 20}) {
    chain.inputs(seed);
    checker.success(chain.start(nullptr));
    launched.push_back(chain.results());
  }
  if (launched[0] == launched[1])
    checker.fail("the inputs make no difference");

  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t replay;
  check(hipStreamCreate(&stream), "hipStreamCreate");
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "hipStreamBeginCapture");
  checker.success(chain.start(stream));
  check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
  check(hipGraphInstantiate(&replay, graph, nullptr, nullptr, 0), "hipGraphInstantiate");
  const int seeds[] = {10, 20, 20, 10};
  for (int n = 0; n != 4; ++n) {
    chain.inputs(seeds[n]);
    check(hipGraphLaunch(replay, stream), "hipGraphLaunch");
    check(hipStreamSynchronize(stream), "hipStreamSynchronize");
    const auto got = chain.results();
    for (size_t t = 0; t != got.size(); ++t, ++elements)
      if (got[t] != launched[seeds[n] / 10 - 1][t])
        checker.fail("replay " + std::to_string(n) + ": output " + std::to_string(t) + " differs");
  }
  check(hipGraphExecDestroy(replay), "hipGraphExecDestroy");
  check(hipGraphDestroy(graph), "hipGraphDestroy");
  check(hipStreamDestroy(stream), "hipStreamDestroy");
  return finish();
}
