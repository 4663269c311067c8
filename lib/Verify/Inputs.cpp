//===- Inputs.cpp ---------------------------------------------------------===//
//
// Numbers of elements are where kernels have their tails: one, just below and
// above a wavefront and a workgroup, and no multiple of anything. Values read
// as indices have to stay in range for a case to be one, so integers are small
// in most cases. Floats are short binary fractions, whose sums do not depend on
// their order, or have NaN, infinities, denormals and zeros of both signs.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "Compare.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::verification;

namespace {

constexpr uint64_t DefaultBytes = uint64_t(1) << 20, NestedBytes = uint64_t(1) << 14;
/// Elements of a buffer of pointers: each points to a buffer of its own.
constexpr uint64_t PointerElements = 64;
constexpr uint64_t MaxGroups = 64;

struct CaseKind {
  int64_t Size; ///< of all integer parameters; 0: each one drawn; -1: as launched, else 256; -2: 0, as flags have it
  IntValues Ints = IntValues::Small;
  FloatValues Floats = FloatValues::Plain;
  bool Unaligned = false, Overlap = false;
};

constexpr CaseKind Kinds[] = {
    {-1},
    {64},
    {1000, IntValues::Small, FloatValues::Special},
    {65, IntValues::Ascending},
    {-1, IntValues::Tiny, FloatValues::Plain, true},
    {-1, IntValues::Full, FloatValues::Bits},
    {1, IntValues::Tiny, FloatValues::Special},
    {-1, IntValues::Small, FloatValues::Plain, false, true},
    {63},
    {255, IntValues::Ascending, FloatValues::Special, true},
    {7, IntValues::Tiny},
    {-2, IntValues::Ascending, FloatValues::Special},
    {0, IntValues::Small, FloatValues::Plain, false, true},
    {0},
    {0, IntValues::Tiny, FloatValues::Special, true},
    {0, IntValues::Full, FloatValues::Bits},
};

void putFloat(uint8_t *To, const ValueLayout::Scalar &S, double Value) {
  if (S.Kind == ValueLayout::Float && S.Bytes == 8) {
    std::memcpy(To, &Value, 8);
    return;
  }
  if (S.Kind == ValueLayout::Float && S.Bytes == 4) {
    float F = float(Value);
    std::memcpy(To, &F, 4);
    return;
  }
  APFloat F(Value);
  bool Loses;
  F.convert(semanticsOf(S), APFloat::rmNearestTiesToEven, &Loses);
  uint64_t Bits = F.bitcastToAPInt().getZExtValue();
  std::memcpy(To, &Bits, S.Bytes);
}

/// NaN with a payload, infinities, denormals, zeros, the largest, one ulp beside 1.
void putSpecial(uint8_t *To, const ValueLayout::Scalar &S, uint64_t Which) {
  unsigned Mantissa = S.Kind == ValueLayout::BFloat ? 7 : S.Bytes == 2 ? 10 : S.Bytes == 4 ? 23 : 52;
  unsigned Width = 8 * S.Bytes;
  uint64_t Sign = uint64_t(1) << (Width - 1), One = uint64_t(1) << Mantissa;
  uint64_t Exponent = (Sign - 1) & ~(One - 1);
  uint64_t Quiet = Exponent | One >> 1;
  const uint64_t Bits[] = {Quiet,           Quiet | (Sign | 0x15), Exponent,     Exponent | Sign,
                           1,               Sign | (One - 1),      0,            Sign,
                           Exponent - 1,    Sign | (Exponent - 1), One,          One | Sign,
                           Exponent | 0x3, Quiet | 0x2a,          One - 1,      Sign | 1};
  uint64_t X = Bits[Which % std::size(Bits)];
  std::memcpy(To, &X, S.Bytes);
}

/// Makes no more than \p Max of the grid, and at least one.
void limitGrid(std::array<uint32_t, 3> &Grid) {
  for (unsigned D = 0; D != 3; ++D) {
    uint64_t Others = uint64_t(Grid[(D + 1) % 3]) * Grid[(D + 2) % 3];
    while (Grid[D] > 1 && Grid[D] * Others > MaxGroups)
      Grid[D] = std::max<uint32_t>(1, Grid[D] / 2);
  }
}

std::string dims(const std::array<uint32_t, 3> &D) {
  std::string Text = std::to_string(D[0]);
  if (D[1] != 1 || D[2] != 1)
    Text += "x" + std::to_string(D[1]);
  if (D[2] != 1)
    Text += "x" + std::to_string(D[2]);
  return Text;
}

uint64_t productOf(const std::array<uint32_t, 3> &D) { return uint64_t(D[0]) * D[1] * D[2]; }

/// Types that may name the same memory without undefined behaviour.
bool mayOverlap(const ValueLayout &A, const ValueLayout &B) {
  auto IsBytes = [](const ValueLayout &L) { return L.Size <= 1; };
  return A.Type == B.Type || IsBytes(A) || IsBytes(B);
}

} // namespace

