//===- CoalesceWiden.cpp --------------------------------------------------===//

#include "hk/Passes/CoalesceWiden.h"

#include "hk/Passes/LaunchRanges.h"
#include "hk/Passes/LinesModel.h"
#include "hk/Passes/Records.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <map>

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};
constexpr unsigned WidestBytes = 16; ///< of one access of a lane
constexpr unsigned MostItems = 8;    ///< a lane: its body is as many times as long

class Widen {
public:
  Widen(const KernelSource &S, const PassOptions &Opts, const std::vector<Launch> &Launches)
      : S(S), B(S.Body), Opts(Opts), Launches(Launches) {}
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const PassOptions &Opts;
  const std::vector<Launch> &Launches;
  std::array<bool, 3> Used{false, false, false};

  std::variant<KernelVersion, Declined> along(unsigned D) const;
  double linesNow() const;
};

bool readsForIndex(const KernelSource &S, const SourceAccess &A) {
  return A.Node->Kind != NodeKind::Subscript || S.dependsOnMemory(*A.Node->child(1)) ||
         (A.Node->child(0)->Kind != NodeKind::Reference && S.dependsOnMemory(*A.Node->child(0)));
}

/// A start that is no sum may be as near after as it was before: it counts as two lines.
double Widen::linesNow() const {
  const double Lanes = Used[0] && !S.OnlyBlocks[0] ? lanesAlongX(Launches) : WaveSize;
  double Sum = 0;
  std::set<std::tuple<unsigned, bool, Polynomial>> Known; // the compiler loads an element once
  for (const SourceAccess &A : S.Accesses)
    if (!A.Index || Known.insert({A.Root, A.Writes, *A.Index}).second)
      Sum += !A.Index || S.isOpaque(*A.Index)
                 ? 2
                 : linesFor(coefficientOf(*A.Index, "item.x"), A.Node->Type.Bytes, Lanes) *
                       WaveSize / Lanes;
  return Sum;
}

