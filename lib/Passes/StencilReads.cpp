//===- StencilReads.cpp ---------------------------------------------------===//

#include "StencilReads.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hk;

static std::string itemOf(unsigned Dimension) { return std::string("item.") + "xyz"[Dimension]; }

/// \p Factors without those of \p Part; none if it is no part.
static std::optional<std::vector<std::string>> without(std::vector<std::string> Factors,
                                                       const std::vector<std::string> &Part) {
  for (const std::string &F : Part) {
    auto It = find(Factors, F);
    if (It == Factors.end())
      return std::nullopt;
    Factors.erase(It);
  }
  return Factors;
}

bool hk::widensWrapped(const KernelSource &S, const BodyNode &E) {
  std::function<bool(const BodyNode &)> Differs = [&](const BodyNode &N) {
    bool Found = false;
    visit(N, [&](const BodyNode &Inner) {
      Found |= (Inner.Kind == NodeKind::Binary || Inner.Kind == NodeKind::Unary) &&
               Inner.Text == "-" && Inner.Type.Kind == ValueType::Unsigned;
      Found |= Inner.Kind == NodeKind::Cast && Inner.Type.Kind == ValueType::Unsigned &&
               Inner.child(0)->Type.Kind == ValueType::Signed &&
               Inner.child(0)->Kind != NodeKind::Integer;
      if (Inner.Kind == NodeKind::Reference && S.isFixed(Inner.Variable) &&
          S.initOf(Inner.Variable) && S.Body.Variables[Inner.Variable].Type.isInteger())
        Found |= Differs(*S.initOf(Inner.Variable));
      return !Found;
    });
    return Found;
  };
  bool Found = false;
  visit(E, [&](const BodyNode &N) {
    if (N.Kind == NodeKind::Cast && N.Type.Bytes > N.child(0)->Type.Bytes &&
        N.child(0)->Type.Kind == ValueType::Unsigned)
      Found |= Differs(*N.child(0));
    if (N.Kind == NodeKind::Reference && S.isFixed(N.Variable) && S.initOf(N.Variable))
      Found |= widensWrapped(S, *S.initOf(N.Variable));
    return !Found;
  });
  return Found;
}

/// No other variable has the name of \p Variable at \p A.
static bool meansTheSame(const KernelSource &S, unsigned Variable, const SourceAccess &A) {
  const std::string &Name = S.Body.Variables[Variable].Name;
  bool Hidden = false;
  visit(*S.Body.Root, [&](const BodyNode &N) {
    // A block that declares the name again, around the access.
    if (N.Kind == NodeKind::Declare && N.Variable != Variable &&
        S.Body.Variables[N.Variable].Name == Name)
      Hidden |= !any_of(A.Loops, [&](const BodyNode *For) {
        std::optional<CountedLoop> L = S.countedLoop(*For);
        return L && L->Variable == Variable && (N.End < For->Begin || N.Begin > For->End);
      });
    return !Hidden;
  });
  return !Hidden;
}

std::optional<StencilAccess> hk::stencilAccess(const KernelSource &S, const SourceAccess &A,
                                               const StencilDims &Dims) {
  if (!A.Index || S.isOpaque(*A.Index) || widensWrapped(S, *A.Node))
    return std::nullopt;
  StencilAccess Out;
  Out.A = &A;
  Polynomial Rest = *A.Index;
  for (unsigned D = 0; D != 3; ++D) {
    Out.Stride[D] = coefficientOf(*A.Index, itemOf(D));
    if (!isOfParameters(S, Out.Stride[D]))
      return std::nullopt;
    for (const auto &[Factors, C] : Out.Stride[D]) {
      std::vector<std::string> Whole = Factors;
      Whole.push_back(itemOf(D));
      llvm::sort(Whole);
      Rest.erase(Whole);
    }
  }
  if (Out.Stride[Dims.Column] != Polynomial{{{}, 1}} ||
      Out.Stride[Dims.Row].empty() == Dims.HasRows ||
      Out.Stride[Dims.Slice].empty() == Dims.HasSlices)
    return std::nullopt;
  // Terms with a row's pitch are rows, and so on.
  for (const auto &[Factors, C] : Rest) {
    bool Found = false;
    for (unsigned D : {Dims.Slice, Dims.Row}) {
      const Polynomial &Stride = Out.Stride[D];
      if (Found || Stride.size() != 1 || Stride.begin()->second != 1 ||
          Stride.begin()->first.empty())
        continue;
      if (auto Left = without(Factors, Stride.begin()->first)) {
        Out.Offset[D][*Left] += C;
        Found = true;
      }
    }
    if (!Found)
      Out.Offset[Dims.Column][Factors] += C;
  }
  // An offset is of counters, and parameters and variables beside them that have one value.
  for (const Polynomial &Offset : Out.Offset) {
    bool Counts = false, Others = false;
    for (const auto &[Factors, C] : Offset) {
      if (Factors.empty())
        continue;
      std::optional<unsigned> V =
          Factors.size() == 1 ? KernelSource::variableOf(Factors[0]) : std::nullopt;
      if (!V || !meansTheSame(S, *V, A))
        return std::nullopt;
      if (any_of(A.Loops, [&](const BodyNode *For) {
            std::optional<CountedLoop> L = S.countedLoop(*For);
            return L && L->Variable == *V;
          }))
        Counts = true;
      else if (S.isFixed(*V))
        Others = true;
      else
        return std::nullopt;
    }
    if (Others && !Counts)
      return std::nullopt;
  }
  return Out;
}

