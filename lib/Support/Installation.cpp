//===- Installation.cpp ---------------------------------------------------===//

#include "hk/Support/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace llvm;
using namespace hk;

std::string hk::libraryFolder(StringRef Name, StringRef File) {
  std::string Self = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&libraryFolder));
  StringRef Prefix = sys::path::parent_path(sys::path::parent_path(Self));
  // The build has "lib", an installation may have "lib64" or "lib/x86_64-linux-gnu".
  for (StringRef Lib : {"lib", HK_INSTALL_LIBDIR}) {
    SmallString<128> Folder(Prefix);
    sys::path::append(Folder, Lib, Name);
    if (sys::fs::exists(Folder + "/" + File))
      return std::string(Folder);
  }
  return "";
}

std::string hk::standInFolder() {
  if (const char *Given = std::getenv("HK_SIM_LIBRARY_PATH"))
    return Given;
  return libraryFolder("hk-sim", "libamdhip64.so.6");
}
