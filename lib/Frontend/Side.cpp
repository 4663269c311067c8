//===- Side.cpp - Parsing one side of a file ------------------------------===//
//
// The device side generates IR and collects from the AST in one parse. The AST does not outlive it.
//
//===----------------------------------------------------------------------===//
#include "Side.h"

#include "DiagnosticBuffer.h"
#include "Preprocessing.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/thread.h"

using namespace clang;

namespace hk::frontend {
namespace {

/// Collects when the translation unit is complete. Runs after the code generator, which makes the module final then.
class Collector : public ASTConsumer {
public:
  Collector(SideJob &Job, const Directives &Lines, CodeGenerator *CodeGen, const CompilerInstance &CI)
      : Job(Job), Lines(Lines), CodeGen(CodeGen), CI(CI) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    Job.Facts.IsHip = Context.getLangOpts().HIP;
    if (CI.getDiagnostics().hasErrorOccurred())
      return;
    SourceIndex Index(Context, *Job.Roots);
    Job.Facts.DisplayNames = Index.displayNames();
    for (const Decl *D : Context.getTranslationUnitDecl()->decls())
      if (const auto *F = dyn_cast<FunctionDecl>(D))
        Job.Facts.DefinesMain |= F->isMain() && F->isThisDeclarationADefinition();
    if (Job.IsDevice) {
      if (const llvm::Module *Module = CodeGen->GetModule())
        Job.Facts.Kernels = collectKernels(Index, Lines, *Module, Job.WantTrees);
      Job.Facts.SyncCalls = collectSyncCalls(Index, Lines);
      if (Job.WantStatements)
        Job.Facts.StatementLists = collectStatements(Index);
      Job.Facts.IncludePoints = collectIncludePoints(Index, Lines);
    }
    if (Job.WantLaunches)
      collectLaunches(Index, Job.Facts);
  }

private:
  SideJob &Job;
  const Directives &Lines;
  CodeGenerator *CodeGen;
  const CompilerInstance &CI;
};

class SideAction : public ASTFrontendAction {
public:
  explicit SideAction(SideJob &Job) : Job(Job) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef File) override {
    if (Job.SyntaxOnly)
      return std::make_unique<ASTConsumer>();
    CI.getPreprocessor().addPPCallbacks(recordDirectives(CI.getSourceManager(), Lines));
    std::vector<std::unique_ptr<ASTConsumer>> Consumers;
    if (Job.IsDevice) {
      std::unique_ptr<CodeGenerator> Generator = CreateLLVMCodeGen(CI, File, *Job.Context);
      CodeGen = Generator.get();
      Consumers.push_back(std::move(Generator));
    }
    Consumers.push_back(std::make_unique<Collector>(Job, Lines, CodeGen, CI));
    return std::make_unique<MultiplexConsumer>(std::move(Consumers));
  }

  void EndSourceFileAction() override {
    if (CodeGen)
      Job.Module.reset(CodeGen->ReleaseModule().release());
  }

private:
  SideJob &Job;
  Directives Lines;
  CodeGenerator *CodeGen = nullptr; ///< the consumer owns it
};

/// What a command line may ask for beyond parsing, from -Xclang flags for instance, is none of this tool's business.
void restrict(CompilerInvocation &Invocation, const SideJob &Job) {
  clang::FrontendOptions &Frontend = Invocation.getFrontendOpts();
  Frontend.Plugins.clear();
  Frontend.PluginArgs.clear();
  Frontend.AddPluginActions.clear();
  Frontend.ActionName.clear();
  Frontend.ShowStats = false;
  Frontend.OutputFile.clear();
  Frontend.DisableFree = false;
  Invocation.getDependencyOutputOpts() = DependencyOutputOptions();

  DiagnosticOptions &Diags = Invocation.getDiagnosticOpts();
  Diags.IgnoreWarnings = true;
  Diags.ShowColors = false;
  Diags.VerifyDiagnostics = false;
  Diags.DiagnosticLogFile.clear();
  Diags.DiagnosticSerializationFile.clear();

  // A precompiled header of another compiler cannot be read; the header that it was made from can.
  PreprocessorOptions &PP = Invocation.getPreprocessorOpts();
  llvm::StringRef Precompiled = PP.ImplicitPCHInclude;
  if (Precompiled.consume_back(".pch") || Precompiled.consume_back(".gch")) {
    std::string Header = Precompiled.str();
    if (!llvm::is_contained(PP.Includes, Header) && Job.FS->exists(Header))
      PP.Includes.insert(PP.Includes.begin(), Header);
  }
  PP.ImplicitPCHInclude.clear();

  CodeGenOptions &CodeGen = Invocation.getCodeGenOpts();
  CodeGen.OptimizationLevel = 1;
  CodeGen.DisableLLVMPasses = true;
  CodeGen.DiscardValueNames = false;
  CodeGen.ClearASTBeforeBackend = false;
  CodeGen.DebugPrefixMap.clear();
  CodeGen.DebugCompilationDir = Job.Roots->Directory;
  CodeGen.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  CodeGen.DebugColumnInfo = true;
}

void compile(SideJob &Job) {
  DiagnosticOptions StartOpts;
  DiagnosticsEngine Start(DiagnosticIDs::create(), StartOpts, Job.Diags.get(), /*ShouldOwnClient=*/false);
  Start.setIgnoreAllWarnings(true);
  std::vector<const char *> Arguments;
  for (const std::string &A : Job.Command)
    Arguments.push_back(A.c_str());
  auto Invocation = std::make_shared<CompilerInvocation>();
  if (!CompilerInvocation::CreateFromArgs(*Invocation, Arguments, Start))
    return;
  restrict(*Invocation, Job);

  // On the heap, so that what a crash leaves behind stays where others point to it.
  auto CI = std::make_unique<CompilerInstance>(std::move(Invocation));
  CI->createVirtualFileSystem(Job.FS, Job.Diags.get());
  CI->createDiagnostics(Job.Diags.get(), /*ShouldOwnClient=*/false);
  CI->setVerboseOutputStream(llvm::nulls());
  auto Action = std::make_unique<SideAction>(Job);
  bool Done = CI->ExecuteAction(*Action);
  Job.Ok = Done && !Job.Diags->hasErrors();
}

} // namespace

SideJob::SideJob() : Diags(std::make_unique<DiagnosticBuffer>("hk-opt")) {}
SideJob::~SideJob() = default;

void runSide(SideJob &Job) {
  if (Job.IsDevice && !Job.SyntaxOnly) {
    Job.Context = std::make_unique<llvm::LLVMContext>();
    Job.Context->setDiscardValueNames(false);
  }
  llvm::CrashRecoveryContext Recovery;
  if (Recovery.RunSafely([&] { compile(Job); }))
    return;
  // What the crash left behind cannot be destroyed safely.
  Job.Crashed = true;
  Job.Ok = false;
  (void)Job.Module.release();
  (void)Job.Context.release();
}

void runSides(SideJob &First, SideJob *Second) {
  static const bool Enabled = (llvm::CrashRecoveryContext::Enable(), true);
  (void)Enabled;
  constexpr unsigned StackBytes = 64u << 20; // address space only, until used
  llvm::thread A(std::optional<unsigned>(StackBytes), [&] { runSide(First); });
  if (Second) {
    llvm::thread B(std::optional<unsigned>(StackBytes), [&] { runSide(*Second); });
    B.join();
  }
  A.join();
}

} // namespace hk::frontend
