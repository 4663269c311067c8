//===- Salu.cpp - Scalar arithmetic ---------------------------------------===//

#include "Groups.h"
#include "Lanes.h"

#include <algorithm>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

template <class T> T read(Wave &W, const Operand &O) {
  if constexpr (sizeof(T) == 8)
    return T(scalar64(W, O));
  else
    return T(scalar32(W, O));
}
template <class T> void write(Wave &W, unsigned Dst, T X) {
  if constexpr (sizeof(T) == 8)
    W.setPair(Dst, u64(X));
  else
    W.S[Dst] = u32(X);
}

/// What happens to SCC: F has it as a last parameter, or it tells a result that is not zero.
enum class SccRule { Keep, NonZero, Own };

template <class F, SccRule Rule, class R, class C, class... A, size_t... N>
inline __attribute__((always_inline)) void runTypes(Wave &W, const Inst &I, R (C::*)(A...) const,
                                                    std::index_sequence<N...>) {
  using Args = std::tuple<A...>;
  R X;
  if constexpr (Rule == SccRule::Own)
    X = F{}(read<std::tuple_element_t<N, Args>>(W, I.Src[N])..., W.Scc);
  else
    X = F{}(read<std::tuple_element_t<N, Args>>(W, I.Src[N])...);
  if (Rule == SccRule::NonZero)
    W.Scc = X != 0;
  write<R>(W, I.Dst, X);
}

template <class F, SccRule Rule> void runScalar(Wave &W, const Inst &I) {
  constexpr unsigned Count = Signature<F>::Count - (Rule == SccRule::Own);
  runTypes<F, Rule>(W, I, &F::operator(), std::make_index_sequence<Count>());
}

template <class F> void runScalarCompare(Wave &W, const Inst &I) {
  using S = Signature<F>;
  W.Scc = F{}(read<typename S::template Arg<0>>(W, I.Src[0]),
              read<typename S::template Arg<1>>(W, I.Src[1]));
}
/// s_cmpk: a register with an immediate.
template <class F> void runCompareImmediate(Wave &W, const Inst &I) {
  using T = typename Signature<F>::template Arg<0>;
  // Unsigned comparisons extend the immediate with zeros.
  T Imm = std::is_signed_v<T> ? T(I.Imm) : T(uint16_t(I.Imm));
  W.Scc = F{}(T(W.S[I.Dst]), Imm);
}

template <class F> void runSaveexec(Wave &W, const Inst &I) {
  u64 Exec = W.exec(), X = F{}(scalar64(W, I.Src[0]), Exec);
  W.setPair(I.Dst, Exec);
  W.setExec(X);
  W.Scc = X != 0;
}
template <class F> void runWrexec(Wave &W, const Inst &I) {
  u64 X = F{}(scalar64(W, I.Src[0]), W.exec());
  W.setPair(I.Dst, X);
  W.setExec(X);
  W.Scc = X != 0;
}

template <class T> void runCselect(Wave &W, const Inst &I) {
  write<T>(W, I.Dst, W.Scc ? read<T>(W, I.Src[0]) : read<T>(W, I.Src[1]));
}
template <class T> void runCmov(Wave &W, const Inst &I) {
  if (W.Scc)
    write<T>(W, I.Dst, read<T>(W, I.Src[0]));
}
void runMovk(Wave &W, const Inst &I) { W.S[I.Dst] = u32(I.Imm); }
void runCmovk(Wave &W, const Inst &I) {
  if (W.Scc)
    W.S[I.Dst] = u32(I.Imm);
}
void runAddk(Wave &W, const Inst &I) {
  i64 X = i64(i32(W.S[I.Dst])) + I.Imm;
  W.S[I.Dst] = u32(X);
  W.Scc = X != i32(X);
}
void runMulk(Wave &W, const Inst &I) { W.S[I.Dst] *= u32(I.Imm); }

template <bool Set, class T> void runBitset(Wave &W, const Inst &I) {
  T Bit = T(1) << (scalar32(W, I.Src[0]) & (8 * sizeof(T) - 1));
  T Old;
  std::memcpy(&Old, &W.S[I.Dst], sizeof(T));
  write<T>(W, I.Dst, Set ? Old | Bit : Old & ~Bit);
}
unsigned relative(const Wave &W, unsigned Number) {
  return std::min<u64>(u64(Number) + (W.S[SgprM0] & 0x7f), 126);
}
template <class T> void runMovrels(Wave &W, const Inst &I) {
  T X;
  std::memcpy(&X, &W.S[relative(W, I.Src[0].Reg)], sizeof(T));
  write<T>(W, I.Dst, X);
}
template <class T> void runMovreld(Wave &W, const Inst &I) {
  write<T>(W, relative(W, I.Dst), read<T>(W, I.Src[0]));
}

