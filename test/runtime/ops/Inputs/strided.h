//===- strided.h - Tensors of up to four dimensions with any strides ------===//
#pragma once

#include "check.h"
#include "samples.h"

#include <array>

namespace test {

using Index = std::array<int64_t, 4>;

/// Sizes and strides, outermost first; `offset` elements behind an address that is a multiple of 256.
struct Strides {
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
};

/// One row of memory that is seen through strides, which may be 0 or negative.
class Strided {
public:
  Strided(const ElementType &type, const Strides &s, bool output = false)
      : strides(s.strides), sizes(s.sizes), memory(type, 1, span(s), {0, s.offset}, output ? Tensor::Output : Tensor::Input) {
    memory.upload();
  }

  const std::vector<int64_t> strides, sizes;

  template <class T> T *data() const { return memory.data<T>() + first; }
  /// f(number of the element in memory).
  template <class F> void fill(F &&f) {
    memory.fill([&](int64_t, int64_t n) { return f(n); });
    for (int64_t n = 0; n != memory.columns; ++n)
      before.push_back(memory.code(0, n));
  }
  int64_t elementOf(const Index &i) const {
    int64_t n = first;
    for (size_t d = 0; d != sizes.size(); ++d)
      n += i[d] * strides[d];
    return n;
  }
  double at(const Index &i) const { return memory.at(0, elementOf(i)); }
  template <class F> void each(F &&f) const {
    Index i{};
    int64_t total = 1;
    for (int64_t size : sizes)
      total *= size;
    for (int64_t n = 0; n != total; ++n) {
      int64_t rest = n;
      for (int d = int(sizes.size()) - 1; d >= 0; --d)
        i[d] = rest % sizes[d], rest /= sizes[d];
      f(i);
    }
  }
  /// exact(index) at each element, within \p relative of it, and no change between them.
  template <class F> void verify(Checker &checker, const char *what, F &&exact, double relative = 0) {
    if (before.empty())
      for (int64_t n = 0; n != memory.columns; ++n)
        before.push_back(memory.code(0, n));
    memory.download();
    checker.untouched(what, memory);
    std::vector<bool> used(memory.columns);
    each([&](const Index &i) {
      const int64_t n = elementOf(i);
      used[n] = true;
      checker.element(what, memory.type, 0, n, memory.at(0, n), exact(i), relative * std::fabs(exact(i)));
    });
    for (int64_t n = 0; n != memory.columns; ++n)
      if (!used[n] && memory.code(0, n) != before[n])
        checker.fail(std::string(what) + ": element " + std::to_string(n) + " between the tensor's was written");
  }

private:
  int64_t first = 0;
  std::vector<uint32_t> before;
  Tensor memory;

  /// Elements from the lowest to the highest; sets `first`.
  int64_t span(const Strides &s) {
    int64_t high = 0;
    for (size_t d = 0; d != s.sizes.size(); ++d)
      if (s.sizes[d] > 0)
        (s.strides[d] < 0 ? first : high) += (s.sizes[d] - 1) * (s.strides[d] < 0 ? -s.strides[d] : s.strides[d]);
    return first + high + 1;
  }
};

/// Three inputs and two outputs of one shape.
struct Case {
  std::string name;
  std::vector<Strides> at;
};

inline std::vector<int64_t> dense(const std::vector<int64_t> &sizes, int64_t gap = 0) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride = stride * sizes[d] + (d == sizes.size() - 1 ? gap : 0))
    strides[d] = stride;
  return strides;
}

/// Strides of a tensor that lies in memory with its last two dimensions exchanged.
inline std::vector<int64_t> transposed(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> swapped = sizes;
  const size_t last = sizes.size() - 1;
  std::swap(swapped[last], swapped[last - 1]);
  std::vector<int64_t> strides = dense(swapped);
  std::swap(strides[last], strides[last - 1]);
  return strides;
}

inline std::vector<Case> stridedCases() {
  std::vector<Case> cases;
  auto all = [](const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides, int64_t offset = 0) {
    return std::vector<Strides>(5, Strides{sizes, strides, offset});
  };
  for (int64_t n : {1, 63, 64, 65, 1000, 4097, 16384, 53248})
    for (int64_t offset : {0, 1})
      cases.push_back({std::to_string(n) + " offset " + std::to_string(offset), all({n}, {1}, offset)});
  for (const auto &sizes : std::vector<std::vector<int64_t>>{
           {7, 65}, {3, 2880}, {40, 64}, {5, 7, 63}, {3, 5, 1024}, {2, 3, 5, 16}, {3, 1, 4, 33}, {2, 2, 3, 1000}, {9, 1}, {300, 3}}) {
    std::string name;
    for (int64_t size : sizes)
      name += (name.empty() ? "" : "x") + std::to_string(size);
    const std::vector<int64_t> zeros(sizes.size(), 0);
    cases.push_back({name, all(sizes, dense(sizes))});
    cases.push_back({name + " pitched by 16", all(sizes, dense(sizes, 16))});
    cases.push_back({name + " pitched by 1, offset 1", all(sizes, dense(sizes, 1), 1)});
    // Broadcast along the innermost dimension, along all others, along all.
    std::vector<int64_t> inner = zeros, outer = zeros;
    inner[0] = 1;
    outer.back() = 1;
    Case broadcast{name + " broadcast", all(sizes, dense(sizes))};
    broadcast.at[0].strides = inner, broadcast.at[1].strides = outer, broadcast.at[2].strides = zeros;
    cases.push_back(broadcast);
    Case turned{name + " transposed", all(sizes, dense(sizes))};
    turned.at[1].strides = transposed(sizes);
    turned.at[4].strides = transposed(sizes);
    cases.push_back(turned);
    // Every second element, backwards.
    Case reversed{name + " backwards", all(sizes, dense(sizes))};
    for (int64_t &stride : reversed.at[0].strides)
      stride *= -1;
    for (int64_t &stride : reversed.at[2].strides)
      stride *= 2;
    for (int64_t &stride : reversed.at[3].strides)
      stride *= -2;
    cases.push_back(reversed);
    Case rows{name + " rows backwards", all(sizes, dense(sizes))};
    rows.at[1].strides[0] *= -1;
    rows.at[3].strides[0] *= -1;
    cases.push_back(rows);
  }
  return cases;
}

} // namespace test
