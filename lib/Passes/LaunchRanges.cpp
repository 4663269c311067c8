//===- LaunchRanges.cpp ---------------------------------------------------===//

#include "hk/Passes/LaunchRanges.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hk;

/// Whether the comparison with \p E is one of numbers: a sign that a conversion takes away is none,
/// if \p Conditions hold.
static bool comparesNumbers(const KernelSource &S, const BodyNode &E,
                            std::set<std::string> &Conditions) {
  for (const BodyNode *N = &E; N->Kind == NodeKind::Cast; N = N->child(0)) {
    const BodyNode &From = *N->child(0);
    if (N->Type.Kind != ValueType::Unsigned || From.Type.Kind != ValueType::Signed)
      continue;
    if (!assumeNotNegative(S, From, Conditions))
      return false;
  }
  return true;
}

LaunchRanges::LaunchRanges(const KernelSource &S, bool ItemsAreDim3)
    : S(S), ItemsAreDim3(ItemsAreDim3) {}

std::string LaunchRanges::fresh(const std::string &Like) {
  for (unsigned N = 0;; ++N) {
    std::string Name = "hk_" + Like + (N ? std::to_string(N + 1) : "");
    if (Taken.insert(Name).second)
      return Name;
  }
}

std::string LaunchRanges::declare(const std::string &Like, const std::string &Text) {
  for (const std::string &Line : Lines)
    if (StringRef(Line).ends_with(" = " + Text + ";"))
      return StringRef(Line).drop_front(strlen("const hk::Range ")).split(' ').first.str();
  const std::string Name = fresh(Like);
  Lines.push_back("const hk::Range " + Name + " = " + Text + ";");
  return Name;
}

void LaunchRanges::set(unsigned Root, const std::string &Text) {
  Done.insert(Root);
  Taken.insert(nameFor(Root));
  Lines.push_back("const hk::Range " + nameFor(Root) + " = " + Text + ";");
}

std::optional<std::string> LaunchRanges::rangeOf(const Polynomial &P, const SourceAccess &A,
                                                 std::string &Why) {
  return nameFactors(A, P, Why) ? std::optional(hostText(S, P, Names)) : std::nullopt;
}

std::string LaunchRanges::hostText(const KernelSource &S, const Polynomial &P,
                                   const std::map<std::string, std::string> &Names) {
  std::string Text;
  auto Term = [&](const std::vector<std::string> &Factors, int64_t C) {
    std::string Product;
    // A range first, so that the product is one, and wide.
    for (bool Named : {true, false})
      for (const std::string &F : Factors) {
        auto It = Names.find(F);
        if ((It != Names.end()) != Named)
          continue;
        std::string Name = Named ? It->second : S.Body.Variables[*KernelSource::variableOf(F)].Name;
        if (Product.empty() && !Named && !(Factors.size() == 1 && (C == 1 || C == -1)))
          Name = "hk::Range(" + Name + ")";
        Product += (Product.empty() ? "" : " * ") + Name;
      }
    const int64_t Size = C < 0 ? -C : C;
    if (Product.empty())
      Product = std::to_string(Size);
    else if (Size != 1)
      Product += " * " + std::to_string(Size);
    if (Text.empty())
      Text = (C < 0 ? "-" : "") + Product;
    else
      Text += (C < 0 ? " - " : " + ") + Product;
  };
  for (const auto &[Factors, C] : P)
    if (!Factors.empty())
      Term(Factors, C);
  if (auto It = P.find({}); It != P.end())
    Term({}, It->second);
  return Text.empty() ? "0" : Text;
}

