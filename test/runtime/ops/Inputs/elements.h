//===- elements.h - Elements of tensors as numbers in f64 -----------------===//
//
// What the codes of a type mean, and rounding to it, written from the definition of the formats. Nothing here is shared
// with the headers under test.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace test {

enum class Top { Ieee, OneNaN, Fnuz, Integer };

struct ElementType {
  const char *name;
  int number; ///< of hk::Type and hk_type
  int bytes;
  Top top;
  int mantissaBits, bias;
  double largest, smallest;

  int exponentBits() const { return 8 * bytes - 1 - mantissaBits; }
  uint32_t signBit() const { return 1u << (8 * bytes - 1); }
  bool isInteger() const { return top == Top::Integer; }
  /// The smallest positive number.
  double unit() const { return isInteger() ? 1 : std::ldexp(1, 1 - bias - mantissaBits); }

  double value(uint32_t code) const {
    if (isInteger())
      return smallest == 0    ? double(code)
             : bytes == 1 ? double(int8_t(code))
                          : double(int32_t(code));
    const uint32_t magnitude = code & (signBit() - 1);
    const uint32_t exponent = magnitude >> mantissaBits;
    const uint32_t mantissa = magnitude & ((1u << mantissaBits) - 1);
    if (top == Top::Ieee && exponent == (1u << exponentBits()) - 1)
      return mantissa ? NAN : code & signBit() ? -INFINITY : INFINITY;
    if (top == Top::OneNaN ? magnitude == signBit() - 1 : top == Top::Fnuz && code == signBit())
      return NAN;
    const double whole = double(mantissa) + (exponent ? double(1u << mantissaBits) : 0);
    const double v = std::ldexp(whole, (exponent ? int(exponent) : 1) - bias - mantissaBits);
    return code & signBit() ? -v : v;
  }

  /// To nearest even. What is too large becomes the largest in 8-bit types and integers, else infinite; NaN stays, and is 0
  /// in integers.
  double rounded(double x) const {
    if (std::isnan(x))
      return isInteger() ? 0 : x;
    if (isInteger()) {
      const double n = std::nearbyint(x);
      return n < smallest ? smallest : n > largest ? largest : n;
    }
    double r = x;
    if (x != 0 && !std::isinf(x)) {
      const int exponent = std::ilogb(x) < 1 - bias ? 1 - bias : std::ilogb(x);
      const double ulp = std::ldexp(1, exponent - mantissaBits);
      r = std::nearbyint(x / ulp) * ulp;
    }
    if (std::fabs(r) > largest)
      return std::copysign(bytes == 1 ? largest : double(INFINITY), r);
    return r;
  }

  /// Of a number that the type has; see rounded().
  uint32_t code(double v) const {
    if (isInteger())
      return uint32_t(int64_t(v)) & (bytes == 4 ? 0xFFFFFFFFu : 0xFFu);
    const uint32_t sign = std::signbit(v) ? signBit() : 0;
    const uint32_t special = ((1u << exponentBits()) - 1) << mantissaBits;
    if (std::isnan(v))
      return top == Top::Ieee ? special | 1u << (mantissaBits - 1) : top == Top::Fnuz ? signBit() : signBit() - 1;
    if (std::isinf(v))
      return special | sign;
    if (v == 0)
      return top == Top::Fnuz ? 0 : sign;
    const int exponent = std::ilogb(v);
    if (exponent < 1 - bias)
      return uint32_t(std::fabs(v) / unit()) | sign;
    const double mantissa = std::ldexp(std::fabs(v), mantissaBits - exponent);
    return (uint32_t(mantissa) & ((1u << mantissaBits) - 1)) | uint32_t(exponent + bias) << mantissaBits | sign;
  }
};

inline const ElementType F32 = {"f32", 0, 4, Top::Ieee, 23, 127, 3.4028234663852886e38, 0};
inline const ElementType F16 = {"f16", 1, 2, Top::Ieee, 10, 15, 65504, 0};
inline const ElementType BF16 = {"bf16", 2, 2, Top::Ieee, 7, 127, 3.3895313892515355e38, 0};
inline const ElementType I8 = {"i8", 3, 1, Top::Integer, 0, 0, 127, -128};
inline const ElementType U8 = {"u8", 4, 1, Top::Integer, 0, 0, 255, 0};
inline const ElementType I32 = {"i32", 5, 4, Top::Integer, 0, 0, 2147483647, -2147483648.};
inline const ElementType E4M3 = {"e4m3", 6, 1, Top::OneNaN, 3, 7, 448, 0};
inline const ElementType E5M2 = {"e5m2", 7, 1, Top::Ieee, 2, 15, 57344, 0};
inline const ElementType E4M3FNUZ = {"e4m3fnuz", 8, 1, Top::Fnuz, 3, 8, 240, 0};
inline const ElementType E5M2FNUZ = {"e5m2fnuz", 9, 1, Top::Fnuz, 2, 16, 57344, 0};

/// 2^-24: half an ulp of f32, relative.
constexpr double Unit = 1.0 / 16777216;

} // namespace test
