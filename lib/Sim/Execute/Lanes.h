//===- Lanes.h - Operands and results of vector instructions ----*- C++ -*-===//
//
// An operation is a small function of numbers, given as a lambda where it is
// named; its parameter types say how operands are read. This file wraps it into
// a handler: a loop over 64 lanes that the compiler vectorizes. Sources without
// modifiers are read in place, everything else (SDWA, DPP, negation, constants)
// is first brought into an array by functions that all operations share.
//
// An arithmetic result that is NaN is made the one AMD's pipelines give: the
// first NaN among the sources, made quiet, or 0x7fc00000. The host's own choice
// depends on the order of operands the compiler picked.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "../OpTable.h"
#include "../Wave.h"
#include "Region.h"

#include "llvm/ADT/SmallString.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

HK_SIM_BEGIN

using half = _Float16;

void fetch16(Wave &W, const Inst &I, unsigned N, uint16_t *Out);
void fetch32(Wave &W, const Inst &I, unsigned N, uint32_t *Out);
void fetch64(Wave &W, const Inst &I, unsigned N, uint64_t *Out);
void store16(Wave &W, const Inst &I, uint16_t *Out, bool Float);
void store32(Wave &W, const Inst &I, uint32_t *Out, bool Float);
void store64(Wave &W, const Inst &I, uint64_t *Out, bool Float);
/// Packed halves after selection: element 2 * lane + half.
void fetchPacked(Wave &W, const Inst &I, unsigned N, uint16_t *Out, bool Float);
void storePacked(Wave &W, const Inst &I, uint16_t *Out, bool Float);
/// Writes a mask to an SGPR pair, or to VCC.
inline void storeMask(Wave &W, unsigned Sgpr, uint64_t Mask) { W.setPair(Sgpr, Mask); }
/// Lanes that the instruction may write: EXEC without what DPP switches off.
uint64_t writeMask(Wave &W, const Inst &I);
/// One bit a lane from one byte a lane that is 0 or 1.
uint64_t gatherBits(const uint8_t *Flags);
void spreadBits(uint64_t Bits, uint8_t *Flags);
/// A 64-bit or 32-bit scalar source.
uint64_t scalar64(Wave &W, const Operand &O);
inline uint32_t scalar32(Wave &W, const Operand &O) {
  if (O.K == Operand::Sgpr)
    return W.S[O.Reg];
  if (O.K == Operand::Constant)
    return uint32_t(O.Value);
  return uint32_t(readSpecial(W, O.Reg));
}

void fixNan16(const uint16_t *const *Sources, unsigned Count, uint16_t *Out, unsigned Lanes);
void fixNan32(const uint32_t *const *Sources, unsigned Count, uint32_t *Out, unsigned Lanes);
void fixNan64(const uint64_t *const *Sources, unsigned Count, uint64_t *Out, unsigned Lanes);

template <class T> struct TypeOf;
template <> struct TypeOf<uint16_t> {
  static constexpr SourceType value = SourceType::B16;
};
template <> struct TypeOf<int16_t> {
  static constexpr SourceType value = SourceType::B16;
};
template <> struct TypeOf<half> {
  static constexpr SourceType value = SourceType::F16;
};
template <> struct TypeOf<uint32_t> {
  static constexpr SourceType value = SourceType::B32;
};
template <> struct TypeOf<int32_t> {
  static constexpr SourceType value = SourceType::B32;
};
template <> struct TypeOf<float> {
  static constexpr SourceType value = SourceType::F32;
};
template <> struct TypeOf<uint64_t> {
  static constexpr SourceType value = SourceType::B64;
};
template <> struct TypeOf<int64_t> {
  static constexpr SourceType value = SourceType::B64;
};
template <> struct TypeOf<double> {
  static constexpr SourceType value = SourceType::F64;
};

template <class T>
constexpr bool IsFloat =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>;

