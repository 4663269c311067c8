//===- AnyMatrix.h - An operand whose type a kernel looks up while it runs -===//
//
// hk::gemm's kernels are large, and a kernel for each combination of the types of C, bias, residual and y would make
// the library so. The type of such an operand is a number in the kernel's arguments instead: a branch that all
// work-items take the same way.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Arguments.h"
#include "hk/gemm.h"

namespace hk::kernels {

/// A matrix of one of \p Ts. Small, since all of it is in scalar registers while a tile is finished.
template <class... Ts> struct AnyMatrix {
  char *data;
  int64_t strideBytes; ///< from one batch to the next
  uint32_t pitch;      ///< in elements; below 2^31
  int8_t which;        ///< index in Ts
  bool aligned;        ///< vectors of it, in all rows and batches
};

/// The same for a vector of one element per column.
template <class... Ts> struct AnyVector {
  const char *data;
  int8_t which;
  bool aligned;
};

template <class... Ts> int8_t indexOf(int type) {
  constexpr int Types[] = {int(TypeOf<Ts>::value)...};
  int8_t n = 0;
  while (n + 1 < int(sizeof...(Ts)) && Types[n] != type)
    ++n;
  return n;
}

inline bool areMultiples(uint64_t bits, int type) {
  return bits % unsigned(detail::EpilogueVector * sizeOf(Type(type))) == 0;
}

template <class... Ts> AnyMatrix<Ts...> anyMatrix(const hk_matrix &m, int64_t stride) {
  const int64_t bytes = sizeOf(Type(m.type));
  const uint64_t bits = reinterpret_cast<uintptr_t>(m.data) | uint64_t(m.pitch * bytes) | uint64_t(stride * bytes);
  return {static_cast<char *>(m.data), stride * bytes, uint32_t(m.pitch), indexOf<Ts...>(m.type),
          areMultiples(bits, m.type)};
}
template <class... Ts> AnyVector<Ts...> anyVector(const void *data, int type) {
  return {static_cast<const char *>(data), indexOf<Ts...>(type), areMultiples(reinterpret_cast<uintptr_t>(data), type)};
}

/// What an epilogue makes of an integer sum: a number for outputs of any type, and the sum itself for those of int32_t.
struct FinishedSum {
  float value;
  int32_t sum;
};
HK_DEVICE float valueOf(float value) { return value; }
HK_DEVICE float valueOf(const FinishedSum &finished) { return finished.value; }
HK_DEVICE int32_t sumOf(float) { return 0; } // such sums have no output of int32_t
HK_DEVICE int32_t sumOf(const FinishedSum &finished) { return finished.sum; }

template <class T, class... Rest, class F> HK_DEVICE void withTypeAt(int which, F f) {
  if constexpr (sizeof...(Rest) == 0) {
    f(As<T>{});
  } else {
    if (which == 0)
      f(As<T>{});
    else
      withTypeAt<Rest...>(which - 1, f);
  }
}

template <class T, class... Ts> HK_DEVICE T *at(const AnyMatrix<Ts...> &m, int row, int column) {
  return detail::atColumn(reinterpret_cast<T *>(m.data) + detail::rowOffset(row, m.pitch), uint32_t(column));
}
template <class T, class... Ts> HK_DEVICE T *at(const AnyVector<Ts...> &v, int, int column) {
  return detail::atColumn(reinterpret_cast<T *>(v.data), uint32_t(column));
}

template <template <class...> class O, int N, class... Ts>
HK_DEVICE void loadAny(Raw<float, N> &to, const O<Ts...> &from, int row, int column, int count) {
  withTypeAt<Ts...>(from.which, [&](auto as) {
    using T = typename decltype(as)::Type;
    Raw<T, N> raw;
    const T *data = at<const T>(from, row, column);
    // AMD's instructions take any address.
    if (HK_NVIDIA && from.aligned && count >= N)
      load<true, Use::Cached>(raw, data);
    else
      loadSome<false, Use::Cached>(raw, data, count);
    float values[N];
    raw.unpack(values);
    to.template pack<Overflow::Special>(values);
  });
}

//===-- What hk/gemm/epilogue.h asks of an operand ----------------------------------------------------------------===//

template <class... Ts> HK_DEVICE AnyMatrix<Ts...> operandAt(const AnyMatrix<Ts...> &m, int batch) {
  AnyMatrix<Ts...> own = m;
  if (own.data)
    own.data += batch * own.strideBytes;
  return own;
}

template <class... Ts> bool isEpilogueAligned(const AnyMatrix<Ts...> &) { return false; }
template <class... Ts> bool isEpilogueAligned(const AnyVector<Ts...> &) { return false; }
template <class... Ts> bool hasEpiloguePitch(const AnyMatrix<Ts...> &m) { return m.pitch <= 0x7fffffff; }

template <bool General, int N, class... Ts>
HK_DEVICE void loadExtra(detail::Fragment<AnyMatrix<Ts...>, N> &to, const AnyMatrix<Ts...> &from, int row, int column,
                         int count) {
  loadAny(to.raw, from, row, column, count);
}
template <bool General, int N, class... Ts>
HK_DEVICE void loadExtra(detail::Fragment<AnyVector<Ts...>, N> &to, const AnyVector<Ts...> &from, int row, int column,
                         int count) {
  loadAny(to.raw, from, row, column, count);
}

template <bool General, int N, class V, class... Ts>
HK_DEVICE void storeResult(const AnyMatrix<Ts...> &to, int row, int column, const V (&values)[N], int count) {
  withTypeAt<Ts...>(to.which, [&](auto as) {
    using T = typename decltype(as)::Type;
    Raw<T, N> raw;
    if constexpr (std::is_same_v<T, int32_t>) {
#pragma unroll
      for (int n = 0; n < N; ++n)
        raw.words[n] = uint32_t(sumOf(values[n]));
    } else {
      float floats[N];
#pragma unroll
      for (int n = 0; n < N; ++n)
        floats[n] = valueOf(values[n]);
      detail::packResults(floats, raw);
    }
    T *data = at<T>(to, row, column);
    if (HK_NVIDIA && to.aligned && count >= N)
      store<true>(data, raw);
    else
      storeSome<false>(data, raw, count);
  });
}

} // namespace hk::kernels

namespace hk::detail {

template <class... Ts> struct OperandTraits<kernels::AnyMatrix<Ts...>> {
  using Type = float; ///< of what is loaded
  static constexpr Part Is = Part::PerElement;
};
template <class... Ts> struct OperandTraits<kernels::AnyVector<Ts...>> {
  using Type = float;
  static constexpr Part Is = Part::PerColumn;
};
template <class... Ts> constexpr bool ChecksAlignment<kernels::AnyMatrix<Ts...>> = true;
template <class... Ts> constexpr bool ChecksAlignment<kernels::AnyVector<Ts...>> = true;

} // namespace hk::detail
