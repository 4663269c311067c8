// hk::gemm of batches, by every kernel, with K split, too: matrices at a stride, one for all batches, and behind pointers in
// device memory.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/sums.h"
#include "Inputs/workspace.h"

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

struct Add {
  __device__ float operator()(float sum, float residual, float perColumn) const { return (sum + residual) + perColumn; }
};

struct Shape {
  int64_t m, n, k, gap;
};

template <hk::Layout LA, hk::Layout LB> struct Batch {
  static constexpr int Count = 3;
  Shape s;
  bool shared; ///< B
  FactorMemory<hk::f16, LA> a;
  FactorMemory<hk::f16, LB> b;
  Matrices<hk::bf16> residual;
  Matrices<float> bias;
  Matrices<float> y;
  std::vector<Products<double>> want;

  Batch(const Shape &s, bool shared)
      : s(s), shared(shared), a(Count, s.m, s.k, s.gap, s.gap), b(shared ? 1 : Count, s.k, s.n, s.gap, 3 * s.gap),
        residual(Role::Input, Count, s.m, s.n, 2 * s.gap, s.gap), bias(Role::Input, 1, 1, s.n),
        y(Role::Output, Count, s.m, s.n, s.gap, 5 * s.gap) {
    a.random(31), b.random(32);
    residual.fill([](int b, int64_t i, int64_t j) { return normal(33 + b, i, j); });
    bias.fill([](int, int64_t, int64_t j) { return normal(37, 0, j); });
    for (int batch = 0; batch < Count; ++batch)
      want.push_back(productOf(a, b, batch, shared ? 0 : batch));
  }

  /// launch(options): as the test launches it. \p order: the batch of A's and y's matrices that batch 0, 1, ... of the launch
  /// has.
  template <class F> void run(const char *name, const int (&order)[Count], F &&launch) {
    for (const int splits : {1, 3})
      for (const NamedPlan &plan : allPlans(isAlongK(LA, LB), splits)) {
        const hk::GemmShape shape{s.m, s.n, s.k, Count};
        Checker checker("batches", std::string(name) + " " + sizeName(s.m, s.n, s.k) + " gap " + std::to_string(s.gap) +
                                       (LB == Row ? " NN " : " NT ") + plan.name);
        const ExactWorkspace workspace(workspaceBytes<hk::f16>(shape, plan));
        hk::GemmOptions options{&plan.plan, workspace.get()};
        y.reset();
        checker.success(launch(shape, options));
        y.download();
        if (!workspace.isReady())
          checker.fail("counters are not zero");
        if (!y.untouched())
          checker.fail("memory around y was written");
        for (int batch = 0; batch < Count; ++batch)
          for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < s.n; ++j) {
              const int of = order[batch];
              const double sum = want[of].sum(i, j), with = sum + residual.at(of, i, j), all = with + bias.at(0, 0, j);
              checker.element("y", F32, i, j, y.at(of, i, j), all,
                              want[of].allowed(i, j) + 1.01 * Unit * (std::fabs(with) + std::fabs(all)));
            }
      }
  }

  void strided() {
    run(shared ? "B shared" : "strided", {0, 1, 2}, [&](const hk::GemmShape &shape, const hk::GemmOptions &options) {
      return hk::gemm({}, shape, a.factor(), b.factor(hk::AsStored{}, shared), Add{},
                      hk::tuple(hk::batched(hk::Matrix<const hk::bf16>{residual.data(), residual.pitch}, residual.stride),
                                hk::RowVector<float>{bias.data()}),
                      hk::tuple(hk::batched(hk::Matrix<float>{y.data(), y.pitch}, y.stride)), options);
    });
  }

  /// The matrices of a batch in another order than in memory.
  void pointers() {
    const int order[Count] = {2, 0, 1};
    auto pointersTo = [&](auto &memory, auto *type, bool first) {
      using Pointer = decltype(type);
      Pointer host[Count], *device;
      for (int batch = 0; batch < Count; ++batch)
        host[batch] = memory.data(first ? 0 : order[batch]);
      check(hipMalloc(reinterpret_cast<void **>(&device), sizeof host), "hipMalloc");
      check(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice), "hipMemcpy");
      return device;
    };
    const auto as = pointersTo(a.memory, static_cast<const hk::f16 *>(nullptr), false);
    const auto bs = pointersTo(b.memory, static_cast<const hk::f16 *>(nullptr), shared);
    const auto residuals = pointersTo(residual, static_cast<const hk::bf16 *>(nullptr), false);
    const auto ys = pointersTo(y, static_cast<float *>(nullptr), false);
    auto factorOf = [](auto layout, const hk::f16 *const *array, int64_t ld) {
      if constexpr (decltype(layout)::value == Row)
        return hk::rowMajorBatch(array, ld);
      else
        return hk::columnMajorBatch(array, ld);
    };
    run("pointers", order, [&](const hk::GemmShape &shape, const hk::GemmOptions &options) {
      return hk::gemm({}, shape, factorOf(std::integral_constant<hk::Layout, LA>(), as, a.memory.pitch),
                      factorOf(std::integral_constant<hk::Layout, LB>(), bs, b.memory.pitch), Add{},
                      hk::tuple(hk::MatrixArray<const hk::bf16>{residuals, residual.pitch}, hk::RowVector<float>{bias.data()}),
                      hk::tuple(hk::MatrixArray<float>{ys, y.pitch}), options);
    });
    for (const void *memory : {static_cast<const void *>(as), static_cast<const void *>(bs),
                               static_cast<const void *>(residuals), static_cast<const void *>(ys)})
      check(hipFree(const_cast<void *>(memory)), "hipFree");
  }
};

template <hk::Layout LA, hk::Layout LB> void testBatches(const Shape &s, bool shared) {
  Batch<LA, LB> batch(s, shared);
  batch.strided();
  batch.pointers();
}

} // namespace

int main() {
  for (const bool shared : {false, true}) {
    testBatches<Row, Column>({20, 64, 640, 0}, shared);
    testBatches<Row, Column>({3, 70, 333, 1}, shared);
    testBatches<Row, Row>({67, 40, 200, 1}, shared);
  }
  return finish();
}
