//===- Side.h - Parsing one side of a file ----------------------*- C++ -*-===//
//
// Private to the front end.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Collect.h"
#include "SourceIndex.h"

#include <functional>
#include <memory>

namespace hk::frontend {

class DiagnosticBuffer;

/// One compilation of a file, for the device or for the host.
struct SideJob {
  std::vector<std::string> Command; ///< cc1 arguments
  const SourceRoots *Roots = nullptr;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS;
  bool IsDevice = false;
  bool SyntaxOnly = false;  ///< collect nothing
  bool WantLaunches = false;
  bool WantStatements = false;
  bool WantTrees = false; ///< of kernels

  // Results.
  std::unique_ptr<DiagnosticBuffer> Diags;
  SideFacts Facts;
  std::unique_ptr<llvm::LLVMContext> Context; ///< device only
  std::unique_ptr<llvm::Module> Module;       ///< device only
  bool Ok = false;
  bool Crashed = false;

  SideJob();
  ~SideJob();
};

/// Runs clang on \p Job. A crash in it is caught and leaves Crashed set.
void runSide(SideJob &Job);

/// Runs both at the same time, each on a thread with a stack that deep templates need. \p Second may be null.
void runSides(SideJob &First, SideJob *Second);

} // namespace hk::frontend
