//===- Barriers.cpp - From verdicts to proposals --------------------------===//
//
// One source barrier may be many in the device code: instantiations, inlined
// helpers, several kernels, several translation units. It gets the strictest of
// their verdicts, since the text is one.
//
//===----------------------------------------------------------------------===//

#include "hk/Passes/Barriers.h"

#include "hk/Passes/BarrierInsertion.h"
#include "hk/Passes/BarrierVerdicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <map>
#include <set>

using namespace llvm;
using namespace hk;

namespace {

/// A verdict of one kernel about a source barrier.
struct Opinion {
  std::string Kernel;
  BarrierFinding Finding;
  BarrierStrength Strength;
};

struct Site {
  SyncCall Call;
  std::vector<Opinion> Opinions;
};

struct RaceSite {
  RaceFinding Race;
  std::string Kernel;
  std::vector<SourcePlace> FirstCalls, SecondCalls; ///< where the accesses' functions were inlined, innermost first
  std::optional<Edit> Insert;  ///< the barrier that separates the two accesses
  bool WaveSync = false;       ///< it is a wave-level one
  std::string NoInsert;        ///< why there is none, when one was asked for
};

const char *title(BarrierVerdict V) {
  switch (V) {
  case BarrierVerdict::Redundant:
    return "barrier is redundant";
  case BarrierVerdict::WaveLevel:
    return "barrier is wave-level";
  case BarrierVerdict::LdsOnly:
    return "barrier is LDS-only";
  case BarrierVerdict::Needed:
    return "barrier is needed";
  case BarrierVerdict::Unknown:
    return "barrier is unknown";
  case BarrierVerdict::Divergent:
    return "barrier in divergent flow";
  }
  return "";
}

const char *ruleOf(BarrierVerdict V) {
  switch (V) {
  case BarrierVerdict::Redundant:
    return "barriers-redundant";
  case BarrierVerdict::WaveLevel:
    return "barriers-wave-level";
  case BarrierVerdict::LdsOnly:
    return "barriers-lds-only";
  case BarrierVerdict::Needed:
    return "barriers-needed";
  case BarrierVerdict::Unknown:
    return "barriers-unknown";
  case BarrierVerdict::Divergent:
    return "barriers-divergent";
  }
  return "";
}

/// The verdict that holds for all opinions, and the opinion that decides it.
std::pair<BarrierVerdict, const Opinion *> strictest(const std::vector<Opinion> &Opinions) {
  auto First = [&](BarrierVerdict V) -> const Opinion * {
    for (const Opinion &O : Opinions)
      if (O.Finding.Verdict == V)
        return &O;
    return nullptr;
  };
  for (BarrierVerdict V : {BarrierVerdict::Divergent, BarrierVerdict::Unknown, BarrierVerdict::Needed})
    if (const Opinion *O = First(V))
      return {V, O};
  const Opinion *Wave = First(BarrierVerdict::WaveLevel), *Lds = First(BarrierVerdict::LdsOnly);
  // A wave-level sync does not order other wavefronts, an LDS-only one no global memory: neither covers both, unless
  // all that the wave-level ones order is in LDS.
  if (Wave && Lds) {
    bool All = all_of(Opinions, [](const Opinion &O) {
      return O.Finding.Verdict != BarrierVerdict::WaveLevel || O.Finding.LdsOnlyToo;
    });
    return {All ? BarrierVerdict::LdsOnly : BarrierVerdict::Needed, All ? Lds : Wave};
  }
  if (Wave)
    return {BarrierVerdict::WaveLevel, Wave};
  if (Lds)
    return {BarrierVerdict::LdsOnly, Lds};
  return {BarrierVerdict::Redundant, &Opinions.front()};
}

class BarriersPass final : public RewritePass {
public:
  explicit BarriersPass(const PassOptions &Opts) : Opts(Opts) {}

  StringRef name() const override { return "barriers"; }
  StringRef summary() const override {
    return "remove barriers that order nothing, weaken those that order one wavefront or LDS only, report races";
  }
  void analyze(const TranslationUnit &TU, const std::vector<std::unique_ptr<KernelFacts>> &Kernels) override;
  std::vector<Proposal> propose() override;

private:
  PassOptions Opts;
  std::map<SourcePlace, Site> Sites;
  std::map<std::pair<SourcePlace, SourcePlace>, RaceSite> Races;
  std::map<std::string, std::unique_ptr<MemoryBuffer>> Contents;