/// if (i >= n) return; at the top, or if (i < n) { everything that touches memory }.
std::optional<Polynomial> LaunchRanges::limitOf(const std::string &Item) const {
  auto Bound = [&](const BodyNode &C, const char *Operator,
                   const char *Mirrored) -> std::optional<Polynomial> {
    if (C.Kind != NodeKind::Binary)
      return std::nullopt;
    for (bool Swap : {false, true}) {
      if (C.Text != (Swap ? Mirrored : Operator))
        continue;
      std::optional<Polynomial> I = S.form(*C.child(Swap)), N = S.form(*C.child(!Swap));
      if (!I || !N || !isOfParameters(S, *N))
        continue;
      // item + 1 < n is item < n - 1.
      const std::optional<Polynomial> More = sum(*I, {{{Item}, 1}}, -1);
      const std::optional<int64_t> Number = More ? numberOf(*More) : std::nullopt;
      if (!Number || *Number < 0 || !comparesNumbers(S, *C.child(!Swap), Conditions))
        continue;
      return *Number ? sum(*N, *More, -1) : N;
    }
    return std::nullopt;
  };
  // The ends of || for returns, of && for what is inside.
  auto Search = [&](const BodyNode &C, const char *Joint, const char *Operator,
                    const char *Mirrored) -> std::optional<Polynomial> {
    std::vector<const BodyNode *> Parts{&C};
    while (!Parts.empty()) {
      const BodyNode *Part = Parts.back();
      Parts.pop_back();
      if (Part->Kind == NodeKind::Binary && Part->Text == Joint) {
        Parts.push_back(Part->child(0));
        Parts.push_back(Part->child(1));
      } else if (auto N = Bound(*Part, Operator, Mirrored)) {
        return N;
      }
    }
    return std::nullopt;
  };
  for (const auto &Statement : S.Body.Root->Children) {
    if (Statement->Kind == NodeKind::Declares)
      continue;
    if (Statement->Kind != NodeKind::If)
      return std::nullopt;
    const BodyNode *Then = Statement->child(1);
    if (Then->Kind == NodeKind::Block && Then->Children.size() == 1)
      Then = Then->child(0);
    if (Then->Kind == NodeKind::Return && !Statement->child(2)) {
      if (auto N = Search(*Statement->child(0), "||", ">=", "<="))
        return N;
      continue;
    }
    // All that touches memory is inside.
    for (const SourceAccess &A : S.Accesses)
      if (none_of(A.Conditions, [&](const SourceCondition &C) {
            return C.Holds && C.Node == Statement->child(0);
          }))
        return std::nullopt;
    return Search(*Statement->child(0), "&&", "<", ">");
  }
  return std::nullopt;
}

bool LaunchRanges::nameLoop(const BodyNode &For, std::string &Why, const SourceAccess &A) {
  std::optional<CountedLoop> L = S.countedLoop(For);
  if (!L) {
    Why = "a loop around it does not count";
    return false;
  }
  const std::string Factor = KernelSource::factorOf(L->Variable);
  if (Names.count(Factor))
    return true;
  const std::optional<std::string> From = rangeOf(*L->From, A, Why);
  std::optional<std::string> To;
  for (const CountedLoop::Bound &B : L->Bounds) {
    std::optional<std::string> One = rangeOf(*B.To, A, Why);
    if (!One || !comparesNumbers(S, *B.To, Conditions))
      continue; // one of them is enough
    if (!B.Inclusive)
      *One += L->Down ? " + 1" : " - 1";
    To = !To ? One
             : (L->Down ? "hk::greatest(hk::Range(" : "hk::least(hk::Range(") + *To +
                   "), hk::Range(" + *One + "))";
  }
  if (!From || !To) {
    if (Why.empty())
      Why = "a bound of the loop over '" + S.Body.Variables[L->Variable].Name +
            "' may be negative and is taken without sign";
    return false;
  }
  const std::string Range =
      "hk::Range::between(" + (L->Down ? *To + ", " + *From : *From + ", " + *To) + ")";
  Names[Factor] = declare(S.Body.Variables[L->Variable].Name, Range);
  return true;
}

