//===- Sequences.cpp - Division and square root as the compiler emits them ===//
//
// The instruction sequences clang makes of a / b and sqrt(a) at -O2, step by step, against the
// host's correctly rounded operations.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "FloatDivide.h"
#include "FloatFormats.h"
#include "FloatTranscendental.h"

#include <cmath>

using namespace hk::arith;
using namespace hk::sim;

static float divide(float A, float B) {
  bool Unused, Vcc;
  float D = divScale(B, B, A, Unused);
  float Y = rcpF32(D);
  float N = divScale(A, B, A, Vcc);
  float E = std::fma(-D, Y, 1.0f);
  Y = std::fma(E, Y, Y);
  float Q = N * Y;
  float R = std::fma(-D, Q, N);
  Q = std::fma(R, Y, Q);
  R = std::fma(-D, Q, N);
  return divFixup(divFmas(R, Y, Q, Vcc), B, A);
}

static double divide(double A, double B) {
  bool Unused, Vcc;
  double D = divScale(B, B, A, Unused);
  double Y = rcpF64(D);
  double N = divScale(A, B, A, Vcc);
  double E = std::fma(-D, Y, 1.0);
  Y = std::fma(Y, E, Y);
  E = std::fma(-D, Y, 1.0);
  Y = std::fma(Y, E, Y);
  double Q = N * Y;
  double R = std::fma(-D, Q, N);
  return divFixup(divFmas(R, Y, Q, Vcc), B, A);
}

static uint16_t divideHalf(uint16_t A, uint16_t B) {
  float X = halfToFloat(A), Y = halfToFloat(B);
  float Reciprocal = rcpF32(Y);
  float Q = X * Reciprocal;
  float R = std::fma(-Y, Q, X);
  Q = std::fma(R, Reciprocal, Q);
  R = std::fma(-Y, Q, X);
  float Last = floatOf(bitsOf(R * Reciprocal) & 0xff800000);
  return divFixupHalf(floatToHalf(Last + Q), B, A);
}

static float squareRoot(float A) {
  bool Small = A < floatOf(0x0f800000);
  float X = Small ? A * floatOf(0x4f800000) : A;
  float S = sqrtF32(X);
  float Below = floatOf(bitsOf(S) - 1), Above = floatOf(bitsOf(S) + 1);
  float RBelow = std::fma(-Below, S, X), RAbove = std::fma(-Above, S, X);
  if (RBelow <= 0)
    S = Below;
  if (RAbove > 0)
    S = Above;
  if (Small)
    S *= floatOf(0x37800000);
  return classOf(X) & 0x260 ? X : S;
}

static double squareRoot(double A) {
  bool Small = A < doubleOf(uint64_t(0x10000000) << 32);
  double X = ldexpF64(A, Small ? 256 : 0);
  double Y = rsqF64(X);
  double G = X * Y, H = Y * 0.5;
  double R = std::fma(-H, G, 0.5);
  G = std::fma(G, R, G);
  H = std::fma(H, R, H);
  double D = std::fma(-G, G, X);
  G = std::fma(D, H, G);
  D = std::fma(-G, G, X);
  G = std::fma(D, H, G);
  G = ldexpF64(G, Small ? -128 : 0);
  return classOf(X) & 0x260 ? X : G;
}

/// Equal, or both NaN.
template <typename T> static bool same(T A, T B) {
  return bitsOf(A) == bitsOf(B) || (std::isnan(A) && std::isnan(B));
}

void hk::arith::testSequences(uint64_t Count) {
  Check F32("f32 division"), F64("f64 division"), F16("f16 division"), Sqrt32("f32 square root"),
      Sqrt64("f64 square root");
  Random R(7);
  for (uint64_t N = 0; N != Count; ++N) {
    uint32_t AB = uint32_t(hardBits(R, 8, 23)), BB = uint32_t(hardBits(R, 8, 23));
    if (N % 8 == 0) // a quotient near the end of the range
      BB = (BB & 0x807fffff) | ((AB >> 23) + (N & 16 ? 124 : 130) + R() % 8) % 256 << 23;
    float A = floatOf(AB), B = floatOf(BB);
    F32.expect(same(divide(A, B), A / B), "%a / %a = %a", double(A), double(B),
               double(divide(A, B)));
    Sqrt32.expect(same(squareRoot(A), std::sqrt(A)), "sqrt(%a) = %a", double(A),
                  double(squareRoot(A)));

    uint64_t CB = hardBits(R, 11, 52), DB = hardBits(R, 11, 52);
    if (N % 8 == 0)
      DB = (DB & 0x800fffffffffffff) | ((CB >> 52) + (N & 16 ? 970 : 1024) + R() % 60) % 2048 << 52;
    double C = doubleOf(CB), D = doubleOf(DB);
    F64.expect(same(divide(C, D), C / D), "%a / %a = %a", C, D, divide(C, D));
    Sqrt64.expect(same(squareRoot(C), std::sqrt(C)), "sqrt(%a) = %a", C, squareRoot(C));

    uint16_t G = uint16_t(hardBits(R, 5, 10)), H = uint16_t(hardBits(R, 5, 10));
    double Exact = double(halfToFloat(G)) / double(halfToFloat(H));
    uint16_t Want = uint16_t(encodeFloat(Exact, FormatF16)), Got = divideHalf(G, H);
    F16.expect(Got == Want || (isNanBits(Got) && isNanBits(Want)), "%04x / %04x = %04x, not %04x",
               G, H, Got, Want);
  }
}