template <class F> struct Signature : Signature<decltype(&F::operator())> {};
template <class C, class R, class... A> struct Signature<R (C::*)(A...) const> {
  using Result = R;
  static constexpr unsigned Count = sizeof...(A);
  template <unsigned N> using Arg = std::tuple_element_t<N, std::tuple<A...>>;
};

/// Rows are copied in vectors spelled out: such a loop of words is unrolled before it is
/// vectorized.
using Vector8 = uint32_t __attribute__((vector_size(32)));
constexpr unsigned Vectors = NumLanes / 8;
inline __attribute__((always_inline)) void copyRow(uint32_t *To, const uint32_t *From) {
  for (unsigned N = 0; N != Vectors; ++N) {
    Vector8 X;
    std::memcpy(&X, From + 8 * N, sizeof(X));
    std::memcpy(To + 8 * N, &X, sizeof(X));
  }
}
inline __attribute__((always_inline)) void fillRow(uint32_t *To, uint32_t Value) {
  Vector8 X = {Value, Value, Value, Value, Value, Value, Value, Value};
  for (unsigned N = 0; N != Vectors; ++N)
    std::memcpy(To + 8 * N, &X, sizeof(X));
}
/// Lanes of source N; \p Tmp holds them if they cannot be read in place.
template <class T>
inline __attribute__((always_inline)) const T *fetch(Wave &W, const Inst &I, unsigned N, T *Tmp) {
  if constexpr (sizeof(T) == 4) {
    if (I.Plain && I.Src[N].K == Operand::Vgpr)
      return reinterpret_cast<const T *>(W.V[I.Src[N].Reg]);
    if (I.Plain && I.Src[N].K != Operand::Special) {
      fillRow(reinterpret_cast<uint32_t *>(Tmp), scalar32(W, I.Src[N]));
      return Tmp;
    }
    fetch32(W, I, N, reinterpret_cast<uint32_t *>(Tmp));
  } else if constexpr (sizeof(T) == 2) {
    if (I.Plain && I.Src[N].K == Operand::Vgpr) {
      const uint32_t *Row = W.V[I.Src[N].Reg];
      for (unsigned L = 0; L != NumLanes; ++L)
        Tmp[L] = std::bit_cast<T>(uint16_t(Row[L]));
      return Tmp;
    }
    fetch16(W, I, N, reinterpret_cast<uint16_t *>(Tmp));
  } else {
    fetch64(W, I, N, reinterpret_cast<uint64_t *>(Tmp));
  }
  return Tmp;
}

template <class T>
inline __attribute__((always_inline)) void store(Wave &W, const Inst &I, T *Out) {
  if constexpr (sizeof(T) == 2)
    store16(W, I, reinterpret_cast<uint16_t *>(Out), IsFloat<T>);
  else if constexpr (sizeof(T) == 4)
    store32(W, I, reinterpret_cast<uint32_t *>(Out), IsFloat<T>);
  else
    store64(W, I, reinterpret_cast<uint64_t *>(Out), IsFloat<T>);
}

template <class T> struct BitsOf;
template <> struct BitsOf<half> {
  using Type = uint16_t;
};
template <> struct BitsOf<float> {
  using Type = uint32_t;
};
template <> struct BitsOf<double> {
  using Type = uint64_t;
};

/// Makes NaN results AMD's; to be called when there is one.
template <class R, class... A>
inline __attribute__((always_inline)) void replaceNan(R *Out, unsigned Lanes, const A *...Sources) {
  using B = typename BitsOf<R>::Type;
  const B *List[sizeof...(A)];
  unsigned Count = 0;
  ((sizeof(A) == sizeof(R) && IsFloat<A>
        ? void(List[Count++] = reinterpret_cast<const B *>(Sources))
        : void()),
   ...);
  if constexpr (sizeof(R) == 2)
    fixNan16(List, Count, reinterpret_cast<B *>(Out), Lanes);
  else if constexpr (sizeof(R) == 4)
    fixNan32(List, Count, reinterpret_cast<B *>(Out), Lanes);
  else
    fixNan64(List, Count, reinterpret_cast<B *>(Out), Lanes);
}

