//===- hk/gemm/epilogue.h - What becomes of the sums -------------------------===//
//
// The epilogue is a functor, as in hk::rows:
//
//   operator()(value, extra...) const, or with an At (row and column) first; one value, or an hk::tuple of as many as there are
//   outputs
//
// `value` is the sum over K: float; int32_t for int8 factors, double for double ones. Extras are operands (hk/operands.h):
// Matrix (a residual, C), RowVector (a bias, a scale per column), ColumnVector (a scale per row), Scalar (a static scale). One
// whose data is null is not read: its values are zeros for a Matrix or RowVector, ones for a ColumnVector or Scalar.
// Outputs are Matrix; float results are rounded to the output's type (and saturated, for 8-bit types), integer ones cut to it.
// The functor may have `prepare() const`, called once by each work-item: what that returns is called in its place.
//
// With batches, an extra or output is `hk::batched(operand, stride)`, with `stride` elements from one to the next, or
// a MatrixArray, with a pointer in device memory for each; others are the same for all batches. MatrixGroups: as
// MatrixArray, with pitches of their own (hk/gemm/grouped.h).
//
// Operands of other types bring, in their own namespace: operandAt(), isEpilogueAligned(), hasEpiloguePitch(); to be read,
// OperandTraits and loadExtra(); to be written, storeResult(). With ChecksAlignment they look at their alignment themselves.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/detail/row_kernels.h"
#include "hk/operands.h"
#include "hk/tuple.h"

namespace hk {

/// An operand with `stride` elements from one batch to the next.
template <class O> struct Batched {
  O operand;
  int64_t stride;
};
template <class O> Batched<O> batched(O operand, int64_t stride) { return {operand, stride}; }

/// A matrix for each batch; `data` is in device memory.
template <class T> struct MatrixArray {
  T *const *data;
  int64_t pitch;
};

/// The same with a pitch for each, in device memory, too: from 0, below 2^31.
template <class T> struct MatrixGroups {
  T *const *data;
  const int64_t *pitch;
};

namespace detail {

//===-- Operands of one batch ------------------------------------------------------------------------------------===//

template <class O> HK_DEVICE O operandAt(const O &operand, int) { return operand; }
template <class O> HK_DEVICE O operandAt(const Batched<O> &b, int batch) {
  O operand = b.operand;
  if (operand.data)
    operand.data += batch * b.stride;
  return operand;
}
template <class T> HK_DEVICE Matrix<T> operandAt(const MatrixArray<T> &m, int batch) {
  return {loadPointer(m.data + batch), m.pitch};
}
template <class T> HK_DEVICE Matrix<T> operandAt(const MatrixGroups<T> &m, int batch) {
  return {loadPointer(m.data + batch), m.pitch[batch]};
}

template <class O> struct OfBatch {
  using Type = O;
};
template <class O> struct OfBatch<Batched<O>> {
  using Type = O;
};
template <class T> struct OfBatch<MatrixArray<T>> {
  using Type = Matrix<T>;
};

template <class T> struct OfBatch<MatrixGroups<T>> {
  using Type = Matrix<T>;
};

template <class Operands> struct OperandsOfBatch;
template <class... Os> struct OperandsOfBatch<Tuple<Os...>> {
  using Type = Tuple<typename OfBatch<Os>::Type...>;
};

template <class From> HK_DEVICE auto operandsAt(const From &from, int batch) {
  typename OperandsOfBatch<From>::Type to{};
  forEachIndex<From::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    get<I>(to) = operandAt(get<I>(from), batch);
  });
  return to;
}

//===-- Whether vectors are aligned: on the host -----------------------------------------------------------------===//

/// Elements that a work-item finishes at once.
constexpr int EpilogueVector = 4;

