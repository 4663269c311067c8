//===- Programs.h - Which row programs get all kernels --------------------===//
//
// The operators on hk::rows that models spend their time in have a kernel for every kind of shape,
// one row shared by several workgroups included. All others have the few of
// hk/detail/compact_rows.h, for the sake of the time that the library takes to compile.
//
// Included before the operators.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Types.h"
#include "hk/ops/norm.h"
#include "hk/ops/quantize.h"
#include "hk/ops/softmax.h"

namespace hk::kernels {

template <class X> constexpr bool IsHalf = std::is_same_v<X, f16> || std::is_same_v<X, bf16>;

/// The same type, or E4M3 with a scale for the tensor or per row.
template <class Output, class X>
constexpr bool IsUsual =
    std::is_same_v<Output, Matrix<X>> || std::is_same_v<Output, Matrix<E4M3>> ||
    std::is_same_v<Output, QuantizedRows<E4M3>>;

template <class Program> constexpr bool AllKernels = false;

// RMSNorm, with and without a residual.
template <class X, class P, class I, class E, class... Xs, class Output, class... Others>
constexpr bool AllKernels<
    detail::RowProgram<X, SumSquares, P, I, E, Tuple<RowVector<X>, Xs...>, Tuple<Output, Others...>>> =
    IsHalf<X> && IsUsual<Output, X>;

template <class X, class P, class I, class E>
constexpr bool AllKernels<
    detail::RowProgram<X, Moments, P, I, E, Tuple<RowVector<X>, RowVector<X>>, Tuple<Matrix<X>>>> =
    IsHalf<X>;

template <class Policy, class P, class X, class E>
constexpr bool AllKernels<detail::RowProgram<KeepInputs, Softmax<Policy>, P, Tuple<Matrix<const X>>, E,
                                             Tuple<>, Tuple<Matrix<X>>>> = IsHalf<X>;

template <class X, class P, class I, class E>
constexpr bool AllKernels<
    detail::RowProgram<X, NoReduction, P, I, E, Tuple<>, Tuple<QuantizedGroups<E4M3, 128>>>> =
    IsHalf<X>;

} // namespace hk::kernels

namespace hk::detail {

template <class K, class R, class P, class I, class E, class X, class O>
inline constexpr bool CompactRows<RowProgram<K, R, P, I, E, X, O>> =
    !kernels::AllKernels<RowProgram<K, R, P, I, E, X, O>>;

} // namespace hk::detail
