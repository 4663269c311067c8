//===- InterchangeLoops.cpp - Which loops can be shared --------------------===//

#include "Interchange.h"

#include "hk/Passes/LinesModel.h"

using namespace llvm;
using namespace hk;

static const BodyNode *stripCasts(const BodyNode *N) {
  while (N->Kind == NodeKind::Cast)
    N = N->child(0);
  return N;
}

/// The distance between lanes in the kernel as it is, in elements.
std::optional<Polynomial> Interchange::laneStride(const SourceAccess &A) const {
  const std::optional<Polynomial> Slope = A.Index ? S.slope(*A.Index, 0) : std::nullopt;
  if (!Slope)
    return std::nullopt;
  Polynomial Stride = *Slope;
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
        if (linesFor(laneStride(A), A.Node->Type.Bytes) >
            WaveSize * A.Node->Type.Bytes / double(LineBytes) + 1)
          return false;
        Reads |= !laneStride(A)->empty();
      }
    std::optional<Polynomial> To = S.form(*L.Bounds[0].To);
    return Reads && !(To && numberOf(*To));
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
                 ? std::optional(
                       Polynomial{{Step->begin()->first, Step->begin()->second * L.Step->Number}})
                 : std::nullopt;
    After += Weight * linesFor(Step, Bytes);
  }
  // A few iterations, always as many: an array of small structs, for which lanes in place of
  // iterations leave too few.
  std::optional<Polynomial> From = S.form(*L.From), To = S.form(*L.Bounds[0].To);
  if (From && To && !L.Down)
    if (std::optional<Polynomial> Trips = sum(*To, *From, -1))
      if (std::optional<int64_t> Number = numberOf(*Trips); Number && *Number < 32)
        return false;
  return After * 1.5 < Before;
}

