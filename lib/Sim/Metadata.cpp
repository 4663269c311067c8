//===- Metadata.cpp - What a code object says of its kernels --------------===//

#include "Image.h"

#include "llvm/BinaryFormat/MsgPackReader.h"

#include <optional>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

/// One object of the note and all below it, in the order they are written, each with the place
/// where its subtree ends. A module with hundreds of kernels has tens of thousands of them, so a
/// kernel at a time is read into the same memory.
class Tree {
public:
  struct Node {
    msgpack::Type Kind = msgpack::Type::Empty;
    uint64_t Number = 0; ///< also the elements of arrays and maps
    StringRef Text;
    uint32_t Next = 0; ///< behind it and all below it
  };

  /// False if the note is damaged. \p First, if given, has been read already.
  bool parse(msgpack::Reader &Reader, const msgpack::Object *First = nullptr);
  const Node &operator[](uint32_t At) const { return Nodes[At]; }

private:
  std::vector<Node> Nodes;
};

bool readNext(msgpack::Reader &Reader, msgpack::Object &O) {
  Expected<bool> Read = Reader.read(O);
  if (Read)
    return *Read; // or it ends inside something
  consumeError(Read.takeError());
  return false;
}

bool Tree::parse(msgpack::Reader &Reader, const msgpack::Object *First) {
  Nodes.clear();
  struct Open {
    uint32_t At;
    uint64_t Left;
  };
  std::vector<Open> Stack;
  while (true) {
    msgpack::Object O;
    if (First)
      O = *First;
    else if (!readNext(Reader, O))
      return false;
    First = nullptr;
    Node N;
    N.Kind = O.Kind;
    uint64_t Below = 0;
    switch (O.Kind) {
    case msgpack::Type::Int:
      N.Number = O.Int < 0 ? 0 : O.Int;
      break;
    case msgpack::Type::UInt:
      N.Number = O.UInt;
      break;
    case msgpack::Type::Boolean:
      N.Number = O.Bool;
      break;
    case msgpack::Type::String:
      N.Text = O.Raw;
      break;
    case msgpack::Type::Array:
      N.Number = Below = O.Length;
      break;
    case msgpack::Type::Map:
      N.Number = O.Length;
      Below = 2 * uint64_t(O.Length);
      break;
    default:
      break;
    }
    uint32_t At = uint32_t(Nodes.size());
    N.Next = At + 1;
    Nodes.push_back(N);
    if (Below)
      Stack.push_back({At, Below});
    else
      while (!Stack.empty() && --Stack.back().Left == 0) {
        Nodes[Stack.back().At].Next = uint32_t(Nodes.size());
        Stack.pop_back();
      }
    if (Stack.empty())
      return true;
  }
}

/// Reads a field of a map; anything missing or of the wrong type is the default.
class Fields {
public:
  Fields(const Tree &T, uint32_t At) : T(T), At(At) {}

  bool isMap() const { return T[At].Kind == msgpack::Type::Map; }
  /// Fields mostly follow in one order, but it is nobody's duty.
  std::optional<uint32_t> get(StringRef Key) const {
    if (!isMap())
      return std::nullopt;
    uint32_t Place = At + 1;
    for (uint64_t N = 0; N != T[At].Number; ++N) {
      uint32_t Value = T[Place].Next;
      if (T[Place].Kind == msgpack::Type::String && T[Place].Text == Key)
        return Value;
      Place = T[Value].Next;
    }
    return std::nullopt;
  }
  uint64_t number(StringRef Key) const {
    std::optional<uint32_t> N = get(Key);
    return N && T[*N].Kind != msgpack::Type::Array && T[*N].Kind != msgpack::Type::Map
               ? T[*N].Number
               : 0;
  }
  std::string text(StringRef Key) const {
    std::optional<uint32_t> N = get(Key);
    return N ? T[*N].Text.str() : std::string();
  }
  template <class Fn> void forEach(StringRef Key, Fn Do) const {
    std::optional<uint32_t> List = get(Key);
    if (!List || T[*List].Kind != msgpack::Type::Array)
      return;
    uint32_t Place = *List + 1;
    for (uint64_t N = 0; N != T[*List].Number; ++N, Place = T[Place].Next)
      Do(Place);
  }

private:
  const Tree &T;
  uint32_t At;
};