/// The same, where nobody has looked for NaN yet.
template <class R, class... A>
inline __attribute__((always_inline)) void fixNan(R *Out, unsigned Lanes, const A *...Sources) {
  typename BitsOf<R>::Type Found = 0;
  for (unsigned L = 0; L != Lanes; ++L)
    Found |= Out[L] != Out[L];
  if (Found)
    replaceNan<R>(Out, Lanes, Sources...);
}

/// 8 lanes: those whose mask is set.
inline __attribute__((always_inline)) void blendVector(uint32_t *To, const uint32_t *From,
                                                       const uint32_t *Mask) {
  Vector8 M, Old, New;
  std::memcpy(&M, Mask, sizeof(M));
  std::memcpy(&Old, To, sizeof(Old));
  std::memcpy(&New, From, sizeof(New));
  New = (Old & ~M) | (New & M);
  std::memcpy(To, &New, sizeof(New));
}
/// Lanes that run, only.
inline __attribute__((always_inline)) void blendRow(Wave &W, uint32_t *To, const uint32_t *From) {
  const uint32_t *Mask = W.execMask();
  for (unsigned N = 0; N != Vectors; ++N)
    blendVector(To + 8 * N, From + 8 * N, Mask + 8 * N);
}
inline __attribute__((always_inline)) void writeActive(Wave &W, unsigned Row,
                                                       const uint32_t *From) {
  if (W.exec() == FullMask)
    copyRow(W.V[Row], From);
  else
    blendRow(W, W.V[Row], From);
}

/// The same for some lanes from \p First on, a multiple of 8. Vectors that are still in registers
/// are written from there.
template <unsigned Count>
inline __attribute__((always_inline)) void writePart(Wave &W, unsigned Row, unsigned First,
                                                     const uint32_t *From, bool All) {
  uint32_t *To = W.V[Row] + First;
  if (All) {
    for (unsigned N = 0; N != Count / 8; ++N)
      std::memcpy(To + 8 * N, From + 8 * N, 32);
    return;
  }
  const uint32_t *Mask = W.execMask() + First;
  for (unsigned N = 0; N != Count / 8; ++N)
    blendVector(To + 8 * N, From + 8 * N, Mask + 8 * N);
}

/// Room for the lanes of one operand, on purpose not initialized.
template <class T, size_t N> struct Room {
  alignas(64) T Lanes[NumLanes];
  Room() {}
};
template <class Indices, class... A> struct Rooms;
template <size_t... N, class... A> struct Rooms<std::index_sequence<N...>, A...> : Room<A, N>... {
  Rooms() {}
};

/// Arithmetic with a 32-bit result and nothing else to do with it: a half of the lanes at a time,
/// as many as stay in registers. A lane's sources are needed once more if there is a NaN, but no
/// other lane's, so the first half may be written before the second is read.
template <class F, class R, class... A>
inline __attribute__((always_inline)) void runHalfRows(Wave &W, unsigned Dst, const A *...In) {
  constexpr unsigned Part = NumLanes / 2;
  bool All = W.exec() == FullMask;
  for (unsigned First = 0; First != NumLanes; First += Part) {
    alignas(64) R Out[Part];
    typename BitsOf<R>::Type Nan = 0;
#pragma clang loop vectorize(assume_safety)
    for (unsigned L = 0; L != Part; ++L) {
      R X = F{}(In[First + L]...);
      Nan |= X != X;
      Out[L] = X;
    }
    if (Nan) [[unlikely]] {
      alignas(64) R Fixed[Part];
      for (unsigned L = 0; L != Part; ++L)
        Fixed[L] = Out[L];
      replaceNan<R>(Fixed, Part, (In + First)...);
      writePart<Part>(W, Dst, First, reinterpret_cast<const uint32_t *>(Fixed), All);
      continue;
    }
    writePart<Part>(W, Dst, First, reinterpret_cast<const uint32_t *>(Out), All);
  }
}