std::vector<LaunchChoice> verification::launchChoices(const Kernel &K, const std::vector<Launch> &Launches,
                                                      const std::vector<const LaunchSpec *> &Specs, const sim::Kernel &Code,
                                                      const VerifyOptions &Opts) {
  std::vector<LaunchChoice> Choices;
  uint32_t StaticLds = Code.LdsSize;
  uint32_t Spare = StaticLds < 32 * 1024 ? 16 * 1024 : StaticLds < 60 * 1024 ? 4 * 1024 : 0;
  uint32_t Bound = std::min(Code.MaxWorkgroupSize, 1024u);
  auto Add = [&](LaunchChoice C) {
    limitGrid(C.Grid);
    if (productOf(C.Block) <= Bound)
      Choices.push_back(std::move(C));
  };
  bool Open = !K.InternalLinkage || K.EscapesLaunch || K.InHeader;
  for (const Launch &L : Launches) {
    if (L.Kernel != K.Mangled)
      continue;
    LaunchChoice C;
    bool Known = true;
    for (unsigned D = 0; D != 3; ++D) {
      if (L.Block[D].Kind == LaunchDim::Constant && L.Block[D].Value >= 1 && L.Block[D].Value <= 1024)
        C.Block[D] = uint32_t(L.Block[D].Value);
      else
        Known = false;
    }
    for (unsigned D = 0; D != 3; ++D)
      if (L.Grid[D].Kind == LaunchDim::Constant && L.Grid[D].Value >= 1)
        C.Grid[D] = uint32_t(std::min<uint64_t>(L.Grid[D].Value, 1 << 20));
      else if (D > 0)
        C.Grid[D] = 2;
    C.Lds = L.SharedBytesValue ? uint32_t(std::clamp<int64_t>(*L.SharedBytesValue, 0, 65536 - int64_t(StaticLds))) : Spare;
    C.Arguments = L.ArgumentValues;
    if (Known) {
      Add(C);
      continue;
    }
    for (uint32_t Items : {256, 64, 96, 1024}) {
      C.Block = {std::min(Items, Bound), 1, 1};
      Add(C);
    }
  }
  if (Choices.empty() || (Open && !Opts.AssumeLaunches)) {
    LaunchChoice C;
    if (!Choices.empty())
      C = Choices.front();
    C.Lds = std::max(C.Lds, Spare);
    for (uint32_t Items : {256, 64, 100, 512}) {
      C.Block = {std::min(Items, Bound), 1, 1};
      Add(C);
    }
  }
  // What is described takes the place of what is guessed.
  if (!Specs.empty()) {
    LaunchChoice Base = Choices.empty() ? LaunchChoice() : Choices.front();
    Choices.clear();
    for (const LaunchSpec *S : Specs) {
      LaunchChoice C = Base;
      C.Spec = S;
      if (S->Grid)
        C.Grid = *S->Grid;
      if (S->Block)
        C.Block = *S->Block;
      if (S->Lds)
        C.Lds = *S->Lds;
      Choices.push_back(std::move(C));
    }
  }
  return Choices;
}

