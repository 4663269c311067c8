//===- hk-rewrite-test.cpp - Drives the rewriter from JSON ----------------===//
//
//   hk-rewrite-test [options] SCRIPT.json      ("-" reads standard input)
//
// Applies the proposals of the script and shows the result:
//
//   { "files": {"a.hip": "text"},           contents; a file not named here is read from disk
//     "sites": {"a.hip": {"offset": 0, "allowed": true, "present": ["hk/sync.h"]}},
//     "proposals": [{
//       "pass", "rule", "function", "message": strings, "level": "remark", "outcome": "proposed",
//       "place": "a.hip:3:5",
//       "obligations": [{"text", "state": "proved", "how"}],
//       "effects": [{"quantity", "before", "after"}], "notes": [{"place", "text"}],
//       "includes": ["hk/sync.h"],
//       "edits": [{"file", "text", "offset", "length"}] }],
//     "writes": [{"path", "contents"}] }
//
// An edit may say "find": "old text" instead of an offset and a length, with "at": "before" or
// "after" to insert there. "writes" goes to writeAll() as it is.
//
// Options: --remarks --plain-remarks --color --diff --after --edits --yaml=FILE --sarif=FILE
// --write --writes
// --root=DIR (default: the current folder) --twice (apply the proposals again before anything is
// shown).
//
//===----------------------------------------------------------------------===//

#include "hk/Rewrite/Output.h"
#include "hk/Rewrite/Rewriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace hk;

[[noreturn]] static void fail(const Twine &Message) {
  outs().flush();
  errs() << "hk-rewrite-test: " << Message << '\n';
  std::exit(1);
}

