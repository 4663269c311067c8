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

/// The same of f32 numbers: their product is exact in f64, the sum is rounded to odd there and once
/// more on the way to f32.
inline half fmaToHalf(float A, float B, float C) {
  double P = double(A) * double(B), X = double(C);
  double Sum = P + X;
  double Part = Sum - P;
  double Error = (P - (Sum - Part)) + (X - Part);
  uint64_t Bits = std::bit_cast<uint64_t>(Sum);
  bool Inexact = Error < 0 || Error > 0;
  uint64_t Outward = (std::bit_cast<uint64_t>(Error) ^ Bits) >> 63 ? ~uint64_t(0) : uint64_t(1);
  Bits += Inexact && !(Bits & 1) ? Outward : uint64_t(0);
  double Odd = std::bit_cast<double>(Bits);
  float Narrow = float(Odd);
  double Rest = Odd - double(Narrow);
  uint32_t Low = std::bit_cast<uint32_t>(Narrow);
  bool Cut = Rest < 0 || Rest > 0;
  bool Away = (Rest < 0) == (Low >> 31 != 0);
  // Beyond the range of f32 the result is infinite in f16 anyway.
  bool Finite = (Low & 0x7f800000) != 0x7f800000;
  Low += Cut && Finite && !(Low & 1) ? (Away ? 1u : ~0u) : 0u;
  return half(std::bit_cast<float>(Low));
}

HK_SIM_END
