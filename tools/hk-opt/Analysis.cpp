//===- Analysis.cpp -------------------------------------------------------===//

#include "Analysis.h"

#include "hk/Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;

FrontendOptions hk::frontendOptions(const ToolOptions &Opts) {
  FrontendOptions F = Opts.Frontend;
  // Installed or in the build tree: the headers next to the executable come first.
  std::string Self = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&hk::frontendOptions));
  SmallString<256> Installed(sys::path::parent_path(Self));
  sys::path::append(Installed, HK_INSTALL_RUNTIME_INCLUDE);
  sys::path::remove_dots(Installed, /*remove_dot_dot=*/true);
  F.RuntimeIncludes.push_back(sys::fs::is_directory(Installed) ? std::string(Installed)
                                                               : HK_SOURCE_RUNTIME_INCLUDE);
  return F;
}

bool hk::jobsOf(const ToolOptions &Opts, std::vector<Job> &Out) {
  std::string Error = makeJobs(Opts.Files, Opts.Database, Opts.CompilerFlags, Out);
  if (Error.empty())
    return true;
  WithColor::error(errs(), "hk-opt") << Error << "\n";
  return false;
}

std::unique_ptr<AnalyzedUnit> hk::analyzeJob(const Job &J, const ToolOptions &Opts,
                                             IntrusiveRefCntPtr<vfs::FileSystem> FS) {
  auto A = std::make_unique<AnalyzedUnit>();
  hk::FrontendOptions Frontend = frontendOptions(Opts);
  Frontend.StatementLists = Opts.Passes.InsertBarriers;
  Frontend.KernelTrees = is_contained(Opts.PassNames, "coalesce");
  if (parse(J, Frontend, A->Unit, errs(), FS) != ParseStatus::Ok)
    return nullptr;
  StringMap<WorkgroupShape> Shapes;
  for (const Kernel &K : A->Unit.Kernels)
    Shapes[K.Mangled] = workgroupShape(A->Unit, K, Opts.Passes.AssumeLaunches);
  if (!A->Unit.Device)
    return A;
  A->Pipeline = std::make_unique<DevicePipeline>(*A->Unit.Device, Opts.Frontend.Target);
  std::string Error = A->Pipeline->run(Shapes);
  if (!Error.empty()) {
    WithColor::error(errs(), "hk-opt") << J.File << ": " << Error << "\n";
    return nullptr;
  }
  for (const Kernel &K : A->Unit.Kernels)
    if (Function *F = A->Unit.Device->getFunction(K.Mangled); F && !F->isDeclaration())
      A->Kernels.push_back(
          std::make_unique<KernelFacts>(*F, K, A->Unit, Shapes[K.Mangled], *A->Pipeline));
  return A;
}
