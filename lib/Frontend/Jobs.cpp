//===- Jobs.cpp - Files and the flags they are built with -----------------===//
#include "hk/Frontend/TranslationUnit.h"

#include "Invocation.h"
#include "SourceIndex.h"

#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace hk {
namespace {

std::string currentDirectory() {
  SmallString<256> Path;
  sys::fs::current_path(Path);
  return std::string(Path);
}

/// Replaces each @FILE by the flags in it. Returns an error text.
std::string expandResponseFiles(std::vector<std::string> &Flags, StringRef Directory) {
  if (none_of(Flags, [](const std::string &F) { return F.size() > 1 && F[0] == '@'; }))
    return "";
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  SmallVector<const char *, 32> Args;
  for (const std::string &F : Flags)
    Args.push_back(Saver.save(F).data());
  cl::ExpansionContext Context(Allocator, cl::TokenizeGNUCommandLine);
  std::unique_ptr<vfs::FileSystem> FS = vfs::createPhysicalFileSystem();
  FS->setCurrentWorkingDirectory(Directory);
  Context.setVFS(FS.get()).setCurrentDir(Directory).setRelativeNames(true);
  if (Error E = Context.expandResponseFiles(Args))
    return toString(std::move(E));
  Flags.assign(Args.begin(), Args.end());
  // clang takes a name that is no file for an input; here it can only be a mistake.
  for (const std::string &F : Flags)
    if (F.size() > 1 && F[0] == '@')
      return "cannot read response file '" + F.substr(1) + "'";
  return "";
}

/// What a database entry runs: wrappers such as ccache go, then the compiler.
std::vector<std::string> withoutCompiler(const std::vector<std::string> &Command, std::string &Compiler) {
  size_t I = 0;
  auto IsWrapper = [](StringRef Program) {
    StringRef Name = sys::path::filename(Program);
    return Name == "ccache" || Name == "sccache" || Name == "distcc" || Name == "icecc";
  };
  while (I + 1 < Command.size() && IsWrapper(Command[I]))
    ++I;
  if (I < Command.size())
    Compiler = Command[I++];
  return {Command.begin() + I, Command.end()};
}

} // namespace

std::string makeJobs(const std::vector<std::string> &Files, StringRef DatabaseDir,
                     const std::vector<std::string> &Flags, std::vector<Job> &Out) {
  const std::string Here = currentDirectory();
  if (DatabaseDir.empty()) {
    std::vector<std::string> Expanded = Flags;
    if (std::string Error = expandResponseFiles(Expanded, Here); !Error.empty())
      return Error;
    for (const std::string &File : Files)
      Out.push_back({File, Here, Expanded});
    return "";
  }

  SmallString<256> Path(DatabaseDir);
  if (!sys::fs::is_regular_file(Path) || sys::path::extension(Path) != ".json")
    sys::path::append(Path, "compile_commands.json");
  std::string Message;
  std::unique_ptr<clang::tooling::JSONCompilationDatabase> Database =
      clang::tooling::JSONCompilationDatabase::loadFromFile(Path, Message,
                                                            clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!Database) {
    StringRef Why = StringRef(Message).trim();
    return ("cannot read the compilation database '" + Path + "': " + Why).str();
  }
  std::vector<std::string> Extra = Flags;
  if (std::string Error = expandResponseFiles(Extra, Here); !Error.empty())
    return Error;

  for (const std::string &File : Files) {
    std::string Absolute = frontend::absolutePath(Here, File);
    std::vector<clang::tooling::CompileCommand> Commands = Database->getCompileCommands(Absolute);
    if (Commands.empty())
      return ("'" + File + "' is not in the compilation database '" + Path + "'").str();
    for (const clang::tooling::CompileCommand &Command : Commands) {
      std::string Compiler, Language;
      std::vector<std::string> Raw = withoutCompiler(Command.CommandLine, Compiler);
      if (std::string Error = expandResponseFiles(Raw, Command.Directory); !Error.empty())
        return "in the entry of '" + File + "': " + Error;
      Raw.insert(Raw.end(), Extra.begin(), Extra.end());
      Job J;
      J.File = Command.Filename;
      J.Directory = frontend::absolutePath(Here, Command.Directory);
      J.Arguments = frontend::parsingFlags(Raw, Language);
      if (Language.empty() && frontend::isHipcc(Compiler))
        Language = "hip";
      if (!Language.empty())
        J.Arguments.insert(J.Arguments.end(), {"-x", Language});
      Out.push_back(std::move(J));
    }
  }
  return "";
}

} // namespace hk
