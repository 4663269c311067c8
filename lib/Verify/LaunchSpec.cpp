//===- LaunchSpec.cpp - `kernel: grid=4 block=256 n=1000 x=float[1024]` ---===//

#include "hk/Verify/Verify.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hk;

namespace {

/// "4", "4x2" or "4,2,1".
bool readDims(StringRef Text, std::array<uint32_t, 3> &Out) {
  Out = {1, 1, 1};
  SmallVector<StringRef, 3> Parts;
  Text.split(Parts, Text.contains('x') ? 'x' : ',');
  if (Parts.size() > 3)
    return false;
  for (size_t I = 0; I != Parts.size(); ++I)
    if (Parts[I].getAsInteger(10, Out[I]) || !Out[I])
      return false;
  return true;
}

bool isName(StringRef Text) {
  return !Text.empty() && !isDigit(Text[0]) && all_of(Text, [](char C) { return isAlnum(C) || C == '_'; });
}

/// Returns what is wrong, or an empty text.
std::string readParam(StringRef Value, LaunchSpec::Param &P) {
  if (size_t Open = Value.find('['); Open != StringRef::npos) {
    size_t Close = Value.find(']', Open);
    if (Close == StringRef::npos)
      return "']' is missing";
    P.Kind = LaunchSpec::Param::Buffer;
    P.Text = Value.take_front(Open).str();
    if (Value.slice(Open + 1, Close).getAsInteger(0, P.Count) || !P.Count || P.Count > (uint64_t(1) << 32))
      return "the number of elements has to be from 1 to 2^32";
    StringRef Rest = Value.drop_front(Close + 1);
    if (Rest.empty())
      return "";
    if (!Rest.consume_front(":"))
      return "after ']' comes ':' and zero, iota or MIN..MAX";
    P.Initial = Rest.str();
    auto [Min, Max] = Rest.split("..");
    double A, B;
    if (Rest != "zero" && Rest != "iota" && (Min.getAsDouble(A) || Max.getAsDouble(B) || A > B))
      return "after ':' comes zero, iota or MIN..MAX";
    return "";
  }
  double Number;
  uint64_t Wide;
  if (!Value.getAsDouble(Number) || !Value.getAsInteger(0, Wide)) {
    P.Text = Value.str();
    return "";
  }
  auto [Other, Offset] = Value.split('+');
  if (isName(Other)) {
    P.Kind = LaunchSpec::Param::Same;
    P.Text = Other.str();
    if (Value.size() != Other.size() && Offset.getAsInteger(0, P.Offset))
      return "after '+' comes a number of elements";
    return "";
  }
  return "it is no number, TYPE[COUNT] or name of another parameter";
}

} // namespace

Expected<LaunchSpec> hk::parseLaunchSpec(StringRef Text, StringRef Origin) {
  LaunchSpec S;
  S.Origin = Origin.str();
  auto Fail = [&](const Twine &Why) -> Error { return createStringError(Origin + ": " + Why); };
  // A colon that is none of '::' ends the name.
  size_t Colon = 0;
  while (Colon < Text.size() && !(Text[Colon] == ':' && Text.substr(Colon + 1, 1) != ":")) {
    Colon += Text[Colon] == ':' ? 2 : 1;
  }
  S.Kernel = Text.take_front(Colon).trim().str();
  if (Colon >= Text.size() || S.Kernel.empty())
    return Fail("a launch is 'KERNEL: grid=4 block=256 n=1000 x=float[1024]'");
  SmallVector<StringRef, 8> Words;
  SplitString(Text.drop_front(Colon + 1), Words);
  for (StringRef Word : Words) {
    auto [Name, Value] = Word.split('=');
    if (Name.empty() || Value.empty())
      return Fail("'" + Word + "' is not NAME=VALUE");
    if (Name == "grid" || Name == "block") {
      std::array<uint32_t, 3> Dims;
      if (!readDims(Value, Dims))
        return Fail("'" + Word + "': sizes are like 4, 4x2 or 4,2,1");
      if (Name == "block" && uint64_t(Dims[0]) * Dims[1] * Dims[2] > 1024)
        return Fail("'" + Word + "': a workgroup has at most 1024 work-items");
      (Name == "grid" ? S.Grid : S.Block) = Dims;
      continue;
    }
    if (Name == "lds") {
      uint32_t Bytes;
      if (Value.getAsInteger(0, Bytes) || Bytes > 160 * 1024)
        return Fail("'" + Word + "': lds is a number of bytes");
      S.Lds = Bytes;
      continue;
    }
    LaunchSpec::Param P;
    if (std::string Why = readParam(Value, P); !Why.empty())
      return Fail("'" + Word + "': " + Why);
    if (!S.Params.try_emplace(Name.str(), P).second)
      return Fail("'" + Name + "' is given twice");
  }
  return S;
}
