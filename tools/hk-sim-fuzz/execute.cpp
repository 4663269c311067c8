//===- execute.cpp - Fuzzes the decoder and what executes -------*- C++ -*-===//
//
// The first bytes choose options, the rest are the instructions of a kernel in
// an otherwise valid code object, which is launched with small limits. Words
// that are no instruction the simulator knows become s_nop: a run that ends at
// the first of them would show little.
//
// With HK_SIM_FUZZ_IMAGE=PATH the code object is written there instead of being
// run, for hk-sim-run.
//
//===----------------------------------------------------------------------===//

#include "hk/Sim/Device.h"

#include "Program.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace hk::sim;

namespace {

constexpr size_t MaxCode = 2048;
constexpr uint32_t Nop = 0xbf800000, End = 0xbf810000;

/// What the generated code finds in its registers: addresses of the memory that was passed, a
/// buffer descriptor of it, and each lane's number times 4.
constexpr uint32_t Prologue[] = {
    0xc00a0100, 0x00000000, // s_load_dwordx4 s[4:7], s[0:1], 0
    0xc00a0200, 0x00000010, // s_load_dwordx4 s[8:11], s[0:1], 16
    0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
    0x24080082,             // v_lshlrev_b32 v4, 2, v0
    0x7e040204,             // v_mov_b32 v2, s4
    0x7e060205,             // v_mov_b32 v3, s5
};

class Builder {
public:
  std::vector<uint8_t> Bytes;
  template <class T> size_t add(const T &X) { return add(&X, sizeof(X)); }
  size_t add(const void *From, size_t Size) {
    size_t At = Bytes.size();
    Bytes.resize(At + Size);
    if (Size)
      std::memcpy(Bytes.data() + At, From, Size);
    return At;
  }
  void align(size_t To) { Bytes.resize((Bytes.size() + To - 1) / To * To); }
  template <class T> T &at(size_t Offset) { return *reinterpret_cast<T *>(&Bytes[Offset]); }
};

/// A shared object with one kernel "k"; the file is loaded as it lies.
std::vector<uint8_t> image(unsigned Mach, ArrayRef<uint32_t> Code, uint32_t Rsrc1) {
  Builder B;
  ELF::Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  Header.e_ident[ELF::EI_VERSION] = 1;
  Header.e_type = ELF::ET_DYN;
  Header.e_machine = ELF::EM_AMDGPU;
  Header.e_flags = Mach;
  Header.e_ehsize = sizeof(Header);
  Header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  Header.e_phnum = 2;
  Header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  Header.e_shnum = 4;
  Header.e_shstrndx = 2;
  Header.e_phoff = sizeof(Header);
  B.add(Header);
  size_t Segments = B.add(ELF::Elf64_Phdr{});
  B.add(ELF::Elf64_Phdr{});

  static const char Names[] = "\0k\0k.kd\0.dynsym\0.dynstr\0.text";
  size_t Strings = B.add(Names, sizeof(Names));
  B.align(8);
  size_t Symbols = B.add(ELF::Elf64_Sym{});
  size_t Entry = B.add(ELF::Elf64_Sym{}), Object = B.add(ELF::Elf64_Sym{});
  B.align(64);
  amdhsa::kernel_descriptor_t D = {};
  D.group_segment_fixed_size = 4096;
  D.private_segment_fixed_size = 64;
  D.kernarg_size = 64;
  D.compute_pgm_rsrc1 = Rsrc1;
  D.compute_pgm_rsrc2 = 2 << 1 | 1 << 7;
  D.compute_pgm_rsrc3 = 7; // registers that are not declared exist nevertheless
  D.kernel_code_properties = 8;
  size_t Descriptor = B.add(D);
  B.align(256);
  size_t Text = B.add(Prologue, sizeof(Prologue));
  B.add(Code.data(), 4 * Code.size());
  B.add(End);
  size_t TextEnd = B.Bytes.size();
  B.align(8);
  size_t Sections = B.add(ELF::Elf64_Shdr{});
  for (unsigned N = 0; N != 3; ++N)
    B.add(ELF::Elf64_Shdr{});

  B.at<amdhsa::kernel_descriptor_t>(Descriptor).kernel_code_entry_byte_offset =
      int64_t(Text) - int64_t(Descriptor);
  B.at<ELF::Elf64_Ehdr>(0).e_shoff = Sections;
  auto *P = &B.at<ELF::Elf64_Phdr>(Segments);
  for (unsigned N = 0; N != 2; ++N) {
    size_t From = N ? Text : 0, To = N ? TextEnd : Text;
    P[N].p_type = ELF::PT_LOAD;
    P[N].p_flags = N ? ELF::PF_R | ELF::PF_X : ELF::PF_R;
    P[N].p_offset = P[N].p_vaddr = P[N].p_paddr = From;
    P[N].p_filesz = P[N].p_memsz = To - From;
    P[N].p_align = 256;
  }
  auto Symbol = [&](size_t At, unsigned Name, unsigned Type, size_t Value, size_t Size) {
    auto &S = B.at<ELF::Elf64_Sym>(At);
    S.st_name = Name;
    S.setBindingAndType(ELF::STB_GLOBAL, Type);
    S.st_shndx = 3;
    S.st_value = Value;
    S.st_size = Size;
  };
  Symbol(Entry, 1, ELF::STT_FUNC, Text, TextEnd - Text);
  Symbol(Object, 3, ELF::STT_OBJECT, Descriptor, sizeof(D));
  auto *S = &B.at<ELF::Elf64_Shdr>(Sections);
  auto Section = [&](unsigned N, unsigned Name, unsigned Type, size_t At, size_t Size) {
    S[N].sh_name = Name;
    S[N].sh_type = Type;
    S[N].sh_flags = ELF::SHF_ALLOC;
    S[N].sh_addr = S[N].sh_offset = At;
    S[N].sh_size = Size;
    S[N].sh_addralign = 1;
  };
  Section(1, 8, ELF::SHT_DYNSYM, Symbols, 3 * sizeof(ELF::Elf64_Sym));
  S[1].sh_link = 2;
  S[1].sh_info = 1;
  S[1].sh_entsize = sizeof(ELF::Elf64_Sym);
  Section(2, 16, ELF::SHT_STRTAB, Strings, sizeof(Names));
  Section(3, 24, ELF::SHT_PROGBITS, Text, TextEnd - Text);
  S[3].sh_flags |= ELF::SHF_EXECINSTR;
  return std::move(B.Bytes);
}

template <class T> T need(Expected<T> X, const char *What) {
  if (X)
    return std::move(*X);
  errs() << What << ": " << toString(X.takeError()) << '\n';
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size < 8)
    return 0;
  static const unsigned Machs[] = {ELF::EF_AMDGPU_MACH_AMDGCN_GFX942,
                                   ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A,
                                   ELF::EF_AMDGPU_MACH_AMDGCN_GFX950};
  DeviceOptions Options;
  Options.Threads = 1;
  Options.HangLimit = 2000;
  Options.InstructionLimit = 4000;
  Options.Races = Data[0] & 1;
  Options.Uninitialized = Data[0] & 2;
  Options.Waits = Data[0] & 4;
  Options.Strict = Data[0] & 8;
  Options.Counters = !(Data[0] & 16);
  Options.ScheduleSeed = Data[0] & 32 ? 1 : 0;
  unsigned Mach = Machs[Data[1] % 3];
  unsigned Items = 1 + Data[2] % 128, Dynamic = Data[3] % 16 * 64;
  // Denormals, rounding, DX10_CLAMP and IEEE as the input says.
  uint32_t Rsrc1 = 7 | uint32_t(Data[4]) << 12 | (Data[5] & 1) << 21 | (Data[5] >> 1 & 1) << 23;