template <class T> constexpr T bitfield(T X, u32 Control) {
  constexpr unsigned Bits = 8 * sizeof(T);
  unsigned Offset = Control & (Bits - 1), Width = Control >> 16 & 0x7f;
  if (!Width)
    return 0;
  X = T(X >> Offset);
  if (Offset + Width >= Bits)
    return X;
  using U = std::make_unsigned_t<T>;
  return T(U(X) << (Bits - Width)) >> (Bits - Width);
}
constexpr u64 wholeQuads(u64 X) {
  u64 Any = (X | X >> 1 | X >> 2 | X >> 3) & 0x1111111111111111;
  return Any * 15;
}
constexpr u64 quadMask(u64 X) {
  u64 Out = 0;
  for (unsigned Q = 0; Q != 16; ++Q)
    Out |= u64((X >> (4 * Q) & 15) != 0) << Q;
  return Out;
}
template <class T> constexpr T reverseBits(T X) {
  T Out = 0;
  for (unsigned N = 0; N != 8 * sizeof(T); ++N)
    Out |= (X >> N & 1) << (8 * sizeof(T) - 1 - N);
  return Out;
}

class ScalarAdder {
public:
  explicit ScalarAdder(OpTable &Table) : T(Table) {}
  template <class F> void keep(StringRef Name, F) { describe<F, SccRule::Keep>(Name); }
  template <class F> void nonZero(StringRef Name, F) { describe<F, SccRule::NonZero>(Name); }
  template <class F> void own(StringRef Name, F) { describe<F, SccRule::Own>(Name); }
  template <class F> void compare(StringRef Condition, StringRef Type, F) {
    using S = Signature<F>;
    using A = typename S::template Arg<0>;
    using B = typename S::template Arg<1>;
    T.raw(("s_cmp_" + Condition + "_" + Type).str(), runScalarCompare<F>, InstClass::Salu,
          {TypeOf<A>::value, TypeOf<B>::value}, OpNoDst);
    if (sizeof(A) == 4)
      T.raw(("s_cmpk_" + Condition + "_" + Type).str(), runCompareImmediate<F>, InstClass::Salu,
            {TypeOf<A>::value}, OpNoDst);
  }
  template <class F> void bitCompare(StringRef Name, F) {
    T.raw(Name, runScalarCompare<F>, InstClass::Salu,
          {TypeOf<typename Signature<F>::template Arg<0>>::value, SourceType::B32}, OpNoDst);
  }
  template <class F> void saveexec(StringRef Name, F) {
    T.raw(Name, runSaveexec<F>, InstClass::Salu, {SourceType::B64}, 0, 2);
  }
  template <class F> void wrexec(StringRef Name, F) {
    T.raw(Name, runWrexec<F>, InstClass::Salu, {SourceType::B64}, 0, 2);
  }
  void raw(StringRef Name, Handler Run, std::initializer_list<SourceType> Types,
           unsigned DstDwords = 1, unsigned Flags = 0) {
    T.raw(Name, Run, InstClass::Salu, Types, Flags, DstDwords);
  }

private:
  template <class F, SccRule Rule> void describe(StringRef Name) {
    describeTypes<F, Rule>(Name, &F::operator());
  }
  template <class F, SccRule Rule, class R, class C, class... A>
  void describeTypes(StringRef Name, R (C::*)(A...) const) {
    OpInfo &Op = T.raw(Name, runScalar<F, Rule>, InstClass::Salu, {}, 0, sizeof(R) / 4);
    unsigned N = 0;
    ((std::is_reference_v<A> ? void() : void(Op.Src[N++] = type<A>())), ...);
  }
  template <class A> static constexpr SourceType type() {
    if constexpr (std::is_reference_v<A>)
      return SourceType::None;
    else
      return TypeOf<A>::value;
  }
  Adder T;
};

