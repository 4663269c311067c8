//===- UnifiedDiff.cpp - Rewritten files as a patch -----------------------===//

#include "hk/Rewrite/Output.h"

#include "LineDiff.h"
#include "Paths.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;

static constexpr unsigned Context = 3;

/// A name as `patch` reads it back: it ends a plain one at the first blank unless a tab follows,
/// and takes C escapes in a quoted one.
static std::string patchName(StringRef Side, StringRef Name) {
  std::string Path = (Side + "/" + Name).str();
  auto NeedsQuotes = [](unsigned char C) { return C < 0x20 || C == 0x7f || C == '"' || C == '\\'; };
  if (none_of(Path, NeedsQuotes))
    return StringRef(Path).contains(' ') ? Path + "\t" : Path;
  std::string Quoted = "\"";
  for (unsigned char C : Path) {
    if (C == '"' || C == '\\') {
      Quoted += '\\';
      Quoted += C;
    } else if (NeedsQuotes(C)) {
      Quoted += '\\';
      for (int Shift : {6, 3, 0})
        Quoted += '0' + ((C >> Shift) & 7);
    } else {
      Quoted += C;
    }
  }
  return Quoted + "\"";
}

static void printLine(raw_ostream &OS, char Mark, StringRef Line) {
  OS << Mark << Line;
  if (!Line.ends_with("\n"))
    OS << "\n\\ No newline at end of file\n";
}

/// "12,3"; an empty range is named by the line before it.
static std::string range(unsigned Begin, unsigned End) {
  unsigned Count = End - Begin;
  std::string Result = utostr(Count == 0 ? Begin : Begin + 1);
  return Count == 1 ? Result : Result + "," + utostr(Count);
}

static void printHunk(raw_ostream &OS, ArrayRef<StringRef> A, ArrayRef<StringRef> B,
                      ArrayRef<LineChange> Changes) {
  unsigned Leading = std::min(Context, Changes.front().ABegin);
  unsigned Trailing = std::min<unsigned>(Context, A.size() - Changes.back().AEnd);
  OS << "@@ -" << range(Changes.front().ABegin - Leading, Changes.back().AEnd + Trailing) << " +"
     << range(Changes.front().BBegin - Leading, Changes.back().BEnd + Trailing) << " @@\n";
  unsigned Next = Changes.front().ABegin - Leading;
  for (const LineChange &C : Changes) {
    for (; Next < C.ABegin; ++Next)
      printLine(OS, ' ', A[Next]);
    for (; Next < C.AEnd; ++Next)
      printLine(OS, '-', A[Next]);
    for (unsigned I = C.BBegin; I < C.BEnd; ++I)
      printLine(OS, '+', B[I]);
  }
  for (unsigned I = 0; I < Trailing; ++I)
    printLine(OS, ' ', A[Next + I]);
}

void hk::printUnifiedDiff(raw_ostream &OS, const std::vector<RewrittenFile> &Files,
                          StringRef Root) {
  for (const RewrittenFile &F : Files) {
    std::vector<StringRef> A = splitLines(F.Before), B = splitLines(F.After);
    std::vector<LineChange> Changes = diffLines(A, B);
    if (Changes.empty())
      continue;
    std::string Name;
    if (auto Relative = pathUnder(Root, F.Path))
      Name = *Relative;
    else
      Name = sys::path::relative_path(sys::path::convert_to_slash(absolutePath(F.Path))).str();
    OS << "--- " << patchName("a", Name) << "\n+++ " << patchName("b", Name) << '\n';

    ArrayRef<LineChange> Rest = Changes;
    while (!Rest.empty()) {
      size_t Count = 1;
      // Changes whose context would touch or overlap share a hunk.
      while (Count < Rest.size() && Rest[Count].ABegin - Rest[Count - 1].AEnd <= 2 * Context)
        ++Count;
      printHunk(OS, A, B, Rest.take_front(Count));
      Rest = Rest.drop_front(Count);
    }
  }
}
