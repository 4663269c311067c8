//===- CoalesceInterchange.cpp --------------------------------------------===//
//
// What has to hold, and how it is found:
//
//   a shared loop's iterations are independent   no scalar of outside is changed but by
//                                                reductions; what is stored is stored at
//                                                distances that differ from iteration to
//                                                iteration, and what is loaded from the
//                                                same parameter is the same element
//   lanes agree on everything else               it is computed from values that they have
//                                                in common; reductions give all the result
//   loads see the stores that they saw           parameters do not overlap: __restrict__,
//                                                --assume=noalias, or ranges compared at the
//                                                launch; the same parameter: same lane, or a
//                                                barrier of the group between
//   there is nothing that counts work-items      all built-in variables are in
//                                                blockIdx.x * blockDim.x + threadIdx.x
//
//===----------------------------------------------------------------------===//

#include "Interchange.h"

#include "hk/Passes/LaunchRanges.h"
#include "hk/Passes/LinesModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hk;

/// What all lanes do alike.
bool Interchange::common(const BodyNode &N, bool InBlock) {
  switch (N.Kind) {
  case NodeKind::Block:
    for (const auto &Child : N.Children)
      if (!common(*Child, true))
        return false;
    return true;
  case NodeKind::Declares:
    for (const auto &Child : N.Children)
      if (!common(*Child, InBlock))
        return false;
    return true;
  case NodeKind::Declare:
    return !N.child(0) || S.isPure(*N.child(0)) ||
           fail(&N, "declarations have no other effect",
                "the initializer of '" + nameOf(N.Variable) + "' has one");
  case NodeKind::Evaluate:
    return commonExpression(*N.child(0), N, InBlock);
  case NodeKind::If:
    if (!S.isPure(*N.child(0)))
      return fail(&N, "conditions have no effect", "one has");
    return common(*N.child(1), false) && (!N.child(2) || common(*N.child(2), false));
  case NodeKind::For: {
    if (std::optional<CountedLoop> L = S.countedLoop(N);
        L && !Banned.count(&N) && worthSharing(*L)) {
      SharedLoop Candidate;
      Candidate.InBlock = InBlock;
      std::string Why;
      SourcePlace Where;
      if (share(*L, Candidate, Why, Where)) {
        Shared.push_back(std::move(Candidate));
        return true;
      }
      if (LoopFailure.empty()) {
        LoopFailure = Why;
        LoopFailurePlace = Where;
      }
    }
    Sequential.push_back(&N);
    for (unsigned I : {0u, 2u})
      if (const BodyNode *Part = N.child(I)) {
        if (Part->Kind == NodeKind::Declares ? !common(*Part, true)
                                             : !commonExpression(*Part, *Part, false))
          return false;
      }
    if (N.child(1) && !S.isPure(*N.child(1)))
      return fail(&N, "conditions have no effect", "one has");
    return common(*N.child(3), false);
  }
  case NodeKind::While:
  case NodeKind::Do: {
    Sequential.push_back(&N);
    const unsigned Body = N.Kind == NodeKind::While;
    if (!S.isPure(*N.child(!Body)))
      return fail(&N, "conditions have no effect", "one has");
    return common(*N.child(Body), false);
  }
  case NodeKind::Return:
  case NodeKind::Break:
  case NodeKind::Continue:
  case NodeKind::Empty:
    return true;
  default:
    return fail(&N, "all statements can be repeated by each lane", "this one is not analyzed");
  }
}

bool Interchange::commonExpression(const BodyNode &E, const BodyNode &Statement, bool InBlock) {
  if (S.isPure(E))
    return true;
  const bool Assigns = E.Kind == NodeKind::Assign ||
                       (E.Kind == NodeKind::Unary && (E.Text == "++" || E.Text == "--"));
  if (!Assigns)
    return fail(&E, "effects are single assignments", "this expression has another one");
  if (E.Kind == NodeKind::Assign && !S.isPure(*E.child(1)))
    return fail(&E, "effects are single assignments", "this expression has two");
  if (assignedVariable(*E.child(0), B) != ~0u)
    return true;
  for (const SourceAccess &A : S.Accesses)
    if (A.Assignment == &E) {
      if (Statement.Kind != NodeKind::Evaluate || !Statement.Spelled)
        return fail(&E, "each store is a statement of its own", "this one is not");
      Leaders.push_back({&Statement, A.Root, InBlock});
      return true;
    }
  return fail(&E, "each store goes to memory behind a parameter", "this one does not");
}

