//===- LaunchRanges.h - What a launch lets a kernel touch -------*- C++ -*-===//
//
// Writes host code that computes, from the parameters of a launch, which
// elements behind each pointer the kernel may reach, as hk::Range.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"
#include "hk/Passes/Pass.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace hk {

class LaunchRanges;

/// A launcher can compute \p P: its factors are integer parameters.
bool isOfParameters(const KernelSource &S, const Polynomial &P);

/// The text of \p E means the same in a launcher: it names parameters only, and no place.
bool isOfParameterNames(const KernelSource &S, const BodyNode &E);

/// Adds to \p Conditions that \p E is not negative, before a conversion takes its sign; false if
/// the launcher cannot look.
bool assumeNotNegative(const KernelSource &S, const BodyNode &E, std::set<std::string> &Conditions);

/// Adds to \p V what makes sure that parameters which are written overlap no others; why that
/// cannot be done.
/// \p ItemsAreDim3: the launcher's hk_items has three dimensions, else it is the number in x.
std::optional<Declined> separateRoots(const KernelSource &S, const PassOptions &Opts,
                                      bool ItemsAreDim3, KernelVersion &V);
/// The same, with ranges that \p Ranges knows already; it has all that V.Setup needs for them.
std::optional<Declined> separateRoots(const KernelSource &S, const PassOptions &Opts,
                                      LaunchRanges &Ranges, KernelVersion &V);

/// Which work-items a kernel does something for.
struct WorkItemLimits {
  /// As written and with parameters only, for each dimension; null for none.
  std::array<const BodyNode *, 3> Below{nullptr, nullptr, nullptr};
  const BodyNode *Around =
      nullptr; ///< the condition around all that touches memory, if they stand there
  std::set<std::string>
      Conditions; ///< what has to hold for their numbers to be compared so, as for LaunchRanges
};

/// The limits, if nothing else decides whether a work-item goes on: early returns and an if around
/// all else say so, and no other condition is among them.
std::optional<WorkItemLimits> limitsOf(const KernelSource &S);

/// How many work-items of \p Dimension there are below the limit and in hk_items, as an expression.
std::string limitText(const KernelSource &S, const WorkItemLimits &Limits, unsigned Dimension);

class LaunchRanges {
public:
  LaunchRanges(const KernelSource &S, bool ItemsAreDim3);

  /// Adds the range of all accesses behind the parameter \p Root. False with the reason and the
  /// place if it depends on more than parameters, work-items and counted loops.
  bool add(unsigned Root, std::string &Why, const BodyNode *&At);
  /// Of the parameter \p Root it is known to be \p Text.
  void set(unsigned Root, const std::string &Text);
  /// Declares hk_LIKE, or another such name, as the range \p Text; the same text has the same name.
  std::string declare(const std::string &Like, const std::string &Text);
  /// Where \p P, of parameters, counters around \p A and variables that have one value, is; none,
  /// and why, if it depends on more.
  std::optional<std::string> rangeOf(const Polynomial &P, const SourceAccess &A, std::string &Why);
  /// The statements that declare the ranges; they use hk_items.
  std::vector<std::string> setup() const { return Lines; }
  /// What has to hold for them, too: numbers that are compared without sign are not negative.
  const std::set<std::string> &conditions() const { return Conditions; }
  std::string nameFor(unsigned Root) const { return "hk_" + S.Body.Variables[Root].Name; }

  /// \p P as an expression of the host; \p Names gives names to factors that are no parameters.
  static std::string hostText(const KernelSource &S, const Polynomial &P,
                              const std::map<std::string, std::string> &Names);

private:
  const KernelSource &S;
  const bool ItemsAreDim3;
  std::vector<std::string> Lines;
  std::map<std::string, std::string> Names; ///< of factors
  std::set<unsigned> Done;
  mutable std::set<std::string> Conditions;
  std::set<std::string> Taken;

  bool nameFactors(const SourceAccess &A, const Polynomial &P, std::string &Why);
  bool nameLoop(const BodyNode &For, std::string &Why, const SourceAccess &A);
  std::optional<std::string> rangeOf(const BodyNode &E, const SourceAccess &A, std::string &Why);
  std::string clamped(const SourceAccess &A, std::string Text);
  std::string fresh(const std::string &Like);
  /// The bound of item.D that the kernel checks before it touches anything; null if it has none.
  std::optional<Polynomial> limitOf(const std::string &Item) const;
};

} // namespace hk
