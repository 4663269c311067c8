//===- FatBinary.cpp - Finds a code object in what clang writes -----------===//

#include "hk/Sim/Module.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::object;
using namespace hk;

namespace {

constexpr StringRef BundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr StringRef CompressedMagic = "CCOB";
/// A size is believed up to here: room for it is taken before anything is unpacked.
constexpr uint64_t MaxUnpacked = uint64_t(4) << 30;

Error failure(const Twine &Message) { return createStringError(inconvertibleErrorCode(), Message); }

/// "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-" is for gfx942.
bool isFor(StringRef Id, StringRef Processor) {
  if (!Id.contains("amdgcn"))
    return false;
  StringRef Target = Id.rsplit("--").second;
  if (Target.empty())
    Target = Id.rsplit('-').second;
  return Target.split(':').first == Processor;
}

Expected<std::vector<uint8_t>> fromBundle(StringRef Text, StringRef Processor) {
  std::string Seen;
  uint64_t Position = BundleMagic.size();
  auto Number = [&](uint64_t &X) {
    if (Text.size() < Position + 8)
      return false;
    X = support::endian::read64le(Text.data() + Position);
    Position += 8;
    return true;
  };
  uint64_t Count;
  if (!Number(Count))
    return failure("the offload bundle is truncated");
  for (uint64_t N = 0; N != Count; ++N) {
    uint64_t Offset, Size, Length;
    if (!Number(Offset) || !Number(Size) || !Number(Length) || Length > Text.size() - Position)
      return failure("the offload bundle is truncated");
    StringRef Id = Text.substr(Position, Length);
    Position += Length;
    if (!isFor(Id, Processor)) {
      Seen += (Seen.empty() ? "" : ", ") + Id.str();
      continue;
    }
    if (Offset > Text.size() || Size > Text.size() - Offset)
      return failure("the offload bundle is truncated");
    StringRef Code = Text.substr(Offset, Size);
    return std::vector<uint8_t>(Code.bytes_begin(), Code.bytes_end());
  }
  return failure("the offload bundle has nothing for " + Processor + (Seen.empty() ? "" : ": ") +
                 Seen);
}

/// The section of an executable or object that bundles are in.
Expected<std::vector<uint8_t>> fromHost(StringRef Text, StringRef Processor) {
  auto Elf = ELFFile<ELF64LE>::create(Text);
  if (!Elf)
    return Elf.takeError();
  auto Sections = Elf->sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &S : *Sections) {
    auto Name = Elf->getSectionName(S);
    if (!Name) {
      consumeError(Name.takeError());
      continue;
    }
    if (*Name != ".hip_fatbin")
      continue;
    auto Contents = Elf->getSectionContents(S);
    if (!Contents)
      return Contents.takeError();
    // Several translation units follow each other; the first is taken.
    return sim::extractCodeObject(*Contents, Processor);
  }
  return failure("the file has no code for a GPU");
}

} // namespace

Expected<std::vector<uint8_t>> sim::extractCodeObject(ArrayRef<uint8_t> Bytes,
                                                      StringRef Processor) {
  StringRef Text(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
  if (Text.starts_with(BundleMagic))
    return fromBundle(Text, Processor);
  if (Text.starts_with(CompressedMagic)) {
    auto Header = CompressedOffloadBundle::CompressedBundleHeader::tryParse(Text);
    if (!Header)
      return Header.takeError();
    if (Header->UncompressedFileSize > MaxUnpacked)
      return failure("the compressed bundle says it holds " + Twine(Header->UncompressedFileSize) +
                     " bytes, more than there can be");
    size_t Size =
        Header->FileSize && *Header->FileSize <= Text.size() ? *Header->FileSize : Text.size();
    auto Buffer = MemoryBuffer::getMemBufferCopy(Text.substr(0, Size));
    auto Plain = CompressedOffloadBundle::decompress(*Buffer);
    if (!Plain)
      return Plain.takeError();
    StringRef Inside = (*Plain)->getBuffer();
    if (!Inside.starts_with(BundleMagic))
      return failure("the compressed bundle holds no offload bundle");
    return fromBundle(Inside, Processor);
  }
  if (Text.starts_with(StringRef(ELF::ElfMagic, 4)) && Text.size() >= 64) {
    if (support::endian::read16le(Text.data() + 18) == ELF::EM_AMDGPU)
      return Bytes.vec();
    return fromHost(Text, Processor);
  }
  return failure("neither a code object nor a file that holds one");
}