template <class U> void addLogic(ScalarAdder &S, StringRef Bits, U) {
  auto Name = [&](StringRef Op) { return ("s_" + Op + "_" + Bits).str(); };
  S.nonZero(Name("and"), [](U A, U B) { return U(A & B); });
  S.nonZero(Name("or"), [](U A, U B) { return U(A | B); });
  S.nonZero(Name("xor"), [](U A, U B) { return U(A ^ B); });
  S.nonZero(Name("andn2"), [](U A, U B) { return U(A & ~B); });
  S.nonZero(Name("orn2"), [](U A, U B) { return U(A | ~B); });
  S.nonZero(Name("nand"), [](U A, U B) { return U(~(A & B)); });
  S.nonZero(Name("nor"), [](U A, U B) { return U(~(A | B)); });
  S.nonZero(Name("xnor"), [](U A, U B) { return U(~(A ^ B)); });
  S.nonZero(Name("lshl"), [](U A, u32 B) { return U(A << (B & (8 * sizeof(U) - 1))); });
  S.nonZero(Name("lshr"), [](U A, u32 B) { return U(A >> (B & (8 * sizeof(U) - 1))); });
  S.keep(Name("bfm"), [](u32 A, u32 B) {
    constexpr u32 M = 8 * sizeof(U) - 1;
    return U(((U(1) << (A & M)) - 1) << (B & M));
  });
  S.keep(Name("mov"), [](U A) { return A; });
  S.nonZero(Name("not"), [](U A) { return U(~A); });
  S.keep(Name("brev"), [](U A) { return reverseBits(A); });
  S.nonZero(Name("bcnt0_i32"), [](U A) { return u32(std::popcount(U(~A))); });
  S.nonZero(Name("bcnt1_i32"), [](U A) { return u32(std::popcount(A)); });
  S.keep(Name("ff0_i32"), [](U A) { return ~A ? u32(std::countr_one(A)) : ~0u; });
  S.keep(Name("ff1_i32"), [](U A) { return A ? u32(std::countr_zero(A)) : ~0u; });
  S.keep(Name("flbit_i32"), [](U A) { return A ? u32(std::countl_zero(A)) : ~0u; });
  S.nonZero(Name("wqm"), [](U A) { return U(wholeQuads(A)); });
  S.nonZero(Name("quadmask"), [](U A) { return U(quadMask(A)); });
  S.bitCompare(Name("bitcmp0"), [](U A, u32 B) { return !(A >> (B & (8 * sizeof(U) - 1)) & 1); });
  S.bitCompare(Name("bitcmp1"),
               [](U A, u32 B) { return bool(A >> (B & (8 * sizeof(U) - 1)) & 1); });
  constexpr SourceType Type = TypeOf<U>::value;
  constexpr unsigned Dwords = sizeof(U) / 4;
  S.raw(Name("cselect"), runCselect<U>, {Type, Type}, Dwords);
  S.raw(Name("cmov"), runCmov<U>, {Type}, Dwords, OpTiedDst);
  S.raw(Name("bitset0"), runBitset<false, U>, {SourceType::B32}, Dwords, OpTiedDst);
  S.raw(Name("bitset1"), runBitset<true, U>, {SourceType::B32}, Dwords, OpTiedDst);
  S.raw(Name("movrels"), runMovrels<U>, {Type}, Dwords);
  S.raw(Name("movreld"), runMovreld<U>, {Type}, Dwords);
}

