//===- Typed.cpp - Buffer accesses that convert ---------------------------===//
//
// tbuffer_* has the format in the instruction, buffer_*_format_* takes it from
// the resource, which may also reorder the components of a load. An access is
// inside the buffer as a whole, or not at all. Formats whose conversion is not
// exact, or that no description settles, are refused.
//
//===----------------------------------------------------------------------===//

#include "../FloatFormats.h"
#include "Access.h"
#include "Groups.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

enum Number : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Reserved, Float };

/// Bits of each component, lowest first.
struct Layout {
  uint8_t Bits[4] = {0, 0, 0, 0};
  unsigned Components = 0, Bytes = 0;
};

Layout layout(unsigned Format) {
  static constexpr uint8_t Table[16][4] = {{},
                                           {8},
                                           {16},
                                           {8, 8},
                                           {32},
                                           {16, 16},
                                           {10, 11, 11},
                                           {11, 11, 10},
                                           {10, 10, 10, 2},
                                           {2, 10, 10, 10},
                                           {8, 8, 8, 8},
                                           {32, 32},
                                           {16, 16, 16, 16},
                                           {32, 32, 32},
                                           {32, 32, 32, 32},
                                           {}};
  Layout L;
  unsigned Total = 0;
  for (unsigned N = 0; N != 4 && Table[Format][N]; ++N) {
    L.Bits[N] = Table[Format][N];
    Total += L.Bits[N];
    ++L.Components;
  }
  L.Bytes = Total / 8;
  return L;
}

struct Format {
  Layout L;
  Number N = Unorm;
  uint8_t Select[4] = {4, 5, 6, 7}; ///< 0: 0, 1: 1, 4-7: a component
};

/// False after a fault.
bool formatOf(Wave &W, const Inst &I, bool Store, Format &F) {
  unsigned Data, Kind;
  if (I.Format == Encoding::Mtbuf) {
    Data = I.Cbsz;
    Kind = I.Abid;
  } else {
    uint32_t Word = W.S[I.SDst + 3];
    Data = Word >> 15 & 15;
    Kind = Word >> 12 & 7;
    bool Identity = true;
    for (unsigned N = 0; N != 4; ++N) {
      F.Select[N] = Word >> (3 * N) & 7;
      Identity &= F.Select[N] == 4 + N;
      if (F.Select[N] == 2 || F.Select[N] == 3)
        Data = 0;
    }
    if (Store && !Identity)
      Data = 0;
  }
  F.L = layout(Data);
  F.N = Number(Kind);
  bool Packed = Data == 6 || Data == 7;
  bool Wide = F.L.Bits[0] == 32;
  bool Known = F.L.Components && F.N != Reserved && !Packed &&
               (F.N == Float ? F.L.Bits[0] >= 16 : !Wide || F.N == Uint || F.N == Sint);
  if (!Known)
    W.fault(I, FaultKind::Unsupported,
            "buffer format (data " + Twine(Data) + ", number " + Twine(Kind) +
                ", or its order of components) is not simulated");
  return Known;
}

uint32_t field(const uint8_t *From, unsigned At, unsigned Bits) {
  uint64_t X = 0;
  std::memcpy(&X, From + At / 8, (At % 8 + Bits + 7) / 8);
  return uint32_t(X >> (At % 8) & ((uint64_t(1) << Bits) - 1));
}

void setField(uint8_t *To, unsigned At, unsigned Bits, uint32_t Value) {
  uint64_t X = 0;
  unsigned Bytes = (At % 8 + Bits + 7) / 8;
  std::memcpy(&X, To + At / 8, Bytes);
  uint64_t Mask = ((uint64_t(1) << Bits) - 1) << (At % 8);
  X = (X & ~Mask) | (uint64_t(Value) << (At % 8) & Mask);
  std::memcpy(To + At / 8, &X, Bytes);
}

int32_t extended(uint32_t X, unsigned Bits) { return int32_t(X << (32 - Bits)) >> (32 - Bits); }

/// A component as f32 or integer bits.
uint32_t decoded(uint32_t X, unsigned Bits, Number N) {
  double Most = double((uint64_t(1) << Bits) - 1), Half = double((uint64_t(1) << (Bits - 1)) - 1);
  switch (N) {
  case Unorm:
    return bitsOf(float(X / Most));
  case Snorm:
    return bitsOf(float(std::max(extended(X, Bits) / Half, -1.0)));
  case Uscaled:
    return bitsOf(float(X));
  case Sscaled:
    return bitsOf(float(extended(X, Bits)));
  case Sint:
    return uint32_t(extended(X, Bits));
  case Float:
    return Bits == 16 ? bitsOf(halfToFloat(uint16_t(X))) : X;
  default:
    return X;
  }
}

/// False where it is not settled which way the chip rounds.
bool encoded(uint32_t X, unsigned Bits, Number N, uint32_t &Out) {
  double F = floatOf(X);
  double Most = double((uint64_t(1) << Bits) - 1), Half = double((uint64_t(1) << (Bits - 1)) - 1);
  auto Nearest = [&](double Value, double Low, double High) {
    Value = Value != Value ? 0.0 : std::min(std::max(Value, Low), High);
    Out = uint32_t(int32_t(std::nearbyint(Value)));
    return std::fabs(Value - std::trunc(Value)) != 0.5;
  };
  switch (N) {
  case Unorm:
    return Nearest(F * Most, 0, Most);
  case Snorm:
    return Nearest(F * Half, -Half, Half);
  case Uscaled:
    return F == std::trunc(F) && Nearest(F, 0, Most);
  case Sscaled:
    return F == std::trunc(F) && Nearest(F, -Half - 1, Half);
  case Uint:
    Out = Bits == 32 ? X : std::min<uint32_t>(X, uint32_t(Most));
    return true;
  case Sint: {
    int32_t Limit = int32_t(Half);
    Out = Bits == 32 ? X : uint32_t(std::min(std::max(int32_t(X), -Limit - 1), Limit));
    return true;
  }
  default:
    Out = X;
    if (Bits == 16) {
      Out = floatToHalf(floatOf(X));
      return halfToFloat(uint16_t(Out)) == F || F != F;
    }
    return true;
  }
}

