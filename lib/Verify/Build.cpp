//===- Build.cpp ----------------------------------------------------------===//
//
// Rewritten contents are laid over the files by clang's own overlay, so that
// both versions are compiled under the same names, from the same folder, and
// headers are found alike.
//
//===----------------------------------------------------------------------===//

#include "Build.h"

#include "Interrupt.h"

#include "hk/Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;
using namespace hk::verification;

TemporaryFolder::TemporaryFolder() {
  SmallString<128> Path;
  if (!sys::fs::createUniqueDirectory("hk-verify", Path)) {
    Folder = std::string(Path);
    removeFolderOnSignal(Folder);
  }
}

TemporaryFolder::~TemporaryFolder() {
  if (Folder.empty())
    return;
  sys::fs::remove_directories(Folder);
  keepFolder(Folder);
}

std::string TemporaryFolder::path(StringRef Name) const {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  return std::string(Path);
}

bool Builder::prepare(raw_ostream &Report) {
  if (!Folder.ok()) {
    Report << "hk-opt: error: cannot create a temporary folder\n";
    return false;
  }
  if (!buildFlags(Input.TheJob, Frontend, Report, Flags))
    return false;
  if (Rewritten.empty())
    return true;
  json::Array Roots;
  for (auto [N, R] : enumerate(Rewritten)) {
    std::string Copy = Folder.path("replaced-" + std::to_string(N));
    std::error_code EC;
    raw_fd_ostream OS(Copy, EC);
    OS << R.Contents;
    OS.close();
    if (EC || OS.has_error()) {
      Report << "hk-opt: error: cannot write '" << Copy << "'\n";
      OS.clear_error();
      return false;
    }
    Roots.push_back(json::Object{{"type", "file"}, {"name", R.Path}, {"external-contents", Copy}});
  }
  Overlay = Folder.path("overlay.yaml");
  std::error_code EC;
  raw_fd_ostream OS(Overlay, EC);
  OS << json::Value(json::Object{{"version", 0},
                                 {"case-sensitive", "true"},
                                 {"use-external-names", "false"},
                                 {"roots", std::move(Roots)}});
  if (EC) {
    Report << "hk-opt: error: cannot write '" << Overlay << "': " << EC.message() << "\n";
    return false;
  }
  return true;
}

bool Builder::call(std::vector<std::string> Arguments, bool After, std::string &Diagnostics) {
  SmallString<256> Clang(HK_LLVM_TOOLS_DIR);
  sys::path::append(Clang, "clang");
  std::vector<std::string> All{std::string(Clang), "--driver-mode=g++", "--no-default-config"};
  // What the user gives without -O is not what he ships.
  if (none_of(Flags.Compile, [](const std::string &F) { return StringRef(F).starts_with("-O"); }))
    All.push_back("-O3");
  append_range(All, Flags.Compile);
  // Names of parameters reach the code object's metadata that way.
  All.insert(All.end(), {"-w", "-gline-tables-only", "-fno-discard-value-names", "-fuse-cuid=none", "--offload-arch=" + Frontend.Target});
  if (After && !Overlay.empty())
    All.insert(All.end(), {"-ivfsoverlay", Overlay});
  append_range(All, Arguments);

  // clang runs in the job's folder, which relative paths in the flags start from.
  SmallString<256> Old;
  sys::fs::current_path(Old);
  std::string Log = Folder.path("clang.log");
  std::vector<StringRef> Argv(All.begin(), All.end());
  std::optional<StringRef> Redirects[] = {std::nullopt, StringRef(Log), StringRef(Log)};
  std::string Error;
  int Code = -1;
  if (std::error_code EC = sys::fs::set_current_path(Input.TheJob.Directory))
    Error = EC.message();
  else
    Code = runChild(Clang, Argv, std::nullopt, Redirects, 0, Error);
  sys::fs::set_current_path(Old);
  if (Code == 0)
    return true;
  Diagnostics = Error;
  if (auto Buffer = MemoryBuffer::getFile(Log))
    Diagnostics += (*Buffer)->getBuffer();
  return false;
}

bool Builder::deviceCode(bool After, std::vector<uint8_t> &Out, raw_ostream &Report) {
  std::string Path = Folder.path(After ? "after.o" : "before.o"), Diagnostics;
  if (!call({"--offload-device-only", "--no-gpu-bundle-output", "-c", "-o", Path, "-x", "hip", "--",
             Input.TheJob.File},
            After, Diagnostics)) {
    Report << "hk-opt: error: the device code of '" << Input.TheJob.File << "' " << (After ? "after" : "before")
           << " the rewrite cannot be built\n"
           << Diagnostics;
    return false;
  }
  auto Buffer = MemoryBuffer::getFile(Path, false, false);
  if (!Buffer) {
    Report << "hk-opt: error: cannot read '" << Path << "'\n";
    return false;
  }
  StringRef Bytes = (*Buffer)->getBuffer();
  Out.assign(Bytes.begin(), Bytes.end());
  return true;
}

bool Builder::program(bool After, StringRef LibraryFolder, std::string &Path, std::string &Diagnostics) {
  Path = Folder.path(After ? "after" : "before");
  std::vector<std::string> Arguments{"-o", Path, "-x", "hip", Input.TheJob.File, "-x", "none",
                                     ("-L" + LibraryFolder).str()};
  append_range(Arguments, Flags.Link);
  Arguments.push_back("-lamdhip64");
  return call(std::move(Arguments), After, Diagnostics);
}
