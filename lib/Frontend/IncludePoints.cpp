//===- IncludePoints.cpp - Where runtime headers may be included ----------===//
#include "Collect.h"
#include "Preprocessing.h"
#include "SourceIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hk::frontend {
namespace {

/// Files that hold the text of device code, and where the first declaration of each file starts.
class DeviceFileFinder : public RecursiveASTVisitor<DeviceFileFinder> {
  const SourceIndex &Index;

public:
  std::set<FileID> Files;
  llvm::DenseMap<FileID, unsigned> FirstDecl;

  explicit DeviceFileFinder(const SourceIndex &Index) : Index(Index) {}

  bool TraverseStmt(Stmt *) { return true; }
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }

  bool TraverseDecl(Decl *D) {
    if (!D || isa<TranslationUnitDecl>(D))
      return RecursiveASTVisitor::TraverseDecl(D);
    SourceLocation Begin = D->getBeginLoc();
    if (Begin.isInvalid() || Index.isForeign(Begin))
      return true;
    auto [File, Offset] = Index.SM.getDecomposedLoc(Index.SM.getFileLoc(Begin));
    // A declaration's attributes and template header are before its begin in some cases; the line decides later.
    auto [It, New] = FirstDecl.try_emplace(File, Offset);
    if (!New)
      It->second = std::min(It->second, Offset);
    return RecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitFunctionDecl(FunctionDecl *F) {
    if (!F->doesThisDeclarationHaveABody() || !(F->hasAttr<CUDAGlobalAttr>() || F->hasAttr<CUDADeviceAttr>()))
      return true;
    Files.insert(Index.SM.getFileID(Index.SM.getFileLoc(F->getLocation())));
    return true;
  }
};

/// Reads the tokens of a file as they are, comments included.
class RawTokens {
public:
  RawTokens(const SourceIndex &Index, FileID File, unsigned Offset)
      : SM(Index.SM), Buffer(Index.SM.getBufferData(File)),
        Lex(Index.SM.getLocForStartOfFile(File), Index.LangOpts, Buffer.begin(), Buffer.begin() + Offset, Buffer.end()) {
    Lex.SetCommentRetentionState(true);
  }
  Token next() {
    Token T;
    Lex.LexFromRawLexer(T);
    return T;
  }
  unsigned offset(const Token &T) const { return SM.getFileOffset(T.getLocation()); }
  unsigned end(const Token &T) const { return offset(T) + T.getLength(); }

private:
  const SourceManager &SM;
  StringRef Buffer;
  Lexer Lex;
};

/// The start of the line after \p Offset, which is inside a directive: comments that start on its line belong to it.
unsigned afterLine(const SourceIndex &Index, FileID File, unsigned Offset) {
  StringRef Buffer = Index.SM.getBufferData(File);
  unsigned End = Offset;
  RawTokens Tokens(Index, File, Offset);
  for (bool First = true;; First = false) {
    Token T = Tokens.next();
    // The lexer takes the place where it starts for the start of a line.
    if (T.is(tok::eof) || (!First && T.isAtStartOfLine()) ||
        (First && Buffer.slice(Offset, Tokens.offset(T)).contains('\n')))
      break;
    End = Tokens.end(T);
  }
  size_t Newline = Buffer.find('\n', End);
  return Newline == StringRef::npos ? unsigned(Buffer.size()) : unsigned(Newline + 1);
}

unsigned lineStart(StringRef Buffer, unsigned Offset) {
  size_t Newline = Buffer.substr(0, Offset).rfind('\n');
  return Newline == StringRef::npos ? 0 : unsigned(Newline + 1);
}

/// For a file without includes: behind the comment that opens it and its include guard, but before a comment that
/// belongs to the first declaration.
unsigned afterOpening(const SourceIndex &Index, FileID File, unsigned Start) {
  StringRef Buffer = Index.SM.getBufferData(File);
  unsigned Point = Start;
  if (Start == 0 && Buffer.starts_with("\xEF\xBB\xBF"))
    Point = 3;
  RawTokens Tokens(Index, File, Start);
  bool AnyGroup = Start != 0;
  unsigned GroupEnd = 0;
  unsigned Previous = Point;
  for (;;) {
    Token T = Tokens.next();
    bool IsComment = T.is(tok::comment);
    StringRef Between = Buffer.slice(Previous, T.is(tok::eof) ? Buffer.size() : Tokens.offset(T));
    bool BlankLine = Between.count('\n') > 1 || T.is(tok::eof);
    if (GroupEnd && (BlankLine || (!IsComment && !AnyGroup))) {
      // A group of comments that stands by itself, or the only one.
      size_t Newline = Buffer.find('\n', GroupEnd);
      // A comment before code on one line opens nothing.
      if (Newline != StringRef::npos && (T.is(tok::eof) || Newline < Tokens.offset(T)))
        Point = unsigned(Newline + 1);
      AnyGroup = true;
    }
    if (!IsComment)
      return Point;
    GroupEnd = Previous = Tokens.end(T);
    // A // comment ends before its newline.
  }
}

unsigned insertionOffset(const SourceIndex &Index, const Directives &Lines, FileID File, std::optional<unsigned> FirstDecl) {
  const SourceManager &SM = Index.SM;
  StringRef Buffer = SM.getBufferData(File);
  unsigned Limit = FirstDecl ? *FirstDecl : unsigned(Buffer.size());
  const IncludeDirective *Last = nullptr;
  if (auto It = Lines.Includes.find(File); It != Lines.Includes.end())
    for (const IncludeDirective &I : It->second)
      if (I.Depth == 0 && SM.getFileOffset(I.Hash) < Limit)
        Last = &I;
  if (Last)
    return afterLine(Index, File, SM.getFileOffset(Last->End));
  unsigned Start = 0;
  if (auto It = Lines.GuardDefine.find(File); It != Lines.GuardDefine.end())
    Start = std::max(Start, afterLine(Index, File, SM.getFileOffset(It->second)));
  if (auto It = Lines.PragmaOnce.find(File); It != Lines.PragmaOnce.end())
    Start = std::max(Start, afterLine(Index, File, SM.getFileOffset(It->second)));
  // Behind the guard no further comment opens the file.
  unsigned Point = Start ? Start : afterOpening(Index, File, 0);
  return Point <= Limit ? Point : lineStart(Buffer, Limit);
}

/// True unless some declaration is open where the file is included.
bool atTopLevel(const SourceIndex &Index, FileID File) {
  const SourceManager &SM = Index.SM;
  for (SourceLocation At = SM.getIncludeLoc(File); At.isValid() && At.isFileID();
       At = SM.getIncludeLoc(SM.getFileID(At))) {
    for (const Decl *D : Index.Context.getTranslationUnitDecl()->decls()) {
      SourceRange Range = D->getSourceRange();
      if (Range.isInvalid())
        continue;
      SourceLocation Begin = SM.getFileLoc(Range.getBegin()), End = SM.getFileLoc(Range.getEnd());
      // Most declarations are in one file that is not the includer.
      if (SM.getFileID(Begin) == SM.getFileID(End) && SM.getFileID(Begin) != SM.getFileID(At))
        continue;
      if (SM.isBeforeInTranslationUnit(Begin, At) && SM.isBeforeInTranslationUnit(At, End))
        return false;
    }
  }
  return true;
}

} // namespace

