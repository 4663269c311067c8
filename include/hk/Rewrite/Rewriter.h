//===- Rewriter.h - From proposals to new file contents ---------*- C++ -*-===//
//
// Collects the edits of accepted proposals, finds conflicts, and makes new file contents in memory. Nothing is
// written here; see Output.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Rewrite/Proposal.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hk {

/// Where an include line for the runtime may go in a file; see the front end's IncludePoint.
struct IncludeSite {
  unsigned Offset = 0;
  bool Allowed = true;
  std::vector<std::string> Present;
};

/// A file before and after.
struct RewrittenFile {
  std::string Path;
  std::string Before;
  std::string After;
};

/// Applies edits of proposals.
///
/// Rules: the same edit proposed twice (host side and device side, two instantiations, two translation units) counts
/// once; overlapping different edits are a conflict, and then the later proposal is declined as a whole: its edits
/// are dropped, its outcome becomes Declined and a failed obligation names the place it collides with. Two
/// insertions at one offset by different proposals keep proposal order. Bytes outside edits are never changed;
/// inserted text takes the line ending of the file (CRLF or LF).
///
/// An insertion whose brackets do not pair up, `)` of a wrapped call say, means something only together with the rest
/// of its proposal: whether two proposals that both insert there share it, and in which order, cannot be told from the
/// text. That is a conflict too, unless the two proposals have all their edits in common.
///
/// One file may be named by several paths (relative, through a link); it is edited and reported once, under the path
/// it was named by first.
class Rewriter {
public:
  /// Reads the file's contents when first edited. Tests give contents directly.
  void setContents(llvm::StringRef Path, std::string Contents);
  void setIncludeSite(llvm::StringRef Path, IncludeSite Site);

  /// Declines or accepts each proposal that has edits, in order. The edits of an accepted one become exactly what it
  /// needs by itself: duplicates are dropped, line endings are the file's, and its include lines come first. May be
  /// called several times; later calls see what earlier ones accepted.
  void apply(std::vector<Proposal> &Proposals);

  /// Files whose contents change, by path. An error text goes to \p Error when a file could not be read.
  std::vector<RewrittenFile> results(std::string &Error) const;

  /// All accepted edits (include lines too), for --export-fixes: by path and offset, one edit an offset, because a
  /// tool that reads them knows no order of insertions.
  std::vector<Edit> edits() const;

private:
  /// An edit of an accepted proposal, with what a proposal that collides with it must be told.
  struct AcceptedEdit {
    unsigned Offset = 0;
    unsigned Length = 0;
    std::string Text;
    SourcePlace Owner;
    std::string Pass;
  };
  struct FileState {
    std::string Path; // as first named
    std::string Contents;
    std::string ReadError;
    bool Loaded = false;
    std::optional<IncludeSite> Site;
    std::vector<AcceptedEdit> Edits; // by offset; insertions before the replacement that starts there
    std::set<std::string> Includes;  // sorted, so that the lines do not depend on which proposal came first
    SourcePlace IncludeOwner;
    std::string IncludePass;
  };
  /// The edits of one proposal in one file while it is decided.
  struct Candidate;

  std::map<std::string, FileState> Files;          // by the file's real path
  std::map<std::string, std::string> RealPaths;    // of the names seen so far
  std::set<std::vector<Edit>> AcceptedSets;        // the edits of each accepted proposal, sorted

  FileState &state(llvm::StringRef Path);
  FileState &loaded(llvm::StringRef Path);
  std::optional<Obligation> accept(Proposal &P);
  std::optional<Obligation> gather(const Proposal &P, std::vector<Candidate> &Out);
  std::optional<Obligation> checkEdits(const Candidate &C, bool Repeated) const;
  std::optional<Obligation> checkIncludes(const Candidate &C) const;
  void commit(const Proposal &P, const Candidate &C, bool Repeated);
  std::vector<Edit> fileEdits(const FileState &F) const;
};

} // namespace hk
