//===- Formats.cpp - Formats against a list of their values ---------------===//
//
// The reference knows a format as the sorted list of its numbers, made from the definition, and
// rounds by looking for the two neighbours.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace hk::arith;
using namespace hk::sim;

namespace {

using Wide = __float128;

/// All numbers of a format from zero up, and the first number that would follow.
struct Ladder {
  std::vector<Wide> Values;
  Wide Beyond;

  Ladder(int ExponentBits, int MantissaBits, int Bias, unsigned Finite) {
    auto ValueOf = [&](unsigned Code) {
      unsigned E = Code >> MantissaBits, M = Code & ((1u << MantissaBits) - 1);
      Wide V = E ? Wide(M + (1u << MantissaBits)) : Wide(M);
      int Scale = int(E ? E : 1) - Bias - MantissaBits;
      for (; Scale > 0; --Scale)
        V *= 2;
      for (; Scale < 0; ++Scale)
        V /= 2;
      return V;
    };
    (void)ExponentBits;
    for (unsigned Code = 0; Code != Finite; ++Code)
      Values.push_back(ValueOf(Code));
    Beyond = ValueOf(Finite);
  }

  /// The code of |V| rounded; Values.size() for what is beyond the largest.
  unsigned round(Wide V, bool Negative, Rounding R) const {
    auto Above = std::upper_bound(Values.begin(), Values.end(), V);
    unsigned Low = unsigned(Above - Values.begin()) - 1;
    if (Values[Low] == V)
      return Low;
    Wide Next = Above == Values.end() ? Beyond : *Above;
    switch (R) {
    case Rounding::Zero:
      return Low;
    case Rounding::Up:
      return Negative ? Low : Low + 1;
    case Rounding::Down:
      return Negative ? Low + 1 : Low;
    case Rounding::NearestEven:
      break;
    }
    Wide ToLow = V - Values[Low], ToHigh = Next - V;
    if (ToLow == ToHigh)
      return Low % 2 ? Low + 1 : Low;
    return ToLow < ToHigh ? Low : Low + 1;
  }
};

struct Case {
  const char *Name;
  FloatFormat Format;
  unsigned Finite;
  uint64_t Nan, Infinity; // of a positive source
  bool NanSigned;
};

const Case Cases[] = {
    {"fp8 fnuz", FormatFp8Fnuz, 0x80, 0x80, 0x80, false},
    {"bf8 fnuz", FormatBf8Fnuz, 0x80, 0x80, 0x80, false},
    {"fp8 ocp", FormatFp8Ocp, 0x7f, 0x7f, 0x7f, true},
    {"bf8 ocp", FormatBf8Ocp, 0x7c, 0x7e, 0x7c, true},
    {"f16", FormatF16, 0x7c00, 0x7e00, 0x7c00, true},
    {"bf16", FormatBF16, 0x7f80, 0x7fc0, 0x7f80, true},
};

} // namespace

