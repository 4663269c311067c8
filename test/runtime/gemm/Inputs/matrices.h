//===- matrices.h - Factors and outputs, and their product in f64 ---------===//
#pragma once

#include "../../ops/Inputs/check.h"
#include "../../ops/Inputs/samples.h"

#include "hk/gemm/factor.h"

namespace test {

/// The definition of a type of the headers.
template <class T> inline const ElementType *TypeIs = nullptr;
template <> inline const ElementType *TypeIs<float> = &F32;
template <> inline const ElementType *TypeIs<hk::f16> = &F16;
template <> inline const ElementType *TypeIs<hk::bf16> = &BF16;
template <> inline const ElementType *TypeIs<int8_t> = &I8;
template <> inline const ElementType *TypeIs<int32_t> = &I32;
template <> inline const ElementType *TypeIs<hk::e4m3> = &E4M3;
template <> inline const ElementType *TypeIs<hk::e5m2> = &E5M2;
template <> inline const ElementType *TypeIs<hk::e4m3fnuz> = &E4M3FNUZ;
template <> inline const ElementType *TypeIs<hk::e5m2fnuz> = &E5M2FNUZ;

template <class T> double valueOf(const unsigned char *bytes) {
  if constexpr (std::is_same_v<T, double>) {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  } else {
    uint32_t code = 0;
    std::memcpy(&code, bytes, sizeof(T));
    return TypeIs<T>->value(code);
  }
}
template <class T> void setValue(unsigned char *bytes, double value) {
  if constexpr (std::is_same_v<T, double>) {
    std::memcpy(bytes, &value, sizeof value);
  } else {
    const uint32_t code = TypeIs<T>->code(TypeIs<T>->rounded(value));
    std::memcpy(bytes, &code, sizeof(T));
  }
}

enum class Role { Input, Output };

/// Matrices of rows x columns, `pitch` elements from row to row and `stride` from one matrix to the next.
///
/// An input's memory ends with its last element, and only elements were ever written: the simulator faults on any other
/// access. An output's memory is larger and full of a pattern, and untouched() says whether it still is where there are no
/// elements.
template <class T> class Matrices {
public:
  Matrices(Role role, int batches, int64_t rows, int64_t columns, int64_t gap = 0, int64_t strideGap = 0)
      : batches(batches), rows(rows), columns(columns), pitch(columns + gap), stride(rows * pitch + strideGap), role(role) {
    front = role == Role::Output ? 256 : 0;
    const bool any = batches && rows && columns;
    const int64_t elements = any ? (batches - 1) * stride + (rows - 1) * pitch + columns : 0;
    host.resize(2 * front + elements * sizeof(T));
    check(hipMalloc(&memory, host.size() ? host.size() : 1), "hipMalloc");
    reset();
  }
  ~Matrices() { check(hipFree(memory), "hipFree"); }
  Matrices(const Matrices &) = delete;
  Matrices &operator=(const Matrices &) = delete;

  const int batches;
  const int64_t rows, columns, pitch, stride;

  T *data(int batch = 0) const { return reinterpret_cast<T *>(static_cast<char *>(memory) + front) + batch * stride; }

  double at(int batch, int64_t row, int64_t column) const { return valueOf<T>(&host[place(batch, row, column)]); }

  /// f(batch, row, column) for each element, rounded to T.
  template <class F> Matrices &fill(F &&f) {
    for (int b = 0; b < batches; ++b)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
          setValue<T>(&host[place(b, r, c)], f(b, r, c));
    return upload();
  }
  /// All of the pattern again.
  void reset() {
    for (size_t b = 0; b != host.size(); ++b)
      host[b] = poison(b);
    if (role == Role::Output)
      upload();
  }
  Matrices &upload() {
    if (role == Role::Output)
      check(hipMemcpy(memory, host.data(), host.size(), hipMemcpyHostToDevice), "hipMemcpy");
    else if (rows && columns)
      for (int b = 0; b < batches; ++b)
        check(hipMemcpy2D(data(b), pitch * sizeof(T), &host[place(b, 0, 0)], pitch * sizeof(T), columns * sizeof(T), rows,
                          hipMemcpyHostToDevice),
              "hipMemcpy2D");
    return *this;
  }
  /// Of an output.
  const std::vector<unsigned char> &download() {
    check(hipMemcpy(host.data(), memory, host.size(), hipMemcpyDeviceToHost), "hipMemcpy");
    return host;
  }
  /// Everything that is no element, or \p all.
  bool untouched(bool all = false) const {
    for (size_t at = 0; at != host.size(); ++at) {
      const int64_t element = (int64_t(at) - front) / int64_t(sizeof(T)), inBatch = stride ? element % stride : 0;
      const bool guard = all || int64_t(at) < front || at >= host.size() - front || !stride || element / stride >= batches ||
                         inBatch / pitch >= rows || inBatch % pitch >= columns;
      if (guard && host[at] != poison(at))
        return false;
    }
    return true;
  }

private:
  Role role;
  int64_t front;
  std::vector<unsigned char> host;
  void *memory = nullptr;

  static unsigned char poison(size_t b) { return static_cast<unsigned char>(0xA5 + 29 * b); }
  size_t place(int batch, int64_t row, int64_t column) const {
    return front + (batch * stride + row * pitch + column) * sizeof(T);
  }
};

/// A factor: rows x columns elements, in memory as \p L says, `gap` more elements from line to line.
template <class T, hk::Layout L> struct FactorMemory {
  static constexpr bool InRows = L == hk::Layout::RowMajor;
  int64_t rows, columns;
  Matrices<T> memory;

  FactorMemory(int batches, int64_t rows, int64_t columns, int64_t gap, int64_t strideGap = 0)
      : rows(rows), columns(columns),
        memory(Role::Input, batches, InRows ? rows : columns, InRows ? columns : rows, gap, strideGap) {}

  template <class F> void fill(F &&f) {
    memory.fill([&](int b, int64_t line, int64_t at) { return InRows ? f(b, line, at) : f(b, at, line); });
  }
  /// About standard normal numbers, or any int8.
  void random(uint64_t seed) {
    fill([&](int b, int64_t i, int64_t j) {
      if constexpr (std::is_same_v<T, int8_t>)
        return std::floor(uniform(seed + 77 * b, i, j) * 256) - 128;
      else
        return normal(seed + 77 * b, i, j);
    });
  }
  double at(int batch, int64_t i, int64_t j) const {
    return memory.at(batch, InRows ? i : j, InRows ? j : i);
  }
  /// stride 0: the first matrix in all batches.
  template <class P = hk::AsStored> hk::Factor<T, L, P> factor(P prologue = {}, bool shared = false) const {
    return {memory.data(), memory.pitch, memory.batches > 1 && !shared ? memory.stride : 0, nullptr, prologue};
  }
};

/// The sums over K and those of the products' magnitudes.
template <class Real = double> struct Products {
  int64_t m, n, k;
  std::vector<Real> sums, magnitudes;

  /// a(i, k), b(k, j): what is multiplied.
  template <class A, class B> Products(int64_t m, int64_t n, int64_t k, const A &a, const B &b) : m(m), n(n), k(k) {
    sums.resize(m * n), magnitudes.resize(m * n);
    std::vector<Real> line(n);
    for (int64_t at = 0; at < k; ++at) {
      for (int64_t j = 0; j < n; ++j)
        line[j] = b(at, j);
      for (int64_t i = 0; i < m; ++i) {
        const Real x = a(i, at);
        Real *sum = &sums[i * n], *magnitude = &magnitudes[i * n];
        for (int64_t j = 0; j < n; ++j) {
          const Real product = x * line[j];
          sum[j] += product;
          magnitude[j] += product < 0 ? -product : product;
        }
      }
    }
  }
  Real sum(int64_t i, int64_t j) const { return sums[i * n + j]; }
  /// What hk/gemm.h allows an f32 sum to be off by.
  double allowed(int64_t i, int64_t j) const { return double(k + 2) * Unit * double(magnitudes[i * n + j]); }
};

/// The product of two factors' memory, in one batch.
template <class Real = double, class FA, class FB> Products<Real> productOf(const FA &a, const FB &b, int batchA = 0, int batchB = 0) {
  return {a.rows, b.columns, a.columns, [&](int64_t i, int64_t k) { return a.at(batchA, i, k); },
          [&](int64_t k, int64_t j) { return b.at(batchB, k, j); }};
}

inline std::string sizeName(int64_t m, int64_t n, int64_t k) {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

} // namespace test
