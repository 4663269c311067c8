//===- ErrorBound.h - How far results may be off ----------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <optional>

namespace hk {

/// Of floating-point results against the original's: |after - before| <= Absolute + Relative * |before|.
struct ErrorBound {
  double Relative = 0, Absolute = 0;
};

/// Makes \p Bound, where nothing stands for bit for bit, allow what \p Other allows.
inline void widen(std::optional<ErrorBound> &Bound, const std::optional<ErrorBound> &Other) {
  if (!Other)
    return;
  if (!Bound)
    Bound.emplace();
  Bound->Relative = std::max(Bound->Relative, Other->Relative);
  Bound->Absolute = std::max(Bound->Absolute, Other->Absolute);
}

} // namespace hk
