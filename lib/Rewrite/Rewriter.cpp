//===- Rewriter.cpp - From proposals to new file contents -----------------===//
//
// A proposal is taken whole or not at all. So each is decided in three steps: its edits are brought
// into one form, file by file; all of them are checked against what was accepted before; only then
// is anything recorded.
//
//===----------------------------------------------------------------------===//

#include "hk/Rewrite/Rewriter.h"

#include "Paths.h"
#include "SourceText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace llvm;
using namespace hk;

struct Rewriter::Candidate {
  FileState *File = nullptr;
  std::vector<Edit> Edits;               // in proposal order
  std::vector<std::string> IncludeLines; // headers that the file must come to include
  bool Changes = false;                  // some edit is not a replacement of a text by itself
};

static Obligation failed(const Twine &Text, const Twine &How) {
  return {Text.str(), ObligationState::Failed, How.str()};
}

static Obligation conflict(const SourcePlace &Owner, StringRef Pass) {
  std::string How = "conflicts with the rewrite at " + Owner.str();
  if (!Pass.empty())
    How += " [hk-" + Pass.str() + "]";
  return failed("no other accepted rewrite edits the same source", How);
}

/// An insertion touches a range only strictly inside it: text put in front of or behind a
/// replacement stays there.
static bool overlap(unsigned AOffset, unsigned ALength, unsigned BOffset, unsigned BLength) {
  uint64_t AEnd = uint64_t(AOffset) + ALength, BEnd = uint64_t(BOffset) + BLength;
  if (ALength == 0 && BLength == 0)
    return false;
  if (ALength == 0)
    return BOffset < AOffset && AOffset < BEnd;
  if (BLength == 0)
    return AOffset < BOffset && BOffset < AEnd;
  return std::max(AOffset, BOffset) < std::min(AEnd, BEnd);
}

static bool overlap(const Edit &A, const Edit &B) {
  return overlap(A.Span.Offset, A.Span.Length, B.Span.Offset, B.Span.Length);
}

/// Passes name a header as "hk/sync.h", a front end perhaps as it is spelled in the source.
static StringRef headerName(StringRef Spelled) { return Spelled.trim("<>\" "); }

static bool isPresent(const IncludeSite &Site, StringRef Header) {
  return any_of(Site.Present, [&](StringRef S) { return headerName(S) == Header; });
}

/// Where the include lines of a file go: never in front of a byte order mark.
static unsigned includeOffset(const IncludeSite &Site, StringRef Contents) {
  return std::max(Site.Offset, byteOrderMarkLength(Contents));
}

static bool isAtLineStart(StringRef Contents, unsigned Offset) {
  return Offset == byteOrderMarkLength(Contents) || Contents[Offset - 1] == '\n';
}

template <typename Range>
static Edit includeEdit(StringRef Path, const IncludeSite &Site, StringRef Contents,
                        const Range &Headers) {
  StringRef Ending = lineEnding(Contents);
  unsigned Offset = includeOffset(Site, Contents);
  std::string Text;
  if (!isAtLineStart(Contents, Offset))
    Text += Ending;
  for (const std::string &Header : Headers)
    Text += ("#include <" + Header + ">" + Ending).str();
  return {{Path.str(), Offset, 0}, Text};
}

void Rewriter::setContents(StringRef Path, std::string Contents) {
  FileState &F = state(Path);
  F.Contents = std::move(Contents);
  F.ReadError.clear();
  F.Loaded = true;
}

void Rewriter::setIncludeSite(StringRef Path, IncludeSite Site) {
  state(Path).Site = std::move(Site);
}

Rewriter::FileState &Rewriter::state(StringRef Path) {
  auto [It, New] = RealPaths.try_emplace(Path.str());
  if (New)
    It->second = realPath(Path);
  FileState &F = Files[It->second];
  if (F.Path.empty())
    F.Path = Path.str();
  return F;
}

Rewriter::FileState &Rewriter::loaded(StringRef Path) {
  FileState &F = state(Path);
  if (F.Loaded)
    return F;
  F.Loaded = true;
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (Buffer)
    F.Contents = (*Buffer)->getBuffer().str();
  else
    F.ReadError = Buffer.getError().message();
  return F;
}

void Rewriter::apply(std::vector<Proposal> &Proposals) {
  for (Proposal &P : Proposals) {
    if (P.Edits.empty())
      continue;
    bool Declined = P.Result == Outcome::Declined || any_of(P.Obligations, [](const Obligation &O) {
                      return O.State == ObligationState::Failed;
                    });
    if (!Declined) {
      if (std::optional<Obligation> Failure = accept(P)) {
        P.Obligations.push_back(std::move(*Failure));
        Declined = true;
      }
    }
    P.Result = Declined ? Outcome::Declined : Outcome::Proposed;
    if (Declined)
      P.Edits.clear();
  }
}

