//===- Functions.cpp - Functions of one or two numbers --------------------===//
//
// Transcendental functions against long double, within the chip's own bound of about an ulp; exact
// ones bit for bit against their definition.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "FloatTranscendental.h"

#include <cmath>
#include <numbers>

using namespace hk::arith;
using namespace hk::sim;

using Long = long double;
static constexpr Long Pi = std::numbers::pi_v<Long>;

static bool near(float Got, Long Want) {
  if (std::isnan(Want))
    return std::isnan(Got);
  Long Least = 0x1p-126L;
  if (std::fabs(Want) < Least) // flushed, or rounded up to the least normal number
    return Got == 0 || std::fabs(Got) == float(Least);
  float Nearest = float(Want);
  if (std::isinf(Nearest))
    return Got == Nearest || std::fabs(Got) == 0x1.fffffep127f;
  Long Place = std::fabs(Long(std::nextafter(Nearest, INFINITY)) - Nearest);
  return std::fabs(Got - Want) <= Place;
}

static void testApproximate(uint64_t Count) {
  Check Rcp("rcp"), Rsq("rsq"), Sqrt("sqrt"), Exp("exp2"), Log("log2"), Sin("sin"), Cos("cos"),
      Half("f16 forms");
  Random R(8);
  for (uint64_t N = 0; N != Count; ++N) {
    float X = floatOf(flushFloat(uint32_t(hardBits(R, 8, 23))));
    Rcp.expect(near(rcpF32(X), 1.0L / X), "%a: %a", double(X), double(rcpF32(X)));
    Rsq.expect(near(rsqF32(X), 1.0L / std::sqrt(Long(X))), "%a: %a", double(X), double(rsqF32(X)));
    Sqrt.expect(near(sqrtF32(X), std::sqrt(Long(X))), "%a: %a", double(X), double(sqrtF32(X)));
    Log.expect(near(log2F32(X), std::log2(Long(X))), "%a: %a", double(X), double(log2F32(X)));
    float E = N % 2 ? X : float(int64_t(R())) * 0x1p-55f;
    Exp.expect(near(exp2F32(E), std::exp2(Long(E))), "%a: %a", double(E), double(exp2F32(E)));

    float A = N % 4 ? float(int64_t(R())) * 0x1p-56f : X;
    if (std::fabs(A) <= 256) {
      // Quarters are exact there, and not from a multiplication by pi.
      Long Part = A - std::nearbyint(A);
      Long WantSin = std::fabs(Part) == 0.5L ? 0 : std::sin(2 * Pi * Part);
      Long WantCos = std::fabs(Part) == 0.25L ? 0 : std::cos(2 * Pi * Part);
      Sin.expect(near(sinF32(A), WantSin), "%a: %a", double(A), double(sinF32(A)));
      Cos.expect(near(cosF32(A), WantCos), "%a: %a", double(A), double(cosF32(A)));
    } else if (std::isfinite(A)) {
      Sin.expect(sinF32(A) == 0, "%a: %a", double(A), double(sinF32(A)));
      Cos.expect(cosF32(A) == 1, "%a: %a", double(A), double(cosF32(A)));
    }
  }
  FloatMode Mode;
  for (unsigned H = 0; H != 0x10000; ++H) {
    double X = halfToFloat(uint16_t(H));
    auto Same = [](uint16_t Got, double Want) {
      return std::isnan(Want) ? isNanBits(Got) : Got == uint16_t(encodeFloat(Want, FormatF16));
    };
    Half.expect(Same(rcpF16(H, Mode), 1 / X), "rcp %04x", H);
    Half.expect(Same(sqrtF16(H, Mode), std::sqrt(X)), "sqrt %04x", H);
    Half.expect(Same(exp2F16(H, Mode), double(std::exp2(Long(X)))), "exp2 %04x", H);
    Half.expect(Same(log2F16(H, Mode), double(std::log2(Long(X)))), "log2 %04x", H);
  }
}

template <typename T> static bool same(T A, T B) {
  return bitsOf(A) == bitsOf(B) || (std::isnan(A) && std::isnan(B));
}