static void testRounding(const Case &C, uint64_t Count) {
  Check Rounded(C.Name);
  const FloatFormat &F = C.Format;
  Ladder L(F.ExponentBits, F.MantissaBits, F.Bias, C.Finite);
  uint64_t SignBit = uint64_t(1) << (F.width() - 1);
  for (unsigned Code = 0; Code != C.Finite; ++Code) {
    Rounded.expect(Wide(decodeFloat(Code, F)) == L.Values[Code], "decode %x", Code);
    if (Code || !F.Fnuz)
      Rounded.expect(Wide(decodeFloat(Code | SignBit, F)) == -L.Values[Code], "decode -%x", Code);
  }
  Rounded.expect(std::isnan(decodeFloat(C.Nan, F)), "decode NaN");

  Random R(F.width() * 100 + F.Bias);
  for (uint64_t N = 0; N != Count; ++N) {
    double V;
    if (N % 4 == 0) { // a tie, or next to one
      unsigned Code = unsigned(R() % (C.Finite - 1));
      V = double((L.Values[Code] + L.Values[Code + 1]) / 2);
      V = doubleOf(bitsOf(V) + R() % 3 - 1);
    } else if (N % 4 == 1) {
      V = floatOf(uint32_t(hardBits(R, 8, 23)));
    } else if (N % 4 == 2) {
      V = doubleOf(hardBits(R, 11, 52));
    } else {
      V = std::ldexp(double(R() >> 11), int(R() % 60) - 70);
    }
    if (R() & 1)
      V = -V;
    Rounding Mode = Rounding(R() % 4);
    bool Saturate = R() % 2;
    uint64_t Got = encodeFloat(V, F, Mode, Saturate ? Overflow::Saturate : Overflow::Ieee);
    bool Negative = std::signbit(V);
    uint64_t Sign = Negative ? SignBit : 0, Want;
    if (std::isnan(V)) {
      Rounded.expect(std::isnan(decodeFloat(Got, F)), "NaN became %llx", (unsigned long long)Got);
      continue;
    }
    if (std::isinf(V)) {
      Want = C.Infinity | (C.NanSigned ? Sign : 0);
    } else {
      unsigned Code = L.round(std::fabs(V), Negative, Mode);
      bool Inward = Mode == Rounding::Zero || Mode == (Negative ? Rounding::Up : Rounding::Down);
      if (Code == C.Finite && (Saturate || Inward))
        Code = C.Finite - 1;
      Want = Code == C.Finite  ? C.Infinity | (C.NanSigned ? Sign : 0)
             : F.Fnuz && !Code ? 0
                               : Code | Sign;
    }
    Rounded.expect(Got == Want, "%a in mode %u: %llx, not %llx", V, unsigned(Mode),
                   (unsigned long long)Got, (unsigned long long)Want);
  }
}

/// The mean of stochastic rounding is the number, and what the format holds stays.
static void testStochastic(const Case &C) {
  Check Mean("stochastic rounding");
  Random R(17);
  const FloatFormat &F = C.Format;
  for (unsigned Code = 1; Code + 1 < C.Finite; Code += 3) {
    double Low = decodeFloat(Code, F), High = decodeFloat(Code + 1, F);
    Mean.expect(encodeStochastic(float(Low), F, uint32_t(R())) == Code, "%x moved", Code);
    double Part = double(R() >> 40) / double(1 << 24);
    float V = float(Low + (High - Low) * Part);
    unsigned Upper = 0, Draws = 4096;
    for (unsigned N = 0; N != Draws; ++N) {
      uint64_t Got = encodeStochastic(-V, F, uint32_t(N) << 20 | uint32_t(R() & 0xfffff));
      Got &= ~(uint64_t(1) << (F.width() - 1));
      Mean.expect(Got == Code || Got == Code + 1, "%a became %llx", double(V),
                  (unsigned long long)Got);
      Upper += Got == Code + 1;
    }
    double Share = (V - Low) / (High - Low);
    Mean.expect(std::fabs(double(Upper) / Draws - Share) < 0.002, "%a: %u of %u up", double(V),
                Upper, Draws);
  }
}

static void testHalfFma(uint64_t Count) {
  Check Fused("f16 fused multiply-add");
  Ladder L(5, 10, 15, 0x7c00);
  Random R(5);
  for (uint64_t N = 0; N != Count; ++N) {
    uint16_t A = uint16_t(hardBits(R, 5, 10)), B = uint16_t(hardBits(R, 5, 10)),
             C = uint16_t(hardBits(R, 5, 10));
    double DA = halfToFloat(A), DB = halfToFloat(B), DC = halfToFloat(C);
    if (!std::isfinite(DA) || !std::isfinite(DB) || !std::isfinite(DC))
      continue;
    Wide Exact = Wide(DA) * DB + DC;
    FloatMode Mode;
    Mode.F64F16 = Rounding(R() % 4);
    uint16_t Got = encodeHalf(fmaForNarrow(DA, DB, DC), Mode);
    if (Exact == 0) {
      Fused.expect(!(Got & 0x7fff), "%04x * %04x + %04x = %04x", A, B, C, Got);
      continue;
    }
    bool Negative = Exact < 0;
    unsigned Want = L.round(Negative ? -Exact : Exact, Negative, Mode.F64F16);
    bool Inward =
        Mode.F64F16 == Rounding::Zero || Mode.F64F16 == (Negative ? Rounding::Up : Rounding::Down);
    if (Want == 0x7c00 && Inward)
      Want = 0x7bff;
    Fused.expect(Got == (Want | (Negative ? 0x8000 : 0)), "%04x * %04x + %04x = %04x, not %04x", A,
                 B, C, Got, Want);
  }
}

