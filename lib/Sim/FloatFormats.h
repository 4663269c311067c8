//===- FloatFormats.h - Number formats, rounding and the MODE register ----===//
//
// Every format narrower than double is a FloatFormat: numbers are decoded to double, which holds
// all of them exactly, computed on there, and encoded with one rounding. f32 and f64 arithmetic in
// a rounding or denormal mode other than the default runs on the host's own unit, switched for a
// scope by HostFloatScope, so that one loop serves all modes.
//
//===----------------------------------------------------------------------===//

#ifndef HK_LIB_SIM_FLOATFORMATS_H
#define HK_LIB_SIM_FLOATFORMATS_H

#include <bit>
#include <cstdint>

namespace hk::sim {

/// In the encoding of MODE's fields.
enum class Rounding : uint8_t { NearestEven, Up, Down, Zero };

/// What the MODE register says about floating point.
struct FloatMode {
  Rounding F32 = Rounding::NearestEven, F64F16 = Rounding::NearestEven;
  // Of each pair: whether denormal inputs, and denormal results, become zero.
  bool F32FlushIn = false, F32FlushOut = false, F64F16FlushIn = false, F64F16FlushOut = false;
  bool Dx10Clamp = true, Ieee = true, Fp16Ovfl = false;

  static FloatMode decode(uint32_t Mode) {
    FloatMode M;
    M.F32 = Rounding(Mode & 3);
    M.F64F16 = Rounding(Mode >> 2 & 3);
    // A set bit keeps denormals: bit 0 of a field is for inputs, bit 1 for results.
    M.F32FlushIn = !(Mode & 0x10);
    M.F32FlushOut = !(Mode & 0x20);
    M.F64F16FlushIn = !(Mode & 0x40);
    M.F64F16FlushOut = !(Mode & 0x80);
    M.Dx10Clamp = Mode & 0x100;
    M.Ieee = Mode & 0x200;
    M.Fp16Ovfl = Mode & 0x800000;
    return M;
  }
  /// The host's default: no scope is needed for f32, or for f64.
  bool plainF32() const { return F32 == Rounding::NearestEven && !F32FlushIn && !F32FlushOut; }
  bool plainF64F16() const {
    return F64F16 == Rounding::NearestEven && !F64F16FlushIn && !F64F16FlushOut;
  }
};

/// Runs the host's floating point in another mode while it lives. Code under it must not be inlined
/// into a place where constants could be folded; values read from registers never are.
class HostFloatScope {
public:
  HostFloatScope(Rounding R, bool FlushIn, bool FlushOut);
  ~HostFloatScope();
  HostFloatScope(const HostFloatScope &) = delete;
  HostFloatScope &operator=(const HostFloatScope &) = delete;

private:
  unsigned Saved;
};

struct FloatFormat {
  int ExponentBits, MantissaBits, Bias;
  /// An all-ones exponent is infinity and NaN, as in IEEE 754.
  bool Ieee;
  /// The only NaN is what would be negative zero; no infinity.
  bool Fnuz;

