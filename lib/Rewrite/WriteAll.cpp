//===- WriteAll.cpp - Write files all or not at all -----------------------===//
//
// Everything that can fail for want of room or permission happens before the first target changes:
// each new text is written to a temporary in the folder of its target. What is left are renames.
// Before each but the last, the target gets a second name, and if a later step fails it is renamed
// back: the very same file, with its times and owner. Devices and pipes cannot be taken back and so
// are written last.
//
//===----------------------------------------------------------------------===//

#include "hk/Rewrite/Output.h"

#include "Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <map>

using namespace llvm;
using namespace hk;

namespace {

struct Target {
  std::string Path; // links followed
  StringRef Contents;
  sys::fs::file_status Status; // of the file to be replaced
  bool Exists = false;
  bool IsDevice = false; // anything that is written to instead of replaced
  bool Done = false;
  std::string Temporary;
  std::string Backup;
};

class Transaction {
public:
  ~Transaction();
  /// Each returns an error text, or empty.
  std::string prepare(const PendingFile &File);
  std::string commit();

private:
  std::vector<Target> Targets;
  std::map<std::string, size_t> ByRealPath;
  std::vector<std::string> MadeFolders; // outermost first
  bool Committed = false;

  std::string makeFolder(StringRef Folder);
  std::string writeTemporary(Target &T);
  std::string replace(Target &T, bool KeepBackup);
  std::string rollback();
};

} // namespace

static std::string cannotWrite(StringRef Path, StringRef Reason) {
  return ("cannot write '" + Path + "': " + Reason).str();
}

static std::string cannotWrite(StringRef Path, std::error_code Error) {
  return cannotWrite(Path, Error.message());
}

/// A name in the folder of \p Path that no other run uses. The folder is on the same file system,
/// so renaming from there is atomic.
static std::string siblingName(StringRef Path, StringRef Suffix) {
  static unsigned Count = 0;
  SmallString<256> Result(sys::path::parent_path(Path));
  sys::path::append(Result, ".hk-opt-" + utostr(sys::Process::getProcessId()) + "-" +
                                utostr(Count++) + Suffix);
  return Result.str().str();
}

/// Follows links also where the file they end at does not exist yet. Stops inside /proc, where
/// /dev/stdout leads: those links name open files, not paths.
static std::error_code followLinks(std::string &Path) {
  namespace fs = std::filesystem;
  for (int Depth = 0; Depth < 40; ++Depth) {
    std::error_code Error;
    if (!fs::is_symlink(fs::symlink_status(Path, Error)) || StringRef(Path).starts_with("/proc/"))
      return {};
    fs::path To = fs::read_symlink(Path, Error);
    if (Error)
      return Error;
    Path = To.is_absolute() ? To.string() : (fs::path(Path).parent_path() / To).string();
  }
  return std::make_error_code(std::errc::too_many_symbolic_link_levels);
}

static std::error_code writeTo(int FD, StringRef Contents) {
  raw_fd_ostream OS(FD, /*shouldClose=*/true);
  OS << Contents;
  OS.close();
  std::error_code Error = OS.error();
  // An error that nobody has seen ends the program.
  OS.clear_error();
  return Error;
}

Transaction::~Transaction() {
  for (Target &T : Targets) {
    for (const std::string *Name : {&T.Temporary, &T.Backup})
      if (!Name->empty())
        sys::fs::remove(*Name);
    if (!T.Temporary.empty())
      sys::DontRemoveFileOnSignal(T.Temporary);
  }
  if (!Committed)
    for (const std::string &Folder : reverse(MadeFolders))
      sys::fs::remove(Folder);
}

std::string Transaction::makeFolder(StringRef Folder) {
  if (Folder.empty() || sys::fs::exists(Folder))
    return {};
  std::string Error = makeFolder(sys::path::parent_path(Folder));
  if (!Error.empty())
    return Error;
  // What mkdir gives; LLVM's default shuts others out.
  if (std::error_code Code =
          sys::fs::create_directory(Folder, /*IgnoreExisting=*/true, sys::fs::all_all))
    return ("cannot make folder '" + Folder + "': " + Code.message()).str();
  MadeFolders.push_back(Folder.str());
  return {};
}

