// hk::gemm with K split: the same bits in every launch, whichever workgroup is last and whatever wavefronts do, a workspace that
// is ready after each launch, with a caller's workspace and with the pool's memory.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict --schedules=3 %t few | FileCheck --check-prefixes=CHECK,AGAIN %s
// CHECK: bits [[BITS:[0-9a-f]+]]
// CHECK: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
#include "Inputs/sums.h"
#include "Inputs/workspace.h"

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

uint64_t bits = 14695981039346656037u;

/// Of everything that this program computes.
void addBits(const std::vector<unsigned char> &bytes) {
  for (const unsigned char byte : bytes)
    bits = (bits ^ byte) * 1099511628211u;
}

template <hk::Layout LA, hk::Layout LB> struct Problem {
  hk::GemmShape shape;
  FactorMemory<hk::f16, LA> a;
  FactorMemory<hk::f16, LB> b;
  Matrices<float> y;

  Problem(int64_t m, int64_t n, int64_t k)
      : shape{m, n, k}, a(1, m, k, 1), b(1, k, n, 1), y(Role::Output, 1, m, n, 1) {
    a.random(41), b.random(42);
  }
  hipError_t launch(const hk::GemmOptions &options, hipStream_t stream = nullptr) {
    return launch(shape, options, stream);
  }
  hipError_t launch(const hk::GemmShape &other, const hk::GemmOptions &options, hipStream_t stream = nullptr) {
    return hk::gemm({stream}, other, a.factor(), b.factor(), Plain{}, hk::tuple(),
                    hk::tuple(hk::Matrix<float>{y.data(), y.pitch}), options);
  }
};

using AlongK = Problem<Row, Column>;

/// Launches that follow each other in one workspace, one without a workspace, and what planGemm() makes of it.
template <class P> void launches(P &problem, const Products<double> &want, const NamedPlan &plan) {
  const auto &[m, n, k, batches] = problem.shape;
  Checker checker("split", "split " + sizeName(m, n, k) + " " + plan.name);
  const ExactWorkspace workspace(workspaceBytes<hk::f16>(problem.shape, plan));
  std::vector<unsigned char> before;
  for (int turn = 0; turn < 4; ++turn) {
    problem.y.reset();
    hk::GemmOptions options{&plan.plan, workspace.get()};
    if (turn == 3)
      options.workspace = {};
    checker.success(problem.launch(options));
    const std::vector<unsigned char> &got = problem.y.download();
    if (!workspace.isReady())
      checker.fail("counters are not zero");
    if (turn && got != before)
      checker.fail("launch " + std::to_string(turn) + " has other bits");
    before = got;
  }
  addBits(before);
  if (!problem.y.untouched())
    checker.fail("memory around y was written");
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      checkSum<float>(checker, want, i, j, problem.y.at(0, i, j));
}

/// All plans in one workspace after each other, of several shapes: counters are at its beginning whatever the problem.
void oneWorkspace() {
  AlongK few(5, 40, 700), many(70, 150, 300);
  size_t bytes = 0;
  for (const AlongK *problem : {&few, &many})
    for (const NamedPlan &plan : allPlans(true, 4))
      bytes = std::max(bytes, workspaceBytes<hk::f16>(problem->shape, plan));
  const ExactWorkspace workspace(bytes);
  const Products<double> wantFew = productOf(few.a, few.b), wantMany = productOf(many.a, many.b);
  for (const int splits : {2, 4})
    for (const NamedPlan &plan : allPlans(true, splits))
      for (AlongK *problem : {&few, &many}) {
        const Products<double> &want = problem == &few ? wantFew : wantMany;
        Checker checker("split", "one workspace " + sizeName(want.m, want.n, want.k) + " " + plan.name);
        problem->y.reset();
        checker.success(problem->launch({&plan.plan, workspace.get()}));
        problem->y.download();
        for (int64_t i = 0; i < want.m; ++i)
          for (int64_t j = 0; j < want.n; ++j)
            checkSum<float>(checker, want, i, j, problem->y.at(0, i, j));
      }
  if (!workspace.isReady())
    Checker("split", "one workspace").fail("counters are not zero");
}

/// A captured launch, replayed: the bits of launches.
void graph(const NamedPlan &plan, hipStream_t stream) {
  AlongK problem(9, 70, 500);
  Checker checker("graph", "graph " + plan.name);
  const ExactWorkspace workspace(workspaceBytes<hk::f16>(problem.shape, plan));
  const hk::GemmOptions options{&plan.plan, workspace.get()};
  checker.success(problem.launch(options));
  const std::vector<unsigned char> launched = problem.y.download();
  addBits(launched);

  hipGraph_t graph;
  hipGraphExec_t replay;
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "hipStreamBeginCapture");
  checker.success(problem.launch(options, stream));
  checker.success(problem.launch(options, stream));
  check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
  check(hipGraphInstantiate(&replay, graph, nullptr, nullptr, 0), "hipGraphInstantiate");
  for (int turn = 0; turn < 3; ++turn, ++elements) {
    problem.y.reset();
    check(hipGraphLaunch(replay, stream), "hipGraphLaunch");
    check(hipStreamSynchronize(stream), "hipStreamSynchronize");
    if (problem.y.download() != launched)
      checker.fail("replay " + std::to_string(turn) + " has other bits");
    if (!workspace.isReady())
      checker.fail("counters are not zero");
  }
  check(hipGraphExecDestroy(replay), "hipGraphExecDestroy");
  check(hipGraphDestroy(graph), "hipGraphDestroy");
}

