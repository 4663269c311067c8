//===- dynamic.h - hk::linearDynamic against its formula in f64 ------------===//
#pragma once

#include "linear.h"
#include "workspace.h"

#include "hk/ops/gemm_quantize.h"

namespace test {

/// The least maximum of a row that a scale is made of: hk/operands.h.
template <class Q> inline double leastMaximum() { return TypeIs<Q>->largest > 4096 ? 0x1p-110 : 0x1p-116; }

inline uint64_t bits = 14695981039346656037u;

/// Of everything that this program computes.
inline void addBits(const std::vector<unsigned char> &bytes) {
  for (const unsigned char byte : bytes)
    bits = (bits ^ byte) * 1099511628211u;
}

/// Rows that are not like the others, if there are so many.
constexpr int64_t ZeroRow = 1, NaNRow = 3, InfiniteRow = 4, NaNFactorRow = 6, Special = 5; // column of NaN and infinity

/// silu(alpha * A * B) + residual. \p Group: columns with a scale; 0: a row.
template <class T, class Q, class Between, int Group = 0> struct Dynamic {
  static constexpr bool Integers = std::is_same_v<T, int8_t>;
  hk::GemmShape shape;
  FactorMemory<T, hk::Layout::RowMajor> a;
  FactorMemory<T, hk::Layout::ColumnMajor> b;
  Matrices<float> residual, scale;
  Matrices<Q> y;
  std::vector<Products<double>> products;
  hk::LinearOptions<float> options;

  int64_t groups() const { return Group ? (shape.n + Group - 1) / Group : 1; }

  /// \p dense: y's batches follow each other without a gap.
  Dynamic(const hk::GemmShape &s, int64_t gap, bool dense = false)
      : shape(s), a(s.batches, s.m, s.k, gap), b(s.batches, s.k, s.n, gap),
        residual(Role::Input, s.batches, s.m, s.n, gap),
        scale(Role::Output, 1, s.batches * s.m, Group ? (s.n + Group - 1) / Group : 1, Group ? gap : 0),
        y(Role::Output, s.batches, s.m, s.n, gap, dense ? 0 : 7 * gap) {
    a.fill([&](int batch, int64_t i, int64_t k) -> double {
      if (i == ZeroRow)
        return 0;
      if constexpr (Integers)
        return std::floor(uniform(91 + batch, i, k) * 256) - 128;
      else
        return i == NaNFactorRow && k == 0 ? NAN : normal(91 + batch, i, k);
    });
    b.random(92);
    residual.fill([](int batch, int64_t i, int64_t j) -> double {
      if (i == ZeroRow)
        return j % 2 ? -0.0 : 0.0;
      if (j == Special && (i == NaNRow || i == InfiniteRow))
        return i == NaNRow ? NAN : -INFINITY;
      return 3 * normal(93 + batch, i, j);
    });
    for (int batch = 0; batch < s.batches; ++batch)
      products.push_back(productOf(a, b, batch, batch));
    options.alpha = Integers ? 0x1p-12f : 0.5f;
    options.residual = {residual.data(), residual.pitch};
    options.residualStride = residual.stride;
    options.yStride = y.stride;
  }

  auto output() {
    if constexpr (Group == 0)
      return hk::QuantizedRows<Q>{y.data(), y.pitch, scale.data()};
    else
      return hk::QuantizedGroups<Q, Group>{y.data(), y.pitch, scale.data(), scale.pitch};
  }
  hipError_t launch(const hk::GemmOptions &gemm, hipStream_t stream = nullptr) {
    hk::LinearOptions<float> own = options;
    own.gemm = gemm;
    return hk::linearDynamic<hk::Silu, hk::Exact, Between>({stream}, shape, a.factor(), b.factor(), own, output());
  }
  size_t bytes() const {
    size_t bytes = 0;
    check(hk::linearDynamicWorkspaceBytes<T, T, Between>(shape, bytes), "linearDynamicWorkspaceBytes");
    return bytes;
  }
  /// \p plan: one of allPlans().
  size_t bytes(const NamedPlan &plan) const {
    return std::max(workspaceBytes<T>(shape, plan), hk::detail::GemmPartialsOffset) +
           hk::detail::BetweenShape<Between>(shape).bytes;
  }
  void reset() { y.reset(), scale.reset(); }
  std::vector<unsigned char> download() {
    std::vector<unsigned char> all = y.download();
    const std::vector<unsigned char> &scales = scale.download();
    all.insert(all.end(), scales.begin(), scales.end());
    return all;
  }

  /// What was downloaded.
  void verify(Checker &checker) {
    if (!y.untouched() || !scale.untouched())
      checker.fail("memory around an output was written");
    const ElementType &type = *TypeIs<Q>;
    const double rounding = std::is_same_v<Between, float> ? 0 : 0x1p-8; // bf16
    std::vector<double> values(shape.n), errors(shape.n);
    for (int batch = 0; batch < shape.batches; ++batch)
      for (int64_t i = 0; i < shape.m; ++i) {
        for (int64_t j = 0; j < shape.n; ++j) {
          const double sum = products[batch].sum(i, j), scaled = sum * options.alpha;
          const double gate = scaled / (1 + std::exp(-scaled)), added = residual.at(batch, i, j);
          double error = (Integers ? Unit * std::fabs(sum) : products[batch].allowed(i, j)) * options.alpha +
                         Unit * std::fabs(scaled);
          error = Activation<hk::Silu>::Slope * error + Activation<hk::Silu>::Own * Unit * std::fabs(gate);
          values[j] = gate + added;
          errors[j] = error + (Unit + rounding) * (std::fabs(values[j]) + error) + (rounding ? 0x1p-24 : 0x1p-140);
          if (added == 0 && sum == 0)
            errors[j] = 0;
        }
        for (int64_t g = 0; g < groups(); ++g) {
          const int64_t first = g * Group, end = Group && first + Group < shape.n ? first + Group : shape.n;
          double most = 0, off = 0;
          for (int64_t j = first; j < end; ++j)
            if (std::fabs(values[j]) > most) // not NaN
              most = std::fabs(values[j]);
          for (int64_t j = first; j < end; ++j)
            if (std::isfinite(errors[j]))
              off = std::max(off, errors[j]);
          const bool least = most < leastMaximum<Q>();
          most = std::max(most, leastMaximum<Q>());
          off = least ? 0 : off + 2.1 * Unit * most;
          checker.element("scale", F32, batch * shape.m + i, g, scale.at(0, batch * shape.m + i, g),
                          most / type.largest, off / type.largest);
          for (int64_t j = first; j < end; ++j) {
            // An infinite value is NaN, 0 as an integer; beside one others are zero.
            const double exact = std::isinf(values[j]) ? NAN
                                 : std::isinf(most)    ? 0.0 * values[j]
                                                       : values[j] * (type.largest / most);
            const double got = y.at(batch, i, j);
            if (std::isinf(most) && std::isfinite(values[j])) {
              ++elements;
              if (got != 0)
                checker.fail("row " + std::to_string(i) + " column " + std::to_string(j) +
                             ": not zero beside infinity");
              continue;
            }
            const double allowed = errors[j] * (type.largest / most) + std::fabs(exact) * (off / most + 4.1 * Unit);
            checker.element("y", type, i, j, got, exact, allowed);
          }
        }
      }
  }

  std::string name(const char *types) const {
    return std::string(types) + " " + sizeName(shape.m, shape.n, shape.k) +
           (Group ? " groups of " + std::to_string(Group) : "") + " gap " + std::to_string(y.pitch - shape.n);
  }

  /// With the caller's workspace and the pool's memory; and by all \p plans.
  void run(const char *types, const std::vector<NamedPlan> &plans) {
    std::vector<unsigned char> before;
    {
      Checker checker("dynamic", name(types));
      const ExactWorkspace workspace(bytes());
      for (const hk::GemmWorkspace &given : {workspace.get(), hk::GemmWorkspace{}, workspace.get()}) {
        reset();
        hk::GemmOptions gemm;
        gemm.workspace = given;
        checker.success(launch(gemm));
        const std::vector<unsigned char> got = download();
        if (!before.empty() && got != before)
          checker.fail("other bits");
        before = got;
        verify(checker);
        if (!workspace.isReady())
          checker.fail("counters are not zero");
      }
      addBits(before);
    }
    for (const NamedPlan &plan : plans) {
      if (!hasKernel<T, T>(plan))
        continue;
      Checker checker("dynamic", name(types) + " " + plan.name);
      const ExactWorkspace workspace(bytes(plan));
      reset();
      checker.success(launch({&plan.plan, workspace.get()}));
      addBits(download());
      verify(checker);
      if (!workspace.isReady())
        checker.fail("counters are not zero");
    }
  }
};

} // namespace test
