//===- Main.cpp - hk-opt --------------------------------------------------===//

#include "Options.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/TargetSelect.h"

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  // Parsing needs the host's target and AMDGPU; analyses ask the latter for its cost model.
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmParsers();

  hk::ToolOptions Opts;
  if (std::optional<int> Stop = hk::parseCommandLine(Argc, Argv, Opts))
    return *Stop;
  return Opts.Run == hk::Command::Facts ? hk::runFacts(Opts) : hk::runRewrite(Opts);
}
