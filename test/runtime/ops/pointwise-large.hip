// More than 2^31 elements: dimensions are cut into several launches. Memory is small, as most strides are 0; the last element
// of each launch and the first of the next are what could go wrong.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/check.h"
#include "hk/pointwise.h"

using namespace test;

namespace {

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// Outer dimensions with strides of 2^32 and more, negative ones, and offsets beyond 2^32 bytes.
void farApart(int64_t rows, int64_t columns, int64_t pitch, const char *name) {
  Checker checker("pointwise", name);
  const int64_t span = (rows - 1) * (pitch < 0 ? -pitch : pitch) + columns;
  uint8_t *memory;
  check(hipMalloc(&memory, 2 * span), "hipMalloc");
  uint8_t *in = memory + (pitch < 0 ? span - columns : 0), *out = in + span;
  std::vector<uint8_t> row(columns);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      row[c] = uint8_t((r * 7 + c) % 100);
    check(hipMemcpy(in + r * pitch, row.data(), columns, hipMemcpyHostToDevice), "hipMemcpy");
  }
  uint8_t addend = 3, *constant;
  check(hipMalloc(&constant, 1), "hipMalloc");
  check(hipMemcpy(constant, &addend, 1, hipMemcpyHostToDevice), "hipMemcpy");
  checker.success(hk::pointwise({}, hk::shape(rows, columns), Add{},
                                hk::tuple(hk::tensor<const uint8_t>(in, pitch, 1), hk::splat<const uint8_t>(constant)),
                                hk::tuple(hk::tensor(out, pitch, 1))));
  for (int64_t r = 0; r < rows; ++r) {
    check(hipMemcpy(row.data(), out + r * pitch, columns, hipMemcpyDeviceToHost), "hipMemcpy");
    for (int64_t c = 0; c < columns; ++c)
      checker.element("y", U8, r, c, row[c], double((r * 7 + c) % 100 + 3), 0);
  }
  check(hipFree(memory), "hipFree");
  check(hipFree(constant), "hipFree");
}

} // namespace

int main() {
  farApart(3, 100, int64_t(1) << 32, "a stride of 2^32");
  farApart(3, 1000, (int64_t(1) << 32) + 48, "a stride above 2^32");
  farApart(3, 100, -(int64_t(1) << 31) - 16, "a negative stride");
  farApart(4, 333, (int64_t(1) << 31) + 1, "a stride above 2^31");
  return finish();
}
