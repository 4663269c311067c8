//===- hk/operands.h - What a row operator reads and writes ---------------===//
//
// The operands of `hk::rows`, for a matrix of rows x columns. Sizes and pitches count elements. All are plain structs of
// device pointers, so that they travel in the kernel's arguments.
//
//   reads and writes
//   Matrix<T>              one element per row and column; `pitch` elements from one row to the next
//   reads
//   RowVector<T>           one per column, the same for all rows (weights, bias)
//   ColumnVector<T>        one per row (a scale per row)
//   Scalar<T>              one element in device memory (a static scale); a null pointer stands for one
//   writes
//   QuantizedRows<T>       values / scale[row], where scale[row] = max |value of the row| / largest T
//   QuantizedGroups<T, G>  the same for each G consecutive columns: scale[row * scalePitch + group]
//
// Columns are below 2^29, rows and pitches below 2^31.
//
// An output may be the same memory as an input with the same pitch (in place). Otherwise outputs must not overlap
// inputs or each other.
//
// Dynamic scales: a row or group whose values are all zero, or below 2^-116, gets the scale of 2^-116 (e5m2: 2^-110),
// so that neither the scale nor its inverse leaves the normal range. NaN does not count for the maximum and stays NaN;
// an infinite value makes the scale infinite, itself NaN (0 as an integer), and the others zero.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/vector.h"

#include <cstdint>
#include <type_traits>

namespace hk {

template <class T> struct Matrix {
  T *data;
  int64_t pitch;
};

template <class T> struct RowVector {
  const T *data;
};

template <class T> struct ColumnVector {
  const T *data;
};

template <class T> struct Scalar {
  const T *data;
};

template <class T> struct QuantizedRows {
  T *data;
  int64_t pitch;
  float *scale;
};

template <class T, int Group> struct QuantizedGroups {
  static_assert(Group == 32 || Group == 64 || Group == 128, "groups of 32, 64 or 128 columns");
  T *data;
  int64_t pitch;
  float *scale;
  int64_t scalePitch;
};

namespace detail {

/// How an operand takes part.
enum class Part { PerElement, PerColumn, PerRow };

/// Type: of the elements. Vector: whether it is accessed in vectors, and so bounds their length.
template <class O> struct OperandTraits;
template <class T> struct OperandTraits<Matrix<T>> {
  using Type = std::remove_const_t<T>;
  static constexpr Part Is = Part::PerElement;
};
template <class T> struct OperandTraits<RowVector<T>> {
  using Type = T;
  static constexpr Part Is = Part::PerColumn;
};
template <class T> struct OperandTraits<ColumnVector<T>> {
  using Type = T;
  static constexpr Part Is = Part::PerRow;
};
template <class T> struct OperandTraits<Scalar<T>> {
  using Type = T;
  static constexpr Part Is = Part::PerRow;
};

enum class Scaling { None, PerRow, PerGroup };

template <class O> struct OutputTraits;
template <class T> struct OutputTraits<Matrix<T>> {
  using Type = T;
  static constexpr Scaling Scale = Scaling::None;
  static constexpr int Group = 0;
};
template <class T> struct OutputTraits<QuantizedRows<T>> {
  using Type = T;
  static constexpr Scaling Scale = Scaling::PerRow;
  static constexpr int Group = 0;
};
template <class T, int G> struct OutputTraits<QuantizedGroups<T, G>> {
  using Type = T;
  static constexpr Scaling Scale = Scaling::PerGroup;
  static constexpr int Group = G;
};

/// Whether an output takes a static scale: types that are wider have no use for one.
template <class Output> constexpr bool TakesScale = false;
template <class T> constexpr bool TakesScale<Matrix<T>> = sizeof(T) == 1;

/// What a lane holds of an operand: N elements, or one for all of them.
template <class O, int N, Part P = OperandTraits<O>::Is> struct Fragment {
  using T = typename OperandTraits<O>::Type;
  Raw<T, N> raw;
  HK_DEVICE void unpack(typename Element<T>::Value (&values)[N]) const { raw.unpack(values); }
};
template <class O, int N> struct Fragment<O, N, Part::PerRow> {
  using T = typename OperandTraits<O>::Type;
  typename Element<T>::Value value;
  HK_DEVICE void unpack(typename Element<T>::Value (&values)[N]) const {
#pragma unroll
    for (int n = 0; n < N; ++n)
      values[n] = value;
  }
};

/// Rows and pitches are below 2^31, so that their product is one widening multiplication.
HK_DEVICE int64_t rowOffset(int row, int64_t pitch) { return int64_t(uint64_t(uint32_t(row)) * uint32_t(pitch)); }

/// data[column] with an offset of 32 bits in bytes: AMD's instructions add one to a base in scalar registers.
template <class T> HK_DEVICE T *atColumn(T *data, uint32_t column) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T *>(reinterpret_cast<Byte *>(data) + uint32_t(column * uint32_t(sizeof(T))));
}

template <class T> HK_DEVICE const T *address(const Matrix<T> &m, int row, uint32_t column) {
  return atColumn(m.data + rowOffset(row, m.pitch), column);
}
template <class T> HK_DEVICE const T *address(const RowVector<T> &v, int, uint32_t column) {
  return atColumn(v.data, column);
}

/// A pointer to global memory that lies in memory. Loaded as any other, AMD's compiler does not know where it points, and takes
/// flat instructions, which wait for LDS, too.
template <class T> HK_DEVICE T *loadPointer(T *const *from) {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
  using Global = __attribute__((address_space(1))) T *;
  Global pointer;
  __builtin_memcpy(&pointer, from, sizeof(pointer));
  return (T *)pointer;
#else
  return *from;
#endif
}

/// One element that no kernel writes while this one runs: a scalar load on AMD.
template <class T> HK_DEVICE T loadConstant(const T *from) {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
  return *(const __attribute__((address_space(4))) T *)from;
#else
  return *from;
#endif
}

/// N elements of an operand, or the first \p count. \p U: of those that have one per row and column.
template <bool General, Use U = Use::Cached, class O, int N>
HK_DEVICE void loadOperand(Fragment<O, N> &to, const O &from, int row, int column, int count) {
  using Traits = OperandTraits<O>;
  using T = typename Traits::Type;
  if constexpr (Traits::Is == Part::PerRow) {
    if constexpr (std::is_same_v<O, Scalar<T>>)
      to.value = from.data ? Element<T>::toValue(loadConstant(from.data)) : typename Element<T>::Value(1);
    else
      to.value = Element<T>::toValue(from.data[row]);
  } else {
    constexpr Use Own = Traits::Is == Part::PerElement ? U : Use::Cached;
    const T *at = address(from, row, uint32_t(column));
    if constexpr (General)
      loadSome<false, Own>(to.raw, at, count);
    else
      load<true, Own>(to.raw, at);
  }
}

} // namespace detail
} // namespace hk
