//===- Sarif.cpp - Proposals as a SARIF 2.1.0 log -------------------------===//
//
// Static Analysis Results Interchange Format, https://docs.oasis-open.org/sarif/sarif/v2.1.0/.
// Columns of a region count code points, as columnKind says, so byte columns are converted with the
// text from before the rewrite. A fix names what it deletes both ways, by line and column for
// viewers and by byte for tools.
//
//===----------------------------------------------------------------------===//

#include "hk/Rewrite/Output.h"

#include "Paths.h"
#include "ProposalOrder.h"
#include "SourceText.h"

#include "hk/Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <set>

using namespace llvm;
using namespace hk;

namespace {

constexpr StringLiteral RootId = "SRCROOT";

class SarifWriter {
public:
  SarifWriter(const std::vector<Proposal> &Proposals, const std::vector<RewrittenFile> &Files,
              StringRef Root)
      : Sorted(sortedByPlace(Proposals)), Root(Root) {
    for (const RewrittenFile &F : Files)
      Sources.set(F.Path, F.Before);
    std::set<std::string> Ids;
    for (const Proposal *P : Sorted)
      Ids.insert(ruleId(*P));
    Rules.assign(Ids.begin(), Ids.end());
  }

  json::Object log();

private:
  std::vector<const Proposal *> Sorted;
  StringRef Root;
  SourceLines Sources;
  std::vector<std::string> Rules; // sorted
  bool UsesRoot = false;

  static std::string ruleId(const Proposal &P) {
    if (!P.Rule.empty())
      return P.Rule;
    return P.Pass.empty() ? "hk-opt" : P.Pass;
  }

  json::Object artifact(StringRef Path);
  unsigned column(StringRef Path, unsigned Line, unsigned ByteColumn);
  json::Object location(const SourcePlace &Place);
  json::Object replacement(const Edit &E);
  json::Object fix(const Proposal &P);
  json::Object result(const Proposal &P);
  json::Object rule(StringRef Id);
};

} // namespace

/// JSON strings are Unicode; what a source file holds need not be.
static std::string text(StringRef S) { return json::isUTF8(S) ? S.str() : json::fixUTF8(S); }

static json::Object message(StringRef Text) { return json::Object{{"text", text(Text)}}; }

/// JSON has no infinities; an exact count prints without exponent.
static json::Value number(double Value) {
  if (!std::isfinite(Value))
    return nullptr;
  if (std::trunc(Value) == Value && std::fabs(Value) <= 9007199254740992.0)
    return static_cast<int64_t>(Value);
  return Value;
}