template <class T> bool isEpilogueAligned(const Matrix<T> &m) { return areVectorsAligned<EpilogueVector>(m.data, m.pitch); }
template <class T> bool isEpilogueAligned(const RowVector<T> &v) { return areVectorsAligned<EpilogueVector>(v.data, 0); }
template <class T> bool isEpilogueAligned(const ColumnVector<T> &) { return true; }
template <class T> bool isEpilogueAligned(const Scalar<T> &) { return true; }
template <class T> bool isEpilogueAligned(const MatrixArray<T> &) { return false; }
template <class T> bool isEpilogueAligned(const MatrixGroups<T> &) { return false; }
template <class O> bool isEpilogueAligned(const Batched<O> &b) {
  return isEpilogueAligned(b.operand) && areVectorsAligned<EpilogueVector>(b.operand.data, b.stride);
}

/// Whether pitches are what rowOffset() takes.
template <class O> bool hasEpiloguePitch(const O &) { return true; }
template <class T> bool hasEpiloguePitch(const Matrix<T> &m) { return m.pitch >= 0 && m.pitch <= 0x7fffffff; }
template <class T> bool hasEpiloguePitch(const MatrixArray<T> &m) { return m.pitch >= 0 && m.pitch <= 0x7fffffff; }
template <class O> bool hasEpiloguePitch(const Batched<O> &b) { return hasEpiloguePitch(b.operand); }

/// Whether an operand's loads and stores look at its alignment while they run. Then a kernel has one kind of code for all of its
/// vectors, where \p General is true, instead of two.
template <class O> constexpr bool ChecksAlignment = false;

//===-- The program of a kernel ----------------------------------------------------------------------------------===//

template <class Operands> struct AnyChecksAlignment;
template <class... Os> struct AnyChecksAlignment<Tuple<Os...>> {
  static constexpr bool Value = (false || ... || ChecksAlignment<Os>);
};

template <class E, class X, class O> struct GemmProgram {
  using Epilogue = E;
  using Extras = typename OperandsOfBatch<X>::Type;
  using Outputs = typename OperandsOfBatch<O>::Type;
  static constexpr bool OneKind = AnyChecksAlignment<Extras>::Value || AnyChecksAlignment<Outputs>::Value;

  E epilogue;
  X extras;
  O outputs;
  bool aligned; ///< vectors of all operands
};

template <class E, class = void> struct HasPlainPrepare : std::false_type {};
template <class E> struct HasPlainPrepare<E, std::void_t<decltype(std::declval<const E &>().prepare())>> : std::true_type {};

template <class E> HK_DEVICE auto preparedEpilogue(const E &epilogue) {
  if constexpr (HasPlainPrepare<E>::value)
    return epilogue.prepare();
  else
    return epilogue;
}

template <class T, int N, class V>
HK_DEVICE void packResults(const V (&values)[N], Raw<T, N> &to) {
  if constexpr (std::is_same_v<V, float> && !std::is_same_v<typename Element<T>::Value, double>) {
    packFloats<DefaultOverflow<T>>(values, to);
  } else {
    using To = typename Element<T>::Value;
    To converted[N];
#pragma unroll
    for (int n = 0; n < N; ++n)
      converted[n] = To(values[n]);
    to.template pack<DefaultOverflow<T>>(converted);
  }
}

template <class O, int N> HK_DEVICE void clear(Fragment<O, N> &fragment) {
  if constexpr (OperandTraits<O>::Is != Part::PerRow)
    fragment.raw.clear();
}

/// As loadOperand(); a column vector that is left out stands for ones, as a scalar does.
template <bool General, class O, int N>
HK_DEVICE void loadExtra(Fragment<O, N> &to, const O &from, int row, int column, int count) {
  loadOperand<General>(to, from, row, column, count);
}
template <bool General, class T, int N>
HK_DEVICE void loadExtra(Fragment<ColumnVector<T>, N> &to, const ColumnVector<T> &from, int row, int, int) {
  to.value = from.data ? Element<T>::toValue(from.data[row]) : typename Element<T>::Value(1);
}

/// Rounds results to the output's type and stores them; General: the first \p count of them.
template <bool General, class O, class V, int N>
HK_DEVICE void storeResult(const O &to, int row, int column, const V (&values)[N], int count) {
  using T = typename OutputTraits<O>::Type;
  Raw<T, N> raw;
  packResults(values, raw);
  T *at = atColumn(to.data + rowOffset(row, to.pitch), uint32_t(column));
  if constexpr (General)
    storeSome<false>(at, raw, count);
  else
    store<true>(at, raw);
}