/// A 64-bit source as its two rows.
template <class T> struct RowPair {
  const uint32_t *Low, *High;
  T operator[](unsigned L) const { return std::bit_cast<T>(Low[L] | uint64_t(High[L]) << 32); }
};
/// A source of an instruction that is Plain.
template <class T>
inline __attribute__((always_inline)) auto plainSource(Wave &W, const Inst &I, unsigned N, T *Tmp) {
  if constexpr (sizeof(T) == 8) {
    const Operand &O = I.Src[N];
    if (O.K == Operand::Vgpr)
      return RowPair<T>{W.V[O.Reg], W.V[O.Reg + 1]};
    uint64_t X = scalar64(W, O);
    auto *Rows = reinterpret_cast<uint32_t *>(Tmp);
    fillRow(Rows, uint32_t(X));
    fillRow(Rows + NumLanes, uint32_t(X >> 32));
    return RowPair<T>{Rows, Rows + NumLanes};
  } else {
    return fetch<T>(W, I, N, Tmp);
  }
}

/// The same with 64-bit results.
template <class F, bool Arithmetic, class R, class... A, class... In>
inline __attribute__((always_inline)) void runHalfPairs(Wave &W, unsigned Dst, In... Sources) {
  constexpr unsigned Part = NumLanes / 2;
  bool All = W.exec() == FullMask;
  for (unsigned First = 0; First != NumLanes; First += Part) {
    alignas(64) uint32_t Low[Part], High[Part];
    uint64_t Nan = 0;
#pragma clang loop vectorize(assume_safety)
    for (unsigned L = 0; L != Part; ++L) {
      R X = F{}(Sources[First + L]...);
      if constexpr (Arithmetic && IsFloat<R>)
        Nan |= X != X;
      uint64_t Bits = std::bit_cast<uint64_t>(X);
      Low[L] = uint32_t(Bits);
      High[L] = uint32_t(Bits >> 32);
    }
    if constexpr (Arithmetic && IsFloat<R>)
      if (Nan) [[unlikely]] {
        auto Fix = [&]<size_t... N>(std::index_sequence<N...>) {
          alignas(64) R Out[Part];
          Rooms<std::index_sequence<N...>, A...> Copies;
          for (unsigned L = 0; L != Part; ++L) {
            Out[L] = RowPair<R>{Low, High}[L];
            ((Copies.Room<A, N>::Lanes[L] = Sources[First + L]), ...);
          }
          replaceNan<R>(Out, Part, static_cast<const A *>(Copies.Room<A, N>::Lanes)...);
          for (unsigned L = 0; L != Part; ++L) {
            uint64_t Bits = std::bit_cast<uint64_t>(Out[L]);
            Low[L] = uint32_t(Bits);
            High[L] = uint32_t(Bits >> 32);
          }
        };
        Fix(std::index_sequence_for<A...>());
      }
    writePart<Part>(W, Dst, First, Low, All);
    writePart<Part>(W, Dst + 1, First, High, All);
  }
}

