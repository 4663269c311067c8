//===- ErrorBound.h - How far results may be off ----------------*- C++ -*-===//
#pragma once

namespace hk {

/// Of floating-point results against the original's: |after - before| <= Absolute + Relative * |before|.
struct ErrorBound {
  double Relative = 0, Absolute = 0;
};

} // namespace hk