std::variant<KernelVersion, Declined> Widen::along(unsigned D) const {
  const std::string Item = std::string("item.") + Axis[D];
  std::set<unsigned> Roots;
  for (const SourceAccess &A : S.Accesses)
    Roots.insert(A.Root);
  std::map<unsigned, Record> Streams;
  std::vector<TextEdit> Edits;
  unsigned Widest = 0;
  double Lines = 0;
  for (unsigned Root : Roots) {
    std::vector<TextEdit> Own;
    Declined Why;
    std::optional<Record> R = recordOf(S, Root, D, Own, Why);
    if (R && !R->IsStruct && R->Elements * R->Bytes <= 4) {
      Widest = std::max(Widest, unsigned(R->Elements) * R->Bytes);
      Lines += std::max(1.0, double(R->Elements * R->Bytes) * WaveSize / LineBytes) *
               (R->Reads + R->Writes);
      Streams[Root] = std::move(*R);
      append_range(Edits, Own);
      continue;
    }
    for (const SourceAccess &A : S.Accesses) {
      if (A.Root != Root)
        continue;
      if (A.Index && !S.isOpaque(*A.Index) && coefficientOf(*A.Index, Item).empty() && !A.Writes) {
        Lines += 1;
        continue; // the same for all neighbours
      }
      if (A.Writes || (A.Index && !S.isOpaque(*A.Index)))
        return Declined{"all that neighbours touch side by side can be taken at once", Why.Why,
                        Why.Place};
      if (readsForIndex(S, A))
        return Declined{"addresses do not depend on memory", "this one does", A.Node->Place};
      Lines += 2; // near each other, as a quotient
    }
  }
  if (Streams.empty())
    return Declined{};
  bool Loops = false;
  for (const SourceAccess &A : S.Accesses)
    Loops |= !A.Loops.empty() && !Streams.count(A.Root);
  if (Loops)
    return Declined{};
  const std::optional<WorkItemLimits> Limits = limitsOf(S);
  if (!Limits)
    return Declined{"which work-items use elements is known before they do",
                    "a condition is not about their number alone", S.K.Place};
  unsigned W = MostItems;
  while (W * Widest > WidestBytes)
    W /= 2;
  if (W < 2)
    return Declined{};

  KernelVersion V;
  const bool OneDimension = !Used[1] && !Used[2];
  const std::string Width = std::to_string(W);
  const unsigned Threads = blockSize(Opts);
  const std::string Shape = "hk::LanesAlong<" + std::to_string(D) +
                            (OneDimension ? ", " + std::to_string(Threads) + ", 1, "
                                          : ", 64, " + std::to_string(Threads / 64) + ", ") +
                            Width + ">";
  V.Rule = "coalesce-widen";
  V.Threads = std::to_string(Threads);
  V.Includes = {"hk/guard.h", "hk/items.h"};
  guardDimensions(S, Used, V);
  V.Guards.push_back("hk::fits<" + Shape + ">(hk_items)");
  const double Now = linesNow();
  if (Now <
      1.3 * Lines) // nothing to gain but fewer instructions: few work-items had better be spread
    V.Guards.push_back("hk::areMany(hk_items)");
  append_range(V.Guards, Limits->Conditions);
  if (std::optional<Declined> Overlap = separateRoots(S, Opts, /*ItemsAreDim3=*/true, V))
    return *Overlap;
  std::string Names, Elements, Sources;
  for (const auto &[Root, R] : Streams) {
    const std::string Name = B.Variables[Root].Name,
                      Count = R.Elements > 1 ? "<" + std::to_string(R.Elements) + ">" : "";
    Names += (Names.empty() ? "'" : ", '") + Name + "'";
    Elements += ", " + std::string(R.Writes ? "" : "const ") + R.Type +
                (R.Elements > 1 ? " (&hk_" + Name + ")[" + std::to_string(R.Elements) + "]"
                                : " &hk_" + Name);
    Sources += ", hk::" +
               std::string(!R.Writes ? "reads"
                           : R.Reads ? "updates"
                                     : "writes") +
               Count + "(" + Name + (R.Base.empty() ? "" : " + " + R.Base) + ")";
  }
  std::string Bases = Sources;
  // Where records start may depend on the other dimensions.
  for (unsigned E = 0; E != 3; ++E) {
    const std::string From = std::string("hk_at.") + Axis[E],
                      To = std::string("hk_first.") + Axis[E];
    for (size_t At = Bases.find(From); At != std::string::npos; At = Bases.find(From, At))
      Bases.replace(At, From.size(), To);
  }
  std::string Whole = Shape + "::areBelow(" + limitText(S, *Limits, D) + ")";
  for (unsigned E = 0; E != 3; ++E)
    if (E != D && Used[E])
      Whole += " && hk_first." + std::string(Axis[E]) + " < " + limitText(S, *Limits, E);
  V.Message = "each lane takes " + Width + " neighbours, and their elements of " + Names +
              " at once" + (D ? std::string(", with lanes along ") + Axis[D] : "");
  V.Comment = "/// " + B.Name + " with " + Width + " neighbouring work-items a lane.\n";
  const bool UsesFirst = StringRef(Whole + Bases).contains("hk_first.");
  V.Prologue = (UsesFirst ? "  const uint3 hk_first = " + Shape + "::place();\n" : "") +
               "  const bool hk_whole = " + Whole + ";\n  hk::eachItem<" + Shape +
               ">(hk_whole, hk_items, [&](uint3 hk_at" + Elements + ") {\n";
  addItemEdits(S, Edits);
  V.IsIndented = true;
  V.Edits = Edits;
  V.Epilogue = "  }" + Bases + ");\n";
  V.Launch = "hk::launchItems<" + Shape + ">(hk_items, hk_stream, @, $);";
  V.Obligations.push_back(
      {"each work-item uses all of an element of its own, and nothing else of " + Names,
       ObligationState::Proved, "indices are its number, and what neighbours have in common"});
  V.Obligations.push_back(
      {"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
  V.Effects.push_back({"accesses for as many elements", double(W), 1});
  V.Effects.push_back({"128-byte lines a wavefront", Now, std::min(Lines, Now)});
  return V;
}

std::variant<KernelVersion, Declined> Widen::run() {
  if (std::optional<Declined> Why = declineTemplate(S))
    return *Why;
  std::variant<std::array<bool, 3>, Declined> Movable = movableWorkItems(S);
  if (auto *Why = std::get_if<Declined>(&Movable))
    return *Why;
  Used = std::get<0>(Movable);
  Declined First;
  for (unsigned D = 0; D != 3; ++D) {
    if (!Used[D] || S.OnlyBlocks[D])
      continue;
    std::variant<KernelVersion, Declined> V = along(D);
    if (std::holds_alternative<KernelVersion>(V))
      return V;
    if (First.Why.empty())
      First = std::get<Declined>(V);
  }
  return First;
}

} // namespace

std::variant<KernelVersion, Declined> hk::widenItems(const KernelSource &S, const PassOptions &Opts,
                                                     const std::vector<Launch> &Launches) {
  return Widen(S, Opts, Launches).run();
}
