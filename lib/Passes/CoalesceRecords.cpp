//===- CoalesceRecords.cpp ------------------------------------------------===//
//
// Records may be moved as a whole because the kernel itself touches all of each,
// in every work-item below the limits: nothing is read that it does not read, and
// nothing is written that it does not write.
//
//===----------------------------------------------------------------------===//

#include "hk/Passes/CoalesceRecords.h"

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

/// Whether lanes that are a record apart gain by LDS. No reason for what was fine before.
bool isWorthStaging(const KernelSource &S, unsigned Root, const Record &R, Declined &Why) {
  auto No = [&](const std::string &Text) {
    if (!Text.empty())
      Why = {"records gain by going through LDS", "'" + S.Body.Variables[Root].Name + "': " + Text,
             S.K.Place};
    return false;
  };
  if (!R.IsStruct && R.Elements == 1)
    return No("");
  // Reading the rest of a struct of which a part is read is allowed; it has to be worth it.
  if (R.IsStruct && !R.IsMostlyUsed)
    return No("little of a record is used");
  if (R.Bytes > 4 && !R.IsStruct)
    return No("elements are wide");
  if (R.Elements * R.Bytes <= 16 && (R.IsStruct || R.Bytes >= 4))
    return No("a record is one access of at most 16 bytes");
  return true;
}

} // namespace

