//===- linear.h - hk::linear against its formula in f64 -------------------===//
#pragma once

#include "sums.h"

#include "hk/ops/gemm.h"

namespace test {

/// In f64, how much of its argument's error it passes on, and its own in units of 2^-24 of the result.
template <template <class> class F> struct Activation;
template <> struct Activation<hk::Identity> {
  static double of(double x) { return x; }
  static constexpr double Slope = 1, Own = 0;
};
template <> struct Activation<hk::Relu> {
  static double of(double x) { return x < 0 ? 0 : x; }
  static constexpr double Slope = 1, Own = 0;
};
template <> struct Activation<hk::Silu> {
  static double of(double x) { return x / (1 + std::exp(-x)); }
  static constexpr double Slope = 1.1, Own = 5;
};

/// Which of the options a case has.
struct LinearCase {
  const char *name;
  double alpha, beta;
  bool c, bias, residual, scales, outScale, outRowScale;
};

inline const std::vector<LinearCase> &linearCases() {
  static const std::vector<LinearCase> all = {
      //                         c      bias   residual scales outScale outRowScale
      {"plain", 1, 0,            false, false, false,   false, false,   false},
      {"alpha", -0.75, 0,        false, false, false,   false, false,   false},
      {"C", 1, 1,                true,  false, false,   false, false,   false},
      {"C that is NaN", 1.5, 0,  true,  false, false,   false, false,   false},
      {"bias", 1, 0,             false, true,  false,   false, false,   false},
      {"residual", 1, 0,         false, false, true,    false, false,   false},
      {"scales", 1, 0,           false, false, false,   true,  false,   false},
      {"static scale", 1, 0,     false, false, false,   false, true,    false},
      {"scale per row", 1, 0,    false, false, false,   false, false,   true},
      {"all", 0.5, -2,           true,  true,  true,    true,  true,    true},
  };
  return all;
}

/// Factors of T, C, bias and residual of \p Extra, an output of Y.
template <template <class> class F, class T, class Extra, class Y>
void testLinearCase(const char *name, const LinearCase &which, int64_t m, int64_t n, int64_t k, int64_t gap) {
  constexpr bool Integers = std::is_same_v<T, int8_t>;
  FactorMemory<T, hk::Layout::RowMajor> a(1, m, k, gap);
  FactorMemory<T, hk::Layout::ColumnMajor> b(1, k, n, gap);
  // C and the residual: aligned where the output is not, and the other way.
  Matrices<Extra> c(Role::Input, 1, m, n, gap ? 0 : 3), residual(Role::Input, 1, m, n, gap), bias(Role::Input, 1, 1, n);
  Matrices<float> rowScale(Role::Input, 1, m, 1), columnScale(Role::Input, 1, 1, n), outScale(Role::Input, 1, 1, 1),
      outRowScale(Role::Input, 1, m, 1);
  a.random(21), b.random(22);
  auto about = [](double size, uint64_t seed) { return [=](int, int64_t r, int64_t j) { return size * normal(seed, r, j); }; };
  auto positive = [](double size, uint64_t seed) {
    return [=](int, int64_t r, int64_t j) { return size * (1 + uniform(seed, r, j)); };
  };
  // Sums of int8 are about 10^4 times as large.
  const double size = Integers ? 4000 : 1;
  if (which.beta == 0)
    c.fill([](int, int64_t, int64_t) { return NAN; });
  else
    c.fill(about(10 * size, 23));
  bias.fill(about(10 * size, 24)), residual.fill(about(10 * size, 25));
  rowScale.fill(positive(0.25, 26)), columnScale.fill(positive(0.5, 27));
  outScale.fill(positive(0.3 * size, 28)), outRowScale.fill(positive(0.1, 29));

  const Products<double> want = productOf(a, b);
  Matrices<Y> y(Role::Output, 1, m, n, gap);
  hk::LinearOptions<Extra> options;
  options.alpha = float(which.alpha), options.beta = float(which.beta);
  if (which.c)
    options.c = {c.data(), c.pitch};
  if (which.bias)
    options.bias = {bias.data()};
  if (which.residual)
    options.residual = {residual.data(), residual.pitch};
  if (which.scales)
    options.rowScale = {rowScale.data()}, options.columnScale = {columnScale.data()};
  if (which.outScale)
    options.outScale = {outScale.data()};
  if (which.outRowScale)
    options.outRowScale = {outRowScale.data()};
  for (const NamedPlan &plan : allPlans(true)) {
    Checker checker(name, std::string(name) + ", " + which.name + " " + sizeName(m, n, k) + " gap " + std::to_string(gap) + " " +
                              plan.name);
    y.reset();
    options.gemm.plan = &plan.plan;
    checker.success(hk::linear<F>({}, {m, n, k}, a.factor(), b.factor(), options, hk::Matrix<Y>{y.data(), y.pitch}));
    y.download();
    if (!y.untouched())
      checker.fail("memory around y was written");
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        // Each step's value, and how far off it may be: what it had, and half a unit in the last place.
        double value = want.sum(i, j), error = Integers ? Unit * std::fabs(value) : want.allowed(i, j);
        auto round = [&] { error += Unit * std::fabs(value); };
        auto times = [&](double by) { value *= by, error *= std::fabs(by), round(); };
        times(which.alpha);
        if (which.scales)
          times(rowScale.at(0, i, 0)), times(columnScale.at(0, 0, j));
        double added = 0;
        if (which.c && which.beta != 0)
          added += which.beta * c.at(0, i, j), error += Unit * std::fabs(added);
        if (which.bias)
          added += bias.at(0, 0, j), error += Unit * std::fabs(added);
        value += added, round();
        value = Activation<F>::of(value);
        error = Activation<F>::Slope * error + Activation<F>::Own * Unit * std::fabs(value) + 0x1p-120;
        if (which.residual)
          value += residual.at(0, i, j), round();
        if (which.outScale)
          times(1 / outScale.at(0, 0, 0)), round(); // the reciprocal rounds, too
        if (which.outRowScale)
          times(1 / outRowScale.at(0, i, 0)), round();
        checker.element("y", *TypeIs<Y>, i, j, y.at(0, i, j), value, 1.0001 * error);
      }
  }
}

template <template <class> class F, class T, class Extra, class Y> void testLinear(const char *name) {
  for (const LinearCase &which : linearCases()) {
    testLinearCase<F, T, Extra, Y>(name, which, 20, 64, 96, 0);
    testLinearCase<F, T, Extra, Y>(name, which, 7, 70, 50, 3);
  }
}

} // namespace test
