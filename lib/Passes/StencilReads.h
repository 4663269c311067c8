//===- StencilReads.h - Where the reads of a stencil are --------*- C++ -*-===//
//
// An index as rows and elements away from a work-item's own, and what is known,
// from the conditions around it, of the work-items that get there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/LaunchRanges.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace hk {

/// Dimensions of the work-items: neighbours in memory, rows of them, and slices of rows.
struct StencilDims {
  unsigned Column = 0, Row = 1, Slice = 2;
  bool HasRows = false, HasSlices = false;
};

/// Element own + Offset[d] along each dimension d of the work-items, where own is
/// the sum of Stride[d] * item.d.
struct StencilAccess {
  const SourceAccess *A = nullptr;
  std::array<Polynomial, 3> Offset, Stride;
};

/// \p A as such; none if it is of another kind.
std::optional<StencilAccess> stencilAccess(const KernelSource &S, const SourceAccess &A,
                                           const StencilDims &Dims);

/// What a condition says of a number X: that of the work-item in a dimension, or that with the
/// access's offset.
struct PlaceBound {
  unsigned Dimension = 0;
  bool WithOffset = false;
  enum KindTy { Below, From, Not } Kind = Below; ///< X < With, X >= With, X != With
  Polynomial With;                               ///< of parameters
};

/// What has to hold of a work-item and of loops around it, so that it gets to an access.
struct PlaceBounds {
  std::vector<PlaceBound> Known;
  bool IsAll = true; ///< Known says all of it
};

/// \p Conditions: what has to hold at the launch, so that comparisons are those of numbers.
PlaceBounds placeBounds(const KernelSource &S, const StencilAccess &A,
                        std::set<std::string> &Conditions);

/// \p E is computed so that it is the number which its form says, if \p Conditions hold: nothing
/// wraps around below zero.
bool isNumber(const KernelSource &S, const BodyNode &E, std::set<std::string> &Conditions);

/// Somewhere in \p E, or in what its variables were given, a difference is taken without sign in
/// 32 bits and then taken for a longer number.
bool widensWrapped(const KernelSource &S, const BodyNode &E);

} // namespace hk
