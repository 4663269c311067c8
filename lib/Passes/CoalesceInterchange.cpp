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

#include "hk/Passes/CoalesceInterchange.h"

#include "hk/Passes/LaunchRanges.h"
#include "hk/Passes/LinesModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;
using namespace hk;

namespace {

struct Reason {
  std::string Obligation, Why;
  SourcePlace Place;
};

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
  std::set<unsigned> Inside;          ///< variables declared in it, its counter too
  std::string Signature;              ///< equal ones share the same iterations the same way; empty: like no other
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
  /// A condition around all of its body that ends it early: `Start < Limit`, Start being what it compares first.
  std::string Start, Limit;
};

struct LeaderStore {
  const BodyNode *Statement;
  unsigned Root;
  bool InBlock;
};

const BodyNode *stripCasts(const BodyNode *N) {
  while (N->Kind == NodeKind::Cast)
    N = N->child(0);
  return N;
}

class Interchange {
public:
  Interchange(const KernelSource &S, const PassOptions &Opts) : S(S), B(S.Body), Opts(Opts) {}
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const PassOptions &Opts;
  Reason Failure;
  SourcePlace LoopFailurePlace;
  std::string LoopFailure; ///< why a loop that would gain cannot be shared
  std::vector<SharedLoop> Shared;
  std::vector<LeaderStore> Leaders;
  std::vector<const BodyNode *> Sequential; ///< loops that all lanes go through alike
  std::vector<TextEdit> Edits;
  std::vector<Obligation> Obligations;
  /// Lanes stay along work-items, which are neighbours already but too few: iterations go to other wavefronts.
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
           fail(&N, "declarations have no other effect", "the initializer of '" + nameOf(N.Variable) + "' has one");
  case NodeKind::Evaluate:
    return commonExpression(*N.child(0), N, InBlock);
  case NodeKind::If:
    if (!S.isPure(*N.child(0)))
      return fail(&N, "conditions have no effect", "one has");
    return common(*N.child(1), false) && (!N.child(2) || common(*N.child(2), false));
  case NodeKind::For: {
    if (std::optional<CountedLoop> L = S.countedLoop(N); L && worthSharing(*L)) {
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
        if (Part->Kind == NodeKind::Declares ? !common(*Part, true) : !commonExpression(*Part, *Part, false))
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
  const bool Assigns = E.Kind == NodeKind::Assign || (E.Kind == NodeKind::Unary && (E.Text == "++" || E.Text == "--"));
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

/// The distance between lanes in the kernel as it is, in elements.
std::optional<Polynomial> Interchange::laneStride(const SourceAccess &A) const {
  if (!A.Index || S.isOpaque(*A.Index))
    return std::nullopt;
  Polynomial Stride = coefficientOf(*A.Index, "item.x");
  // Loops that start at a distance from each other.
  for (const BodyNode *N : A.Loops)
    if (std::optional<CountedLoop> L = S.countedLoop(*N)) {
      Polynomial Scale = coefficientOf(*A.Index, KernelSource::factorOf(L->Variable));
      std::optional<Polynomial> From = S.form(*L->From);
      if (!From && !Scale.empty())
        return std::nullopt;
      if (From) {
        Polynomial Start = coefficientOf(*From, "item.x");
        for (const auto &[FS, CS] : Start)
          for (const auto &[FC, CC] : Scale) {
            std::vector<std::string> Factors = FS;
            append_range(Factors, FC);
            llvm::sort(Factors);
            if ((Stride[Factors] += CS * CC) == 0)
              Stride.erase(Factors);
          }
      }
    }
  return Stride;
}

/// Neighbouring iterations reach neighbours where neighbouring lanes do not.
bool Interchange::worthSharing(const CountedLoop &L) const {
  double Before = 0, After = 0;
  if (Across) {
    // A long loop whose lanes are neighbours.
    bool Reads = false;
    for (const SourceAccess &A : S.Accesses)
      if (is_contained(A.Loops, L.For)) {
        if (linesFor(laneStride(A), A.Node->Type.Bytes) > WaveSize * A.Node->Type.Bytes / double(LineBytes) + 1)
          return false;
        Reads |= !laneStride(A)->empty();
      }
    std::optional<Polynomial> To = S.form(*L.Bounds[0].To);
    return Reads && !(To && (To->empty() || (To->size() == 1 && To->begin()->first.empty())));
  }
  for (const SourceAccess &A : S.Accesses) {
    if (!is_contained(A.Loops, L.For))
      continue;
    // What its own inner loops go through stays as near or as far.
    double Weight = 1;
    for (const BodyNode *Inner : llvm::reverse(A.Loops)) {
      if (Inner == L.For)
        break;
      Weight *= 16;
    }
    const unsigned Bytes = A.Node->Type.Bytes;
    Before += Weight * linesFor(laneStride(A), Bytes);
    std::optional<Polynomial> Step;
    if (A.Index)
      Step = coefficientOf(*A.Index, KernelSource::factorOf(L.Variable));
    if (Step && L.Step)
      Step = L.Step->Kind == NodeKind::Integer && Step->size() == 1
                 ? std::optional(Polynomial{{Step->begin()->first, Step->begin()->second * L.Step->Number}})
                 : std::nullopt;
    After += Weight * linesFor(Step, Bytes);
  }
  // A few iterations, always as many: an array of small structs, for which lanes in place of iterations leave too few.
  std::optional<Polynomial> From = S.form(*L.From), To = S.form(*L.Bounds[0].To);
  if (From && To && !L.Down)
    if (std::optional<Polynomial> Trips = sum(*To, *From, -1))
      if (Trips->empty() || (Trips->size() == 1 && Trips->begin()->first.empty() && Trips->begin()->second < 32))
        return false;
  return After * 1.5 < Before;
}

std::optional<Reduction> Interchange::reduction(const BodyNode &E) const {
  auto Target = [&](const BodyNode &T) -> std::optional<Reduction> {
    unsigned V = assignedVariable(T, B);
    if (V == ~0u || !T.Spelled)
      return std::nullopt;
    Reduction R{ReductionKind::Sum, B.textOf(T), V};
    if (B.Variables[V].Type.Kind == ValueType::Array) {
      if (T.Kind != NodeKind::Subscript || T.child(0)->Kind != NodeKind::Reference || B.Variables[V].Type.Elements == 0 ||
          B.Variables[V].Type.Elements > 64)
        return std::nullopt;
      R.IsArray = true;
      R.Target = nameOf(V);
    }
    return R;
  };
  if (E.Kind == NodeKind::Unary && (E.Text == "++" || E.Text == "--"))
    return Target(*E.child(0));
  if (E.Kind != NodeKind::Assign)
    return std::nullopt;
  std::optional<Reduction> R = Target(*E.child(0));
  if (!R)
    return std::nullopt;
  if (E.Text == "+=" || E.Text == "-=" || E.Text == "^=") {
    R->Kind = E.Text == "^=" ? ReductionKind::Xor : ReductionKind::Sum;
    return R;
  }
  if (E.Text == "*=" || E.Text == "&=" || E.Text == "|=") {
    R->Kind = E.Text == "*=" ? ReductionKind::Product : E.Text == "&=" ? ReductionKind::And : ReductionKind::Or;
    return R;
  }
  if (E.Text != "=")
    return std::nullopt;
  const BodyNode *Value = stripCasts(E.child(1));
  const ValueType &Type = E.child(0)->Type;
  // A flag that is only ever set, or only ever cleared.
  if (Type.Kind == ValueType::Bool && E.child(1)->Kind == NodeKind::Integer) {
    R->Kind = E.child(1)->Number ? ReductionKind::Or : ReductionKind::And;
    return R;
  }
  if (Value != E.child(1) && Type.Kind == ValueType::Float && E.child(1)->Type.Bytes < Value->Type.Bytes)
    return std::nullopt; // rounded each time
  auto IsTarget = [&](const BodyNode *N) { return sameText(*stripCasts(N), *E.child(0)); };
  if (Value->Kind == NodeKind::Binary && (Value->Text == "+" || Value->Text == "*") &&
      Value->Type.Bytes == Type.Bytes && (IsTarget(Value->child(0)) || IsTarget(Value->child(1)))) {
    R->Kind = Value->Text == "+" ? ReductionKind::Sum : ReductionKind::Product;
    return R;
  }
  if (Value->Kind == NodeKind::Call && Value->Children.size() == 2 &&
      (IsTarget(Value->child(0)) || IsTarget(Value->child(1)))) {
    const bool Max = Value->Text == "fmaxf" || Value->Text == "fmax" || Value->Text == "max";
    const bool Min = Value->Text == "fminf" || Value->Text == "fmin" || Value->Text == "min";
    if (!Max && !Min)
      return std::nullopt;
    R->Kind = Max ? ReductionKind::Max : ReductionKind::Min;
    return R;
  }
  if (Value->Kind == NodeKind::Conditional && Value->child(0)->Kind == NodeKind::Binary) {
    // e > m ? e : m, where a NaN is passed over; with m > e ? m : e the last one would stay.
    const BodyNode *C = Value->child(0), *New = C->child(0), *Old = C->child(1);
    std::string Operator = C->Text.substr(0, 1);
    if (IsTarget(New)) {
      std::swap(New, Old);
      Operator = Operator == "<" ? ">" : "<";
    }
    if ((C->Text == "<" || C->Text == ">" || C->Text == "<=" || C->Text == ">=") && IsTarget(Old) &&
        sameText(*New, *Value->child(1)) && IsTarget(Value->child(2))) {
      R->Kind = Operator == ">" ? ReductionKind::Max : ReductionKind::Min;
      return R;
    }
  }
  return std::nullopt;
}

/// if (e > m) m = e;
std::optional<Reduction> Interchange::conditionalMaximum(const BodyNode &If) const {
  const BodyNode *C = If.child(0), *Then = If.child(1);
  if (If.child(2) || C->Kind != NodeKind::Binary)
    return std::nullopt;
  if (Then->Kind == NodeKind::Block && Then->Children.size() == 1)
    Then = Then->child(0);
  if (Then->Kind != NodeKind::Evaluate || Then->child(0)->Kind != NodeKind::Assign || Then->child(0)->Text != "=")
    return std::nullopt;
  const BodyNode &Assign = *Then->child(0);
  unsigned V = assignedVariable(*Assign.child(0), B);
  if (V == ~0u || !S.isPure(*C) || !Assign.child(0)->Spelled || B.Variables[V].Type.Kind == ValueType::Array)
    return std::nullopt;
  if (C->Text != "<" && C->Text != ">" && C->Text != "<=" && C->Text != ">=")
    return std::nullopt;
  const bool Left = sameText(*C->child(0), *Assign.child(1)) && sameText(*C->child(1), *Assign.child(0));
  const bool Right = sameText(*C->child(1), *Assign.child(1)) && sameText(*C->child(0), *Assign.child(0));
  if (!Left && !Right)
    return std::nullopt;
  const bool Greater = C->Text[0] == '>';
  return Reduction{Greater == Left ? ReductionKind::Max : ReductionKind::Min, B.textOf(*Assign.child(0)), V};
}

bool Interchange::sharedBody(const BodyNode &N, SharedLoop &L, std::string &Why, SourcePlace &Where) const {
  auto No = [&](const std::string &Text) {
    Why = Text;
    Where = N.Place;
    return false;
  };
  auto Effect = [&](const BodyNode &E) {
    if (S.isPure(E))
      return true;
    const bool Assigns = E.Kind == NodeKind::Assign || (E.Kind == NodeKind::Unary && (E.Text == "++" || E.Text == "--"));
    if (!Assigns || (E.Kind == NodeKind::Assign && !S.isPure(*E.child(1))))
      return No("an expression in it has an effect of its own");
    unsigned V = assignedVariable(*E.child(0), B);
    if (V == ~0u || L.Inside.count(V))
      return true; // memory is looked at by itself
    std::optional<Reduction> R = reduction(E);
    if (!R)
      return No("'" + nameOf(V) + "' goes from one iteration to the next");
    for (const Reduction &Known : L.Reductions)
      if (Known.Variable == R->Variable && (Known.Kind != R->Kind || (Known.IsArray != R->IsArray)) && Known.Target == R->Target)
        return No("'" + nameOf(V) + "' is reduced in two ways");
    for (const Reduction &Known : L.Reductions)
      if (Known.Target == R->Target)
        return true;
    L.Reductions.push_back(*R);
    return true;
  };
  switch (N.Kind) {
  case NodeKind::Block:
  case NodeKind::Declares:
    for (const auto &Child : N.Children)
      if (!sharedBody(*Child, L, Why, Where))
        return false;
    return true;
  case NodeKind::Declare:
    L.Inside.insert(N.Variable);
    return !N.child(0) || S.isPure(*N.child(0)) || No("a declaration in it has an effect of its own");
  case NodeKind::Evaluate:
    return Effect(*N.child(0));
  case NodeKind::If:
    if (std::optional<Reduction> R = conditionalMaximum(N); R && !L.Inside.count(R->Variable)) {
      for (const Reduction &Known : L.Reductions)
        if (Known.Target == R->Target)
          return Known.Kind == R->Kind || No("'" + R->Target + "' is reduced in two ways");
      L.Reductions.push_back(*R);
      return true;
    }
    if (!S.isPure(*N.child(0)))
      return No("a condition in it has an effect");
    return sharedBody(*N.child(1), L, Why, Where) && (!N.child(2) || sharedBody(*N.child(2), L, Why, Where));
  case NodeKind::For:
    for (unsigned I : {0u, 2u})
      if (const BodyNode *Part = N.child(I))
        if (Part->Kind == NodeKind::Declares ? !sharedBody(*Part, L, Why, Where) : !Effect(*Part))
          return false;
    if (N.child(1) && !S.isPure(*N.child(1)))
      return No("a condition in it has an effect");
    return sharedBody(*N.child(3), L, Why, Where);
  case NodeKind::While:
    return (S.isPure(*N.child(0)) || No("a condition in it has an effect")) && sharedBody(*N.child(1), L, Why, Where);
  case NodeKind::Do:
    return (S.isPure(*N.child(1)) || No("a condition in it has an effect")) && sharedBody(*N.child(0), L, Why, Where);
  case NodeKind::Break:
  case NodeKind::Continue:
  case NodeKind::Empty:
    return true;
  case NodeKind::Return:
    return No("it may be left early");
  default:
    return No("a statement in it is not analyzed");
  }
}

/// Whether \p N has a break that ends \p N's own loop, a return, or a goto.
bool leavesLoop(const BodyNode &Body) {
  bool Leaves = false;
  visit(Body, [&](const BodyNode &N) {
    Leaves |= N.Kind == NodeKind::Break || N.Kind == NodeKind::Return;
    return N.Kind != NodeKind::For && N.Kind != NodeKind::While && N.Kind != NodeKind::Do;
  });
  return Leaves;
}

bool Interchange::share(const CountedLoop &L, SharedLoop &Out, std::string &Why, SourcePlace &Where) const {
  Out.Loop = L;
  Out.Inside = {L.Variable};
  Where = L.For->Place;
  auto No = [&](const std::string &Text) {
    Why = Text;
    return false;
  };
  if (!L.For->Spelled || !L.body()->Spelled || !L.From->Spelled)
    return No("a macro makes part of it");
  StringRef Header = StringRef(B.Text).slice(L.For->Begin, L.body()->Begin).rtrim();
  if (!Header.ends_with(")"))
    return No("its text cannot be told apart from its body's");
  if (leavesLoop(*L.body()))
    return No("it may be left early");
  if (!sharedBody(*L.body(), Out, Why, Where))
    return false;

  Where = L.For->Place;
  // Its bounds hold for all of it.
  std::set<unsigned> Changed = Out.Inside;
  visit(*L.body(), [&](const BodyNode &N) {
    if (N.Kind == NodeKind::Assign || (N.Kind == NodeKind::Unary && (N.Text == "++" || N.Text == "--")))
      if (unsigned V = assignedVariable(*N.child(0), B); V != ~0u)
        Changed.insert(V);
    return true;
  });
  auto Holds = [&](const BodyNode &E) {
    bool Fixed = S.isPure(E);
    visit(E, [&](const BodyNode &N) {
      if (N.Kind == NodeKind::Reference)
        Fixed &= !Changed.count(N.Variable);
      return true;
    });
    // What it reads is not what the loop stores: other parameters are apart.
    for (const SourceAccess &R : S.Accesses)
      if (R.Node->Begin >= E.Begin && R.Node->End <= E.End)
        for (const SourceAccess &W : S.Accesses)
          Fixed &= !(W.Writes && W.Root == R.Root && is_contained(W.Loops, L.For));
    return Fixed;
  };
  for (const CountedLoop::Bound &Bound : L.Bounds)
    if (!Bound.To->Spelled || !Holds(*Bound.To))
      return No("where it ends may change on the way");
  if (L.Step && (!L.Step->Spelled || !Holds(*L.Step) || L.Step->Kind != NodeKind::Integer || L.Step->Number <= 0))
    return No("its step is no positive constant");
  if (L.Down && L.Step)
    return No("it goes down by more than one");
  for (size_t I = 1; I < L.Bounds.size(); ++I)
    if (L.Bounds[I].To->Type.Text != L.Bounds[0].To->Type.Text || L.Bounds[I].Inclusive != L.Bounds[0].Inclusive)
      return No("its bounds are of different types");

  // A scalar that it reduces is nothing else in it.
  for (const Reduction &R : Out.Reductions) {
    unsigned Uses = 0, Own = 0;
    visit(*L.body(), [&](const BodyNode &N) {
      Uses += N.Kind == NodeKind::Reference && N.Variable == R.Variable;
      return true;
    });
    // Uses within its own updates.
    auto CountIn = [&](const BodyNode &Update) {
      visit(Update, [&](const BodyNode &N) {
        Own += N.Kind == NodeKind::Reference && N.Variable == R.Variable;
        return true;
      });
    };
    bool Clean = true;
    std::function<void(const BodyNode &)> Walk = [&](const BodyNode &N) {
      if (N.Kind == NodeKind::If)
        if (std::optional<Reduction> M = conditionalMaximum(N); M && M->Variable == R.Variable) {
          unsigned Before = Own;
          CountIn(N);
          Clean &= Own - Before == 2;
          return;
        }
      if (N.Kind == NodeKind::Assign || N.Kind == NodeKind::Unary)
        if (std::optional<Reduction> M = reduction(N); M && M->Variable == R.Variable) {
          unsigned Before = Own;
          CountIn(N);
          // The target, and once more where the form names it again.
          const bool Compound = N.Kind == NodeKind::Unary || N.Text != "=";
          const BodyNode *Value = Compound ? nullptr : stripCasts(N.child(1));
          const unsigned Expected = Compound || N.child(1)->Kind == NodeKind::Integer ? 1
                                    : Value->Kind == NodeKind::Conditional           ? 3
                                                                                     : 2;
          Clean &= Own - Before == Expected;
          return;
        }
      for (const auto &Child : N.Children)
        if (Child)
          Walk(*Child);
    };
    Walk(*L.body());
    if (!Clean || Own != Uses) {
      Where = L.For->Place;
      return No("'" + R.Target + "' is used on the way");
    }
    const ValueType &T = R.IsArray ? B.Variables[R.Variable].Pointee : B.Variables[R.Variable].Type;
    if (T.Kind == ValueType::Struct && R.Target == nameOf(R.Variable))
      return No("'" + R.Target + "' is of a class");
    if (T.isInteger() && T.Bytes < 4 && T.Kind != ValueType::Bool && R.Kind == ReductionKind::Product)
      return No("'" + R.Target + "' is a product of a narrow type");
  }
  Out.Signature = signatureOf(Out);
  return true;
}

std::string Interchange::signatureOf(const SharedLoop &L) const {
  std::string Text = L.Loop.Down ? "down " : "up ";
  auto Add = [&](const BodyNode &E) {
    std::optional<Polynomial> P = S.form(E);
    if (!P)
      return false;
    for (const auto &[Factors, C] : *P)
      for (const std::string &F : Factors)
        if (std::optional<unsigned> V = KernelSource::variableOf(F); V && !S.isFixed(*V))
          return false;
    Text += textOf(*P) + ";";
    return true;
  };
  if (!Add(*L.Loop.From))
    return "";
  for (const CountedLoop::Bound &Bound : L.Loop.Bounds) {
    Text += Bound.Inclusive ? "<=" : "<";
    if (!Add(*Bound.To))
      return "";
  }
  Text += L.Loop.Step ? std::to_string(L.Loop.Step->Number) : "1";
  return Text;
}

/// All work-items of a workgroup meet behind it: only limits of their number keep some away.
bool Interchange::isAlone(const SharedLoop &L) const {
  std::set<std::string> Conditions;
  if (!limitsOf(S, Conditions))
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
           (Then == L.Loop.For || any_of(Then->Children, [&](const auto &C) { return C.get() == L.Loop.For; }));
  }
  return false;
}

/// \p E as it is in the first iteration, in terms of what is outside of \p L.
std::optional<std::string> Interchange::startText(const BodyNode &E, const SharedLoop &L) const {
  std::vector<TextEdit> Edits;
  bool Outside = E.Spelled;
  visit(E, [&](const BodyNode &N) {
    if (N.Kind != NodeKind::Reference || !L.Inside.count(N.Variable))
      return true;
    const BodyNode *Value = N.Variable == L.Loop.Variable ? L.Loop.From : S.isFixed(N.Variable) ? S.initOf(N.Variable) : nullptr;
    std::optional<std::string> Text = Value && N.Spelled ? startText(*Value, L) : std::nullopt;
    if (!Text) {
      Outside = false;
      return false;
    }
    if (Value->Kind != NodeKind::Integer)
      Text = Value->Kind == NodeKind::Reference ? *Text : B.Variables[N.Variable].Type.Text + "(" + *Text + ")";
    Edits.push_back({N.Begin, N.End, *Text});
    return true;
  });
  return Outside ? std::optional(edited(B, E.Begin, E.End, Edits)) : std::nullopt;
}

/// if (i < n) around all that the body does, where i counts with the loop: the condition.
const BodyNode *Interchange::earlyEnd(SharedLoop &L) const {
  const BodyNode *Body = L.Loop.body(), *If = Body;
  if (Body->Kind == NodeKind::Block) {
    if (Body->Children.empty())
      return nullptr;
    for (size_t I = 0; I + 1 < Body->Children.size(); ++I)
      if (Body->Children[I]->Kind != NodeKind::Declares || any_of(S.Accesses, [&](const SourceAccess &A) {
            return A.Node->Begin >= Body->Children[I]->Begin && A.Node->End <= Body->Children[I]->End;
          }))
        return nullptr;
    If = Body->Children.back().get();
  }
  if (If->Kind != NodeKind::If || If->child(2) || L.Loop.Bounds[0].Inclusive)
    return nullptr;
  const BodyNode *C = If->child(0);
  if (C->Kind != NodeKind::Binary || (C->Text != "<" && C->Text != ">"))
    return nullptr;
  const BodyNode *Counts = C->child(C->Text == ">"), *Limit = C->child(C->Text == "<");
  std::optional<Polynomial> P = S.form(*Counts);
  if (!P || coefficientOf(*P, KernelSource::factorOf(L.Loop.Variable)) != Polynomial{{{}, 1}} || !Limit->Spelled || !S.isPure(*Limit) ||
      S.reads(*Limit))
    return nullptr;
  if (Counts->Type.Kind == ValueType::Unsigned && Counts->Type.Bytes < 8)
    return nullptr; // may wrap, and be below again
  bool Fixed = true;
  visit(*Limit, [&](const BodyNode &N) {
    Fixed &= N.Kind != NodeKind::Reference || (!L.Inside.count(N.Variable) && S.isFixed(N.Variable));
    return true;
  });
  std::optional<std::string> Start = startText(*Counts, L);
  if (!Fixed || !Start)
    return nullptr;
  // With the types that the comparison has.
  auto Typed = [](const BodyNode &N, const std::string &Text) {
    return N.Kind == NodeKind::Cast || N.Kind == NodeKind::Integer ? N.Type.Text + "(" + Text + ")" : Text;
  };
  L.Start = Typed(*Counts, *Start);
  L.Limit = Typed(*Limit, B.textOf(*Limit));
  return C;
}

/// Finds the streams of \p L, if all that lanes touch side by side is one.
void Interchange::widen(SharedLoop &L) const {
  const CountedLoop &C = L.Loop;
  if (C.Step || C.Bounds.size() != 1)
    return;
  const BodyNode *EarlyEnd = C.Down ? nullptr : earlyEnd(L);
  const std::string Counter = KernelSource::factorOf(C.Variable);
  std::vector<SharedLoop::Stream> Streams;
  unsigned Widest = 0;
  bool Ends = false;
  for (const SourceAccess &A : S.Accesses) {
    if (!is_contained(A.Loops, C.For))
      continue;
    if (!A.Index) {
      // Where it is does not depend on the counter, or it cannot be told.
      bool Depends = false;
      visit(*A.Node, [&](const BodyNode &N) {
        Depends |= N.Kind == NodeKind::Reference && L.Inside.count(N.Variable);
        return true;
      });
      if (Depends)
        return;
      continue;
    }
    Polynomial Step = coefficientOf(*A.Index, Counter);
    unsigned Terms = 0;
    for (const auto &[Factors, Coefficient] : *A.Index)
      Terms += is_contained(Factors, Counter);
    if (!Terms) {
      bool Inner = false;
      for (const auto &[Factors, Coefficient] : *A.Index)
        for (const std::string &F : Factors)
          Inner |= F != Counter && !isInvariant(F, L);
      if (Inner || A.Writes)
        return;
      continue; // the same for all iterations
    }
    const unsigned Bytes = A.Node->Type.Bytes;
    const bool Up = Step == Polynomial{{{}, 1}}, Down = Step == Polynomial{{{}, -1}};
    if (Terms != 1 || (!Up && !Down) || !A.Node->Spelled || A.Node->Kind != NodeKind::Subscript ||
        (A.Writes && !A.Member.empty()) || (Bytes & (Bytes - 1)) || Bytes > 8)
      return;
    // It happens in each iteration.
    for (const SourceCondition &Condition : A.Conditions)
      if (Condition.Node->Begin >= C.For->Begin && Condition.Node->End <= C.For->End) {
        if (Condition.Node != EarlyEnd || !Condition.Holds)
          return;
        Ends = true;
      }
    for (const BodyNode *Inner : llvm::reverse(A.Loops)) {
      if (Inner == C.For)
        break;
      std::optional<CountedLoop> Loop = S.countedLoop(*Inner);
      const BodyNode *To = Loop ? Loop->Bounds[0].To : nullptr;
      if (!Loop || Loop->Down || Loop->Bounds.size() != 1 || Loop->From->Kind != NodeKind::Integer || To->Kind != NodeKind::Integer ||
          Loop->From->Number >= To->Number)
        return;
    }
    std::optional<std::string> Start = startText(*A.Node, L);
    if (!Start)
      return;
    Widest = std::max(Widest, Bytes);
    auto Known = find_if(Streams, [&](const SharedLoop::Stream &T) { return T.Root == A.Root; });
    if (Known == Streams.end()) {
      SharedLoop::Stream T;
      T.Root = A.Root;
      T.Index = *A.Index;
      T.Name = "hk_" + nameOf(A.Root);
      T.Type = A.Node->Type.Text;
      T.First = "&" + *Start;
      T.Down = Up == C.Down;
      Streams.push_back(std::move(T));
      Known = std::prev(Streams.end());
    } else if (Known->Index != *A.Index) {
      return;
    }
    Known->Reads |= A.Reads;
    Known->Writes |= A.Writes;
    Known->Nodes.push_back(A.Node);
  }
  if (Streams.empty())
    return;
  if (!Ends)
    L.Start.clear();
  L.Streams = std::move(Streams);
  L.Width = 16 / Widest;
}

const SharedLoop *Interchange::loopOf(const SourceAccess &A) const {
  for (const SharedLoop &L : Shared)
    if (is_contained(A.Loops, L.Loop.For))
      return &L;
  return nullptr;
}

bool Interchange::isInvariant(const std::string &Factor, const SharedLoop &L) const {
  std::optional<unsigned> V = KernelSource::variableOf(Factor);
  if (!V)
    return true;
  if (L.Inside.count(*V))
    return false;
  for (const BodyNode *A : S.assignmentsOf(*V))
    if (A->Begin >= L.Loop.For->Begin && A->End <= L.Loop.For->End)
      return false;
  return true;
}

/// Loads and stores of the same parameter. \p NeedSync: those whose phases need a barrier between.
bool Interchange::orderMemory(std::set<unsigned> &NeedSync) {
  const std::string Obligation = "iterations that lanes share do not depend on each other";
  for (const SourceAccess &W : S.Accesses) {
    if (!W.Writes)
      continue;
    const SharedLoop *L = loopOf(W);
    if (L) {
      if (!W.Index)
        return fail(W.Node, Obligation, "where '" + nameOf(W.Root) + "' is written is no sum of products");
      const std::string Counter = KernelSource::factorOf(L->Loop.Variable);
      Polynomial Step = coefficientOf(*W.Index, Counter);
      unsigned Terms = 0;
      for (const auto &[Factors, C] : *W.Index)
        Terms += is_contained(Factors, Counter);
      const bool One = Step.size() == 1 && Step.begin()->first.empty() && Terms == 1;
      if (!One)
        return fail(W.Node, Obligation, Step.empty() && !Terms
                                            ? "all write the same element of '" + nameOf(W.Root) + "'"
                                            : "elements of '" + nameOf(W.Root) + "' are not a constant apart");
      const int64_t C = Step.begin()->second;
      const ValueType &Index = W.Node->Kind == NodeKind::Subscript ? W.Node->child(1)->Type : ValueType();
      if (C != 1 && C != -1 && Index.Kind == ValueType::Unsigned && Index.Bytes < 8)
        return fail(W.Node, Obligation, "the index may wrap in 32 bits");
      for (const auto &[Factors, C2] : *W.Index)
        for (const std::string &F : Factors)
          if (F != Counter && !isInvariant(F, *L))
            return fail(W.Node, Obligation,
                        "where '" + nameOf(W.Root) + "' is written depends on '" + nameOf(*KernelSource::variableOf(F)) + "'");
    }
    for (const SourceAccess &A : S.Accesses) {
      if (A.Root != W.Root || (&A == &W))
        continue;
      const SharedLoop *M = loopOf(A);
      if (L && L == M) {
        if (!A.Index || *A.Index != *W.Index)
          return fail(A.Node, Obligation, "'" + nameOf(W.Root) + "' is used here at another element than it is written at");
        continue;
      }
      // The same lane has the same element in another loop, if both go one by one.
      if (L && M && L->Width == 1 && M->Width == 1 && !L->Signature.empty() && L->Signature == M->Signature && A.Index && W.Index) {
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
            if (std::optional<unsigned> V = KernelSource::variableOf(F); V && *V != L->Loop.Variable && !S.isFixed(*V))
              Fixed = false;
        if (Fixed && Renamed(*W.Index, L->Loop.Variable) == Renamed(*A.Index, M->Loop.Variable))
          continue;
      }
      NeedSync.insert(W.Root);
    }
    // A store that all iterations of a loop around come back to meets itself and is in order: one lane makes it.
  }
  Obligations.push_back({Obligation, ObligationState::Proved,
                         "reductions and stores to elements that differ from iteration to iteration"});
  return true;
}

bool isZero(const BodyNode &N, const KernelBody &B) {
  if (N.Kind == NodeKind::Integer)
    return N.Number == 0;
  if (N.Kind == NodeKind::Constant && N.Spelled) {
    std::string Text = B.textOf(N);
    while (!Text.empty() && (Text.back() == 'f' || Text.back() == 'F'))
      Text.pop_back();
    double Value = 1;
    return to_float(Text, Value) && Value == 0;
  }
  if (N.Kind == NodeKind::Cast)
    return isZero(*N.child(0), B);
  if (N.Kind == NodeKind::List)
    return all_of(N.Children, [&](const auto &C) { return isZero(*C, B); });
  return false;
}

/// The first value is zero each time the loop starts.
bool Interchange::startsAtZero(const Reduction &R, const SharedLoop &L) const {
  const BodyNode *Init = S.initOf(R.Variable);
  if (!Init || !isZero(*Init, B))
    return false;
  for (const BodyNode *A : S.assignmentsOf(R.Variable))
    if (A->Begin < L.Loop.For->Begin || A->End > L.Loop.For->End)
      return false;
  for (const BodyNode *Around : Sequential)
    if (Around->Begin <= L.Loop.For->Begin && L.Loop.For->End <= Around->End && !(Around->Begin <= Init->Begin && Init->End <= Around->End))
      return false;
  return true;
}

void Interchange::writeLoops(const std::set<unsigned> &NeedSync) {
  static const char *const Names[] = {"sum", "product", "max", "min", "bitAnd", "bitOr", "bitXor"};
  for (SharedLoop &L : Shared) {
    const CountedLoop &C = L.Loop;
    std::string To;
    for (const CountedLoop::Bound &Bound : C.Bounds)
      To = To.empty() ? B.textOf(*Bound.To) : "hk::least(" + To + ", " + B.textOf(*Bound.To) + ")";
    std::string Call = C.Down ? (C.Bounds[0].Inclusive ? "downThrough" : "downOver")
                              : (C.Bounds[0].Inclusive ? "through" : "over");
    std::string More;
    if (C.Step) {
      Call += "By";
      More = ", " + B.Variables[C.Variable].Type.Text + "(" + B.textOf(*C.Step) + ")";
    }
    const std::string &Type = B.Variables[C.Variable].Type.Text;
    std::string From = B.textOf(*C.From);
    if (C.From->Type.Text != Type || (C.From->Kind == NodeKind::Integer && Type != "int"))
      From = Type + "(" + From + ")"; // a literal is an int
    for (const Reduction &R : L.Reductions) {
      const bool FromZero = startsAtZero(R, L);
      const std::string Of = R.Target;
      if (R.IsArray) {
        if (!FromZero)
          L.Before.push_back("hk_row.leaderOnly(" + Of + ");");
        L.After.push_back("hk_row.sumEach(" + Of + ");");
        continue;
      }
      if (!FromZero && (R.Kind == ReductionKind::Sum || R.Kind == ReductionKind::Xor))
        L.Before.push_back(Of + " = hk_row.leaderOnly(" + Of + ");");
      if (R.Kind == ReductionKind::Product)
        L.Before.push_back(Of + " = hk_row.leaderOnly(" + Of + ", 1);");
      L.After.push_back(Of + " = hk_row." + Names[int(R.Kind)] + "(" + Of + ");");
    }
    for (const SourceAccess &A : S.Accesses)
      if (A.Writes && loopOf(A) == &L && NeedSync.count(A.Root)) {
        L.Before.push_back("hk_row.sync();");
        L.After.push_back("hk_row.sync();");
        break;
      }
    // A pragma for the loop as it was.
    StringRef Text = B.Text;
    size_t LineStart = Text.rfind('\n', C.For->Begin);
    LineStart = LineStart == StringRef::npos ? 0 : LineStart + 1;
    StringRef Indent = Text.slice(LineStart, C.For->Begin);
    if (Indent.trim().empty() && LineStart) {
      size_t Previous = Text.rfind('\n', LineStart - 1);
      Previous = Previous == StringRef::npos ? 0 : Previous + 1;
      if (Text.slice(Previous, LineStart).ltrim().starts_with("#pragma"))
        Edits.push_back({unsigned(Previous), unsigned(LineStart), ""});
    } else {
      Indent = "";
    }
    const bool Braces = !L.InBlock && (!L.Before.empty() || !L.After.empty());
    std::string Before = Braces ? "{\n" + Indent.str() : "";
    for (const std::string &Line : L.Before)
      Before += Line + "\n" + Indent.str();
    const size_t HeaderEnd = Text.rfind(')', C.body()->Begin) + 1;
    if (L.Width > 1) {
      std::string Elements, Sources;
      for (const SharedLoop::Stream &T : L.Streams) {
        Elements += ", " + std::string(T.Writes ? "" : "const ") + T.Type + " &" + T.Name;
        Sources += std::string(", hk::") + (!T.Writes ? "reads" : T.Reads ? "updates" : "writes") + (T.Down ? "<-1>" : "") + "(" + T.First + ")";
        for (const BodyNode *N : T.Nodes)
          Edits.push_back({N->Begin, N->End, T.Name});
      }
      if (!L.Start.empty())
        To = "hk::endOf(" + From + ", " + To + ", " + L.Start + ", " + L.Limit + ")";
      Before += "hk_row." + Call + "Wide(hk::Width<" + std::to_string(L.Width) + ">(), " + From + ", " + To + ", [&](" + Type + " " +
                nameOf(C.Variable) + Elements + ")";
      const bool Braced = C.body()->Kind == NodeKind::Block;
      Edits.push_back({C.For->Begin, unsigned(HeaderEnd), Before + (Braced ? "" : " {")});
      visit(*C.body(), [&](const BodyNode &N) {
        if (N.Kind == NodeKind::Continue)
          Edits.push_back({N.Begin, N.End, "return;"});
        return N.Kind != NodeKind::For && N.Kind != NodeKind::While && N.Kind != NodeKind::Do;
      });
      L.After.insert(L.After.begin(), (Braced ? "" : "}") + Sources + ");");
    } else {
    Edits.push_back({C.For->Begin, unsigned(HeaderEnd),
                     Before + "for (" + Type + " " + nameOf(C.Variable) + " : hk_row." + Call + "(" + From + ", " + To + More + "))"});
    }
    std::string After;
    for (size_t I = 0; I != L.After.size(); ++I)
      After += (I == 0 && L.Width > 1 && C.body()->Kind == NodeKind::Block ? "" : "\n" + Indent.str()) + L.After[I];
    if (Braces)
      After += "\n" + Indent.str() + "}";
    if (!After.empty())
      Edits.push_back({C.For->End, C.For->End, After});
  }
}

void Interchange::writeLeaders(const std::set<unsigned> &NeedSync) {
  for (const LeaderStore &L : Leaders) {
    const bool Sync = NeedSync.count(L.Root);
    StringRef Text = B.Text;
    size_t LineStart = Text.rfind('\n', L.Statement->Begin) + 1;
    StringRef Indent = Text.slice(LineStart, L.Statement->Begin);
    if (!Indent.trim().empty())
      Indent = "";
    const std::string Start = std::string(L.InBlock ? "" : "{ ") + (Sync ? "hk_row.sync();\n" + Indent.str() : "");
    Edits.push_back({L.Statement->Begin, L.Statement->Begin, Start + "if (hk_row.isLeader())\n" + Indent.str() + "  "});
    const std::string End = (Sync ? "\n" + Indent.str() + "hk_row.sync();" : "") + std::string(L.InBlock ? "" : " }");
    if (!End.empty())
      Edits.push_back({L.Statement->End, L.Statement->End, End});
  }
}

/// 128-byte lines that wavefronts touch, before and after: an estimate, loops taken to run 64 times.
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
  auto No = [&]() -> Declined { return {Failure.Obligation, Failure.Why, Failure.Place}; };
  const std::string Independent = "iterations that lanes share do not depend on each other";
  if (!S.Problem.empty())
    return Declined{"the kernel's effects are known", S.Problem, S.ProblemPlace};
  for (const BodyNode *N : S.Uncovered)
    return Declined{"the number of a work-item is all that the kernel asks of its place",
                    "it uses " + N->Text + "." + "xyz"[N->Number] + " by itself", N->Place};
  for (const BodyNode *N : S.Items) {
    std::optional<Polynomial> P = S.form(*N);
    if (!P || P->begin()->first[0].back() != 'x')
      return Declined{"work-items are numbered in x", "another dimension is used", N->Place};
    if (!N->Spelled)
      return Declined{"the kernel's text can be changed", "a macro makes the work-item's number", N->Place};
  }
  if (S.OnlyBlocks[0])
    return Declined{"work-items are numbered in x", "only workgroups are", S.K.Place};
  if (S.Items.empty())
    return Declined{"work-items do different things", "nothing depends on their number", S.K.Place};
  if (!common(*B.Root, true))
    return No();
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
    if (any_of(Shared, [&](const SharedLoop &L) { return N->Begin <= L.Loop.For->Begin && L.Loop.For->End <= N->End; }))
      continue;
    std::optional<CountedLoop> L = S.countedLoop(*N);
    std::optional<Polynomial> From = L ? S.form(*L->From) : std::nullopt,
                              To = L ? S.form(*L->Bounds[0].To) : std::nullopt;
    auto IsNumber = [](const std::optional<Polynomial> &P) {
      return P && (P->empty() || (P->size() == 1 && P->begin()->first.empty()));
    };
    auto Number = [](const Polynomial &P) { return P.empty() ? 0 : P.begin()->second; };
    if (!IsNumber(From) || !IsNumber(To) || std::abs(Number(*To) - Number(*From)) > 32)
      return Declined{"all long loops are shared", LoopFailure.empty() ? "this one gains nothing" : LoopFailure,
                      LoopFailure.empty() ? N->Place : LoopFailurePlace};
  }
  if (Across && !all_of(Shared, [&](const SharedLoop &L) { return isAlone(L); }))
    return Declined{"", "", {}};
  auto [Before, After] = lines();
  if (!Across && After * 1.5 > Before)
    return Declined{"fewer lines are touched", "what lanes now store one by one outweighs the loops", S.K.Place};