static StringRef level(Severity Level) {
  switch (Level) {
  case Severity::Remark:
    return "note";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "note";
}

static StringRef outcome(Outcome Result) {
  switch (Result) {
  case Outcome::Finding:
    return "finding";
  case Outcome::Proposed:
    return "proposed";
  case Outcome::Declined:
    return "declined";
  }
  return "finding";
}

json::Object SarifWriter::artifact(StringRef Path) {
  if (auto Relative = pathUnder(Root, Path)) {
    UsesRoot = true;
    return json::Object{{"uri", encodeUriPath(*Relative)}, {"uriBaseId", RootId}};
  }
  return json::Object{{"uri", fileUri(Path)}};
}

unsigned SarifWriter::column(StringRef Path, unsigned Line, unsigned ByteColumn) {
  std::optional<StringRef> Text = Sources.line(Path, Line);
  if (!Text || ByteColumn == 0)
    return ByteColumn;
  StringRef Before = Text->take_front(ByteColumn - 1);
  // A column behind the line's text counts its line end.
  unsigned Past = ByteColumn - 1 - Before.size();
  // The byte order mark is not part of the text.
  if (Line == 1)
    Before = Before.drop_front(byteOrderMarkLength(Before));
  return countCodePoints(Before) + Past + 1;
}

json::Object SarifWriter::location(const SourcePlace &Place) {
  json::Object Region{{"startLine", Place.Line}};
  if (Place.Column != 0)
    Region["startColumn"] = column(Place.File, Place.Line, Place.Column);
  return json::Object{{"artifactLocation", artifact(Place.File)}, {"region", std::move(Region)}};
}

json::Object SarifWriter::replacement(const Edit &E) {
  json::Object Region{{"byteOffset", E.Span.Offset}, {"byteLength", E.Span.Length}};
  // Bytes that are no text make it a binary replacement, whose region has no lines.
  bool IsText = json::isUTF8(E.Text);
  std::optional<StringRef> Source = Sources.text(E.Span.File);
  if (IsText && Source && uint64_t(E.Span.Offset) + E.Span.Length <= Source->size()) {
    LineColumn Begin = lineColumnAt(*Source, E.Span.Offset);
    LineColumn End = lineColumnAt(*Source, E.Span.Offset + E.Span.Length);
    Region["startLine"] = Begin.Line;
    Region["startColumn"] = column(E.Span.File, Begin.Line, Begin.Column);
    Region["endLine"] = End.Line;
    Region["endColumn"] = column(E.Span.File, End.Line, End.Column);
  }
  json::Object Inserted;
  if (IsText)
    Inserted["text"] = E.Text;
  else
    Inserted["binary"] = encodeBase64(E.Text);
  return json::Object{{"deletedRegion", std::move(Region)},
                      {"insertedContent", std::move(Inserted)}};
}

json::Object SarifWriter::fix(const Proposal &P) {
  json::Array Changes;
  std::vector<std::string> Done;
  for (const Edit &First : P.Edits) {
    if (is_contained(Done, First.Span.File))
      continue;
    Done.push_back(First.Span.File);
    json::Array Replacements;
    for (const Edit &E : P.Edits)
      if (E.Span.File == First.Span.File)
        Replacements.push_back(replacement(E));
    Changes.push_back(json::Object{{"artifactLocation", artifact(First.Span.File)},
                                   {"replacements", std::move(Replacements)}});
  }
  return json::Object{{"description", message(P.Message)}, {"artifactChanges", std::move(Changes)}};
}

json::Object SarifWriter::result(const Proposal &P) {
  std::string Id = ruleId(P);
  json::Object Result{
      {"ruleId", Id},
      {"ruleIndex", static_cast<int64_t>(llvm::lower_bound(Rules, Id) - Rules.begin())},
      // The format allows a level for this kind only.
      {"kind", "fail"},
      {"level", level(P.Level)},
      {"message", message(P.Message)}};

  json::Array Locations;
  json::Object Location;
  if (P.Place.valid())
    Location["physicalLocation"] = location(P.Place);
  if (!P.Function.empty())
    Location["logicalLocations"] =
        json::Array{json::Object{{"name", text(P.Function)}, {"kind", "function"}}};
  if (!Location.empty())
    Locations.push_back(std::move(Location));
  Result["locations"] = std::move(Locations);

  json::Array Related;
  for (const ProposalNote &N : P.Notes) {
    json::Object Note{{"id", static_cast<int64_t>(Related.size())}, {"message", message(N.Text)}};
    if (N.Place.valid())
      Note["physicalLocation"] = location(N.Place);
    Related.push_back(std::move(Note));
  }
  if (!Related.empty())
    Result["relatedLocations"] = std::move(Related);

  if (!P.Edits.empty())
    Result["fixes"] = json::Array{fix(P)};

  json::Array Obligations;
  for (const Obligation &O : P.Obligations)
    Obligations.push_back(json::Object{
        {"state", obligationStateName(O.State)}, {"text", text(O.Text)}, {"how", text(O.How)}});
  json::Array Effects;
  for (const Effect &E : P.Effects)
    Effects.push_back(json::Object{
        {"quantity", text(E.Quantity)}, {"before", number(E.Before)}, {"after", number(E.After)}});
  Result["properties"] = json::Object{{"outcome", outcome(P.Result)},
                                      {"obligations", std::move(Obligations)},
                                      {"effects", std::move(Effects)}};
  return Result;
}

/// A rule's id says what it is about: "barriers-redundant" reads "Barriers redundant".
json::Object SarifWriter::rule(StringRef Id) {
  std::string Description = Id.str();
  std::replace(Description.begin(), Description.end(), '-', ' ');
  if (!Description.empty())
    Description[0] = toUpper(Description[0]);
  return json::Object{{"id", Id}, {"shortDescription", message(Description)}};
}

json::Object SarifWriter::log() {
  json::Array Results;
  for (const Proposal *P : Sorted)
    Results.push_back(result(*P));
  json::Array RuleObjects;
  for (const std::string &Id : Rules)
    RuleObjects.push_back(rule(Id));
  json::Object Run{
      {"tool", json::Object{{"driver", json::Object{{"name", "hk-opt"},
                                                    {"version", HK_VERSION},
                                                    {"rules", std::move(RuleObjects)}}}}},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(Results)}};
  if (UsesRoot) {
    std::string Uri = fileUri(Root);
    // Relative URIs are resolved against it, so its last component must be a folder.
    if (Uri.back() != '/')
      Uri += '/';
    Run["originalUriBaseIds"] = json::Object{{RootId, json::Object{{"uri", Uri}}}};
  }
  return json::Object{
      {"$schema",
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/cos02/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::Array{std::move(Run)}}};
}

std::string hk::sarif(const std::vector<Proposal> &Proposals, const std::vector<RewrittenFile> &Files,
                      StringRef Root) {
  std::string Text;
  raw_string_ostream(Text) << formatv("{0:2}",
                                      json::Value(SarifWriter(Proposals, Files, Root).log()))
                           << '\n';
  return Text;
}
