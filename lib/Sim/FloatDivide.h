//===- FloatDivide.h - Instructions of the division sequence --------------===//
//
// The compiler divides by Newton's method on numbers kept out of the ranges in which an
// intermediate would overflow or lose bits: v_div_scale moves numerator and denominator, v_div_fmas
// takes the last step and moves the quotient back, v_div_fixup puts in what no iteration gives
// (signs, infinities, NaN). What matters is that the whole sequence is correctly rounded; the tests
// run it.
//
//===----------------------------------------------------------------------===//

#ifndef HK_LIB_SIM_FLOATDIVIDE_H
#define HK_LIB_SIM_FLOATDIVIDE_H

#include <cstdint>

namespace hk::sim {

/// \p S0 is either \p Denominator or \p Numerator, the one that is wanted scaled. \p Vcc tells
/// v_div_fmas that the quotient needs to be moved back.
float divScale(float S0, float Denominator, float Numerator, bool &Vcc);
double divScale(double S0, double Denominator, double Numerator, bool &Vcc);

/// a * b + c, times 2^64 or 2^-64 (f64: 128) if \p Vcc, rounded once. The direction is that of \p
/// C: a quotient that was moved is far from 1 on the side to which it has to go on.
float divFmas(float A, float B, float C, bool Vcc);
double divFmas(double A, double B, double C, bool Vcc);

float divFixup(float Quotient, float Denominator, float Numerator);
double divFixup(double Quotient, double Denominator, double Numerator);
uint16_t divFixupHalf(uint16_t Quotient, uint16_t Denominator, uint16_t Numerator);

} // namespace hk::sim

#endif
