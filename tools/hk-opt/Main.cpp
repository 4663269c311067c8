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
  llvm::InitializeAllDisassemblers();

  hk::ToolOptions Opts;
  if (std::optional<int> Stop = hk::parseCommandLine(Argc, Argv, Opts))
    return *Stop;
  switch (Opts.Run) {
  case hk::Command::Facts:
    return hk::runFacts(Opts);
  case hk::Command::Verify:
    return hk::runVerify(Opts);
  case hk::Command::Rewrite:
    return hk::runRewrite(Opts);
  }
}
