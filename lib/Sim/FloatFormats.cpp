//===- FloatFormats.cpp - Number formats, rounding and the MODE register --===//

#include "FloatFormats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

using namespace hk::sim;

// The same bits with and without fused instructions of the host.
#pragma clang fp contract(off)

#if defined(__x86_64__)
HostFloatScope::HostFloatScope(Rounding R, bool FlushIn, bool FlushOut) : Saved(_mm_getcsr()) {
  // The host numbers the directions differently: nearest, down, up, zero.
  static constexpr unsigned Field[] = {0, 2, 1, 3};
  unsigned Csr = (Saved & ~0xe040u) | 0x1f80; // no exception traps
  Csr |= Field[unsigned(R)] << 13;
  if (FlushIn)
    Csr |= 0x0040;
  if (FlushOut)
    Csr |= 0x8000;
  _mm_setcsr(Csr);
}

HostFloatScope::~HostFloatScope() {
  // The exception flags raised meanwhile stay.
  _mm_setcsr((Saved & ~0x3fu) | (_mm_getcsr() & 0x3fu));
}
#else
// Denormals are kept: only the rounding direction can be set portably.
HostFloatScope::HostFloatScope(Rounding R, bool, bool) : Saved(unsigned(fegetround())) {
  static const int Direction[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  fesetround(Direction[unsigned(R)]);
}

HostFloatScope::~HostFloatScope() { fesetround(int(Saved)); }
#endif

uint64_t FloatFormat::maxFinite() const {
  uint64_t AllOnes = (uint64_t(1) << (ExponentBits + MantissaBits)) - 1;
  if (Ieee)
    return infinity() - 1;
  return Fnuz ? AllOnes : AllOnes - 1;
}

uint64_t FloatFormat::quietNan() const {
  if (Fnuz)
    return uint64_t(1) << (ExponentBits + MantissaBits);
  if (!Ieee)
    return (uint64_t(1) << (ExponentBits + MantissaBits)) - 1;
  return infinity() | uint64_t(1) << (MantissaBits - 1);
}

double hk::sim::decodeFloat(uint64_t Bits, const FloatFormat &F) {
  uint64_t SignBit = uint64_t(1) << (F.width() - 1);
  uint64_t Magnitude = Bits & (SignBit - 1);
  bool Negative = Bits & SignBit;
  uint64_t Mantissa = Magnitude & ((uint64_t(1) << F.MantissaBits) - 1);
  int Exponent = int(Magnitude >> F.MantissaBits);

  if (F.Fnuz && Negative && !Magnitude)
    return doubleOf(0x7ff8000000000000);
  if (!F.Fnuz && !F.Ieee && Magnitude == SignBit - 1)
    return doubleOf(uint64_t(Negative) << 63 | 0x7ff8000000000000);
  if (F.Ieee && Exponent == (1 << F.ExponentBits) - 1)
    return doubleOf(uint64_t(Negative) << 63 | 0x7ff0000000000000 |
                    Mantissa << (52 - F.MantissaBits));
  double Value = Exponent ? std::ldexp(double(Mantissa | uint64_t(1) << F.MantissaBits),
                                       Exponent - F.Bias - F.MantissaBits)
                          : std::ldexp(double(Mantissa), 1 - F.Bias - F.MantissaBits);
  return Negative ? -Value : Value;
}

/// The bits of what has no number: NaN, or infinity where the format lacks it.
static uint64_t encodeNan(uint64_t Source, const FloatFormat &F) {
  uint64_t Nan = F.quietNan();
  if (F.Fnuz)
    return Nan;
  uint64_t Sign = Source >> 63 << (F.width() - 1);
  if (F.Ieee)
    Nan |= (Source & 0x000fffffffffffff) >> (52 - F.MantissaBits);
  return Sign | Nan;
}

static uint64_t overflowed(bool Negative, bool WasInfinite, bool TowardsZero, const FloatFormat &F,
                           Overflow O) {
  uint64_t Sign = uint64_t(Negative) << (F.width() - 1);
  if (!WasInfinite && (O == Overflow::Saturate || TowardsZero))
    return Sign | F.maxFinite();
  if (F.Ieee)
    return Sign | F.infinity();
  return F.Fnuz ? F.quietNan() : Sign | F.quietNan();
}

namespace {
/// A finite number as Significand * 2^Scale in units of the format's last place, cut off there:
/// Kept whole units, Rest / 2^RestBits of one more.
struct Aligned {
  uint64_t Kept, Rest;
  unsigned RestBits;
};
} // namespace

static Aligned align(uint64_t Bits, const FloatFormat &F) {
  int Exponent = int(Bits >> 52 & 0x7ff);
  uint64_t Significand = Bits & 0x000fffffffffffff;
  if (Exponent)
    Significand |= uint64_t(1) << 52;
  else
    Exponent = 1;
  int Unbiased = Exponent - 1023;
  // The last place of a normal number of this size, or of the denormals.
  int Target = std::max(Unbiased, 1 - F.Bias) - F.MantissaBits;
  int Shift = Target - (Unbiased - 52);
  if (Shift <= 0) // f64 denormals only
    return {Significand << -Shift, 0, 1};
  if (Shift > 62) { // far below half a unit; what is lost still keeps it from zero
    unsigned Lost = std::min(Shift - 62, 63);
    uint64_t Rest = Significand >> Lost;
    return {0, Rest | (Rest << Lost != Significand), 62};
  }
  return {Significand >> Shift, Significand & ((uint64_t(1) << Shift) - 1), unsigned(Shift)};
}

/// Puts \p Kept units, at the exponent that align() chose for \p Bits, together; a carry moves into
/// the exponent by itself.
static uint64_t assemble(uint64_t Kept, uint64_t Bits, const FloatFormat &F) {
  int Unbiased = int(Bits >> 52 & 0x7ff) - 1023;
  int Exponent = Unbiased + F.Bias;
  if (Exponent < 1 || !(Bits >> 52 & 0x7ff))
    return Kept;
  return (uint64_t(Exponent - 1) << F.MantissaBits) + Kept;
}

uint64_t hk::sim::encodeFloat(double Value, const FloatFormat &F, Rounding R, Overflow O) {
  uint64_t Bits = bitsOf(Value), Magnitude = Bits & 0x7fffffffffffffff;
  bool Negative = Bits >> 63;
  if (isNanBits(Bits))
    return encodeNan(Bits, F);
  bool TowardsZero = R == Rounding::Zero || R == (Negative ? Rounding::Up : Rounding::Down);
  if (Magnitude == 0x7ff0000000000000)
    return overflowed(Negative, true, TowardsZero, F, O);

  Aligned A = align(Magnitude, F);
  uint64_t Kept = A.Kept;
  if (R == Rounding::NearestEven) {
    uint64_t Half = uint64_t(1) << (A.RestBits - 1);
    Kept += A.Rest > Half || (A.Rest == Half && (Kept & 1));
  } else if (!TowardsZero) {
    Kept += A.Rest != 0;
  }
  uint64_t Result = assemble(Kept, Magnitude, F);
  if (Result > F.maxFinite())
    return overflowed(Negative, false, TowardsZero, F, O);
  if (F.Fnuz && !Result)
    return 0;
  return uint64_t(Negative) << (F.width() - 1) | Result;
}

uint64_t hk::sim::encodeStochastic(float Value, const FloatFormat &F, uint32_t Random, Overflow O) {
  double Wide = Value;
  uint64_t Bits = bitsOf(Wide), Magnitude = Bits & 0x7fffffffffffffff;
  bool Negative = Bits >> 63;
  if (isNanBits(Bits))
    return encodeNan(Bits, F);
  if (Magnitude == 0x7ff0000000000000)
    return overflowed(Negative, true, false, F, O);
  Aligned A = align(Magnitude, F);
  unsigned NoiseBits = 23 - F.MantissaBits;
  uint64_t Noise = Random >> (32 - NoiseBits);
  Noise = A.RestBits >= NoiseBits ? Noise << (A.RestBits - NoiseBits)
                                  : Noise >> (NoiseBits - A.RestBits);
  uint64_t Kept = A.Kept + ((A.Rest + Noise) >> A.RestBits);
  uint64_t Result = assemble(Kept, Magnitude, F);
  if (Result > F.maxFinite())
    return overflowed(Negative, false, false, F, O);
  if (F.Fnuz && !Result)
    return 0;
  return uint64_t(Negative) << (F.width() - 1) | Result;
}

const float *hk::sim::decodeTable(const FloatFormat &Fp8) {
  auto Make = [](const FloatFormat &F) {
    std::array<float, 256> T;
    for (unsigned I = 0; I != 256; ++I)
      T[I] = float(decodeFloat(I, F));
    return T;
  };
  static const std::array<float, 256> Tables[] = {Make(FormatFp8Fnuz), Make(FormatBf8Fnuz),
                                                  Make(FormatFp8Ocp), Make(FormatBf8Ocp)};
  return Tables[(Fp8.MantissaBits == 2) + 2 * !Fp8.Fnuz].data();
}

uint16_t hk::sim::encodeHalf(double Value, const FloatMode &Mode) {
  uint16_t Half = uint16_t(encodeFloat(Value, FormatF16, Mode.F64F16,
                                       Mode.Fp16Ovfl ? Overflow::Saturate : Overflow::Ieee));
  return Mode.F64F16FlushOut ? flushHalf(Half) : Half;
}

double hk::sim::fmaForNarrow(double A, double B, double C) {
  // The product is exact. Knuth's two-sum gives the error of the sum, whose sign tells on which
  // side of the sum the exact value is; the odd neighbour there keeps that for the next rounding.
  double P = A * B, S = P + C;
  if (!std::isfinite(S))
    return S;
  double T = S - P;
  double Error = (P - (S - T)) + (C - T);
  if (Error == 0)
    return S;
  uint64_t Bits = bitsOf(S);
  if (Bits & 1)
    return S;
  bool AwayFromZero = (Error > 0) == (S > 0);
  return doubleOf(AwayFromZero ? Bits + 1 : Bits - 1);
}

double hk::sim::roundTo(double V, Rounding R) {
  switch (R) {
  case Rounding::NearestEven:
    return std::nearbyint(V);
  case Rounding::Up:
    return std::ceil(V);
  case Rounding::Down:
    return std::floor(V);
  case Rounding::Zero:
    return std::trunc(V);
  }
  return V;
}

template <typename T> static T saturate(double V) {
  if (std::isnan(V))
    return 0;
  constexpr double Lo = std::numeric_limits<T>::min(), Hi = std::numeric_limits<T>::max();
  return V <= Lo ? std::numeric_limits<T>::min() : V >= Hi ? std::numeric_limits<T>::max() : T(V);
}

int32_t hk::sim::toI32(double V) { return saturate<int32_t>(V); }
uint32_t hk::sim::toU32(double V) { return saturate<uint32_t>(V); }
int16_t hk::sim::toI16(double V) { return saturate<int16_t>(V); }
uint16_t hk::sim::toU16(double V) { return saturate<uint16_t>(V); }
uint8_t hk::sim::toU8(double V, Rounding R) { return saturate<uint8_t>(roundTo(V, R)); }

int16_t hk::sim::toSnorm16(double V) {
  if (std::isnan(V))
    return 0;
  return int16_t(std::nearbyint(std::fmin(std::fmax(V, -1.0), 1.0) * 32767.0));
}

uint16_t hk::sim::toUnorm16(double V) {
  if (std::isnan(V))
    return 0;
  return uint16_t(std::nearbyint(std::fmin(std::fmax(V, 0.0), 1.0) * 65535.0));
}

int32_t hk::sim::toI32Floor(float V) { return toI32(std::floor(double(V))); }
int32_t hk::sim::toI32NearestUp(float V) { return toI32(std::floor(double(V) + 0.5)); }

float hk::sim::doubleToFloat(double Value, const FloatMode &Mode) {
  // The destination's mode decides.
  if (Mode.F64F16FlushIn)
    Value = doubleOf(flushDouble(bitsOf(Value)));
  uint32_t Bits = Mode.F32 == Rounding::NearestEven
                      ? bitsOf(float(Value))
                      : uint32_t(encodeFloat(Value, FormatF32, Mode.F32));
  return floatOf(Mode.F32FlushOut ? flushFloat(Bits) : Bits);
}
