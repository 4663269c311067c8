//===- softmaxes.h - Softmax against f64 ----------------------------------===//
#pragma once

#include "library.h"

namespace test {

enum class Mask { None, Full, Shared };

inline void testSoftmax(const ElementType &type, const ElementType &outType, const ElementType &maskType, Mask masked,
                        const Shape &shape, bool fast, int turn) {
  const int64_t rows = shape.rows, columns = shape.columns;
  const float scale = turn % 2 ? 0.72f : 1.0f;
  Checker checker(std::string("softmax") + (fast ? " fast" : " exact"),
                  std::string("softmax ") + (fast ? "fast " : "exact ") + shape.text() + " " + type.name + "->" +
                      outType.name + (masked == Mask::None ? "" : masked == Mask::Full ? " mask " : " shared mask ") +
                      (masked == Mask::None ? "" : maskType.name));
  auto kindAt = [&](int64_t r) {
    const RowKind kind = kindOf(r, turn);
    return kind == RowKind::Huge ? RowKind::Steep : kind;
  };
  Tensor x(type, rows, columns, shape.in), y(outType, rows, columns, shape.out, Tensor::Output);
  x.fill([&](int64_t r, int64_t c) { return sample(type, kindAt(r), turn, r, c, columns); });
  y.upload();
  const int64_t maskRows = masked == Mask::Full ? rows : 1;
  Tensor mask(maskType, maskRows, columns, masked == Mask::Full ? shape.in : Placement{0, shape.in.offset});
  // Nothing, a bias, minus infinity, and a row of that alone.
  mask.fill([&](int64_t r, int64_t c) {
    if (masked == Mask::Full && r % 7 == 5)
      return double(-INFINITY);
    const double u = uniform(turn + 9, r, c);
    return u < 0.3 ? double(-INFINITY) : u < 0.4 ? -10000.0 : u < 0.7 ? 0.0 : normal(turn + 10, r, c);
  });
  const hk_launch launch = launchOf(shape.workspace, fast);
  const hk_matrix maskArgument = masked == Mask::None ? hk_matrix{nullptr, 0, 0}
                                 : masked == Mask::Full ? matrixOf(mask)
                                                        : hk_matrix{mask.data(), maskType.number, 0};
  const int error = hk_softmax(&launch, rows, columns, matrixOf(x), scale, maskArgument, matrixOf(y));
  checker.success(error, hk_last_message());
  if (error)
    return;
  y.download();
  checker.untouched("y", y);
  std::vector<double> v(columns), e(columns), slack(columns);
  for (int64_t r = 0; r < rows; ++r) {
    double max = -INFINITY, sum = 0, mean = 0;
    bool isNaN = false;
    for (int64_t c = 0; c < columns; ++c) {
      const double scaled = x.at(r, c) * double(scale);
      v[c] = scaled + (masked == Mask::None ? 0 : mask.at(masked == Mask::Full ? r : 0, c));
      isNaN = isNaN || std::isnan(v[c]) || v[c] == INFINITY;
      max = std::max(max, v[c]);
      slack[c] = std::fabs(scaled);
    }
    isNaN = isNaN || max == -INFINITY;
    for (int64_t c = 0; c < columns && !isNaN; ++c) {
      e[c] = std::exp(v[c] - max);
      sum += e[c];
      slack[c] = v[c] == -INFINITY ? 0
                 : fast            ? slack[c] + 5 * std::fabs(v[c]) + 4 * std::fabs(max)
                                   : slack[c] + std::fabs(v[c]) + 2 * std::fabs(v[c] - max);
      mean += e[c] * slack[c];
    }
    for (int64_t c = 0; c < columns; ++c) {
      const double exact = isNaN ? NAN : e[c] / sum;
      const double relative = (double(columns) / 64 + 16 + slack[c] + mean / sum) * Unit;
      checker.element("y", outType, r, c, y.at(r, c), exact,
                      exact < 0x1p-126 ? std::max(exact, 0x1p-126 * relative) : exact * relative + 0x1p-148);
    }
  }
}

} // namespace test
