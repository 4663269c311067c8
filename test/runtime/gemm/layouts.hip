// hk::gemm in all orders of its factors, by every kernel: sizes that no tile divides, lines that are longer than they need be
// and not aligned, rows and columns that are few. The factors' memory ends with their last element, and was never written
// between their lines.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/sums.h"

using namespace test;

namespace {

constexpr hk::Layout Row = hk::Layout::RowMajor, Column = hk::Layout::ColumnMajor;

template <hk::Layout LA, hk::Layout LB> void layout(const char *name, int64_t m, int64_t n, int64_t k, int64_t gap) {
  FactorMemory<hk::f16, LA> a(1, m, k, gap);
  FactorMemory<hk::f16, LB> b(1, k, n, gap);
  a.random(1), b.random(2);
  testSums<float>("sums", std::string(name) + " gap " + std::to_string(gap), a.factor(), b.factor(), productOf(a, b), gap,
                  allPlans(isAlongK(LA, LB)));
}

} // namespace

int main() {
  // Around the sizes of tiles; whole blocks of K, rests, and a rest alone.
  struct {
    int64_t m, n, k;
  } const shapes[] = {{1, 1, 1},     {1, 17, 7},   {3, 128, 33},  {8, 130, 256}, {9, 33, 2880}, {16, 2112, 64}, {17, 1, 200},
                      {31, 47, 129}, {64, 64, 65}, {65, 257, 96}, {257, 65, 40}, {2, 16, 1000}, {33, 128, 513}};
  int turn = 0;
  for (const auto &s : shapes) {
    const int64_t gap = turn++ % 3 == 0 ? 0 : 2 * turn + 1;
    layout<Row, Row>("NN", s.m, s.n, s.k, gap);
    layout<Row, Column>("NT", s.m, s.n, s.k, gap);
    layout<Column, Row>("TN", s.m, s.n, s.k, gap);
    layout<Column, Column>("TT", s.m, s.n, s.k, gap);
  }
  // Few rows with the lines that kernels like best, as linear layers have them.
  for (const int64_t m : {1, 5, 8, 12, 30, 50})
    layout<Row, Column>("NT", m, 128, 2880, 0);
  return finish();
}