CaseInputs::~CaseInputs() {
  if (Memory)
    for (DeviceBuffer &B : Buffers)
      consumeError(Memory->free(B.Base));
}

uint64_t CaseInputs::random() {
  uint64_t Z = (State += 0x9e3779b97f4a7c15);
  Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
  Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
  return Z ^ (Z >> 31);
}

void CaseInputs::scalarInto(uint8_t *To, const ValueLayout::Scalar &S, uint64_t Index, StringRef Initial) {
  if (!Initial.empty()) {
    double Value = 0;
    if (Initial == "iota") {
      Value = double(Index);
    } else if (Initial != "zero") {
      auto [Min, Max] = Initial.split("..");
      double A = 0, B = 0;
      Min.getAsDouble(A);
      Max.getAsDouble(B);
      double Steps = isFloat(S) ? 256 : 1;
      uint64_t Range = uint64_t((B - A) * Steps) + 1;
      Value = A + double(random() % std::max<uint64_t>(Range, 1)) / Steps;
    }
    if (isFloat(S))
      return putFloat(To, S, Value);
    int64_t N = int64_t(Value);
    std::memcpy(To, &N, std::min(S.Bytes, 8u));
    return;
  }
  if (isFloat(S)) {
    if (Floats == FloatValues::Special && random() % 8 == 0)
      return putSpecial(To, S, random());
    if (Floats == FloatValues::Bits) {
      uint64_t Bits = random();
      std::memcpy(To, &Bits, S.Bytes);
      return;
    }
    return putFloat(To, S, (double(random() % 2049) - 1024) / 256);
  }
  uint64_t N = 0;
  switch (S.Kind == ValueLayout::Bool ? IntValues::Tiny : Ints) {
  case IntValues::Small:
    N = random() % 256;
    break;
  case IntValues::Tiny:
    N = random() % (S.Kind == ValueLayout::Bool ? 2 : 4);
    break;
  case IntValues::Ascending:
    N = Index;
    break;
  case IntValues::Full:
    N = random();
    break;
  }
  std::memcpy(To, &N, std::min(S.Bytes, 8u));
}

Error CaseInputs::fill(unsigned Buffer, StringRef Initial, unsigned Depth) {
  // Nested buffers are appended while this one is filled.
  ValueLayout Element = Buffers[Buffer].Element;
  uint64_t Step = std::max<uint64_t>(Element.Size, 1), Count = Buffers[Buffer].Bytes / Step;
  uint8_t *Base = Buffers[Buffer].Base;
  ValueLayout::Scalar Byte;
  Byte.Bytes = 1;
  for (uint64_t I = 0; I != Count; ++I) {
    if (Element.Scalars.empty())
      for (uint64_t J = 0; J != Step; ++J)
        scalarInto(Base + I * Step + J, Byte, I, Initial);
    for (const ValueLayout::Scalar &S : Element.Scalars) {
      if (S.Kind == ValueLayout::Pointer) {
        uint64_t Address = 0;
        if (S.Pointee && Depth < 2)
          if (Error E = makeBuffer(Buffers[Buffer].Name + "[" + std::to_string(I) + "]", S.Pointee.get(), nullptr,
                                   Depth + 1, Address))
            return E;
        std::memcpy(Base + I * Step + S.Offset, &Address, 8);
        if (Address)
          PointerWords.push_back({int(Buffer), I * Step + S.Offset});
        continue;
      }
      scalarInto(Base + I * Step + S.Offset, S, I, Initial);
    }
  }
  // The bytes that a count of whole elements leaves.
  for (uint64_t At = Count * Step; At < Buffers[Buffer].Bytes; ++At)
    Base[At] = 0;
  Memory->markWritten(reinterpret_cast<uint64_t>(Base), Buffers[Buffer].Bytes);
  return Error::success();
}