static void testExact(uint64_t Count) {
  Check Fract("fract"), Parts("frexp and ldexp"), Order("min, max, med3"), Class("class");
  Random R(9);
  for (uint64_t N = 0; N != Count; ++N) {
    float X = floatOf(uint32_t(hardBits(R, 8, 23)));
    if (std::isfinite(X)) {
      Long Exact = Long(X) - std::floor(Long(X));
      float Want = float(Exact) == 1.0f ? 0x1.fffffep-1f : float(Exact);
      Fract.expect(fractF32(X) == Want, "%a: %a", double(X), double(fractF32(X)));
      float M = frexpMantF32(X);
      Parts.expect(same(ldexpF32(M, frexpExpF32(X)), X) &&
                       (X == 0 || (std::fabs(M) >= 0.5f && std::fabs(M) < 1)),
                   "%a is %a * 2^%d", double(X), double(M), frexpExpF32(X));
    } else {
      Fract.expect(std::isnan(fractF32(X)), "%a", double(X));
      Parts.expect(frexpExpF32(X) == 0 && same(frexpMantF32(X), X), "%a", double(X));
    }
    int Shift = int(R() % 600) - 300;
    float Scaled = float(std::ldexp(double(X), Shift));
    Parts.expect(same(ldexpF32(X, Shift), Scaled), "ldexp(%a, %d)", double(X), Shift);

    float Y = floatOf(uint32_t(hardBits(R, 8, 23))), Z = floatOf(uint32_t(hardBits(R, 8, 23)));
    if (N % 3 == 0)
      Y = -X;
    float Min = floatMin(X, Y, false), Max = floatMax(X, Y, false);
    if (std::isnan(X) || std::isnan(Y)) {
      Order.expect(same(Min, std::isnan(X) ? Y : X) && same(Max, Min), "%a, %a", double(X),
                   double(Y));
      uint32_t Signaling = isSignalingBits(bitsOf(X))   ? bitsOf(X)
                           : isSignalingBits(bitsOf(Y)) ? bitsOf(Y)
                                                        : 0;
      if (Signaling)
        Order.expect(bitsOf(floatMin(X, Y)) == (Signaling | 0x400000), "signaling %x", Signaling);
    } else {
      Order.expect(Min <= X && Min <= Y && (same(Min, X) || same(Min, Y)), "min %a, %a", double(X),
                   double(Y));
      Order.expect(Max >= X && Max >= Y && (same(Max, X) || same(Max, Y)), "max %a, %a", double(X),
                   double(Y));
      Order.expect(X != 0 || Y != 0 || std::signbit(X) == std::signbit(Y) ||
                       (std::signbit(Min) && !std::signbit(Max)),
                   "zeros %a %a", double(X), double(Y));
      if (!std::isnan(Z)) {
        float Mid = floatMed3(X, Y, Z);
        unsigned NoLess = (X >= Mid) + (Y >= Mid) + (Z >= Mid);
        unsigned NoMore = (X <= Mid) + (Y <= Mid) + (Z <= Mid);
        Order.expect(NoLess >= 2 && NoMore >= 2, "med3 %a, %a, %a = %a", double(X), double(Y),
                     double(Z), double(Mid));
      }
    }
    uint16_t G = uint16_t(hardBits(R, 5, 10)), H = uint16_t(hardBits(R, 5, 10));
    uint16_t HalfMin = halfMin(G, H), HalfMax = halfMax(G, H);
    if (!isNanBits(G) && !isNanBits(H))
      Order.expect(halfToFloat(HalfMin) == std::fmin(halfToFloat(G), halfToFloat(H)) &&
                       halfToFloat(HalfMax) == std::fmax(halfToFloat(G), halfToFloat(H)),
                   "f16 %04x %04x", G, H);

    unsigned Mask = classOfBits(bitsOf(X), FormatF32);
    bool Negative = std::signbit(X);
    unsigned Want = std::isnan(X)      ? (isSignalingBits(bitsOf(X)) ? 1 : 2)
                    : std::isinf(X)    ? (Negative ? 4 : 0x200)
                    : X == 0           ? (Negative ? 0x20 : 0x40)
                    : std::isnormal(X) ? (Negative ? 8 : 0x100)
                                       : (Negative ? 0x10 : 0x80);
    Class.expect(Mask == Want, "%a: %x", double(X), Mask);
  }
  Order.expect(floatClamp(NAN, true) == 0 && std::isnan(floatClamp(float(NAN), false)) &&
                   floatClamp(2.0f, true) == 1 && floatClamp(-1.0, true) == 0 &&
                   floatClamp(0.25, true) == 0.25,
               "clamp");
}

/// The segments of 2/pi add up to it; those for a large argument leave out whole revolutions only.
static void testTrigPreop(uint64_t Count) {
  Check Preop("trig_preop");
  __float128 TwoOverPi = 0;
  for (unsigned S = 0; S != 2; ++S)
    TwoOverPi += trigPreop(1.0, S);
  __float128 Product = TwoOverPi * __float128(std::numbers::pi_v<long double>);
  Preop.expect(std::fabs(double(Product - 2)) < 1e-18, "2/pi * pi - 2 = %a", double(Product - 2));
  Random R(10);
  for (uint64_t N = 0; N != Count / 100 + 1; ++N) {
    // Payne and Hanek: frac(x * 2/pi) from three segments, against the host's sine.
    double X = std::ldexp(1.0 + double(R() >> 12) * 0x1p-52, int(R() % 60));
    long double Whole = 0; // quarters of a revolution, whole ones taken off each exact product
    for (unsigned S = 0; S != 3; ++S) {
      __float128 Product = __float128(trigPreop(X, S)) * X;
      Whole += (long double)(Product - 4 * __float128(int64_t(Product / 4)));
    }
    double Got = double(std::sin(Whole * (Pi / 2)));
    Preop.expect(std::fabs(Got - std::sin(X)) < 1e-9, "sin(%a) = %a, not %a", X, Got, std::sin(X));
  }
}

void hk::arith::testFunctions(uint64_t Count) {
  testApproximate(Count);
  testExact(Count);
  testTrigPreop(Count);
}
