// Rotary embedding, both layouts, in place and not, against f64.
// REQUIRES: hk-kernels
// RUN: %clang --driver-mode=g++ -O2 -std=c++17 %hk-kernels-flags %s -o %t %hk-kernels-link
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/library.h"

using namespace test;

namespace {

struct Case {
  int64_t tokens, heads, half;
  int64_t headGap; ///< elements between heads: rotated and plain ones lie in one tensor
  Placement at;
};

void rotate(const Case &k, const ElementType &type, const ElementType &angleType, bool interleaved, bool inPlace,
            int turn) {
  const int64_t head = 2 * k.half + k.headGap, columns = k.heads * head - k.headGap;
  Checker checker("rotary", "rotary " + std::to_string(k.tokens) + "x" + std::to_string(k.heads) + "x2*" +
                                std::to_string(k.half) + " " + type.name + " angles " + angleType.name +
                                (interleaved ? " pairs" : " halves") + (inPlace ? " in place" : "") + " pitch +" +
                                std::to_string(k.at.gap) + " offset " + std::to_string(k.at.offset));
  // What lies between the heads belongs to nobody: it has to stay.
  Tensor x(type, k.tokens, columns, k.at, inPlace ? Tensor::Output : Tensor::Input);
  Tensor y(type, k.tokens, columns, k.at, Tensor::Output);
  Tensor cosine(angleType, k.tokens, k.half, {3, k.at.offset}), sine(angleType, k.tokens, k.half, {3, k.at.offset});
  Tensor before(type, k.tokens, columns);
  auto value = [&](int64_t r, int64_t c) { return sample(type, kindOf(r, turn), turn, r, c, columns); };
  x.fill(value), before.fill(value);
  y.fill([](int64_t, int64_t) { return -3; });
  cosine.fill([&](int64_t r, int64_t c) { return std::cos(double(r) / std::pow(10000, double(c) / double(k.half))); });
  sine.fill([&](int64_t r, int64_t c) { return std::sin(double(r) / std::pow(10000, double(c) / double(k.half))); });
  Tensor &to = inPlace ? x : y;
  const hk_launch launch = launchOf(false, false);
  const int error =
      hk_rotary(&launch, k.tokens, k.heads, k.half, interleaved, type.number, x.data(), x.pitch, head, vectorOf(cosine),
                vectorOf(sine), cosine.pitch, to.data(), to.pitch, head);
  checker.success(error, hk_last_message());
  if (error)
    return;
  to.download();
  checker.untouched("y", to);
  for (int64_t r = 0; r < k.tokens; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t in = c % head, first = c - in;
      if (in >= 2 * k.half) {
        checker.element("between heads", type, r, c, to.at(r, c), inPlace ? before.at(r, c) : -3, 0);
        continue;
      }
      const int64_t pair = interleaved ? in / 2 : in % k.half;
      const bool second = interleaved ? in % 2 : in >= k.half;
      const double x0 = before.at(r, first + (interleaved ? 2 * pair : pair));
      const double x1 = before.at(r, first + (interleaved ? 2 * pair + 1 : pair + k.half));
      const double a = cosine.at(r, pair), b = sine.at(r, pair);
      const double exact = second ? x1 * a + x0 * b : x0 * a - x1 * b;
      checker.element("y", type, r, c, to.at(r, c), exact, 2 * Unit * (std::fabs(x0) + std::fabs(x1)) + 0x1p-149);
    }
}

} // namespace

int main() {
  const Case cases[] = {{1, 1, 1, 0, {}},       {40, 8, 64, 0, {}},     {33, 3, 32, 64, {8, 8}}, {17, 5, 31, 1, {7, 1}},
                        {100, 1, 8, 0, {16, 0}}, {3, 64, 64, 0, {}},     {2, 128, 32, 128, {}},   {257, 2, 3, 5, {1, 3}},
                        {10, 2, 1000, 0, {}},    {1000, 1, 1, 0, {1, 1}}};
  int turn = 0;
  for (const Case &k : cases)
    for (const ElementType *type : {&F32, &F16, &BF16})
      for (bool interleaved : {false, true})
        for (bool inPlace : {false, true})
          ++turn, rotate(k, *type, choice(turn, 1, 2) ? F32 : *type, interleaved, inPlace, turn);
  return finish();
}