Error CaseInputs::makeBuffer(StringRef Name, const ValueLayout *Element, const LaunchSpec::Param *P, unsigned Depth,
                             uint64_t &Address) {
  DeviceBuffer B;
  B.Name = Name.str();
  if (Element)
    B.Element = *Element;
  uint64_t Step = std::max<uint64_t>(B.Element.Size, 1);
  bool HasPointers = any_of(B.Element.Scalars, [](auto &S) { return S.Kind == ValueLayout::Pointer; });
  uint64_t Bytes = Depth ? NestedBytes : DefaultBytes;
  if (HasPointers)
    Bytes = PointerElements * Step;
  if (P && P->Kind == LaunchSpec::Param::Buffer) {
    // Of a type in the specification only the size counts, where the parameter has one of its own.
    uint64_t Own = StringSwitch<uint64_t>(P->Text)
                       .Cases({"char", "i8", "u8", "bool", "fp8", "bf8"}, 1)
                       .Cases({"short", "half", "f16", "bf16", "i16", "u16"}, 2)
                       .Cases({"int", "unsigned", "float", "f32", "i32", "u32"}, 4)
                       .Cases({"long", "double", "f64", "i64", "u64", "float2", "int2"}, 8)
                       .Cases({"float4", "int4"}, 16)
                       .Case("", Step)
                       .Default(P->Text == B.Element.Type ? Step : 0);
    if (!Own)
      return createStringError("'" + Name + "': unknown type '" + P->Text + "'; leave it out for the parameter's own, '" +
                               B.Element.Type + "'");
    Bytes = P->Count * Own;
  } else {
    Bytes = std::max(alignTo(Bytes, Step), Step);
  }
  // A pointer one element behind the start of an allocation has the smallest alignment it may have.
  if (Unaligned && !Depth) {
    B.Start = Step;
    Bytes += Step;
  }
  Expected<void *> M = Memory->allocate(Bytes);
  if (!M)
    return M.takeError();
  B.Base = static_cast<uint8_t *>(*M);
  B.Bytes = Bytes;
  Address = reinterpret_cast<uint64_t>(B.Base) + B.Start;
  Buffers.push_back(std::move(B));
  return fill(unsigned(Buffers.size() - 1), P ? StringRef(P->Initial) : StringRef(), Depth);
}

int64_t CaseInputs::sizeSample(unsigned Param) {
  constexpr int64_t Sizes[] = {1, 7, 63, 64, 65, 255, 256, 257, 100, 128, 512, 1000, 2, 16, 32, 0};
  const CaseKind &Kind = Kinds[Number % std::size(Kinds)];
  if (Kind.Size > 0 && Number < std::size(Kinds))
    return Kind.Size;
  if (Kind.Size == -2)
    return 0;
  if (Kind.Size < 0) {
    if (Param < Choice.Arguments.size() && Choice.Arguments[Param])
      return *Choice.Arguments[Param];
    return 256;
  }
  return Sizes[random() % std::size(Sizes)];
}