std::optional<Obligation> Rewriter::accept(Proposal &P) {
  std::vector<Candidate> Candidates;
  if (auto Failure = gather(P, Candidates))
    return Failure;

  std::vector<Edit> All;
  for (const Candidate &C : Candidates)
    append_range(All, C.Edits);
  llvm::sort(All);
  bool Repeated = AcceptedSets.count(All);

  for (Candidate &C : Candidates) {
    if (auto Failure = checkEdits(C, Repeated))
      return Failure;
    if (auto Failure = checkIncludes(C))
      return Failure;
  }

  P.Edits.clear();
  for (const Candidate &C : Candidates) {
    commit(P, C, Repeated);
    if (!C.IncludeLines.empty())
      P.Edits.push_back(includeEdit(C.File->Path, *C.File->Site, C.File->Contents, C.IncludeLines));
    append_range(P.Edits, C.Edits);
  }
  AcceptedSets.insert(std::move(All));
  return std::nullopt;
}

/// Sorts the edits of \p P by file, in the file's line ending and without duplicates.
std::optional<Obligation> Rewriter::gather(const Proposal &P, std::vector<Candidate> &Out) {
  for (const Edit &Given : P.Edits) {
    FileState &F = loaded(Given.Span.File);
    if (!F.ReadError.empty())
      return failed("'" + F.Path + "' can be read", F.ReadError);

    unsigned Mark = byteOrderMarkLength(F.Contents);
    Edit E{{F.Path, Given.Span.Offset, Given.Span.Length},
           withLineEnding(Given.Text, lineEnding(F.Contents))};
    if (E.Span.Offset == 0 && E.Span.Length == 0)
      E.Span.Offset = Mark;
    if (uint64_t(E.Span.Offset) + E.Span.Length > F.Contents.size())
      return failed("each edit lies inside '" + F.Path + "'",
                    "offset " + Twine(uint64_t(E.Span.Offset) + E.Span.Length) +
                        " is past its end; did the file change?");
    if (E.Span.Offset < Mark)
      return failed("no edit touches the byte order mark of '" + F.Path + "'",
                    "one starts at offset " + Twine(E.Span.Offset));

    auto C = find_if(Out, [&](const Candidate &C) { return C.File == &F; });
    if (C == Out.end()) {
      Out.emplace_back();
      C = std::prev(Out.end());
      C->File = &F;
      for (StringRef Header : P.Includes) {
        Header = headerName(Header);
        if (!(F.Site && isPresent(*F.Site, Header)) && !is_contained(C->IncludeLines, Header))
          C->IncludeLines.push_back(Header.str());
      }
      llvm::sort(C->IncludeLines);
    }

    // A proposal that was applied before brings its include lines along.
    if (F.Site && !C->IncludeLines.empty() && F.Site->Offset <= F.Contents.size() &&
        E == includeEdit(F.Path, *F.Site, F.Contents, C->IncludeLines))
      continue;

    if (is_contained(C->Edits, E)) {
      if (E.Span.Length == 0 && !hasBalancedBrackets(E.Text))
        return failed("each insertion of the rewrite stands by itself",
                      "it inserts '" + E.Text + "' twice at " + F.Path + " offset " +
                          Twine(E.Span.Offset));
      continue;
    }
    for (const Edit &Own : C->Edits)
      if (overlap(Own, E))
        return failed("the edits of the rewrite are disjoint",
                      "two overlap at " + F.Path + " offset " + Twine(E.Span.Offset));
    if (StringRef(F.Contents).substr(E.Span.Offset, E.Span.Length) != E.Text)
      C->Changes = true;
    C->Edits.push_back(std::move(E));
  }
  // A file that keeps its text needs no header either.
  for (Candidate &C : Out)
    if (!C.Changes)
      C.IncludeLines.clear();
  return std::nullopt;
}

std::optional<Obligation> Rewriter::checkEdits(const Candidate &C, bool Repeated) const {
  if (Repeated)
    return std::nullopt;
  const FileState &F = *C.File;
  for (const Edit &E : C.Edits) {
    for (const AcceptedEdit &A : F.Edits) {
      bool SameRange = A.Offset == E.Span.Offset && A.Length == E.Span.Length;
      bool Collides = overlap(A.Offset, A.Length, E.Span.Offset, E.Span.Length);
      if (SameRange && E.Span.Length == 0)
        Collides = !hasBalancedBrackets(A.Text) || !hasBalancedBrackets(E.Text);
      else if (SameRange && A.Text == E.Text)
        Collides = false;
      if (!Collides)
        continue;
      if (A.Owner.valid())
        return conflict(A.Owner, A.Pass);
      LineColumn At = lineColumnAt(F.Contents, A.Offset);
      return conflict({F.Path, At.Line, At.Column}, A.Pass);
    }
    if (!F.Includes.empty() &&
        overlap(includeOffset(*F.Site, F.Contents), 0, E.Span.Offset, E.Span.Length))
      return conflict(F.IncludeOwner, F.IncludePass);
  }
  return std::nullopt;
}

