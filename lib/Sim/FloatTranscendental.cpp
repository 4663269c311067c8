//===- FloatTranscendental.cpp - Functions of one or two numbers ----------===//

#include "FloatTranscendental.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace hk::sim;

static float flushed(float X) { return floatOf(flushFloat(bitsOf(X))); }

float hk::sim::exp2F32(float X) { return flushed(std::exp2(flushed(X))); }
float hk::sim::log2F32(float X) { return flushed(std::log2(flushed(X))); }

/// sin(2 pi x) for any finite x: whole revolutions, then quarters, come off exactly.
static double sinOfRevolutions(double X, unsigned Quarter) {
  X -= std::nearbyint(X);
  double Quarters = std::nearbyint(X * 4);
  double Angle = (X - Quarters * 0.25) * (2 * std::numbers::pi);
  switch ((unsigned(int(Quarters)) + Quarter) & 3) {
  case 0:
    return std::sin(Angle);
  case 1:
    return std::cos(Angle);
  case 2:
    return -std::sin(Angle);
  default:
    return -std::cos(Angle);
  }
}

static double sinLimited(double X, unsigned Quarter) {
  if (!std::isfinite(X))
    return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(X) > 256)
    return Quarter ? 1 : 0;
  return sinOfRevolutions(X, Quarter);
}

float hk::sim::sinF32(float X) { return flushed(float(sinLimited(flushed(X), 0))); }
float hk::sim::cosF32(float X) { return flushed(float(sinLimited(flushed(X), 1))); }

/// \p Function of the number in double, rounded once.
template <typename Fn> static uint16_t onHalf(uint16_t X, const FloatMode &Mode, Fn Function) {
  if (Mode.F64F16FlushIn)
    X = flushHalf(X);
  return encodeHalf(Function(double(halfToFloat(X))), Mode);
}

uint16_t hk::sim::rcpF16(uint16_t X, const FloatMode &Mode) {
  return onHalf(X, Mode, [](double V) { return 1.0 / V; });
}
uint16_t hk::sim::rsqF16(uint16_t X, const FloatMode &Mode) {
  return onHalf(X, Mode, [](double V) { return 1.0 / std::sqrt(V); });
}
uint16_t hk::sim::sqrtF16(uint16_t X, const FloatMode &Mode) {
  return onHalf(X, Mode, [](double V) { return std::sqrt(V); });
}
uint16_t hk::sim::exp2F16(uint16_t X, const FloatMode &Mode) {
  return onHalf(X, Mode, [](double V) { return std::exp2(V); });
}
uint16_t hk::sim::log2F16(uint16_t X, const FloatMode &Mode) {
  return onHalf(X, Mode, [](double V) { return std::log2(V); });
}
uint16_t hk::sim::sinF16(uint16_t X, const FloatMode &Mode) {
  return onHalf(X, Mode, [](double V) { return sinLimited(V, 0); });
}
uint16_t hk::sim::cosF16(uint16_t X, const FloatMode &Mode) {
  return onHalf(X, Mode, [](double V) { return sinLimited(V, 1); });
}

float hk::sim::fractF32(float X) {
  float R = X - std::floor(X);
  return R >= 1.0f ? 0x1.fffffep-1f : R;
}

double hk::sim::fractF64(double X) {
  double R = X - std::floor(X);
  return R >= 1.0 ? 0x1.fffffffffffffp-1 : R;
}

uint16_t hk::sim::fractF16(uint16_t X) {
  double V = halfToFloat(X);
  uint16_t R = uint16_t(encodeFloat(V - std::floor(V), FormatF16));
  return R == 0x3c00 ? 0x3bff : R;
}

/// Beyond these every number is zero or infinity; std::ldexp takes care of the rounding.
static int limitExponent(int32_t Exponent) { return std::clamp(Exponent, -5000, 5000); }

float hk::sim::ldexpF32(float X, int32_t Exponent) {
  return std::ldexp(X, limitExponent(Exponent));
}
double hk::sim::ldexpF64(double X, int32_t Exponent) {
  return std::ldexp(X, limitExponent(Exponent));
}
uint16_t hk::sim::ldexpF16(uint16_t X, int16_t Exponent, const FloatMode &Mode) {
  int Limited = std::clamp<int>(Exponent, -100, 100);
  return onHalf(X, Mode, [Limited](double V) { return std::ldexp(V, Limited); });
}

float hk::sim::frexpMantF32(float X) {
  int Exponent;
  return std::isfinite(X) ? std::frexp(X, &Exponent) : X;
}
double hk::sim::frexpMantF64(double X) {
  int Exponent;
  return std::isfinite(X) ? std::frexp(X, &Exponent) : X;
}
uint16_t hk::sim::frexpMantF16(uint16_t X) {
  if ((X & 0x7c00) == 0x7c00)
    return X;
  return uint16_t(encodeFloat(frexpMantF64(halfToFloat(X)), FormatF16));
}

