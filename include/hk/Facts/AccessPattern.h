//===- AccessPattern.h - How a wavefront reaches global memory --*- C++ -*-===//
//
// Classes the accesses of a kernel by what neighbouring lanes do, and counts
// the lines of 128 bytes that one wavefront touches. An estimate for remarks
// and for choosing among rewrites, never part of a proof: it takes sums as they
// are printed (no wrapping), all lanes as active, objects as aligned to a line,
// launches in view as all there are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/AffineForm.h"
#include "hk/Facts/KernelFacts.h"

#include <optional>
#include <string>
#include <vector>

namespace hk {

enum class AccessClass {
  Uniform,         ///< neighbours in x use one address
  Coalesced,       ///< neighbours in x use neighbouring elements, upwards or downwards
  StridedConstant, ///< neighbours are a number of bytes apart
  StridedSymbolic, ///< neighbours are a pitch apart that is known when the kernel runs
  Blocked, ///< each lane goes through consecutive elements, and lanes are that many apart: base +
           ///< tid * K + i
  ArrayOfStructs, ///< neighbours use the same member of neighbouring structs
  Transposed,     ///< threadIdx.y or z reaches neighbouring elements, x does not
  Gathered,       ///< the data decide
  Unknown,        ///< the address is no sum of products
};

/// "coalesced", "in an array of structs", ...
const char *nameOf(AccessClass C);

struct AccessPattern {
  AccessClass Class = AccessClass::Unknown;
  /// Accesses that the compiler makes one of, by id: members of a struct that are side by side.
  std::vector<unsigned> Accesses;
  unsigned Bytes = 0;   ///< a lane reads or writes
  std::string Stride;   ///< bytes between neighbours in x, as text
  std::string Unknown;  ///< why the address is no sum of products
  int Contiguous = -1;  ///< Transposed: the dimension that reaches neighbouring elements
  bool Partial = false; ///< work-items may disagree on whether it runs
  /// Lines of 128 bytes that a wavefront of 64 lanes touches, and the fewest that hold as many
  /// bytes; not set for addresses that are no sums.
  std::optional<unsigned> Lines, Fewest;

  /// Fewest over lines: 1 is best.
  std::optional<double> ratio() const {
    return Lines ? std::optional(double(*Fewest) / *Lines) : std::nullopt;
  }
};

/// The patterns of all accesses to global memory, in program order of their first access.
std::vector<AccessPattern> accessPatterns(const KernelFacts &K);

} // namespace hk