bool LaunchRanges::nameFactors(const SourceAccess &A, const Polynomial &P, std::string &Why) {
  for (const auto &[Factors, C] : P)
    for (const std::string &F : Factors) {
      if (Names.count(F))
        continue;
      if (StringRef(F).starts_with("item.")) {
        const std::string D(1, F.back());
        std::string Most = ItemsAreDim3 ? "hk_items." + D : "hk_items";
        if (std::optional<Polynomial> Limit = limitOf(F))
          Most = "hk::least(" + Most + ", " + hostText(S, *Limit, {}) + ")";
        Names[F] = fresh("item" + (D == "x" ? "" : "_" + D));
        Lines.push_back("const hk::Range " + Names[F] + " = hk::Range::between(0, " + Most +
                        " - 1);");
        continue;
      }
      if (StringRef(F).starts_with("items.")) {
        Names[F] = ItemsAreDim3 ? "hk_items." + F.substr(6) : "hk_items";
        continue;
      }
      std::optional<unsigned> V = KernelSource::variableOf(F);
      if (!V) {
        Why = "it depends on " + F;
        return false;
      }
      if (isOfParameters(S, {{{F}, 1}}))
        continue;
      if (S.isFixed(*V) && S.initOf(*V) && S.Body.Variables[*V].Type.isInteger()) {
        std::optional<std::string> Value = rangeOf(*S.initOf(*V), A, Why);
        if (!Value)
          return false;
        Names[F] = fresh(S.Body.Variables[*V].Name);
        Lines.push_back("const hk::Range " + Names[F] + " = " + *Value + ";");
        continue;
      }
      const BodyNode *Loop = nullptr;
      for (const BodyNode *N : A.Loops)
        if (std::optional<CountedLoop> L = S.countedLoop(*N); L && L->Variable == *V)
          Loop = N;
      if (!Loop) {
        Why = "it depends on '" + S.Body.Variables[*V].Name + "'";
        return false;
      }
      if (!nameLoop(*Loop, Why, A))
        return false;
    }
  return true;
}

std::optional<std::string> LaunchRanges::rangeOf(const BodyNode &E, const SourceAccess &A,
                                                 std::string &Why) {
  if (std::optional<Polynomial> P = S.form(E))
    return nameFactors(A, *P, Why) ? std::optional(hostText(S, *P, Names)) : std::nullopt;
  auto Operand = [&](const BodyNode &N) { return rangeOf(N, A, Why); };
  auto Same = [&](const BodyNode *X, const BodyNode *Y) {
    return X->Spelled && Y->Spelled && S.Body.textOf(*X) == S.Body.textOf(*Y);
  };
  if (E.Kind == NodeKind::Cast && E.Type.isInteger() && E.child(0)->Type.isInteger() &&
      E.Type.Bytes >= E.child(0)->Type.Bytes)
    return Operand(*E.child(0));
  if (E.Kind == NodeKind::Binary &&
      (E.Text == "+" || E.Text == "-" || E.Text == "*" || E.Text == "/")) {
    auto X = Operand(*E.child(0)), Y = Operand(*E.child(1));
    if (X && Y)
      return "(" + *X + ") " + E.Text + " (" + (E.Text == "/" ? "hk::Range(" + *Y + ")" : *Y) + ")";
    return std::nullopt;
  }
  const bool IsMinimum =
      E.Kind == NodeKind::Call && (E.Text == "min" || E.Text == "max") && E.Children.size() == 2;
  if (IsMinimum) {
    auto X = Operand(*E.child(0)), Y = Operand(*E.child(1));
    if (X && Y)
      return std::string(E.Text == "min" ? "hk::least(" : "hk::greatest(") + "hk::Range(" + *X +
             "), hk::Range(" + *Y + "))";
    return std::nullopt;
  }
  if (E.Kind == NodeKind::Conditional) {
    const BodyNode *C = E.child(0);
    auto X = Operand(*E.child(1)), Y = Operand(*E.child(2));
    if (!X || !Y)
      return std::nullopt;
    if (C->Kind == NodeKind::Binary && (C->Text[0] == '<' || C->Text[0] == '>') &&
        C->Text != "<<" && C->Text != ">>" && C->child(0)->Type.Text == C->child(1)->Type.Text) {
      const bool Straight = Same(C->child(0), E.child(1)) && Same(C->child(1), E.child(2));
      const bool Crossed = Same(C->child(0), E.child(2)) && Same(C->child(1), E.child(1));
      if (Straight || Crossed)
        return std::string((C->Text[0] == '<') == Straight ? "hk::least(" : "hk::greatest(") +
               "hk::Range(" + *X + "), hk::Range(" + *Y + "))";
    }
    return "hk::hull(" + *X + ", " + *Y + ")";
  }
  if (Why.empty())
    Why = S.Body.textOf(E).empty() ? "it depends on memory"
                                   : "it depends on '" + S.Body.textOf(E) + "'";
  return std::nullopt;
}