  Proposal proposalFor(const Site &S);
  void edit(Proposal &P, const SyncCall &Call, BarrierVerdict V);
  Proposal proposalFor(const RaceSite &R);
  void placeBarriers(const TranslationUnit &TU, const std::vector<RaceSite *> &Fresh);
  StringRef contentsOf(const std::string &File);
  /// The statement stands alone on its line: the span of the line with its line end, from its first column.
  std::optional<SourceSpan> aloneOnLine(const SourceSpan &Statement);
  /// The statement with the blanks on one side, so that none are left over when it goes.
  SourceSpan withBlanks(SourceSpan Statement);
};

/// Translation units may call one file by different names; its absolute path tells.
SourcePlace absolute(const TranslationUnit &TU, SourcePlace P) {
  for (auto &[Path, Display] : TU.DisplayNames)
    if (Display == P.File) {
      P.File = Path;
      break;
    }
  return P;
}

/// The place as seen from where the tool runs; the compiler may run in another folder, as compilation databases say.
SourcePlace shown(const TranslationUnit &TU, SourcePlace P) {
  SmallString<256> Here;
  if (!P.valid() || sys::fs::current_path(Here) || TU.TheJob.Directory == Here || sys::path::is_absolute(P.File))
    return P;
  std::string Path = absolute(TU, P).File;
  StringRef Relative = Path;
  if (Relative.consume_front(Here) && Relative.consume_front("/"))
    P.File = Relative.str();
  else
    P.File = Path;
  return P;
}

void BarriersPass::analyze(const TranslationUnit &TU,
                           const std::vector<std::unique_ptr<KernelFacts>> &Kernels) {
  for (const SyncCall &C : TU.SyncCalls)
    if (C.Kind != SyncKind::Wave && !C.InSystemHeader)
      if (auto [It, New] = Sites.try_emplace(absolute(TU, C.Place)); New) {
        It->second.Call = C;
        It->second.Call.Place = shown(TU, C.Place);
      }
  std::vector<RaceSite *> Fresh;
  // The search for races must not use up what the verdicts need. Where barriers are to be inserted it counts as much.
  uint64_t StepsLeft = Opts.SolverSteps;
  uint64_t RaceStepsLeft = Opts.AllRaces ? Opts.SolverSteps : Opts.SolverSteps / 4;
  for (const auto &K : Kernels) {
    ConflictOptions CO;
    CO.StepsLeft = &StepsLeft;
    CO.RaceStepsLeft = &RaceStepsLeft;
    CO.AssumeNoAlias = Opts.AssumeNoAlias;
    CO.SeenShape = workgroupShape(TU, K->K, /*AssumeLaunches=*/true);
    KernelFindings Found = judgeBarriers(*K, CO);
    for (BarrierFinding &F : Found.Barriers) {
      const KernelBarrier &B = K->Barriers[F.Barrier];
      if (!B.Call)
        continue;
      for (ProposalNote &N : F.Notes)
        N.Place = shown(TU, N.Place);
      auto It = Sites.find(absolute(TU, B.Call->Place));
      if (It != Sites.end())
        It->second.Opinions.push_back({K->K.Name, std::move(F), B.Strength});
    }
    for (RaceFinding &R : Found.Races)
      if (auto [It, New] = Races.try_emplace({absolute(TU, R.First), absolute(TU, R.Second)});
          New) {
        It->second.Race = R;
        It->second.Race.First = shown(TU, R.First);
        It->second.Race.Second = shown(TU, R.Second);
        for (const SourcePlace &P : drop_begin(R.FirstChain))
          It->second.FirstCalls.push_back(shown(TU, P));
        for (const SourcePlace &P : drop_begin(R.SecondChain))
          It->second.SecondCalls.push_back(shown(TU, P));
        It->second.Kernel = K->K.Name;
        Fresh.push_back(&It->second);
      }
  }
  if (Opts.InsertBarriers)
    placeBarriers(TU, Fresh);
}

void BarriersPass::placeBarriers(const TranslationUnit &TU, const std::vector<RaceSite *> &Fresh) {
  std::vector<std::optional<InsertionRange>> Ranges;
  for (RaceSite *S : Fresh) {
    Ranges.push_back(insertionRange(TU.StatementLists, S->Race));
    if (!Ranges.back())
      S->NoInsert = "both are in one statement, or a macro is in between";
    else if (Ranges.back()->List->InHeader && !Opts.EditHeaders) {
      S->NoInsert = "headers are changed as overlay copies (--out-dir) or by -i --headers only";
      Ranges.back().reset();
    }
  }
  for (const Insertion &I : chooseInsertions(Ranges)) {
    bool Wave = all_of(I.Races, [&](unsigned R) { return Fresh[R]->Race.OneWave; });
    // On a line of its own when the statement begins one, with the statement's indentation.
    const StatementList::Item &Before = I.List->Items[I.Before];
    StringRef Text = contentsOf(I.List->File);
    size_t Line = Before.Offset;
    while (Line > 0 && (Text[Line - 1] == ' ' || Text[Line - 1] == '\t'))
      --Line;
    std::string Call = Wave ? "hk::sync::wave();" : "__syncthreads();";
    Edit E{{I.List->File, Before.Offset, 0}, Call + " "};
    if (Line == 0 || Text[Line - 1] == '\n') {
      std::set<std::string> Names;
      for (unsigned R : I.Races)
        Names.insert("'" + Fresh[R]->Race.Object + "'");
      E.Span.Offset = Line;
      E.Text = Text.slice(Line, Before.Offset).str() + Call + " // separates accesses to " + join(Names, ", ") + "\n";
    }
    for (unsigned R : I.Races) {
      Fresh[R]->Insert = E;
      Fresh[R]->WaveSync = Wave;
    }
  }
}

StringRef BarriersPass::contentsOf(const std::string &File) {
  auto [It, New] = Contents.try_emplace(File);
  if (New)
    if (auto Buffer = MemoryBuffer::getFile(File, /*IsText=*/false, /*RequiresNullTerminator=*/false))
      It->second = std::move(*Buffer);
  return It->second ? It->second->getBuffer() : StringRef();
}

std::optional<SourceSpan> BarriersPass::aloneOnLine(const SourceSpan &Statement) {
  StringRef Text = contentsOf(Statement.File);
  size_t From = Statement.Offset, To = From + Statement.Length;
  if (To > Text.size())
    return std::nullopt;
  auto IsBlank = [](char C) { return C == ' ' || C == '\t'; };
  while (From > 0 && IsBlank(Text[From - 1]))
    --From;
  if (From > 0 && Text[From - 1] != '\n')
    return std::nullopt;
  while (To < Text.size() && IsBlank(Text[To]))
    ++To;
  if (To < Text.size() && Text[To] == '\r')
    ++To;
  if (To < Text.size()) {
    if (Text[To] != '\n')
      return std::nullopt;
    ++To;
  }
  // A line continuation before it would then continue into the next line.
  if (From >= 2 && (Text[From - 2] == '\\' || (Text[From - 2] == '\r' && From >= 3 && Text[From - 3] == '\\')))
    return std::nullopt;
  return SourceSpan{Statement.File, unsigned(From), unsigned(To - From)};
}

SourceSpan BarriersPass::withBlanks(SourceSpan Statement) {
  StringRef Text = contentsOf(Statement.File);
  size_t From = Statement.Offset, To = From + Statement.Length;
  if (To > Text.size())
    return Statement;
  auto IsBlank = [](char C) { return C == ' ' || C == '\t'; };
  size_t Before = From, After = To;
  while (Before > 0 && IsBlank(Text[Before - 1]))
    --Before;
  while (After < Text.size() && IsBlank(Text[After]))
    ++After;
  // The indentation stays; the blanks behind the first statement of a line may go with it, then not with the next.
  auto BeginsLine = [&](size_t At) { return At == 0 || Text[At - 1] == '\n'; };
  bool First = BeginsLine(Before);
  bool Second = any_of(Sites, [&](auto &Entry) {
    const std::optional<SourceSpan> &S = Entry.second.Call.Statement;
    if (!S || S->File != Statement.File || S->Offset + S->Length != Before)
      return false;
    size_t Start = S->Offset;
    while (Start > 0 && IsBlank(Text[Start - 1]))
      --Start;
    return BeginsLine(Start);
  });
  if (First || Second)
    Statement.Length = After - From;
  else {
    Statement.Offset = Before;
    Statement.Length = To - Before;
  }
  return Statement;
}

void BarriersPass::edit(Proposal &P, const SyncCall &Call, BarrierVerdict V) {
  auto Decline = [&](const std::string &Text, const std::string &How) {
    P.Result = Outcome::Declined;
    P.Obligations.push_back({Text, ObligationState::Failed, How});
  };
  if (Call.Where == Spelling::MacroBody)
    return Decline("the call is spelled in the file", "it comes out of a macro's body");
  if (Call.Ambiguous)
    return Decline("the place stands for one call", "several calls or meanings share it");
  if (Call.OpenToOtherFiles)
    return Decline("all calls of the function are in view", "-fgpu-rdc lets other files call it");
  if (Call.FunctionHasConditionals && !Opts.AssumeConfiguration)
    return Decline("the function reads the same in the other configurations of its #if lines",
                   "--assume=configuration says that the given flags are the only ones");
  if (Call.InHeader && !Opts.EditHeaders)
    return Decline("the call is in the main file",
                   "headers are changed as overlay copies (--out-dir) or by -i --headers only");
  if (Call.ResultUsed)
    return Decline("the call's value is not used", "it is");
  std::optional<SourceSpan> Line;
  if (Call.Statement)
    Line = aloneOnLine(*Call.Statement);
  Edit E;
  if (V == BarrierVerdict::Redundant) {
    if (Line)
      E = {*Line, ""};
    else if (Call.Statement)
      E = {withBlanks(*Call.Statement), ""};
    else
      E = {Call.Call, "(void)0"};
  } else {
    bool Wave = V == BarrierVerdict::WaveLevel;
    // A namespace of the user's may be called hk too.
    static const Regex OtherHk("namespace[ \t\n]+([A-Za-z0-9_]+::)*hk[^A-Za-z0-9_]");
    std::string Scope = OtherHk.match(contentsOf(Call.Call.File)) ? "::hk::sync::" : "hk::sync::";
    E = {Call.Call, Scope + (Wave ? "wave()" : "lds()")};
    if (Line && Call.Statement) {
      E.Span = *Call.Statement;
      E.Text += Wave ? "; // conflicts stay within one wavefront" : "; // orders LDS accesses only";
    }
    P.Includes.push_back("hk/sync.h");
  }
  P.Edits.push_back(E);
  P.Result = Outcome::Proposed;
}

Proposal BarriersPass::proposalFor(const Site &S) {
  Proposal P;
  P.Pass = "barriers";
  P.Place = S.Call.Place;
  P.Function = S.Call.Function;
  if (S.Opinions.empty()) {
    P.Rule = ruleOf(BarrierVerdict::Unknown);
    P.Message = std::string(title(BarrierVerdict::Unknown)) +
                ": kept, no kernel of this file calls or instantiates the code around it";
    return P;
  }
  auto [Verdict, Decider] = strictest(S.Opinions);
  P.Rule = ruleOf(Verdict);
  P.Level = Verdict == BarrierVerdict::Divergent ? Severity::Warning : Severity::Remark;
  P.Message = std::string(title(Verdict)) + ": ";
  bool Differs = any_of(S.Opinions, [&, V = Verdict](const Opinion &O) { return O.Finding.Verdict != V; });
  if (Verdict == BarrierVerdict::Needed && Decider->Finding.Verdict != BarrierVerdict::Needed)
    P.Message += "one kernel needs its order within a wavefront, another among all wavefronts";
  else
    P.Message += (Verdict == BarrierVerdict::Unknown ? "kept, " : "") + Decider->Finding.Why;
  P.Notes = Decider->Finding.Notes;
  // Each obligation once, however many kernels it was met for. What was proved for one kernel means nothing when
  // another keeps the barrier.
  bool Kept = Verdict == BarrierVerdict::Needed || Verdict == BarrierVerdict::Unknown ||
              Verdict == BarrierVerdict::Divergent;
  std::set<std::string> Said;
  for (const Opinion &O : S.Opinions)
    for (const Obligation &Ob : O.Finding.Obligations)
      if ((Kept ? &O == Decider : &O == Decider || Ob.State != ObligationState::Failed) &&
          Said.insert(Ob.Text).second)
        P.Obligations.push_back(Ob);
  if (Differs) {
    std::string Others;
    for (const Opinion &O : S.Opinions)
      if (O.Finding.Verdict != Verdict) {
        Others = "in '" + O.Kernel + "' alone: " + title(O.Finding.Verdict);
        break;
      }
    P.Message += " (in '" + Decider->Kernel + "')";
    P.Notes.push_back({S.Call.Place, Others});
  }
  bool Weaker = Verdict == BarrierVerdict::Redundant || Verdict == BarrierVerdict::WaveLevel ||
                Verdict == BarrierVerdict::LdsOnly;
  // What is written already needs no edit.
  bool Already = Verdict == BarrierVerdict::LdsOnly && S.Call.Kind == SyncKind::WorkgroupLds;
  if (!Weaker || Already)
    return P;
  if (S.Call.FunctionHasConditionals && Opts.AssumeConfiguration)
    P.Obligations.push_back({"the function reads the same in the other configurations of its #if lines",
                             ObligationState::Assumed, "--assume=configuration"});
  if (S.Call.InHeader && Opts.EditHeaders)
    P.Obligations.push_back({"the given files are all that use this header", ObligationState::Assumed,
                             "--out-dir, or -i --headers"});
  edit(P, S.Call, Verdict);
  if (P.Result == Outcome::Proposed) {
    P.Message += Verdict == BarrierVerdict::Redundant   ? "; removed"
                 : Verdict == BarrierVerdict::WaveLevel ? "; replaced by hk::sync::wave()"
                                                        : "; replaced by hk::sync::lds()";
    if (Verdict != BarrierVerdict::LdsOnly)
      P.Effects.push_back({"workgroup barriers here", 1, 0});
    else
      P.Effects.push_back({"waits for global memory here", 1, 0});
  } else {
    P.Message += "; kept";
  }
  return P;
}

Proposal BarriersPass::proposalFor(const RaceSite &S) {
  const RaceFinding &R = S.Race;
  Proposal P;
  P.Pass = "barriers";
  P.Rule = "barriers-race";
  P.Level = Severity::Warning;
  P.Place = R.Second;
  P.Function = S.Kernel;
  P.Message = "missing barrier: ";
  const std::string S1 = "work-item " + coordinates(R.Witness.S), T1 = "work-item " + coordinates(R.Witness.T);
  switch (R.Kind) {
  case RaceFinding::Race:
    P.Message += R.Witness.str() + " race on '" + R.Object + "'" + (R.OneWave ? " within one wavefront" : "");
    break;
  case RaceFinding::Updates:
    P.Message += R.Witness.str() + " update '" + R.Object + "' in an order that shows in the result";
    break;
  case RaceFinding::Release:
    P.Message += T1 + " signals other workgroups by '" + R.Object + "', the store of " + S1 + " may come later";
    break;
  case RaceFinding::Acquire:
    P.Message += T1 + " waits for other workgroups on '" + R.Object + "', " + S1 + " does not";
    break;
  }
  std::string With;
  for (auto &[Name, Value] : R.Witness.Values)
    With += (With.empty() ? "" : ", ") + Name + " = " + std::to_string(Value);
  if (!With.empty())
    P.Message += " (with " + With + ")";
  bool OneObject = R.Kind == RaceFinding::Race || R.Kind == RaceFinding::Updates;
  auto What = [&](bool Writes, bool OnObject) {
    return std::string(Writes ? "write" : "read") + (OnObject ? " of '" + R.Object + "'" : "");
  };
  P.Notes.push_back({R.First, What(R.FirstWrites, OneObject || R.Kind == RaceFinding::Acquire) +
                                  " in the same interval between barriers"});
  auto Calls = [&](const std::vector<SourcePlace> &Chain) {
    for (const SourcePlace &At : Chain)
      P.Notes.push_back({At, "called here"});
  };
  bool Together = S.FirstCalls == S.SecondCalls;
  if (!Together)
    Calls(S.FirstCalls);
  P.Notes.push_back({R.Second, What(R.SecondWrites, OneObject || R.Kind == RaceFinding::Release)});
  Calls(S.SecondCalls);
  if (S.Insert) {
    P.Edits.push_back(*S.Insert);
    P.Result = Outcome::Proposed;
    P.Message += S.WaveSync ? "; hk::sync::wave() inserted" : "; __syncthreads() inserted";
    if (S.WaveSync)
      P.Includes.push_back("hk/sync.h");
  } else if (!S.NoInsert.empty()) {
    P.Result = Outcome::Declined;
    P.Obligations.push_back(
        {"a barrier can stand between the two accesses", ObligationState::Failed, S.NoInsert});
  }
  return P;
}

std::vector<Proposal> BarriersPass::propose() {
  std::vector<Proposal> All;
  for (auto &[Place, S] : Sites)
    All.push_back(proposalFor(S));
  // Code that takes a wavefront to run in step has such pairs by the dozen, and one says it all.
  std::set<std::pair<std::string, std::string>> InStep;
  for (auto &[Places, R] : Races)
    if (R.Race.Second.valid() &&
        (!R.Race.OneWave || Opts.AllRaces || InStep.insert({R.Kernel, R.Race.Object}).second))
      All.push_back(proposalFor(R));
  return All;
}

} // namespace

std::unique_ptr<RewritePass> hk::makeBarriersPass(const PassOptions &Opts) {
  return std::make_unique<BarriersPass>(Opts);
}