/// All work-items of a workgroup meet behind it: only limits of their number keep some away.
bool Interchange::isAlone(const SharedLoop &L) const {
  if (!limitsOf(S))
    return false;
  for (const BodyNode *N : Sequential)
    if (N->Begin <= L.Loop.For->Begin && L.Loop.For->End <= N->End)
      return false;
  const auto &Statements = B.Root->Children;
  for (size_t I = 0; I != Statements.size(); ++I) {
    if (Statements[I].get() == L.Loop.For)
      return true;
    const BodyNode *If = Statements[I].get();
    if (If->Kind != NodeKind::If || If->Begin > L.Loop.For->Begin || L.Loop.For->End > If->End)
      continue;
    // Around all that is left.
    const BodyNode *Then = If->child(1);
    return I + 1 == Statements.size() && !If->child(2) &&
           (Then == L.Loop.For ||
            any_of(Then->Children, [&](const auto &C) { return C.get() == L.Loop.For; }));
  }
  return false;
}

/// Loads and stores of the same parameter. \p NeedSync: those whose phases need a barrier between.
bool Interchange::orderMemory(std::set<unsigned> &NeedSync) {
  const std::string Obligation = "iterations that lanes share do not depend on each other";
  for (const SourceAccess &W : S.Accesses) {
    if (!W.Writes)
      continue;
    const SharedLoop *L = loopOf(W);
    FailedLoop = L ? L->Loop.For : nullptr;
    if (L) {
      if (!W.Index)
        return fail(W.Node, Obligation,
                    "where '" + nameOf(W.Root) + "' is written is no sum of products");
      const std::string Counter = KernelSource::factorOf(L->Loop.Variable);
      Polynomial Step = coefficientOf(*W.Index, Counter);
      unsigned Terms = 0;
      for (const auto &[Factors, C] : *W.Index)
        Terms += is_contained(Factors, Counter);
      const bool One = Step.size() == 1 && Step.begin()->first.empty() && Terms == 1;
      if (!One)
        return fail(W.Node, Obligation,
                    Step.empty() && !Terms
                        ? "all write the same element of '" + nameOf(W.Root) + "'"
                        : "elements of '" + nameOf(W.Root) + "' are not a constant apart");
      const int64_t C = Step.begin()->second;
      const ValueType &Index =
          W.Node->Kind == NodeKind::Subscript ? W.Node->child(1)->Type : ValueType();
      if (C != 1 && C != -1 && Index.Kind == ValueType::Unsigned && Index.Bytes < 8)
        return fail(W.Node, Obligation, "the index may wrap in 32 bits");
      for (const auto &[Factors, C2] : *W.Index)
        for (const std::string &F : Factors)
          if (F != Counter && !isInvariant(F, *L))
            return fail(W.Node, Obligation,
                        "where '" + nameOf(W.Root) + "' is written depends on '" +
                            nameOf(*KernelSource::variableOf(F)) + "'");
    }
    for (const SourceAccess &A : S.Accesses) {
      if (A.Root != W.Root || (&A == &W))
        continue;
      const SharedLoop *M = loopOf(A);
      if (L && L == M) {
        if (!A.Index || *A.Index != *W.Index)
          return fail(A.Node, Obligation,
                      "'" + nameOf(W.Root) +
                          "' is used here at another element than it is written at");
        continue;
      }
      // The same lane has the same element in another loop, if both go one by one.
      if (L && M && L->Width == 1 && M->Width == 1 && !L->Signature.empty() &&
          L->Signature == M->Signature && A.Index && W.Index) {
        auto Renamed = [](const Polynomial &P, unsigned Counter) {
          Polynomial Out;
          for (const auto &[Factors, C] : P) {
            std::vector<std::string> F = Factors;
            for (std::string &Name : F)
              if (Name == KernelSource::factorOf(Counter))
                Name = "@";
            llvm::sort(F);
            Out[F] += C;
          }
          return Out;
        };
        bool Fixed = true;
        for (const auto &[Factors, C] : *W.Index)
          for (const std::string &F : Factors)
            if (std::optional<unsigned> V = KernelSource::variableOf(F);
                V && *V != L->Loop.Variable && !S.isFixed(*V))
              Fixed = false;
        if (Fixed && Renamed(*W.Index, L->Loop.Variable) == Renamed(*A.Index, M->Loop.Variable))
          continue;
      }
      NeedSync.insert(W.Root);
    }
    // A store that all iterations of a loop around come back to meets itself and is in order: one
    // lane makes it.
  }
  FailedLoop = nullptr;
  Obligations.push_back(
      {Obligation, ObligationState::Proved,
       "reductions and stores to elements that differ from iteration to iteration"});
  return true;
}

