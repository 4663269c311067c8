//===- HalfMath.h - f16 arithmetic on f32 -----------------------*- C++ -*-===//
#pragma once

#include "Lanes.h"

HK_SIM_BEGIN

/// a * b + c rounded once. The product is exact in f32; the sum is rounded to odd there, which keeps
/// a later rounding to the 11 bits of f16 from being fooled by a tie.
inline half fmaHalf(half A, half B, half C) {
  float P = float(A) * float(B), X = float(C);
  float Sum = P + X;
  float Part = Sum - P;
  float Error = (P - (Sum - Part)) + (X - Part);
  uint32_t Bits = std::bit_cast<uint32_t>(Sum);
  bool Inexact = Error < 0 || Error > 0;
  uint32_t Outward = (std::bit_cast<uint32_t>(Error) ^ Bits) >> 31 ? ~0u : 1u;
  Bits += Inexact && !(Bits & 1) ? Outward : 0u;
  return half(std::bit_cast<float>(Bits));
}

HK_SIM_END
