//===- Compare.cpp --------------------------------------------------------===//

#include "Compare.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::verification;

ComparedType ComparedType::words() {
  ComparedType Words;
  Words.Element.Size = 4;
  Words.Element.Scalars = {{0, ValueLayout::Unsigned, 4, nullptr, false, false}};
  return Words;
}

void Deviation::add(const Deviation &O) {
  Relative = std::max(Relative, O.Relative);
  Absolute = std::max(Absolute, O.Absolute);
}

bool verification::isFloat(const ValueLayout::Scalar &S) {
  return (S.Kind == ValueLayout::Float || S.Kind == ValueLayout::BFloat) &&
         (S.Bytes == 2 || S.Bytes == 4 || S.Bytes == 8);
}

const fltSemantics &verification::semanticsOf(const ValueLayout::Scalar &S) {
  if (S.Kind == ValueLayout::BFloat)
    return APFloat::BFloat();
  return S.Bytes == 2 ? APFloat::IEEEhalf() : S.Bytes == 4 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
}

static uint64_t bitsOf(const uint8_t *At, const ValueLayout::Scalar &S) {
  uint64_t Bits = 0;
  std::memcpy(&Bits, At, std::min(S.Bytes, 8u));
  return Bits;
}

/// As an exact double.
static double toDouble(const uint8_t *At, const ValueLayout::Scalar &S) {
  APFloat F(semanticsOf(S), APInt(8 * S.Bytes, bitsOf(At, S)));
  bool Loses;
  F.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &Loses);
  return F.convertToDouble();
}

/// Nothing if the bound does not allow it.
static std::optional<Deviation> deviation(double X, double Y, const ErrorBound &Bound) {
  if (std::isnan(X) || std::isnan(Y))
    return std::isnan(X) && std::isnan(Y) ? std::optional(Deviation()) : std::nullopt;
  if (std::isinf(X) || std::isinf(Y))
    return X == Y ? std::optional(Deviation()) : std::nullopt;
  double Off = std::fabs(Y - X);
  if (!(Off <= Bound.Absolute + Bound.Relative * std::fabs(X)))
    return std::nullopt;
  // Around zero it is the absolute bound that speaks.
  return Deviation{Off <= Bound.Absolute ? 0 : Off / std::fabs(X), Off};
}

/// The scalar that has the byte \p At, and where it begins; if none, the byte itself.
static ValueLayout::Scalar scalarAt(const ComparedType &Type, size_t At, size_t Size, size_t &Begin) {
  ValueLayout::Scalar Byte;
  Byte.Bytes = 1;
  Begin = At;
  uint64_t Step = std::max<uint64_t>(Type.Element.Size, 1), Phase = Type.Start % Step;
  if (At < Phase)
    return Byte;
  uint64_t In = (At - Phase) % Step;
  for (const ValueLayout::Scalar &S : Type.Element.Scalars)
    if (In >= S.Offset && In < S.Offset + S.Bytes && At - (In - S.Offset) + S.Bytes <= Size) {
      Begin = At - (In - S.Offset);
      return S;
    }
  return Byte;
}

std::optional<Difference> verification::compareMemory(ArrayRef<uint8_t> A, ArrayRef<uint8_t> B, const ComparedType &Type,
                                                      const std::vector<bool> &Ignored,
                                                      const std::optional<ErrorBound> &Bound, Deviation &Largest) {
  size_t Size = std::min(A.size(), B.size());
  if (!std::memcmp(A.data(), B.data(), Size))
    return std::nullopt;
  std::optional<Difference> D;
  for (size_t I = 0; I < Size; ++I) {
    if (A[I] == B[I] || (!Ignored.empty() && Ignored[I]))
      continue;
    if (Bound) {
      size_t Begin;
      ValueLayout::Scalar S = scalarAt(Type, I, Size, Begin);
      if (isFloat(S))
        if (auto Off = deviation(toDouble(A.data() + Begin, S), toDouble(B.data() + Begin, S), *Bound)) {
          Largest.add(*Off);
          I = Begin + S.Bytes - 1;
          continue;
        }
    }
    if (!D)
      D = Difference{I, 0};
    ++D->Bytes;
  }
  return D;
}

std::string verification::describeDifference(ArrayRef<uint8_t> A, ArrayRef<uint8_t> B, const ComparedType &Type,
                                             const Difference &D) {
  size_t Begin;
  ValueLayout::Scalar S = scalarAt(Type, D.First, std::min(A.size(), B.size()), Begin);
  int64_t Step = std::max<uint64_t>(Type.Element.Size, 1), From = int64_t(D.First) - int64_t(Type.Start);
  int64_t Index = From >= 0 ? From / Step : -((-From + Step - 1) / Step);
  std::string Text = "element " + std::to_string(Index);
  if (S.Offset || Type.Element.Scalars.size() > 1)
    Text += " byte " + std::to_string(S.Offset);
  Text += " is " + printScalar(A.data() + Begin, S) + " before, " + printScalar(B.data() + Begin, S) + " after";
  if (D.Bytes > S.Bytes)
    Text += " (" + std::to_string(D.Bytes) + " bytes differ)";
  return Text;
}

/// Takes a number off the front of \p Text; false if none begins there.
static bool takeNumber(StringRef &Text, double &Value) {
  if (Text.empty() || !(isDigit(Text[0]) || Text[0] == '-' || Text[0] == '+' || Text[0] == '.' || Text[0] == 'n' ||
                        Text[0] == 'i'))
    return false;
  // A name may begin like a number in words.
  if (isAlpha(Text[0]) && !Text.starts_with("nan") && !Text.starts_with("inf"))
    return false;
  std::string Copy = Text.take_front(64).str();
  char *End;
  Value = std::strtod(Copy.c_str(), &End);
  if (End == Copy.c_str())
    return false;
  Text = Text.drop_front(size_t(End - Copy.c_str()));
  return true;
}

bool verification::sameText(StringRef A, StringRef B, const ErrorBound &Bound) {
  while (!A.empty() && !B.empty()) {
    // Another width of a number is no difference.
    StringRef X = A.ltrim(' '), Y = B.ltrim(' ');
    double V, W;
    StringRef P = X, Q = Y;
    if (takeNumber(P, V) && takeNumber(Q, W)) {
      if (!deviation(V, W, Bound))
        return false;
      A = P;
      B = Q;
      continue;
    }
    if (A[0] != B[0])
      return false;
    A = A.drop_front();
    B = B.drop_front();
  }
  return A.empty() && B.empty();
}

std::string verification::printScalar(const uint8_t *At, const ValueLayout::Scalar &S) {
  uint64_t Bits = bitsOf(At, S);
  std::string Hex = "0x" + utohexstr(Bits, /*LowerCase=*/true, S.Bytes * 2);
  if (isFloat(S)) {
    SmallString<32> Text;
    APFloat(semanticsOf(S), APInt(8 * S.Bytes, Bits)).toString(Text);
    return (Text + " (" + Hex + ")").str();
  }
  if (S.Kind == ValueLayout::Pointer)
    return Hex;
  std::string Text = S.Kind == ValueLayout::Signed ? std::to_string(SignExtend64(Bits, 8 * std::min(S.Bytes, 8u)))
                                                   : std::to_string(Bits);
  return Text + " (" + Hex + ")";
}
