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

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <map>

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};
constexpr unsigned LdsBudget = 16 * 1024; ///< bytes of a workgroup: four of them leave a compute unit full
constexpr int64_t MostElements = 64;

struct Record {
  int64_t Elements = 0; ///< 1 for a struct
  unsigned Bytes = 0;   ///< of one
  std::string Type;
  std::string Base;   ///< distance of the workgroup's first record from the parameter, but for its work-items
  Polynomial Rest;    ///< the same as a sum
  std::set<int64_t> Touched, Written; ///< elements
  std::set<std::string> Members, WrittenMembers;
  bool Reads = false, Writes = false, IsConst = false;
};

class StageRecords {
public:
  StageRecords(const KernelSource &S, const PassOptions &Opts, const std::vector<Launch> &Launches)
      : S(S), B(S.Body), Opts(Opts), Launches(Launches) {}
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const PassOptions &Opts;
  const std::vector<Launch> &Launches;

  std::optional<Record> recordOf(unsigned Root, unsigned D, std::vector<TextEdit> &Edits, Declined &Why) const;
  std::optional<std::string> deviceText(const Polynomial &P) const;
};

std::optional<int64_t> numberOf(const Polynomial &P) {
  if (P.empty())
    return 0;
  if (P.size() == 1 && P.begin()->first.empty())
    return P.begin()->second;
  return std::nullopt;
}

/// As an expression of the kernel, in 64 bits.
std::optional<std::string> StageRecords::deviceText(const Polynomial &P) const {
  std::string Text;
  for (const auto &[Factors, C] : P) {
    std::string Term = "(ptrdiff_t)" + std::to_string(C);
    for (const std::string &F : Factors) {
      if (StringRef(F).starts_with("item."))
        Term += " * hk_at." + F.substr(5);
      else if (isOfParameters(S, {{{F}, 1}}))
        Term += " * " + B.Variables[*KernelSource::variableOf(F)].Name;
      else
        return std::nullopt;
    }
    if (C == 1 && !Factors.empty())
      Term = "(ptrdiff_t)" + Term.substr(strlen("(ptrdiff_t)1 * "));
    Text += (Text.empty() ? "" : " + ") + Term;
  }
  return Text;
}

