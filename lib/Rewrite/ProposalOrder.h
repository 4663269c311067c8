//===- ProposalOrder.h - What all views of proposals share ------*- C++ -*-===//

#ifndef HK_LIB_REWRITE_PROPOSALORDER_H
#define HK_LIB_REWRITE_PROPOSALORDER_H

#include "hk/Rewrite/Proposal.h"

#include <string>
#include <vector>

namespace hk {

/// By place; those at one place keep their order.
std::vector<const Proposal *> sortedByPlace(const std::vector<Proposal> &Proposals);

/// "proved", "guarded", ...
std::string obligationStateName(ObligationState State);

/// A whole number without a point, anything else in as few digits as say it well.
std::string quantityText(double Value);

} // namespace hk

#endif // HK_LIB_REWRITE_PROPOSALORDER_H
