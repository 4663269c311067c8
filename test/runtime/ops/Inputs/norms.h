//===- norms.h - RMSNorm and LayerNorm against f64 ------------------------===//
#pragma once

#include "library.h"

namespace test {

enum class Norm { Rms, Residual, Layer, LayerAlone };
inline const char *const NormNames[] = {"rms-norm", "residual-rms-norm", "layer-norm", "layer-norm without weight"};

struct Row {
  double mean = 0, factor = 0, reach = 0; ///< y = (x - mean) * factor * weight + bias; the largest |x - mean|
};

/// \p turn: chooses what rows are made of.
inline void testNorm(Norm norm, const ElementType &type, const ElementType &weightType, const Storage &storage,
                     const Shape &shape, bool fast, int turn) {
  const float epsilon = 1e-5f;
  const int64_t rows = shape.rows, columns = shape.columns;
  const bool layer = norm == Norm::Layer || norm == Norm::LayerAlone;
  Checker checker(std::string(NormNames[int(norm)]) + (fast ? " fast" : " exact"),
                  std::string(NormNames[int(norm)]) + (fast ? " fast " : " exact ") + shape.text() + " " + type.name + "->" +
                      (storage.type ? storage.type->name : type.name) + " " + storage.name);
  Tensor x(type, rows, columns, shape.in);
  // LayerNorm's squares have to stay in range.
  auto kindAt = [&](int64_t r) {
    const RowKind kind = kindOf(r, turn);
    if (layer && kind == RowKind::Lone && r % 4)
      return RowKind::Outlier;
    return layer && kind == RowKind::Huge && type.bias == 127 ? RowKind::Large : kind;
  };
  x.fill([&](int64_t r, int64_t c) { return sample(type, kindAt(r), turn, r, c, columns); });
  // The residual is written in place: its surroundings are watched, too.
  Tensor residual(type, rows, columns, shape.out, Tensor::Output);
  residual.fill([&](int64_t r, int64_t c) {
    return sample(type, kindOf(r, turn) == RowKind::Zeros ? RowKind::Zeros : RowKind::Ordinary, turn + 50, r, c, columns);
  });
  Tensor before(type, rows, columns);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      before.set(r, c, residual.at(r, c));
  Tensor weight(weightType, 1, columns, {0, shape.in.offset}), bias(weightType, 1, columns, {0, shape.in.offset});
  weight.fill([&](int64_t, int64_t c) { return 1 + 0.5 * normal(turn + 100, 0, c); });
  bias.fill([&](int64_t, int64_t c) { return c % 5 ? normal(turn + 200, 0, c) : 50; });
  Output y(type, storage, rows, columns, shape.out);

  const hk_launch launch = launchOf(shape.workspace, fast);
  const hk_output output = y.argument();
  int error = 0;
  if (norm == Norm::Rms)
    error = hk_rms_norm(&launch, rows, columns, matrixOf(x), vectorOf(weight), epsilon, &output);
  else if (norm == Norm::Residual)
    error = hk_residual_rms_norm(&launch, rows, columns, matrixOf(x), matrixOf(residual), vectorOf(weight), epsilon,
                                 &output);
  else
    error = hk_layer_norm(&launch, rows, columns, matrixOf(x), norm == Norm::Layer ? vectorOf(weight) : hk_vector{nullptr, 0},
                          norm == Norm::Layer ? vectorOf(bias) : hk_vector{nullptr, 0}, epsilon, &output);
  checker.success(error, hk_last_message());
  if (error)
    return;

  if (norm == Norm::Residual) {
    residual.download();
    checker.untouched("residual", residual);
    // A sum in f32, rounded to the type: the residual of the reference's is then the stored one.
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        const double sum = x.at(r, c) + before.at(r, c);
        checker.element("residual", type, r, c, residual.at(r, c), sum, type.bytes == 4 ? 0 : Unit * std::fabs(sum));
      }
  }
  const Tensor &in = norm == Norm::Residual ? residual : x;
  std::vector<Row> all(rows);
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    Row &row = all[r];
    if (layer) {
      for (int64_t c = 0; c < columns; ++c)
        sum += in.at(r, c);
      row.mean = sum / double(columns);
    }
    for (int64_t c = 0; c < columns; ++c) {
      const double distance = in.at(r, c) - row.mean;
      squares += distance * distance;
      row.reach = std::max(row.reach, std::fabs(distance));
    }
    row.factor = squares > F32.largest ? 0 : 1 / std::sqrt(squares / double(columns) + double(epsilon));
  }
  const double relative = (double(columns) / 64 + 24 + (fast ? 4 : 0)) * Unit;
  auto weightAt = [&](int64_t c) { return norm == Norm::LayerAlone ? 1 : weight.at(0, c); };
  auto exact = [&](int64_t r, int64_t c) {
    const double scaled = (in.at(r, c) - all[r].mean) * all[r].factor * weightAt(c);
    return norm == Norm::Layer ? scaled + bias.at(0, c) : scaled;
  };
  auto allowed = [&](int64_t r, int64_t c) {
    const double reach = layer ? all[r].reach : std::fabs(in.at(r, c));
    // What is rounded is the mean, and the sum with the bias.
    const double rounded = layer ? 16 * std::fabs(all[r].mean) : 0;
    return (relative * reach + rounded * Unit + 0x1p-146) * all[r].factor * std::fabs(weightAt(c)) +
           (norm == Norm::Layer ? 2 * Unit * std::fabs(bias.at(0, c)) : 0) + 0x1p-148 * (1 + std::fabs(weightAt(c)));
  };
  y.verify(checker, exact, allowed);
}

} // namespace test