bool hk::isNumber(const KernelSource &S, const BodyNode &E, std::set<std::string> &Conditions) {
  const std::optional<Polynomial> Form = S.form(E);
  const bool IsItem = Form && Form->size() == 1 && Form->begin()->second == 1 &&
                      Form->begin()->first.size() == 1 &&
                      StringRef(Form->begin()->first[0]).starts_with("item");
  if (IsItem)
    return true;
  switch (E.Kind) {
  case NodeKind::Cast: {
    const BodyNode &From = *E.child(0);
    if (!E.Type.isInteger() || !From.Type.isInteger() || E.Type.Bytes < From.Type.Bytes)
      return false;
    if (E.Type.Kind == ValueType::Unsigned && From.Type.Kind == ValueType::Signed) {
      if (From.Kind == NodeKind::Integer)
        return From.Number >= 0;
      if (!assumeNotNegative(S, From, Conditions))
        return false;
      return isNumber(S, From, Conditions);
    }
    if (E.Type.Kind == ValueType::Signed && From.Type.Kind == ValueType::Unsigned &&
        E.Type.Bytes == From.Type.Bytes) {
      // Differences come out right again, if all of it has one width.
      bool OneWidth = true;
      visit(From, [&](const BodyNode &N) {
        OneWidth &= N.Type.Bytes == E.Type.Bytes;
        OneWidth &= N.Kind == NodeKind::Binary || N.Kind == NodeKind::Unary ||
                    N.Kind == NodeKind::Builtin || N.Kind == NodeKind::Integer ||
                    N.Kind == NodeKind::Cast ||
                    (N.Kind == NodeKind::Reference && S.Body.Variables[N.Variable].Parameter >= 0);
        return OneWidth;
      });
      return OneWidth;
    }
    return isNumber(S, From, Conditions);
  }
  case NodeKind::Integer:
    return true;
  case NodeKind::Reference:
    if (S.isFixed(E.Variable) && S.initOf(E.Variable))
      return isNumber(S, *S.initOf(E.Variable), Conditions);
    return true;
  case NodeKind::Unary:
  case NodeKind::Binary:
    if (E.Text == "-" && E.Type.Kind == ValueType::Unsigned)
      return false;
    for (const auto &Child : E.Children)
      if (!isNumber(S, *Child, Conditions))
        return false;
    return true;
  default:
    return false;
  }
}

/// Conditions joined by \p Joint, one by one.
static void splitInto(const BodyNode &C, const char *Joint, bool Holds,
                      std::vector<SourceCondition> &Out) {
  if (C.Kind == NodeKind::Binary && C.Text == Joint) {
    splitInto(*C.child(0), Joint, Holds, Out);
    splitInto(*C.child(1), Joint, Holds, Out);
  } else if (C.Kind == NodeKind::Unary && C.Text == "!") {
    splitInto(*C.child(0), !Holds ? "&&" : "||", !Holds, Out);
  } else {
    Out.push_back({&C, Holds});
  }
}

