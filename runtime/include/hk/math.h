//===- hk/math.h - What a policy lets elementary functions do -------------===//
//
// A policy is a type with the elementary functions that operators use. `Exact` has the platform's f32 functions, so that
// an operator computes what its plain f32 expression does. `Fast` may use the approximations of the hardware:
//
//   function     Exact                    Fast, AMD                      Fast, NVIDIA             Fast's relative error
//   exp(x)       expf                     v_exp_f32(x * log2(e))         ex2.approx(x * log2 e)   2^-22 (1 + |x|)
//   reciprocal   1 / x                    v_rcp_f32                      rcp.approx               2^-22
//   rsqrt        1 / sqrtf(x)             v_rsq_f32                      rsqrt.approx             2^-22
//
// (CDNA3 ISA: v_exp, v_rcp, v_rsq are within 1 ulp; PTX ISA: ex2.approx 2 ulp, rcp.approx 1 ulp, rsqrt.approx 2^-22.9.
// The factor |x| is the rounding of x * log2(e).) v_rcp and v_rsq take denormal inputs as they are on gfx90a and later.
//
// `Fast::Packed` also lets an operator add and multiply in f16, two at a time, where the result is rounded to f16 anyway.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"

#include <cmath>

namespace hk {

struct Exact {
  static constexpr bool Packed = false;
  HK_DEVICE static float exp(float x) { return ::expf(x); }
  HK_DEVICE static float reciprocal(float x) { return 1.0f / x; }
  HK_DEVICE static float rsqrt(float x) { return 1.0f / ::sqrtf(x); }
  HK_DEVICE static float tanh(float x) { return ::tanhf(x); }
  HK_DEVICE static float erf(float x) { return ::erff(x); }
  HK_DEVICE static float divide(float x, float y) { return x / y; }
  /// exp(x - y).
  HK_DEVICE static float expDifference(float x, float y) { return ::expf(x - y); }
};

struct Fast {
  static constexpr bool Packed = true;
  HK_DEVICE static float exp2(float x) {
#if HK_AMD
    return __builtin_amdgcn_exp2f(x);
#else
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
  }
  HK_DEVICE static float exp(float x) { return exp2(x * 1.44269504088896341f); }
  HK_DEVICE static float reciprocal(float x) {
#if HK_AMD
    return __builtin_amdgcn_rcpf(x);
#else
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
  }
  HK_DEVICE static float rsqrt(float x) {
#if HK_AMD
    return __builtin_amdgcn_rsqf(x);
#else
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
  }
  /// 1 - 2 / (exp(2x) + 1): absolute error below 2^-21; both ends are exact limits.
  HK_DEVICE static float tanh(float x) { return 1.0f - 2.0f * reciprocal(exp(2.0f * x) + 1.0f); }
  HK_DEVICE static float erf(float x) { return ::erff(x); }
  HK_DEVICE static float divide(float x, float y) { return x * reciprocal(y); }
  /// exp(x - y), in two instructions if y is the same for many x. Relative error 2^-22 (1 + |x| + |y|).
  HK_DEVICE static float expDifference(float x, float y) {
    constexpr float Log2E = 1.44269504088896341f;
    return exp2(__builtin_fmaf(x, Log2E, -(y * Log2E)));
  }
};

/// x / (1 + exp(-x)): the logistic function times x. Its limits are right: exp(-x) overflows to infinity for x below
/// -88, and the quotient is -0 then.
template <class Policy> HK_DEVICE float silu(float x) {
  return Policy::divide(x, 1.0f + Policy::exp(-x));
}

/// 0.5 x (1 + erf(x / sqrt(2))).
template <class Policy> HK_DEVICE float geluExact(float x) {
  return 0.5f * x * (1.0f + Policy::erf(x * 0.70710678118654752f));
}

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
template <class Policy> HK_DEVICE float geluTanh(float x) {
  return 0.5f * x * (1.0f + Policy::tanh(0.79788456080286536f * (x + 0.044715f * x * x * x)));
}

} // namespace hk