/// f32 sums in another direction lie on that side of the exact one, and nearer than one place.
static void testHostModes(uint64_t Count) {
  Check Directed("f32 sums in all directions");
  Check Flushed("denormals flushed");
  Random R(6);
  for (uint64_t N = 0; N != Count; ++N) {
    volatile float A = floatOf(uint32_t(hardBits(R, 8, 23))),
                   B = floatOf(uint32_t(hardBits(R, 8, 23)));
    if (!std::isfinite(A) || !std::isfinite(B))
      continue;
    Rounding Mode = Rounding(R() % 4);
    volatile float Sum;
    {
      HostFloatScope Scope(Mode, false, false);
      Sum = A + B;
    }
    Wide Exact = Wide(A) + Wide(B), Got = Wide(Sum);
    if (!std::isinf(Sum)) {
      bool Side = Mode == Rounding::Up     ? Got >= Exact
                  : Mode == Rounding::Down ? Got <= Exact
                  : Mode == Rounding::Zero ? (Exact < 0 ? Got >= Exact : Got <= Exact)
                                           : Sum == A + B;
      Wide Place = std::fabs(std::nextafter(float(Sum), 2 * Sum + 1e-45f) - Sum);
      Wide Distance = Got > Exact ? Got - Exact : Exact - Got;
      Directed.expect(Side && Distance <= Place, "%a + %a in mode %u = %a", double(A), double(B),
                      unsigned(Mode), double(Sum));
    }
    {
      HostFloatScope Scope(Rounding::NearestEven, true, true);
      Sum = A + B;
    }
    uint32_t FA = flushFloat(bitsOf(float(A))), FB = flushFloat(bitsOf(float(B)));
    float Want = floatOf(flushFloat(bitsOf(floatOf(FA) + floatOf(FB))));
    Flushed.expect(bitsOf(float(Sum)) == bitsOf(Want), "%a + %a = %a, not %a", double(A), double(B),
                   double(Sum), double(Want));
  }
}

static void testIntegers() {
  Check Whole("conversions to integers");
  Whole.expect(toI32(2147483648.0) == INT32_MAX && toI32(-3e9) == INT32_MIN, "i32 range");
  Whole.expect(toI32(-1.9) == -1 && toI32(1.9) == 1 && toI32(NAN) == 0, "i32 truncates");
  Whole.expect(toU32(-1.0) == 0 && toU32(5e9) == UINT32_MAX && toU32(4294967295.0) == UINT32_MAX,
               "u32 range");
  Whole.expect(toI16(40000.0) == 32767 && toU16(-0.5) == 0 && toU16(70000.0) == 65535, "16 bits");
  Whole.expect(toU8(2.5, Rounding::NearestEven) == 2 && toU8(2.5, Rounding::Up) == 3 &&
                   toU8(300.0, Rounding::Zero) == 255 && toU8(-3.0, Rounding::Zero) == 0,
               "u8");
  Whole.expect(toI32Floor(-0.5f) == -1 && toI32NearestUp(-0.5f) == 0 && toI32NearestUp(2.5f) == 3,
               "floor and nearest up");
  Whole.expect(toSnorm16(-2.0) == -32767 && toSnorm16(1.0) == 32767 && toUnorm16(1.0) == 65535 &&
                   toUnorm16(-1.0) == 0,
               "normalized");
}

void hk::arith::testFormats(uint64_t Count) {
  for (const Case &C : Cases)
    testRounding(C, Count);
  for (const Case &C : Cases)
    if (C.Format.width() == 8)
      testStochastic(C);
  testHalfFma(Count);
  testHostModes(Count);
  testIntegers();
}