int32_t hk::sim::frexpExpF32(float X) { return frexpExpF64(X); }
int32_t hk::sim::frexpExpF64(double X) {
  int Exponent = 0;
  if (std::isfinite(X))
    std::frexp(X, &Exponent);
  return Exponent;
}
int16_t hk::sim::frexpExpF16(uint16_t X) { return int16_t(frexpExpF64(halfToFloat(X))); }

/// The fraction bits of 2/pi, first one first.
static constexpr uint64_t TwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// The chip holds 1201 of them; zeros follow.
static unsigned bitOfTwoOverPi(unsigned Index) {
  return Index < 1201 ? unsigned(TwoOverPi[Index / 64] >> (63 - Index % 64) & 1) : 0;
}

double hk::sim::trigPreop(double X, uint32_t Segment) {
  unsigned Exponent = unsigned(bitsOf(X) >> 52 & 0x7ff);
  unsigned Shift = (Segment & 31) * 53;
  if (Exponent > 1077)
    Shift += Exponent - 1077;
  uint64_t Bits = 0;
  for (unsigned I = 0; I != 53; ++I)
    Bits = Bits << 1 | bitOfTwoOverPi(Shift + I);
  int Scale = -53 - int(Shift);
  if (Exponent >= 1968)
    Scale += 128;
  return std::ldexp(double(Bits), Scale);
}

/// Of x, y, z, which has the largest magnitude: z wins ties, then y.
static unsigned majorAxis(float X, float Y, float Z) {
  float AX = std::fabs(X), AY = std::fabs(Y), AZ = std::fabs(Z);
  if (AZ >= AX && AZ >= AY)
    return 2;
  return AY >= AX ? 1 : 0;
}

float hk::sim::cubeId(float X, float Y, float Z) {
  unsigned Axis = majorAxis(X, Y, Z);
  float V = Axis == 2 ? Z : Axis == 1 ? Y : X;
  return float(2 * Axis + (V < 0));
}

float hk::sim::cubeSc(float X, float Y, float Z) {
  switch (majorAxis(X, Y, Z)) {
  case 2:
    return Z < 0 ? -X : X;
  case 1:
    return X;
  default:
    return X < 0 ? Z : -Z;
  }
}

float hk::sim::cubeTc(float X, float Y, float Z) {
  if (majorAxis(X, Y, Z) == 1)
    return Y < 0 ? -Z : Z;
  return -Y;
}

float hk::sim::cubeMa(float X, float Y, float Z) {
  unsigned Axis = majorAxis(X, Y, Z);
  return 2 * (Axis == 2 ? Z : Axis == 1 ? Y : X);
}

static bool isNanHalf(uint16_t H) { return (H & 0x7fff) > 0x7c00; }

/// Order of the numbers as integers, -0 below +0.
static int orderOfHalf(uint16_t H) { return H & 0x8000 ? -1 - (H & 0x7fff) : H; }

static uint16_t halfExtreme(uint16_t A, uint16_t B, bool Ieee, bool Max) {
  if (Ieee && isSignalingBits(A))
    return A | 0x200;
  if (Ieee && isSignalingBits(B))
    return B | 0x200;
  if (isNanHalf(A))
    return B;
  if (isNanHalf(B))
    return A;
  return (orderOfHalf(A) < orderOfHalf(B)) == Max ? B : A;
}

uint16_t hk::sim::halfMin(uint16_t A, uint16_t B, bool Ieee) {
  return halfExtreme(A, B, Ieee, false);
}
uint16_t hk::sim::halfMax(uint16_t A, uint16_t B, bool Ieee) {
  return halfExtreme(A, B, Ieee, true);
}

uint16_t hk::sim::halfMed3(uint16_t A, uint16_t B, uint16_t C, bool Ieee) {
  if (isNanHalf(A) || isNanHalf(B) || isNanHalf(C))
    return halfMin(halfMin(A, B, Ieee), C, Ieee);
  return halfMax(halfMin(A, B, Ieee), halfMin(halfMax(A, B, Ieee), C, Ieee), Ieee);
}

unsigned hk::sim::classOfBits(uint64_t Bits, const FloatFormat &F) {
  uint64_t SignBit = uint64_t(1) << (F.width() - 1);
  uint64_t Magnitude = Bits & (SignBit - 1), Infinity = F.infinity();
  bool Negative = Bits & SignBit;
  if (Magnitude > Infinity)
    return Magnitude >> (F.MantissaBits - 1) & 1 ? 0x2 : 0x1;
  if (Magnitude == Infinity)
    return Negative ? 0x4 : 0x200;
  if (Magnitude == 0)
    return Negative ? 0x20 : 0x40;
  if (Magnitude < uint64_t(1) << F.MantissaBits)
    return Negative ? 0x10 : 0x80;
  return Negative ? 0x8 : 0x100;
}

unsigned hk::sim::classOf(double X) {
  return classOfBits(bitsOf(X), FloatFormat{11, 52, 1023, true, false});
}
