//===- Main.cpp - hk-parse-dump: print what the front end finds -----------===//
//
// For the tests of the front end: kernels, launches, synchronization calls and include points as stable text.
//
//   hk-parse-dump [OPTION...] FILE... [-- FLAGS]
//
//   --no-host            device side only
//   --places             look up the place of each barrier in the IR, too
//   --check              say whether it compiles, and no more
//   --overlay=PATH=FILE  take the contents of FILE for those of PATH
//   --flags              print the flags of each job, and no more
//   --target=NAME, --rocm=DIR, --runtime=DIR, -p DIR  as for hk-opt
//
//===----------------------------------------------------------------------===//
#include "hk/Frontend/TranslationUnit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

const char *name(hk::Spelling S) {
  switch (S) {
  case hk::Spelling::File:
    return "file";
  case hk::Spelling::MacroArgument:
    return "macro-argument";
  case hk::Spelling::MacroBody:
    return "macro-body";
  }
  return "?";
}

const char *name(hk::SyncKind K) {
  switch (K) {
  case hk::SyncKind::Workgroup:
    return "workgroup";
  case hk::SyncKind::WorkgroupReduce:
    return "workgroup-reduce";
  case hk::SyncKind::CooperativeBlock:
    return "cooperative-block";
  case hk::SyncKind::RawBarrier:
    return "raw-barrier";
  case hk::SyncKind::WorkgroupLds:
    return "workgroup-lds";
  case hk::SyncKind::Wave:
    return "wave";
  }
  return "?";
}

const char *name(hk::LaunchForm F) {
  switch (F) {
  case hk::LaunchForm::Chevron:
    return "chevron";
  case hk::LaunchForm::LaunchKernelGGL:
    return "hipLaunchKernelGGL";
  case hk::LaunchForm::LaunchKernel:
    return "hipLaunchKernel";
  case hk::LaunchForm::Other:
    return "other";
  }
  return "?";
}

/// Folders differ from one machine to the next.
std::string base(StringRef Path) { return sys::path::filename(Path).str(); }
std::string shown(hk::SourcePlace P) {
  P.File = base(P.File);
  return P.str();
}

/// What a span covers, read from the file, on one line.
std::string shown(const hk::SourceSpan &S) {
  if (S.File.empty())
    return "none";
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(S.File);
  if (!Buffer || uint64_t(S.Offset) + S.Length > (*Buffer)->getBufferSize())
    return "bad span";
  std::string Text;
  for (char C : (*Buffer)->getBuffer().substr(S.Offset, S.Length))
    Text += C == '\n' ? std::string("\\n") : std::string(1, C);
  return "'" + Text + "'";
}

/// The line that an offset is on, and ":COL" unless it is its start.
std::string lineOf(StringRef File, unsigned Offset) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(File);
  if (!Buffer || Offset > (*Buffer)->getBufferSize())
    return "bad offset";
  StringRef Before = (*Buffer)->getBuffer().take_front(Offset);
  std::string Line = std::to_string(Before.count('\n') + 1);
  size_t Column = Before.size() - (Before.rfind('\n') + 1);
  return Column ? Line + ":" + std::to_string(Column + 1) : Line;
}

void printDim(const hk::LaunchDim &D) {
  switch (D.Kind) {
  case hk::LaunchDim::Unknown:
    outs() << "?";
    break;
  case hk::LaunchDim::Constant:
    outs() << D.Value;
    break;
  case hk::LaunchDim::Symbolic:
    outs() << "{" << D.Text << "}";
    break;
  }
}

void print(const hk::Kernel &K) {
  outs() << "kernel " << K.Mangled << " '" << K.Name << "' at " << shown(K.Place) << " body ";
  if (K.Body.File.empty())
    outs() << "none";
  else
    outs() << lineOf(K.Body.File, K.Body.Offset) << ".." << lineOf(K.Body.File, K.Body.Offset + K.Body.Length - 1);
  if (K.LaunchBoundsThreads)
    outs() << " bounds " << K.LaunchBoundsThreads;
  if (K.InHeader)
    outs() << " header";
  if (K.IsInstantiation)
    outs() << " instantiation";
  if (K.InternalLinkage)
    outs() << " internal";
  if (K.EscapesLaunch)
    outs() << " escapes";
  if (K.BodyHasConditionals)
    outs() << " conditionals";
  outs() << "\n";
  for (const hk::KernelParam &P : K.Params) {
    outs() << "  param " << (P.Name.empty() ? "-" : P.Name) << ": " << P.Type;
    if (P.IsPointer)
      outs() << " pointer";
    if (P.IsRestrict)
      outs() << " restrict";
    if (P.IsPointeeConst)
      outs() << " pointee-const";
    outs() << "\n";
  }
}

void print(const hk::Launch &L) {
  outs() << "launch " << (L.Kernel.empty() ? "-" : L.Kernel) << " at " << shown(L.Place) << " " << name(L.Form) << " "
         << name(L.Where) << " in '" << L.Caller << "' grid ";
  ListSeparator GridComma(","), BlockComma(",");
  for (const hk::LaunchDim &D : L.Grid) {
    outs() << GridComma;
    printDim(D);
  }
  outs() << " block ";
  for (const hk::LaunchDim &D : L.Block) {
    outs() << BlockComma;
    printDim(D);
  }
  outs() << " shared '" << L.SharedBytes << "' stream '" << L.Stream << "' args";
  for (const std::string &A : L.Arguments)
    outs() << " '" << A << "'";
  outs() << "\n";
}

