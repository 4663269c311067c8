//===- Metadata.cpp - What a code object says of its kernels --------------===//

#include "Image.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

/// Reads a field of a map; anything missing or of the wrong type is the default.
class Fields {
public:
  explicit Fields(msgpack::DocNode Node) : Node(Node) {}

  msgpack::DocNode get(StringRef Key) {
    if (!Node.isMap())
      return {};
    auto &Map = Node.getMap();
    auto It = Map.find(Key);
    return It == Map.end() ? msgpack::DocNode() : It->second;
  }
  uint64_t number(StringRef Key) { return number(get(Key)); }
  std::string text(StringRef Key) {
    msgpack::DocNode N = get(Key);
    return !N.isEmpty() && N.isString() ? N.getString().str() : std::string();
  }
  static uint64_t number(msgpack::DocNode N) {
    if (N.isEmpty())
      return 0;
    if (N.getKind() == msgpack::Type::UInt)
      return N.getUInt();
    if (N.getKind() == msgpack::Type::Int)
      return N.getInt() < 0 ? 0 : N.getInt();
    if (N.getKind() == msgpack::Type::Boolean)
      return N.getBool();
    return 0;
  }

private:
  msgpack::DocNode Node;
};

template <class Fn> void forEach(msgpack::DocNode Node, Fn Do) {
  if (!Node.isEmpty() && Node.isArray())
    for (msgpack::DocNode Element : Node.getArray())
      Do(Element);
}

} // namespace

Error sim::readMetadata(StringRef Note, std::vector<std::unique_ptr<Kernel>> &Kernels,
                        std::vector<std::string> &PrintfFormats) {
  msgpack::Document Document;
  if (!Document.readFromBlob(Note, /*Multi=*/false))
    return createStringError(inconvertibleErrorCode(),
                             "invalid code object: its metadata cannot be read");
  if (!Document.getRoot().isMap())
    return createStringError(inconvertibleErrorCode(),
                             "invalid code object: its metadata is not a map");
  Fields Top(Document.getRoot());
  forEach(Top.get("amdhsa.printf"), [&](msgpack::DocNode N) {
    if (N.isString())
      PrintfFormats.push_back(N.getString().str());
  });
  forEach(Top.get("amdhsa.kernels"), [&](msgpack::DocNode N) {
    Fields F(N);
    auto K = std::make_unique<Kernel>();
    K->Name = F.text(".name");
    K->Symbol = F.text(".symbol");
    if (K->Name.empty() || K->Symbol.empty())
      return;
    K->KernargSize = F.number(".kernarg_segment_size");
    K->MaxWorkgroupSize = F.number(".max_flat_workgroup_size");
    if (!K->MaxWorkgroupSize)
      K->MaxWorkgroupSize = 1024;
    unsigned Axis = 0;
    forEach(F.get(".reqd_workgroup_size"), [&](msgpack::DocNode Size) {
      if (Axis < 3)
        K->RequiredWorkgroupSize[Axis++] = Fields::number(Size);
    });
    K->Vgprs = F.number(".vgpr_count");
    K->Agprs = F.number(".agpr_count");
    K->Sgprs = F.number(".sgpr_count");
    K->VgprSpills = F.number(".vgpr_spill_count");
    K->SgprSpills = F.number(".sgpr_spill_count");
    K->DynamicStack = F.number(".uses_dynamic_stack");
    forEach(F.get(".args"), [&](msgpack::DocNode Argument) {
      Fields A(Argument);
      KernelArgument Out;
      Out.Name = A.text(".name");
      Out.ValueKind = A.text(".value_kind");
      Out.Offset = A.number(".offset");
      Out.Size = A.number(".size");
      if (!Out.hidden())
        K->ExplicitSize = std::max(K->ExplicitSize, Out.Offset + Out.Size);
      K->Arguments.push_back(std::move(Out));
    });
    Kernels.push_back(std::move(K));
  });
  return Error::success();
}