/// While a stream is captured there is no memory from the pool: K is not split unless the caller asks, who is refused.
void graphWithoutWorkspace(hipStream_t stream) {
  AlongK problem(4, 64, 32768);
  Checker checker("graph", "graph without a workspace");
  if (hk::planGemm(currentTarget(), problemOf<hk::f16>(problem.shape), size_t(1) << 30).splits == 1)
    checker.fail("K would not be split with a workspace either");
  const hk::GemmPlan split{hk::GemmMode::Tile, 0, 2};

  hipGraph_t graph;
  hipGraphExec_t replay;
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "hipStreamBeginCapture");
  if (problem.launch({&split}, stream) != hipErrorInvalidValue)
    checker.fail("a plan that splits K was taken");
  checker.success(problem.launch({}, stream));
  check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
  size_t nodes = 0;
  check(hipGraphGetNodes(graph, nullptr, &nodes), "hipGraphGetNodes");
  if (nodes != 1)
    checker.fail(std::to_string(nodes) + " nodes");
  check(hipGraphInstantiate(&replay, graph, nullptr, nullptr, 0), "hipGraphInstantiate");
  problem.y.reset();
  check(hipGraphLaunch(replay, stream), "hipGraphLaunch");
  check(hipStreamSynchronize(stream), "hipStreamSynchronize");
  addBits(problem.y.download());
  const Products<double> want = productOf(problem.a, problem.b);
  for (int64_t i = 0; i < want.m; ++i)
    for (int64_t j = 0; j < want.n; ++j)
      checkSum<float>(checker, want, i, j, problem.y.at(0, i, j));
  check(hipGraphExecDestroy(replay), "hipGraphExecDestroy");
  check(hipGraphDestroy(graph), "hipGraphDestroy");
}

/// gemmWorkspaceBytes() is what the plan without an argument takes.
void ownPlan() {
  AlongK problem(4, 64, 32768);
  Checker checker("split", "planGemm's plan");
  size_t bytes = 0;
  checker.success(hk::gemmWorkspaceBytes<hk::f16>(problem.shape, bytes));
  if (!bytes)
    checker.fail("K is not split");
  const ExactWorkspace workspace(bytes);
  std::vector<unsigned char> before;
  const Products<double> want = productOf(problem.a, problem.b);
  // The caller's memory, and the pool's.
  for (const hk::GemmWorkspace &given : {workspace.get(), hk::GemmWorkspace{}, workspace.get()}) {
    problem.y.reset();
    hk::GemmOptions options;
    options.workspace = given;
    checker.success(problem.launch(options));
    const std::vector<unsigned char> &got = problem.y.download();
    if (!before.empty() && got != before)
      checker.fail("other bits");
    before = got;
    if (!workspace.isReady())
      checker.fail("counters are not zero");
    for (int64_t i = 0; i < want.m; ++i)
      for (int64_t j = 0; j < want.n; ++j)
        checkSum<float>(checker, want, i, j, problem.y.at(0, i, j));
  }
  addBits(before);
}

} // namespace

/// With an argument: fewer numbers of parts.
int main(int count, char **) {
  const bool few = count > 1;
  // Many parts, parts with nothing to do, and parts of which one ends in a rest of K.
  for (const int splits : few ? std::vector<int>{3} : std::vector<int>{2, 3, 7})
    for (const NamedPlan &plan : allPlans(true, splits)) {
      static AlongK problem(13, 70, 1100), small(2, 17, 100);
      static const Products<double> want = productOf(problem.a, problem.b), wantSmall = productOf(small.a, small.b);
      launches(problem, want, plan);
      launches(small, wantSmall, plan);
    }
  for (const NamedPlan &plan : allPlans(false, 3)) {
    static Problem<Column, Row> problem(70, 40, 500);
    static const Products<double> want = productOf(problem.a, problem.b);
    launches(problem, want, plan);
  }
  oneWorkspace();
  ownPlan();
  hipStream_t stream;
  check(hipStreamCreate(&stream), "hipStreamCreate");
  for (const int splits : {1, 3})
    for (const NamedPlan &plan : allPlans(true, splits))
      graph(plan, stream);
  graphWithoutWorkspace(stream);
  check(hipStreamDestroy(stream), "hipStreamDestroy");
  std::printf("bits %016llx\n", static_cast<unsigned long long>(bits));
  return finish();
}
