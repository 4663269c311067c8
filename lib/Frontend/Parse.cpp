//===- Parse.cpp - One file, both sides -----------------------------------===//
#include "hk/Frontend/TranslationUnit.h"

#include "DiagnosticBuffer.h"
#include "Invocation.h"
#include "Side.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace hk {

using namespace frontend;

TranslationUnit::TranslationUnit() = default;
TranslationUnit::~TranslationUnit() = default;
TranslationUnit::TranslationUnit(TranslationUnit &&) = default;

TranslationUnit &TranslationUnit::operator=(TranslationUnit &&Other) {
  if (this == &Other)
    return *this;
  // A module goes before its context.
  Device.reset();
  this->~TranslationUnit();
  new (this) TranslationUnit(std::move(Other));
  return *this;
}

std::string TranslationUnit::placeFile(llvm::StringRef Directory, llvm::StringRef Filename) const {
  std::string Path = absolutePath(Directory.empty() ? llvm::StringRef(TheJob.Directory) : Directory, Filename);
  auto It = DisplayNames.find(Path);
  return It == DisplayNames.end() ? Path : It->second;
}

SourcePlace TranslationUnit::place(const llvm::DILocation *Loc) const {
  if (!Loc || !Loc->getLine())
    return {};
  return {placeFile(Loc->getDirectory(), Loc->getFilename()), Loc->getLine(), Loc->getColumn()};
}

const Kernel *TranslationUnit::kernel(llvm::StringRef Mangled) const {
  for (const Kernel &K : Kernels)
    if (K.Mangled == Mangled)
      return &K;
  return nullptr;
}

const SyncCall *TranslationUnit::syncCall(const SourcePlace &P) const {
  for (const SyncCall &C : SyncCalls)
    if (C.Place == P)
      return &C;
  return nullptr;
}

const IncludePoint *TranslationUnit::includePoint(llvm::StringRef File) const {
  for (const IncludePoint &P : IncludePoints)
    if (P.File == File)
      return &P;
  return nullptr;
}

namespace {

/// The job's folder, absolute.
std::string workingDirectory(const Job &J) {
  llvm::SmallString<256> Directory(J.Directory);
  llvm::sys::fs::make_absolute(Directory);
  llvm::sys::path::remove_dots(Directory, /*remove_dot_dot=*/true);
  return std::string(Directory);
}

/// A file system of its own when none is given: the working folder is that of the job, not of the process.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS,
                                                           const std::string &Directory, llvm::raw_ostream &Diags) {
  if (!FS)
    FS = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(llvm::vfs::createPhysicalFileSystem().release());
  if (std::error_code Error = FS->setCurrentWorkingDirectory(Directory)) {
    Diags << "hk-opt: error: cannot work in '" << Directory << "': " << Error.message() << "\n";
    return nullptr;
  }
  return FS;
}

struct Setup {
  SourceRoots Roots;
  SideJob Device, Host;
  bool HasHost = false;
};

ParseStatus prepare(const Job &J, const FrontendOptions &Opts, bool HostSide, llvm::raw_ostream &Diags,
                    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> GivenFS, Setup &S) {
  S.Roots.Directory = workingDirectory(J);
  S.Roots.MainFile = J.File;
  S.Roots.RuntimeIncludes = Opts.RuntimeIncludes;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS = fileSystem(GivenFS, S.Roots.Directory, Diags);
  if (!FS)
    return ParseStatus::Unreadable;
  Commands Lines;
  if (ParseStatus Status = buildCommands(J, Opts, HostSide, FS, Diags, Lines); Status != ParseStatus::Ok)
    return Status;
  S.Roots.HipInclude = Lines.HipInclude;
  S.Device.Command = std::move(Lines.Device);
  S.Device.IsDevice = true;
  S.Host.Command = std::move(Lines.Host);
  S.HasHost = HostSide;
  for (SideJob *Side : {&S.Device, &S.Host}) {
    Side->Roots = &S.Roots;
    Side->FS = FS;
  }
  return ParseStatus::Ok;
}