template <class F, bool Arithmetic, class R, class... A, size_t... N>
inline __attribute__((always_inline)) void runLanes(Wave &W, const Inst &I,
                                                    std::index_sequence<N...>) {
  Rooms<std::index_sequence<N...>, A...> Tmp;
  if constexpr (sizeof(R) == 8)
    if (I.Plain) {
      runHalfPairs<F, Arithmetic, R, A...>(W, I.Dst,
                                           plainSource<A>(W, I, N, Tmp.Room<A, N>::Lanes)...);
      return;
    }
  std::tuple<const A *...> In{fetch<A>(W, I, N, Tmp.Room<A, N>::Lanes)...};
  if constexpr (Arithmetic && std::is_same_v<R, float>)
    if (I.Plain) {
      runHalfRows<F, R>(W, I.Dst, std::get<N>(In)...);
      return;
    }
  alignas(64) R Out[NumLanes];
  bool Direct = sizeof(R) == 4 && I.Plain && W.exec() == FullMask;
  R *D = Direct ? reinterpret_cast<R *>(W.V[I.Dst]) : Out;
  if constexpr (Arithmetic && IsFloat<R>) {
    // The sources are needed once more if there is a NaN, so the destination waits.
    typename BitsOf<R>::Type Nan = 0;
#pragma clang loop vectorize(assume_safety)
    for (unsigned L = 0; L != NumLanes; ++L) {
      R X = F{}(std::get<N>(In)[L]...);
      Nan |= X != X;
      Out[L] = X;
    }
    if (Nan) [[unlikely]]
      replaceNan<R>(Out, NumLanes, std::get<N>(In)...);
  } else {
#pragma clang loop vectorize(assume_safety)
    for (unsigned L = 0; L != NumLanes; ++L)
      D[L] = F{}(std::get<N>(In)[L]...);
    if (Direct)
      return;
    if constexpr (sizeof(R) == 4)
      if (I.Plain) {
        blendRow(W, W.V[I.Dst], reinterpret_cast<const uint32_t *>(Out));
        return;
      }
  }
  store<R>(W, I, Out);
}

template <class F, bool Arithmetic, class R, class C, class... A>
inline __attribute__((always_inline)) void runTyped(Wave &W, const Inst &I, R (C::*)(A...) const) {
  runLanes<F, Arithmetic, R, A...>(W, I, std::index_sequence_for<A...>());
}

/// R F(A...) on each lane.
template <class F, bool Arithmetic> void runVector(Wave &W, const Inst &I) {
  runTyped<F, Arithmetic>(W, I, &F::operator());
}

/// bool F(A...) on each lane, to a mask; inactive lanes give 0.
template <class F, bool SetsExec> void runCompare(Wave &W, const Inst &I) {
  using S = Signature<F>;
  using A0 = typename S::template Arg<0>;
  using A1 = typename S::template Arg<1>;
  alignas(64) A0 T0[NumLanes];
  alignas(64) A1 T1[NumLanes];
  alignas(64) uint8_t Flags[NumLanes];
  const A0 *X = fetch<A0>(W, I, 0, T0);
  const A1 *Y = fetch<A1>(W, I, 1, T1);
  for (unsigned L = 0; L != NumLanes; ++L)
    Flags[L] = F{}(X[L], Y[L]);
  uint64_t Mask = gatherBits(Flags) & W.exec();
  storeMask(W, I.SDst, Mask);
  if (SetsExec)
    W.setExec(Mask);
}

/// R F(A...) on each half of a packed register.
template <class F, bool Arithmetic, class R, class C, class... A, size_t... N>
inline __attribute__((always_inline)) void runHalves(Wave &W, const Inst &I, R (C::*)(A...) const,
                                                     std::index_sequence<N...>) {
  using First = std::tuple_element_t<0, std::tuple<A...>>;
  alignas(64) R Out[2 * NumLanes];
  alignas(64) First Tmp[sizeof...(A)][2 * NumLanes];
  const First *In[sizeof...(A)];
  for (unsigned S = 0; S != sizeof...(A); ++S) {
    if (I.Plain && I.Src[S].K == Operand::Vgpr) {
      In[S] = reinterpret_cast<const First *>(W.V[I.Src[S].Reg]);
    } else {
      fetchPacked(W, I, S, reinterpret_cast<uint16_t *>(Tmp[S]), IsFloat<First>);
      In[S] = Tmp[S];
    }
  }
  for (unsigned L = 0; L != 2 * NumLanes; ++L)
    Out[L] = F{}(In[N][L]...);
  if constexpr (Arithmetic && IsFloat<R>)
    fixNan<R>(Out, 2 * NumLanes, In[N]...);
  if (I.Plain)
    writeActive(W, I.Dst, reinterpret_cast<const uint32_t *>(Out));
  else
    storePacked(W, I, reinterpret_cast<uint16_t *>(Out), IsFloat<R>);
}

