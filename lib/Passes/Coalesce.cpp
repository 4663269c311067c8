//===- Coalesce.cpp - From access patterns to remarks ---------------------===//

#include "hk/Passes/Coalesce.h"

#include "hk/Facts/AccessPattern.h"
#include "hk/Passes/CoalesceInterchange.h"
#include "hk/Passes/CoalesceOperands.h"
#include "hk/Passes/CoalescePad.h"
#include "hk/Passes/CoalesceRecords.h"
#include "hk/Passes/CoalesceRemap.h"
#include "hk/Passes/CoalesceWiden.h"
#include "hk/Passes/CoalesceWindow.h"
#include "hk/Support/VersionNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>
#include <tuple>

using namespace llvm;
using namespace hk;

namespace {

const char *ruleOf(AccessClass C) {
  switch (C) {
  case AccessClass::Uniform:
    return "coalesce-uniform";
  case AccessClass::Coalesced:
    return "coalesce-coalesced";
  case AccessClass::StridedConstant:
    return "coalesce-strided-constant";
  case AccessClass::StridedSymbolic:
    return "coalesce-strided-symbolic";
  case AccessClass::Blocked:
    return "coalesce-blocked";
  case AccessClass::ArrayOfStructs:
    return "coalesce-array-of-structs";
  case AccessClass::Transposed:
    return "coalesce-transposed";
  case AccessClass::Gathered:
    return "coalesce-gathered";
  case AccessClass::Unknown:
    return "coalesce-unknown";
  }
  return "";
}

std::string apart(const AccessPattern &P) { return "lanes are " + P.Stride + " bytes apart"; }

/// What neighbouring lanes do, after the name of the class.
std::string detailOf(const AccessPattern &P) {
  switch (P.Class) {
  case AccessClass::Uniform:
    return ": neighbouring lanes use one address";
  case AccessClass::Coalesced:
    return P.Stride.front() == '-' ? ", downwards" : "";
  case AccessClass::Blocked:
    return ": each lane goes through consecutive elements, " + apart(P);
  case AccessClass::Transposed:
    return std::string(": ") + apart(P) + ", threadIdx." + "xyz"[P.Contiguous] +
           " reaches neighbours";
  case AccessClass::StridedConstant:
  case AccessClass::StridedSymbolic:
  case AccessClass::ArrayOfStructs:
    return ": " + apart(P);
  case AccessClass::Gathered:
  case AccessClass::Unknown:
    return ": the address depends on " + P.Unknown;
  }
  return "";
}

const char *verbOf(AccessEffect E) {
  return E == AccessEffect::Read ? "read" : E == AccessEffect::Write ? "write" : "atomic update";
}

Proposal remarkFor(const KernelFacts &K, const AccessPattern &P) {
  const KernelAccess &First = K.Accesses[P.Accesses.front()];
  Proposal Out;
  Out.Pass = "coalesce";
  Out.Rule = ruleOf(P.Class);
  Out.Place = First.Place;
  Out.Function = K.K.Name;
  Out.Message = formatv("{0} of '{1}', {2} {3} a lane, is {4}{5}", verbOf(First.Effect),
                        K.Objects[First.Object].Name, P.Bytes, P.Bytes == 1 ? "byte" : "bytes",
                        nameOf(P.Class), detailOf(P))
                    .str();
  if (P.Lines)
    Out.Message += formatv("; {0} {1} of 128 bytes a wavefront, {2} would do: ratio {3:F2}",
                           *P.Lines, *P.Lines == 1 ? "line" : "lines", *P.Fewest, *P.ratio())
                       .str();
  if (P.Partial)
    Out.Message += "; not all work-items get here";
  return Out;
}

/// The name of \p K and its scopes, without template arguments.
StringRef bareName(const Kernel &K) { return StringRef(K.Name).split('<').first; }

class Coalesce : public RewritePass {
public:
  explicit Coalesce(const PassOptions &Opts) : Opts(Opts) {}

  StringRef name() const override { return "coalesce"; }
  StringRef summary() const override {
    return "say how wavefronts reach global memory, and let neighbouring lanes reach neighbouring "
           "elements";
  }
  bool byDefault() const override { return false; }

  void analyze(const TranslationUnit &TU,
               const std::vector<std::unique_ptr<KernelFacts>> &Kernels) override {
    // The instantiations of a template have one text.
    std::map<std::pair<std::string, unsigned>, std::vector<const KernelFacts *>> Texts;
    std::set<std::pair<std::string, unsigned>> Wasteful; ///< some of their lines are
    for (const auto &K : Kernels) {
      for (const AccessPattern &P : accessPatterns(*K)) {
        if (K->K.Tree && P.Class != AccessClass::Uniform && P.ratio().value_or(0) < 0.95)
          Wasteful.insert({K->K.Tree->File, K->K.Tree->Begin});
        Proposal Remark = remarkFor(*K, P);
        // Instantiations, units that share a header, and copies that the compiler makes of a loop's
        // body say the same.
        if (Remark.Place.valid() && Said.insert({Remark.Place, Remark.Message}).second)
          Remarks.push_back(std::move(Remark));
      }
      if (K->K.Tree)
        for (Proposal &P : padTiles(KernelSource(K->K), Opts))
          if (Said.insert({P.Place, P.Message}).second)
            Rewrites.push_back(std::move(P));
      if (K->K.Tree && !isVersionName(K->K.Tree->Name)) {
        Texts[{K->K.Tree->File, K->K.Tree->Begin}].push_back(K.get());
      }
    }
    for (const auto &[Text, Instances] : Texts)
      rewrite(TU, Instances, Wasteful.count(Text));
  }