/// What the comparison \p C says, if it is one of a place with parameters.
static std::optional<PlaceBound> boundOf(const KernelSource &S, const StencilAccess &A,
                                         const SourceCondition &C,
                                         std::set<std::string> &Conditions) {
  if (C.Node->Kind != NodeKind::Binary)
    return std::nullopt;
  std::string Operator = C.Node->Text;
  if (!is_contained({"<", "<=", ">", ">=", "==", "!="}, Operator))
    return std::nullopt;
  const BodyNode &Left = *C.Node->child(0), &Right = *C.Node->child(1);
  std::optional<Polynomial> L = S.form(Left), R = S.form(Right);
  std::set<std::string> Own;
  if (!L || !R || !isNumber(S, Left, Own) || !isNumber(S, Right, Own))
    return std::nullopt;
  std::optional<Polynomial> D = sum(*L, *R, -1);
  if (!D)
    return std::nullopt;
  if (!C.Holds)
    Operator = Operator == "<"    ? ">="
               : Operator == "<=" ? ">"
               : Operator == ">"  ? "<="
               : Operator == ">=" ? "<"
               : Operator == "==" ? "!="
                                  : "==";
  if (Operator == "==")
    return std::nullopt;
  for (unsigned Dim = 0; Dim != 3; ++Dim) {
    const Polynomial Of = coefficientOf(*D, itemOf(Dim));
    if (Of != Polynomial{{{}, 1}} && Of != Polynomial{{{}, -1}})
      continue;
    const int64_t Sign = Of.begin()->second;
    if (Sign < 0) {
      D = sum({}, *D, -1);
      if (!D)
        return std::nullopt;
      if (Operator != "!=")
        Operator[0] = Operator[0] == '<' ? '>' : '<';
    }
    // X + Rest Operator 0.
    std::optional<Polynomial> Rest = sum(*D, {{{itemOf(Dim)}, 1}}, -1);
    PlaceBound Bound;
    Bound.Dimension = Dim;
    if (Rest && !isOfParameters(S, *Rest)) {
      Rest = sum(*Rest, A.Offset[Dim], -1);
      Bound.WithOffset = true;
    }
    if (!Rest || !isOfParameters(S, *Rest))
      return std::nullopt;
    std::optional<Polynomial> With = sum({}, *Rest, -1);
    if (With && (Operator == "<=" || Operator == ">"))
      With = sum(*With, {{{}, 1}}, 1);
    if (!With)
      return std::nullopt;
    Bound.Kind = Operator == "!="     ? PlaceBound::Not
                 : Operator[0] == '<' ? PlaceBound::Below
                                      : PlaceBound::From;
    Bound.With = *With;
    Conditions.insert(Own.begin(), Own.end());
    return Bound;
  }
  return std::nullopt;
}

PlaceBounds hk::placeBounds(const KernelSource &S, const StencilAccess &A,
                            std::set<std::string> &Conditions) {
  PlaceBounds Out;
  std::vector<SourceCondition> Parts;
  const BodyNode &At = *A.A->Node;
  std::set<const BodyNode *> Guards; ///< returns that are looked at
  for (const auto &Statement : S.Body.Root->Children) {
    if (Statement->Kind != NodeKind::If || Statement->End > At.Begin || Statement->child(2))
      continue;
    const BodyNode *Then = Statement->child(1);
    if (Then->Kind == NodeKind::Block && Then->Children.size() == 1)
      Then = Then->child(0);
    if (Then->Kind != NodeKind::Return)
      continue;
    Guards.insert(Then);
    splitInto(*Statement->child(0), "||", /*Holds=*/false, Parts);
  }
  for (const SourceCondition &C : A.A->Conditions)
    splitInto(*C.Node, C.Holds ? "&&" : "||", C.Holds, Parts);
  for (const SourceCondition &C : Parts) {
    if (std::optional<PlaceBound> Bound = boundOf(S, A, C, Conditions))
      Out.Known.push_back(*Bound);
    else
      Out.IsAll = false;
  }
  // Nothing else keeps a work-item from it.
  visit(*S.Body.Root, [&](const BodyNode &N) {
    if (N.Kind == NodeKind::Return && N.Begin < At.Begin && !Guards.count(&N))
      Out.IsAll = false;
    return true;
  });
  if (!A.A->Loops.empty() && jumps(*A.A->Loops.front()))
    Out.IsAll = false;
  return Out;
}