/// 128-byte lines that wavefronts touch, before and after: an estimate, loops taken to run 64
/// times.
std::pair<double, double> Interchange::lines() const {
  double Before = 0, After = 0;
  for (const SourceAccess &A : S.Accesses) {
    const double Bytes = A.Node->Type.Bytes;
    double Times = 1;
    for (size_t I = 0; I != A.Loops.size(); ++I)
      Times *= 64;
    Before += Times * linesFor(laneStride(A), unsigned(Bytes));
    if (const SharedLoop *L = loopOf(A)) {
      // As many wavefronts as there were lanes, each with a 64th of the iterations.
      std::optional<Polynomial> Step;
      if (A.Index)
        Step = coefficientOf(*A.Index, KernelSource::factorOf(L->Loop.Variable));
      After += Times * linesFor(Step, unsigned(Bytes));
    } else {
      After += Times * WaveSize * std::max(1.0, Bytes / LineBytes);
    }
  }
  return {Before, After};
}

std::variant<KernelVersion, Declined> Interchange::run() {
  const std::string Independent = "iterations that lanes share do not depend on each other";
  std::variant<std::array<bool, 3>, Declined> Movable = movableWorkItems(S);
  if (auto *Why = std::get_if<Declined>(&Movable))
    return *Why;
  for (const BodyNode *N : S.Items)
    if (S.form(*N)->begin()->first[0].back() != 'x')
      return Declined{"work-items are numbered in x", "another dimension is used", N->Place};
  if (S.OnlyBlocks[0])
    return Declined{"work-items are numbered in x", "only workgroups are", S.K.Place};
  if (S.Items.empty())
    return Declined{"work-items do different things", "nothing depends on their number", S.K.Place};
  if (!common(*B.Root, true))
    return Failure;
  if (Shared.empty() && LoopFailure.empty()) {
    // Nothing that lanes would gain by. Are there enough of them?
    Sequential.clear();
    Leaders.clear();
    Across = true;
    if (!common(*B.Root, true) || Shared.empty())
      return Declined{"", "", {}};
  }
  if (Shared.empty()) {
    if (!LoopFailure.empty())
      return Declined{Independent, LoopFailure, LoopFailurePlace};
    return Declined{"", "", {}}; // nothing to gain
  }
  // What is not shared is done by all lanes of a group.
  for (const BodyNode *N : Sequential) {
    if (any_of(Shared, [&](const SharedLoop &L) {
          return N->Begin <= L.Loop.For->Begin && L.Loop.For->End <= N->End;
        }))
      continue;
    std::optional<CountedLoop> L = S.countedLoop(*N);
    auto NumberAt = [&](const BodyNode &E) {
      std::optional<Polynomial> P = S.form(E);
      return P ? numberOf(*P) : std::nullopt;
    };
    std::optional<int64_t> From = L ? NumberAt(*L->From) : std::nullopt,
                           To = L ? NumberAt(*L->Bounds[0].To) : std::nullopt;
    if (!From || !To || std::abs(*To - *From) > 32)
      return Declined{"all long loops are shared",
                      LoopFailure.empty() ? "this one gains nothing" : LoopFailure,
                      LoopFailure.empty() ? N->Place : LoopFailurePlace};
  }
  if (Across && !all_of(Shared, [&](const SharedLoop &L) { return isAlone(L); }))
    return Declined{"", "", {}};
  auto [Before, After] = lines();
  if (!Across && After * 1.5 > Before)
    return Declined{"fewer lines are touched",
                    "what lanes now store one by one outweighs the loops", S.K.Place};

  KernelVersion V;
  std::set<unsigned> NeedSync;
  V.Includes = {"hk/group.h", "hk/guard.h"};
  V.Setup.push_back("const size_t hk_items = size_t(hk_grid.x) * hk_block.x;");
  V.Guards.push_back("hk::isLinear(hk_grid, hk_block)");
  if (!Across)
    for (SharedLoop &L : Shared)
      widen(L);
  if (!orderMemory(NeedSync))
    return Failure;
  if (std::optional<Declined> Overlap = separateRoots(S, Opts, /*ItemsAreDim3=*/false, V))
    return *Overlap;
  Obligations.push_back({"lanes of a group agree on all that they do alike",
                         ObligationState::Proved,
                         "it depends on the work-item's number, parameters and reductions"});
  Obligations.push_back({"work-items are numbered in x only, and a group's lanes fit the grid",
                         ObligationState::Guarded, "the launcher looks at the configuration"});
  unsigned Sums = 0; ///< bytes of the least exact type in which floating-point numbers are added up
  for (const SharedLoop &L : Shared)
    for (const Reduction &R : L.Reductions) {
      const ValueType &T =
          R.IsArray ? B.Variables[R.Variable].Pointee : B.Variables[R.Variable].Type;
      if ((R.Kind == ReductionKind::Sum || R.Kind == ReductionKind::Product) && !T.isInteger()) {
        const unsigned Bytes = T.Kind == ValueType::Float ? T.Bytes : 4; // else members of a struct
        Sums = Sums ? std::min(Sums, Bytes) : Bytes;
      }
    }
  if (Sums && Opts.ExactFloats)
    return Declined{"sums keep their order", "--fp=exact asks for it, and lanes add up another way",
                    S.K.Place};
  if (Sums) {
    Obligations.push_back({"sums may be taken in another order", ObligationState::Assumed,
                           "--fp=reassoc, the default"});
    V.Bound = floatBound(Sums);
  }
  writeLoops(NeedSync);
  writeLeaders(NeedSync);
  for (const BodyNode *N : S.Items) {
    std::string Call =
        S.form(*N)->begin()->first[0] == "items.x" ? "hk_row.items()" : "hk_row.item()";
    Edits.push_back({N->Begin, N->End,
                     N->Type.Bytes > 4 || N->Type.Kind != ValueType::Unsigned
                         ? "(" + N->Type.Text + ")" + Call
                         : Call});
  }
  V.Edits = Edits;
  append_range(V.Obligations, Obligations);
  V.Rule = "coalesce-interchange";
  V.Message = "a group of lanes shares what each work-item goes through, so that neighbouring "
              "lanes reach neighbouring elements";
  V.Comment =
      "/// " + B.Name +
      " with a group of work-items in place of each: its lanes go through a row side by side.\n";
  V.Template = "class hk_Row";
  V.Threads = "hk_Row::Threads";
  V.Params = "hk::Groups hk_groups";
  V.Prologue = "  hk_Row hk_row(hk_groups);\n  if (hk_row.isPast())\n    return;\n";
  std::string Trips = "0";
  for (const SharedLoop &L : Shared) {
    std::optional<Polynomial> From = S.form(*L.Loop.From), To = S.form(*L.Loop.Bounds[0].To);
    if (!From || !To)
      continue;
    Polynomial Distance = L.Loop.Down ? *From : *To;
    for (const auto &[Factors, C] : L.Loop.Down ? *To : *From)
      if ((Distance[Factors] -= C) == 0)
        Distance.erase(Factors);
    if (!isOfParameters(S, Distance))
      continue;
    Trips = "size_t(" + LaunchRanges::hostText(S, Distance, {}) + ")";
    if (L.Width > 1)
      Trips += " / " + std::to_string(L.Width);
    break;
  }
  // Of lengths that only memory says many may be short: lanes would be idle.
  for (const SharedLoop &L : Shared) {
    if (Trips != "0" || (!S.dependsOnMemory(*L.Loop.From) &&
                         none_of(L.Loop.Bounds, [&](const CountedLoop::Bound &Bound) {
                           return S.dependsOnMemory(*Bound.To);
                         })))
      continue;
    const std::string Long = "loops are long enough for lanes to share them";
    if (!Opts.AssumeLongLoops)
      return Declined{
          Long, "how long they are is not known at the launch; --assume=long-loops would say it",
          L.Loop.For->Place.valid() ? L.Loop.For->Place : S.K.Place};
    V.Obligations.push_back({Long, ObligationState::Assumed, "--assume=long-loops"});
    break;
  }
  if (Across) {
    V.Message = "16 wavefronts share the loops of each, since there are few work-items";
    V.Comment = "/// " + B.Name + " with 16 wavefronts in place of each, which share its loops.\n";
    V.Guards.push_back("hk::areFew(hk_items)");
    if (Trips != "0")
      V.Guards.push_back(Trips + " >= 64"); // else there is little to share
    V.Launch = "hk::launchAcross(hk_items, hk_stream, @<hk::Group<hk::AcrossWaves>\x01>, $);";
    V.Effects.push_back({"iterations of its loops a work-item", 16, 1});
    return V;
  }
  std::string Rows = "Once";
  std::set<unsigned> Roots;
  for (const SharedLoop &L : Shared) {
    std::set<unsigned> Own;
    for (const SourceAccess &A : S.Accesses)
      if (is_contained(A.Loops, L.Loop.For) && laneStride(A) != std::optional(Polynomial()))
        Own.insert(A.Root);
    for (unsigned Root : Own)
      if (!Roots.insert(Root).second)
        Rows = "Again";
  }
  for (const SharedLoop &L : Shared)
    for (const Reduction &R : L.Reductions)
      if (R.IsArray)
        Rows = "Many";
  if (const std::string Size = std::to_string(Opts.BlockSize); Opts.BlockSize) {
    const std::string InWave = "@<hk::Group<hk::InWave, " + Size + ">\x01>";
    V.Launch = "hk::launchGroupsOf<" + Size + ">(hk_items, " + Trips + ", hk::Rows::" + Rows +
               ", hk_stream, " + InWave + ", " +
               (Opts.BlockSize > WaveSize ? "@<hk::Group<" + Size + ">\x01>" : InWave) + ", $);";
  } else {
    V.Launch = "hk::launchGroups(hk_items, " + Trips + ", hk::Rows::" + Rows +
               ", hk_stream, @<hk::Group<hk::InWave>\x01>,\n"
               "                     @<hk::Group<256>\x01>, @<hk::Group<512>\x01>, "
               "@<hk::Group<1024>\x01>, $);";
  }
  V.Effects.push_back({"128-byte lines a wavefront in its loops", Before / After, 1});
  return V;
}

std::variant<KernelVersion, Declined> hk::interchange(const KernelSource &S,
                                                      const PassOptions &Opts) {
  std::set<const BodyNode *> Banned;
  std::optional<Declined> First;
  for (;;) {
    Interchange Attempt(S, Opts, Banned);
    std::variant<KernelVersion, Declined> Result = Attempt.run();
    if (std::holds_alternative<KernelVersion>(Result))
      return Result;
    if (!First)
      First = std::get<Declined>(Result);
    // Perhaps a loop inside of it can be.
    if (!Attempt.failedLoop() || !Banned.insert(Attempt.failedLoop()).second)
      return *First;
  }
}
