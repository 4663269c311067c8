//===- Image.cpp - Places and relocates an ELF code object ----------------===//
//
// Only what LLVM's ELF reader has checked is followed, and each address that
// the image names is checked against the one span its segments were placed in.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <cstring>
#include <sys/mman.h>

using namespace llvm;
using namespace llvm::object;
using namespace hk;
using namespace hk::sim;

namespace {

constexpr uint64_t Page = 4096;
constexpr uint64_t MaxImageSize = uint64_t(4) << 30;

Error failure(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), "invalid code object: " + Message);
}

StringRef processorOf(unsigned Flags) {
  switch (Flags & ELF::EF_AMDGPU_MACH) {
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A:
    return "gfx90a";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX942:
    return "gfx942";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX950:
    return "gfx950";
  }
  return "";
}

} // namespace

namespace hk::sim {

template <class ELFT> class ImageLoader {
public:
  using File = ELFFile<ELFT>;
  ImageLoader(const File &Elf, Image &Out) : Elf(Elf), Out(Out) {}

  Error run(const std::function<uint64_t(StringRef)> &Resolve) {
    if (Error E = place())
      return E;
    if (Error E = notes())
      return E;
    if (Error E = symbols())
      return E;
    if (Error E = variables())
      return E;
    if (Error E = relocate(Resolve))
      return E;
    return kernels();
  }

private:
  Error place();
  Error notes();
  Error symbols();
  Error variables();
  Error relocate(const std::function<uint64_t(StringRef)> &Resolve);
  Error kernels();
  void addFunctionGaps();

  const File &Elf;
  Image &Out;
  struct Descriptor {
    std::string Symbol;
    uint64_t Address;
  };
  std::vector<Descriptor> Descriptors;
  std::vector<Image::Range> Writable; ///< segments
  std::vector<Variable> Objects;      ///< all data symbols, of internal linkage too

  Error adopt(uint64_t Begin, uint64_t End, MemoryKind Kind, StringRef Label, bool ReadOnly) {
    void *Base = reinterpret_cast<void *>(Begin);
    if (Error E = Out.Memory.adopt(Base, End - Begin, Kind, Label, ReadOnly))
      return E;
    Out.Adopted.push_back(Base);
    return Error::success();
  }
};

template <class ELFT> Error ImageLoader<ELFT>::place() {
  auto Headers = Elf.program_headers();
  if (!Headers)
    return Headers.takeError();
  uint64_t Low = UINT64_MAX, High = 0;
  for (const auto &P : *Headers) {
    if (P.p_type != ELF::PT_LOAD || !P.p_memsz)
      continue;
    uint64_t Begin = P.p_vaddr, Bytes = P.p_memsz;
    if (Begin > MaxImageSize || Bytes > MaxImageSize)
      return failure("a segment is larger than 4 GiB");
    if (P.p_filesz > P.p_memsz || P.p_offset > Out.File.size() ||
        P.p_filesz > Out.File.size() - P.p_offset)
      return failure("a segment is not inside the file");
    Low = std::min(Low, alignDown(Begin, Page));
    High = std::max(High, Begin + Bytes);
  }
  if (Low >= High)
    return failure("no segment to load");
  Out.Size = alignTo(High - Low, Page);
  void *Where = ::mmap(nullptr, Out.Size + 2 * Page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Where == MAP_FAILED)
    return failure("no memory for its segments");
  // A page in front and behind is never valid.
  Out.Begin = static_cast<uint8_t *>(Where) + Page;
  Out.Bias = reinterpret_cast<uint64_t>(Out.Begin) - Low;
  uint64_t LastEnd = 0;
  for (const auto &P : *Headers) {
    if (P.p_type != ELF::PT_LOAD || !P.p_memsz)
      continue;
    uint64_t Begin = P.p_vaddr + Out.Bias;
    if (Begin < LastEnd)
      return failure("its segments overlap");
    LastEnd = Begin + P.p_memsz;
    std::memcpy(reinterpret_cast<void *>(Begin), Out.File.data() + P.p_offset, P.p_filesz);
    // What the file does not have of it is zeros and no code; its size is anybody's word.
    if ((P.p_flags & ELF::PF_X) && P.p_filesz)
      Out.Code.push_back({Begin, Begin + P.p_filesz});
    if (P.p_flags & ELF::PF_W)
      Writable.push_back({Begin, LastEnd});
    else if (Error E = adopt(Begin, LastEnd, MemoryKind::Code, "constants and code", true))
      return E;
  }
  return Error::success();
}

template <class ELFT> Error ImageLoader<ELFT>::notes() {
  auto Headers = Elf.program_headers();
  if (!Headers)
    return Headers.takeError();
  for (const auto &P : *Headers) {
    if (P.p_type != ELF::PT_NOTE)
      continue;
    Error E = Error::success();
    std::string Text;
    bool Found = false;
    for (const auto &Note : Elf.notes(P, E))
      if (Note.getName() == "AMDGPU" && Note.getType() == ELF::NT_AMDGPU_METADATA) {
        Text = Note.getDescAsStringRef(P.p_align <= 4 ? 4 : size_t(P.p_align)).str();
        Found = true;
      }
    if (E)
      return E;
    if (Found)
      if (Error Bad = readMetadata(Text, Out.Kernels, Out.PrintfFormats))
        return Bad;
  }
  return Error::success();
}

template <class ELFT> Error ImageLoader<ELFT>::symbols() {
  auto Sections = Elf.sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &S : *Sections) {
    if (S.sh_type != ELF::SHT_DYNSYM && S.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto Symbols = Elf.symbols(&S);
    if (!Symbols)
      return Symbols.takeError();
    auto Strings = Elf.getStringTableForSymtab(S);
    if (!Strings)
      return Strings.takeError();
    for (const auto &Symbol : *Symbols) {
      if (Symbol.st_shndx == ELF::SHN_UNDEF || Symbol.st_shndx == ELF::SHN_ABS)
        continue;
      Expected<StringRef> Name = Symbol.getName(*Strings);
      if (!Name)
        return Name.takeError();
      uint64_t Address = Symbol.st_value + Out.Bias;
      if (!Out.contains(Address, Symbol.st_size))
        continue;
      if (Symbol.getType() == ELF::STT_FUNC && Out.isCode(Address)) {
        uint64_t End = Symbol.st_size ? Address + Symbol.st_size : Address;
        Out.Functions.push_back({Address, End, Name->str()});
      } else if (Symbol.getType() == ELF::STT_OBJECT && Name->ends_with(".kd")) {
        if (S.sh_type == ELF::SHT_DYNSYM)
          Descriptors.push_back({Name->str(), Address});
      } else if (Symbol.getType() == ELF::STT_OBJECT) {
        if (S.sh_type == ELF::SHT_DYNSYM)
          Out.Variables.push_back({Name->str(), Address, Symbol.st_size});
        if (Symbol.st_size)
          Objects.push_back({Name->str(), Address, Symbol.st_size});
      }
    }
  }
  llvm::sort(Out.Variables, [](const Variable &A, const Variable &B) { return A.Name < B.Name; });
  llvm::sort(Out.Functions, [](const FunctionRange &A, const FunctionRange &B) {
    return std::tuple(A.Begin, ~A.End, A.Name) < std::tuple(B.Begin, ~B.End, B.Name);
  });
  Out.Functions.erase(std::unique(Out.Functions.begin(), Out.Functions.end(),
                                  [](const FunctionRange &A, const FunctionRange &B) {
                                    return A.Begin == B.Begin;
                                  }),
                      Out.Functions.end());
  for (size_t I = 0; I != Out.Functions.size(); ++I) {
    FunctionRange &F = Out.Functions[I];
    uint64_t Limit = 0;
    for (const Image::Range &R : Out.Code)
      if (F.Begin >= R.Begin && F.Begin < R.End)
        Limit = R.End;
    if (I + 1 != Out.Functions.size())
      Limit = std::min(Limit, Out.Functions[I + 1].Begin);
    F.End = F.End == F.Begin ? Limit : std::min(F.End, Limit);
  }
  return Error::success();
}

/// Writable memory, a variable at a time: what lies between them is nobody's. Two that touch each
/// other are told apart, too, but an index from one into the next is not found: nothing in the code
/// says which it meant.
template <class ELFT> Error ImageLoader<ELFT>::variables() {
  auto Sections = Elf.sections();
  if (!Sections)
    return Sections.takeError();
  // Of two names of one place, the larger counts.
  llvm::sort(Objects, [](const Variable &A, const Variable &B) {
    return std::tuple(A.Address, ~A.Size, A.Name) < std::tuple(B.Address, ~B.Size, B.Name);
  });
  auto InSection = [&](uint64_t Begin, uint64_t End) -> Error {
    uint64_t At = Begin;
    auto It = llvm::lower_bound(Objects, Begin,
                                [](const Variable &V, uint64_t A) { return V.Address < A; });
    if (It == Objects.end() || It->Address >= End)
      return adopt(Begin, End, MemoryKind::Variable, "global variables", false);
    for (; It != Objects.end() && It->Address < End; ++It) {
      uint64_t Last = std::min(End, It->Address + It->Size);
      if (It->Address < At || Last == It->Address)
        continue;
      if (Error E = adopt(It->Address, Last, MemoryKind::Variable, It->Name, false))
        return E;
      At = Last;
    }
    return Error::success();
  };
  for (const Image::Range &Segment : Writable) {
    uint64_t At = Segment.Begin;
    for (const auto &S : *Sections) {
      uint64_t Begin = S.sh_addr + Out.Bias, End = Begin + S.sh_size;
      // Sections follow each other as the linker placed them; others are a forgery.
      if (!(S.sh_flags & ELF::SHF_ALLOC) || Begin < At || End <= Begin || End > Segment.End)
        continue;
      Expected<StringRef> Name = Elf.getSectionName(S);
      if (!Name)
        return Name.takeError();
      bool Data = *Name == ".data" || *Name == ".bss" || Name->starts_with(".bss.") ||
                  (Name->starts_with(".data.") && !Name->starts_with(".data.rel.ro"));
      // The others are written by the loader alone.
      if (Error E = Data ? InSection(Begin, End)
                         : adopt(Begin, End, MemoryKind::Code, "relocated constants", true))
        return E;
      At = End;
    }
    if (At == Segment.Begin)
      if (Error E = adopt(At, Segment.End, MemoryKind::Variable, "global variables", false))
        return E;
  }
  return Error::success();
}

template <class ELFT>
Error ImageLoader<ELFT>::relocate(const std::function<uint64_t(StringRef)> &Resolve) {
  auto Sections = Elf.sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &S : *Sections) {
    if (S.sh_type != ELF::SHT_RELA || !(S.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto Relocations = Elf.relas(S);
    if (!Relocations)
      return Relocations.takeError();
    auto Table = Elf.getSection(S.sh_link);
    if (!Table)
      return Table.takeError();
    for (const auto &R : *Relocations) {
      uint64_t Where = R.r_offset + Out.Bias;
      if (!Out.contains(Where, 8))
        return failure("a relocation is outside the segments");
      uint64_t Value = R.r_addend;
      unsigned Type = R.getType(false);
      if (Type == ELF::R_AMDGPU_RELATIVE64) {
        Value += Out.Bias;
      } else if (Type != ELF::R_AMDGPU_NONE) {
        auto Symbol = Elf.template getEntry<typename ELFT::Sym>(**Table, R.getSymbol(false));
        if (!Symbol)
          return Symbol.takeError();
        auto Strings = Elf.getStringTableForSymtab(**Table);
        if (!Strings)
          return Strings.takeError();
        auto Name = (*Symbol)->getName(*Strings);
        if (!Name)
          return Name.takeError();
        uint64_t Address = (*Symbol)->st_value + Out.Bias;
        if ((*Symbol)->st_shndx == ELF::SHN_UNDEF) {
          Address = Resolve ? Resolve(*Name) : 0;
          if (!Address && (*Symbol)->getBinding() != ELF::STB_WEAK)
            return failure("the symbol '" + *Name + "' is defined nowhere");
        }
        Value += Address;
      }
      uint64_t Relative = Value - Where;
      switch (Type) {
      case ELF::R_AMDGPU_NONE:
        break;
      case ELF::R_AMDGPU_RELATIVE64:
      case ELF::R_AMDGPU_ABS64:
        std::memcpy(reinterpret_cast<void *>(Where), &Value, 8);
        break;
      case ELF::R_AMDGPU_ABS32:
      case ELF::R_AMDGPU_ABS32_LO:
        std::memcpy(reinterpret_cast<void *>(Where), &Value, 4);
        break;
      case ELF::R_AMDGPU_ABS32_HI:
        Value >>= 32;
        std::memcpy(reinterpret_cast<void *>(Where), &Value, 4);
        break;
      case ELF::R_AMDGPU_REL64:
        std::memcpy(reinterpret_cast<void *>(Where), &Relative, 8);
        break;
      case ELF::R_AMDGPU_REL32:
      case ELF::R_AMDGPU_REL32_LO:
        std::memcpy(reinterpret_cast<void *>(Where), &Relative, 4);
        break;
      case ELF::R_AMDGPU_REL32_HI:
        Relative >>= 32;
        std::memcpy(reinterpret_cast<void *>(Where), &Relative, 4);
        break;
      default:
        return failure("relocation type " + Twine(Type) + " is not supported");
      }
    }
  }
  return Error::success();
}

template <class ELFT> Error ImageLoader<ELFT>::kernels() {
  StringMap<Kernel *> BySymbol;
  for (const auto &K : Out.Kernels)
    BySymbol.try_emplace(K->Symbol, K.get());
  for (const Descriptor &D : Descriptors) {
    amdhsa::kernel_descriptor_t Raw;
    if (!Out.contains(D.Address, sizeof(Raw)))
      return failure("the kernel descriptor '" + D.Symbol + "' is outside the segments");
    std::memcpy(&Raw, reinterpret_cast<void *>(D.Address), sizeof(Raw));
    Kernel *&K = BySymbol[D.Symbol];
    if (!K) {
      Out.Kernels.push_back(std::make_unique<Kernel>());
      K = Out.Kernels.back().get();
      K->Symbol = D.Symbol;
      K->Name = StringRef(D.Symbol).drop_back(3).str();
      K->KernargSize = K->ExplicitSize = Raw.kernarg_size;
      K->Vgprs = 8 * ((Raw.compute_pgm_rsrc1 & 63) + 1);
    }
    K->Entry = D.Address + Raw.kernel_code_entry_byte_offset;
    if (!Out.isCode(K->Entry) || K->Entry % 4)
      return failure("kernel '" + K->Name + "' does not start in code");
    K->LdsSize = Raw.group_segment_fixed_size;
    K->PrivateSize = Raw.private_segment_fixed_size;
    K->KernargSize = std::max(K->KernargSize, uint32_t(Raw.kernarg_size));
    K->Rsrc1 = Raw.compute_pgm_rsrc1;
    K->Rsrc2 = Raw.compute_pgm_rsrc2;
    K->Rsrc3 = Raw.compute_pgm_rsrc3;
    K->Properties = Raw.kernel_code_properties;
    K->KernargPreload = Raw.kernarg_preload;
    K->DynamicStack |= (Raw.kernel_code_properties >> 11) & 1;
    if (K->LdsSize > 160 * 1024 || K->PrivateSize > (1u << 24) || K->KernargSize > (1u << 20))
      return failure("kernel '" + K->Name + "' asks for impossible amounts of memory");
    for (const KernelArgument &A : K->Arguments)
      if (A.Offset > K->KernargSize || A.Size > K->KernargSize - A.Offset)
        return failure("kernel '" + K->Name + "' has an argument outside its argument segment");
  }
  erase_if(Out.Kernels, [](const auto &K) { return !K->Entry; });
  return Error::success();
}

} // namespace hk::sim

Expected<std::unique_ptr<Image>> Image::load(ArrayRef<uint8_t> Bytes, DeviceMemory &Memory,
                                             const std::function<uint64_t(StringRef)> &Resolve) {
  std::unique_ptr<Image> Result(new Image(Memory));
  Result->File.assign(Bytes.begin(), Bytes.end());
  StringRef Text(reinterpret_cast<const char *>(Result->File.data()), Result->File.size());
  if (!Text.starts_with(StringRef(ELF::ElfMagic, 4)))
    return failure("not an ELF file");
  if (Text.size() < 64 || Text[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Text[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return failure("not a 64-bit little-endian ELF file");
  auto Elf = ELFFile<ELF64LE>::create(Text);
  if (!Elf)
    return Elf.takeError();
  const auto &Header = Elf->getHeader();
  if (Header.e_machine != ELF::EM_AMDGPU)
    return failure("not for an AMD GPU");
  if (Header.e_type != ELF::ET_DYN)
    return failure("not linked: a relocatable object has to go through lld first");
  Result->Processor = processorOf(Header.e_flags).str();
  if (Result->Processor.empty())
    return failure("not for a processor that is simulated (gfx90a, gfx942, gfx950)");
  if (Error E = ImageLoader<ELF64LE>(*Elf, *Result).run(Resolve))
    return std::move(E);
  return std::move(Result);
}

Image::~Image() {
  for (void *Base : Adopted)
    consumeError(Memory.release(Base));
  if (Begin)
    ::munmap(Begin - Page, Size + 2 * Page);
}