/// index < n around the access.
std::string LaunchRanges::clamped(const SourceAccess &A, std::string Text) {
  for (const SourceCondition &Condition : A.Conditions) {
    std::vector<const BodyNode *> Parts{Condition.Node};
    while (!Parts.empty()) {
      const BodyNode *Part = Parts.back();
      Parts.pop_back();
      if (Part->Kind != NodeKind::Binary)
        continue;
      if (Part->Text == (Condition.Holds ? "&&" : "||")) {
        Parts.push_back(Part->child(0));
        Parts.push_back(Part->child(1));
        continue;
      }
      for (bool Swap : {false, true}) {
        const std::string Operator = Condition.Holds ? (Swap ? ">" : "<") : (Swap ? "<=" : ">=");
        if (Part->Text != Operator)
          continue;
        std::optional<Polynomial> X = S.form(*Part->child(Swap)), N = S.form(*Part->child(!Swap));
        if (!X || !N || !isOfParameters(S, *N) ||
            !comparesNumbers(S, *Part->child(!Swap), Conditions))
          continue;
        std::optional<Polynomial> Past = sum(*A.Index, *X, -1);
        if (!Past || !numberOf(*Past))
          continue;
        std::optional<Polynomial> Most = sum(*N, *Past, 1);
        Most = Most ? sum(*Most, {{{}, 1}}, -1) : Most;
        if (Most)
          Text = "hk::least(hk::Range(" + Text + "), hk::Range(" + hostText(S, *Most, {}) + "))";
      }
    }
  }
  return Text;
}

bool LaunchRanges::add(unsigned Root, std::string &Why, const BodyNode *&At) {
  if (!Done.insert(Root).second)
    return true;
  std::vector<std::string> Parts;
  for (const SourceAccess &A : S.Accesses) {
    if (A.Root != Root)
      continue;
    At = A.Node;
    if (!A.Index) {
      // Not a sum, but perhaps of quotients.
      std::optional<std::pair<unsigned, Polynomial>> Base = S.pointer(*A.Node->child(0));
      std::optional<std::string> Index;
      if (Base && A.Node->Kind == NodeKind::Subscript && nameFactors(A, Base->second, Why))
        Index = rangeOf(*A.Node->child(1), A, Why);
      if (!Index) {
        if (Why.empty())
          Why = "an index is no sum of products";
        return false;
      }
      std::string Text =
          Base->second.empty() ? *Index : hostText(S, Base->second, Names) + " + " + *Index;
      if (!is_contained(Parts, Text))
        Parts.push_back(Text);
      continue;
    }
    if (A.Node->Kind == NodeKind::Subscript && A.Node->child(1)->Type.Kind == ValueType::Unsigned &&
        A.Node->child(1)->Type.Bytes < 8 && A.Index->size() > 1) {
      // 32 bits may wrap where the range does not.
      bool Negative = false;
      for (const auto &[Factors, C] : *A.Index)
        Negative |= C < 0;
      if (Negative) {
        Why = "its index may wrap in 32 bits";
        return false;
      }
    }
    if (!nameFactors(A, *A.Index, Why))
      return false;
    std::string Text = clamped(A, hostText(S, *A.Index, Names));
    if (!is_contained(Parts, Text))
      Parts.push_back(Text);
  }
  std::string Whole;
  for (const std::string &Part : Parts)
    Whole = Whole.empty() ? Part : "hk::hull(" + Whole + ", " + Part + ")";
  Taken.insert(nameFor(Root));
  Lines.push_back("const hk::Range " + nameFor(Root) + " = " + Whole + ";");
  return true;
}

