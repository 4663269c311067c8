//===- reference.h - Number formats by enumeration ------------------------===//
//
// What conversions have to give, from the definition of the formats alone: the value of every code
// in f64, and the nearest one by search among all of them. Nothing here is shared with the headers
// under test.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace reference {

enum class Top { Ieee, OneNaN, Fnuz };

struct Format {
  int exponentBits, mantissaBits, bias;
  Top top;

  uint32_t codes() const { return 1u << (1 + exponentBits + mantissaBits); }
  uint32_t signBit() const { return codes() / 2; }

  bool isNaN(uint32_t code) const {
    const uint32_t magnitude = code % signBit();
    if (top == Top::Fnuz)
      return code == signBit();
    if (top == Top::OneNaN)
      return magnitude == signBit() - 1;
    return magnitude > infinity();
  }
  uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  bool isInfinite(uint32_t code) const {
    return top == Top::Ieee && code % signBit() == infinity();
  }

  /// The value that the fields of a code spell, special meanings left aside.
  double spelled(uint32_t code) const {
    const uint32_t magnitude = code % signBit();
    const int exponent = int(magnitude >> mantissaBits);
    const double mantissa = double(magnitude % (1u << mantissaBits)) / double(1u << mantissaBits);
    const double value =
        exponent ? std::ldexp(1 + mantissa, exponent - bias) : std::ldexp(mantissa, 1 - bias);
    return code & signBit() ? -value : value;
  }
  double value(uint32_t code) const {
    if (isNaN(code))
      return NAN;
    if (isInfinite(code))
      return code & signBit() ? -INFINITY : INFINITY;
    return spelled(code);
  }
  uint32_t largest() const {
    if (top == Top::Fnuz)
      return signBit() - 1;
    return top == Top::OneNaN ? signBit() - 2 : infinity() - 1;
  }
};

/// Rounds by search in the sorted values.
class Rounding {
public:
  explicit Rounding(const Format &F) : format(F) {
    for (uint32_t code = 0; code <= F.largest(); ++code)
      values.push_back(F.spelled(code));
    // What would follow the largest value, had the exponent one more bit.
    values.push_back(values.back() + (values.back() - values[values.size() - 2]));
    sorted = std::is_sorted(values.begin(), values.end());
  }
  bool isSorted() const { return sorted; }
  const Format &of() const { return format; }
  /// The finite values from 0, and the one that would follow.
  const std::vector<double> &magnitudes() const { return values; }

  /// Codes that \p x may become; with \p saturate or else the special ones.
  bool accepts(float x, uint32_t code, bool saturate) const {
    const Format &F = format;
    if (code >= F.codes())
      return false;
    if (std::isnan(x))
      return F.isNaN(code);
    const uint32_t sign = std::signbit(x) ? F.signBit() : 0;
    const uint32_t magnitude = nearest(std::fabs(double(x)));
    if (magnitude > F.largest()) {
      if (saturate)
        return code == (F.largest() | sign);
      return F.top == Top::Ieee ? code == (F.infinity() | sign) : F.isNaN(code);
    }
    if (F.top == Top::Fnuz && magnitude == 0)
      return code == 0;
    return code == (magnitude | sign);
  }
  bool inRange(float x) const {
    return std::isnan(x) || nearest(std::fabs(double(x))) <= format.largest();
  }

private:
  Format format;
  std::vector<double> values;
  bool sorted;

  uint32_t nearest(double x) const {
    auto above = std::lower_bound(values.begin(), values.end(), x);
    if (above == values.end())
      return uint32_t(values.size() - 1);
    const uint32_t high = uint32_t(above - values.begin());
    if (*above == x || high == 0)
      return high;
    const double up = *above - x, down = x - values[high - 1];
    if (up == down)
      return high % 2 ? high - 1 : high;
    return up < down ? high : high - 1;
  }
};

inline float fromBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

/// Every value of the format, every midpoint of neighbours, and the f32 on both sides of each, with
/// both signs.
inline void addBoundaries(std::vector<float> &inputs, const Rounding &rounding) {
  const std::vector<double> &values = rounding.magnitudes();
  for (size_t n = 0; n != values.size(); ++n)
    for (double exact : {values[n], n ? (values[n] + values[n - 1]) / 2 : 0.0}) {
      const float x = float(exact);
      for (float near : {x, std::nextafterf(x, -1), std::nextafterf(x, INFINITY)})
        for (float both : {near, -near})
          inputs.push_back(both);
    }
}

/// All values of f16 and bf16, and what is special in f32: NaN of both kinds and many payloads,
/// infinities, denormal numbers, zeros.
inline void addHalves(std::vector<float> &inputs) {
  const Format half = {5, 10, 15, Top::Ieee};
  for (uint32_t code = 0; code != 65536; ++code) {
    inputs.push_back(half.isNaN(code)
                         ? fromBits(0x7F800000 | (code & 0x3FF) << 13 | (code & 0x8000) << 16)
                         : float(half.value(code)));
    inputs.push_back(fromBits(code << 16));
  }
}
inline void addSpecial(std::vector<float> &inputs) {
  for (uint32_t sign : {0u, 0x80000000u})
    for (uint32_t bits :
         {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x00400000u, 0x7F7FFFFFu, 0x7F800000u,
          0x7F800001u, 0x7F80FFFFu, 0x7FA00000u, 0x7FBFFFFFu, 0x7FC00000u, 0x7FC00001u, 0x7FFF7FFFu,
          0x7FFF8000u, 0x7FFFFFFFu})
      inputs.push_back(fromBits(bits | sign));
}

/// Blocks of \p block numbers that need no care but for one, or one and a signalling NaN, in one
/// group of \p group: at each place, with nothing else in the wavefront that would make it look.
inline void addLonely(std::vector<float> &inputs, size_t group, size_t block) {
  while (inputs.size() % block)
    inputs.push_back(1);
  const float signalling = fromBits(0x7F800001);
  for (uint32_t bits : {0x7F800000u, 0xFF7FFFFFu, 0x7F800001u, 0xFFFFFFFFu})
    for (size_t place = 0; place != group; ++place) {
      inputs.resize(inputs.size() + block, 0.5f);
      float *last = &inputs.back() - (group - 1) - group * place;
      last[place] = fromBits(bits);
    }
  for (size_t place = 0; place != group; ++place)
    for (size_t other = 0; other != group; ++other) {
      inputs.resize(inputs.size() + block, 0.5f);
      float *last = &inputs.back() - (group - 1);
      last[other] = signalling;
      last[place] = INFINITY;
    }
}

} // namespace reference
