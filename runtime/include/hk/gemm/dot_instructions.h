//===- hk/gemm/dot_instructions.h - Products of a few rows without matrix cores ---===//
//
// One table says with which vector instructions a lane multiplies its chunk of a row of W by that of a row of X (hk/gemm/factor.h:
// 16 bytes of K each) and adds up. `DotOp<W, X>` makes all of them look alike.
//
//   factors        gfx942, gfx950                gfx90a                        NVIDIA
//   int8           v_dot4_i32_i8                 v_dot4_i32_i8                 dp4a
//   f16            v_dot2_f32_f16                to f32, v_pk_fma_f32          to f32, fma
//   bf16           to f32, v_pk_fma_f32          to f32, v_pk_fma_f32          to f32, fma
//   fp8            to f32, v_pk_fma_f32          to f32, v_pk_fma_f32          to f32, fma
//   f32            v_pk_fma_f32                  v_pk_fma_f32                  fma
//   f64            v_fma_f64                     v_fma_f64                     fma
//
// Where factors become what is summed, they do so exactly, and an fma rounds once: an element of K adds at most one rounding to
// a sum. v_dot2_f32_f16 rounds once for two elements of K and flushes only f32 denormals, which sums of products of f16, multiples
// of 2^-48, never are; so half as many roundings. gfx90a's also flushes denormal factors, and the bf16 one of gfx950 does not say:
// they are not used. (The compiler makes v_dot2_f32_f16 of two fma's of f16 that may be contracted: here they may not.)
//
// A chunk is multiplied in `Parts`, so that what becomes of a part takes few registers.
//
// Sources: LLVM's review D49146: v_dot2_f32_f16 rounds a single time and flushes f32 denormals; PyTorch, "Numerical accuracy": on
// MI200, and no other device, V_DOT2 flushes denormal f16 and bf16.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/convert.h"
#include "hk/gemm/instructions.h"

namespace hk {
namespace detail {

/// What a lane adds its products up in.
template <class S> struct DotSum {
  S value;
  HK_DEVICE void clear() { value = S(0); }
  HK_DEVICE S total() const { return value; }
};

/// The general case: a part of a chunk as numbers of the type that is summed, `Elements` of them.
template <class W, class X> struct DotOp {
  using Sum = typename SumOf<W>::Type;
  static_assert(sizeof(W) == sizeof(X), "both chunks hold as many elements");
  static constexpr bool Pairs = HK_AMD && sizeof(W) < 8; ///< two elements at once
  static constexpr int Words = sizeof(W) == 8 || (Pairs && sizeof(W) == 4) ? 2 : 1;
  static constexpr int Parts = 4 / Words, Elements = Words * 4 / int(sizeof(W));

  struct Factor {
    Sum values[Elements];
  };
#if HK_AMD
  using Pair = float __attribute__((ext_vector_type(2)));
  struct PairSum {
    Pair value;
    HK_DEVICE void clear() { value = Pair{0, 0}; }
    HK_DEVICE float total() const { return value.x + value.y; }
  };
  using Accumulator = std::conditional_t<Pairs, PairSum, DotSum<Sum>>;
#else
  using Accumulator = DotSum<Sum>;
#endif

  template <class T> static HK_DEVICE void prepare(Factor &to, const uint32_t *part) {
    if constexpr (sizeof(T) == 8) {
      to.values[0] = doubleOf(part[0], part[1]);
    } else {
#pragma unroll
      for (int word = 0; word < Words; ++word)
        unpackFloats<T>(part[word], to.values + word * (4 / int(sizeof(T))));
    }
  }
  static HK_DEVICE void multiply(Accumulator &sum, const Factor &w, const Factor &x) {
#if HK_AMD
#pragma clang fp contract(off)
    if constexpr (Pairs) {
#pragma unroll
      for (int n = 0; n < Elements; n += 2)
        sum.value = __builtin_elementwise_fma(Pair{w.values[n], w.values[n + 1]}, Pair{x.values[n], x.values[n + 1]},
                                              sum.value);
      return;
    }
#endif
    if constexpr (!Pairs) {
#pragma unroll
      for (int n = 0; n < Elements; ++n)
        sum.value = fmaOf(w.values[n], x.values[n], sum.value);
    }
  }

private:
  static HK_DEVICE float fmaOf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static HK_DEVICE double fmaOf(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

/// int8: a word has four products.
template <> struct DotOp<int8_t, int8_t> {
  using Sum = int32_t;
  using Accumulator = DotSum<int32_t>;
  static constexpr int Words = 1, Parts = 4;
  using Factor = uint32_t;
  template <class T> static HK_DEVICE void prepare(Factor &to, const uint32_t *part) { to = *part; }
  static HK_DEVICE void multiply(Accumulator &sum, const Factor &w, const Factor &x) {
#if HK_AMD
    sum.value = __builtin_amdgcn_sdot4(int(w), int(x), sum.value, false);
#else
    sum.value = __dp4a(int(w), int(x), sum.value);
#endif
  }
};

#if HK_AMD_DEVICE && (defined(__gfx942__) || defined(__gfx950__))
/// f16: a word has two products.
template <> struct DotOp<f16, f16> {
  using Sum = float;
  using Accumulator = DotSum<float>;
  using Factor = HalfPair;
  static constexpr int Words = 1, Parts = 4;
  template <class T> static HK_DEVICE void prepare(Factor &to, const uint32_t *part) {
    to = __builtin_bit_cast(HalfPair, *part);
  }
  static HK_DEVICE void multiply(Accumulator &sum, const Factor &w, const Factor &x) {
    sum.value = __builtin_amdgcn_fdot2(w, x, sum.value, false);
  }
};
#endif

} // namespace detail
} // namespace hk