void print(const hk::SyncCall &C) {
  outs() << "sync " << name(C.Kind) << " at " << shown(C.Place) << " '" << C.Text << "' in '" << C.Function << "' "
         << name(C.Where) << " call " << shown(C.Call) << " statement "
         << (C.Statement ? shown(*C.Statement) : std::string("none"));
  if (C.ResultUsed)
    outs() << " result-used";
  if (C.InHeader)
    outs() << " header";
  if (C.InTemplate)
    outs() << " template";
  if (C.InLambda)
    outs() << " lambda";
  if (C.FunctionHasConditionals)
    outs() << " conditionals";
  if (C.Ambiguous)
    outs() << " ambiguous";
  outs() << "\n";
}

void print(const hk::IncludePoint &P) {
  outs() << "include-point " << base(P.File) << ":" << lineOf(P.File, P.Offset) << (P.AtTopLevel ? "" : " nested") << " includes";
  for (const std::string &I : P.Included)
    outs() << " " << I;
  outs() << "\n";
}

/// Calls of barriers in the IR whose place no record has: the keys of the two must agree.
void printUnmatched(const hk::TranslationUnit &TU) {
  unsigned Matched = 0;
  for (const Function &F : *TU.Device)
    for (const BasicBlock &B : F)
      for (const Instruction &I : B) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (!Callee)
          continue;
        StringRef Name = Callee->getName();
        bool IsSyncThreads = Name.starts_with("_Z1") && Name.contains("__syncthreads"); // in no namespace
        if (!IsSyncThreads && !Name.contains("s.barrier") && !Name.contains("wave.barrier") &&
            !Name.contains("cooperative_groups12thread_block4sync") && !Name.contains("2hk4sync"))
          continue;
        const DILocation *Loc = I.getDebugLoc().get();
        hk::SourcePlace P = TU.place(Loc);
        if (TU.syncCall(P))
          ++Matched;
        else if (P.File.find("/include/hip/") == std::string::npos && P.File.find("hk/sync.h") == std::string::npos)
          outs() << "unmatched " << Name << " at " << shown(P) << "\n";
      }
  outs() << "matched " << Matched << "\n";
}

} // namespace

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  hk::FrontendOptions Opts;
  std::vector<std::string> Files, Flags;
  std::string Database;
  bool Check = false, Places = false, InFlags = false, ShowFlags = false;
  IntrusiveRefCntPtr<vfs::InMemoryFileSystem> Memory;
  for (int I = 1; I < Argc; ++I) {
    StringRef A = Argv[I];
    if (InFlags)
      Flags.push_back(A.str());
    else if (A == "--")
      InFlags = true;
    else if (A == "--no-host")
      Opts.HostSide = false;
    else if (A == "--check")
      Check = true;
    else if (A == "--places")
      Places = true;
    else if (A == "--flags")
      ShowFlags = true;
    else if (A.consume_front("--overlay=")) {
      auto [Path, File] = A.split('=');
      ErrorOr<std::unique_ptr<MemoryBuffer>> Contents = MemoryBuffer::getFile(File);
      if (!Contents) {
        errs() << "cannot read '" << File << "'\n";
        return 1;
      }
      if (!Memory)
        Memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
      Memory->addFile(Path, 0, std::move(*Contents));
    } else if (A.consume_front("--target="))
      Opts.Target = A.str();
    else if (A.consume_front("--rocm="))
      Opts.RocmPath = A.str();
    else if (A.consume_front("--runtime="))
      Opts.RuntimeIncludes.push_back(A.str());
    else if (A == "-p" && I + 1 < Argc)
      Database = Argv[++I];
    else
      Files.push_back(A.str());
  }

  std::vector<hk::Job> Jobs;
  if (std::string Error = hk::makeJobs(Files, Database, Flags, Jobs); !Error.empty()) {
    errs() << "hk-opt: error: " << Error << "\n";
    return 1;
  }
  IntrusiveRefCntPtr<vfs::FileSystem> FS;
  if (Memory) {
    IntrusiveRefCntPtr<vfs::FileSystem> Disk(vfs::createPhysicalFileSystem().release());
    auto Overlay = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Disk);
    Overlay->pushOverlay(Memory);
    FS = Overlay;
  }
  int Status = 0;
  for (const hk::Job &J : Jobs) {
    if (ShowFlags) {
      outs() << "flags";
      for (const std::string &A : J.Arguments)
        outs() << " " << A;
      outs() << "\n";
      continue;
    }
    if (Check) {
      bool Ok = hk::stillCompiles(J, Opts, errs(), FS);
      outs() << (Ok ? "compiles\n" : "does not compile\n");
      Status |= !Ok;
      continue;
    }
    hk::TranslationUnit TU;
    hk::ParseStatus S = hk::parse(J, Opts, TU, errs(), FS);
    if (S != hk::ParseStatus::Ok) {
      outs() << (S == hk::ParseStatus::Failed ? "failed" : S == hk::ParseStatus::NotHip ? "not HIP" : "unreadable")
             << "\n";
      Status = 1;
      continue;
    }
    outs() << "file " << base(TU.MainFile) << (TU.DefinesMain ? " main" : "") << "\n";
    for (const hk::Kernel &K : TU.Kernels)
      print(K);
    for (const hk::Launch &L : TU.Launches)
      print(L);
    for (const hk::SyncCall &C : TU.SyncCalls)
      print(C);
    for (const hk::IncludePoint &P : TU.IncludePoints)
      print(P);
    if (Places)
      printUnmatched(TU);
  }
  return Status;
}
