//===- LinesModel.h - Lines that lanes touch, by their distance -*- C++ -*-===//
//
// What rewrites are chosen by. An estimate: all lanes are active, and what is not
// known of a distance is taken to be large.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/AffineForm.h"
#include "hk/Frontend/TranslationUnit.h"
#include "hk/Passes/KernelSource.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace hk {

constexpr unsigned WaveSize = 64;
constexpr unsigned LineBytes = 128;

/// Lines that \p Lanes lanes touch which are \p Stride elements of \p Bytes bytes apart; none: not
/// known.
inline double linesFor(const std::optional<Polynomial> &Stride, unsigned Bytes,
                       double Lanes = WaveSize) {
  const double Fewest = std::max(1.0, Lanes * Bytes / LineBytes);
  if (!Stride)
    return std::max(Lanes, Fewest);
  if (Stride->empty())
    return std::max(1.0, double(Bytes) / LineBytes);
  if (std::optional<int64_t> Number = numberOf(*Stride)) {
    const double Apart = std::abs(double(*Number)) * Bytes;
    return std::max(Fewest, std::min(Lanes * std::max(1.0, double(Bytes) / LineBytes),
                                     Lanes * Apart / LineBytes));
  }
  return std::max(Lanes, Fewest);
}

/// How often \p A happens: 16 times for each loop around it.
inline double timesOf(const SourceAccess &A) { return std::pow(16.0, double(A.Loops.size())); }

/// Lines of all that, for a wavefront in rows of \p Lanes lanes which are \p Stride apart.
inline double linesOf(const SourceAccess &A, const std::optional<Polynomial> &Stride,
                      double Lanes = WaveSize) {
  return timesOf(A) * linesFor(Stride, A.Node->Type.Bytes, Lanes) * WaveSize / Lanes;
}

/// Lanes along x in a kernel as it is launched; a wavefront where that is not known.
inline double lanesAlongX(const std::vector<Launch> &Launches) {
  double Lanes = WaveSize;
  for (const Launch &L : Launches)
    if (L.Block[0].Kind == LaunchDim::Constant && L.Block[0].Value)
      Lanes = std::min(Lanes, double(L.Block[0].Value));
  return Lanes;
}

} // namespace hk