/// The kernel that a tree describes; null if it has no name.
std::unique_ptr<Kernel> kernelOf(const Tree &T) {
  Fields F(T, 0);
  auto K = std::make_unique<Kernel>();
  K->Name = F.text(".name");
  K->Symbol = F.text(".symbol");
  if (K->Name.empty() || K->Symbol.empty())
    return nullptr;
  K->KernargSize = F.number(".kernarg_segment_size");
  K->MaxWorkgroupSize = F.number(".max_flat_workgroup_size");
  if (!K->MaxWorkgroupSize)
    K->MaxWorkgroupSize = 1024;
  unsigned Axis = 0;
  F.forEach(".reqd_workgroup_size", [&](uint32_t Size) {
    if (Axis < 3)
      K->RequiredWorkgroupSize[Axis++] = T[Size].Number;
  });
  K->Vgprs = F.number(".vgpr_count");
  K->Agprs = F.number(".agpr_count");
  K->Sgprs = F.number(".sgpr_count");
  K->VgprSpills = F.number(".vgpr_spill_count");
  K->SgprSpills = F.number(".sgpr_spill_count");
  K->DynamicStack = F.number(".uses_dynamic_stack");
  F.forEach(".args", [&](uint32_t Argument) {
    Fields A(T, Argument);
    KernelArgument Out;
    Out.Name = A.text(".name");
    Out.ValueKind = A.text(".value_kind");
    Out.Offset = A.number(".offset");
    Out.Size = A.number(".size");
    if (!Out.hidden())
      K->ExplicitSize = std::max(K->ExplicitSize, Out.Offset + Out.Size);
    K->Arguments.push_back(std::move(Out));
  });
  return K;
}

} // namespace

Error sim::readMetadata(StringRef Note, std::vector<std::unique_ptr<Kernel>> &Kernels,
                        std::vector<std::string> &PrintfFormats) {
  Error Damaged = createStringError(inconvertibleErrorCode(),
                                    "invalid code object: its metadata cannot be read");
  msgpack::Reader Reader(Note);
  msgpack::Object Top;
  if (!readNext(Reader, Top))
    return Damaged;
  if (Top.Kind != msgpack::Type::Map) {
    consumeError(std::move(Damaged));
    return createStringError(inconvertibleErrorCode(),
                             "invalid code object: its metadata is not a map");
  }
  Tree T;
  for (size_t N = 0; N != Top.Length; ++N) {
    if (!T.parse(Reader))
      return Damaged;
    StringRef Key = T[0].Text; // of the note, not of the tree
    msgpack::Object Value;
    if (!readNext(Reader, Value))
      return Damaged;
    if (Key == "amdhsa.kernels" && Value.Kind == msgpack::Type::Array) {
      for (size_t K = 0; K != Value.Length; ++K) {
        if (!T.parse(Reader))
          return Damaged;
        if (std::unique_ptr<Kernel> Made = kernelOf(T))
          Kernels.push_back(std::move(Made));
      }
      continue;
    }
    if (!T.parse(Reader, &Value))
      return Damaged;
    if (Key == "amdhsa.printf" && T[0].Kind == msgpack::Type::Array) {
      uint32_t Place = 1;
      for (uint64_t F = 0; F != T[0].Number; ++F, Place = T[Place].Next)
        if (T[Place].Kind == msgpack::Type::String)
          PrintfFormats.push_back(T[Place].Text.str());
    }
  }
  consumeError(std::move(Damaged));
  return Error::success();
}
