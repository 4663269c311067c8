// RMSNorm, with a residual too, and LayerNorm against f64.
// REQUIRES: hk-kernels
// RUN: %clang --driver-mode=g++ -O2 -std=c++17 %hk-kernels-flags %s -o %t %hk-kernels-link
// RUN: hk-sim --races --waits --uninitialized --strict %t rms | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict %t residual | FileCheck %s
// RUN: hk-sim --races --waits --uninitialized --strict %t layer | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/norms.h"

using namespace test;

int main(int argc, char **argv) {
  const std::string which = argc > 1 ? argv[1] : "rms";
  int turn = 0;
  for (const Shape &shape : allShapes())
    for (const ElementType *type : {&F32, &F16, &BF16}) {
      // All storages where rows are short, else some of them in turn.
      const auto &storages = allStorages();
      const size_t count = shape.rows * shape.columns <= 12000 ? storages.size() : 2;
      for (size_t n = 0; n != count; ++n, ++turn) {
        const Storage &storage = storages[count == storages.size() ? n : choice(turn, 1, storages.size())];
        const Norm norm = which == "rms"        ? Norm::Rms
                          : which == "residual" ? Norm::Residual
                          : choice(turn, 2, 4) == 0 ? Norm::LayerAlone
                                                : Norm::Layer;
        testNorm(norm, *type, choice(turn, 3, 2) ? F32 : *type, storage, shape, choice(turn, 4, 2), turn);
      }
    }
  return finish();
}
