//===- Statements.cpp - Statement lists of device code --------------------===//
//
// Only lists whose statements are all spelled in the file: between statements that a macro makes there is no place to
// insert one.
//
//===----------------------------------------------------------------------===//
#include "Collect.h"
#include "SourceIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hk::frontend {
namespace {

class StatementFinder : public DynamicRecursiveASTVisitor {
  const SourceIndex &Index;
  std::set<std::pair<std::string, unsigned>> Seen; ///< instantiations repeat their pattern's lists

public:
  std::vector<StatementList> Lists;

  explicit StatementFinder(const SourceIndex &Index) : Index(Index) { ShouldVisitTemplateInstantiations = false; }

  bool TraverseDecl(Decl *D) override {
    if (D && !isa<TranslationUnitDecl>(D) && Index.isForeign(D->getLocation()))
      return true;
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitCompoundStmt(CompoundStmt *Body) override {
    const SourceManager &SM = Index.SM;
    if (Body->getLBracLoc().isMacroID() || Body->body_empty())
      return true;
    StatementList List;
    FileID File = SM.getFileID(Body->getLBracLoc());
    List.File = Index.path(File);
    List.InHeader = !Index.inMainFile(Body->getLBracLoc());
    for (const Stmt *S : Body->body()) {
      SourceLocation From = S->getBeginLoc();
      // __shared__ and the like are macros: a statement that begins with one begins where the macro is used.
      if (From.isMacroID() && Lexer::isAtStartOfMacroExpansion(From, SM, Index.LangOpts))
        From = SM.getExpansionLoc(From);
      if (From.isMacroID() || SM.getFileID(From) != File)
        return true;
      List.Items.push_back({Index.place(From), Index.place(S->getEndLoc()), SM.getFileOffset(From)});
    }
    if (!List.File.empty() && Seen.insert({List.File, SM.getFileOffset(Body->getLBracLoc())}).second)
      Lists.push_back(std::move(List));
    return true;
  }
};

} // namespace

std::vector<StatementList> collectStatements(const SourceIndex &Index) {
  StatementFinder Finder(Index);
  Finder.TraverseDecl(Index.Context.getTranslationUnitDecl());
  return std::move(Finder.Lists);
}

} // namespace hk::frontend