/// Finishes EpilogueVector sums of a row at a time, of one batch.
template <class Program> class Finisher {
public:
  static constexpr int N = EpilogueVector;
  using Extras = typename Program::Extras;
  using Outputs = typename Program::Outputs;

  HK_DEVICE Finisher(const Program &program, int batch)
      : epilogue(preparedEpilogue(program.epilogue)), extras(operandsAt(program.extras, batch)),
        outputs(operandsAt(program.outputs, batch)), aligned(program.aligned) {}

  /// \p count: columns that are there.
  template <class Sum> HK_DEVICE void operator()(int row, int column, const Sum (&sums)[N], int count) const {
    if constexpr (!Program::OneKind)
      if (aligned && count >= N)
        return finish<false>(row, column, sums, N);
    if (count > 0)
      finish<true>(row, column, sums, count);
  }

  /// V vectors at (rows[v], columns[v]), at most counts[v] columns of which are there. What the epilogue reads of all is under way
  /// before the first is stored.
  template <int V, class Sum>
  HK_DEVICE void several(const int (&rows)[V], const int (&columns)[V], const Sum (&sums)[V][N], const int (&counts)[V]) const {
    bool whole = aligned && !Program::OneKind;
#pragma unroll
    for (int v = 0; v < V; ++v)
      whole = whole && counts[v] >= N;
    if (!whole) {
#pragma unroll 1
      for (int v = 0; v < V; ++v)
#pragma unroll
        for (int w = 0; w < V; ++w) // so that registers have constant indices
          if (v == w)
            (*this)(rows[w], columns[w], sums[w], counts[w]);
      return;
    }
    Fragments<Extras, N> loaded[V];
#pragma unroll
    for (int v = 0; v < V; ++v)
      load<false>(loaded[v], rows[v], columns[v], N);
#pragma unroll
    for (int v = 0; v < V; ++v)
      finish<false>(loaded[v], rows[v], columns[v], sums[v], N);
  }

private:
  template <bool General, class Sum> HK_DEVICE void finish(int row, int column, const Sum (&sums)[N], int count) const {
    Fragments<Extras, N> loaded;
    load<General>(loaded, row, column, count);
    finish<General>(loaded, row, column, sums, count);
  }
  template <bool General> HK_DEVICE void load(Fragments<Extras, N> &loaded, int row, int column, int count) const {
    forEachIndex<Extras::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      if (OperandTraits<TupleElement<I, Extras>>::Is == Part::PerRow || get<I>(extras).data)
        loadExtra<General>(get<I>(loaded), get<I>(extras), row, column, count);
      else
        clear(get<I>(loaded));
    });
  }
  template <bool General, class Sum>
  HK_DEVICE void finish(const Fragments<Extras, N> &loaded, int row, int column, const Sum (&sums)[N], int count) const {
    typename ValuesOf<Extras, N>::Type values;
    unpackAll<Extras, N>(loaded, values);
    auto one = [&](int n) {
      return callWith(epilogue, At{row, column + n}, values, n, std::make_integer_sequence<int, Extras::Size>{}, sums[n]);
    };
    using Result = decltype(one(0));
    Result results[N];
#pragma unroll
    for (int n = 0; n < N; ++n)
      results[n] = one(n);
    forEachIndex<Outputs::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      using V = std::decay_t<decltype(result<I>(results[0]))>;
      V stored[N];
#pragma unroll
      for (int n = 0; n < N; ++n)
        stored[n] = result<I>(results[n]);
      storeResult<General>(get<I>(outputs), row, column, stored, count);
    });
  }

  decltype(preparedEpilogue(std::declval<const typename Program::Epilogue &>())) epilogue;
  Extras extras;
  Outputs outputs;
  bool aligned;
};

} // namespace detail
} // namespace hk