std::string Transaction::prepare(const PendingFile &File) {
  Target T;
  T.Path = File.Path;
  T.Contents = File.Contents;
  if (T.Path.empty())
    return cannotWrite(T.Path, "the name is empty");
  if (std::error_code Error = followLinks(T.Path))
    return cannotWrite(File.Path, Error);

  auto [Known, New] = ByRealPath.try_emplace(realPath(T.Path), Targets.size());
  if (!New) {
    if (Targets[Known->second].Contents == T.Contents)
      return {};
    return cannotWrite(File.Path, "it is to be written twice, with different contents");
  }

  std::error_code Error = sys::fs::status(T.Path, T.Status);
  T.Exists = !Error;
  if (Error && Error != std::errc::no_such_file_or_directory)
    return cannotWrite(File.Path, Error);
  if (T.Exists) {
    if (T.Status.type() == sys::fs::file_type::directory_file)
      return cannotWrite(File.Path, "it is a folder");
    // Renaming needs no permission on the file itself, but whoever protects a file from writing
    // means it.
    if (std::error_code Denied = sys::fs::access(T.Path, sys::fs::AccessMode::Write))
      return cannotWrite(File.Path, Denied);
    T.IsDevice = T.Status.type() != sys::fs::file_type::regular_file ||
                 StringRef(T.Path).starts_with("/proc/");
  }
  if (T.Exists && !T.IsDevice) {
    auto Old = MemoryBuffer::getFile(T.Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    // Build tools go by a file's time: one that stays the same is left alone.
    T.Done = Old && (*Old)->getBuffer() == T.Contents;
  }
  Targets.push_back(std::move(T));
  Target &Last = Targets.back();
  if (Last.IsDevice || Last.Done)
    return {};
  std::string Failure = makeFolder(sys::path::parent_path(Last.Path));
  return Failure.empty() ? writeTemporary(Last) : Failure;
}

std::string Transaction::writeTemporary(Target &T) {
  int FD = -1;
  std::string Name = siblingName(T.Path, ".tmp");
  if (std::error_code Error =
          sys::fs::openFile(Name, FD, sys::fs::CD_CreateNew, sys::fs::FA_Write, sys::fs::OF_None))
    return cannotWrite(T.Path, Error);
  T.Temporary = Name;
  sys::RemoveFileOnSignal(T.Temporary);
  if (T.Exists) {
#ifdef LLVM_ON_UNIX
    // Only root may give files away; anybody else writes files of their own, mostly.
    (void)sys::fs::changeFileOwnership(FD, T.Status.getUser(), T.Status.getGroup());
#endif
    if (std::error_code Error = sys::fs::setPermissions(FD, T.Status.permissions())) {
      sys::Process::SafelyCloseFileDescriptor(FD);
      return cannotWrite(T.Path, Error);
    }
  }
  if (std::error_code Error = writeTo(FD, T.Contents))
    return cannotWrite(T.Path, Error);
  return {};
}

std::string Transaction::replace(Target &T, bool KeepBackup) {
  if (T.IsDevice) {
    int FD = -1;
    std::error_code Error = sys::fs::openFile(T.Path, FD, sys::fs::CD_OpenExisting,
                                              sys::fs::FA_Write, sys::fs::OF_Append);
    if (!Error)
      Error = writeTo(FD, T.Contents);
    return Error ? cannotWrite(T.Path, Error) : std::string();
  }
  if (T.Exists && KeepBackup) {
    std::string Name = siblingName(T.Path, ".orig");
    std::error_code Error = sys::fs::create_hard_link(T.Path, Name);
    if (Error) {
      // Some file systems have no hard links.
      Error = sys::fs::copy_file(T.Path, Name);
      if (!Error)
        Error = sys::fs::setPermissions(Name, T.Status.permissions());
      if (Error) {
        sys::fs::remove(Name);
        return cannotWrite(T.Path, Error);
      }
    }
    T.Backup = Name;
  }
  if (std::error_code Error = sys::fs::rename(T.Temporary, T.Path))
    return cannotWrite(T.Path, Error);
  sys::DontRemoveFileOnSignal(T.Temporary);
  T.Temporary.clear();
  T.Done = true;
  return {};
}

std::string Transaction::rollback() {
  std::string Failures;
  for (Target &T : reverse(Targets)) {
    if (!T.Done || T.IsDevice)
      continue;
    std::error_code Error;
    if (!T.Backup.empty())
      Error = sys::fs::rename(T.Backup, T.Path);
    else if (!T.Exists)
      Error = sys::fs::remove(T.Path);
    if (Error && !T.Backup.empty())
      Failures += "; '" + T.Path + "' could not be restored (" + Error.message() +
                  "), its original text is in '" + T.Backup + "'";
    else if (Error)
      Failures += "; '" + T.Path + "' could not be removed again (" + Error.message() + ")";
    T.Backup.clear();
  }
  return Failures;
}

std::string Transaction::commit() {
  std::vector<Target *> Steps;
  for (Target &T : Targets)
    if (!T.Done && !T.IsDevice)
      Steps.push_back(&T);
  for (Target &T : Targets)
    if (T.IsDevice)
      Steps.push_back(&T);
  for (Target *T : Steps) {
    std::string Error = replace(*T, /*KeepBackup=*/T != Steps.back());
    if (!Error.empty())
      return Error + rollback();
  }
  Committed = true;
  return {};
}

std::string hk::writeAll(const std::vector<PendingFile> &Files) {
  Transaction All;
  for (const PendingFile &File : Files) {
    std::string Error = All.prepare(File);
    if (!Error.empty())
      return Error;
  }
  return All.commit();
}