std::optional<Reduction> Interchange::reduction(const BodyNode &E) const {
  auto Target = [&](const BodyNode &T) -> std::optional<Reduction> {
    unsigned V = assignedVariable(T, B);
    if (V == ~0u || !T.Spelled)
      return std::nullopt;
    // Of numbers: a pointer that goes on is none.
    if (!T.Type.isInteger() && T.Type.Kind != ValueType::Float)
      return std::nullopt;
    Reduction R{ReductionKind::Sum, B.textOf(T), V};
    if (B.Variables[V].Type.Kind == ValueType::Array) {
      if (T.Kind != NodeKind::Subscript || T.child(0)->Kind != NodeKind::Reference ||
          B.Variables[V].Type.Elements == 0 || B.Variables[V].Type.Elements > 64)
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
    R->Kind = E.Text == "*="   ? ReductionKind::Product
              : E.Text == "&=" ? ReductionKind::And
                               : ReductionKind::Or;
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
  if (Value != E.child(1) && Type.Kind == ValueType::Float &&
      E.child(1)->Type.Bytes < Value->Type.Bytes)
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
  if (Then->Kind != NodeKind::Evaluate || Then->child(0)->Kind != NodeKind::Assign ||
      Then->child(0)->Text != "=")
    return std::nullopt;
  const BodyNode &Assign = *Then->child(0);
  unsigned V = assignedVariable(*Assign.child(0), B);
  if (V == ~0u || !S.isPure(*C) || !Assign.child(0)->Spelled ||
      B.Variables[V].Type.Kind == ValueType::Array)
    return std::nullopt;
  if (C->Text != "<" && C->Text != ">" && C->Text != "<=" && C->Text != ">=")
    return std::nullopt;
  const bool Left =
      sameText(*C->child(0), *Assign.child(1)) && sameText(*C->child(1), *Assign.child(0));
  const bool Right =
      sameText(*C->child(1), *Assign.child(1)) && sameText(*C->child(0), *Assign.child(0));
  if (!Left && !Right)
    return std::nullopt;
  const bool Greater = C->Text[0] == '>';
  return Reduction{Greater == Left ? ReductionKind::Max : ReductionKind::Min,
                   B.textOf(*Assign.child(0)), V};
}

bool Interchange::sharedBody(const BodyNode &N, SharedLoop &L, std::string &Why,
                             SourcePlace &Where) const {
  auto No = [&](const std::string &Text) {
    Why = Text;
    Where = N.Place;
    return false;
  };
  auto Effect = [&](const BodyNode &E) {
    if (S.isPure(E))
      return true;
    const bool Assigns = E.Kind == NodeKind::Assign ||
                         (E.Kind == NodeKind::Unary && (E.Text == "++" || E.Text == "--"));
    if (!Assigns || (E.Kind == NodeKind::Assign && !S.isPure(*E.child(1))))
      return No("an expression in it has an effect of its own");
    unsigned V = assignedVariable(*E.child(0), B);
    if (V == ~0u || L.Inside.count(V))
      return true; // memory is looked at by itself
    std::optional<Reduction> R = reduction(E);
    if (!R)
      return No("'" + nameOf(V) + "' goes from one iteration to the next");
    for (const Reduction &Known : L.Reductions)
      if (Known.Variable == R->Variable &&
          (Known.Kind != R->Kind || (Known.IsArray != R->IsArray)) && Known.Target == R->Target)
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
    return !N.child(0) || S.isPure(*N.child(0)) ||
           No("a declaration in it has an effect of its own");
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
    return sharedBody(*N.child(1), L, Why, Where) &&
           (!N.child(2) || sharedBody(*N.child(2), L, Why, Where));
  case NodeKind::For:
    for (unsigned I : {0u, 2u})
      if (const BodyNode *Part = N.child(I))
        if (Part->Kind == NodeKind::Declares ? !sharedBody(*Part, L, Why, Where) : !Effect(*Part))
          return false;
    if (N.child(1) && !S.isPure(*N.child(1)))
      return No("a condition in it has an effect");
    return sharedBody(*N.child(3), L, Why, Where);
  case NodeKind::While:
    return (S.isPure(*N.child(0)) || No("a condition in it has an effect")) &&
           sharedBody(*N.child(1), L, Why, Where);
  case NodeKind::Do:
    return (S.isPure(*N.child(1)) || No("a condition in it has an effect")) &&
           sharedBody(*N.child(0), L, Why, Where);
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

/// Whether \p Body has a break that ends its own loop, or a return.
static bool leavesLoop(const BodyNode &Body) {
  bool Leaves = false;
  visit(Body, [&](const BodyNode &N) {
    Leaves |= N.Kind == NodeKind::Break || N.Kind == NodeKind::Return;
    return N.Kind != NodeKind::For && N.Kind != NodeKind::While && N.Kind != NodeKind::Do;
  });
  return Leaves;
}

bool Interchange::share(const CountedLoop &L, SharedLoop &Out, std::string &Why,
                        SourcePlace &Where) const {
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
    if (N.Kind == NodeKind::Assign ||
        (N.Kind == NodeKind::Unary && (N.Text == "++" || N.Text == "--")))
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
  if (L.Step && (!L.Step->Spelled || !Holds(*L.Step) || L.Step->Kind != NodeKind::Integer ||
                 L.Step->Number <= 0))
    return No("its step is no positive constant");
  if (L.Down && L.Step)
    return No("it goes down by more than one");
  for (size_t I = 1; I < L.Bounds.size(); ++I)
    if (L.Bounds[I].To->Type.Text != L.Bounds[0].To->Type.Text ||
        L.Bounds[I].Inclusive != L.Bounds[0].Inclusive)
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
                                    : Value->Kind == NodeKind::Conditional            ? 3
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
    if (R.IsArray && R.Kind != ReductionKind::Sum)
      return No("elements of '" + R.Target + "' are reduced, but not added up");
    if (T.Kind == ValueType::Struct && R.Target == nameOf(R.Variable))
      return No("'" + R.Target + "' is of a class");
    if (T.isInteger() && T.Bytes < 4 && T.Kind != ValueType::Bool &&
        R.Kind == ReductionKind::Product)
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
