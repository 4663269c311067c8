//===- Module.cpp - A code object, loaded ---------------------------------===//

#include "hk/Sim/Module.h"

#include "Image.h"
#include "OpTable.h"
#include "Program.h"
#include "Wave.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

#include <map>
#include <mutex>
#include <set>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

struct Module::Parts {
  std::unique_ptr<Image> I;
  std::unique_ptr<Program> Code;

  // Line tables are read when the first line is asked for.
  std::mutex LineMutex;
  bool LinesRead = false;
  std::unique_ptr<object::ObjectFile> Object;
  std::unique_ptr<DWARFContext> Dwarf;
  DenseMap<uint64_t, std::optional<SourceLine>> Lines;
};

Module::Module(std::unique_ptr<Parts> Made) : P(std::move(Made)) {}
Module::~Module() = default;

Expected<std::unique_ptr<Module>> Module::load(ArrayRef<uint8_t> Bytes, DeviceMemory &Memory,
                                               std::function<uint64_t(StringRef)> Resolve) {
  auto Loaded = Image::load(Bytes, Memory, Resolve);
  if (!Loaded)
    return Loaded.takeError();
  auto P = std::make_unique<Parts>();
  P->I = std::move(*Loaded);
  P->Code = std::make_unique<Program>(*P->I);
  std::unique_ptr<Module> M(new Module(std::move(P)));
  for (auto &K : M->P->I->Kernels)
    K->Owner = M.get();
  return std::move(M);
}

ArrayRef<std::unique_ptr<Kernel>> Module::kernels() const { return P->I->Kernels; }

const Kernel *Module::kernel(StringRef Name) const {
  for (const auto &K : P->I->Kernels)
    if (K->Name == Name)
      return K.get();
  return nullptr;
}

ArrayRef<Variable> Module::variables() const { return P->I->Variables; }

const Variable *Module::variable(StringRef Name) const {
  auto It = llvm::lower_bound(P->I->Variables, Name,
                              [](const Variable &V, StringRef N) { return V.Name < N; });
  return It != P->I->Variables.end() && It->Name == Name ? &*It : nullptr;
}

StringRef Module::processor() const { return P->I->Processor; }
ArrayRef<std::string> Module::printfFormats() const { return P->I->PrintfFormats; }
bool Module::containsCode(uint64_t Address) const { return P->I->isCode(Address); }
Program &Module::program() const { return *P->Code; }

StringRef Module::functionAt(uint64_t Address) const {
  const FunctionRange *F = P->Code->functionAt(Address);
  return F ? StringRef(F->Name) : StringRef();
}

std::optional<SourceLine> Module::sourceLine(uint64_t Address) const {
  std::lock_guard Lock(P->LineMutex);
  if (!P->LinesRead) {
    P->LinesRead = true;
    StringRef File(reinterpret_cast<const char *>(P->I->File.data()), P->I->File.size());
    auto Object = object::ObjectFile::createELFObjectFile(MemoryBufferRef(File, "code object"));
    if (!Object) {
      consumeError(Object.takeError());
    } else {
      P->Object = std::move(*Object);
      auto Ignore = [](Error E) { consumeError(std::move(E)); };
      P->Dwarf = DWARFContext::create(*P->Object, DWARFContext::ProcessDebugRelocations::Ignore,
                                      nullptr, "", Ignore, Ignore);
    }
  }
  if (!P->Dwarf)
    return std::nullopt;
  auto [It, Inserted] = P->Lines.try_emplace(Address);
  if (!Inserted)
    return It->second;
  object::SectionedAddress Where{Address - P->I->Bias, object::SectionedAddress::UndefSection};
  for (const object::SectionRef &S : P->Object->sections())
    if (S.isText() && Where.Address >= S.getAddress() &&
        Where.Address < S.getAddress() + S.getSize())
      Where.SectionIndex = S.getIndex();
  auto Line = P->Dwarf->getLineInfoForAddress(
      Where, {DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath});
  if (Line && Line->Line && Line->FileName != DILineInfo::BadString)
    It->second = SourceLine{Line->FileName, Line->Line, Line->Column};
  return It->second;
}

std::vector<std::string> Module::unknownInstructions(const Kernel &K) const {
  // Follows branches and the calls whose target is in the code; what an indirect call reaches is
  // found when it gets there.
  std::set<uint64_t> Seen;
  std::vector<uint64_t> Work{K.Entry};
  std::map<uint64_t, std::string> Found;
  while (!Work.empty()) {
    uint64_t Pc = Work.back();
    Work.pop_back();
    while (Seen.insert(Pc).second) {
      const Inst *I = P->Code->at(Pc);
      if (!I || !I->Op)
        break;
      if (I->Run == runUnknown) {
        std::string Text = P->Code->mnemonicAt(Pc) + " at 0x" + utohexstr(Pc - P->I->Bias, true);
        if (auto Line = sourceLine(Pc))
          Text += " (" + Line->File + ":" + std::to_string(Line->Line) + ")";
        Found[Pc] = Text;
      }
      if (I->Op->Flags & OpTransfers) {
        if (I->Format == Encoding::Sopp || I->Op->Name == "s_call_b64")
          Work.push_back(I->Pc + 4 + int64_t(I->Imm) * 4);
        if (I->Op->Name == "s_branch" || I->Op->Name == "s_setpc_b64")
          break;
      }
      if (I->Op->Flags & OpEndsBlock)
        break;
      Pc += I->Size;
    }
  }
  std::vector<std::string> Result;
  for (auto &[Pc, Text] : Found)
    Result.push_back(Text);
  return Result;
}

std::vector<std::pair<std::string, unsigned>> Module::mnemonics() const {
  P->Code->decodeAll();
  std::vector<uint64_t> Unknown;
  StringMap<unsigned> Counts;
  P->Code->forEach([&](const Inst &I) {
    if (I.Run == runUnknown)
      Unknown.push_back(I.Pc);
    else
      ++Counts[I.Op->Name];
  });
  for (uint64_t Pc : Unknown)
    ++Counts[baseMnemonic(P->Code->mnemonicAt(Pc)).str() + "?"];
  std::vector<std::pair<std::string, unsigned>> Result;
  for (auto &Entry : Counts)
    Result.push_back({Entry.first().str(), Entry.second});
  llvm::sort(Result);
  return Result;
}
