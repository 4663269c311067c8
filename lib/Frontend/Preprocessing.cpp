//===- Preprocessing.cpp - Directives seen while parsing ------------------===//
#include "Preprocessing.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Token.h"

using namespace clang;

namespace hk::frontend {
namespace {

class Recorder : public PPCallbacks {
public:
  Recorder(const SourceManager &SM, Directives &Out) : SM(SM), Out(Out) {}

  void If(SourceLocation Loc, SourceRange, ConditionValueKind) override { open(Loc); }
  void Ifdef(SourceLocation Loc, const Token &, const MacroDefinition &) override { open(Loc); }
  void Ifndef(SourceLocation Loc, const Token &Name, const MacroDefinition &) override {
    FileState &F = open(Loc);
    // A file that starts with #ifndef X / #define X has a guard; what is in it is not conditional.
    if (F.Directives == 1) {
      F.GuardName = Name.getIdentifierInfo();
      F.GuardIf = Loc;
    }
  }
  void Elif(SourceLocation Loc, SourceRange, ConditionValueKind, SourceLocation) override { branch(Loc); }
  void Elifdef(SourceLocation Loc, const Token &, const MacroDefinition &) override { branch(Loc); }
  void Elifdef(SourceLocation Loc, SourceRange, SourceLocation) override { branch(Loc); }
  void Elifndef(SourceLocation Loc, const Token &, const MacroDefinition &) override { branch(Loc); }
  void Elifndef(SourceLocation Loc, SourceRange, SourceLocation) override { branch(Loc); }
  void Else(SourceLocation Loc, SourceLocation) override { branch(Loc); }
  void Endif(SourceLocation Loc, SourceLocation IfLoc) override {
    FileState &F = seen(Loc);
    if (IfLoc == F.GuardIf)
      F.GuardIf = SourceLocation();
    else if (F.Depth)
      --F.Depth;
  }

  void MacroDefined(const Token &Name, const MacroDirective *) override {
    SourceLocation Loc = Name.getLocation();
    if (!Loc.isFileID())
      return;
    FileState &F = seen(Loc);
    if (F.Directives != 2 || !F.GuardName)
      return;
    if (F.GuardName != Name.getIdentifierInfo() || F.GuardIf.isInvalid())
      return;
    Out.GuardDefine[SM.getFileID(Loc)] = Loc;
    --F.Depth;
    // The guard itself is no conditional of the code in it.
    for (size_t I = Out.Conditionals.size(); I--;)
      if (Out.Conditionals[I] == F.GuardIf) {
        Out.Conditionals.erase(Out.Conditionals.begin() + I);
        break;
      }
  }

  void PragmaDirective(SourceLocation Loc, PragmaIntroducerKind) override {
    if (!Loc.isFileID())
      return;
    FileID File = SM.getFileID(Loc);
    unsigned Offset = SM.getFileOffset(Loc);
    llvm::StringRef Line = SM.getBufferData(File).substr(Offset);
    Line = Line.take_until([](char C) { return C == '\n'; });
    if (Line.consume_front("#") && (Line = Line.ltrim()).consume_front("pragma") && Line.ltrim().starts_with("once"))
      Out.PragmaOnce.try_emplace(File, Loc);
    else
      seen(Loc);
  }

  void InclusionDirective(SourceLocation Hash, const Token &, llvm::StringRef Name, bool, CharSourceRange Range,
                          OptionalFileEntryRef, llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    if (!Hash.isFileID())
      return;
    FileState &F = seen(Hash);
    SourceLocation End = SM.getFileLoc(Range.getEnd());
    if (End.isInvalid() || SM.getFileID(End) != SM.getFileID(Hash))
      End = Hash;
    Out.Includes[SM.getFileID(Hash)].push_back({Hash, End, Name.str(), F.Depth});
  }

private:
  struct FileState {
    unsigned Directives = 0;
    unsigned Depth = 0;
    const IdentifierInfo *GuardName = nullptr;
    SourceLocation GuardIf;
  };
  const SourceManager &SM;
  Directives &Out;
  llvm::DenseMap<FileID, FileState> Files;

  FileState &seen(SourceLocation Loc) {
    FileState &F = Files[SM.getFileID(Loc)];
    ++F.Directives;
    return F;
  }
  FileState &open(SourceLocation Loc) {
    Out.Conditionals.push_back(Loc);
    FileState &F = seen(Loc);
    ++F.Depth;
    return F;
  }
  void branch(SourceLocation Loc) {
    Out.Conditionals.push_back(Loc);
    seen(Loc);
  }
};

} // namespace

bool Directives::conditionalIn(SourceRange Range, const SourceManager &SM) const {
  SourceLocation Begin = Range.getBegin(), End = Range.getEnd();
  if (Begin.isInvalid() || End.isInvalid() || Begin.isMacroID() || End.isMacroID())
    return false;
  // Seen in the order of the translation unit.
  auto It = std::partition_point(Conditionals.begin(), Conditionals.end(), [&](SourceLocation Loc) {
    return SM.isBeforeInTranslationUnit(Loc, Begin);
  });
  return It != Conditionals.end() && SM.isBeforeInTranslationUnit(*It, End);
}

std::unique_ptr<PPCallbacks> recordDirectives(const SourceManager &SM, Directives &Out) {
  return std::make_unique<Recorder>(SM, Out);
}

} // namespace hk::frontend
