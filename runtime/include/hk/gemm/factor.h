//===- hk/gemm/factor.h - What hk::gemm multiplies --------------------------===//
//
// A Factor is A (M x K) or B (K x N): device memory, an order, a leading dimension, and what is done to its elements before
// they are multiplied (the prologue). Make one with hk::rowMajor() or hk::columnMajor().
//
//   Factor          element (i, j)                     K is contiguous in
//   rowMajor        data[i * ld + j]                   A
//   columnMajor     data[j * ld + i]                   B    (weights N x K as PyTorch stores them)
//
// The prologue is AsStored, or a functor of the caller's with
//
//   using Type = f16;                                  the type that is multiplied
//   float operator()(Value value, int row, int k) const    row: i of A, j of B; Value: float, int32_t for integers
//
// Its result is rounded to Type. A scale per row of A or column of B costs less in the epilogue.
//
// Batches: `stride` elements from one matrix to the next (0: the same for all), or `array`, a pointer in device memory for
// each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/instructions.h"
#include "hk/operands.h"

namespace hk {

enum class Layout { RowMajor, ColumnMajor };

/// Elements are multiplied as they are.
struct AsStored {};

template <class T, Layout L, class P = AsStored> struct Factor {
  const T *data;
  int64_t ld;
  int64_t stride = 0;
  const T *const *array = nullptr;
  P prologue = {};
};

template <class T, class P = AsStored>
Factor<typename ElementOf<T>::type, Layout::RowMajor, P> rowMajor(const T *data, int64_t ld, int64_t stride = 0,
                                                                  P prologue = {}) {
  return {reinterpret_cast<const typename ElementOf<T>::type *>(data), ld, stride, nullptr, prologue};
}
template <class T, class P = AsStored>
Factor<typename ElementOf<T>::type, Layout::ColumnMajor, P> columnMajor(const T *data, int64_t ld, int64_t stride = 0,
                                                                        P prologue = {}) {
  return {reinterpret_cast<const typename ElementOf<T>::type *>(data), ld, stride, nullptr, prologue};
}
template <class T, class P = AsStored>
Factor<T, Layout::RowMajor, P> rowMajorBatch(const T *const *array, int64_t ld, P prologue = {}) {
  return {nullptr, ld, 0, array, prologue};
}
template <class T, class P = AsStored>
Factor<T, Layout::ColumnMajor, P> columnMajorBatch(const T *const *array, int64_t ld, P prologue = {}) {
  return {nullptr, ld, 0, array, prologue};
}

/// value * scale[row * pitch + k / group], rounded to T: weights of 8 bits with a scale for each `group` elements of K.
template <class T> struct DequantizeGroups {
  using Type = T;
  const float *scale;
  int64_t pitch;
  int group;
  template <class V> HK_DEVICE float operator()(V value, int row, int k) const {
    return float(value) * scale[row * pitch + k / group];
  }
};

/// value as T, exactly where T holds it: weights of 8 bits whose scales are in the epilogue.
template <class T> struct ConvertTo {
  using Type = T;
  template <class V> HK_DEVICE float operator()(V value, int, int) const { return float(value); }
};

namespace detail {

template <class T, class P> struct FactorType {
  using Type = typename P::Type;
};
template <class T> struct FactorType<T, AsStored> {
  using Type = T;
};

template <class T> HK_DEVICE const T *atBytes(const T *data, uint32_t offset) {
  return reinterpret_cast<const T *>(reinterpret_cast<const char *>(data) + offset);
}

/// Elements [0, count) of N, one by one and without a branch, and zeros for the others. Elements from \p from - 1 up are read,
/// none that is not there: \p count may be negative, down to where a row begins.
template <class T, int N> HK_DEVICE void loadClamped(Raw<T, N> &to, const T *from, int count) {
  constexpr int Bytes = int(sizeof(T));
  to.clear();
#pragma unroll
  for (int n = 0; n < N; ++n) {
    Raw<T, 1> one;
    load<true, Use::Cached>(one, from + (n < count ? n : count - 1));
    if constexpr (Bytes >= 4) {
#pragma unroll
      for (int word = 0; word < Bytes / 4; ++word)
        to.words[n * Bytes / 4 + word] = n < count ? one.words[word] : 0;
    } else {
      to.words[n * Bytes / 4] |= n < count ? one.words[0] << (n * Bytes % 4 * 8) : 0;
    }
  }
}

/// A factor as rows that are multiplied along K: A's rows, or B's columns.
template <class T, bool KContiguous, class P> struct Rows {
  using Stored = T;
  using Type = typename FactorType<T, P>::Type;
  static constexpr bool Contiguous = KContiguous;
  static constexpr bool Converts = !std::is_same_v<P, AsStored>;
  /// Elements of a chunk of what is multiplied, and the bytes that they take in memory.
  static constexpr int Elements = ChunkElements<Type>;
  static constexpr int StoredBytes = Elements * int(sizeof(T));
  using Chunk = Raw<T, Elements>;

  const T *data;
  int64_t ld;
  int64_t stride;
  const T *const *array;
  P prologue;

  HK_DEVICE const T *at(int batch) const { return array ? loadPointer(array + batch) : data + batch * stride; }

  /// A chunk that was loaded as what is multiplied. \p count: elements that are there (Whole: all are).
  template <bool Whole>
  HK_DEVICE void convert(const Chunk &from, uint32_t (&to)[4], int row, int k, int count) const {
    if constexpr (Converts) {
      typename Element<T>::Value values[Elements];
      from.unpack(values);
      float results[Elements];
#pragma unroll
      for (int n = 0; n < Elements; ++n)
        results[n] = Whole || n < count ? prologue(values[n], row, k + n) : 0.0f;
      Raw<Type, Elements> packed;
      packFloats<DefaultOverflow<Type>>(results, packed);
#pragma unroll
      for (int word = 0; word < 4; ++word)
        to[word] = packed.words[word];
    } else {
#pragma unroll
      for (int word = 0; word < 4; ++word)
        to[word] = from.words[word];
    }
  }
};

template <bool IsB, class T, Layout L, class P>
Rows<T, (L == Layout::RowMajor) != IsB, P> rowsOf(const Factor<T, L, P> &f) {
  return {f.data, f.ld, f.stride, f.array, f.prologue};
}

/// Whether chunks need no check of their alignment, in any row and batch. Those behind pointers in device memory are not known.
template <class R> bool areChunksAligned(const R &rows) {
  constexpr int N = R::Contiguous ? R::Elements : ChunkElements<typename R::Stored>;
  return !rows.array && areVectorsAligned<N>(rows.data, rows.ld) && areVectorsAligned<N>(rows.data, rows.stride);
}

} // namespace detail
} // namespace hk
