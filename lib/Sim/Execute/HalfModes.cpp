//===- HalfModes.cpp - Results in other modes, without the host's help ----===//
//
// The host has no f16 arithmetic whose rounding and denormals could be
// switched. Where MODE asks for another direction, or for zeros in place of
// denormals, these take over: computed in f64, exactly or rounded to odd, and
// brought to f16 in one rounding. So does a conversion that the compiler makes
// of several roundings.
//
//===----------------------------------------------------------------------===//

#include "../FloatFormats.h"
#include "Groups.h"
#include "Lanes.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;

u16 bitsOfHalf(half X) { return std::bit_cast<u16>(X); }
half halfOf(u16 X) { return std::bit_cast<half>(X); }

half rounded(double X, const FloatMode &Mode) { return halfOf(encodeHalf(X, Mode)); }

/// a * b + c, ready for one more rounding. The sign of a sum that is exactly zero depends on the
/// direction.
double fused(double A, double B, double C, const FloatMode &Mode) {
  double P = A * B;
  if (P == -C && std::isfinite(P) && (P != 0 || std::signbit(P) != std::signbit(C)))
    return Mode.F64F16 == Rounding::Down ? -0.0 : 0.0;
  return fmaForNarrow(A, B, C);
}

struct Add {
  static constexpr unsigned Count = 2;
  static half run(const half *X, const FloatMode &M) { return rounded(fused(X[0], 1, X[1], M), M); }
};
struct Sub {
  static constexpr unsigned Count = 2;
  static half run(const half *X, const FloatMode &M) {
    return rounded(fused(X[0], 1, -double(X[1]), M), M);
  }
};
struct SubReverse {
  static constexpr unsigned Count = 2;
  static half run(const half *X, const FloatMode &M) {
    return rounded(fused(X[1], 1, -double(X[0]), M), M);
  }
};
struct Mul {
  static constexpr unsigned Count = 2;
  static half run(const half *X, const FloatMode &M) {
    return rounded(double(X[0]) * double(X[1]), M);
  }
};
struct Fma {
  static constexpr unsigned Count = 3;
  static half run(const half *X, const FloatMode &M) {
    return rounded(fused(X[0], X[1], X[2], M), M);
  }
};
/// The unfused form rounds the product, too.
struct Mad {
  static constexpr unsigned Count = 3;
  static half run(const half *X, const FloatMode &M) {
    half Product = rounded(double(X[0]) * double(X[1]), M);
    return rounded(fused(Product, 1, X[2], M), M);
  }
};

template <class F> void runHalf(Wave &W, const Inst &I) {
  alignas(64) u16 In[F::Count][NumLanes];
  alignas(64) half Out[NumLanes];
  const u16 *List[F::Count];
  FloatMode Mode = FloatMode::decode(W.Mode);
  for (unsigned N = 0; N != F::Count; ++N) {
    fetch16(W, I, N, In[N]);
    List[N] = In[N];
  }
  for (unsigned L = 0; L != NumLanes; ++L) {
    half X[3];
    for (unsigned N = 0; N != F::Count; ++N)
      X[N] = halfOf(In[N][L]);
    Out[L] = F::run(X, Mode);
  }
  fixNan16(List, F::Count, reinterpret_cast<u16 *>(Out), NumLanes);
  store<half>(W, I, Out);
}

template <class F> void runHalves(Wave &W, const Inst &I) {
  alignas(64) u16 In[F::Count][2 * NumLanes];
  alignas(64) half Out[2 * NumLanes];
  const u16 *List[F::Count];
  FloatMode Mode = FloatMode::decode(W.Mode);
  for (unsigned N = 0; N != F::Count; ++N) {
    fetchPacked(W, I, N, In[N], true);
    List[N] = In[N];
  }
  for (unsigned L = 0; L != 2 * NumLanes; ++L) {
    half X[3];
    for (unsigned N = 0; N != F::Count; ++N)
      X[N] = halfOf(In[N][L]);
    Out[L] = F::run(X, Mode);
  }
  fixNan16(List, F::Count, reinterpret_cast<u16 *>(Out), 2 * NumLanes);
  storePacked(W, I, reinterpret_cast<u16 *>(Out), true);
}