std::optional<Record> StageRecords::recordOf(unsigned Root, unsigned D, std::vector<TextEdit> &Edits, Declined &Why) const {
  const std::string Item = std::string("item.") + Axis[D];
  const std::string Whole = "each work-item uses all of a record of its own";
  Record R;
  std::optional<Polynomial> Base;
  for (const SourceAccess &A : S.Accesses) {
    if (A.Root != Root)
      continue;
    auto No = [&](const std::string &Text) {
      Why = {Whole, "'" + B.Variables[Root].Name + "': " + Text, A.Node->Place};
      return std::nullopt;
    };
    if (!A.Index || !A.Node->Spelled)
      return No("the index is no sum of products");
    std::optional<int64_t> K = numberOf(coefficientOf(*A.Index, Item));
    if (!K || *K < 1 || *K > MostElements || (R.Elements && R.Elements != *K))
      return No("records have no constant size");
    R.Elements = *K;
    R.Bytes = A.Node->Type.Bytes;
    R.Type = A.Node->Type.Text;
    const bool IsStruct = *K == 1;
    if (IsStruct && (A.Node->Type.Kind != ValueType::Struct || A.Member.empty()))
      return No("it is no struct, or used as a whole");
    // What is left: the element, and what the workgroup has in common.
    Polynomial Rest = *A.Index;
    std::string Element;
    std::set<int64_t> Numbers;
    int64_t Constant = 0;
    unsigned Counters = 0;
    int64_t Trips = 1, Start = 0;
    for (const auto &[Factors, C] : *A.Index) {
      if (Factors == std::vector<std::string>{Item} && C == *K)
        Rest.erase(Factors);
      if (Factors.empty()) {
        Constant = C;
        Rest.erase(Factors);
      }
      if (Factors.size() != 1)
        continue;
      std::optional<unsigned> V = KernelSource::variableOf(Factors[0]);
      if (!V)
        continue;
      for (const BodyNode *N : A.Loops)
        if (std::optional<CountedLoop> L = S.countedLoop(*N); L && L->Variable == *V) {
          std::optional<Polynomial> From = S.form(*L->From), To = S.form(*L->Bounds[0].To);
          std::optional<int64_t> First = From ? numberOf(*From) : std::nullopt, Last = To ? numberOf(*To) : std::nullopt;
          if (C != 1 || !First || !Last || L->Down || L->Step || L->Bounds.size() != 1 || *Last - *First > MostElements)
            return No("a loop around it has no constant trips");
          ++Counters;
          Start = *First;
          Trips = *Last - *First + L->Bounds[0].Inclusive;
          Element = B.Variables[*V].Name;
          Rest.erase(Factors);
        }
    }
    if (Counters > 1 || (IsStruct && (Counters || Constant)))
      return No("elements are not those of one record");
    for (int64_t I = 0; I < Trips; ++I)
      Numbers.insert(Start + Constant + I);
    if (!IsStruct && (Numbers.empty() || *Numbers.begin() < 0 || *Numbers.rbegin() >= *K))
      return No("it uses the record of another work-item");
    if (Base && *Base != Rest)
      return No("records are of two places");
    Base = Rest;
    // Only limits of work-items decide whether it happens; whether a loop runs is known from its trips.
    for (const BodyNode *N : A.Loops)
      if (std::optional<CountedLoop> L = S.countedLoop(*N); !L || Element != B.Variables[L->Variable].Name || A.Loops.size() > 1)
        return No("it is inside a loop over something else");
    for (const SourceCondition &C : A.Conditions) {
      bool IsLimit = false;
      for (const auto &Statement : B.Root->Children)
        IsLimit |= Statement->Kind == NodeKind::If && Statement->child(0) == C.Node && C.Holds && !Statement->child(2);
      if (!IsLimit)
        return No("a condition decides whether it is used");
    }
    if (IsStruct) {
      R.Members.insert(A.Member);
      if (A.Writes)
        R.WrittenMembers.insert(A.Member);
    } else {
      R.Touched.insert(Numbers.begin(), Numbers.end());
      if (A.Writes)
        R.Written.insert(Numbers.begin(), Numbers.end());
    }
    R.Reads |= A.Reads;
    R.Writes |= A.Writes;
    const std::string Name = "hk_" + B.Variables[Root].Name;
    if (IsStruct)
      Edits.push_back({A.Node->Begin, A.Node->End, Name + ".own()"});
    else
      Edits.push_back({A.Node->Begin, A.Node->End,
                       Name + "[" + (Element.empty() ? std::to_string(Constant)
                                                     : Element + (Constant ? (Constant < 0 ? " - " : " + ") + std::to_string(std::abs(Constant)) : "")) +
                           "]"});
  }
  auto No = [&](const std::string &Text) {
    Why = {Whole, "'" + B.Variables[Root].Name + "': " + Text, S.K.Place};
    return std::nullopt;
  };
  if (!R.Elements)
    return No("it is not used");
  const bool IsStruct = R.Elements == 1;
  if (!IsStruct && int64_t(R.Touched.size()) != R.Elements)
    return No("part of a record is not used");
  if (R.Writes && !IsStruct && int64_t(R.Written.size()) != R.Elements)
    return No("part of a record is not written");
  if (IsStruct) {
    // Members are told apart by the layout of the parameter.
    const KernelParam &Param = S.K.Params[B.Variables[Root].Parameter];
    const ValueLayout *Layout = Param.Layout.Scalars.empty() ? nullptr : Param.Layout.Scalars[0].Pointee.get();
    if (R.Writes && (!Layout || R.WrittenMembers.size() != Layout->Scalars.size()))
      return No("part of a record is not written");
    // Without gaps, so that what is moved is what is used.
    uint64_t Bytes = 0;
    if (Layout)
      for (const ValueLayout::Scalar &Scalar : Layout->Scalars)
        Bytes += Scalar.Bytes;
    if (!Layout || Bytes != R.Bytes)
      return No("a record has gaps");
    // Reading the rest of a struct of which a part is read is allowed; it has to be worth it.
    if (!R.Writes && R.Members.size() * 2 < Layout->Scalars.size())
      return No("little of a record is used");
  }
  const unsigned Size = unsigned(R.Elements) * R.Bytes;
  if (R.Bytes > 4 && !IsStruct)
    return No("elements are wide");
  if (Size % 4 == 0 && (Size & (Size - 1)) == 0 && Size <= 16)
    return No("a record is one access");
  R.Rest = *Base;
  std::optional<std::string> Text = deviceText(*Base);
  if (!Text)
    return No("where records start is no sum of parameters and work-items");
  R.Base = *Text;
  R.IsConst = !R.Writes;
  return R;
}