std::optional<Obligation> Rewriter::checkIncludes(const Candidate &C) const {
  if (C.IncludeLines.empty())
    return std::nullopt;
  const FileState &F = *C.File;
  std::string Text = "'" + F.Path + "' can include <" + C.IncludeLines.front() + ">";
  if (!F.Site)
    return failed(Text, "no place for an include line is known in this file");
  if (!F.Site->Allowed)
    return failed(Text, "the header is included inside a namespace or function");
  unsigned Offset = includeOffset(*F.Site, F.Contents);
  if (Offset > F.Contents.size())
    return failed(Text, "the place for the line is past the end of the file");
  if (Offset != F.Contents.size() && !isAtLineStart(F.Contents, Offset))
    return failed(Text, "the place for the line is not the start of a line");
  for (const Edit &E : C.Edits)
    if (overlap(Offset, 0, E.Span.Offset, E.Span.Length))
      return failed(Text, "the rewrite replaces the place for the line");
  for (const AcceptedEdit &A : F.Edits)
    if (overlap(Offset, 0, A.Offset, A.Length))
      return conflict(A.Owner, A.Pass);
  return std::nullopt;
}

void Rewriter::commit(const Proposal &P, const Candidate &C, bool Repeated) {
  FileState &F = *C.File;
  if (!C.IncludeLines.empty() && F.Includes.empty()) {
    F.IncludeOwner = P.Place;
    F.IncludePass = P.Pass;
  }
  F.Includes.insert(C.IncludeLines.begin(), C.IncludeLines.end());
  if (Repeated)
    return;
  for (const Edit &E : C.Edits) {
    // What is left of equal edits here are those that two proposals may share.
    if (any_of(F.Edits, [&](const AcceptedEdit &A) {
          return A.Offset == E.Span.Offset && A.Length == E.Span.Length && A.Text == E.Text;
        }))
      continue;
    AcceptedEdit New{E.Span.Offset, E.Span.Length, E.Text, P.Place, P.Pass};
    auto Position = std::upper_bound(
        F.Edits.begin(), F.Edits.end(), New, [](const AcceptedEdit &A, const AcceptedEdit &B) {
          return std::pair(A.Offset, A.Length > 0) < std::pair(B.Offset, B.Length > 0);
        });
    F.Edits.insert(Position, std::move(New));
  }
}

/// The edits of a file by offset, those at one offset joined.
std::vector<Edit> Rewriter::fileEdits(const FileState &F) const {
  std::vector<Edit> Result;
  auto Add = [&](Edit E) {
    if (Result.empty() || Result.back().Span.Offset != E.Span.Offset) {
      Result.push_back(std::move(E));
      return;
    }
    // Only the last of those at one offset replaces anything.
    Result.back().Span.Length += E.Span.Length;
    Result.back().Text += E.Text;
  };
  std::optional<Edit> Include;
  if (!F.Includes.empty())
    Include = includeEdit(F.Path, *F.Site, F.Contents, F.Includes);
  for (const AcceptedEdit &A : F.Edits) {
    if (Include && Include->Span.Offset <= A.Offset) {
      Add(std::move(*Include));
      Include.reset();
    }
    Add({{F.Path, A.Offset, A.Length}, A.Text});
  }
  if (Include)
    Add(std::move(*Include));
  erase_if(Result, [&](const Edit &E) {
    return StringRef(F.Contents).substr(E.Span.Offset, E.Span.Length) == E.Text;
  });
  return Result;
}

std::vector<RewrittenFile> Rewriter::results(std::string &Error) const {
  std::vector<RewrittenFile> Result;
  std::vector<std::string> Errors;
  for (const auto &[Key, F] : Files) {
    if (!F.ReadError.empty())
      Errors.push_back("cannot read '" + F.Path + "': " + F.ReadError);
    std::string After;
    size_t Position = 0;
    for (const Edit &E : fileEdits(F)) {
      After.append(F.Contents, Position, E.Span.Offset - Position);
      After += E.Text;
      Position = size_t(E.Span.Offset) + E.Span.Length;
    }
    After.append(F.Contents, Position, std::string::npos);
    if (After != F.Contents)
      Result.push_back({F.Path, F.Contents, std::move(After)});
  }
  if (!Errors.empty())
    Error = *llvm::min_element(Errors);
  llvm::sort(Result,
             [](const RewrittenFile &A, const RewrittenFile &B) { return A.Path < B.Path; });
  return Result;
}

std::vector<Edit> Rewriter::edits() const {
  std::vector<Edit> Result;
  for (const auto &[Key, F] : Files)
    append_range(Result, fileEdits(F));
  llvm::sort(Result);
  return Result;
}
