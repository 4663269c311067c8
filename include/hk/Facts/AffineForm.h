//===- AffineForm.h - Addresses as sums people can read ---------*- C++ -*-===//
//
// An address or count as a polynomial over work-item ids, workgroup ids, loop
// counters, kernel arguments and block sizes: affine in each of the first
// three, with products of arguments as coefficients. Made from ScalarEvolution.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/KernelFacts.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class SCEV;
}

namespace hk {

/// Sorted names of the factors -> coefficient. The constant has no factors.
using Polynomial = std::map<std::vector<std::string>, int64_t>;

/// "base + 4*width + 16": terms with factors first, the constant last; "0" for nothing.
std::string textOf(const Polynomial &P, const std::string &Base = "");

/// What one more of \p Factor adds; terms that have it other than once are left out.
Polynomial coefficientOf(const Polynomial &P, const std::string &Factor);

/// The number that \p P is, if it is one.
std::optional<int64_t> numberOf(const Polynomial &P);

struct AffineForm {
  Polynomial Terms;
  std::string Base;    ///< the object an address starts from
  std::string Unknown; ///< why there is no such form; empty when there is
  /// There is none because it depends on a value loaded from memory.
  bool FromMemory = false;
  /// Part of it is computed in 32 bits and may wrap there.
  bool Wraps32 = false;

  bool known() const { return Unknown.empty(); }
  /// "in + 4*threadIdx.x + 1024*blockIdx.x"
  std::string str() const;
  /// Bytes between neighbours in x, when that is one number: 0 is the same address for all.
  std::optional<int64_t> laneStride() const;
  /// The same as text, for symbolic strides: "4*width".
  std::string laneStrideText() const;
};

/// The form of a scalar evolution in \p K; loops are named L0, L1, ... in the order of loopNumber().
AffineForm affineForm(const KernelFacts &K, const llvm::SCEV *S);

/// The address of an access in bytes.
AffineForm addressForm(const KernelFacts &K, const KernelAccess &A);

/// How often the body of \p L runs; a loop whose condition fails at once counts as its formula says.
AffineForm tripCount(const KernelFacts &K, const llvm::Loop &L);

/// Position of a loop in the kernel's loops, outermost first in program order.
unsigned loopNumber(const KernelFacts &K, const llvm::Loop *L);

} // namespace hk
