//===- Invocation.cpp - Compiler command lines of a job -------------------===//
//
// The user's flags go through clang's own driver, so that include paths, macros and defaults are those of a real
// build. What would change what is produced (outputs, optimization, debug information, other targets) is dropped
// first: the tool asks for its own.
//
//===----------------------------------------------------------------------===//
#include "Invocation.h"

#include "DiagnosticBuffer.h"

#include "hk/Config.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace clang;
using namespace llvm;

namespace hk::frontend {
namespace {

namespace opts = clang::options;

/// Old spellings that hipcc takes and clang does not, none of which matters to parsing.
bool isHipccOnly(StringRef Flag) {
  return Flag.starts_with("--amdgpu-target=") || Flag.starts_with("-amdgpu-target=") || Flag == "--genco" ||
         Flag == "-hc" || Flag.starts_with("--hipcc-") || Flag == "-use-staticlib" || Flag == "-use-sharedlib";
}

/// True for an option that says what to produce, and not how the source reads.
bool isDropped(const opt::Arg &A) {
  const opt::Option &O = A.getOption().getUnaliasedOption();
  for (unsigned Group : {opts::OPT_Action_Group, opts::OPT_M_Group, opts::OPT_O_Group, opts::OPT_g_Group,
                         opts::OPT_gN_Group, opts::OPT_g_flags_Group, opts::OPT_DebugInfo_Group, opts::OPT_Link_Group,
                         opts::OPT_R_Group, opts::OPT_internal_Group, opts::OPT_fsan_cov_Group})
    if (O.matches(Group))
      return true;
  switch (O.getID()) {
  case opts::OPT_INPUT:
  case opts::OPT__DASH_DASH:
  case opts::OPT_o:
  case opts::OPT_x:
  case opts::OPT_c:
  case opts::OPT_v:
  case opts::OPT_emit_llvm:
  case opts::OPT__HASH_HASH_HASH:
  case opts::OPT_help:
  case opts::OPT__version:
  case opts::OPT_version:
  case opts::OPT_w:
  case opts::OPT_resource_dir:
  case opts::OPT_resource_dir_EQ:
  case opts::OPT_Xlinker:
  case opts::OPT_Wl_COMMA:
  case opts::OPT_hip_link:
  case opts::OPT_pg:
    return true;
  default:
    break;
  }
  StringRef Name = O.getName();
  for (StringRef Prefix :
       {"save-temps", "offload-arch", "no-offload-arch", "offload-host", "offload-device", "offload=", "offload-compress",
        "no-offload-compress", "offload-new-driver", "no-offload-new-driver", "gpu-bundle-output",
        "no-gpu-bundle-output", "fhip-emit-relocatable", "cuda-device-only", "cuda-host-only",
        "cuda-compile-host-device", "fsanitize", "fno-sanitize", "flto", "fprofile", "fcoverage", "ftime-", "fxray",
        "finstrument", "fplugin", "fpass-plugin", "fproc-stat", "fcs-profile", "fmemory-profile", "serialize-diagnostics",
        "ffile-prefix-map", "fdebug-prefix-map", "fdebug-compilation-dir", "ffile-compilation-dir", "fuse-ld", "shared",
        "static", "rdynamic", "pipe", "gen-reproducer", "print-", "fcolor", "fno-color", "fdiagnostics", "parallel-jobs",
        "emit-static-lib", "foffload-lto", "dump", "no-default-config", "fdirectives-only", "mthin-link"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

struct Flags {
  std::vector<std::string> Kept;
  std::vector<std::string> Link;         ///< of the dropped ones: libraries and other words to the linker
  std::vector<std::string> Optimization; ///< of the dropped ones: -O
  std::string Language;         ///< of the last -x
  bool HasOffloadArch = false;
  bool HasRocmPath = false;     ///< --rocm-path or --hip-path
  bool HasWavefrontMacro = false;
  bool NoHipHeaders = false;    ///< -nogpuinc
  std::string RocmPath;
  std::string HipPath;
  std::string Missing; ///< an option whose argument is missing
};

Flags readFlags(const std::vector<std::string> &All) {
  std::vector<const char *> Raw;
  Flags F;
  for (const std::string &Flag : All) {
    if (isHipccOnly(Flag))
      F.HasOffloadArch |= StringRef(Flag).contains("amdgpu-target");
    else
      Raw.push_back(Flag.c_str());
  }
  unsigned MissingIndex = 0, MissingCount = 0;
  opt::InputArgList Args = getDriverOptTable().ParseArgs(Raw, MissingIndex, MissingCount,
                                                         opt::Visibility(opts::ClangOption));
  if (MissingCount)
    F.Missing = Raw[MissingIndex];
  opt::ArgStringList Rendered, Link, Optimization;
  for (const opt::Arg *A : Args) {
    const opt::Option O = A->getOption().getUnaliasedOption();
    if (O.matches(opts::OPT_x))
      F.Language = A->getValue();
    if (O.matches(opts::OPT_offload_arch_EQ) || O.matches(opts::OPT_hip_link))
      F.HasOffloadArch = true;
    if (O.matches(opts::OPT_rocm_path_EQ)) {
      F.HasRocmPath = true;
      F.RocmPath = A->getValue();
    }
    if (O.matches(opts::OPT_hip_path_EQ)) {
      F.HasRocmPath = true;
      F.HipPath = A->getValue();
    }
    if (O.matches(opts::OPT_no_offload_inc))
      F.NoHipHeaders = true;
    if (O.matches(opts::OPT_D) || O.matches(opts::OPT_U)) {
      StringRef Macro = StringRef(A->getValue()).split('=').first;
      F.HasWavefrontMacro |= Macro == "__AMDGCN_WAVEFRONT_SIZE";
    }
    // -Ofast also asks for fast math, which macros can see.
    if (O.matches(opts::OPT_Ofast))
      Rendered.push_back("-ffast-math");
    if (isDropped(*A)) {
      if (O.matches(opts::OPT_Link_Group) || O.getID() == opts::OPT_Wl_COMMA || O.getID() == opts::OPT_Xlinker)
        A->render(Args, Link);
      else if (O.matches(opts::OPT_O_Group))
        A->render(Args, Optimization);
      continue;
    }
    A->render(Args, Rendered);
  }
  F.Link.assign(Link.begin(), Link.end());
  F.Optimization.assign(Optimization.begin(), Optimization.end());
  if (F.Language == "none")
    F.Language.clear();
  F.Kept.assign(Rendered.begin(), Rendered.end());
  return F;
}

bool hasHip(vfs::FileSystem &FS, StringRef Root) {
  SmallString<256> Header(Root);
  sys::path::append(Header, "include", "hip", "hip_runtime.h");
  return FS.exists(Header);
}

/// The ROCm tree to use, when the flags do not name one. Empty when there is none.
std::string findRocm(const FrontendOptions &Opts, vfs::FileSystem &FS, std::string &Tried) {
  std::vector<std::string> Candidates;
  if (!Opts.RocmPath.empty())
    Candidates.push_back(Opts.RocmPath); // named by the user: no other will do
  else {
    if (std::optional<std::string> Env = sys::Process::GetEnv("ROCM_PATH"); Env && !Env->empty())
      Candidates.push_back(*Env);
    Candidates.push_back("/opt/rocm");
    if (StringRef(HK_DEFAULT_ROCM_PATH).size())
      Candidates.push_back(HK_DEFAULT_ROCM_PATH);
  }
  for (const std::string &Root : Candidates) {
    if (hasHip(FS, Root))
      return Root;
    Tried += (Tried.empty() ? "'" : ", '") + Root + "'";
  }
  return "";
}

std::string languageName(StringRef X) {
  return StringSwitch<std::string>(X)
      .Cases({"c++", "c++-header", "c++-cpp-output"}, "C++")
      .Cases({"c", "c-header"}, "C")
      .Cases({"cuda", "cuda-cpp-output"}, "CUDA")
      .Case("cl", "OpenCL")
      .Default("'" + X.str() + "'");
}

/// The macro that HIP headers want and that clang 22 no longer sets by itself.
std::string wavefrontSize(StringRef Target) { return Target.starts_with("gfx9") ? "64" : "32"; }

bool runDriver(std::vector<std::string> Args, StringRef What, IntrusiveRefCntPtr<vfs::FileSystem> FS,
               raw_ostream &Diags, std::vector<std::string> &Out) {
  SmallString<256> Clang(HK_CLANG_RESOURCE_DIR);
  sys::path::append(Clang, "..", "..", "..", "bin");
  sys::path::append(Clang, "clang++");
  sys::path::remove_dots(Clang, /*remove_dot_dot=*/true);

  DiagnosticOptions DiagOpts;
  DiagOpts.IgnoreWarnings = true;
  DiagnosticBuffer Buffer("hk-opt");
  DiagnosticsEngine Engine(DiagnosticIDs::create(), DiagOpts, &Buffer, /*ShouldOwnClient=*/false);
  Engine.setIgnoreAllWarnings(true);

  clang::driver::Driver D(Clang, sys::getDefaultTargetTriple(), Engine, "hk-opt", FS);
  D.setCheckInputsExist(false);
  std::vector<const char *> Argv{Clang.c_str(), "--driver-mode=g++", "--no-default-config"};
  for (const std::string &A : Args)
    Argv.push_back(A.c_str());
  std::unique_ptr<clang::driver::Compilation> C(D.BuildCompilation(Argv));
  Buffer.print(Diags);
  if (!C || C->containsError() || Buffer.hasErrors())
    return false;
  for (const clang::driver::Command &Cmd : C->getJobs()) {
    const opt::ArgStringList &A = Cmd.getArguments();
    if (A.empty() || StringRef(A.front()) != "-cc1")
      continue;
    Out.assign(std::next(A.begin()), A.end());
    return true;
  }
  Diags << "hk-opt: error: these flags give no " << What << " compilation\n";
  return false;
}

ParseStatus checkReadable(const std::string &File, vfs::FileSystem &FS, raw_ostream &Diags) {
  auto Fail = [&](const Twine &Why) {
    Diags << "hk-opt: error: cannot read '" << File << "': " << Why << "\n";
    return ParseStatus::Unreadable;
  };
  if (File.empty())
    return Fail("no file name");
  ErrorOr<vfs::Status> Status = FS.status(File);
  if (!Status)
    return Fail(Status.getError().message());
  if (Status->isDirectory())
    return Fail("it is a directory");
  if (!Status->isRegularFile())
    return Fail("it is not a regular file");
  ErrorOr<std::unique_ptr<vfs::File>> Opened = FS.openFileForRead(File);
  if (!Opened)
    return Fail(Opened.getError().message());
  return ParseStatus::Ok;
}

} // namespace

bool isHipcc(StringRef Program) {
  StringRef Name = sys::path::filename(Program);
  Name.consume_back(".exe");
  Name.consume_back(".bin");
  Name.consume_back(".pl");
  return Name == "hipcc";
}

std::vector<std::string> parsingFlags(const std::vector<std::string> &All, std::string &Language) {
  Flags F = readFlags(All);
  Language = F.Language;
  return F.Kept;
}

namespace {

/// The flags of \p J that both sides and a build share.
ParseStatus commonFlags(const Job &J, const FrontendOptions &Opts, vfs::FileSystem &FS, raw_ostream &Diags, Flags &F,
                        std::string &HipInclude, std::vector<std::string> &Common) {
  if (ParseStatus S = checkReadable(J.File, FS, Diags); S != ParseStatus::Ok)
    return S;

  F = readFlags(J.Arguments);
  if (!F.Missing.empty()) {
    Diags << "hk-opt: error: argument to '" << F.Missing << "' is missing\n";
    return ParseStatus::Failed;
  }

  std::string Extension = sys::path::extension(J.File).lower();
  if (!F.Language.empty() && F.Language != "hip") {
    Diags << "hk-opt: error: '" << J.File << "' is compiled as " << languageName(F.Language) << ", not HIP: '-x "
          << F.Language << "' is in the flags; use '-x hip'\n";
    return ParseStatus::NotHip;
  }
  if (F.Language.empty() && Extension != ".hip" && Extension != ".cu" && !F.HasOffloadArch) {
    Diags << "hk-opt: error: nothing says that '" << J.File << "' is HIP; add '-x hip' to the compiler flags: "
          << "hk-opt ... " << J.File << " -- -x hip\n";
    return ParseStatus::NotHip;
  }

  Common = F.Kept;
  if (!F.HasRocmPath && !F.NoHipHeaders) {
    std::string Tried;
    F.RocmPath = findRocm(Opts, FS, Tried);
    if (F.RocmPath.empty()) {
      Diags << "hk-opt: error: no HIP headers (include/hip/hip_runtime.h) in " << Tried
            << "; give the ROCm folder with '--rocm-path=DIR'\n";
      return ParseStatus::Failed;
    }
    Common.push_back("--rocm-path=" + F.RocmPath);
  } else if (!F.RocmPath.empty() && F.HipPath.empty() && !F.NoHipHeaders && !hasHip(FS, F.RocmPath)) {
    Diags << "hk-opt: error: no HIP headers (include/hip/hip_runtime.h) in '" << F.RocmPath
          << "', which '--rocm-path' names\n";
    return ParseStatus::Failed;
  }
  if (StringRef Root = F.HipPath.empty() ? F.RocmPath : F.HipPath; !Root.empty()) {
    SmallString<256> Include(Root);
    sys::path::append(Include, "include");
    HipInclude = std::string(Include);
  }

  std::string Wave = wavefrontSize(Opts.Target);
  if (!F.HasWavefrontMacro) {
    Common.push_back("-D__AMDGCN_WAVEFRONT_SIZE=" + Wave);
    Common.push_back("-D__AMDGCN_WAVEFRONT_SIZE__=" + Wave);
  }
  for (const std::string &Dir : Opts.RuntimeIncludes)
    Common.push_back("-I" + Dir);
  return ParseStatus::Ok;
}

} // namespace

ParseStatus buildCommands(const Job &J, const FrontendOptions &Opts, bool HostSide,
                          IntrusiveRefCntPtr<vfs::FileSystem> FS, raw_ostream &Diags, Commands &Out) {
  Flags F;
  std::vector<std::string> Common;
  if (ParseStatus S = commonFlags(J, Opts, *FS, Diags, F, Out.HipInclude, Common); S != ParseStatus::Ok)
    return S;
  Common.insert(Common.end(), {"-resource-dir", HK_CLANG_RESOURCE_DIR, "-nogpulib", "-w"});
  const std::vector<std::string> Input{"-x", "hip", "--", J.File};

  std::vector<std::string> Device = Common;
  Device.insert(Device.end(), {"--cuda-device-only", "--offload-arch=" + Opts.Target, "-S", "-emit-llvm", "-O1",
                               "-gline-tables-only", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names"});
  Device.insert(Device.end(), Input.begin(), Input.end());
  if (!runDriver(std::move(Device), "device", FS, Diags, Out.Device))
    return ParseStatus::Failed;

  if (HostSide) {
    std::vector<std::string> Host = Common;
    Host.insert(Host.end(), {"--cuda-host-only", "--offload-arch=" + Opts.Target, "-fsyntax-only"});
    Host.insert(Host.end(), Input.begin(), Input.end());
    if (!runDriver(std::move(Host), "host", FS, Diags, Out.Host))
      return ParseStatus::Failed;
  }
  return ParseStatus::Ok;
}

} // namespace hk::frontend

bool hk::buildFlags(const Job &J, const FrontendOptions &Opts, raw_ostream &Diags, BuildFlags &Out) {
  std::unique_ptr<vfs::FileSystem> FS = vfs::createPhysicalFileSystem();
  if (std::error_code EC = FS->setCurrentWorkingDirectory(J.Directory)) {
    Diags << "hk-opt: error: cannot use the folder '" << J.Directory << "': " << EC.message() << "\n";
    return false;
  }
  frontend::Flags F;
  std::string HipInclude;
  if (frontend::commonFlags(J, Opts, *FS, Diags, F, HipInclude, Out.Compile) != ParseStatus::Ok)
    return false;
  append_range(Out.Compile, F.Optimization);
  Out.Link = F.Link;
  return true;
}
