//===- groups.h - hk::gemmGrouped over rows of experts ---------------------===//
#pragma once

#include "sums.h"
#include "workspace.h"

namespace test {

/// offsets[g] = first + the sizes before g: what a router's kernel does.
__global__ void writeOffsets(const int32_t *sizes, int first, int count, int32_t *offsets) {
  for (int g = int(threadIdx.x); g <= count; g += int(blockDim.x)) {
    int sum = first;
    for (int before = 0; before < g; ++before)
      sum += sizes[before];
    offsets[g] = sum;
  }
}

/// Rows of each group; those before `first`, and after the last group's, belong to none.
struct GroupSizes {
  int first;
  std::vector<int> sizes;

  int count() const { return int(sizes.size()); }
  /// The group of a row, or -1.
  int of(int64_t row) const {
    row -= first;
    for (int g = 0; row >= 0 && g < count(); row -= sizes[g++])
      if (row < sizes[g])
        return g;
    return -1;
  }
};

/// Device memory of exactly so many integers.
class Integers {
public:
  explicit Integers(size_t count) : bytes(count * sizeof(int32_t)) {
    check(hipMalloc(reinterpret_cast<void **>(&data), bytes ? bytes : 1), "hipMalloc");
  }
  explicit Integers(const std::vector<int> &values) : Integers(values.size()) { set(values); }
  ~Integers() { check(hipFree(data), "hipFree"); }
  Integers(const Integers &) = delete;
  Integers &operator=(const Integers &) = delete;
  void set(const std::vector<int> &values) const {
    check(hipMemcpy(data, values.data(), bytes, hipMemcpyHostToDevice), "hipMemcpy");
  }
  int32_t *data;

private:
  size_t bytes;
};

/// Per row, per row and column, and per column of each group.
struct ScaleAndAdd {
  template <class Sum>
  __device__ float operator()(hk::At at, Sum sum, float rowScale, float residual, float perColumn) const {
    return ((float(sum) * rowScale + residual) + perColumn) + float(at.row);
  }
};

/// The number of tiles that a plan has to have counters and workspace for.
template <class T> size_t groupedWorkspace(const hk::GemmShape &shape, int count, const NamedPlan &plan) {
  return hk::detail::groupedBytes(currentTarget(), problemOf<T>(shape), count, plan.plan);
}

/// m rows of A in up to `experts` groups, B for each.
template <class T, hk::Layout LA, hk::Layout LB> struct Experts {
  static constexpr bool IsInteger = std::is_same_v<T, int8_t>;
  int64_t m, n, k;
  int experts;
  FactorMemory<T, LA> a;
  FactorMemory<T, LB> b;
  Matrices<float> rowScale, residual, bias, y;
  std::vector<Products<double>> want; ///< of all rows, with each group's B

  Experts(int64_t m, int64_t n, int64_t k, int experts, int64_t gap)
      : m(m), n(n), k(k), experts(experts), a(1, m, k, gap), b(experts, k, n, gap, 3 * gap),
        rowScale(Role::Input, 1, m, 1), residual(Role::Input, 1, m, n, gap), bias(Role::Input, experts, 1, n, 0, gap),
        y(Role::Output, 1, m, n, 2 * gap) {
    a.random(51), b.random(52);
    rowScale.fill([](int, int64_t i, int64_t) { return 0.5 + uniform(53, i, 0); });
    residual.fill([](int, int64_t i, int64_t j) { return normal(54, i, j); });
    bias.fill([](int g, int64_t, int64_t j) { return normal(55 + g, 0, j); });
    for (int g = 0; g < experts; ++g)
      want.push_back(productOf(a, b, 0, g));
  }

  hipError_t launch(const int32_t *offsets, int count, const hk::GemmOptions &options, hipStream_t stream = nullptr) {
    return hk::gemmGrouped(
        {stream}, {m, n, k}, hk::GemmRowGroups{offsets, count}, a.factor(), b.factor(), ScaleAndAdd{},
        hk::tuple(hk::ColumnVector<float>{rowScale.data()}, hk::Matrix<const float>{residual.data(), residual.pitch},
                  hk::batched(hk::RowVector<float>{bias.data()}, bias.stride)),
        hk::tuple(hk::Matrix<float>{y.data(), y.pitch}), options);
  }

  /// The memory that y.reset() left, as what it has to be where there are no groups.
  void verify(Checker &checker, const GroupSizes &groups, const std::vector<unsigned char> &before) {
    const std::vector<unsigned char> &after = y.download();
    if (!y.untouched())
      checker.fail("memory around y was written");
    const size_t front = (after.size() - ((m - 1) * y.pitch + n) * sizeof(float)) / 2;
    for (int64_t i = 0; i < m; ++i) {
      const int g = groups.of(i);
      const size_t at = front + i * y.pitch * sizeof(float);
      if (g < 0 && std::memcmp(&after[at], &before[at], n * sizeof(float)) != 0)
        checker.fail("row " + std::to_string(i) + " has no group and was written");
      for (int64_t j = 0; g >= 0 && j < n; ++j) {
        const double sum = want[g].sum(i, j), scale = rowScale.at(0, i, 0), scaled = sum * scale;
        const double with = scaled + residual.at(0, i, j), all = with + bias.at(g, 0, j), result = all + double(i);
        const double error = (IsInteger ? Unit * std::fabs(sum) : want[g].allowed(i, j)) * scale;
        checker.element("y", F32, i, j, y.at(0, i, j), result,
                        error +
                            1.01 * Unit * (std::fabs(scaled) + std::fabs(with) + std::fabs(all) + std::fabs(result)));
      }
    }
  }
  std::vector<unsigned char> fresh() {
    y.reset();
    return y.download();
  }

  /// By every plan, with and without splits.
  void run(const std::string &name, const GroupSizes &groups, const std::vector<int> &splits = {1, 3}) {
    const Integers sizes(groups.sizes), offsets(groups.count() + 1);
    for (const int parts : splits)
      for (const NamedPlan &plan : groupedPlans(isAlongK(LA, LB), parts)) {
        if (!hasKernel<T, T>(plan))
          continue;
        Checker checker("grouped", name + " " + sizeName(m, n, k) + " " + plan.name);
        const ExactWorkspace workspace(groupedWorkspace<T>({m, n, k}, groups.count(), plan));
        const std::vector<unsigned char> before = fresh();
        writeOffsets<<<1, 64>>>(sizes.data, groups.first, groups.count(), offsets.data);
        checker.success(launch(offsets.data, groups.count(), {&plan.plan, workspace.get()}));
        verify(checker, groups, before);
        if (!workspace.isReady())
          checker.fail("counters are not zero");
      }
  }
};

} // namespace test