  std::vector<Proposal> propose() override {
    auto ByPlace = [](const Proposal &A, const Proposal &B) {
      return std::tie(A.Place, A.Message) < std::tie(B.Place, B.Message);
    };
    llvm::sort(Remarks, ByPlace);
    llvm::sort(Rewrites, ByPlace);
    append_range(Remarks, Rewrites);
    return std::move(Remarks);
  }

private:
  const PassOptions Opts;
  std::vector<Proposal> Remarks, Rewrites;
  std::set<std::pair<SourcePlace, std::string>> Said;

  /// The first rewrite that applies; else the reason of the one that came nearest.
  std::variant<KernelVersion, Declined> choose(const KernelSource &S,
                                               const std::vector<Launch> &Launches) const {
    // Those that move whole work-items: the one with the fewest lines, and of those the first.
    std::vector<std::variant<KernelVersion, Declined>> Moved;
    Moved.push_back(widenItems(S, Opts, Launches));
    Moved.push_back(stageRecords(S, Opts));
    Moved.push_back(shareWindows(S, Opts, Launches));
    Moved.push_back(shareOperands(S, Opts, Launches));
    Moved.push_back(remap(S, Opts, Launches));
    std::variant<KernelVersion, Declined> *Best = nullptr;
    for (auto &M : Moved)
      if (auto *V = std::get_if<KernelVersion>(&M))
        if (!Best || V->Effects.back().After < std::get<KernelVersion>(*Best).Effects.back().After)
          Best = &M;
    if (Best)
      return *Best;
    std::variant<KernelVersion, Declined> Shared = interchange(S, Opts);
    if (std::holds_alternative<KernelVersion>(Shared))
      return Shared;
    // The reason of that which is made for such a kernel.
    const bool IsLinear = std::get<Declined>(Shared).Obligation != "work-items are numbered in x";
    if (IsLinear && !std::get<Declined>(Shared).Why.empty())
      return Shared;
    for (auto &M : llvm::reverse(Moved))
      if (!std::get<Declined>(M).Why.empty())
        return M;
    return Shared;
  }

  /// \p Wasteful: it is worth saying why nothing is done.
  void rewrite(const TranslationUnit &TU, ArrayRef<const KernelFacts *> Instances, bool Wasteful) {
    std::vector<Launch> Launches;
    for (const Launch &L : TU.Launches)
      if (any_of(Instances, [&](const KernelFacts *K) { return K->K.Mangled == L.Kernel; }) &&
          none_of(Launches, [&](const Launch &Known) { return Known.Place == L.Place; }))
        Launches.push_back(L);
    std::optional<Proposal> First;
    const KernelBody &Body = *Instances.front()->K.Tree;
    const bool IsOverloaded = any_of(TU.Kernels, [&](const Kernel &Other) {
      return Other.Tree && bareName(Other) == bareName(Instances.front()->K) &&
             (Other.Tree->File != Body.File || Other.Tree->Begin != Body.Begin);
    });
    for (const KernelFacts *K : Instances) {
      KernelSource Source(K->K);
      std::variant<KernelVersion, Declined> Found =
          IsOverloaded ? Declined{"the version's name is its own", "the kernel has overloads", {}}
                       : choose(Source, Launches);
      Proposal P;
      if (auto *V = std::get_if<KernelVersion>(&Found)) {
        P = proposalFor(Source, *V, Launches, Opts);
      } else {
        auto &D = std::get<Declined>(Found);
        P.Pass = "coalesce";
        P.Rule = "coalesce-declined";
        P.Place = K->K.Place;
        P.Function = K->K.Name;
        P.Result = Outcome::Declined;
        P.Message = "its uncoalesced accesses stay as they are";
        P.Obligations.push_back(
            {D.Obligation.empty() ? "a rewrite touches fewer lines" : D.Obligation,
             ObligationState::Failed, D.Why.empty() ? "none is known for these accesses" : D.Why});
        if (D.Place.valid() && !(D.Place == P.Place))
          P.Notes.push_back({D.Place, D.Why});
      }
      if (First && First->Edits != P.Edits) {
        First->Edits.clear();
        First->Result = Outcome::Declined;
        First->Obligations.push_back(
            {"instantiations of the template agree", ObligationState::Failed,
             "those of " + First->Function + " and " + P.Function + " differ"});
        break;
      }
      if (!First)
        First = std::move(P);
    }
    if (Wasteful || First->Result != Outcome::Declined)
      Rewrites.push_back(std::move(*First));
  }
};

} // namespace

std::unique_ptr<RewritePass> hk::makeCoalescePass(const PassOptions &Opts) {
  return std::make_unique<Coalesce>(Opts);
}