bool hk::isOfParameters(const KernelSource &S, const Polynomial &P) {
  for (const auto &[Factors, C] : P)
    for (const std::string &F : Factors) {
      std::optional<unsigned> V = KernelSource::variableOf(F);
      if (!V || S.Body.Variables[*V].Parameter < 0 || !S.isFixed(*V) ||
          !S.Body.Variables[*V].Type.isInteger())
        return false;
    }
  return true;
}

bool hk::isOfParameterNames(const KernelSource &S, const BodyNode &E) {
  bool Are = true;
  visit(E, [&](const BodyNode &N) {
    Are &= N.Kind != NodeKind::Builtin;
    Are &= N.Kind != NodeKind::Reference || S.Body.Variables[N.Variable].Parameter >= 0;
    return Are;
  });
  return Are;
}

bool hk::assumeNotNegative(const KernelSource &S, const BodyNode &E,
                           std::set<std::string> &Conditions) {
  if (!E.Spelled || !isOfParameterNames(S, E))
    return false;
  const std::string Text = S.Body.textOf(E);
  Conditions.insert((E.Kind == NodeKind::Reference ? Text : "(" + Text + ")") + " >= 0");
  return true;
}

std::optional<Declined> hk::separateRoots(const KernelSource &S, const PassOptions &Opts,
                                          bool ItemsAreDim3, KernelVersion &V) {
  LaunchRanges Ranges(S, ItemsAreDim3);
  KernelVersion Checks;
  if (std::optional<Declined> Why = separateRoots(S, Opts, Ranges, Checks))
    return Why;
  append_range(V.Setup, Ranges.setup());
  append_range(V.Guards, Checks.Guards);
  append_range(V.Includes, Checks.Includes);
  V.Separate = Checks.Separate;
  append_range(V.Obligations, Checks.Obligations);
  return std::nullopt;
}

std::optional<Declined> hk::separateRoots(const KernelSource &S, const PassOptions &Opts,
                                          LaunchRanges &Ranges, KernelVersion &V) {
  const KernelBody &B = S.Body;
  auto nameOf = [&](unsigned Variable) { return B.Variables[Variable].Name; };
  std::set<unsigned> Written, Used;
  for (const SourceAccess &A : S.Accesses) {
    Used.insert(A.Root);
    if (A.Writes)
      Written.insert(A.Root);
  }
  const std::string Text = "what is written and what is read do not overlap";
  std::set<std::pair<unsigned, unsigned>> Pairs;
  bool Restrict = false, Assumed = false;
  V.Separate = Used;
  for (unsigned W : Written)
    for (unsigned R : Used) {
      if (R == W || Pairs.count({R, W}))
        continue;
      if (B.Variables[W].IsRestrict || B.Variables[R].IsRestrict) {
        Restrict = true;
        continue;
      }
      if (Opts.AssumeNoAlias) {
        Assumed = true;
        continue;
      }
      Pairs.insert({W, R});
    }
  if (!Pairs.empty() && !B.TemplateParams.empty())
    return Declined{
        Text,
        "ranges are not compared for templates; __restrict__ or --assume=noalias would say it",
        S.K.Place};
  for (auto [W, R] : Pairs)
    for (unsigned Root : {W, R}) {
      std::string Why;
      const BodyNode *At = nullptr;
      if (!Ranges.add(Root, Why, At))
        return Declined{Text,
                        "the range of '" + nameOf(Root) + "' is not known at the launch: " + Why +
                            "; __restrict__ or --assume=noalias would say that it is apart from '" +
                            nameOf(Root == W ? R : W) + "'",
                        At ? At->Place : S.K.Place};
    }
  if (!Pairs.empty()) {
    append_range(V.Guards, Ranges.conditions());
    for (auto [W, R] : Pairs)
      V.Guards.push_back("hk::areDisjoint(" + nameOf(W) + ", " + Ranges.nameFor(W) + ", " +
                         nameOf(R) + ", " + Ranges.nameFor(R) + ")");
    V.Includes.push_back("hk/guard.h");
    V.Obligations.push_back({Text, ObligationState::Guarded, "the launcher compares the ranges"});
  } else if (Assumed) {
    V.Obligations.push_back({Text, ObligationState::Assumed, "--assume=noalias"});
  } else if (Restrict) {
    V.Obligations.push_back({Text, ObligationState::Proved, "__restrict__"});
  }
  return std::nullopt;
}

