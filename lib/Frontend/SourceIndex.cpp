//===- SourceIndex.cpp - Places, spans and text of one parsed side --------===//
#include "SourceIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace llvm;

namespace hk::frontend {

std::string absolutePath(StringRef Directory, StringRef Path) {
  SmallString<256> Result(Path);
  if (!sys::path::is_absolute(Result)) {
    Result = Directory;
    sys::path::append(Result, Path);
  }
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

SourceIndex::SourceIndex(const ASTContext &Context, const SourceRoots &Roots)
    : Context(Context), SM(Context.getSourceManager()), LangOpts(Context.getLangOpts()), Roots(Roots),
      Main(absolutePath(Roots.Directory, Roots.MainFile)) {
  // The first name of a file is the one that places use, so that "a.h" and "./a.h" do not give two keys.
  Names.emplace(Main, Roots.MainFile);
  for (unsigned I = 1, E = SM.local_sloc_entry_size(); I < E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile())
      continue;
    if (OptionalFileEntryRef File = Entry.getFile().getContentCache().OrigEntry)
      addName(File->getName());
  }
  // #line directives bring names that no file has.
  if (SM.hasLineTable()) {
    LineTableInfo &Lines = const_cast<SourceManager &>(SM).getLineTable();
    for (unsigned I = 0, E = Lines.getNumFilenames(); I != E; ++I)
      addName(Lines.getFilename(I));
  }
}

void SourceIndex::addName(StringRef Presumed) {
  Names.emplace(absolutePath(Roots.Directory, Presumed), Presumed.str());
}

SourcePlace SourceIndex::place(SourceLocation Loc) const {
  if (Loc.isInvalid())
    return {};
  PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(Loc));
  if (P.isInvalid())
    return {};
  auto It = Names.find(absolutePath(Roots.Directory, P.getFilename()));
  return {It == Names.end() ? std::string(P.getFilename()) : It->second, P.getLine(), P.getColumn()};
}

const std::string &SourceIndex::path(FileID File) const {
  auto [It, New] = Paths.try_emplace(File);
  if (New)
    if (OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File))
      It->second = File == SM.getMainFileID() ? Main : absolutePath(Roots.Directory, Entry->getName());
  return It->second;
}

bool SourceIndex::isForeign(FileID File) const {
  auto Cached = Foreign.find(File);
  if (Cached != Foreign.end())
    return Cached->second;
  bool Result = true;
  const std::string &Path = path(File);
  if (!Path.empty() && File != SM.getMainFileID()) {
    auto Under = [&](StringRef Root, StringRef Folder) {
      SmallString<256> Prefix(absolutePath(Roots.Directory, Root));
      sys::path::append(Prefix, Folder, "");
      return StringRef(Path).starts_with(Prefix);
    };
    Result = SrcMgr::isSystem(SM.getFileCharacteristic(SM.getLocForStartOfFile(File)));
    // -I of the HIP headers makes them look like the user's.
    Result |= !Roots.HipInclude.empty() && Under(Roots.HipInclude, "hip");
    for (const std::string &Runtime : Roots.RuntimeIncludes)
      Result |= Under(Runtime, "hk");
  } else if (File == SM.getMainFileID()) {
    Result = false;
  }
  Foreign[File] = Result;
  return Result;
}

bool SourceIndex::isForeign(SourceLocation Loc) const {
  return Loc.isInvalid() || isForeign(SM.getFileID(SM.getFileLoc(Loc)));
}

bool SourceIndex::inMainFile(SourceLocation Loc) const {
  return Loc.isValid() && SM.getFileID(SM.getFileLoc(Loc)) == SM.getMainFileID();
}

Written SourceIndex::written(SourceRange Range) const {
  Written W;
  SourceLocation Begin = Range.getBegin(), End = Range.getEnd();
  if (Begin.isInvalid() || End.isInvalid())
    return W;
  W.Where = Spelling::File;
  // Both ends go up through the same macro calls, each time out of an argument; text that is in an argument only in
  // part has its other part in a macro's body.
  while (Begin.isMacroID() || End.isMacroID()) {
    W.Where = Spelling::MacroArgument;
    if (!Begin.isMacroID() || !End.isMacroID() || !SM.isMacroArgExpansion(Begin) || !SM.isMacroArgExpansion(End) ||
        SM.getImmediateExpansionRange(Begin).getBegin() != SM.getImmediateExpansionRange(End).getBegin()) {
      W.Where = Spelling::MacroBody;
      return W;
    }
    Begin = SM.getImmediateSpellingLoc(Begin);
    End = SM.getImmediateSpellingLoc(End);
  }
  auto [BeginFile, BeginOffset] = SM.getDecomposedLoc(Begin);
  auto [EndFile, EndOffset] = SM.getDecomposedLoc(End);
  if (BeginFile != EndFile || EndOffset < BeginOffset || path(BeginFile).empty()) {
    W.Where = Spelling::MacroBody;
    return W;
  }
  unsigned Last = Lexer::MeasureTokenLength(End, SM, LangOpts);
  W.Span = {path(BeginFile), BeginOffset, EndOffset + Last - BeginOffset};
  return W;
}

StringRef SourceIndex::text(const SourceSpan &Span, FileID File) const {
  return SM.getBufferData(File).substr(Span.Offset, Span.Length);
}

std::string SourceIndex::textOf(const Stmt *S) const {
  CharSourceRange Range =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(S->getSourceRange()), SM, LangOpts);
  if (Range.isValid()) {
    bool Invalid = false;
    StringRef Text = Lexer::getSourceText(Range, SM, LangOpts, &Invalid);
    if (!Invalid && !Text.empty())
      return Text.str();
  }
  std::string Text;
  raw_string_ostream OS(Text);
  S->printPretty(OS, nullptr, Context.getPrintingPolicy());
  return Text;
}

std::string SourceIndex::macroName(SourceRange Range) const {
  if (!Range.getBegin().isMacroID())
    return "";
  SourceLocation Call = SM.getFileLoc(Range.getBegin());
  // Text that is put together from a body and arguments is the outermost macro's.
  if (Call != SM.getFileLoc(Range.getEnd()))
    Call = SM.getExpansionLoc(Range.getBegin());
  SmallString<64> Buffer;
  return Lexer::getSpelling(Call, Buffer, SM, LangOpts).str();
}

bool SourceIndex::before(SourceLocation A, SourceLocation B) const {
  A = SM.getFileLoc(A);
  B = SM.getFileLoc(B);
  return A != B && SM.isBeforeInTranslationUnit(A, B);
}

} // namespace hk::frontend