  int width() const { return 1 + ExponentBits + MantissaBits; }
  uint64_t maxFinite() const;
  uint64_t quietNan() const;
  uint64_t infinity() const { return ((uint64_t(1) << ExponentBits) - 1) << MantissaBits; }
};

inline constexpr FloatFormat FormatF16{5, 10, 15, true, false};
inline constexpr FloatFormat FormatBF16{8, 7, 127, true, false};
inline constexpr FloatFormat FormatF32{8, 23, 127, true, false};
/// gfx942: fp8 is e4m3 and bf8 is e5m2, both with bias one larger than OCP's and one NaN, 0x80.
inline constexpr FloatFormat FormatFp8Fnuz{4, 3, 8, false, true};
inline constexpr FloatFormat FormatBf8Fnuz{5, 2, 16, false, true};
/// gfx950: OCP. e4m3 has no infinity and two NaNs, e5m2 is as IEEE 754.
inline constexpr FloatFormat FormatFp8Ocp{4, 3, 7, false, false};
inline constexpr FloatFormat FormatBf8Ocp{5, 2, 15, true, false};

enum class Overflow : uint8_t {
  Ieee,    // infinity, or the largest number where the rounding direction says so; NaN without one
  Saturate // the largest number; an infinite source is kept where the format can say it
};

double decodeFloat(uint64_t Bits, const FloatFormat &Format);
/// Rounds once. A NaN becomes quiet and keeps the top of its payload where the format has room.
uint64_t encodeFloat(double Value, const FloatFormat &Format, Rounding R = Rounding::NearestEven,
                     Overflow O = Overflow::Ieee);
/// Rounds away from zero with a probability of the part cut off: \p Random, as a fraction of 2^32
/// that keeps as many top bits as f32 has below the format's mantissa, is added below the last
/// place.
uint64_t encodeStochastic(float Value, const FloatFormat &Format, uint32_t Random,
                          Overflow O = Overflow::Ieee);

/// 256 values, for table look-up in loops.
const float *decodeTable(const FloatFormat &Fp8);

inline float bf16ToFloat(uint16_t Bits) { return std::bit_cast<float>(uint32_t(Bits) << 16); }
inline float halfToFloat(uint16_t Bits) { return float(std::bit_cast<_Float16>(Bits)); }
/// In the default mode; loops over it vectorize.
inline uint16_t floatToHalf(float Value) { return std::bit_cast<uint16_t>(_Float16(Value)); }

inline uint32_t bitsOf(float F) { return std::bit_cast<uint32_t>(F); }
inline uint64_t bitsOf(double D) { return std::bit_cast<uint64_t>(D); }
inline float floatOf(uint32_t Bits) { return std::bit_cast<float>(Bits); }
inline double doubleOf(uint64_t Bits) { return std::bit_cast<double>(Bits); }

/// v_cvt_pk_fp8_f32 and its kin, one element. \p Clamp is MODE's FP16_OVFL: without it a number too
/// large becomes NaN (infinity in OCP e5m2); with it, the largest number. Infinity itself and NaN
/// stay what the format has for them either way.
inline uint8_t floatToFp8(float Value, const FloatFormat &Format, bool Clamp) {
  return uint8_t(encodeFloat(Value, Format, Rounding::NearestEven,
                             Clamp ? Overflow::Saturate : Overflow::Ieee));
}
inline uint8_t floatToFp8Stochastic(float Value, const FloatFormat &Format, uint32_t Random,
                                    bool Clamp) {
  return uint8_t(
      encodeStochastic(Value, Format, Random, Clamp ? Overflow::Saturate : Overflow::Ieee));
}

/// f16 and bf16 results in any mode: exact in double, rounded once. \p Value for a fused
/// multiply-add comes from fmaForNarrow.
uint16_t encodeHalf(double Value, const FloatMode &Mode);
/// a * b + c of numbers with at most 24 mantissa bits, rounded to odd: a further rounding to at
/// most 24 bits gives what one rounding of the exact value would.
double fmaForNarrow(double A, double B, double C);

inline uint16_t flushHalf(uint16_t Bits) { return Bits & 0x7c00 ? Bits : Bits & 0x8000; }
inline uint32_t flushFloat(uint32_t Bits) { return Bits & 0x7f800000 ? Bits : Bits & 0x80000000; }
inline uint64_t flushDouble(uint64_t Bits) {
  return Bits & 0x7ff0000000000000 ? Bits : Bits & 0x8000000000000000;
}

inline bool isNanBits(uint32_t F) { return (F & 0x7fffffff) > 0x7f800000; }
inline bool isNanBits(uint64_t D) { return (D & 0x7fffffffffffffff) > 0x7ff0000000000000; }
inline bool isNanBits(uint16_t H) { return (H & 0x7fff) > 0x7c00; }
inline bool isSignalingBits(uint32_t F) { return isNanBits(F) && !(F & 0x400000); }
inline bool isSignalingBits(uint64_t D) { return isNanBits(D) && !(D & 0x8000000000000); }
inline bool isSignalingBits(uint16_t H) { return isNanBits(H) && !(H & 0x200); }

// To integers: truncation, or as named; out of range gives the nearest integer there is, NaN gives
// 0.
int32_t toI32(double Value);
uint32_t toU32(double Value);
int16_t toI16(double Value);
uint16_t toU16(double Value);
/// v_cvt_pk_u8_f32, in the rounding mode.
uint8_t toU8(double Value, Rounding R);
/// v_cvt_pknorm_*: [-1, 1] to [-32767, 32767], [0, 1] to [0, 65535].
int16_t toSnorm16(double Value);
uint16_t toUnorm16(double Value);
/// v_cvt_flr_i32_f32, v_cvt_rpi_i32_f32.
int32_t toI32Floor(float Value);
int32_t toI32NearestUp(float Value);

float doubleToFloat(double Value, const FloatMode &Mode);
/// Rounds \p Value to an integer in direction \p R.
double roundTo(double Value, Rounding R);

} // namespace hk::sim

#endif
