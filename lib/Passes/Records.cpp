//===- Records.cpp --------------------------------------------------------===//

#include "hk/Passes/Records.h"

#include "hk/Passes/LaunchRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};
constexpr int64_t MostElements = 64;

/// As an expression of the kernel, in 64 bits.
std::optional<std::string> deviceText(const KernelSource &S, const Polynomial &P) {
  const KernelBody &B = S.Body;
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

} // namespace

std::optional<Record> hk::recordOf(const KernelSource &S, unsigned Root, unsigned D,
                                   std::vector<TextEdit> &Edits, Declined &Why) {
  const KernelBody &B = S.Body;
  const std::string Item = std::string("item.") + Axis[D];
  const std::string Whole = "each work-item uses all of a record of its own";
  const std::optional<WorkItemLimits> Limits = limitsOf(S);
  Record R;
  std::optional<Polynomial> Base;
  std::vector<const SourceAccess *> Stored;
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
    // A struct that is used as a whole, as a half is, is an element like a number.
    const bool IsStruct = A.Node->Type.Kind == ValueType::Struct && !A.Member.empty();
    if (IsStruct && *K != 1)
      return No("records have several structs");
    if (Base && IsStruct != R.IsStruct)
      return No("structs are used in part and as a whole");
    R.IsStruct = IsStruct;
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
          std::optional<int64_t> First = From ? numberOf(*From) : std::nullopt,
                                 Last = To ? numberOf(*To) : std::nullopt;
          if (C != 1 || !First || !Last || L->Down || L->Step || L->Bounds.size() != 1 ||
              *Last - *First > MostElements)
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
    for (const BodyNode *N : A.Loops)
      if (jumps(*N))
        return No("a loop around it may be left or skipped");
    // Only limits of work-items decide whether it happens; whether a loop runs is known from its
    // trips.
    for (const BodyNode *N : A.Loops)
      if (std::optional<CountedLoop> L = S.countedLoop(*N);
          !L || Element != B.Variables[L->Variable].Name || A.Loops.size() > 1)
        return No("it is inside a loop over something else");
    for (const SourceCondition &C : A.Conditions)
      if (!Limits || C.Node != Limits->Around || !C.Holds)
        return No("a condition decides whether it is used");
    if (IsStruct) {
      R.Members.insert(A.Member);
      if (A.Writes)
        R.WrittenMembers.insert(A.Member);
    } else {
      R.Touched.insert(Numbers.begin(), Numbers.end());
      if (A.Writes)
        R.Written.insert(Numbers.begin(), Numbers.end());
    }
    // What the work-item has written before is its own already.
    R.Reads |=
        A.Reads && !(R.Elements == 1 && !IsStruct && any_of(Stored, [&](const SourceAccess *W) {
                       return W->Assignment->End <= A.Node->Begin;
                     }));
    R.Writes |= A.Writes;
    if (A.Writes && !A.Reads && A.Loops.empty())
      Stored.push_back(&A);
    const std::string Name = "hk_" + B.Variables[Root].Name;
    if (IsStruct)
      Edits.push_back({A.Node->Begin, A.Node->End, Name + ".own()"});
    else
      Edits.push_back(
          {A.Node->Begin, A.Node->End,
           R.Elements == 1
               ? Name
               : Name + "[" +
                     (Element.empty() ? std::to_string(Constant)
                                      : Element + (Constant ? (Constant < 0 ? " - " : " + ") +
                                                                  std::to_string(std::abs(Constant))
                                                            : "")) +
                     "]"});
  }
  auto No = [&](const std::string &Text) {
    Why = {Whole, "'" + B.Variables[Root].Name + "': " + Text, S.K.Place};
    return std::nullopt;
  };
  if (!R.Elements)
    return No("it is not used");
  const bool IsStruct = R.IsStruct;
  if (!IsStruct && int64_t(R.Touched.size()) != R.Elements)
    return No("part of a record is not used");
  if (R.Writes && !IsStruct && int64_t(R.Written.size()) != R.Elements)
    return No("part of a record is not written");
  if (IsStruct) {
    // Members are told apart by the layout of the parameter.
    const KernelParam &Param = S.K.Params[B.Variables[Root].Parameter];
    const ValueLayout *Layout =
        Param.Layout.Scalars.empty() ? nullptr : Param.Layout.Scalars[0].Pointee.get();
    if (R.Writes && (!Layout || R.WrittenMembers.size() != Layout->Scalars.size()))
      return No("part of a record is not written");
    // Without gaps, so that what is moved is what is used.
    uint64_t Bytes = 0;
    if (Layout)
      for (const ValueLayout::Scalar &Scalar : Layout->Scalars)
        Bytes += Scalar.Bytes;
    if (!Layout || Bytes != R.Bytes)
      return No("a record has gaps");
    R.IsMostlyUsed = R.Writes || R.Members.size() * 2 >= Layout->Scalars.size();
  }
  std::optional<std::string> Text = deviceText(S, *Base);
  if (!Text)
    return No("where records start is no sum of parameters and work-items");
  R.Base = *Text;
  R.IsConst = !R.Writes;
  return R;
}
