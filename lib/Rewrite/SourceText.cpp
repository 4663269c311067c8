//===- SourceText.cpp - Lines and columns of source text ------------------===//

#include "SourceText.h"

#include "Paths.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace hk;

unsigned hk::byteOrderMarkLength(StringRef Text) {
  return Text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

StringRef hk::lineEnding(StringRef Text) {
  size_t All = Text.count('\n');
  size_t Crlf = Text.count("\r\n");
  return Crlf > All - Crlf ? "\r\n" : "\n";
}

std::string hk::withLineEnding(StringRef Text, StringRef Ending) {
  std::string Result;
  Result.reserve(Text.size());
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    if (End == StringRef::npos)
      break;
    StringRef Line = Text.take_front(End);
    Line.consume_back("\r");
    Result += Line;
    Result += Ending;
    Text = Text.drop_front(End + 1);
  }
  Result += Text;
  return Result;
}

LineColumn hk::lineColumnAt(StringRef Text, unsigned Offset) {
  StringRef Before = Text.take_front(Offset);
  size_t LastEnd = Before.rfind('\n');
  LineColumn Result;
  Result.Line = Before.count('\n') + 1;
  Result.Column = Before.size() - (LastEnd == StringRef::npos ? 0 : LastEnd + 1) + 1;
  return Result;
}

unsigned hk::countCodePoints(StringRef Text) {
  unsigned Count = 0;
  for (size_t I = 0; I < Text.size(); ++Count) {
    auto *Begin = reinterpret_cast<const UTF8 *>(Text.data()) + I;
    auto *End = reinterpret_cast<const UTF8 *>(Text.data()) + Text.size();
    I += isLegalUTF8Sequence(Begin, End) ? getNumBytesForUTF8(*Begin) : 1;
  }
  return Count;
}

bool hk::hasBalancedBrackets(StringRef Text) {
  // Where a raw string ends is more than this scan knows.
  if (Text.contains("R\""))
    return false;
  std::string Open;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    StringRef Rest = Text.drop_front(I);
    if (Rest.starts_with("//") || Rest.starts_with("/*")) {
      StringRef Close = Rest[1] == '/' ? "\n" : "*/";
      size_t End = Text.find(Close, I + 2);
      // A comment that the text leaves open swallows what follows it.
      if (End == StringRef::npos)
        return false;
      I = End + Close.size() - 1;
    } else if (C == '"' || (C == '\'' && (I == 0 || !isAlnum(Text[I - 1])))) {
      for (++I; I < Text.size() && Text[I] != C; ++I)
        if (Text[I] == '\\')
          ++I;
      if (I >= Text.size())
        return false;
    } else if (C == '(' || C == '[' || C == '{') {
      Open += C == '(' ? ')' : C == '[' ? ']' : '}';
    } else if (C == ')' || C == ']' || C == '}') {
      if (Open.empty() || Open.back() != C)
        return false;
      Open.pop_back();
    }
  }
  return Open.empty();
}

void SourceLines::set(StringRef Path, StringRef Contents) {
  File &F = Files[realPath(Path)];
  F.Text = Contents;
  F.Readable = true;
}

SourceLines::File &SourceLines::file(StringRef Path) {
  auto [It, New] = Files.try_emplace(realPath(Path));
  File &F = It->second;
  if (New) {
    auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (Buffer) {
      F.Owned = (*Buffer)->getBuffer().str();
      F.Text = F.Owned;
      F.Readable = true;
    }
  }
  if (F.Starts.empty()) {
    F.Starts.push_back(0);
    for (size_t End = F.Text.find('\n'); End != StringRef::npos; End = F.Text.find('\n', End + 1))
      F.Starts.push_back(End + 1);
  }
  return F;
}

std::optional<StringRef> SourceLines::text(StringRef Path) {
  File &F = file(Path);
  if (!F.Readable)
    return std::nullopt;
  return F.Text;
}

std::optional<StringRef> SourceLines::line(StringRef Path, unsigned Line) {
  File &F = file(Path);
  if (!F.Readable || Line == 0 || Line > F.Starts.size())
    return std::nullopt;
  StringRef Rest = F.Text.drop_front(F.Starts[Line - 1]);
  StringRef Result = Rest.take_until([](char C) { return C == '\n'; });
  // The end of the text after its last newline is no line.
  if (Line > 1 && Rest.empty())
    return std::nullopt;
  Result.consume_back("\r");
  return Result;
}