  KernelVersion V;
  std::set<unsigned> NeedSync;
  V.Includes = {"hk/group.h", "hk/guard.h"};
  V.Setup.push_back("const size_t hk_items = size_t(hk_grid.x) * hk_block.x;");
  V.Guards.push_back("hk::isLinear(hk_grid, hk_block)");
  if (!Across)
    for (SharedLoop &L : Shared)
      widen(L);
  if (!orderMemory(NeedSync))
    return No();
  if (std::optional<Declined> Overlap = separateRoots(S, Opts, /*ItemsAreDim3=*/false, V))
    return *Overlap;
  Obligations.push_back({"lanes of a group agree on all that they do alike", ObligationState::Proved,
                         "it depends on the work-item's number, parameters and reductions"});
  Obligations.push_back({"work-items are numbered in x only, and a group's lanes fit the grid", ObligationState::Guarded,
                         "the launcher looks at the configuration"});
  bool Sums = false;
  for (const SharedLoop &L : Shared)
    for (const Reduction &R : L.Reductions) {
      const ValueType &T = B.Variables[R.Variable].Type;
      Sums |= (R.Kind == ReductionKind::Sum || R.Kind == ReductionKind::Product) && !T.isInteger();
    }
  if (Sums)
    Obligations.push_back({"sums may be taken in another order", ObligationState::Assumed, "--fp=reassoc, the default"});
  writeLoops(NeedSync);
  writeLeaders(NeedSync);
  for (const BodyNode *N : S.Items) {
    std::string Call = S.form(*N)->begin()->first[0] == "items.x" ? "hk_row.items()" : "hk_row.item()";
    Edits.push_back({N->Begin, N->End, N->Type.Bytes > 4 || N->Type.Kind != ValueType::Unsigned ? "(" + N->Type.Text + ")" + Call : Call});
  }
  V.Edits = Edits;
  append_range(V.Obligations, Obligations);
  V.Rule = "coalesce-interchange";
  V.Message = "a group of lanes shares what each work-item goes through, so that neighbouring lanes reach neighbouring elements";
  V.Comment = "/// " + B.Name + " with a group of work-items in place of each: its lanes go through a row side by side.\n";
  V.Template = "class hk_Row";
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
  if (Across) {
    V.Message = "16 wavefronts share the loops of each, since there are few work-items";
    V.Comment = "/// " + B.Name + " with 16 wavefronts in place of each, which share its loops.\n";
    V.Guards.push_back("hk::areFew(hk_items)");
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
  V.Launch = "hk::launchGroups(hk_items, " + Trips + ", hk::Rows::" + Rows + ", hk_stream, @<hk::Group<hk::InWave>\x01>,\n"
             "                     @<hk::Group<256>\x01>, @<hk::Group<512>\x01>, @<hk::Group<1024>\x01>, $);";
  V.Effects.push_back({"128-byte lines a wavefront in its loops", Before / After, 1});
  return V;
}

} // namespace

std::variant<KernelVersion, Declined> hk::interchange(const KernelSource &S, const PassOptions &Opts) {
  return Interchange(S, Opts).run();
}