template <class F, bool Arithmetic> void runPacked(Wave &W, const Inst &I) {
  runHalves<F, Arithmetic>(W, I, &F::operator(), std::make_index_sequence<Signature<F>::Count>());
}

/// Adds operations to the table.
class Adder {
public:
  explicit Adder(OpTable &Table) : Table(Table) {}

  /// A result picked from the sources or computed on integers.
  template <class F> OpInfo &op(llvm::StringRef Name, F, InstClass Class = InstClass::Valu) {
    return describe<F>(Table.add(Name, runVector<F, false>, Class));
  }
  /// Floating-point arithmetic: NaN results are made AMD's.
  template <class F> OpInfo &arith(llvm::StringRef Name, F, InstClass Class = InstClass::Valu) {
    return describe<F>(Table.add(Name, runVector<F, true>, Class));
  }
  /// An integer operation whose clamp bit means saturation: \p G gives that.
  template <class F, class G> OpInfo &saturating(llvm::StringRef Name, F, G) {
    OpInfo &Op = describe<F>(Table.add(Name, runVector<F, false>, InstClass::Valu));
    Op.RunClamp = runVector<G, false>;
    return Op;
  }
  template <class F> OpInfo &packed(llvm::StringRef Name, F) {
    return packedTypes<F>(Table.add(Name, runPacked<F, false>, InstClass::Valu));
  }
  template <class F> OpInfo &packedArith(llvm::StringRef Name, F) {
    return packedTypes<F>(Table.add(Name, runPacked<F, true>, InstClass::Valu));
  }
  template <class F, class G> OpInfo &packedSaturating(llvm::StringRef Name, F, G) {
    OpInfo &Op = packedTypes<F>(Table.add(Name, runPacked<F, false>, InstClass::Valu));
    Op.RunClamp = runPacked<G, false>;
    return Op;
  }
  template <class F> void compare(llvm::StringRef Suffix, F) {
    llvm::SmallString<32> Name("v_cmp_");
    Name += Suffix;
    addCompare<F>(Table.add(Name, runCompare<F, false>, InstClass::Valu));
    Name = "v_cmpx_";
    Name += Suffix;
    addCompare<F>(Table.add(Name, runCompare<F, true>, InstClass::Valu));
  }
  /// A handler that does everything itself.
  OpInfo &raw(llvm::StringRef Name, Handler Run, InstClass Class,
              std::initializer_list<SourceType> Types = {}, unsigned Flags = 0,
              unsigned DstDwords = 1) {
    OpInfo &Op = Table.add(Name, Run, Class);
    unsigned N = 0;
    for (SourceType T : Types)
      Op.Src[N++] = T;
    Op.Flags = Flags;
    Op.DstDwords = DstDwords;
    return Op;
  }

private:
  template <class F> OpInfo &describe(OpInfo &Op) { return describeArgs<F>(Op, &F::operator()); }
  template <class F, class R, class C, class... A>
  OpInfo &describeArgs(OpInfo &Op, R (C::*)(A...) const) {
    unsigned N = 0;
    ((Op.Src[N++] = TypeOf<A>::value), ...);
    Op.DstDwords = sizeof(R) == 8 ? 2 : 1;
    if (Op.Class == InstClass::Valu && (std::is_same_v<R, double> || Op.Src[0] == SourceType::F64))
      Op.Class = InstClass::ValuDouble;
    return Op;
  }
  template <class F> OpInfo &packedTypes(OpInfo &Op) {
    using First = typename Signature<F>::template Arg<0>;
    for (unsigned N = 0; N != Signature<F>::Count; ++N)
      Op.Src[N] = IsFloat<First> ? SourceType::PkF16 : SourceType::PkB16;
    return Op;
  }
  template <class F> void addCompare(OpInfo &Op) {
    describe<F>(Op);
    Op.DstDwords = 2;
    Op.Flags = OpScalarDst;
  }

  OpTable &Table;
};

HK_SIM_END
