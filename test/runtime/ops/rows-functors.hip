// hk::rows with functors of the caller's: that ask where they are, several inputs of several kinds, several reductions at
// once, several outputs with scales of their own, inputs kept, in place.
//
// Numbers are small integers and halves, so that every sum is exact in f32 and results have to be equal.
//
// RUN: %hip-sim-build --offload-arch=gfx90a -std=c++17 -I%runtime-include -I%hk-src/runtime/kernels/include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/direct.h"
#include "hk/rows.h"

using namespace test;

namespace {

/// What the functors compute, on both sides.
template <class N> __host__ __device__ N valueOf(N x, N q, N perRow, N one, int64_t row, int column) {
  return x + q * perRow + one + N(column % 3) - N(row % 2);
}

struct Prologue {
  __device__ float operator()(hk::At at, float x, int32_t q, float perRow, float one) const {
    return valueOf<float>(x, float(q), perRow, one, at.row, at.column);
  }
};

using Reduction = hk::Together<hk::Sum, hk::SumSquares, hk::Max, hk::AbsMax>;

struct Epilogue {
  struct State {
    float sum, squares, max, magnitude;
    int columns;
  };
  __device__ State prepare(const Reduction::Result &row, int columns) const {
    return {hk::get<0>(row), hk::get<1>(row), hk::get<2>(row), hk::get<3>(row), columns};
  }
  __device__ auto operator()(hk::At at, float value, const State &row, float weight, float perRow) const {
    // Everything that was reduced, in turn.
    const float results[] = {row.sum, row.squares, row.max, row.magnitude, float(row.columns), float(at.row % 100)};
    const int which = at.column % 6;
    float chosen = results[0];
    for (int n = 1; n < 6; ++n)
      chosen = which == n ? results[n] : chosen;
    return hk::tuple(value * weight, chosen, value, value * perRow + row.max);
  }
};

template <class Keep> void several(const char *name, int64_t rows, int64_t columns, int gap, int offset, bool workspace) {
  Checker checker(name, std::string("several outputs, ") + name + " " + std::to_string(rows) + "x" +
                            std::to_string(columns) + " gap " + std::to_string(gap) + " offset " + std::to_string(offset) +
                            (workspace ? " workspace" : ""));
  const Placement at{gap, offset};
  Tensor x(F16, rows, columns, at), q(I8, rows, columns, at), perRow(F32, rows, 1), one(F32, 1, 1);
  Tensor weight(BF16, 1, columns, {0, offset});
  auto number = [&](int seed, int64_t r, int64_t c, int count, double low) { return std::floor(uniform(seed, r, c) * count) + low; };
  x.fill([&](int64_t r, int64_t c) { return number(1, r, c, 9, -4) / 2; });
  q.fill([&](int64_t r, int64_t c) { return number(2, r, c, 3, -1); });
  perRow.fill([&](int64_t r, int64_t) { return number(3, r, 0, 4, 1) / 2; });
  one.fill([](int64_t, int64_t) { return 1; });
  weight.fill([&](int64_t, int64_t c) { return number(4, 0, c, 7, -3); });
  Tensor a(F32, rows, columns, at, Tensor::Output), b(F32, rows, columns, at, Tensor::Output);
  Tensor c(I8, rows, columns, at, Tensor::Output), d(E4M3, rows, columns, at, Tensor::Output);
  Tensor cScale(F32, rows, 1, {}, Tensor::Output), dScale(F32, rows, 1, {}, Tensor::Output);
  for (Tensor *t : {&a, &b, &c, &d, &cScale, &dScale})
    t->upload();

  const hk_launch launch = launchOf(workspace, false);
  const hipError_t error = hk::rows<Keep, Reduction>(
      launchOf(&launch), {rows, columns}, Prologue{},
      hk::tuple(hk::Matrix<const hk::f16>{x.data<hk::f16>(), x.pitch}, hk::Matrix<const int8_t>{q.data<int8_t>(), q.pitch},
                hk::ColumnVector<float>{perRow.data<float>()}, hk::Scalar<float>{one.data<float>()}),
      Epilogue{}, hk::tuple(hk::RowVector<hk::bf16>{weight.data<hk::bf16>()}, hk::ColumnVector<float>{perRow.data<float>()}),
      hk::tuple(hk::Matrix<float>{a.data<float>(), a.pitch}, hk::Matrix<float>{b.data<float>(), b.pitch},
                hk::QuantizedRows<int8_t>{c.data<int8_t>(), c.pitch, cScale.data<float>()},
                hk::QuantizedRows<hk::e4m3>{d.data<hk::e4m3>(), d.pitch, dScale.data<float>()}));
  checker.success(error);
  if (error != hipSuccess)
    return;
  for (Tensor *t : {&a, &b, &c, &d, &cScale, &dScale}) {
    t->download();
    checker.untouched("outputs", *t);
  }
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0, squares = 0, max = -INFINITY, magnitude = 0, second = 0;
    auto value = [&](int64_t col) { return valueOf<double>(x.at(r, col), q.at(r, col), perRow.at(r, 0), 1, r, int(col)); };
    for (int64_t col = 0; col < columns; ++col) {
      const double v = value(col);
      sum += v, squares += v * v, max = std::max(max, v), magnitude = std::max(magnitude, std::fabs(v));
    }
    for (int64_t col = 0; col < columns; ++col)
      second = std::max(second, std::fabs(value(col) * perRow.at(r, 0) + max));
    const double results[] = {sum, squares, max, magnitude, double(columns), double(r % 100)};
    auto scaleOf = [](double most, const ElementType &type) { return std::max(most, 0x1p-116) / type.largest; };
    const double c1 = scaleOf(magnitude, I8), d1 = scaleOf(second, E4M3);
    checker.element("scale of c", F32, r, 0, cScale.at(r, 0), c1, 2 * Unit * c1);
    checker.element("scale of d", F32, r, 0, dScale.at(r, 0), d1, 2 * Unit * d1);
    for (int64_t col = 0; col < columns; ++col) {
      const double v = value(col), w = v * perRow.at(r, 0) + max;
      checker.element("a", F32, r, col, a.at(r, col), v * weight.at(0, col), 0);
      checker.element("b", F32, r, col, b.at(r, col), results[col % 6], 0);
      checker.element("c", I8, r, col, c.at(r, col), v / c1, 4 * Unit * std::fabs(v / c1));
      checker.element("d", E4M3, r, col, d.at(r, col), w / d1, 4 * Unit * std::fabs(w / d1));
    }
  }
}

