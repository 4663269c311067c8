//===- InterchangeText.cpp - Loops as lanes share them ---------------------===//

#include "Interchange.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hk;

/// \p E as it is in the first iteration, in terms of what is outside of \p L.
std::optional<std::string> Interchange::startText(const BodyNode &E, const SharedLoop &L) const {
  std::vector<TextEdit> Edits;
  bool Outside = E.Spelled;
  visit(E, [&](const BodyNode &N) {
    if (N.Kind != NodeKind::Reference || !L.Inside.count(N.Variable))
      return true;
    const BodyNode *Value = N.Variable == L.Loop.Variable ? L.Loop.From
                            : S.isFixed(N.Variable)       ? S.initOf(N.Variable)
                                                          : nullptr;
    std::optional<std::string> Text = Value && N.Spelled ? startText(*Value, L) : std::nullopt;
    if (!Text) {
      Outside = false;
      return false;
    }
    if (Value->Kind != NodeKind::Integer)
      Text = Value->Kind == NodeKind::Reference ? *Text
                                                : castTo(B.Variables[N.Variable].Type.Text, *Text);
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
      if (Body->Children[I]->Kind != NodeKind::Declares ||
          any_of(S.Accesses, [&](const SourceAccess &A) {
            return A.Node->Begin >= Body->Children[I]->Begin &&
                   A.Node->End <= Body->Children[I]->End;
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
  if (!P || coefficientOf(*P, KernelSource::factorOf(L.Loop.Variable)) != Polynomial{{{}, 1}} ||
      !Limit->Spelled || !S.isPure(*Limit) || S.reads(*Limit))
    return nullptr;
  if (Counts->Type.Kind == ValueType::Unsigned && Counts->Type.Bytes < 8)
    return nullptr; // may wrap, and be below again
  bool Fixed = true;
  visit(*Limit, [&](const BodyNode &N) {
    Fixed &=
        N.Kind != NodeKind::Reference || (!L.Inside.count(N.Variable) && S.isFixed(N.Variable));
    return true;
  });
  std::optional<std::string> Start = startText(*Counts, L);
  if (!Fixed || !Start)
    return nullptr;
  // With the types that the comparison has.
  auto Typed = [](const BodyNode &N, const std::string &Text) {
    return N.Kind == NodeKind::Cast || N.Kind == NodeKind::Integer ? castTo(N.Type.Text, Text)
                                                                   : Text;
  };
  L.Start = Typed(*Counts, *Start);
  L.Limit = Typed(*Limit, B.textOf(*Limit));
  return C;
}

/// Finds the streams of \p L, if all that lanes touch side by side is one.
void Interchange::widen(SharedLoop &L) const {
  const CountedLoop &C = L.Loop;
  // What stands behind a continue does not happen in each iteration; types stand in the text.
  if (C.Step || jumps(*C.body()) || !B.TemplateParams.empty())
    return;
  const BodyNode *EarlyEnd = C.Down || C.Bounds.size() != 1 ? nullptr : earlyEnd(L);
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
      if (!Loop || Loop->Down || Loop->Bounds.size() != 1 ||
          Loop->From->Kind != NodeKind::Integer || To->Kind != NodeKind::Integer ||
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

static bool isZero(const BodyNode &N, const KernelBody &B) {
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
    if (Around->Begin <= L.Loop.For->Begin && L.Loop.For->End <= Around->End &&
        !(Around->Begin <= Init->Begin && Init->End <= Around->End))
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
    // As it is written, for templates; without what only the original needs.
    std::string Type = StringRef(B.Text)
                           .slice(C.For->child(0)->Begin, C.For->child(0)->child(0)->Begin)
                           .trim()
                           .str();
    if (Type.empty() || Type == "auto" || !C.For->child(0)->Spelled)
      Type = B.Variables[C.Variable].Type.Text;
    std::string Call = C.Down ? (C.Bounds[0].Inclusive ? "downThrough" : "downOver")
                              : (C.Bounds[0].Inclusive ? "through" : "over");
    std::string More;
    if (C.Step) {
      Call += "By";
      More = ", " + castTo(Type, B.textOf(*C.Step));
    }
    std::string From = B.textOf(*C.From);
    if (C.From->Type.Text != B.Variables[C.Variable].Type.Text ||
        (C.From->Kind == NodeKind::Integer && Type != "int"))
      From = castTo(Type, From); // a literal is an int
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
        Sources += std::string(", hk::") +
                   (!T.Writes ? "reads"
                    : T.Reads ? "updates"
                              : "writes") +
                   (T.Down ? "<-1>" : "") + "(" + T.First + ")";
        for (const BodyNode *N : T.Nodes)
          Edits.push_back({N->Begin, N->End, T.Name});
      }
      if (!L.Start.empty())
        To = "hk::endOf(" + From + ", " + To + ", " + L.Start + ", " + L.Limit + ")";
      Before += "hk_row." + Call + "Wide(hk::Width<" + std::to_string(L.Width) + ">(), " + From +
                ", " + To + ", [&](" + Type + " " + nameOf(C.Variable) + Elements + ")";
      const bool Braced = C.body()->Kind == NodeKind::Block;
      Edits.push_back({C.For->Begin, unsigned(HeaderEnd), Before + (Braced ? "" : " {")});
      L.After.insert(L.After.begin(), (Braced ? "" : "}") + Sources + ");");
    } else {
      Edits.push_back({C.For->Begin, unsigned(HeaderEnd),
                       Before + "for (" + Type + " " + nameOf(C.Variable) + " : hk_row." + Call +
                           "(" + From + ", " + To + More + "))"});
    }
    std::string After;
    for (size_t I = 0; I != L.After.size(); ++I)
      After +=
          (I == 0 && L.Width > 1 && C.body()->Kind == NodeKind::Block ? "" : "\n" + Indent.str()) +
          L.After[I];
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
    const std::string Start =
        std::string(L.InBlock ? "" : "{ ") + (Sync ? "hk_row.sync();\n" + Indent.str() : "");
    Edits.push_back({L.Statement->Begin, L.Statement->Begin,
                     Start + "if (hk_row.isLeader())\n" + Indent.str() + "  "});
    const std::string End =
        (Sync ? "\n" + Indent.str() + "hk_row.sync();" : "") + std::string(L.InBlock ? "" : " }");
    if (!End.empty())
      Edits.push_back({L.Statement->End, L.Statement->End, End});
  }
}
