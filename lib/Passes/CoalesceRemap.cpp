//===- CoalesceRemap.cpp --------------------------------------------------===//

#include "hk/Passes/CoalesceRemap.h"

#include "hk/Passes/LaunchRanges.h"
#include "hk/Passes/LinesModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};
/// Of a tile of 64 by 64 each lane has 16 loads under way then, which hide more than other
/// wavefronts would.
constexpr unsigned StagedThreads = 256;

class Remap {
public:
  Remap(const KernelSource &S, const PassOptions &Opts, const std::vector<Launch> &Launches)
      : S(S), B(S.Body), Opts(Opts), Launches(Launches) {}
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const PassOptions &Opts;
  const std::vector<Launch> &Launches;
  std::array<bool, 3> Used{false, false, false};
  /// Work-items of one dimension taken as three: x + Inner * (y + Middle * z).
  struct Cut {
    unsigned Digit; ///< the variable that is y
    const BodyNode *Inner, *Middle;
  };
  std::optional<Cut> TheCut;

  std::optional<Cut> findCut() const;
  const BodyNode *divided(const BodyNode &E, const char *Operator) const;
  std::optional<Polynomial> stride(const SourceAccess &A, unsigned D) const {
    if (TheCut)
      return cutStride(A, D);
    return A.Index ? S.slope(*A.Index, D) : std::nullopt;
  }
  std::optional<Polynomial> cutStride(const SourceAccess &A, unsigned D) const;
  /// Lines of all accesses, or of loads or stores only, with lanes along \p D.
  double cost(unsigned D, bool Loads, bool Stores, double Lanes = WaveSize) const {
    double Sum = 0;
    for (const SourceAccess &A : S.Accesses)
      if (A.Writes ? Stores : Loads)
        Sum += linesOf(A, stride(A, D), Lanes);
    return Sum;
  }
  std::optional<TextEdit> innerDigit(const BodyNode &Init, const Polynomial &Inner,
                                     KernelVersion &V) const;
  std::optional<KernelVersion> stage(unsigned LoadAlong, unsigned StoreAlong, Declined &Why) const;
  void describe(KernelVersion &V) const;
};

/// The operand of a division or a remainder of the work-item's number.
const BodyNode *Remap::divided(const BodyNode &E, const char *Operator) const {
  const BodyNode *N = &E;
  while (N->Kind == NodeKind::Cast && N->Type.isInteger() &&
         N->Type.Bytes >= N->child(0)->Type.Bytes)
    N = N->child(0);
  if (N->Kind != NodeKind::Binary || N->Text != Operator)
    return nullptr;
  std::optional<Polynomial> P = S.form(*N->child(0)), By = S.form(*N->child(1));
  if (!P || *P != Polynomial{{{"item.x"}, 1}} || !By || !isOfParameters(S, *By) ||
      !N->child(1)->Spelled)
    return nullptr;
  return N->child(1);
}

/// c = i / inner % middle, with which some access goes through neighbours.
std::optional<Remap::Cut> Remap::findCut() const {
  if (!Used[0] || Used[1] || Used[2])
    return std::nullopt;
  for (const SourceAccess &A : S.Accesses) {
    if (!A.Index)
      continue;
    for (const auto &[Factors, C] : *A.Index) {
      std::optional<unsigned> V =
          Factors.size() == 1 && C == 1 ? KernelSource::variableOf(Factors[0]) : std::nullopt;
      if (!V || !S.isFixed(*V) || !S.initOf(*V))
        continue;
      const BodyNode *Init = S.initOf(*V);
      while (Init->Kind == NodeKind::Cast)
        Init = Init->child(0);
      if (Init->Kind != NodeKind::Binary || Init->Text != "%" || !Init->child(1)->Spelled)
        continue;
      std::optional<Polynomial> Middle = S.form(*Init->child(1));
      const BodyNode *Inner = divided(*Init->child(0), "/");
      if (Inner && Middle && isOfParameters(S, *Middle) && isOfParameterNames(S, *Inner) &&
          isOfParameterNames(S, *Init->child(1)))
        return Cut{*V, Inner, Init->child(1)};
    }
  }
  return std::nullopt;
}

