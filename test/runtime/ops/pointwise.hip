// hk::pointwise: operands of up to four dimensions with any strides, broadcast, transposed, in place, of every type; and
// plans of the caller's.
// RUN: %hip-sim-build --offload-arch=gfx90a -std=c++17 -I%runtime-include -I%hk-src/runtime/kernels/include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/strided.h"
#include "hk/pointwise.h"

using namespace test;

namespace {

struct MultiplyAdd {
  __device__ auto operator()(float a, float b, float c) const { return hk::tuple(a * b + c, a - b); }
};
/// Integers stay integers.
struct Combine {
  __device__ int32_t operator()(int32_t a, int32_t b, int32_t c) const { return a * 256 + b - c; }
};
struct Divide {
  __device__ float operator()(float a) const { return a * 0.3f; }
};

hk::Shape shapeOf(const Strides &s) {
  hk::Shape shape{int(s.sizes.size()), {}};
  for (size_t d = 0; d != s.sizes.size(); ++d)
    shape.size[d] = s.sizes[d];
  return shape;
}
template <class T> hk::Tensor<T> of(const Strided &t) {
  hk::Tensor<T> tensor{t.data<T>(), {}};
  for (size_t d = 0; d != t.strides.size(); ++d)
    tensor.stride[d] = t.strides[d];
  return tensor;
}

double small(int seed, int64_t n, int count, int least) { return double(mixed(mixed(seed) + uint64_t(n)) % count) + least; }

/// f16, bf16 and f32 to f32 and e4m3. Values are small integers: exact.
void floats(const Case &k, const hk::PointwisePlan *plan, const char *planName) {
  Checker checker("pointwise", "f16, bf16, f32 " + k.name + planName);
  Strided a(F16, k.at[0]), b(BF16, k.at[1]), c(F32, k.at[2]), y(F32, k.at[3], true), z(E4M3, k.at[4], true);
  a.fill([](int64_t n) { return small(1, n, 17, -8); });
  b.fill([](int64_t n) { return small(2, n, 9, -4); });
  c.fill([](int64_t n) { return small(3, n, 1000, 0) / 8; });
  checker.success(hk::pointwise({}, shapeOf(k.at[3]), MultiplyAdd{},
                                hk::tuple(of<const hk::f16>(a), of<const hk::bf16>(b), of<const float>(c)),
                                hk::tuple(of<float>(y), of<hk::e4m3>(z)), plan));
  y.verify(checker, "y", [&](const Index &i) { return a.at(i) * b.at(i) + c.at(i); });
  z.verify(checker, "z", [&](const Index &i) { return a.at(i) - b.at(i); });
}

/// i32, i8 and u8 to u8: saturated.
void integers(const Case &k) {
  Checker checker("pointwise", "i32, i8, u8 " + k.name);
  Strided a(I32, k.at[0]), b(I8, k.at[1]), c(U8, k.at[2]), y(U8, k.at[4], true);
  a.fill([](int64_t n) { return small(1, n, 5, -2) * (n % 7 ? 1 : 4000000); });
  b.fill([](int64_t n) { return small(2, n, 256, -128); });
  c.fill([](int64_t n) { return small(3, n, 256, 0); });
  checker.success(hk::pointwise({}, shapeOf(k.at[4]), Combine{},
                                hk::tuple(of<const int32_t>(a), of<const int8_t>(b), of<const uint8_t>(c)),
                                hk::tuple(of<uint8_t>(y))));
  y.verify(checker, "y", [&](const Index &i) { return std::min(255.0, std::max(0.0, a.at(i) * 256 + b.at(i) - c.at(i))); });
}

/// In place: what was there times 0.3, rounded to f32, unless the compiler fuses that, and to f16. NaN, infinities and denormals with it.
void inPlace(const Case &k) {
  Checker checker("pointwise", "in place " + k.name);
  Strided y(F16, k.at[3], true);
  auto before = [](int64_t n) { return F16.value(uint32_t(mixed(uint64_t(n)) & 0xFFFF)); };
  y.fill(before);
  checker.success(hk::pointwise({}, shapeOf(k.at[3]), Divide{}, hk::tuple(of<const hk::f16>(y)), hk::tuple(of<hk::f16>(y))));
  y.verify(checker, "y", [&](const Index &i) { return before(y.elementOf(i)) * double(0.3f); }, Unit);
}

void refuse(const char *what, const hk::Shape &shape, hk::PointwisePlan plan) {
  const hk::Tensor<const hk::f16> none{nullptr, {1}};
  const hk::Tensor<hk::f16> out{nullptr, {1}};
  if (hk::pointwise({}, shape, Divide{}, hk::tuple(none), hk::tuple(out), &plan) == hipErrorInvalidValue)
    return;
  ++failures;
  std::printf("%s: not refused\n", what);
}

} // namespace

int main() {
  for (const Case &k : stridedCases()) {
    floats(k, nullptr, "");
    integers(k);
    inPlace(k);
    for (const int threads : {64, 256, 1024})
      for (const int vectors : {1, 2, 4}) {
        const hk::PointwisePlan plan{threads, vectors};
        floats(k, &plan, (", threads " + std::to_string(threads) + " vectors " + std::to_string(vectors)).c_str());
      }
  }
  refuse("no threads", hk::shape(10), {0, 1});
  refuse("part of a wavefront", hk::shape(10), {100, 1});
  refuse("too many threads", hk::shape(10), {1088, 1});
  refuse("three vectors", hk::shape(10), {256, 3});
  refuse("no vectors", hk::shape(10), {256, 0});
  refuse("a negative size", hk::shape(4, -10), {256, 1});
  return finish();
}
