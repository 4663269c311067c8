//===- CoalesceRemap.cpp --------------------------------------------------===//

#include "hk/Passes/CoalesceRemap.h"

#include "hk/Passes/LinesModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};

class Remap {
public:
  Remap(const KernelSource &S, const std::vector<Launch> &Launches) : S(S), B(S.Body), Launches(Launches) {}
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const std::vector<Launch> &Launches;
  std::array<bool, 3> Used{false, false, false};

  std::optional<Polynomial> stride(const SourceAccess &A, unsigned D) const {
    return A.Index ? std::optional(coefficientOf(*A.Index, std::string("item.") + Axis[D])) : std::nullopt;
  }
  double weight(const SourceAccess &A) const { return std::pow(16.0, double(A.Loops.size())); }
  /// Lines of all accesses, or of loads or stores only, with lanes along \p D.
  double cost(unsigned D, bool Loads, bool Stores, double Lanes = WaveSize) const {
    double Sum = 0;
    for (const SourceAccess &A : S.Accesses)
      if (A.Writes ? Stores : Loads)
        Sum += weight(A) * linesFor(stride(A, D), A.Node->Type.Bytes, Lanes) * WaveSize / Lanes;
    return Sum;
  }
  /// Lanes along x in the kernel as it is launched; a wavefront where that is not known.
  double lanesAlongX() const {
    double Lanes = WaveSize;
    for (const Launch &L : Launches)
      if (L.Block[0].Kind == LaunchDim::Constant && L.Block[0].Value)
        Lanes = std::min(Lanes, double(L.Block[0].Value));
    return Lanes;
  }
  std::vector<TextEdit> itemEdits(const std::function<std::string(unsigned, bool)> &Text) const;
  std::optional<KernelVersion> stage(unsigned LoadAlong, unsigned StoreAlong, Declined &Why) const;
  void describe(KernelVersion &V) const;
};

std::vector<TextEdit> Remap::itemEdits(const std::function<std::string(unsigned, bool)> &Text) const {
  std::vector<TextEdit> Edits;
  for (const BodyNode *N : S.Items) {
    const std::string Factor = S.form(*N)->begin()->first[0];
    std::string New = Text(unsigned(Factor.back() - 'x'), StringRef(Factor).starts_with("items."));
    if (N->Type.Bytes > 4 || N->Type.Kind != ValueType::Unsigned)
      New = "(" + N->Type.Text + ")" + New;
    Edits.push_back({N->Begin, N->End, New});
  }
  return Edits;
}

/// What both versions need of the launch.
void Remap::describe(KernelVersion &V) const {
  V.Includes = {"hk/items.h"};
  V.Setup.push_back("const dim3 hk_items(hk_grid.x * hk_block.x, hk_grid.y * hk_block.y, hk_grid.z * hk_block.z);");
  V.Params = "dim3 hk_items";
  std::string Dims;
  for (unsigned D = 0; D != 3; ++D)
    if (S.OnlyBlocks[D])
      V.Guards.push_back(std::string("hk_block.") + Axis[D] + " == 1");
    else if (!Used[D])
      V.Guards.push_back(std::string("hk_items.") + Axis[D] + " == 1");
  V.Obligations.push_back({"work-items may stand anywhere", ObligationState::Proved,
                           "they share no LDS, meet at no barrier, and ask for nothing but their number"});
}

