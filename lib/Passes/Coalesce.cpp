//===- Coalesce.cpp - From access patterns to remarks ---------------------===//

#include "hk/Passes/Coalesce.h"

#include "hk/Facts/AccessPattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

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

class Coalesce : public RewritePass {
public:
  StringRef name() const override { return "coalesce"; }
  StringRef summary() const override { return "say how wavefronts reach global memory"; }
  bool byDefault() const override { return false; }

  void analyze(const TranslationUnit &,
               const std::vector<std::unique_ptr<KernelFacts>> &Kernels) override {
    for (const auto &K : Kernels)
      for (const AccessPattern &P : accessPatterns(*K)) {
        Proposal Remark = remarkFor(*K, P);
        // Instantiations, units that share a header, and copies that the compiler makes of a loop's
        // body say the same.
        if (Remark.Place.valid() && Said.insert({Remark.Place, Remark.Message}).second)
          Remarks.push_back(std::move(Remark));
      }
  }

  std::vector<Proposal> propose() override {
    llvm::sort(Remarks, [](const Proposal &A, const Proposal &B) {
      return std::tie(A.Place, A.Message) < std::tie(B.Place, B.Message);
    });
    return std::move(Remarks);
  }

private:
  std::vector<Proposal> Remarks;
  std::set<std::pair<SourcePlace, std::string>> Said;
};

} // namespace

std::unique_ptr<RewritePass> hk::makeCoalescePass(const PassOptions &) {
  return std::make_unique<Coalesce>();
}
