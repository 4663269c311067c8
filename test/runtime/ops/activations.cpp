// Gated activations and activations of a sum with a bias against f64.
// REQUIRES: hk-kernels
// RUN: %clang --driver-mode=g++ -O2 -std=c++17 %hk-kernels-flags %s -o %t %hk-kernels-link
// RUN: hk-sim --races --waits --uninitialized --strict %t gated | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict %t bias | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/library.h"

using namespace test;

namespace {

const char *const Names[] = {"identity", "relu", "gelu", "gelu-tanh", "silu"};

double exactly(int activation, double x) {
  switch (activation) {
  case HK_RELU:
    return x < 0 ? 0 : x;
  case HK_GELU_EXACT:
    return x == -INFINITY ? NAN : 0.5 * x * std::erfc(-x * M_SQRT1_2);
  case HK_GELU_TANH: {
    // 1 + tanh(t) = 2 / (1 + exp(-2t)), which does not cancel.
    const double t = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return x == -INFINITY ? NAN : x / (1 + std::exp(-2 * t));
  }
  case HK_SILU:
    return x == -INFINITY ? NAN : x / (1 + std::exp(-x));
  }
  return x;
}

/// As hk/ops/activation.h states it.
double allowance(int activation, bool fast, double x, double y) {
  switch (activation) {
  case HK_GELU_EXACT:
    return 8 * Unit * std::fabs(x) + 0x1p-148;
  case HK_GELU_TANH:
    return (fast ? 16 : 8) * Unit * std::fabs(x) + 0x1p-148;
  case HK_SILU:
    return (fast ? 16 * (1 + std::fabs(x)) : 5) * Unit * std::fabs(y) + (fast ? 0x1p-119 : 0x1p-120);
  }
  return 0;
}

RowKind usual(int64_t row, int turn) {
  const RowKind kind = kindOf(row, turn);
  return kind == RowKind::Huge ? RowKind::Steep : kind;
}

void gated(int activation, const ElementType &type, const Shape &shape, const Storage &storage, bool halves, bool fast,
           int turn) {
  const int64_t rows = shape.rows, columns = shape.columns;
  const std::string kind = std::string("gated ") + Names[activation] + (fast ? " fast" : " exact");
  Checker checker(kind, kind + " " + shape.text() + " " + type.name + "->" + (storage.type ? storage.type->name : type.name) +
                            " " + storage.name + (halves ? " halves" : ""));
  // Two tensors, or the halves of one.
  Tensor both(type, rows, halves ? 2 * columns : columns, shape.in), other(type, rows, columns, shape.in);
  both.fill([&](int64_t r, int64_t c) {
    return c < columns ? (turn % 2 ? 1 : -1) * 3 * sample(type, usual(r, turn), turn, r, c, columns)
                       : sample(type, RowKind::Ordinary, turn + 1, r, c - columns, columns);
  });
  other.fill([&](int64_t r, int64_t c) { return sample(type, RowKind::Ordinary, turn + 1, r, c, columns); });
  Output y(type, storage, rows, columns, shape.out);
  hk_matrix up = halves ? matrixOf(both) : matrixOf(other);
  if (halves)
    up.data = static_cast<char *>(up.data) + columns * type.bytes;
  const hk_launch launch = launchOf(shape.workspace, fast);
  const hk_output output = y.argument();
  const int error = hk_gated(&launch, rows, columns, hk_activation(activation), matrixOf(both), up, &output);
  checker.success(error, hk_last_message());
  if (error)
    return;
  y.verify(
      checker, [&](int64_t r, int64_t c) { return exactly(activation, both.at(r, c)) * other.at(r, c); },
      [&](int64_t r, int64_t c) {
        const double x = both.at(r, c), f = exactly(activation, x), factor = std::fabs(other.at(r, c));
        return (allowance(activation, fast, x, f) + Unit * std::fabs(f)) * factor + 0x1p-149;
      });
}

void biased(int activation, const ElementType &type, const Shape &shape, bool withBias, bool fast, int turn) {
  const int64_t rows = shape.rows, columns = shape.columns;
  const std::string kind = std::string(withBias ? "bias + " : "") + Names[activation] + (fast ? " fast" : " exact");
  Checker checker(kind, kind + " " + shape.text() + " " + type.name);
  Tensor x(type, rows, columns, shape.in), y(type, rows, columns, shape.out, Tensor::Output);
  const ElementType &biasType = choice(turn, 4, 2) ? F32 : type;
  Tensor bias(biasType, 1, columns, {0, shape.in.offset});
  x.fill([&](int64_t r, int64_t c) { return 2 * sample(type, usual(r, turn), turn, r, c, columns); });
  bias.fill([&](int64_t, int64_t c) { return normal(turn + 1, 0, c); });
  y.upload();
  const hk_launch launch = launchOf(shape.workspace, fast);
  const int error = hk_bias_activation(&launch, rows, columns, hk_activation(activation), matrixOf(x),
                                       withBias ? vectorOf(bias) : hk_vector{nullptr, 0}, matrixOf(y));
  checker.success(error, hk_last_message());
  if (error)
    return;
  y.download();
  checker.untouched("y", y);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      const double sum = x.at(r, c) + (withBias ? bias.at(0, c) : 0), f = exactly(activation, sum);
      // The sum is rounded; no activation is steeper than 1.13.
      const double before = withBias ? 1.13 * Unit * std::fabs(sum) : 0;
      checker.element("y", type, r, c, y.at(r, c), f, allowance(activation, fast, sum, f) + before);
    }
}

} // namespace

int main(int argc, char **argv) {
  const bool withGate = argc < 2 || std::string(argv[1]) == "gated";
  int turn = 0;
  for (const Shape &shape : allShapes())
    for (const ElementType *type : {&F32, &F16, &BF16})
      for (int activation = HK_IDENTITY; activation <= HK_SILU; ++activation) {
        // Large shapes have one type and activation in three.
        if (choice(++turn, 5, 3) && shape.rows * shape.columns > 30000)
          continue;
        if (withGate)
          gated(activation, *type, shape, allStorages()[choice(turn, 1, allStorages().size())], choice(turn, 2, 2),
                choice(turn, 3, 2), turn);
        else
          biased(activation, *type, shape, choice(turn, 2, 4) != 0, choice(turn, 3, 2), turn);
      }
  return finish();
}