struct Pass {
  __device__ float operator()(float x) const { return x; }
};
struct TwiceAndOne {
  __device__ float operator()(float x, hk::NoReduction::Result) const { return 2 * x + 1; }
};

/// Nothing is reduced, so that no barrier is between the loads and the stores.
void inPlace(int64_t rows, int64_t columns, int gap, int offset) {
  Checker checker("in place", "in place " + std::to_string(rows) + "x" + std::to_string(columns) + " gap " + std::to_string(gap));
  Tensor x(F32, rows, columns, {gap, offset}, Tensor::Output);
  auto before = [&](int64_t r, int64_t c) { return std::floor(uniform(5, r, c) * 1000); };
  x.fill(before);
  const hipError_t error = hk::rows<float, hk::NoReduction>(
      {}, {rows, columns}, Pass{}, hk::tuple(hk::Matrix<const float>{x.data<float>(), x.pitch}), TwiceAndOne{},
      hk::tuple(), hk::tuple(hk::Matrix<float>{x.data<float>(), x.pitch}));
  checker.success(error);
  x.download();
  checker.untouched("x", x);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      checker.element("x", F32, r, c, x.at(r, c), 2 * before(r, c) + 1, 0);
}

} // namespace

int main() {
  struct {
    int64_t rows, columns;
    int gap, offset;
  } const shapes[] = {{1000, 1, 0, 0},   {300, 63, 1, 0},  {310, 64, 0, 0},   {310, 64, 64, 0}, {33, 65, 0, 1},
                      {350, 1000, 0, 0}, {7, 1000, 24, 0}, {5, 2880, 0, 0},   {5, 4096, 0, 0},  {1, 16384, 0, 0},
                      {3, 16385, 0, 0},  {2, 20000, 0, 0}, {40, 8192, 64, 0}, {1, 53248, 0, 0}, {2, 53248, 0, 1}};
  for (const auto &s : shapes) {
    for (const bool workspace : {false, true}) {
      several<float>("kept", s.rows, s.columns, s.gap, s.offset, workspace);
      several<hk::KeepInputs>("inputs kept", s.rows, s.columns, s.gap, s.offset, workspace);
    }
    inPlace(s.rows, s.columns, s.gap, s.offset);
  }
  // No rows, no columns: nothing happens.
  inPlace(0, 5, 0, 0);
  inPlace(5, 0, 0, 0);
  return finish();
}
