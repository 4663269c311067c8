//===- Compare.h - Where two versions of memory differ ----------*- C++ -*-===//
#pragma once

#include "hk/Verify/Verify.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace hk::verification {

/// Of one memory: where the values that a pointer of type Element* points to begin.
struct ComparedType {
  ValueLayout Element; ///< Size 0: not known
  uint64_t Start = 0;  ///< byte

  /// Of memory about which nothing is known: 32-bit numbers.
  static ComparedType words();
};

/// What is different. Bytes, or where a bound allows it, floating-point values.
struct Difference {
  size_t First = 0, Bytes = 0; ///< the first byte of it, and how many
};

/// The largest deviation that a bound let pass.
struct Deviation {
  double Relative = 0, Absolute = 0;
  void add(const Deviation &O);
};

/// Bytes in \p Ignored do not count; empty: all count. Floating-point values may differ by \p Bound, if there is one:
/// NaN is as good as any other NaN, an infinity is only equal to itself.
std::optional<Difference> compareMemory(llvm::ArrayRef<uint8_t> A, llvm::ArrayRef<uint8_t> B, const ComparedType &Type,
                                        const std::vector<bool> &Ignored, const std::optional<ErrorBound> &Bound,
                                        Deviation &Largest);

/// "element 17 is 1.5 (0x3fc00000) before, 2.5 (0x40200000) after (12 bytes differ)".
std::string describeDifference(llvm::ArrayRef<uint8_t> A, llvm::ArrayRef<uint8_t> B, const ComparedType &Type,
                               const Difference &D);

/// Numbers in two lines may differ by \p Bound, all else has to be the same.
bool sameText(llvm::StringRef A, llvm::StringRef B, const ErrorBound &Bound);

/// A value as a person reads it, with its bits: "1.5 (0x3fc00000)".
std::string printScalar(const uint8_t *At, const ValueLayout::Scalar &S);
bool isFloat(const ValueLayout::Scalar &S);
const llvm::fltSemantics &semanticsOf(const ValueLayout::Scalar &S);

} // namespace hk::verification