Error CaseInputs::make(sim::DeviceMemory &M) {
  Memory = &M;
  const CaseKind &Kind = Kinds[Number % std::size(Kinds)];
  Ints = Kind.Ints;
  Floats = Kind.Floats;
  Unaligned = Kind.Unaligned;
  Overlap = Kind.Overlap && !Opts.AssumeNoAlias;
  State = Opts.Seed * 0x2545f4914f6cdd1d + Number;
  Text = "grid=" + dims(Choice.Grid) + " block=" + dims(Choice.Block);
  if (Choice.Lds)
    Text += " lds=" + std::to_string(Choice.Lds);

  std::vector<const sim::KernelArgument *> Slots;
  for (const sim::KernelArgument &A : Code.Arguments)
    if (!A.hidden())
      Slots.push_back(&A);
  if (Slots.size() != K.Params.size())
    return createStringError("the code object has " + Twine(Slots.size()) + " arguments, the source " +
                             Twine(K.Params.size()));
  Arguments.assign(Code.ExplicitSize, 0);

  struct TopPointer {
    uint64_t At; ///< in Arguments
    unsigned Buffer;
    bool IsRestrict, Fixed;
    std::string Name;
  };
  std::vector<TopPointer> Pointers;
  for (unsigned I = 0; I != K.Params.size(); ++I) {
    const KernelParam &P = K.Params[I];
    const LaunchSpec::Param *Given = nullptr;
    if (Choice.Spec)
      if (auto It = Choice.Spec->Params.find(P.Name); It != Choice.Spec->Params.end())
        Given = &It->second;
    uint8_t *To = Arguments.data() + Slots[I]->Offset;
    if (P.Layout.Size > Slots[I]->Size)
      return createStringError("'" + P.Name + "' is larger than its place in the arguments");
    std::string Values;
    for (const ValueLayout::Scalar &S : P.Layout.Scalars) {
      if (S.Kind == ValueLayout::Pointer) {
        PointerWords.push_back({-1, uint64_t(To + S.Offset - Arguments.data())});
        if (Given && Given->Kind == LaunchSpec::Param::Number)
          return createStringError("'" + P.Name + "' is a pointer: give it " + P.Name + "=TYPE[COUNT]");
        std::string Name = P.Name;
        if (P.Layout.Scalars.size() > 1)
          Name += "@" + std::to_string(S.Offset);
        if (Given && Given->Kind == LaunchSpec::Param::Same) {
          auto It = find_if(Pointers, [&](const TopPointer &T) { return T.Name == Given->Text; });
          if (It == Pointers.end())
            return createStringError("'" + P.Name + "=" + Given->Text + "': no pointer parameter of that name before it");
          uint64_t Address;
          std::memcpy(&Address, Arguments.data() + It->At, 8);
          Address += uint64_t(Given->Offset) * std::max<uint64_t>(S.Pointee ? S.Pointee->Size : 1, 1);
          std::memcpy(To + S.Offset, &Address, 8);
          Text += " " + Name + "=" + Given->Text + (Given->Offset ? "+" + std::to_string(Given->Offset) : "");
          continue;
        }
        uint64_t Address = 0;
        unsigned Index = unsigned(Buffers.size());
        if (Error E = makeBuffer(Name, S.Pointee.get(), Given, 0, Address))
          return E;
        std::memcpy(To + S.Offset, &Address, 8);
        Pointers.push_back({uint64_t(To + S.Offset - Arguments.data()), Index, S.IsRestrict, Given != nullptr, Name});
        continue;
      }
      if (Given && Given->Kind != LaunchSpec::Param::Number)
        return createStringError("'" + P.Name + "' is no pointer: give it a number");
      if (Given) {
        double Number = 0;
        int64_t Whole = 0;
        if (isFloat(S)) {
          StringRef(Given->Text).getAsDouble(Number);
          putFloat(To + S.Offset, S, Number);
        } else if (!StringRef(Given->Text).getAsInteger(0, Whole)) {
          std::memcpy(To + S.Offset, &Whole, std::min(S.Bytes, 8u));
        } else {
          return createStringError("'" + P.Name + "' is an integer, '" + Given->Text + "' is none");
        }
      } else if (isFloat(S)) {
        scalarInto(To + S.Offset, S, 0, "");
      } else if (S.Kind == ValueLayout::Bool) {
        To[S.Offset] = random() & 1;
      } else {
        int64_t N = sizeSample(I);
        std::memcpy(To + S.Offset, &N, std::min(S.Bytes, 8u));
      }
      if (Values.size() < 40)
        Values += (Values.empty() ? "" : ",") + StringRef(printScalar(To + S.Offset, S)).split(" (").first.str();
    }
    if (!Values.empty())
      Text += " " + P.Name + "=" + Values;
  }
  if (Choice.Spec)
    for (auto &[Name, P] : Choice.Spec->Params)
      if (none_of(K.Params, [&, &Name = Name](const KernelParam &Q) { return Q.Name == Name; }))
        return createStringError("the kernel has no parameter '" + Name + "'");

  // Two names for one memory, where nothing promises otherwise.
  std::string Shared;
  if (Overlap) {
    std::vector<std::pair<unsigned, unsigned>> Pairs;
    for (unsigned A = 0; A != Pointers.size(); ++A)
      for (unsigned B = A + 1; B != Pointers.size(); ++B)
        if (!Pointers[A].IsRestrict && !Pointers[B].IsRestrict && !Pointers[B].Fixed && !Pointers[A].Fixed &&
            mayOverlap(Buffers[Pointers[A].Buffer].Element, Buffers[Pointers[B].Buffer].Element))
          Pairs.push_back({A, B});
    if (!Pairs.empty()) {
      auto [A, B] = Pairs[random() % Pairs.size()];
      std::memcpy(Arguments.data() + Pointers[B].At, Arguments.data() + Pointers[A].At, 8);
      Shared = Pointers[B].Name;
      Text += " " + Pointers[B].Name + "=" + Pointers[A].Name;
    }
  }
  for (const TopPointer &T : Pointers)
    if (T.Name != Shared) {
      const DeviceBuffer &B = Buffers[T.Buffer];
      uint64_t Step = std::max<uint64_t>(B.Element.Size, 1);
      Text += " " + T.Name + "=" + (B.Element.Size ? B.Element.Type : "char") + "[" +
              std::to_string((B.Bytes - B.Start) / Step) + "]";
    }
  static const char *const IntNames[] = {"0 to 255", "0 to 3", "ascending", "of full range"};
  static const char *const FloatNames[] = {"plain", "with NaN, infinities, denormals", "of any bits"};
  Text += std::string("; integers ") + IntNames[unsigned(Ints)] + ", floats " + FloatNames[unsigned(Floats)];
  if (Unaligned)
    Text += ", pointers one element off";
  for (DeviceBuffer &B : Buffers)
    B.Initial.assign(B.Base, B.Base + B.Bytes);
  return Error::success();
}