std::variant<KernelVersion, Declined> StageRecords::run() {
  if (!S.Problem.empty())
    return Declined{"the kernel's effects are known", S.Problem, S.ProblemPlace};
  if (!S.Uncovered.empty())
    return Declined{"the number of a work-item is all that the kernel asks of its place",
                    "it uses " + S.Uncovered[0]->Text + "." + Axis[S.Uncovered[0]->Number] + " by itself", S.Uncovered[0]->Place};
  std::array<bool, 3> Used{false, false, false};
  for (const BodyNode *N : S.Items) {
    std::optional<Polynomial> P = S.form(*N);
    if (!P || !N->Spelled)
      return Declined{"the kernel's text can be changed", "a macro makes the work-item's number", N->Place};
    Used[P->begin()->first[0].back() - 'x'] = true;
  }
  std::optional<std::array<const BodyNode *, 3>> Limits = limitsOf(S);
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
      if (std::optional<Record> R = recordOf(Root, D, Own, Why)) {
        Records[Root] = std::move(*R);
        append_range(Edits, Own);
      } else if (First.Why.empty() && !StringRef(Why.Why).ends_with("no constant size") && !StringRef(Why.Why).ends_with("no struct, or used as a whole")) {
        First = Why;
      }
    }
    if (Records.empty())
      continue;
    if (!Limits) {
      First = {"which work-items use records is known before they do", "a condition is not about their number alone", S.K.Place};
      continue;
    }
    // Lines, with lanes along D.
    double Before = 0, After = 0, Stay = 0;
    unsigned Bytes = 0;
    for (const SourceAccess &A : S.Accesses) {
      std::optional<Polynomial> Stride = A.Index ? std::optional(coefficientOf(*A.Index, std::string("item.") + Axis[D])) : std::nullopt;
      std::optional<Polynomial> StrideX = A.Index ? std::optional(coefficientOf(*A.Index, "item.x")) : std::nullopt;
      double Weight = std::pow(16.0, double(A.Loops.size()));
      Before += Weight * linesFor(StrideX, A.Node->Type.Bytes);
      if (!Records.count(A.Root))
        Stay += Weight * linesFor(Stride, A.Node->Type.Bytes);
    }
    for (const auto &[Root, R] : Records) {
      After += double(R.Elements * R.Bytes) * WaveSize / LineBytes * (R.Reads + R.Writes);
      const unsigned Size = unsigned(R.Elements) * R.Bytes;
      Bytes += Size % 8 == 0 ? Size + 4 : Size;
    }
    After += Stay;
    if (After * 1.3 > Before)
      continue;
    unsigned Threads = 256;
    while (Threads > 64 && Threads * Bytes > LdsBudget)
      Threads /= 2;
    if (Threads * Bytes > 4 * LdsBudget) {
      First = {"records of a wavefront fit into LDS", std::to_string(Bytes) + " bytes a work-item", S.K.Place};
      continue;
    }

    KernelVersion V;
    V.Rule = "coalesce-stage";
    V.Includes = {"hk/items.h", "hk/records.h", "hk/guard.h"};
    V.Setup.push_back("const dim3 hk_items(hk_grid.x * hk_block.x, hk_grid.y * hk_block.y, hk_grid.z * hk_block.z);");
    V.Params = "dim3 hk_items";
    const std::string Shape = "hk::LanesAlong<" + std::to_string(D) + ", " + std::to_string(Threads) + ", 1>";
    for (unsigned E = 0; E != 3; ++E)
      if (S.OnlyBlocks[E])
        V.Guards.push_back(std::string("hk_block.") + Axis[E] + " == 1");
      else if (!Used[E])
        V.Guards.push_back(std::string("hk_items.") + Axis[E] + " == 1");
    V.Guards.push_back("hk::fits<" + Shape + ">(hk_items)");
    if (std::optional<Declined> Overlap = separateRoots(S, Opts, /*ItemsAreDim3=*/true, V)) {
      First = *Overlap;
      continue;
    }
    std::string Names;
    for (const auto &[Root, R] : Records)
      Names += (Names.empty() ? "'" : ", '") + B.Variables[Root].Name + "'";
    V.Message = "records of " + Names + " go through LDS, so that neighbouring lanes reach neighbouring elements";
    V.Comment = "/// " + B.Name + ", with the records of a workgroup moved by all of its lanes by way of LDS.\n";
    auto Least = [&](unsigned E) {
      const BodyNode *L = (*Limits)[E];
      return L ? "hk::least(hk_items." + std::string(Axis[E]) + ", " + B.textOf(*L) + ")" : "hk_items." + std::string(Axis[E]);
    };
    V.Prologue = "  const uint3 hk_at = " + Shape + "::place();\n";
    std::string Rows;
    for (unsigned E = 0; E != 3; ++E)
      if (E != D && Used[E])
        Rows += (Rows.empty() ? "" : " && ") + std::string("hk_at.") + Axis[E] + " < " + Least(E);
    const std::string First = std::string("hk_at.") + Axis[D] + " - threadIdx.x";
    V.Prologue += "  const unsigned hk_count = " + (Rows.empty() ? "" : Rows + " ? ") + Shape + "::countFrom(" + First + ", " + Least(D) + ")" +
                  (Rows.empty() ? "" : " : 0") + ";\n";
    std::string Stores;
    for (const auto &[Root, R] : Records) {
      const std::string Name = B.Variables[Root].Name;
      const std::string Type = "hk::Records<" + std::string(R.IsConst ? "const " : "") + R.Type + ", " + std::to_string(R.Elements) + ", " +
                               std::to_string(Threads) + ">";
      V.Prologue += "  __shared__ " + Type + "::Memory hk_memory_" + Name + ";\n";
      V.Prologue += "  const " + Type + " hk_" + Name + "(hk_memory_" + Name + ", " + Name + " + (ptrdiff_t)(" + First + ")" +
                    (R.Elements > 1 ? " * " + std::to_string(R.Elements) : "") + (R.Base.empty() ? "" : " + " + R.Base) + ", hk_count);\n";
      if (R.Reads)
        V.Prologue += "  hk_" + Name + ".load();\n";
      if (R.Writes)
        Stores += "  hk_" + Name + ".store();\n";
    }
    V.Prologue += "  [&] {\n";
    for (const BodyNode *N : S.Items) {
      const std::string Factor = S.form(*N)->begin()->first[0];
      std::string New = std::string(StringRef(Factor).starts_with("items.") ? "hk_items." : "hk_at.") + Factor.back();
      if (N->Type.Bytes > 4 || N->Type.Kind != ValueType::Unsigned)
        New = "(" + N->Type.Text + ")" + New;
      // Not in the text of records that is gone.
      if (none_of(Edits, [&](const TextEdit &E) { return E.Begin <= N->Begin && N->End <= E.End; }))
        Edits.push_back({N->Begin, N->End, New});
    }
    // A work-item past the end of the grid has nothing to do.
    V.Prologue += "    if (hk::isPast(hk_at, hk_items))\n      return;\n";
    V.Edits = Edits;
    V.Edits.push_back({B.End - 1, B.End - 1, "  }();\n" + Stores});
    V.Launch = "hk::launchItems<" + Shape + ">(hk_items, hk_stream, @" + (B.TemplateParams.empty() ? "" : "<\x02>") + ", $);";
    V.Obligations.push_back({"each work-item uses all of a record of its own, and nothing else of " + Names, ObligationState::Proved,
                             "indices are a record's size times its number, and an element below that"});
    V.Obligations.push_back({"work-items may stand anywhere", ObligationState::Proved,
                             "they share no LDS, meet at no barrier, and ask for nothing but their number"});
    V.Obligations.push_back({"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
    V.Effects.push_back({"128-byte lines a wavefront", Before, After});
    if (!Best || Best->Effects.back().After > After)
      Best = std::move(V);
  }
  if (Best)
    return *Best;
  return First;
}

} // namespace

std::variant<KernelVersion, Declined> hk::stageRecords(const KernelSource &S, const PassOptions &Opts,
                                                       const std::vector<Launch> &Launches) {
  return StageRecords(S, Opts, Launches).run();
}