/// One more in x is the next work-item, one more in y is Inner of them on.
std::optional<Polynomial> Remap::cutStride(const SourceAccess &A, unsigned D) const {
  if (!A.Index)
    return std::nullopt;
  Polynomial Stride = coefficientOf(*A.Index, "item.x");
  if (D != 0 && !Stride.empty())
    Stride = {{{"inner"}, 1}};
  for (unsigned V = 0; V != B.Variables.size(); ++V) {
    Polynomial Own = coefficientOf(*A.Index, KernelSource::factorOf(V));
    if (Own.empty())
      continue;
    if (!S.isFixed(V) || !S.initOf(V))
      continue;
    const bool Moves =
        D == 0 ? divided(*S.initOf(V), "%") != nullptr : D == 1 && V == TheCut->Digit;
    if (Moves)
      if (std::optional<Polynomial> Both = sum(Stride, Own, 1))
        Stride = *Both;
  }
  return Stride;
}

/// What both versions need of the launch.
void Remap::describe(KernelVersion &V) const {
  V.Includes = {"hk/items.h"};
  if (TheCut) {
    V.Includes.push_back("hk/guard.h");
    V.Setup.push_back("const size_t hk_total = size_t(hk_grid.x) * hk_block.x;");
    V.Setup.push_back("const dim3 hk_items = hk::cut(hk_total, " + B.textOf(*TheCut->Inner) + ", " +
                      B.textOf(*TheCut->Middle) + ");");
    V.Params = "unsigned hk_total, dim3 hk_items";
    V.Guards = {"hk::isLinear(hk_grid, hk_block)", "hk_items.x != 0"};
    V.Obligations.push_back(
        {"work-items may stand anywhere", ObligationState::Proved,
         "they share no LDS, meet at no barrier, and ask for nothing but their number"});
    return;
  }
  guardDimensions(S, Used, V);
}

/// A digit of the work-item's number that depends on x alone, of which there are \p Inner: number %
/// m, or number / m % r, where m is a factor of them, or m * r is all.
std::optional<TextEdit> Remap::innerDigit(const BodyNode &Init, const Polynomial &Inner,
                                          KernelVersion &V) const {
  if (Init.Kind != NodeKind::Binary || Init.Text != "%")
    return std::nullopt;
  auto Number = [](const BodyNode &Divided) { return castTo(Divided.Type.Text, "hk_at.x"); };
  if (const BodyNode *By = divided(Init, "%")) {
    std::optional<Polynomial> M = S.form(*By);
    if (!M || M->size() != 1 || Inner.size() != 1 || M->begin()->second != 1 ||
        Inner.begin()->second != 1)
      return std::nullopt;
    const std::vector<std::string> &Part = M->begin()->first, &Whole = Inner.begin()->first;
    if (!std::includes(Whole.begin(), Whole.end(), Part.begin(), Part.end()) ||
        !Init.child(0)->Spelled)
      return std::nullopt;
    if (!isOfParameterNames(S, *By))
      return std::nullopt;
    V.Guards.push_back(B.textOf(*By) + " > 0");
    return TextEdit{Init.child(0)->Begin, Init.child(0)->End, Number(*Init.child(0))};
  }
  const BodyNode *Quotient = Init.child(0);
  const BodyNode *By = divided(*Quotient, "/");
  std::optional<Polynomial> M = By ? S.form(*By) : std::nullopt, R = S.form(*Init.child(1));
  if (!M || !R || product(*M, *R) != Inner)
    return std::nullopt;
  while (Quotient->Kind == NodeKind::Cast)
    Quotient = Quotient->child(0);
  if (!isOfParameterNames(S, *By))
    return std::nullopt;
  V.Guards.push_back(B.textOf(*By) + " > 0");
  return TextEdit{Init.Begin, Init.End, Number(*Quotient->child(0)) + " / " + B.textOf(*By)};
}

