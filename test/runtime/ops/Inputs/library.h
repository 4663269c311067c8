//===- library.h - Calls of libhk_kernels and what they write -------------===//
#pragma once

#include "check.h"
#include "samples.h"

#include "hk_kernels.h"

#include <algorithm>
#include <functional>

namespace test {

inline hk_matrix matrixOf(const Tensor &t) { return {t.data(), t.type.number, t.pitch}; }
inline hk_vector vectorOf(const Tensor &t) { return {t.data(), t.type.number}; }

/// A launch with a workspace, which all share as launches follow each other.
inline hk_launch launchOf(bool workspace, bool fast) {
  static void *shared = nullptr;
  if (workspace && !shared) {
    check(hipMalloc(&shared, hk_workspace_bytes()), "hipMalloc");
    check(hipError_t(hk_prepare_workspace(shared, nullptr)), "hk_prepare_workspace");
  }
  return {nullptr, workspace ? shared : nullptr, fast ? HK_FAST : HK_EXACT};
}

/// What an output is stored as.
struct Storage {
  const ElementType *type; ///< null: that of the input
  hk_scaling scaling;
  int group;
  const char *name;
};

inline const std::vector<Storage> &allStorages() {
  static const std::vector<Storage> all = {
      {nullptr, HK_SCALE_NONE, 0, "plain"},          {&E4M3FNUZ, HK_SCALE_NONE, 0, "plain"},
      {&E4M3FNUZ, HK_SCALE_TENSOR, 0, "tensor"},     {&E4M3FNUZ, HK_SCALE_ROWS, 0, "rows"},
      {&E4M3FNUZ, HK_SCALE_GROUPS, 128, "groups of 128"}, {&I8, HK_SCALE_NONE, 0, "plain"},
      {&I8, HK_SCALE_TENSOR, 0, "tensor"},           {&I8, HK_SCALE_ROWS, 0, "rows"},
      {&I8, HK_SCALE_GROUPS, 128, "groups of 128"}};
  return all;
}

/// An output and its scales.
class Output {
public:
  static constexpr double StaticScale = 0.0390625; // 5 / 128

  Output(const ElementType &input, const Storage &storage, int64_t rows, int64_t columns, Placement at)
      : storage(storage), values(storage.type ? *storage.type : input, rows, columns, at, Tensor::Output),
        group(storage.scaling == HK_SCALE_GROUPS ? storage.group : columns),
        scales(F32, storage.scaling == HK_SCALE_TENSOR ? 1 : rows,
               storage.scaling == HK_SCALE_GROUPS ? (columns + group - 1) / group : 1,
               {storage.scaling == HK_SCALE_GROUPS ? 3 : 0, 1},
               storage.scaling == HK_SCALE_TENSOR ? Tensor::Input : Tensor::Output) {
    values.upload();
    if (storage.scaling == HK_SCALE_TENSOR)
      scales.set(0, 0, StaticScale);
    scales.upload();
  }

  hk_output argument() const {
    return {matrixOf(values), storage.scaling, storage.group,
            storage.scaling == HK_SCALE_NONE ? nullptr : scales.data<float>(), scales.pitch};
  }

  /// \p exact: the result of an element before it is scaled; \p allowed: how far from it it may be.
  void verify(Checker &checker, const std::function<double(int64_t, int64_t)> &exact,
              const std::function<double(int64_t, int64_t)> &allowed) {
    values.download();
    scales.download();
    checker.untouched("y", values);
    if (storage.scaling == HK_SCALE_ROWS || storage.scaling == HK_SCALE_GROUPS)
      checker.untouched("scale", scales);
    const ElementType &type = values.type;
    for (int64_t r = 0; r < values.rows; ++r)
      for (int64_t begin = 0; begin < values.columns; begin += group) {
        const int64_t end = std::min(begin + group, values.columns);
        double scale = storage.scaling == HK_SCALE_TENSOR ? StaticScale : 1, own = 0;
        if (storage.scaling == HK_SCALE_TENSOR)
          own = 2 * Unit;
        if (storage.scaling >= HK_SCALE_ROWS) {
          scale = checkScale(checker, r, begin, end, exact, allowed);
          own = 4 * Unit;
        }
        for (int64_t c = begin; c < end; ++c) {
          const double y = exact(r, c), far = allowed(r, c);
          if (std::isinf(scale))
            checker.element("y", type, r, c, values.at(r, c), std::isfinite(y) ? 0 : NAN, 0);
          else
            checker.element("y", type, r, c, values.at(r, c), y / scale,
                            (far + own * std::fabs(y)) / scale + (own > 0 ? 0x1p-148 : 0));
        }
      }
  }

  const Storage &storage;
  Tensor values;

private:
  int64_t group;
  Tensor scales;

  /// Returns the scale that was stored.
  double checkScale(Checker &checker, int64_t row, int64_t begin, int64_t end,
                    const std::function<double(int64_t, int64_t)> &exact,
                    const std::function<double(int64_t, int64_t)> &allowed) {
    double most = 0, far = 0;
    for (int64_t c = begin; c < end; ++c) {
      const double y = std::fabs(exact(row, c));
      if (std::isnan(y))
        continue;
      most = std::max(most, y);
      far = std::max(far, std::isfinite(y) ? allowed(row, c) : 0);
    }
    const double scale = std::max(most, 0x1p-116) / values.type.largest, got = scales.at(row, begin / group);
    checker.element("scale", F32, row, begin / group, got, scale,
                    std::isinf(scale) ? 0 : far / values.type.largest + 2 * Unit * scale);
    return got;
  }
};

/// One shape and how its operands lie in memory.
struct Shape {
  int64_t rows, columns;
  Placement in, out;
  bool workspace;

  std::string text() const {
    std::string s = std::to_string(rows) + "x" + std::to_string(columns);
    if (in.gap || in.offset || out.gap || out.offset)
      s += " pitch +" + std::to_string(in.gap) + "/+" + std::to_string(out.gap) + " offset " +
           std::to_string(in.offset) + "/" + std::to_string(out.offset);
    return s + (workspace ? " workspace" : "");
  }
};

/// Few columns in many rows and many columns in few, whole vectors and cut ones, aligned or not.
inline const std::vector<Shape> &allShapes() {
  static const std::vector<Shape> all = {
      {1000, 1, {}, {}, false},
      {130, 63, {1, 0}, {3, 1}, false},
      {257, 64, {}, {}, false},
      {33, 64, {8, 3}, {16, 0}, false},
      {60, 65, {15, 0}, {15, 5}, false},
      {10, 1000, {}, {24, 0}, false},
      {10, 1000, {1, 1}, {}, false},
      {11, 2880, {}, {}, false},
      {10, 2880, {32, 16}, {64, 32}, true},
      {10, 2304, {}, {}, true},
      {5, 16384, {}, {}, false},
      {10, 16384, {}, {}, true},
      {2, 16385, {}, {15, 1}, true},
      {2, 53248, {}, {}, false},
      {3, 53248, {}, {}, true},
      {1, 53248, {0, 1}, {}, false},
  };
  return all;
}

/// The kind of row \p row: all kinds, in turn, from the one that \p turn says.
inline RowKind kindOf(int64_t row, int64_t turn) {
  const auto &kinds = allRowKinds();
  return kinds[size_t(row + turn) % kinds.size()];
}

} // namespace test