void CaseInputs::restore() {
  for (DeviceBuffer &B : Buffers)
    std::memcpy(B.Base, B.Initial.data(), B.Bytes);
}

std::vector<uint64_t> CaseInputs::argumentOffsets() const {
  std::vector<uint64_t> All;
  for (const sim::KernelArgument &A : Code.Arguments)
    if (!A.hidden())
      All.push_back(A.Offset);
  return All;
}

std::vector<InputPointer> CaseInputs::pointers() const {
  std::vector<InputPointer> All;
  for (auto [Holder, Offset] : PointerWords) {
    const std::vector<uint8_t> &Bytes = Holder < 0 ? Arguments : Buffers[Holder].Initial;
    uint64_t Address;
    std::memcpy(&Address, Bytes.data() + Offset, 8);
    for (auto [N, B] : enumerate(Buffers))
      if (uint64_t Byte = Address - reinterpret_cast<uint64_t>(B.Base); Byte <= B.Bytes) {
        All.push_back({Holder, Offset, unsigned(N), Byte});
        break;
      }
  }
  return All;
}

sim::LaunchConfig CaseInputs::config() const {
  sim::LaunchConfig C;
  C.Grid = {Choice.Grid[0], Choice.Grid[1], Choice.Grid[2]};
  C.Block = {Choice.Block[0], Choice.Block[1], Choice.Block[2]};
  C.DynamicLds = Choice.Lds;
  return C;
}