void addArithmetic(ScalarAdder &S) {
  S.own("s_add_u32", [](u32 A, u32 B, bool &C) { return C = A + B < A, A + B; });
  S.own("s_sub_u32", [](u32 A, u32 B, bool &C) { return C = A < B, A - B; });
  S.own("s_add_i32", [](i32 A, i32 B, bool &C) {
    i32 X;
    return C = __builtin_add_overflow(A, B, &X), X;
  });
  S.own("s_sub_i32", [](i32 A, i32 B, bool &C) {
    i32 X;
    return C = __builtin_sub_overflow(A, B, &X), X;
  });
  S.own("s_addc_u32", [](u32 A, u32 B, bool &C) {
    u64 X = u64(A) + B + C;
    return C = X >> 32, u32(X);
  });
  S.own("s_subb_u32", [](u32 A, u32 B, bool &C) {
    u64 X = u64(A) - B - C;
    return C = X >> 63, u32(X);
  });
  S.own("s_min_i32", [](i32 A, i32 B, bool &C) { return C = A < B, std::min(A, B); });
  S.own("s_min_u32", [](u32 A, u32 B, bool &C) { return C = A < B, std::min(A, B); });
  S.own("s_max_i32", [](i32 A, i32 B, bool &C) { return C = A > B, std::max(A, B); });
  S.own("s_max_u32", [](u32 A, u32 B, bool &C) { return C = A > B, std::max(A, B); });
  S.nonZero("s_ashr_i32", [](i32 A, u32 B) { return A >> (B & 31); });
  S.nonZero("s_ashr_i64", [](i64 A, u32 B) { return A >> (B & 63); });
  S.keep("s_mul_i32", [](u32 A, u32 B) { return A * B; });
  S.keep("s_mul_hi_u32", [](u32 A, u32 B) { return u32(u64(A) * B >> 32); });
  S.keep("s_mul_hi_i32", [](i32 A, i32 B) { return i32(i64(A) * B >> 32); });
  S.nonZero("s_bfe_u32", [](u32 A, u32 B) { return bitfield(A, B); });
  S.nonZero("s_bfe_i32", [](i32 A, u32 B) { return bitfield(A, B); });
  S.nonZero("s_bfe_u64", [](u64 A, u32 B) { return bitfield(A, B); });
  S.nonZero("s_bfe_i64", [](i64 A, u32 B) { return bitfield(A, B); });
  S.nonZero("s_absdiff_i32", [](i32 A, i32 B) {
    u32 D = u32(A) - u32(B);
    return i32(D) < 0 ? 0 - D : D;
  });
  S.nonZero("s_abs_i32", [](i32 A) { return A < 0 ? 0 - u32(A) : u32(A); });
  S.own("s_lshl1_add_u32", [](u32 A, u32 B, bool &C) {
    u64 X = (u64(A) << 1) + B;
    return C = X >> 32, u32(X);
  });
  S.own("s_lshl2_add_u32", [](u32 A, u32 B, bool &C) {
    u64 X = (u64(A) << 2) + B;
    return C = X >> 32, u32(X);
  });
  S.own("s_lshl3_add_u32", [](u32 A, u32 B, bool &C) {
    u64 X = (u64(A) << 3) + B;
    return C = X >> 32, u32(X);
  });
  S.own("s_lshl4_add_u32", [](u32 A, u32 B, bool &C) {
    u64 X = (u64(A) << 4) + B;
    return C = X >> 32, u32(X);
  });
  S.keep("s_pack_ll_b32_b16", [](u32 A, u32 B) { return (A & 0xffff) | B << 16; });
  S.keep("s_pack_lh_b32_b16", [](u32 A, u32 B) { return (A & 0xffff) | (B & 0xffff0000); });
  S.keep("s_pack_hh_b32_b16", [](u32 A, u32 B) { return A >> 16 | (B & 0xffff0000); });
  S.keep("s_sext_i32_i8", [](u32 A) { return i32(int8_t(A)); });
  S.keep("s_sext_i32_i16", [](u32 A) { return i32(int16_t(A)); });
  S.keep("s_flbit_i32", [](i32 A) {
    u32 X = u32(A < 0 ? ~A : A);
    return X ? u32(std::countl_zero(X)) : ~0u;
  });
  S.keep("s_flbit_i32_i64", [](i64 A) {
    u64 X = u64(A < 0 ? ~A : A);
    return X ? u32(std::countl_zero(X)) : ~0u;
  });
  S.keep("s_bitreplicate_b64_b32", [](u32 A) {
    u64 Out = 0;
    for (unsigned N = 0; N != 32; ++N)
      Out |= u64(A >> N & 1) * 3 << (2 * N);
    return Out;
  });
  S.raw("s_movk_i32", runMovk, {});
  S.raw("s_cmovk_i32", runCmovk, {}, 1, OpTiedDst);
  S.raw("s_addk_i32", runAddk, {}, 1, OpTiedDst);
  S.raw("s_mulk_i32", runMulk, {}, 1, OpTiedDst);
}

template <class V> void addCompares(ScalarAdder &S, StringRef Type, V) {
  S.compare("eq", Type, [](V A, V B) { return A == B; });
  S.compare("lg", Type, [](V A, V B) { return A != B; });
  if constexpr (sizeof(V) == 4) {
    S.compare("gt", Type, [](V A, V B) { return A > B; });
    S.compare("ge", Type, [](V A, V B) { return A >= B; });
    S.compare("lt", Type, [](V A, V B) { return A < B; });
    S.compare("le", Type, [](V A, V B) { return A <= B; });
  }
}

} // namespace

void addSalu(OpTable &Table) {
  ScalarAdder S(Table);
  addLogic(S, "b32", u32());
  addLogic(S, "b64", u64());
  addArithmetic(S);
  addCompares(S, "i32", i32());
  addCompares(S, "u32", u32());
  addCompares(S, "u64", u64());
  S.saveexec("s_and_saveexec_b64", [](u64 A, u64 B) { return A & B; });
  S.saveexec("s_or_saveexec_b64", [](u64 A, u64 B) { return A | B; });
  S.saveexec("s_xor_saveexec_b64", [](u64 A, u64 B) { return A ^ B; });
  S.saveexec("s_andn2_saveexec_b64", [](u64 A, u64 B) { return A & ~B; });
  S.saveexec("s_orn2_saveexec_b64", [](u64 A, u64 B) { return A | ~B; });
  S.saveexec("s_nand_saveexec_b64", [](u64 A, u64 B) { return ~(A & B); });
  S.saveexec("s_nor_saveexec_b64", [](u64 A, u64 B) { return ~(A | B); });
  S.saveexec("s_xnor_saveexec_b64", [](u64 A, u64 B) { return ~(A ^ B); });
  S.saveexec("s_andn1_saveexec_b64", [](u64 A, u64 B) { return ~A & B; });
  S.saveexec("s_orn1_saveexec_b64", [](u64 A, u64 B) { return ~A | B; });
  S.wrexec("s_andn1_wrexec_b64", [](u64 A, u64 B) { return ~A & B; });
  S.wrexec("s_andn2_wrexec_b64", [](u64 A, u64 B) { return A & ~B; });
}

HK_SIM_END
