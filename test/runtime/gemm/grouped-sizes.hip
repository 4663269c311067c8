// hk::gemmGrouped of problems whose m, n, k, leading dimensions and pointers are all their own, by every kernel, with K split,
// too; and of experts' rows from a captured graph that is replayed with other offsets.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict --schedules=3 %t few | FileCheck --check-prefixes=CHECK,AGAIN %s
// CHECK: bits [[BITS:[0-9a-f]+]]
// CHECK: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
// AGAIN: bits [[BITS]]
// AGAIN: all {{[0-9]+}} passed
#include "Inputs/groups.h"

#include <memory>

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

uint64_t bits = 14695981039346656037u;

/// Of everything that this program computes.
void addBits(const std::vector<unsigned char> &bytes) {
  for (const unsigned char byte : bytes)
    bits = (bits ^ byte) * 1099511628211u;
}

struct Size {
  int m, n, k, gap;
};

template <class T> T *onDevice(const std::vector<T> &values) {
  T *data;
  check(hipMalloc(reinterpret_cast<void **>(&data), values.size() * sizeof(T)), "hipMalloc");
  check(hipMemcpy(data, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
  return data;
}

/// Each group in memory of its own.
template <hk::Layout LA, hk::Layout LB> struct Problems {
  struct Group {
    Size size;
    FactorMemory<hk::f16, LA> a;
    FactorMemory<hk::f16, LB> b;
    Matrices<float> y;
    Products<double> want;

    Group(const Size &s, int number)
        : size(s), a(1, s.m, s.k, s.gap), b(1, s.k, s.n, s.gap), y(Role::Output, 1, s.m, s.n, s.gap),
          want((a.random(60 + number), b.random(80 + number), productOf(a, b))) {}
  };
  std::vector<std::unique_ptr<Group>> groups;
  hk::GemmShape most{0, 0, 0};
  std::vector<void *> memory;
  hk::GemmGroup *sizes;
  const hk::f16 **as, **bs;
  float **ys;
  int64_t *pitches;

  explicit Problems(const std::vector<Size> &all) {
    std::vector<hk::GemmGroup> sizes;
    std::vector<const hk::f16 *> as, bs;
    std::vector<float *> ys;
    std::vector<int64_t> pitches;
    for (const Size &s : all) {
      groups.push_back(std::make_unique<Group>(s, int(groups.size())));
      const Group &own = *groups.back();
      most.m += s.m, most.n = std::max<int64_t>(most.n, s.n), most.k = std::max<int64_t>(most.k, s.k);
      sizes.push_back({s.m, s.n, s.k, 0, own.a.memory.pitch, own.b.memory.pitch});
      as.push_back(own.a.memory.data()), bs.push_back(own.b.memory.data()), ys.push_back(own.y.data());
      pitches.push_back(own.y.pitch);
    }
    this->sizes = keep(onDevice(sizes)), this->as = keep(onDevice(as)), this->bs = keep(onDevice(bs));
    this->ys = keep(onDevice(ys)), this->pitches = keep(onDevice(pitches));
  }
  ~Problems() {
    for (void *one : memory)
      check(hipFree(one), "hipFree");
  }
  template <class T> T *keep(T *data) {
    memory.push_back(data);
    return data;
  }

  void run(const std::string &name, const std::vector<int> &splits) {
    auto factorOf = [](auto layout, const hk::f16 *const *array) {
      if constexpr (decltype(layout)::value == Row)
        return hk::rowMajorBatch(array, 0);
      else
        return hk::columnMajorBatch(array, 0);
    };
    const int count = int(groups.size());
    for (const int parts : splits)
      for (const NamedPlan &plan : groupedPlans(isAlongK(LA, LB), parts)) {
        if (!hasKernel<hk::f16, hk::f16>(plan))
          continue;
        Checker checker("sizes", name + " " + plan.name);
        const ExactWorkspace workspace(groupedWorkspace<hk::f16>(most, count, plan));
        for (auto &group : groups)
          group->y.reset();
        checker.success(hk::gemmGrouped(
            {}, most, hk::GemmGroups{sizes, count}, factorOf(std::integral_constant<hk::Layout, LA>(), as),
            factorOf(std::integral_constant<hk::Layout, LB>(), bs), Plain{}, hk::tuple(),
            hk::tuple(hk::MatrixGroups<float>{ys, pitches}), {&plan.plan, workspace.get()}));
        if (!workspace.isReady())
          checker.fail("counters are not zero");
        for (auto &group : groups) {
          addBits(group->y.download());
          if (!group->y.untouched())
            checker.fail("memory around y was written");
          for (int64_t i = 0; i < group->size.m; ++i)
            for (int64_t j = 0; j < group->size.n; ++j)
              checkSum<float>(checker, group->want, i, j, group->y.at(0, i, j));
        }
      }
  }
};

/// A router's kernel and the product after it in a graph; between replays the sizes change.
void graph(hipStream_t stream, const std::vector<NamedPlan> &plans) {
  Experts<hk::f16, Row, Column> problem(70, 35, 200, 4, 1);
  const Integers sizes(4), offsets(5);
  for (const NamedPlan &plan : plans) {
    if (!hasKernel<hk::f16, hk::f16>(plan))
      continue;
    Checker checker("graph", "graph " + plan.name);
    const ExactWorkspace workspace(groupedWorkspace<hk::f16>({70, 35, 200}, 4, plan));
    hipGraph_t graph;
    hipGraphExec_t replay;
    check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "hipStreamBeginCapture");
    writeOffsets<<<1, 64, 0, stream>>>(sizes.data, 0, 4, offsets.data);
    checker.success(problem.launch(offsets.data, 4, {&plan.plan, workspace.get()}, stream));
    check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
    check(hipGraphInstantiate(&replay, graph, nullptr, nullptr, 0), "hipGraphInstantiate");
    for (const GroupSizes &groups :
         {GroupSizes{0, {70, 0, 0, 0}}, {0, {0, 1, 0, 69}}, {0, {0, 0, 0, 0}}, {0, {18, 17, 33, 2}}}) {
      sizes.set(groups.sizes);
      const std::vector<unsigned char> before = problem.fresh();
      check(hipGraphLaunch(replay, stream), "hipGraphLaunch");
      check(hipStreamSynchronize(stream), "hipStreamSynchronize");
      problem.verify(checker, groups, before);
      addBits(problem.y.download());
      if (!workspace.isReady())
        checker.fail("counters are not zero");
    }
    check(hipGraphExecDestroy(replay), "hipGraphExecDestroy");
    check(hipGraphDestroy(graph), "hipGraphDestroy");
  }
}

} // namespace

/// With an argument: fewer numbers of parts.
int main(int count, char **) {
  const std::vector<int> splits = count > 1 ? std::vector<int>{3} : std::vector<int>{1, 2, 5};
  Problems<Row, Column>(
      {{3, 70, 100, 0}, {66, 17, 333, 1}, {0, 40, 50, 0}, {20, 35, 0, 3}, {1, 1, 1, 0}, {17, 130, 64, 2}})
      .run("NT", splits);
  Problems<Column, Row>({{20, 70, 100, 1}, {66, 17, 133, 0}, {1, 65, 7, 2}}).run("TN", splits);
  hipStream_t stream;
  check(hipStreamCreate(&stream), "hipStreamCreate");
  for (const int parts : splits)
    graph(stream, groupedPlans(true, parts));
  check(hipStreamDestroy(stream), "hipStreamDestroy");
  std::printf("bits %016llx\n", static_cast<unsigned long long>(bits));
  return finish();
}
