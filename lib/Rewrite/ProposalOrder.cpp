//===- ProposalOrder.cpp - What all views of proposals share --------------===//

#include "ProposalOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <tuple>

using namespace hk;

std::vector<const Proposal *> hk::sortedByPlace(const std::vector<Proposal> &Proposals) {
  std::vector<const Proposal *> Result;
  for (const Proposal &P : Proposals)
    Result.push_back(&P);
  // All point into one vector, so the address tells the order within a place.
  llvm::sort(Result, [](const Proposal *A, const Proposal *B) {
    return std::tie(A->Place, A) < std::tie(B->Place, B);
  });
  return Result;
}

std::string hk::obligationStateName(ObligationState State) {
  switch (State) {
  case ObligationState::Proved:
    return "proved";
  case ObligationState::Guarded:
    return "guarded";
  case ObligationState::Assumed:
    return "assumed";
  case ObligationState::Failed:
    return "failed";
  }
  return "failed";
}

std::string hk::quantityText(double Value) {
  // Counts up to here are exact in a double.
  if (std::trunc(Value) == Value && std::fabs(Value) <= 9007199254740992.0)
    return std::to_string(static_cast<long long>(Value));
  std::string Result;
  llvm::raw_string_ostream(Result) << llvm::format("%.4g", Value);
  return Result;
}