bool isInteger(Number N) { return N == Uint || N == Sint; }

/// What a component becomes in 16 bits; false: its value is not one.
bool narrowed(uint32_t X, Number N, uint16_t &Out) {
  if (isInteger(N)) {
    Out = uint16_t(X);
    return N == Uint ? X <= 0xffff : int32_t(X) == int16_t(X);
  }
  Out = floatToHalf(floatOf(X));
  float Back = halfToFloat(Out), F = floatOf(X);
  return Back == F || F != F;
}

void inexact(Wave &W, const Inst &I, unsigned L) {
  W.fault(I, FaultKind::Unsupported,
          "this number lies between two of the buffer's format, which is not simulated", L);
}

/// D16: components are 16 bits wide and two share a register; High: the one there is goes above.
template <unsigned Count, bool D16, bool High> void runLoad(Wave &W, const Inst &I) {
  Format F;
  Lane64 A;
  Straddling Part;
  if (!formatOf(W, I, false, F))
    return;
  bufferAddresses(W, I, F.L.Bytes, A, Part);
  if (!checkGlobal(W, I, A, Use::Load))
    return;
  for (uint64_t M = W.exec(); M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    uint32_t Values[4] = {};
    if (A.Lanes >> L & 1) {
      const auto *From = reinterpret_cast<const uint8_t *>(A.Address[L]);
      uint32_t One = isInteger(F.N) ? 1 : 0x3f800000;
      uint32_t Parts[4] = {0, 0, 0, One};
      for (unsigned N = 0, At = 0; N != F.L.Components; At += F.L.Bits[N++])
        Parts[N] = decoded(field(From, At, F.L.Bits[N]), F.L.Bits[N], F.N);
      for (unsigned N = 0; N != 4; ++N)
        Values[N] = F.Select[N] >= 4 ? Parts[F.Select[N] - 4] : F.Select[N] ? One : 0;
    }
    if (!D16) {
      for (unsigned N = 0; N != Count; ++N)
        W.V[I.Dst + N][L] = Values[N];
      continue;
    }
    for (unsigned N = 0; N != Count; ++N) {
      uint16_t X;
      if (!narrowed(Values[N], F.N, X))
        return inexact(W, I, L);
      uint32_t &D = W.V[I.Dst + N / 2][L];
      bool Upper = High || N % 2;
      D = Upper ? (D & 0xffff) | uint32_t(X) << 16 : (D & 0xffff0000) | X;
    }
  }
}

template <unsigned Count, bool D16, bool High> void runStore(Wave &W, const Inst &I) {
  Format F;
  Lane64 A;
  Straddling Part;
  if (!formatOf(W, I, true, F))
    return;
  if (Count < F.L.Components) {
    W.fault(I, FaultKind::Unsupported,
            "a buffer store with fewer components than the format has is not simulated");
    return;
  }
  bufferAddresses(W, I, F.L.Bytes, A, Part);
  if (!checkGlobal(W, I, A, Use::Store))
    return;
  ++W.Thread->Progress;
  for (uint64_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = std::countr_zero(M);
    auto *Place = reinterpret_cast<uint8_t *>(A.Address[L]);
    for (unsigned N = 0, At = 0; N != F.L.Components; At += F.L.Bits[N++]) {
      uint32_t X;
      if (D16) {
        uint16_t H = uint16_t(W.V[I.Src[1].Reg + N / 2][L] >> (High || N % 2 ? 16 : 0));
        X = F.N == Uint ? H : F.N == Sint ? uint32_t(int32_t(int16_t(H))) : bitsOf(halfToFloat(H));
      } else {
        X = W.V[I.Src[1].Reg + N][L];
      }
      if (!encoded(X, F.L.Bits[N], F.N, X))
        return inexact(W, I, L);
      setField(Place, At, F.L.Bits[N], X);
    }
  }
}

template <unsigned Count, bool D16, bool High> void add(Adder &T, StringRef Suffix) {
  unsigned Dwords = D16 ? (Count + 1) / 2 : Count;
  for (StringRef Prefix : {"buffer_", "tbuffer_"}) {
    if (High && Prefix == "tbuffer_")
      continue;
    OpInfo &Load = T.raw((Prefix + "load_format_" + Suffix).str(), runLoad<Count, D16, High>,
                         InstClass::GlobalLoad, {}, 0, Dwords);
    Load.DataDwords = 0;
    OpInfo &Store = T.raw((Prefix + "store_format_" + Suffix).str(), runStore<Count, D16, High>,
                          InstClass::GlobalStore, {}, OpNoDst);
    Store.DataDwords = Dwords;
  }
}

} // namespace

void addTyped(OpTable &Table) {
  Adder T(Table);
  add<1, false, false>(T, "x");
  add<2, false, false>(T, "xy");
  add<3, false, false>(T, "xyz");
  add<4, false, false>(T, "xyzw");
  add<1, true, false>(T, "d16_x");
  add<2, true, false>(T, "d16_xy");
  add<3, true, false>(T, "d16_xyz");
  add<4, true, false>(T, "d16_xyzw");
  add<1, true, true>(T, "d16_hi_x");
}

HK_SIM_END
