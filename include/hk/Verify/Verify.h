//===- Verify.h - Runs a file before and after its rewrite ------*- C++ -*-===//
//
// A program is run on the simulator in both versions, with a snapshot of device
// memory after each launch. Kernels of a file without main() are launched on
// inputs made up for them. What differs is found, bit for bit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Frontend/TranslationUnit.h"
#include "hk/Support/ErrorBound.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hk {

/// Of one launch that a person describes: `kernel: grid=4 block=256 n=1000 x=float[1024]`.
struct LaunchSpec {
  struct Param {
    enum KindTy { Number, Buffer, Same } Kind = Number;
    std::string Text;    ///< the number; the element type, empty for the parameter's own; the other parameter
    uint64_t Count = 0;  ///< elements of a buffer
    std::string Initial; ///< "zero", "iota", "MIN..MAX"; empty: as the case has it
    int64_t Offset = 0;  ///< elements that a pointer is behind the start of the other parameter's
  };
  std::string Kernel;
  std::optional<std::array<uint32_t, 3>> Grid, Block;
  std::optional<uint32_t> Lds;
  std::map<std::string, Param> Params;
  std::string Origin; ///< where it stands, for messages
};

llvm::Expected<LaunchSpec> parseLaunchSpec(llvm::StringRef Text, llvm::StringRef Origin);

struct VerifyOptions {
  unsigned Cases = 16;     ///< generated inputs a kernel
  unsigned Schedules = 2;  ///< orders of wavefronts; the first is that of running until one waits
  uint64_t Seed = 1;
  bool Races = true;       ///< a race that the original does not have is a difference
  bool AssumeNoAlias = false;
  bool AssumeLaunches = false;
  bool Gpu = false;        ///< compare what a GPU computes, too
  unsigned CaseSeconds = 60;   ///< a case that takes longer is none
  unsigned ProgramSeconds = 600;
  std::vector<std::string> Launches; ///< specifications
  std::vector<std::string> Kernels;  ///< only these; empty: all
  std::vector<std::string> RunArguments; ///< of the program
  std::optional<ErrorBound> Bound; ///< --error-bound, for all kernels
  /// What passes promise of a kernel or a device function, by its name as it is written. What they promise of a device
  /// function holds for all kernels.
  std::map<std::string, std::optional<ErrorBound>> Promised;
};

/// What of a parsed file is needed.
struct VerifyInput {
  Job TheJob;
  std::string MainFile;
  std::vector<Kernel> Kernels;
  std::vector<Launch> Launches;
  bool DefinesMain = false;
};

/// A file whose contents the rewrite replaces.
struct ReplacedFile {
  std::string Path;
  std::string Contents;
};

enum class VerifyStatus {
  Equal,
  NothingRan, ///< no difference, but a kernel or the program could not be compared at all
  Differs,
  Failed, ///< cannot build, cannot run; a message was printed
};

/// What results of \p K may be off by; nothing: bit for bit.
std::optional<ErrorBound> boundOf(const Kernel &K, const std::vector<Kernel> &All, const VerifyOptions &Opts);
/// A kernel is named by its mangled name, as it is written, or without template arguments and scopes.
bool isNamed(const Kernel &K, llvm::StringRef Name);

/// \p Report gets the result for people, errors included.
VerifyStatus verify(const VerifyInput &Input, const std::vector<ReplacedFile> &Rewritten, const FrontendOptions &Frontend,
                    const VerifyOptions &Opts, llvm::raw_ostream &Report);

} // namespace hk
