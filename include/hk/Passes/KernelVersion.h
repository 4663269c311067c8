//===- KernelVersion.h - A second version of a kernel -----------*- C++ -*-===//
//
// What a rewrite that keeps the original writes: behind the kernel a version of
// it and a launcher with the kernel's parameters, which checks what the version
// rests on and launches the one or the other; launches in view call the
// launcher.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelSource.h"
#include "hk/Passes/Pass.h"
#include "hk/Rewrite/Proposal.h"

#include <array>
#include <functional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace hk {

/// Replaces bytes [Begin, End) of the kernel's file in the copy of its text.
struct TextEdit {
  unsigned Begin = 0, End = 0;
  std::string Text;
};

struct KernelVersion {
  std::string Rule;     ///< "coalesce-interchange"
  std::string Message;  ///< one sentence
  std::string Comment;  ///< one line above the version: why
  std::string Template; ///< its own template parameters, before the kernel's: "class hk_Row"
  std::string Params;   ///< more parameters, behind the kernel's: "unsigned hk_items"
  std::string Prologue; ///< lines at the start of its body, each with its end of line
  std::string Epilogue; ///< lines at its end
  /// Work-items of its workgroups, as an expression: "256".
  std::string Threads;
  /// Parameters whose memory it has to itself, those that only are read apart: they get
  /// __restrict__.
  std::set<unsigned> Separate;
  bool IsIndented = false; ///< its body stands two columns further in: inside a lambda
  std::vector<TextEdit> Edits;
  std::vector<std::string> Setup;  ///< statements of the launcher, before the checks
  std::vector<std::string> Guards; ///< conditions of the launcher: all have to hold
  /// The statement that launches the version; "@" stands for its name, "$" for its arguments, \x01
  /// for the kernel's template arguments behind others, with a comma, \x02 for them alone.
  std::string Launch;
  std::vector<std::string> Includes;
  std::vector<Obligation> Obligations;
  std::vector<Effect> Effects;
  std::optional<ErrorBound> Bound; ///< what its results are compared by; none: bit for bit
};

/// Why a rewrite does not apply.
struct Declined {
  std::string Obligation; ///< what would have to hold
  std::string Why;
  SourcePlace Place;
};

/// The dimensions in which a kernel's work-items are numbered, if any of them may stand anywhere:
/// they ask for nothing but their number. Else why not.
std::variant<std::array<bool, 3>, Declined> movableWorkItems(const KernelSource &S);

/// What becomes of the expressions that are a work-item's number, or how many there are: \p
/// Text(dimension, whether it is the latter), converted to the type that they have.
std::vector<TextEdit> itemEdits(const KernelSource &S,
                                const std::function<std::string(unsigned, bool)> &Text);

/// Guards of a launcher whose hk_items are the work-items of the launch in three dimensions, of
/// which \p Used are numbered.
void guardDimensions(const KernelSource &S, const std::array<bool, 3> &Used, KernelVersion &V);

/// Work-items of the workgroups of a version that takes \p Lds bytes of LDS for each of them, and
/// none beside.
unsigned blockSize(const PassOptions &Opts, unsigned Lds = 0);
/// Wavefronts that a compute unit holds then.
unsigned wavesWith(const PassOptions &Opts, unsigned Threads, unsigned Lds);
/// "1 wavefront", "2 wavefronts".
std::string wavesText(unsigned Waves);
/// With fewer than these, one for each SIMD, nothing else runs while a wavefront waits.
constexpr unsigned FewestWaves = 4;

/// Where hk_at and hk_items hold that: "hk_at.y", "hk_items.y".
std::string placeText(unsigned Dimension, bool IsTotal);
/// Adds to \p Edits those of itemEdits() with placeText() that are not in text which \p Edits
/// replace.
void addItemEdits(const KernelSource &S, std::vector<TextEdit> &Edits);

/// Why a version in which types or sizes of elements stand cannot be written: it would not fit all
/// instantiations.
std::optional<Declined> declineTemplate(const KernelSource &S);

/// The proposal that writes \p V. \p Launches: those of the kernel, of all units. Declined where it
/// cannot be written.
Proposal proposalFor(const KernelSource &S, const KernelVersion &V,
                     const std::vector<Launch> &Launches, const PassOptions &Opts);

/// \p P, of parameters, times \p Times in the kernel, in 64 bits.
std::string parameterText(const KernelSource &S, const Polynomial &P, const std::string &Times);

/// What results of sums of \p Bytes bytes are compared by, relative and absolute, where they may be
/// taken another way. No proof: how much terms cancel is up to the data. It suits some thousands of
/// them, of a like size.
ErrorBound floatBound(unsigned Bytes);

/// \p Word stands in \p Text as a whole word.
bool namesWord(const std::string &Text, const std::string &Word);

/// \p Text converted to \p Type.
std::string castTo(const std::string &Type, const std::string &Text);

/// \p Text with its lines two columns further in.
std::string indented(const std::string &Text);

/// The text of \p B from \p Begin to \p End with those of \p Edits that lie inside.
std::string edited(const KernelBody &B, unsigned Begin, unsigned End, std::vector<TextEdit> Edits);

} // namespace hk
