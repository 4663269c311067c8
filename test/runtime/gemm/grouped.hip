// hk::gemmGrouped over rows of experts, in all layouts and by every kernel, with K split, too: uneven groups, some without rows,
// offsets that a kernel writes, and what is refused.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/groups.h"

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

/// \p parts of more groups than a wavefront has lanes, few of them with rows.
GroupSizes manyGroups() {
  GroupSizes groups{0, std::vector<int>(131, 0)};
  groups.sizes[3] = 2, groups.sizes[64] = 1, groups.sizes[65] = 20, groups.sizes[130] = 7;
  return groups;
}

template <hk::Layout LA, hk::Layout LB> void uneven(const char *layout, int64_t n, int64_t k, int64_t gap) {
  Experts<hk::f16, LA, LB> problem(112, n, k, 7, gap);
  const std::string name = std::string(layout) + " gap " + std::to_string(gap);
  problem.run(name + ", first and last empty", {0, {0, 1, 37, 0, 66, 8, 0}});
  problem.run(name + ", all in one", {0, {0, 0, 0, 112}}, {1});
  problem.run(name + ", rows of no group", {5, {16, 0, 17, 1}}, {1});
}

void many() {
  Experts<hk::f16, Row, Column> problem(30, 18, 130, 131, 1);
  problem.run("131 groups", manyGroups());
  Experts<hk::f16, Row, Column> few(3, 18, 64, 40, 0);
  GroupSizes single{0, std::vector<int>(40, 0)};
  single.sizes[7] = single.sizes[8] = single.sizes[39] = 1;
  few.run("more groups than rows", single, {1});
}

/// K = 0: the epilogue of zeros.
void noK() {
  Experts<hk::f16, Row, Column> problem(20, 33, 0, 3, 0);
  problem.run("k = 0", {0, {3, 0, 17}});
}

/// Without a plan: K split with the caller's workspace, and with the pool's memory.
void ownPlan() {
  Experts<hk::f16, Row, Column> problem(9, 33, 8192, 4, 0);
  const GroupSizes groups{0, {2, 0, 6, 1}};
  const Integers offsets({0, 2, 2, 8, 9});
  size_t bytes = 0;
  Checker checker("grouped", "planGroups's plan");
  checker.success(hk::gemmGroupedWorkspaceBytes<hk::f16>({9, 33, 8192}, 4, bytes));
  if (!bytes)
    checker.fail("K is not split");
  const ExactWorkspace workspace(bytes);
  std::vector<unsigned char> one;
  for (const hk::GemmWorkspace &given : {workspace.get(), hk::GemmWorkspace{}}) {
    const std::vector<unsigned char> before = problem.fresh();
    hk::GemmOptions options;
    options.workspace = given;
    checker.success(problem.launch(offsets.data, 4, options));
    problem.verify(checker, groups, before);
    std::vector<unsigned char> got = problem.y.download();
    if (!one.empty() && one != got)
      checker.fail("other bits");
    one = std::move(got);
    if (!workspace.isReady())
      checker.fail("counters are not zero");
  }
}

/// Offsets that are none: nothing outside of A and y is touched. The simulator faults on what is read, y's guard shows
/// what is written.
void wrongOffsets() {
  Experts<hk::f16, Row, Column> problem(40, 33, 100, 3, 1);
  for (const std::vector<int> &offsets :
       {std::vector<int>{-5, 60, 1000, 2000}, {30, 10, 50, -7}, {0, 0x7fffffff, -0x7fffffff, 40}, {0, 40, 0, 40}})
    for (const int splits : {1, 2})
      for (const NamedPlan &plan : groupedPlans(true, splits)) {
        const Integers device(offsets);
        Checker checker("grouped", "wrong offsets " + plan.name);
        const ExactWorkspace workspace(groupedWorkspace<hk::f16>({40, 33, 100}, 3, plan));
        problem.y.reset();
        checker.success(problem.launch(device.data, 3, {&plan.plan, workspace.get()}));
        problem.y.download();
        ++elements;
        if (!problem.y.untouched())
          checker.fail("memory around y was written");
        if (!workspace.isReady())
          checker.fail("counters are not zero");
      }
}

void errors() {
  Experts<hk::f16, Row, Column> problem(20, 33, 100, 3, 0);
  const Integers offsets({0, 2, 5, 20});
  auto launch = [&](const hk::GemmShape &shape, const hk::GemmRowGroups &groups, const hk::GemmOptions &options = {},
                    int64_t ld = 100, int64_t pitch = 33) {
    auto a = problem.a.factor();
    a.ld = ld;
    return hk::gemmGrouped({}, shape, groups, a, problem.b.factor(), Plain{}, hk::tuple(),
                           hk::tuple(hk::Matrix<float>{problem.y.data(), pitch}), options);
  };
  auto refuse = [&](const char *what, hipError_t error, hipError_t wanted = hipErrorInvalidValue) {
    Checker checker("errors", what);
    refused(checker, problem.y, error, wanted);
  };
  problem.y.reset();
  const hk::GemmRowGroups groups{offsets.data, 3};
  refuse("m < 0", launch({-1, 33, 100}, groups));
  refuse("batches", launch({20, 33, 100, 2}, groups));
  refuse("no batches", launch({20, 33, 100, 0}, groups));
  refuse("count < 0", launch({20, 33, 100}, {offsets.data, -1}));
  refuse("no offsets", launch({20, 33, 100}, {nullptr, 3}));
  refuse("leading dimension", launch({20, 33, 100}, groups, {}, -1));
  refuse("pitch", launch({20, 33, 100}, groups, {}, 100, -1));
  refuse("no groups", launch({20, 33, 100}, {nullptr, 0}), hipSuccess);
  refuse("no rows", launch({0, 33, 100}, groups), hipSuccess);
  refuse("no columns", launch({20, 0, 100}, groups), hipSuccess);
  for (const hk::GemmPlan &plan :
       {hk::GemmPlan{hk::GemmMode::Tile, 1000, 1}, {hk::GemmMode::Stream, -1, 1}, {hk::GemmMode::Tile, 0, 0}})
    refuse("plan", launch({20, 33, 100}, groups, {&plan}));
  for (const NamedPlan &plan : groupedPlans(true, 2)) {
    const size_t bytes = groupedWorkspace<hk::f16>({20, 33, 100}, 3, plan);
    const ExactWorkspace workspace(bytes);
    refuse((plan.name + ": workspace").c_str(),
           launch({20, 33, 100}, groups, {&plan.plan, {workspace.get().data, bytes - 1}}));
  }
  // So many bands that tiles have no counters.
  const hk::GemmPlan split{hk::GemmMode::Stream, 0, 2};
  refuse("more tiles than counters", launch({hk::detail::GemmCounters * 8 + 1, 33, 100}, groups, {&split}));
  const hk::GemmPlan stream{hk::GemmMode::Stream, 0, 1};
  refuse("more bands than a grid has", launch({int64_t(65536) * 8, 33, 100}, groups, {&stream}));
}

} // namespace

int main() {
  uneven<Row, Column>("NT", 35, 200, 0);
  uneven<Row, Column>("NT", 67, 333, 1);
  uneven<Row, Row>("NN", 35, 101, 1);
  uneven<Column, Column>("TT", 35, 101, 1);
  uneven<Column, Row>("TN", 40, 96, 0);
  many();
  noK();
  ownPlan();
  wrongOffsets();
  errors();
  return finish();
}