/// Prints the errors of both sides, those of the host side only where they differ. True when there is none.
bool report(const Setup &S, const Job &J, llvm::raw_ostream &Diags) {
  S.Device.Diags->print(Diags);
  if (S.HasHost)
    S.Host.Diags->print(Diags, S.Device.Diags.get());
  bool Ok = true;
  auto Check = [&](const SideJob &Side, const char *Name) {
    if (Side.Crashed)
      Diags << "hk-opt: error: clang crashed on the " << Name << " side of '" << J.File << "'\n";
    else if (!Side.Ok && !Side.Diags->hasErrors())
      Diags << "hk-opt: error: clang gave up on the " << Name << " side of '" << J.File << "'\n";
    Ok &= Side.Ok;
  };
  Check(S.Device, "device");
  if (S.HasHost)
    Check(S.Host, "host");
  return Ok;
}

} // namespace

ParseStatus parse(const Job &J, const FrontendOptions &Opts, TranslationUnit &Out, llvm::raw_ostream &Diags,
                  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
  Out = TranslationUnit();
  Setup S;
  if (ParseStatus Status = prepare(J, Opts, Opts.HostSide, Diags, FS, S); Status != ParseStatus::Ok)
    return Status;
  SideJob &Launching = S.HasHost ? S.Host : S.Device;
  Launching.WantLaunches = true;
  S.Device.WantStatements = Opts.StatementLists;
  S.Device.WantTrees = Opts.KernelTrees;
  runSides(S.Device, S.HasHost ? &S.Host : nullptr);
  if (!report(S, J, Diags))
    return ParseStatus::Failed;

  Out.TheJob = J;
  Out.TheJob.Directory = S.Roots.Directory;
  Out.MainFile = absolutePath(S.Roots.Directory, J.File);
  Out.Kernels = std::move(S.Device.Facts.Kernels);
  Out.SyncCalls = std::move(S.Device.Facts.SyncCalls);
  Out.StatementLists = std::move(S.Device.Facts.StatementLists);
  Out.IncludePoints = std::move(S.Device.Facts.IncludePoints);
  Out.DisplayNames = std::move(S.Device.Facts.DisplayNames);
  Out.IsHip = S.Device.Facts.IsHip;
  Out.DefinesMain = Launching.Facts.DefinesMain;
  Out.Context = std::move(S.Device.Context);
  Out.Device = std::move(S.Device.Module);
  Out.Launches = std::move(Launching.Facts.Launches);
  // The host side does not know suffixes that relocatable device code adds.
  for (Launch &L : Out.Launches)
    if (const llvm::Function *F = Out.Device ? findKernel(*Out.Device, L.Kernel) : nullptr; F && !L.Kernel.empty())
      L.Kernel = F->getName().str();
    else
      L.Kernel.clear();
  for (const std::string &Name : Launching.Facts.Escaped)
    if (const llvm::Function *F = Out.Device ? findKernel(*Out.Device, Name) : nullptr)
      for (Kernel &K : Out.Kernels)
        if (F->getName() == K.Mangled)
          K.EscapesLaunch = true;
  if (!Out.IsHip) {
    Diags << "hk-opt: error: clang does not take '" << J.File << "' for HIP\n";
    return ParseStatus::NotHip;
  }
  return ParseStatus::Ok;
}

bool stillCompiles(const Job &J, const FrontendOptions &Opts, llvm::raw_ostream &Diags,
                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
  Setup S;
  if (prepare(J, Opts, /*HostSide=*/true, Diags, FS, S) != ParseStatus::Ok)
    return false;
  S.Device.SyntaxOnly = S.Host.SyntaxOnly = true;
  runSides(S.Device, &S.Host);
  return report(S, J, Diags);
}

} // namespace hk
