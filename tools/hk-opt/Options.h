//===- Options.h - The command line of hk-opt -------------------*- C++ -*-===//
#pragma once

#include "hk/Frontend/TranslationUnit.h"
#include "hk/Passes/Pass.h"
#include "hk/Verify/Verify.h"

#include <optional>
#include <string>
#include <vector>

namespace hk {

enum class Command { Rewrite, Verify, Facts };

struct ToolOptions {
  Command Run = Command::Rewrite;
  std::vector<std::string> Files;
  std::vector<std::string> CompilerFlags; ///< after --
  std::string Database;                   ///< -p
  FrontendOptions Frontend;
  PassOptions Passes;
  std::vector<std::string> PassNames; ///< --passes; empty: all
  std::string Output;                 ///< -o
  std::string OutDir;                 ///< --out-dir
  bool InPlace = false;               ///< -i
  bool Headers = false;               ///< --headers
  bool Check = false;                 ///< --check
  bool Quiet = false;                 ///< --quiet
  bool Diff = false;                  ///< --diff
  std::string ExportFixes;            ///< --export-fixes
  std::string Sarif;                  ///< --sarif
  bool Verify = false;                ///< rewrite --verify
  std::string Against;                ///< --against
  VerifyOptions Verification;
};

/// Exit statuses; see docs/command-line.md.
enum ExitStatus { ExitDone = 0, ExitFailed = 1, ExitUsage = 2, ExitWouldChange = 3, ExitDiffers = 4 };

/// Parses the command line. Returns an exit status when the program should end now (after --help, or an error that was
/// printed).
std::optional<int> parseCommandLine(int Argc, const char *const *Argv, ToolOptions &Out);

int runRewrite(const ToolOptions &Opts);
int runVerify(const ToolOptions &Opts);
int runFacts(const ToolOptions &Opts);

} // namespace hk