/// The comparison that holds where \p Operator does not.
static StringRef opposite(StringRef Operator) {
  return Operator == "<" ? ">=" : Operator == ">=" ? "<" : Operator == ">" ? "<=" : ">";
}

std::optional<WorkItemLimits> hk::limitsOf(const KernelSource &S) {
  WorkItemLimits Limits;
  // All parts of \p C bound work-items.
  auto Take = [&](const BodyNode &C, const char *Joint, const char *Operator,
                  const char *Mirrored) {
    std::vector<const BodyNode *> Parts{&C};
    while (!Parts.empty()) {
      const BodyNode *Part = Parts.back();
      Parts.pop_back();
      // !(i < n) is i >= n.
      const bool Not = Part->Kind == NodeKind::Unary && Part->Text == "!";
      if (Not)
        Part = Part->child(0);
      if (Part->Kind != NodeKind::Binary)
        return false;
      if (!Not && Part->Text == Joint) {
        Parts.push_back(Part->child(0));
        Parts.push_back(Part->child(1));
        continue;
      }
      bool Found = false;
      for (bool Swap : {false, true}) {
        if (Part->Text != (Not ? opposite(Swap ? Mirrored : Operator) : Swap ? Mirrored : Operator))
          continue;
        std::optional<Polynomial> I = S.form(*Part->child(Swap)), N = S.form(*Part->child(!Swap));
        if (!I || !N || !isOfParameters(S, *N) || I->size() != 1 || I->begin()->second != 1 ||
            I->begin()->first.size() != 1 ||
            !StringRef(I->begin()->first[0]).starts_with("item.") || !Part->child(!Swap)->Spelled)
          continue;
        const BodyNode *&Limit = Limits.Below[I->begin()->first[0].back() - 'x'];
        if (!isOfParameterNames(S, *Part->child(!Swap)) || Limit ||
            !comparesNumbers(S, *Part->child(!Swap), Limits.Conditions))
          continue;
        Limit = Part->child(!Swap);
        Found = true;
      }
      if (!Found)
        return false;
    }
    return true;
  };
  const auto &Statements = S.Body.Root->Children;
  for (size_t I = 0; I != Statements.size(); ++I) {
    const BodyNode &N = *Statements[I];
    if (N.Kind == NodeKind::If) {
      const BodyNode *Then = N.child(1);
      if (Then->Kind == NodeKind::Block && Then->Children.size() == 1)
        Then = Then->child(0);
      if (Then->Kind == NodeKind::Return && !N.child(2)) {
        if (!Take(*N.child(0), "||", ">=", "<="))
          return std::nullopt;
        continue;
      }
      bool Leaves = false;
      visit(N, [&](const BodyNode &Inner) {
        Leaves |= Inner.Kind == NodeKind::Return;
        return true;
      });
      const bool All = !Leaves && all_of(S.Accesses, [&](const SourceAccess &A) {
        return any_of(A.Conditions,
                      [&](const SourceCondition &C) { return C.Holds && C.Node == N.child(0); });
      });
      if (All && !N.child(2)) {
        Limits.Around = N.child(0);
        return Take(*N.child(0), "&&", "<", ">") ? std::optional(Limits) : std::nullopt;
      }
    }
    // Nothing else leaves the kernel.
    bool Returns = false;
    visit(N, [&](const BodyNode &Inner) {
      Returns |= Inner.Kind == NodeKind::Return;
      return true;
    });
    if (Returns)
      return std::nullopt;
  }
  return Limits;
}

std::string hk::limitText(const KernelSource &S, const WorkItemLimits &Limits, unsigned Dimension) {
  const std::string All = placeText(Dimension, /*IsTotal=*/true);
  const BodyNode *Below = Limits.Below[Dimension];
  return Below ? "hk::least(" + All + ", " + S.Body.textOf(*Below) + ")" : All;
}