std::variant<KernelVersion, Declined> hk::stageRecords(const KernelSource &S,
                                                       const PassOptions &Opts) {
  const KernelBody &B = S.Body;
  if (std::optional<Declined> Why = declineTemplate(S))
    return *Why;
  std::variant<std::array<bool, 3>, Declined> Movable = movableWorkItems(S);
  if (auto *Why = std::get_if<Declined>(&Movable))
    return *Why;
  const std::array<bool, 3> Used = std::get<0>(Movable);
  const std::optional<WorkItemLimits> Limits = limitsOf(S);
  Declined First;
  std::optional<KernelVersion> Best;
  for (unsigned D = 0; D != 3; ++D) {
    if (!Used[D])
      continue;
    std::set<unsigned> Roots;
    for (const SourceAccess &A : S.Accesses)
      Roots.insert(A.Root);
    std::map<unsigned, Record> Records;
    std::vector<TextEdit> Edits;
    for (unsigned Root : Roots) {
      std::vector<TextEdit> Own;
      Declined Why;
      if (std::optional<Record> R = recordOf(S, Root, D, Own, Why);
          R && isWorthStaging(S, Root, *R, Why)) {
        Records[Root] = std::move(*R);
        append_range(Edits, Own);
      } else if (First.Why.empty() && !Why.Why.empty()) {
        First = Why;
      }
    }
    if (Records.empty())
      continue;
    if (!Limits) {
      First = {"which work-items use records is known before they do",
               "a condition is not about their number alone", S.K.Place};
      continue;
    }
    // Lines, with lanes along D.
    double Before = 0, After = 0, Stay = 0;
    unsigned Bytes = 0;
    for (const SourceAccess &A : S.Accesses) {
      std::optional<Polynomial> Stride =
          A.Index ? std::optional(coefficientOf(*A.Index, std::string("item.") + Axis[D]))
                  : std::nullopt;
      std::optional<Polynomial> StrideX =
          A.Index ? std::optional(coefficientOf(*A.Index, "item.x")) : std::nullopt;
      Before += linesOf(A, StrideX);
      if (!Records.count(A.Root))
        Stay += linesOf(A, Stride);
    }
    for (const auto &[Root, R] : Records) {
      After += double(R.Elements * R.Bytes) * WaveSize / LineBytes * (R.Reads + R.Writes);
      const unsigned Size = unsigned(R.Elements) * R.Bytes;
      Bytes += Size % 8 == 0 ? Size + 4 : Size;
    }
    After += Stay;
    if (After * 1.3 > Before)
      continue;
    const unsigned Threads = blockSize(Opts, Bytes),
                   Waves = wavesWith(Opts, Threads, Threads * Bytes);
    if (Waves < FewestWaves) {
      First = {"occupancy stays high enough",
               "records in LDS take " + std::to_string(Bytes) +
                   " bytes a work-item, and a compute unit would hold " + wavesText(Waves),
               S.K.Place};
      continue;
    }

    KernelVersion V;
    V.Rule = "coalesce-stage";
    V.Threads = std::to_string(Threads);
    V.Includes = {"hk/items.h", "hk/records.h", "hk/guard.h"};
    guardDimensions(S, Used, V);
    const std::string Shape =
        "hk::LanesAlong<" + std::to_string(D) + ", " + std::to_string(Threads) + ", 1>";
    V.Guards.push_back("hk::fits<" + Shape + ">(hk_items)");
    append_range(V.Guards, Limits->Conditions);
    if (std::optional<Declined> Overlap = separateRoots(S, Opts, /*ItemsAreDim3=*/true, V)) {
      First = *Overlap;
      continue;
    }
    std::string Names;
    for (const auto &[Root, R] : Records)
      Names += (Names.empty() ? "'" : ", '") + B.Variables[Root].Name + "'";
    V.Message = "records of " + Names +
                " go through LDS, so that neighbouring lanes reach neighbouring elements";
    V.Comment = "/// " + B.Name +
                ", with the records of a workgroup moved by all of its lanes by way of LDS.\n";
    V.Prologue = "  const uint3 hk_at = " + Shape + "::place();\n";
    std::string Rows;
    for (unsigned E = 0; E != 3; ++E)
      if (E != D && Used[E])
        Rows += (Rows.empty() ? "" : " && ") + std::string("hk_at.") + Axis[E] + " < " +
                limitText(S, *Limits, E);
    const std::string First = std::string("hk_at.") + Axis[D] + " - threadIdx.x";
    V.Prologue += "  const unsigned hk_count = " + (Rows.empty() ? "" : Rows + " ? ") + Shape +
                  "::countFrom(" + First + ", " + limitText(S, *Limits, D) + ")" +
                  (Rows.empty() ? "" : " : 0") + ";\n";
    std::string Stores;
    for (const auto &[Root, R] : Records) {
      const std::string Name = B.Variables[Root].Name;
      const std::string Type = "hk::Records<" + std::string(R.IsConst ? "const " : "") + R.Type +
                               ", " + std::to_string(R.Elements) + ", " + std::to_string(Threads) +
                               ">";
      V.Prologue += "  __shared__ " + Type + "::Memory hk_memory_" + Name + ";\n";
      V.Prologue += "  const " + Type + " hk_" + Name + "(hk_memory_" + Name + ", " + Name +
                    " + (ptrdiff_t)(" + First + ")" +
                    (R.Elements > 1 ? " * " + std::to_string(R.Elements) : "") +
                    (R.Base.empty() ? "" : " + " + R.Base) + ", hk_count);\n";
      if (R.Reads)
        V.Prologue += "  hk_" + Name + ".load();\n";
      if (R.Writes)
        Stores += "  hk_" + Name + ".store();\n";
    }
    V.Prologue += "  [&] {\n";
    addItemEdits(S, Edits);
    // A work-item past the end of the grid has nothing to do.
    V.Prologue += "    if (hk::isPast(hk_at, hk_items))\n      return;\n";
    V.Edits = Edits;
    V.IsIndented = true;
    V.Epilogue = "  }();\n" + Stores;
    V.Launch = "hk::launchItems<" + Shape + ">(hk_items, hk_stream, @, $);";
    V.Obligations.push_back(
        {"each work-item uses all of a record of its own, and nothing else of " + Names,
         ObligationState::Proved,
         "indices are a record's size times its number, and an element below that"});
    V.Obligations.push_back(
        {"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
    V.Effects.push_back({"128-byte lines a wavefront", Before, After});
    if (!Best || Best->Effects.back().After > After)
      Best = std::move(V);
  }
  if (Best)
    return *Best;
  return First;
}
