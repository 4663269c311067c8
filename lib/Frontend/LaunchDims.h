//===- LaunchDims.h - Values of launch configurations -----------*- C++ -*-===//
//
// Private to the front end.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "SourceIndex.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/DenseSet.h"

#include <array>

namespace clang {
class Expr;
class VarDecl;
} // namespace clang

namespace hk::frontend {

/// Variables of a translation unit that may change after their initialization: everything that is used other than by
/// reading its value. Assignments, ++, references, addresses, member assignments and captures by reference all count.
llvm::DenseSet<const clang::VarDecl *> collectModified(const SourceIndex &Index);

/// Reads launch dimensions. A dimension is Constant only when every launch at the place has that value.
class LaunchDims {
public:
  LaunchDims(const SourceIndex &Index, const llvm::DenseSet<const clang::VarDecl *> &Modified)
      : Index(Index), Modified(Modified) {}

  /// \p E is of type dim3, or an integer that is converted to it.
  std::array<LaunchDim, 3> read(const clang::Expr *E) const;
  /// The value of an integer that is the same in every launch at the place.
  std::optional<int64_t> value(const clang::Expr *E) const;

private:
  const SourceIndex &Index;
  const llvm::DenseSet<const clang::VarDecl *> &Modified;

  std::array<LaunchDim, 3> readDim3(const clang::Expr *E, unsigned Depth) const;
  LaunchDim readOne(const clang::Expr *E, unsigned Depth) const;
  std::optional<llvm::APSInt> evaluate(const clang::Expr *E, unsigned Depth) const;
  const clang::Expr *fixedInit(const clang::Expr *E) const;
};

} // namespace hk::frontend
