//===- FloatDivide.cpp - Instructions of the division sequence ------------===//

#include "FloatDivide.h"

#include "FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

using namespace hk::sim;

namespace {

template <typename T> struct Traits;
template <> struct Traits<float> {
  using Bits = uint32_t;
  static constexpr int MantissaBits = 23, ExponentMask = 0xff, Bias = 127;
  static constexpr int Scale = 64;
  /// From this distance of the exponents on, the quotient comes near the largest number.
  static constexpr int Far = 96;
};
template <> struct Traits<double> {
  using Bits = uint64_t;
  static constexpr int MantissaBits = 52, ExponentMask = 0x7ff, Bias = 1023;
  static constexpr int Scale = 128;
  static constexpr int Far = 768;
};

} // namespace

/// The exponent field: 0 for zero and denormals.
template <typename T> static int exponentField(T V) {
  return int(bitsOf(V) >> Traits<T>::MantissaBits) & Traits<T>::ExponentMask;
}

template <typename T> static T divScaleOf(T S0, T D, T N, bool &Vcc) {
  using Tr = Traits<T>;
  Vcc = false;
  if (N == 0 || D == 0)
    return std::numeric_limits<T>::quiet_NaN();
  int NExp = exponentField(N), DExp = exponentField(D);
  // Bit patterns, so that NaN takes part too.
  bool IsDenominator = bitsOf(S0) == bitsOf(D), IsNumerator = bitsOf(S0) == bitsOf(N);
  // 1/D, and the quotient, below the normal numbers; by the exponents, so as to err on the far
  // side.
  bool TinyReciprocal = DExp >= 2 * Tr::Bias - 1;
  bool TinyQuotient = NExp - DExp <= 1 - Tr::Bias;

  if (NExp - DExp >= Tr::Far) {
    Vcc = true;
    return IsDenominator ? std::ldexp(S0, Tr::Scale) : S0;
  }
  if (DExp == 0) // both move: the quotient stays
    return std::ldexp(S0, Tr::Scale);
  if (TinyReciprocal && TinyQuotient) {
    Vcc = true;
    return IsDenominator ? std::ldexp(S0, -Tr::Scale) : S0;
  }
  if (TinyReciprocal)
    return std::ldexp(S0, -Tr::Scale);
  if (TinyQuotient) {
    Vcc = true;
    return IsNumerator ? std::ldexp(S0, Tr::Scale) : S0;
  }
  // The residual of a tiny numerator would be denormal.
  if (NExp <= Tr::MantissaBits + (std::is_same_v<T, float> ? 0 : 1))
    return std::ldexp(S0, Tr::Scale);
  return S0;
}

float hk::sim::divScale(float S0, float D, float N, bool &Vcc) { return divScaleOf(S0, D, N, Vcc); }
double hk::sim::divScale(double S0, double D, double N, bool &Vcc) {
  return divScaleOf(S0, D, N, Vcc);
}

float hk::sim::divFmas(float A, float B, float C, bool Vcc) {
  if (!Vcc)
    return std::fma(A, B, C);
  // Rounded to odd in double, which has room for the shift.
  double Sum = fmaForNarrow(A, B, C);
  return float(std::ldexp(Sum, exponentField(C) > Traits<float>::Bias ? 64 : -64));
}

double hk::sim::divFmas(double A, double B, double C, bool Vcc) {
  double Sum = std::fma(A, B, C);
  if (!Vcc)
    return Sum;
  if (exponentField(C) > Traits<double>::Bias)
    return std::ldexp(Sum, 128);
  double Moved = std::ldexp(Sum, -128);
  if (!std::isfinite(Sum) || Sum == 0 || std::fabs(Moved) >= std::numeric_limits<double>::min())
    return Moved;
  // A denormal result must not be rounded twice. The error of the sum is exact, as the addend is
  // far larger than the product; its sign, as two more bits below the sum, decides what a tie
  // hides.
  double P = A * B, PError = std::fma(A, B, -P);
  double Error = ((C - Sum) + P) + PError;
  int Nudge = Error == 0 ? 0 : (Error > 0) == (Sum > 0) ? 1 : -1;
  uint64_t Bits = bitsOf(Sum);
  uint64_t Significand = ((Bits & 0x000fffffffffffff) | 0x0010000000000000) * 4 + Nudge;
  // The last place of denormals, in units of the two extra bits.
  int Shift = 1 - (exponentField(Sum) - 128) + 2;
  if (Shift > 62)
    return std::copysign(0.0, Sum);
  uint64_t Kept = Significand >> Shift, Rest = Significand & ((uint64_t(1) << Shift) - 1);
  uint64_t Half = uint64_t(1) << (Shift - 1);
  Kept += Rest > Half || (Rest == Half && (Kept & 1));
  return doubleOf(Kept | (Bits & 0x8000000000000000));
}

template <typename T> static T quiet(T V) {
  return std::bit_cast<T>(bitsOf(V) | typename Traits<T>::Bits(1) << (Traits<T>::MantissaBits - 1));
}

template <typename T> static T divFixupOf(T Quotient, T D, T N) {
  using Bits = typename Traits<T>::Bits;
  constexpr Bits SignBit = Bits(1) << (sizeof(T) * 8 - 1);
  Bits Sign = (bitsOf(D) ^ bitsOf(N)) & SignBit;
  auto Signed = [Sign](T Magnitude) { return std::bit_cast<T>(bitsOf(Magnitude) | Sign); };
  constexpr T Infinity = std::numeric_limits<T>::infinity();
  if (std::isnan(N))
    return quiet(N);
  if (std::isnan(D))
    return quiet(D);
  if ((D == 0 && N == 0) || (std::isinf(D) && std::isinf(N))) // a negative NaN
    return std::bit_cast<T>(bitsOf(std::numeric_limits<T>::quiet_NaN()) | SignBit);
  if (D == 0 || std::isinf(N))
    return Signed(Infinity);
  if (std::isinf(D) || N == 0)
    return Signed(0);
  int Distance = exponentField(N) - exponentField(D);
  if (Distance < -(Traits<T>::Bias + Traits<T>::MantissaBits))
    return Signed(0);
  if (Distance > Traits<T>::Bias + 1) // the iteration met inf - inf
    return Signed(Infinity);
  return Signed(std::fabs(Quotient));
}

float hk::sim::divFixup(float Q, float D, float N) { return divFixupOf(Q, D, N); }
double hk::sim::divFixup(double Q, double D, double N) { return divFixupOf(Q, D, N); }

uint16_t hk::sim::divFixupHalf(uint16_t Q, uint16_t D, uint16_t N) {
  uint16_t Sign = (D ^ N) & 0x8000, DMag = D & 0x7fff, NMag = N & 0x7fff;
  if (NMag > 0x7c00)
    return N | 0x200;
  if (DMag > 0x7c00)
    return D | 0x200;
  if ((!DMag && !NMag) || (DMag == 0x7c00 && NMag == 0x7c00))
    return 0xfe00;
  if (!DMag || NMag == 0x7c00)
    return Sign | 0x7c00;
  if (DMag == 0x7c00 || !NMag)
    return Sign;
  return Sign | (Q & 0x7fff);
}
