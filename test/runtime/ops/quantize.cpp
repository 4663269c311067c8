// Quantization with static and dynamic scales, and back.
// REQUIRES: hk-kernels
// RUN: %clang --driver-mode=g++ -O2 -std=c++17 %hk-kernels-flags %s -o %t %hk-kernels-link
// RUN: hk-sim --races --waits --uninitialized --strict %t to | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict %t back | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/library.h"

using namespace test;

namespace {

const ElementType *const Narrow[] = {&I8, &U8, &E4M3, &E5M2, &E4M3FNUZ, &E5M2FNUZ};

void quantize(const ElementType &type, const Storage &storage, const Shape &shape, int turn) {
  const int64_t rows = shape.rows, columns = shape.columns;
  Checker checker("quantize", "quantize " + shape.text() + " " + type.name + "->" + storage.type->name + " " + storage.name);
  Tensor x(type, rows, columns, shape.in);
  x.fill([&](int64_t r, int64_t c) {
    return (storage.scaling == HK_SCALE_TENSOR ? 5 : 1) * sample(type, kindOf(r, turn), turn, r, c, columns);
  });
  Output y(type, storage, rows, columns, shape.out);
  const hk_launch launch = launchOf(shape.workspace, false);
  const hk_output output = y.argument();
  const int error = hk_quantize(&launch, rows, columns, matrixOf(x), &output);
  checker.success(error, hk_last_message());
  if (error)
    return;
  if (storage.scaling != HK_SCALE_TENSOR) {
    y.verify(checker, [&](int64_t r, int64_t c) { return x.at(r, c); }, [](int64_t, int64_t) { return 0.0; });
    return;
  }
  // x * (1 / scale), each rounded to f32: the same bits.
  const float inverse = 1.0f / float(Output::StaticScale);
  y.values.download();
  checker.untouched("y", y.values);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      checker.element("y", *storage.type, r, c, y.values.at(r, c), double(float(x.at(r, c)) * inverse), 0);
}

/// \p group: of columns; 0: a scale per row; -1: one scale.
void dequantize(const ElementType &type, const ElementType &out, int64_t group, const Shape &shape, int turn) {
  const int64_t rows = shape.rows, columns = shape.columns;
  const int64_t each = group > 0 ? group : columns, groups = (columns + each - 1) / each;
  Checker checker("dequantize", "dequantize " + shape.text() + " " + type.name + "->" + out.name + " group " +
                                    std::to_string(group));
  Tensor q(type, rows, columns, shape.in), y(out, rows, columns, shape.out, Tensor::Output);
  Tensor scale(F32, group < 0 ? 1 : rows, groups, {group > 0 ? 5 : 0, 0});
  // All codes, NaN and infinities with them.
  q.fill([&](int64_t r, int64_t c) { return type.value(uint32_t(mixed(uint64_t(turn + r * columns + c)) & 0xFF)); });
  scale.fill([&](int64_t r, int64_t g) { return std::ldexp(1 + uniform(turn, r, g), int(r % 40) - 20); });
  y.upload();
  const hk_launch launch = launchOf(shape.workspace, false);
  const int error = hk_dequantize(&launch, rows, columns, matrixOf(q), scale.data<float>(), group < 0 ? 0 : scale.pitch,
                                  each, matrixOf(y));
  checker.success(error, hk_last_message());
  if (error)
    return;
  y.download();
  checker.untouched("y", y);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      const float product = float(q.at(r, c)) * float(scale.at(group < 0 ? 0 : r, c / each));
      checker.element("y", out, r, c, y.at(r, c), double(product), 0);
    }
}

} // namespace

int main(int argc, char **argv) {
  const bool back = argc > 1 && std::string(argv[1]) == "back";
  int turn = 0;
  for (const Shape &shape : allShapes())
    for (const ElementType *type : {&F32, &F16, &BF16})
      for (const ElementType *narrow : Narrow) {
        if (choice(++turn, 5, 3) && shape.rows * shape.columns > 12000)
          continue;
        static const Storage kinds[] = {{nullptr, HK_SCALE_TENSOR, 0, "tensor"},
                                        {nullptr, HK_SCALE_ROWS, 0, "rows"},
                                        {nullptr, HK_SCALE_GROUPS, 32, "groups of 32"},
                                        {nullptr, HK_SCALE_GROUPS, 64, "groups of 64"},
                                        {nullptr, HK_SCALE_GROUPS, 128, "groups of 128"}};
        if (back) {
          const int64_t groups[] = {128, 0, -1, 7, 2880, 1};
          const int64_t group = groups[choice(turn, 1, 6)];
          dequantize(*narrow, *type, group > shape.columns ? 0 : group, shape, turn);
          continue;
        }
        // Dynamic scales are for the types that the library is built for.
        const bool dynamic = narrow == &I8 || narrow == &E4M3FNUZ;
        Storage storage = kinds[dynamic ? choice(turn, 1, 5) : 0];
        storage.type = narrow;
        quantize(*type, storage, shape, turn);
      }
  return finish();
}
