//===- Build.h - Both versions of a file as code ----------------*- C++ -*-===//
#pragma once

#include "hk/Verify/Verify.h"

#include <cstdint>

namespace hk::verification {

/// A folder that goes with the object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  std::string path(llvm::StringRef Name) const;
  bool ok() const { return !Folder.empty(); }

private:
  std::string Folder;
};

/// Calls clang as the file's own flags say, with other contents for some files.
class Builder {
public:
  Builder(const VerifyInput &Input, const FrontendOptions &Frontend, const std::vector<ReplacedFile> &Rewritten,
          const TemporaryFolder &Folder)
      : Input(Input), Frontend(Frontend), Rewritten(Rewritten), Folder(Folder) {}

  /// False after a message on \p Report.
  bool prepare(llvm::raw_ostream &Report);
  bool deviceCode(bool After, std::vector<uint8_t> &Out, llvm::raw_ostream &Report);
  /// A program that asks for the HIP library in \p LibraryFolder. What clang says goes to \p Diagnostics.
  bool program(bool After, llvm::StringRef LibraryFolder, std::string &Path, std::string &Diagnostics);

private:
  const VerifyInput &Input;
  const FrontendOptions &Frontend;
  const std::vector<ReplacedFile> &Rewritten;
  const TemporaryFolder &Folder;
  BuildFlags Flags;
  std::string Overlay;

  bool call(std::vector<std::string> Arguments, bool After, std::string &Diagnostics);
};

} // namespace hk::verification