std::vector<IncludePoint> collectIncludePoints(const SourceIndex &Index, const Directives &Lines) {
  DeviceFileFinder Finder(Index);
  Finder.TraverseDecl(Index.Context.getTranslationUnitDecl());
  Finder.Files.insert(Index.SM.getMainFileID());

  std::vector<IncludePoint> Points;
  std::map<std::string, size_t> ByFile;
  for (FileID File : Finder.Files) {
    const std::string &Path = Index.path(File);
    if (Path.empty() || Index.isForeign(File))
      continue;
    IncludePoint P;
    P.File = Path;
    auto First = Finder.FirstDecl.find(File);
    P.Offset = insertionOffset(Index, Lines, File,
                               First == Finder.FirstDecl.end() ? std::nullopt : std::optional(First->second));
    P.AtTopLevel = atTopLevel(Index, File);
    if (auto It = Lines.Includes.find(File); It != Lines.Includes.end())
      for (const IncludeDirective &I : It->second)
        if (I.Depth == 0) // the others may be missing in another configuration
          P.Included.push_back(I.Name);
    auto [It, New] = ByFile.try_emplace(Path, Points.size());
    if (New) {
      Points.push_back(std::move(P));
      continue;
    }
    // Included more than once: what holds must hold each time.
    IncludePoint &Known = Points[It->second];
    Known.AtTopLevel &= P.AtTopLevel && P.Offset == Known.Offset;
  }
  llvm::sort(Points, [&](const IncludePoint &A, const IncludePoint &B) {
    bool AMain = A.File == Index.mainPath(), BMain = B.File == Index.mainPath();
    return AMain != BMain ? AMain : A.File < B.File;
  });
  return Points;
}

} // namespace hk::frontend
