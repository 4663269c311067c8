//===- Interchange.h - The parts of the interchange rewrite -----*- C++ -*-===//
//
// Private to lib/Passes: CoalesceInterchange.cpp decides, InterchangeLoops.cpp
// finds what can be shared, InterchangeText.cpp writes it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/CoalesceInterchange.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hk {

enum class ReductionKind { Sum, Product, Max, Min, And, Or, Xor };

struct Reduction {
  ReductionKind Kind;
  std::string Target; ///< as written: "sum", "sum.re", "count"
  unsigned Variable;
  bool IsArray = false;
};

struct SharedLoop {
  CountedLoop Loop;
  std::vector<Reduction> Reductions;
  std::set<unsigned> Inside; ///< variables declared in it, its counter too
  std::string
      Signature; ///< equal ones share the same iterations the same way; empty: like no other
  std::vector<std::string> Before, After; ///< lines around it
  bool InBlock = true;
  /// What it goes through element by element, if a lane may take several neighbours at once.
  struct Stream {
    std::string Name, Type, First; ///< the address where the loop starts
    bool Reads = false, Writes = false, Down = false;
    Polynomial Index;
    unsigned Root = 0;
    std::vector<const BodyNode *> Nodes;
  };
  std::vector<Stream> Streams;
  unsigned Width = 1;
  /// A condition around all of its body that ends it early: `Start < Limit`, Start being what it
  /// compares first.
  std::string Start, Limit;
};

struct LeaderStore {
  const BodyNode *Statement;
  unsigned Root;
  bool InBlock;
};

class Interchange {
public:
  /// \p Banned: loops that are not to be shared.
  Interchange(const KernelSource &S, const PassOptions &Opts,
              const std::set<const BodyNode *> &Banned)
      : S(S), B(S.Body), Opts(Opts), Banned(Banned) {}
  /// The shared loop whose iterations turned out to depend on each other; null for none.
  const BodyNode *failedLoop() const { return FailedLoop; }
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const PassOptions &Opts;
  const std::set<const BodyNode *> &Banned;
  const BodyNode *FailedLoop = nullptr;
  Declined Failure;
  SourcePlace LoopFailurePlace;
  std::string LoopFailure; ///< why a loop that would gain cannot be shared
  std::vector<SharedLoop> Shared;
  std::vector<LeaderStore> Leaders;
  std::vector<const BodyNode *> Sequential; ///< loops that all lanes go through alike
  std::vector<TextEdit> Edits;
  std::vector<Obligation> Obligations;
  /// Lanes stay along work-items, which are neighbours already but too few: iterations go to other
  /// wavefronts.
  bool Across = false;

  bool isAlone(const SharedLoop &L) const;
  bool fail(const BodyNode *At, const std::string &Obligation, const std::string &Why) {
    if (Failure.Why.empty())
      Failure = {Obligation, Why, At && At->Place.valid() ? At->Place : S.K.Place};
    return false;
  }
  std::string nameOf(unsigned Variable) const { return B.Variables[Variable].Name; }

  bool common(const BodyNode &N, bool InBlock);
  bool commonExpression(const BodyNode &N, const BodyNode &Statement, bool InBlock);
  bool worthSharing(const CountedLoop &L) const;
  bool share(const CountedLoop &L, SharedLoop &Out, std::string &Why, SourcePlace &Where) const;
  bool sharedBody(const BodyNode &N, SharedLoop &L, std::string &Why, SourcePlace &Where) const;
  std::optional<Reduction> reduction(const BodyNode &N) const;
  std::optional<Reduction> conditionalMaximum(const BodyNode &If) const;
  std::string signatureOf(const SharedLoop &L) const;
  void widen(SharedLoop &L) const;
  std::optional<std::string> startText(const BodyNode &E, const SharedLoop &L) const;
  const BodyNode *earlyEnd(SharedLoop &L) const;
  bool isInvariant(const std::string &Factor, const SharedLoop &L) const;
  const SharedLoop *loopOf(const SourceAccess &A) const;
  bool orderMemory(std::set<unsigned> &NeedSync);
  bool startsAtZero(const Reduction &R, const SharedLoop &L) const;
  void writeLoops(const std::set<unsigned> &NeedSync);
  void writeLeaders(const std::set<unsigned> &NeedSync);
  std::pair<double, double> lines() const;
  std::optional<Polynomial> laneStride(const SourceAccess &A) const;
  bool sameText(const BodyNode &X, const BodyNode &Y) const {
    return X.Spelled && Y.Spelled && B.textOf(X) == B.textOf(Y);
  }
};

} // namespace hk