/// Loads along one dimension, the store along another.
std::optional<KernelVersion> Remap::stage(unsigned LoadAlong, unsigned StoreAlong, Declined &Why) const {
  const std::string Twice = "what decides whether and where a work-item stores can be computed twice";
  const SourceAccess *Store = nullptr;
  for (const SourceAccess &A : S.Accesses)
    if (A.Writes) {
      if (Store) {
        Why = {"a work-item stores once", "it stores here, too", A.Node->Place};
        return std::nullopt;
      }
      Store = &A;
    }
  if (!Store || Store->Reads || Store->Assignment->Kind != NodeKind::Assign || !Store->Member.empty() ||
      !Store->Loops.empty() || Store->Node != Store->Assignment->child(0)) {
    Why = {"a work-item stores once", "the store is part of another operation", Store ? Store->Node->Place : S.K.Place};
    return std::nullopt;
  }
  for (const SourceAccess &A : S.Accesses)
    if (A.Root == Store->Root && &A != Store) {
      Why = {"what is written is not read", "it is read here", A.Node->Place};
      return std::nullopt;
    }
  const BodyNode &Assign = *Store->Assignment;
  // The store is a statement, so that another can stand for it.
  const BodyNode *Statement = nullptr;
  bool Loops = false;
  visit(*B.Root, [&](const BodyNode &N) {
    if (N.Kind == NodeKind::Evaluate && N.child(0) == &Assign)
      Statement = &N;
    Loops |= N.Kind == NodeKind::For || N.Kind == NodeKind::While || N.Kind == NodeKind::Do;
    return true;
  });
  if (!Statement || !Statement->Spelled || !Assign.child(1)->Spelled || Loops) {
    Why = {Twice, Loops ? "it has a loop" : "the store is no statement of its own", Assign.Place};
    return std::nullopt;
  }
  // Variables that depend on memory.
  std::set<unsigned> Loaded;
  auto Depends = [&](const BodyNode &E) {
    bool Found = S.reads(E);
    visit(E, [&](const BodyNode &N) {
      Found |= N.Kind == NodeKind::Reference && Loaded.count(N.Variable);
      return !Found;
    });
    return Found;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    auto Mark = [&](unsigned V) { Changed |= V != ~0u && Loaded.insert(V).second; };
    visit(*B.Root, [&](const BodyNode &N) {
      if (N.Kind == NodeKind::Declare && N.child(0) && Depends(*N.child(0)))
        Mark(N.Variable);
      if (N.Kind == NodeKind::Assign && &N != &Assign && Depends(*N.child(1)))
        Mark(assignedVariable(*N.child(0), B));
      return true;
    });
  }
  bool Repeatable = !Depends(*Assign.child(0)->child(0)) && (Assign.child(0)->Children.size() < 2 || !Depends(*Assign.child(0)->child(1)));
  for (const SourceCondition &C : Store->Conditions)
    Repeatable &= !Depends(*C.Node);
  visit(*B.Root, [&](const BodyNode &N) {
    if (N.Kind == NodeKind::If)
      Repeatable &= !Depends(*N.child(0));
    return true;
  });
  if (!Repeatable) {
    Why = {Twice, "it depends on memory", Store->Node->Place};
    return std::nullopt;
  }

  KernelVersion V;
  describe(V);
  V.Includes.push_back("hk/staged.h");
  V.Rule = "coalesce-stage";
  const std::string Root = B.Variables[Store->Root].Name;
  V.Message = std::string("a tile in LDS lets lanes load along ") + Axis[LoadAlong] + " and store to '" + Root + "' along " +
              Axis[StoreAlong];
  V.Comment = "/// " + B.Name + " by tiles in LDS: lanes load along " + Axis[LoadAlong] + " and store along " + Axis[StoreAlong] + ".\n";
  const std::string Type = Assign.child(0)->Type.Text;
  const std::string Tile = "hk::Staged<" + Type + ", " + std::to_string(LoadAlong) + ", " + std::to_string(StoreAlong) + ">";
  auto ItemText = [](unsigned D, bool Total) { return std::string(Total ? "hk_items." : "hk_at.") + Axis[D]; };
  std::vector<TextEdit> Fill = itemEdits(ItemText), Drain = Fill;
  Fill.push_back({Assign.child(0)->Begin, Assign.child(0)->End, ""});
  // "out[i] = value;" becomes "hk_put(value);".
  const unsigned ValueBegin = Assign.child(1)->Begin;
  Fill.back().End = ValueBegin;
  Fill.back().Text = "hk_put(";
  Fill.push_back({Statement->End - 1, Statement->End, ");"});
  // A parenthesis around the value starts before it.
  StringRef Between = StringRef(B.Text).slice(Assign.child(0)->End, ValueBegin);
  const size_t Equals = Between.find('=');
  if (Equals == StringRef::npos) {
    Why = {Twice, "the store cannot be changed", Store->Node->Place};
    return std::nullopt;
  }
  const unsigned Value = Assign.child(0)->End + unsigned(Equals) + 1;
  Fill[Fill.size() - 2].End = Value + unsigned(StringRef(B.Text).drop_front(Value).size() - StringRef(B.Text).drop_front(Value).ltrim().size());
  erase_if(Drain, [&](const TextEdit &E) { return E.Begin >= Value && E.End <= Statement->End; });
  Drain.push_back({Value, Statement->End - 1, " hk_get()"});
  // Those of the target are not in the first part.
  erase_if(Fill, [&](const TextEdit &E) { return E.Text != "hk_put(" && E.Begin >= Assign.child(0)->Begin && E.End <= Value; });
  auto Indented = [](const std::string &Text) {
    std::string Out;
    SmallVector<StringRef, 32> Lines;
    StringRef(Text).trim("\r\n").split(Lines, '\n');
    for (StringRef Line : Lines)
      Out += (Line.trim().empty() || Line.starts_with("#") ? "" : "  ") + Line.str() + "\n";
    return Out;
  };
  const unsigned End = B.End - 1; // its last brace
  const std::string FillText = Indented(StringRef(edited(B, B.BodyBegin + 1, End, Fill)).rtrim().str());
  const std::string DrainText = Indented(StringRef(edited(B, B.BodyBegin + 1, End, Drain)).rtrim().str());
  V.Prologue = "  __shared__ " + Tile + "::Memory hk_memory;\n  const " + Tile + " hk_tile(hk_memory, hk_items);\n"
               "  hk_tile.fill([&](uint3 hk_at, auto hk_put) {\n" + FillText + "  });\n"
               "  hk_tile.drain([&](uint3 hk_at, auto hk_get) {\n" + DrainText + "  });\n";
  V.Edits.push_back({B.BodyBegin + 1, End, ""}); // all of it is in the prologue
  V.Guards.push_back("hk::fits<" + Tile + ">(hk_items)");
  V.Launch = "hk::launchItems<" + Tile + ">(hk_items, hk_stream, @" + (B.TemplateParams.empty() ? "" : "<\x02>") + ", $);";
  V.Obligations.push_back({Twice, ObligationState::Proved, "it depends on numbers and parameters"});
  V.Obligations.push_back({"each work-item stores one element, that no other part of the kernel touches", ObligationState::Proved,
                           "there is one store, and no load behind '" + Root + "'"});
  V.Obligations.push_back({"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
  V.Effects.push_back({"128-byte lines a wavefront", cost(0, true, true, lanesAlongX()),
                       cost(LoadAlong, true, false) + cost(StoreAlong, false, true)});
  return V;
}

std::variant<KernelVersion, Declined> Remap::run() {
  if (!S.Problem.empty())
    return Declined{"the kernel's effects are known", S.Problem, S.ProblemPlace};
  for (const BodyNode *N : S.Uncovered)
    return Declined{"the number of a work-item is all that the kernel asks of its place",
                    "it uses " + N->Text + "." + Axis[N->Number] + " by itself", N->Place};
  for (const BodyNode *N : S.Items) {
    std::optional<Polynomial> P = S.form(*N);
    if (!P || !N->Spelled)
      return Declined{"the kernel's text can be changed", "a macro makes the work-item's number", N->Place};
    Used[P->begin()->first[0].back() - 'x'] = true;
  }
  unsigned Best = 0, BestLoads = 0, BestStores = 0;
  const double Now = cost(0, true, true, Used[0] && !S.OnlyBlocks[0] ? lanesAlongX() : WaveSize);
  for (unsigned D = 0; D != 3; ++D) {
    if (!Used[D])
      continue;
    if (cost(D, true, true) < cost(Best, true, true))
      Best = D;
    if (cost(D, true, false) < cost(BestLoads, true, false))
      BestLoads = D;
    if (cost(D, false, true) < cost(BestStores, false, true))
      BestStores = D;
  }
  const double Staged = cost(BestLoads, true, false) + cost(BestStores, false, true);
  Declined Why;
  if (BestLoads != BestStores && Staged * 1.5 < std::min(Now, cost(Best, true, true)))
    if (std::optional<KernelVersion> V = stage(BestLoads, BestStores, Why))
      return *V;
  if (cost(Best, true, true) * 1.3 > Now) {
    if (!Why.Why.empty())
      return Why;
    return Declined{"", "", {}};
  }

  KernelVersion V;
  describe(V);
  V.Rule = "coalesce-remap";
  V.Message = Best ? std::string("lanes run along ") + Axis[Best] + ", which reaches neighbouring elements"
                   : "a wavefront of 64 work-items in x fills its lines";
  V.Comment = "/// " + B.Name + " with the lanes of a wavefront along " + Axis[Best] + ".\n";
  const std::string Shape = "hk::LanesAlong<" + std::to_string(Best) + ">";
  V.Prologue = "  const uint3 hk_at = " + Shape + "::place();\n  if (hk::isPast(hk_at, hk_items))\n    return;\n";
  V.Edits = itemEdits([](unsigned D, bool Total) { return std::string(Total ? "hk_items." : "hk_at.") + Axis[D]; });
  V.Guards.push_back("hk::fits<" + Shape + ">(hk_items)");
  V.Launch = "hk::launchItems<" + Shape + ">(hk_items, hk_stream, @" + (B.TemplateParams.empty() ? "" : "<\x02>") + ", $);";
  V.Obligations.push_back({"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
  V.Effects.push_back({"128-byte lines a wavefront", Now, cost(Best, true, true)});
  return V;
}

} // namespace

std::variant<KernelVersion, Declined> hk::remap(const KernelSource &S, const std::vector<Launch> &Launches) {
  return Remap(S, Launches).run();
}