  std::vector<uint32_t> Code(std::min(Size - 8, MaxCode) / 4);
  if (!Code.empty())
    std::memcpy(Code.data(), Data + 8, 4 * Code.size());
  std::vector<uint8_t> Bytes = image(Mach, Code, Rsrc1);
  Device Dev(Options);
  std::unique_ptr<Module> M = need(Dev.loadModule(Bytes), "the image does not load");
  const Kernel *K = M->kernel("k");
  if (!K)
    std::abort();
  // Decoded once to see what is known, and again as it will run.
  M->program().decodeAll();
  bool Changed = false;
  M->program().forEach([&](const Inst &I) {
    uint64_t At = (I.Pc - K->Entry - sizeof(Prologue)) / 4;
    if (I.Run == runUnknown && At < Code.size()) {
      for (unsigned W = 0; W != I.Size / 4u && At + W < Code.size(); ++W)
        Code[At + W] = Nop;
      Changed = true;
    }
  });
  if (Changed) {
    Bytes = image(Mach, Code, Rsrc1);
    M = need(Dev.loadModule(Bytes), "the image does not load");
    K = M->kernel("k");
  }
  if (const char *Path = std::getenv("HK_SIM_FUZZ_IMAGE")) {
    std::error_code EC;
    raw_fd_ostream OS(Path, EC);
    OS.write(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
    return 0;
  }

  void *Memory = need(Dev.memory().allocate(8192), "memory");
  std::memset(Memory, 0x3c, 8192);
  if (!(Data[6] & 1))
    Dev.memory().markWritten(reinterpret_cast<uint64_t>(Memory), 8192);
  uint64_t Arguments[8] = {};
  Arguments[0] = Arguments[1] = reinterpret_cast<uint64_t>(Memory);
  Arguments[2] = Arguments[0] | uint64_t(Data[6] >> 1) << 48; // a stride, or none
  Arguments[3] = 8192 | uint64_t(Data[7]) << 44;              // records, format
  LaunchConfig Config;
  Config.Grid.X = 1 + (Data[0] >> 7);
  Config.Block.X = Items;
  Config.DynamicLds = Dynamic;
  Expected<LaunchResult> R = Dev.launch(
      *K, Config, ArrayRef(reinterpret_cast<const uint8_t *>(Arguments), sizeof(Arguments)));
  if (!R)
    consumeError(R.takeError());
  return 0;
}