static std::string read(StringRef Path) {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/false);
  if (!Buffer)
    fail("cannot read '" + Path + "': " + Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

static std::string string(const json::Object &O, StringRef Key) {
  return O.getString(Key).value_or("").str();
}

static SourcePlace place(StringRef Text) {
  SourcePlace P;
  auto [Rest, Column] = Text.rsplit(':');
  auto [File, Line] = Rest.rsplit(':');
  P.File = Text.str();
  if (!Line.empty() && !Line.getAsInteger(10, P.Line) && !Column.getAsInteger(10, P.Column))
    P.File = File.str();
  return P;
}

static ObligationState obligationState(StringRef Name) {
  if (Name == "guarded")
    return ObligationState::Guarded;
  if (Name == "assumed")
    return ObligationState::Assumed;
  if (Name == "failed")
    return ObligationState::Failed;
  return ObligationState::Proved;
}

/// The objects of an array member.
static std::vector<const json::Object *> objects(const json::Object &O, StringRef Key) {
  std::vector<const json::Object *> Result;
  if (const json::Array *A = O.getArray(Key))
    for (const json::Value &V : *A)
      if (const json::Object *Element = V.getAsObject())
        Result.push_back(Element);
  return Result;
}

static std::vector<std::string> strings(const json::Object &O, StringRef Key) {
  std::vector<std::string> Result;
  if (const json::Array *A = O.getArray(Key))
    for (const json::Value &V : *A)
      Result.push_back(V.getAsString().value_or("").str());
  return Result;
}

static Edit edit(const json::Object &O, const json::Object *Files) {
  Edit E{{string(O, "file"), 0, 0}, string(O, "text")};
  if (auto Find = O.getString("find")) {
    auto Given = Files ? Files->getString(E.Span.File) : std::nullopt;
    std::string Contents = Given ? Given->str() : read(E.Span.File);
    size_t Offset = Contents.find(*Find);
    if (Offset == std::string::npos)
      fail("'" + *Find + "' is not in " + E.Span.File);
    StringRef At = O.getString("at").value_or("");
    E.Span.Offset = Offset + (At == "after" ? Find->size() : 0);
    E.Span.Length = At.empty() ? Find->size() : 0;
  } else {
    E.Span.Offset = O.getInteger("offset").value_or(0);
    E.Span.Length = O.getInteger("length").value_or(0);
  }
  return E;
}

static Proposal proposal(const json::Object &O, const json::Object *Files) {
  Proposal P;
  P.Pass = string(O, "pass");
  P.Rule = string(O, "rule");
  P.Function = string(O, "function");
  P.Message = string(O, "message");
  P.Place = place(string(O, "place"));
  std::string Level = string(O, "level"), Result = string(O, "outcome");
  P.Level = Level == "warning" ? Severity::Warning
            : Level == "error" ? Severity::Error
                               : Severity::Remark;
  P.Result = Result == "declined"   ? Outcome::Declined
             : Result == "proposed" ? Outcome::Proposed
                                    : Outcome::Finding;
  for (const json::Object *X : objects(O, "obligations"))
    P.Obligations.push_back(
        {string(*X, "text"), obligationState(string(*X, "state")), string(*X, "how")});
  for (const json::Object *X : objects(O, "effects"))
    P.Effects.push_back({string(*X, "quantity"), X->getNumber("before").value_or(0),
                         X->getNumber("after").value_or(0)});
  for (const json::Object *X : objects(O, "notes"))
    P.Notes.push_back({place(string(*X, "place")), string(*X, "text")});
  for (const json::Object *X : objects(O, "edits"))
    P.Edits.push_back(edit(*X, Files));
  P.Includes = strings(O, "includes");
  return P;
}

int main(int Argc, char **Argv) {
  std::string Script, Yaml, Sarif, Root = ".";
  bool Remarks = false, Plain = false, Color = false, Diff = false, After = false, Edits = false,
       Write = false, Writes = false, Twice = false;
  const std::pair<StringRef, bool *> Flags[] = {
      {"--remarks", &Remarks}, {"--plain-remarks", &Plain}, {"--color", &Color},
      {"--diff", &Diff},       {"--after", &After},         {"--edits", &Edits},
      {"--write", &Write},     {"--writes", &Writes},       {"--twice", &Twice}};
  const std::pair<StringRef, std::string *> Values[] = {
      {"--yaml=", &Yaml}, {"--sarif=", &Sarif}, {"--root=", &Root}};
  for (int I = 1; I < Argc; ++I) {
    StringRef Argument = Argv[I];
    bool Known = false;
    for (auto &[Name, Flag] : Flags)
      if (Argument == Name)
        Known = *Flag = true;
    for (auto &[Name, Value] : Values)
      if (!Known && Argument.starts_with(Name)) {
        *Value = Argument.drop_front(Name.size()).str();
        Known = true;
      }
    if (!Known && (Argument.starts_with("--") || !Script.empty()))
      fail("unexpected argument '" + Argument + "'");
    if (!Known)
      Script = Argument.str();
  }
  if (Script.empty())
    fail("no script given");

  Expected<json::Value> Parsed = json::parse(read(Script));
  if (!Parsed)
    fail(toString(Parsed.takeError()));
  const json::Object *Top = Parsed->getAsObject();
  if (!Top)
    fail("the script is not an object");

  if (Writes) {
    std::vector<PendingFile> Pending;
    for (const json::Object *X : objects(*Top, "writes"))
      Pending.push_back({string(*X, "path"), string(*X, "contents")});
    std::string Error = writeAll(Pending);
    if (!Error.empty())
      fail(Error);
  }

  Rewriter R;
  const json::Object *Files = Top->getObject("files");
  if (Files)
    for (auto &[Path, Contents] : *Files)
      R.setContents(Path, Contents.getAsString().value_or("").str());
  if (const json::Object *Sites = Top->getObject("sites"))
    for (auto &[Path, Value] : *Sites)
      if (const json::Object *Site = Value.getAsObject())
        R.setIncludeSite(Path,
                         {static_cast<unsigned>(Site->getInteger("offset").value_or(0)),
                          Site->getBoolean("allowed").value_or(true), strings(*Site, "present")});
  std::vector<Proposal> Proposals;
  for (const json::Object *X : objects(*Top, "proposals"))
    Proposals.push_back(proposal(*X, Files));

  R.apply(Proposals);
  if (Twice)
    R.apply(Proposals);
  std::string Error;
  std::vector<RewrittenFile> Results = R.results(Error);
  if (!Error.empty())
    fail(Error);

  if (Remarks || Plain) {
    RemarkStyle Style;
    Style.Color = Color;
    Style.ShowSource = Style.ShowObligations = !Plain;
    printProposals(outs(), Proposals, Style);
  }
  if (Diff)
    printUnifiedDiff(outs(), Results, Root);
  if (After)
    for (const RewrittenFile &F : Results)
      outs() << F.After;
  if (Edits)
    for (const Edit &E : R.edits()) {
      outs() << E.Span.File << ' ' << E.Span.Offset << '+' << E.Span.Length << " '";
      printEscapedString(E.Text, outs());
      outs() << "'\n";
    }
  std::vector<PendingFile> Pending;
  if (!Yaml.empty()) {
    Pending.push_back({Yaml, ""});
    Error = fixesYaml(Pending.back().Contents, Results.empty() ? "" : Results.front().Path, R.edits());
    if (!Error.empty())
      fail(Error);
  }
  if (!Sarif.empty())
    Pending.push_back({Sarif, sarif(Proposals, Results, Root)});
  if (Write)
    for (const RewrittenFile &F : Results)
      Pending.push_back({F.Path, F.After});
  Error = writeAll(Pending);
  if (!Error.empty())
    fail(Error);
  return 0;
}