template <class T> void runFromInteger(Wave &W, const Inst &I) {
  alignas(64) u16 In[NumLanes];
  alignas(64) half Out[NumLanes];
  FloatMode Mode = FloatMode::decode(W.Mode);
  fetch16(W, I, 0, In);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = rounded(double(T(In[L])), Mode);
  store<half>(W, I, Out);
}

/// u32 to f32.
void runUnsigned(Wave &W, const Inst &I) {
  alignas(64) u32 In[NumLanes];
  alignas(64) float Out[NumLanes];
  FloatMode Mode = FloatMode::decode(W.Mode);
  fetch32(W, I, 0, In);
  for (unsigned L = 0; L != NumLanes; ++L)
    Out[L] = doubleToFloat(double(In[L]), Mode);
  store<float>(W, I, Out);
}

/// Each source is f32, or the low or high f16 of a register; the result goes to one half.
template <bool High> void runMix(Wave &W, const Inst &I) {
  alignas(64) double X[3][NumLanes];
  alignas(64) u32 Out[NumLanes];
  FloatMode Mode = FloatMode::decode(W.Mode);
  Inst Raw = I;
  Raw.Plain = false;
  for (Operand &O : Raw.Src)
    O.Mods = 0;
  for (unsigned N = 0; N != 3; ++N) {
    alignas(64) u32 Bits[NumLanes];
    fetch32(W, Raw, N, Bits);
    bool IsHalf = I.OpSelHi >> N & 1;
    unsigned Shift = I.OpSel >> N & 1 ? 16 : 0;
    for (unsigned L = 0; L != NumLanes; ++L) {
      u16 Half = u16(Bits[L] >> Shift);
      if (IsHalf)
        X[N][L] = halfToFloat(Mode.F64F16FlushIn ? flushHalf(Half) : Half);
      else
        X[N][L] = floatOf(Mode.F32FlushIn ? flushFloat(Bits[L]) : Bits[L]);
      if (I.Src[N].Mods & Operand::NegHi) // is |x| here
        X[N][L] = std::fabs(X[N][L]);
      if (I.Src[N].Mods & Operand::Neg)
        X[N][L] = -X[N][L];
    }
  }
  const u32 *Old = W.V[I.Dst];
  for (unsigned L = 0; L != NumLanes; ++L) {
    half H = rounded(fused(X[0][L], X[1][L], X[2][L], Mode), Mode);
    if (I.Clamp) // NaN becomes 0
      H = H > half(0) ? (H < half(1) ? H : half(1)) : half(0);
    u32 Bits = bitsOfHalf(H);
    Out[L] = High ? (Old[L] & 0xffff) | Bits << 16 : (Old[L] & 0xffff0000) | Bits;
  }
  Inst Whole = I;
  Whole.Clamp = false;
  store<u32>(W, Whole, Out);
}

} // namespace

void addHalfModes(OpTable &Table) {
  auto Set = [&](Handler Run, std::initializer_list<const char *> Names) {
    for (const char *Name : Names)
      Table.all()[Name].RunMode = Run;
  };
  Set(runHalf<Add>, {"v_add_f16"});
  Set(runHalf<Sub>, {"v_sub_f16"});
  Set(runHalf<SubReverse>, {"v_subrev_f16"});
  Set(runHalf<Mul>, {"v_mul_f16"});
  Set(runHalf<Fma>, {"v_fma_f16", "v_fmamk_f16", "v_fmaak_f16", "v_fma_legacy_f16", "v_fmac_f16"});
  Set(runHalf<Mad>, {"v_mad_f16", "v_mad_legacy_f16", "v_madmk_f16", "v_madak_f16", "v_mac_f16"});
  Set(runHalves<Add>, {"v_pk_add_f16"});
  Set(runHalves<Mul>, {"v_pk_mul_f16"});
  Set(runHalves<Fma>, {"v_pk_fma_f16", "v_pk_fmac_f16"});
  Set(runFromInteger<u16>, {"v_cvt_f16_u16"});
  Set(runFromInteger<i16>, {"v_cvt_f16_i16"});
  Set(runUnsigned, {"v_cvt_f32_u32"});
  Set(runMix<false>, {"v_fma_mixlo_f16", "v_mad_mixlo_f16"});
  Set(runMix<true>, {"v_fma_mixhi_f16", "v_mad_mixhi_f16"});
}

HK_SIM_END