/// Loads along one dimension, the store along another.
std::optional<KernelVersion> Remap::stage(unsigned LoadAlong, unsigned StoreAlong,
                                          Declined &Why) const {
  if (std::optional<Declined> Template = declineTemplate(S)) {
    Why = *Template;
    return std::nullopt;
  }
  const std::string Twice =
      "what decides whether and where a work-item stores can be computed twice";
  const SourceAccess *Store = nullptr;
  for (const SourceAccess &A : S.Accesses)
    if (A.Writes) {
      if (Store) {
        Why = {"a work-item stores once", "it stores here, too", A.Node->Place};
        return std::nullopt;
      }
      Store = &A;
    }
  if (!Store || Store->Reads || Store->Assignment->Kind != NodeKind::Assign ||
      !Store->Member.empty() || !Store->Loops.empty() ||
      Store->Node != Store->Assignment->child(0)) {
    Why = {"a work-item stores once", "the store is part of another operation",
           Store ? Store->Node->Place : S.K.Place};
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
  bool Repeatable = !Depends(*Assign.child(0)->child(0)) &&
                    (Assign.child(0)->Children.size() < 2 || !Depends(*Assign.child(0)->child(1)));
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
  V.Message = std::string("a tile in LDS lets lanes load along ") + Axis[LoadAlong] +
              " and store to '" + Root + "' along " + Axis[StoreAlong];
  V.Comment = "/// " + B.Name + " by tiles in LDS: lanes load along " + Axis[LoadAlong] +
              " and store along " + Axis[StoreAlong] + ".\n";
  const std::string Type = Assign.child(0)->Type.Text;
  const unsigned Threads = Opts.BlockSize ? Opts.BlockSize : StagedThreads;
  V.Threads = std::to_string(Threads);
  const std::string Tile = "hk::Staged<" + Type + ", " + std::to_string(LoadAlong) + ", " +
                           std::to_string(StoreAlong) +
                           (Threads != StagedThreads ? ", " + std::to_string(Threads) : "") + ">";
  auto ItemText = [&](unsigned D, bool Total) {
    return TheCut ? std::string(Total ? "hk_total" : "hk_item") : placeText(D, Total);
  };
  std::vector<TextEdit> Fill = itemEdits(S, ItemText), Drain = Fill;
  if (TheCut) {
    // Digits that the place gives need no division: x < inner and y < middle.
    const std::optional<Polynomial> Inner = S.form(*TheCut->Inner),
                                    Middle = S.form(*TheCut->Middle);
    for (unsigned N = 0; N != B.Variables.size(); ++N) {
      const BodyNode *Init = S.isFixed(N) ? S.initOf(N) : nullptr;
      while (Init && Init->Kind == NodeKind::Cast && Init->IsImplicit)
        Init = Init->child(0);
      if (!Init || !Init->Spelled)
        continue;
      const BodyNode *By = divided(*Init, "/");
      const bool IsMiddle = N == TheCut->Digit;
      const bool IsOuter = By && Inner && Middle && S.form(*By) == product(*Inner, *Middle);
      TextEdit E{Init->Begin, Init->End, IsMiddle ? "hk_at.y" : "hk_at.z"};
      if (!IsMiddle && !IsOuter) {
        std::optional<TextEdit> Digit = Inner ? innerDigit(*Init, *Inner, V) : std::nullopt;
        if (!Digit)
          continue;
        E = *Digit;
      }
      for (auto *Edits : {&Fill, &Drain}) {
        erase_if(*Edits,
                 [&](const TextEdit &Old) { return Old.Begin >= E.Begin && Old.End <= E.End; });
        Edits->push_back(E);
      }
    }
  }
  // "out[i] = value;" becomes "hk_put(value);", parentheses around the value included.
  StringRef Text = B.Text;
  const size_t Equals = Text.slice(Assign.child(0)->End, Assign.child(1)->Begin).find('=');
  if (Equals == StringRef::npos) {
    Why = {Twice, "the store cannot be changed", Store->Node->Place};
    return std::nullopt;
  }
  const unsigned Value = Assign.child(0)->End + unsigned(Equals) + 1;
  const unsigned ValueText = unsigned(Text.find_first_not_of(" \t\r\n", Value));
  Fill.push_back({Assign.child(0)->Begin, ValueText, "hk_put("});
  Fill.push_back({Statement->End - 1, Statement->End, ");"});
  erase_if(Drain, [&](const TextEdit &E) { return E.Begin >= Value && E.End <= Statement->End; });
  Drain.push_back({Value, Statement->End - 1, " hk_get()"});
  // Those of the target are not in the first part.
  erase_if(Fill, [&](const TextEdit &E) {
    return E.Text != "hk_put(" && E.Begin >= Assign.child(0)->Begin && E.End <= Value;
  });
  const unsigned End = B.End - 1; // its last brace
  const std::string FillText =
      indented(StringRef(edited(B, B.BodyBegin + 1, End, Fill)).trim("\r\n").rtrim().str());
  const std::string DrainText =
      indented(StringRef(edited(B, B.BodyBegin + 1, End, Drain)).trim("\r\n").rtrim().str());
  const std::string Number =
      TheCut ? "    const unsigned hk_item = hk_at.x + unsigned(" + B.textOf(*TheCut->Inner) +
                   ") * (hk_at.y + unsigned(" + B.textOf(*TheCut->Middle) +
                   ") * hk_at.z);\n    if (hk_item >= hk_total)\n      return;\n"
             : "";
  V.Prologue = "  __shared__ " + Tile + "::Memory hk_memory;\n  const " + Tile +
               " hk_tile(hk_memory, hk_items);\n"
               "  hk_tile.fill([&](uint3 hk_at, auto hk_put) {\n" +
               Number + FillText +
               "  });\n"
               "  hk_tile.drain([&](uint3 hk_at, auto hk_get) {\n" +
               Number + DrainText + "  });\n";
  V.Edits.push_back({B.BodyBegin + 1, End, ""}); // all of it is in the prologue
  V.Guards.push_back("hk::fits<" + Tile + ">(hk_items)");
  V.Guards.push_back("hk::areManyTiles(hk_items)");
  V.Launch = "hk::launchItems<" + Tile + ">(hk_items, hk_stream, @, $" +
             (TheCut ? ", unsigned(hk_total)" : "") + ");";
  V.Obligations.push_back({Twice, ObligationState::Proved, "it depends on numbers and parameters"});
  V.Obligations.push_back(
      {"each work-item stores one element, that no other part of the kernel touches",
       ObligationState::Proved, "there is one store, and no load behind '" + Root + "'"});
  V.Obligations.push_back(
      {"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
  V.Effects.push_back({"128-byte lines a wavefront", cost(0, true, true, lanesAlongX(Launches)),
                       cost(LoadAlong, true, false) + cost(StoreAlong, false, true)});
  return V;
}

std::variant<KernelVersion, Declined> Remap::run() {
  std::variant<std::array<bool, 3>, Declined> Movable = movableWorkItems(S);
  if (auto *Why = std::get_if<Declined>(&Movable))
    return *Why;
  Used = std::get<0>(Movable);
  unsigned Best = 0, BestLoads = 0, BestStores = 0;
  const double Now =
      cost(0, true, true, Used[0] && !S.OnlyBlocks[0] ? lanesAlongX(Launches) : WaveSize);
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
  if ((TheCut = findCut())) {
    const double Cuts = std::min(cost(0, true, false) + cost(1, false, true),
                                 cost(1, true, false) + cost(0, false, true));
    Declined Why;
    const bool LoadsFirst =
        cost(0, true, false) + cost(1, false, true) <= cost(1, true, false) + cost(0, false, true);
    if (Cuts * 1.5 < Now)
      if (std::optional<KernelVersion> V = LoadsFirst ? stage(0, 1, Why) : stage(1, 0, Why))
        return *V;
    TheCut.reset();
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
  V.Message =
      Best ? std::string("lanes run along ") + Axis[Best] + ", which reaches neighbouring elements"
           : "a wavefront of 64 work-items in x fills its lines";
  V.Comment = "/// " + B.Name + " with the lanes of a wavefront along " + Axis[Best] + ".\n";
  // Rows of a workgroup are next to each other, if the text tells: in the dimension whose strides
  // have the fewest factors.
  unsigned Next = Best == 0 ? 1 : 0;
  auto Factors = [&](unsigned D) {
    size_t Most = 0;
    for (const SourceAccess &A : S.Accesses)
      if (A.Index)
        for (const auto &[F, C] : coefficientOf(*A.Index, std::string("item.") + Axis[D]))
          Most = std::max(Most, F.size());
    return Most;
  };
  for (unsigned D = 0; D != 3; ++D)
    if (D != Best && Used[D] && (!Used[Next] || Factors(D) < Factors(Next)))
      Next = D;
  const bool Usual = Next == (Best == 0 ? 1u : 0u);
  const unsigned Threads = blockSize(Opts);
  const bool OneDimension = Used[0] + Used[1] + Used[2] == 1;
  const std::string Rows = OneDimension ? ", " + std::to_string(Threads) + ", 1"
                                        : ", 64, " + std::to_string(Threads / 64);
  const std::string Shape = "hk::LanesAlong<" + std::to_string(Best) +
                            (!Usual ? Rows + ", 1, " + std::to_string(Next)
                             : Threads != 256 || OneDimension ? Rows
                                                              : "") +
                            ">";
  V.Threads = std::to_string(Threads);
  V.Prologue = "  const uint3 hk_at = " + Shape +
               "::place();\n  if (hk::isPast(hk_at, hk_items))\n    return;\n";
  V.Edits = itemEdits(S, placeText);
  V.Guards.push_back("hk::fits<" + Shape + ">(hk_items)");
  V.Launch = "hk::launchItems<" + Shape + ">(hk_items, hk_stream, @" +
             (B.TemplateParams.empty() ? "" : "<\x02>") + ", $);";
  V.Obligations.push_back(
      {"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
  V.Effects.push_back({"128-byte lines a wavefront", Now, cost(Best, true, true)});
  return V;
}

} // namespace

std::variant<KernelVersion, Declined> hk::remap(const KernelSource &S, const PassOptions &Opts,
                                                const std::vector<Launch> &Launches) {
  return Remap(S, Opts, Launches).run();
}
