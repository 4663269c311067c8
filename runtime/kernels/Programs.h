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

/// Values kept in 16 bits, and the output of them: the same type, or E4M3 with a scale for the
/// tensor or per row.
template <class Output, class X>
constexpr bool IsUsual =
    std::is_same_v<Output, Matrix<X>> || std::is_same_v<Output, Matrix<E4M3>> ||
    std::is_same_v<Output, QuantizedRows<E4M3>>;

template <class Program> constexpr bool AllKernels = false;

template <class Policy, class I, class... Xs, class Output, class... Others>
constexpr bool AllKernels<detail::RowProgram<
    bf16, SumSquares, detail::AddResidual, I, detail::ResidualRmsEpilogue<Policy>,
    Tuple<RowVector<bf16>, Xs...>, Tuple<Output, Others...>>> = IsUsual<Output, bf16>;

} // namespace hk::kernels

namespace hk::detail {

template <class K, class R, class P, class I, class E, class X, class O>
inline constexpr bool CompactRows<RowProgram<K, R, P, I, E, X, O>> =
    !kernels::AllKernels<RowProgram<K, R, P, I, E, X, O>>;

} // namespace hk::detail
