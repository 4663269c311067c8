//===- Proposal.h - What a pass wants to change, and why --------*- C++ -*-===//
//
// The one concept every output is a view of: remarks, diff, YAML fixes and SARIF all print proposals. A proposal
// without edits is a finding (a barrier that is needed, a race); one whose obligation failed is a declined rewrite.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Support/ErrorBound.h"
#include "hk/Support/SourcePlace.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace hk {

/// Replace a span of a file by a text (insertion: Length 0; deletion: empty Text).
struct Edit {
  SourceSpan Span;
  std::string Text;

  friend bool operator==(const Edit &A, const Edit &B) {
    return A.Span == B.Span && A.Text == B.Text;
  }
  friend bool operator<(const Edit &A, const Edit &B) {
    return std::tie(A.Span, A.Text) < std::tie(B.Span, B.Text);
  }
};

enum class ObligationState {
  Proved,  ///< from the code
  Guarded, ///< checked at launch, with the original as the fall-back
  Assumed, ///< by an explicit option, which `How` names
  Failed,  ///< neither: the rewrite is declined
};

/// A condition a rewrite depends on.
struct Obligation {
  std::string Text; ///< the condition, a full clause: "no two work-items of different wavefronts touch a common byte"
  ObligationState State = ObligationState::Proved;
  std::string How; ///< how it was met, or which fact is missing
};

/// An expected change in countable terms.
struct Effect {
  std::string Quantity; ///< "workgroup barriers", "128-byte lines a wave"
  double Before = 0, After = 0;
};

/// A second place that explains a proposal: a witness access, a launch site.
struct ProposalNote {
  SourcePlace Place;
  std::string Text;
};

enum class Severity { Remark, Warning, Error };

enum class Outcome {
  Finding,  ///< nothing to change: says what is
  Proposed, ///< has edits
  Declined, ///< a rewrite would apply but an obligation failed, or the place cannot be edited
};

struct Proposal {
  std::string Pass; ///< "barriers": printed as [hk-barriers]
  std::string Rule; ///< stable id for SARIF: "barriers-redundant"
  Severity Level = Severity::Remark;
  Outcome Result = Outcome::Finding;
  SourcePlace Place;
  std::string Function; ///< the kernel or device function, as a person writes it
  std::string Message;  ///< one sentence, lower-case start, no full stop
  std::vector<Obligation> Obligations;
  std::vector<Effect> Effects;
  std::vector<ProposalNote> Notes;
  std::vector<Edit> Edits;
  /// Of what the function computes; without one, bit for bit the same.
  std::optional<ErrorBound> Bound;
  /// Headers of the runtime that the edited file must include: "hk/sync.h".
  std::vector<std::string> Includes;
};

} // namespace hk
