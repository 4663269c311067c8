//===- Bundle.cpp - How long an image in memory is ------------------------===//

#include "Bundle.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace llvm::support;

static Error malformed(const Twine &What) {
  return createStringError("device code is malformed: " + What);
}

/// Uncompressed: a count, then of each entry its offset, size and the triple's length and text.
static Expected<uint64_t> bundleLength(const uint8_t *P, size_t MagicLength) {
  uint64_t Count = endian::read64le(P + MagicLength), End = MagicLength + 8, Header = End;
  if (Count > 4096)
    return malformed("too many entries in the bundle");
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t Offset = endian::read64le(P + Header), Size = endian::read64le(P + Header + 8),
             Triple = endian::read64le(P + Header + 16);
    if (Triple > 4096 || Offset > uint64_t(1) << 40 || Size > uint64_t(1) << 40)
      return malformed("an entry of the bundle is out of range");
    Header += 24 + Triple;
    End = std::max({End, Header, Offset + Size});
  }
  return End;
}

/// Compressed: magic, version, method, then from version 2 on the total size, 64 bits wide from 3
/// on.
static Expected<uint64_t> compressedLength(const uint8_t *P) {
  unsigned Version = endian::read16le(P + 4);
  if (Version == 2)
    return endian::read32le(P + 8);
  if (Version == 3)
    return endian::read64le(P + 8);
  return malformed("compressed bundle of version " + Twine(Version));
}

static Expected<uint64_t> elfLength(const uint8_t *P) {
  auto *Header = reinterpret_cast<const ELF::Elf64_Ehdr *>(P);
  if (P[ELF::EI_CLASS] != ELF::ELFCLASS64 || P[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return malformed("not a 64-bit little-endian ELF file");
  uint64_t End = sizeof *Header;
  auto Extend = [&End](uint64_t Offset, uint64_t Size) {
    if (Offset <= uint64_t(1) << 40 && Size <= uint64_t(1) << 40)
      End = std::max(End, Offset + Size);
  };
  Extend(Header->e_shoff, uint64_t(Header->e_shnum) * Header->e_shentsize);
  Extend(Header->e_phoff, uint64_t(Header->e_phnum) * Header->e_phentsize);
  if (Header->e_phentsize == sizeof(ELF::Elf64_Phdr))
    for (unsigned I = 0; I != Header->e_phnum; ++I) {
      ELF::Elf64_Phdr Segment;
      std::memcpy(&Segment, P + Header->e_phoff + I * sizeof Segment, sizeof Segment);
      Extend(Segment.p_offset, Segment.p_filesz);
    }
  if (Header->e_shentsize == sizeof(ELF::Elf64_Shdr))
    for (unsigned I = 0; I != Header->e_shnum; ++I) {
      ELF::Elf64_Shdr Section;
      std::memcpy(&Section, P + Header->e_shoff + I * sizeof Section, sizeof Section);
      if (Section.sh_type != ELF::SHT_NOBITS)
        Extend(Section.sh_offset, Section.sh_size);
    }
  return End;
}

Expected<ArrayRef<uint8_t>> hk::hip::imageAt(const void *Start) {
  static constexpr StringRef Magic = "__CLANG_OFFLOAD_BUNDLE__";
  auto *P = static_cast<const uint8_t *>(Start);
  auto StartsWith = [P](StringRef Text) { return !std::memcmp(P, Text.data(), Text.size()); };
  if (!P)
    return malformed("no image");
  Expected<uint64_t> Length = [&]() -> Expected<uint64_t> {
    if (StartsWith("CCOB"))
      return compressedLength(P);
    if (StartsWith("\177ELF"))
      return elfLength(P);
    if (StartsWith(Magic))
      return bundleLength(P, Magic.size());
    return malformed("neither an offload bundle nor an ELF file");
  }();
  if (!Length)
    return Length.takeError();
  return ArrayRef(P, *Length);
}
