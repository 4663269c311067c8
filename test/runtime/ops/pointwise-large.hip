// More than 2^31 elements, which are several launches, and strides of 2^32 and more.
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

/// What is at \p n of the large ones.
uint8_t patternAt(int64_t n, int64_t period) { return uint8_t(n % period * 151 >> 3); }

/// y(n) = pattern(n) + 1, in pieces, so that the host needs little memory.
template <class F> void eachPiece(uint8_t *memory, int64_t count, F &&f) {
  std::vector<uint8_t> piece(1 << 24);
  for (int64_t from = 0; from < count; from += int64_t(piece.size()))
    f(memory + from, piece, from, std::min<int64_t>(piece.size(), count - from));
}
void verifyPattern(Checker &checker, uint8_t *memory, int64_t count, int64_t period) {
  std::vector<uint8_t> wanted(period);
  for (int64_t n = 0; n < period; ++n)
    wanted[n] = uint8_t(patternAt(n, period) + 1);
  eachPiece(memory, count, [&](uint8_t *at, std::vector<uint8_t> &piece, int64_t from, int64_t here) {
    check(hipMemcpy(piece.data(), at, here, hipMemcpyDeviceToHost), "hipMemcpy");
    for (int64_t n = 0; n < here;) {
      const int64_t begin = (from + n) % period, run = std::min(period - begin, here - n);
      if (std::memcmp(&piece[n], &wanted[begin], run))
        for (int64_t k = 0; k < run; ++k)
          checker.element("y", U8, 0, from + n + k, piece[n + k], wanted[begin + k], 0);
      elements += run;
      n += run;
    }
  });
}

struct Next {
  __device__ int32_t operator()(int32_t a) const { return (a + 1) & 255; }
};

/// One dimension, in place.
void flat(uint8_t *memory, int64_t count) {
  Checker checker("pointwise", "2^31 elements in a row");
  const int64_t period = 1000003;
  eachPiece(memory, count, [&](uint8_t *at, std::vector<uint8_t> &piece, int64_t from, int64_t here) {
    for (int64_t n = 0; n < here; ++n)
      piece[n] = patternAt(from + n, period);
    check(hipMemcpy(at, piece.data(), here, hipMemcpyHostToDevice), "hipMemcpy");
  });
  checker.success(hk::pointwise({}, hk::shape(count), Next{}, hk::tuple(hk::tensor<const uint8_t>(memory, 1)),
                                hk::tuple(hk::tensor(memory, 1))));
  verifyPattern(checker, memory, count, period);
}

/// One row for all.
void broadcast(uint8_t *memory, int64_t rows, int64_t columns) {
  Checker checker("pointwise", "2^31 elements in rows");
  std::vector<uint8_t> row(columns);
  for (int64_t n = 0; n < columns; ++n)
    row[n] = patternAt(n, columns);
  uint8_t *in;
  check(hipMalloc(&in, columns), "hipMalloc");
  check(hipMemcpy(in, row.data(), columns, hipMemcpyHostToDevice), "hipMemcpy");
  check(hipMemset(memory, 0, rows * columns), "hipMemset");
  checker.success(hk::pointwise({}, hk::shape(rows, columns), Next{}, hk::tuple(hk::tensor<const uint8_t>(in, 0, 1)),
                                hk::tuple(hk::tensor(memory, columns, 1))));
  verifyPattern(checker, memory, rows * columns, columns);
  check(hipFree(in), "hipFree");
}

} // namespace

int main() {
  farApart(3, 100, int64_t(1) << 32, "a stride of 2^32");
  farApart(3, 1000, (int64_t(1) << 32) + 48, "a stride above 2^32");
  farApart(3, 100, -(int64_t(1) << 31) - 16, "a negative stride");
  farApart(4, 333, (int64_t(1) << 31) + 1, "a stride above 2^31");
  const int64_t most = (int64_t(1) << 31) + 100003;
  uint8_t *memory;
  check(hipMalloc(&memory, most), "hipMalloc");
  flat(memory, most);
  broadcast(memory, most / 32768, 32768);
  check(hipFree(memory), "hipFree");
  return finish();
}
