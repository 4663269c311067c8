//===- OperandLoops.cpp ---------------------------------------------------===//

#include "OperandLoops.h"

#include "StencilReads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hk;

/// Loops of fewer steps, if the text says how many, gain nothing by tiles.
static constexpr int64_t FewestSteps = 16;

static bool isInside(const BodyNode &Inner, const BodyNode &Outer) {
  return Outer.Begin <= Inner.Begin && Inner.End <= Outer.End;
}

static bool has(const BodyNode &In, NodeKind Kind) {
  bool Found = false;
  visit(In, [&](const BodyNode &N) {
    Found |= N.Kind == Kind;
    return !Found;
  });
  return Found;
}

std::string hk::limitOn(const KernelSource &S, const WorkItemLimits &Limits, unsigned Dimension) {
  const BodyNode *Below = Limits.Below[Dimension];
  return Below ? S.Body.textOf(*Below) : placeText(Dimension, /*IsTotal=*/true);
}

/// Sums and products in \p E, or in what its variables were given, are taken in 32 bits without
/// sign; numbers of work-items are not counted.
static bool countsUnsigned(const KernelSource &S, const BodyNode &E) {
  bool Found = false;
  visit(E, [&](const BodyNode &N) {
    const std::optional<Polynomial> Form = S.form(N);
    if (Form && Form->size() == 1 && Form->begin()->second == 1 &&
        Form->begin()->first.size() == 1 && StringRef(Form->begin()->first[0]).starts_with("item"))
      return false;
    Found |= N.Kind == NodeKind::Binary && N.Type.Kind == ValueType::Unsigned && N.Type.Bytes < 8;
    if (N.Kind == NodeKind::Reference && S.isFixed(N.Variable) && S.initOf(N.Variable))
      Found |= countsUnsigned(S, *S.initOf(N.Variable));
    return !Found;
  });
  return Found;
}

bool OperandLoops::isOperand(const SourceAccess &A) const {
  return any_of(Loops, [&](const LoopWithOperands &L) {
    return any_of(L.Operands, [&](const Operand &O) { return is_contained(O.Reads, &A); });
  });
}

/// The statements that work-items below the limits do.
bool OperandLoops::flatten(Declined &Why) {
  const std::string Alike = "only the limits of their numbers keep work-items from a loop";
  std::optional<WorkItemLimits> Known = limitsOf(*S);
  if (!Known) {
    Why = {Alike, "another condition does", S->K.Place};
    return false;
  }
  Limits = *Known;
  auto Take = [&](const BodyNode &Block) {
    unsigned From = Block.Kind == NodeKind::Block ? Block.Begin + 1 : Block.Begin;
    auto One = [&](const BodyNode &N) {
      Behind[&N] = From;
      From = N.End;
      if (N.Kind != NodeKind::Empty)
        Statements.push_back(&N);
    };
    if (Block.Kind != NodeKind::Block)
      return One(Block);
    for (const auto &Child : Block.Children)
      One(*Child);
  };
  Take(*S->Body.Root);
  const std::vector<const BodyNode *> All = std::move(Statements);
  Statements.clear();
  for (const BodyNode *N : All) {
    if (N->Kind == NodeKind::If && has(*N, NodeKind::Return)) {
      // One of the limits. Nothing happens before it.
      for (const SourceAccess &A : S->Accesses)
        if (A.Node->Begin < N->Begin) {
          Why = {Alike, "memory is touched before it", A.Node->Place};
          return false;
        }
      continue;
    }
    if (N->Kind == NodeKind::If && N->child(0) == Limits.Around) {
      if (N != All.back()) {
        Why = {Alike, "statements behind it", N->Place};
        return false;
      }
      Take(*N->child(1));
      continue;
    }
    Statements.push_back(N);
  }
  std::set<std::string> Names;
  for (const BodyVariable &V : S->Body.Variables)
    if (V.Parameter >= 0)
      Names.insert(V.Name);
  for (const BodyNode *N : Statements) {
    if (!N->Spelled) {
      Why = {"the kernel's text can be changed", "a macro makes part of it", N->Place};
      return false;
    }
    if (N->Kind == NodeKind::Declares)
      for (const auto &D : N->Children)
        if (!Names.insert(S->Body.Variables[D->Variable].Name).second) {
          Why = {"names mean one thing", "'" + S->Body.Variables[D->Variable].Name + "' is two",
                 N->Place};
          return false;
        }
  }
  return true;
}

std::optional<Operand> OperandLoops::operandAt(const SourceAccess &A, const BodyNode &For,
                                               unsigned Counter) const {
  const ValueType &T = A.Node->Type;
  if (A.Writes || !A.Index || !A.Member.empty() || !A.Node->Spelled || S->isOpaque(*A.Index) ||
      (T.Kind != ValueType::Float && !T.isInteger() && !T.IsPlain) || T.IsVolatile ||
      (T.Bytes != 1 && T.Bytes != 2 && T.Bytes != 4 && T.Bytes != 8) ||
      A.Loops != std::vector<const BodyNode *>{&For} || widensWrapped(*S, *A.Node))
    return std::nullopt;
  for (const SourceCondition &C : A.Conditions)
    if (C.Node != Limits.Around)
      return std::nullopt; // not each work-item reads it
  Operand O;
  O.Root = A.Root;
  O.Reads = {&A};
  O.Bytes = T.Bytes;
  O.IsUnsigned32 = countsUnsigned(*S, *A.Node);
  const std::string Step = KernelSource::factorOf(Counter);
  for (const auto &[Factors, C] : *A.Index) {
    std::vector<std::string> Rest;
    Polynomial *To = &O.Rest;
    unsigned Found = 0;
    for (const std::string &F : Factors)
      if (F == Step)
        To = &O.ByStep, ++Found;
      else if (StringRef(F).starts_with("item."))
        To = &O.ByItem[F.back() - 'x'], ++Found;
      else
        Rest.push_back(F);
    if (Found > 1)
      return std::nullopt;
    (*To)[Rest] += C;
  }
  for (const Polynomial *P : {&O.Rest, &O.ByStep, &O.ByItem[0], &O.ByItem[1], &O.ByItem[2]})
    if (!isOfParameters(*S, *P))
      return std::nullopt;
  return O;
}

std::optional<LoopWithOperands>
OperandLoops::loopAt(const BodyNode &For, std::set<std::string> &Conditions, Declined &Why) const {
  std::optional<CountedLoop> L = S->countedLoop(For);
  if (!L)
    return std::nullopt;
  LoopWithOperands Out;
  Out.For = &For;
  for (const SourceAccess &A : S->Accesses) {
    std::optional<Operand> O = operandAt(A, For, L->Variable);
    if (!O)
      continue;
    bool Known = false;
    for (Operand &Other : Out.Operands)
      if (Other.Root == O->Root && Other.Rest == O->Rest && Other.ByStep == O->ByStep &&
          Other.ByItem == O->ByItem && Other.Bytes == O->Bytes) {
        Other.Reads.push_back(&A);
        Other.IsUnsigned32 |= O->IsUnsigned32;
        Known = true;
      }
    if (!Known)
      Out.Operands.push_back(std::move(*O));
  }
  if (Out.Operands.empty())
    return std::nullopt;
  const std::string Alike = "all work-items of a workgroup run the loop alike";
  auto No = [&](const std::string &Reason) {
    if (Why.Why.empty())
      Why = {Alike, Reason, For.Place};
    return std::nullopt;
  };
  if (L->Down || L->Step || L->Bounds.size() != 1)
    return No("it does not count one by one to one bound");
  std::optional<Polynomial> From = S->form(*L->From), End = S->form(*L->Bounds[0].To);
  std::set<std::string> Needed;
  if (!From || !End || !isOfParameters(*S, *From) || !isOfParameters(*S, *End) ||
      !isNumber(*S, *L->From, Needed) || !isNumber(*S, *L->Bounds[0].To, Needed))
    return No("its bounds are not of parameters");
  // A counter that is compared without its sign has none.
  bool Unsigned = false;
  visit(*For.child(1), [&](const BodyNode &N) {
    Unsigned |= N.Kind == NodeKind::Cast && N.Type.Kind == ValueType::Unsigned &&
                N.child(0)->Type.Kind == ValueType::Signed;
    return true;
  });
  if (Unsigned && numberOf(*From).value_or(0) < 0)
    return No("its first number is negative");
  if (Unsigned && !numberOf(*From) && !assumeNotNegative(*S, *L->From, Needed))
    return No("its first number may be negative");
  if (L->Bounds[0].Inclusive)
    End = sum(*End, {{{}, 1}}, 1);
  if (!End)
    return std::nullopt;
  if (isShort(For))
    return std::nullopt;
  if (jumps(*L->body()))
    return No("it may be left early");
  for (const std::string &C : Needed)
    Conditions.insert(C);
  Out.From = *From;
  Out.End = *End;
  return Out;
}

/// The text says how few steps it has.
bool OperandLoops::isShort(const BodyNode &For) const {
  std::optional<CountedLoop> L = S->countedLoop(For);
  if (!L || L->Down)
    return false;
  std::optional<Polynomial> From = S->form(*L->From), End = S->form(*L->Bounds[0].To),
                            Count = From && End ? sum(*End, *From, -1) : std::nullopt;
  std::optional<int64_t> Number = Count ? numberOf(*Count) : std::nullopt;
  return Number && *Number < FewestSteps;
}

bool OperandLoops::find(std::set<std::string> &Conditions, Declined &Why) {
  bool Any = false;
  for (const SourceAccess &A : S->Accesses)
    Any |= !A.Writes && A.Loops.size() == 1 && !isShort(*A.Loops[0]);
  if (!Any || !flatten(Why))
    return false;
  for (const BodyNode *N : Statements)
    if (N->Kind == NodeKind::For)
      if (std::optional<LoopWithOperands> L = loopAt(*N, Conditions, Why))
        Loops.push_back(std::move(*L));
  return !Loops.empty();
}

bool OperandLoops::settle(unsigned Column, unsigned Row) {
  for (LoopWithOperands &L : Loops) {
    erase_if(L.Operands, [&](Operand &O) {
      if (O.ByItem[Column].empty() == O.ByItem[Row].empty())
        return true; // of all work-items of a tile, or of each its own
      O.Dimension = O.ByItem[Column].empty() ? Row : Column;
      const Polynomial One{{{}, 1}};
      O.StepsAreNeighbours = O.ByStep == One;
      O.Pitch = O.StepsAreNeighbours ? O.ByItem[O.Dimension] : O.ByStep;
      return !O.StepsAreNeighbours && (O.ByItem[O.Dimension] != One || O.ByStep.empty());
    });
  }
  erase_if(Loops, [](const LoopWithOperands &L) { return L.Operands.empty(); });
  std::map<unsigned, unsigned> Count;
  for (LoopWithOperands &L : Loops)
    for (Operand &O : L.Operands)
      O.Number = Count[O.Root]++;
  return !Loops.empty();
}

/// Operands are not written. Whatever else is may be the work-item's own only.
bool OperandLoops::separatesStores(Declined &Why) {
  std::set<unsigned> Written;
  for (const SourceAccess &A : S->Accesses)
    if (A.Writes)
      Written.insert(A.Root);
  for (const LoopWithOperands &L : Loops)
    for (const Operand &O : L.Operands)
      if (Written.count(O.Root)) {
        Why = {"what is loaded early is the same later",
               "'" + S->Body.Variables[O.Root].Name + "' is written, too", O.Reads[0]->Node->Place};
        return false;
      }
  for (const SourceAccess &A : S->Accesses)
    StoresEarly |=
        Written.count(A.Root) && none_of(Segments.back().Statements,
                                         [&](const BodyNode *N) { return isInside(*A.Node, *N); });
  return true;
}

std::set<unsigned> OperandLoops::variablesIn(const std::vector<const BodyNode *> &Nodes) const {
  std::set<unsigned> Found;
  std::set<const BodyNode *> Replaced;
  for (const LoopWithOperands &L : Loops)
    for (const Operand &O : L.Operands)
      for (const SourceAccess *A : O.Reads)
        Replaced.insert(A->Node);
  for (const BodyNode *Node : Nodes)
    visit(*Node, [&](const BodyNode &N) {
      // The text of a work-item's number is replaced, too.
      if (Replaced.count(&N) || is_contained(S->Items, &N))
        return false;
      if (N.Kind == NodeKind::Reference)
        Found.insert(N.Variable);
      return true;
    });
  return Found;
}

const OperandLoops::Carried *OperandLoops::carried(unsigned Variable) const {
  for (const Carried &C : Carry)
    if (C.Variable == Variable)
      return &C;
  return nullptr;
}

std::set<unsigned> OperandLoops::neededBy(const std::vector<const BodyNode *> &Nodes) const {
  std::set<unsigned> Needed = variablesIn(Nodes);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Carried &C : Carry)
      if (!C.IsKept && Needed.count(C.Variable))
        for (unsigned V : variablesIn({C.Declaration}))
          Changed |= Needed.insert(V).second;
  }
  return Needed;
}

/// Finds what segments need of those before.
bool OperandLoops::carry(Declined &Why) {
  const KernelBody &B = S->Body;
  const std::string Parts = "a work-item's values can be kept from loop to loop";
  for (unsigned V = 0; V != B.Variables.size(); ++V)
    if (B.Variables[V].Parameter >= 0 && !S->assignmentsOf(V).empty()) {
      Why = {Parts, "the parameter '" + B.Variables[V].Name + "' is changed", S->K.Place};
      return false;
    }
  // All that segments declare, and whether it can be computed again.
  for (size_t N = 0; N != Segments.size(); ++N)
    for (const BodyNode *Statement : Segments[N].Statements) {
      if (Statement->Kind != NodeKind::Declares)
        continue;
      for (const auto &D : Statement->Children) {
        const BodyVariable &V = B.Variables[D->Variable];
        bool IsAgain = S->isFixed(D->Variable) && D->child(0) && S->isPure(*D->child(0)) &&
                       !S->dependsOnMemory(*D->child(0)) && !V.IsReference &&
                       V.Type.Kind != ValueType::Array && V.Type.Kind != ValueType::Struct;
        for (unsigned Other : variablesIn({D.get()})) {
          const Carried *Known = carried(Other);
          IsAgain &= B.Variables[Other].Parameter >= 0 || (Known && !Known->IsKept);
        }
        Carry.push_back({D->Variable, N, Statement, D.get(), !IsAgain});
      }
    }
  // Of the others, what no later segment uses is not kept.
  std::set<unsigned> Kept;
  for (const Carried &C : Carry) {
    if (!C.IsKept)
      continue;
    std::vector<const BodyNode *> Later;
    for (size_t N = C.Segment + 1; N < Segments.size(); ++N)
      append_range(Later, Segments[N].Statements);
    if (!neededBy(Later).count(C.Variable))
      continue;
    Kept.insert(C.Variable);
    const BodyVariable &V = B.Variables[C.Variable];
    const bool IsArray = V.Type.Kind == ValueType::Array;
    const ValueType &T = IsArray ? V.Pointee : V.Type;
    const std::string Declaration = B.textOf(*C.Declaration);
    const StringRef Rest = StringRef(Declaration).drop_front(V.Name.size()).ltrim();
    if ((T.Kind != ValueType::Float && T.Kind != ValueType::Struct && !T.isInteger()) ||
        T.Text.empty() || V.IsReference || T.IsVolatile ||
        (IsArray ? !V.Type.Elements || C.Declaration->child(0) : !Rest.empty() && Rest[0] != '=')) {
      Why = {Parts, "'" + V.Name + "' cannot", C.Statement->Place};
      return false;
    }
  }
  erase_if(Carry, [&](const Carried &C) { return C.IsKept && !Kept.count(C.Variable); });
  return true;
}

bool OperandLoops::split(Declined &Why) {
  Segments.assign(1, {});
  for (const BodyNode *N : Statements) {
    auto L = find_if(Loops, [&](const LoopWithOperands &Own) { return Own.For == N; });
    if (L == Loops.end()) {
      Segments.back().Statements.push_back(N);
      continue;
    }
    if (Segments.back().Statements.empty())
      Segments.pop_back();
    Segments.push_back({{N}, int(L - Loops.begin())});
    Segments.push_back({});
  }
  return separatesStores(Why) && carry(Why);
}

unsigned OperandLoops::stateBytes() const {
  unsigned Sum = 0;
  for (const Carried &C : Carry)
    if (C.IsKept) {
      const BodyVariable &V = S->Body.Variables[C.Variable];
      Sum += V.Type.Kind == ValueType::Array ? V.Pointee.Bytes * unsigned(V.Type.Elements)
                                             : V.Type.Bytes;
    }
  return Sum;
}

std::string OperandLoops::stateText() const {
  std::string Text;
  for (const Carried &C : Carry)
    if (C.IsKept) {
      const BodyVariable &V = S->Body.Variables[C.Variable];
      const bool IsArray = V.Type.Kind == ValueType::Array;
      Text += "  " + (IsArray ? V.Pointee.Text : V.Type.Text) + " hk_all_" + V.Name +
              "[hk_Tile::Each]" +
              (IsArray ? "[" + std::to_string(V.Type.Elements) + "]" : std::string()) + ";\n";
    }
  return Text;
}

/// \p N with the comments before it, behind \p From, and that behind it in its line.
std::string OperandLoops::statementText(const BodyNode &N, const std::vector<TextEdit> &Edits,
                                        unsigned Indent, unsigned From) const {
  const KernelBody &B = S->Body;
  const std::string Space(Indent, ' ');
  std::string Text;
  SmallVector<StringRef, 8> Before;
  StringRef(B.Text).slice(From, N.Begin).split(Before, '\n');
  if (!Before.empty())
    Before.erase(Before.begin()); // of the line where the last statement ends
  for (StringRef Line : Before)
    if (!Line.trim().empty())
      Text += (Line.trim()[0] == '#' ? "" : Space) + Line.trim().str() + "\n";
  // As far in as its line is.
  const size_t Line = StringRef(B.Text).rfind('\n', N.Begin) + 1;
  const size_t Own = StringRef(B.Text).find_first_not_of(" \t", Line) - Line;
  SmallVector<StringRef, 8> Lines;
  const std::string Edited = edited(B, N.Begin, N.End, Edits);
  StringRef(Edited).split(Lines, '\n');
  for (size_t I = 0; I != Lines.size(); ++I) {
    StringRef L = Lines[I];
    if (I)
      L = L.drop_front(std::min(
          L.find_first_not_of(" \t") == StringRef::npos ? L.size() : L.find_first_not_of(" \t"),
          Own));
    Text += (L.empty() ? "" : Space) + L.str() + (I + 1 == Lines.size() ? "" : "\n");
  }
  const StringRef Rest = StringRef(B.Text).substr(N.End).split('\n').first.trim();
  if (Rest.starts_with("//"))
    Text += " " + Rest.str();
  return Text + "\n";
}

/// Names the work-item's own of what its lane keeps.
static std::string ownText(const BodyVariable &V) {
  return (V.Type.Kind == ValueType::Array
              ? V.Pointee.Text + " (&" + V.Name + ")[" + std::to_string(V.Type.Elements) + "]"
              : V.Type.Text + " &" + V.Name) +
         " = hk_all_" + V.Name + "[hk_own];\n";
}

/// \p C, computed again: its statement, if it is for that alone.
std::string OperandLoops::againText(const Carried &C, const std::vector<TextEdit> &Edits) const {
  const KernelBody &B = S->Body;
  if (C.Statement->Children.size() == 1)
    return edited(B, C.Statement->Begin, C.Statement->End, Edits) + "\n";
  return B.Variables[C.Variable].Type.Text + " " +
         edited(B, C.Declaration->Begin, C.Declaration->End, Edits) + ";\n";
}

/// What segment \p N needs of those before.
std::string OperandLoops::declarations(size_t N, const std::set<unsigned> &Needed,
                                       const std::vector<TextEdit> &Edits, unsigned Indent) const {
  std::string Text;
  for (const Carried &C : Carry)
    if (C.Segment < N && Needed.count(C.Variable))
      Text += std::string(Indent, ' ') +
              (C.IsKept ? ownText(S->Body.Variables[C.Variable]) : againText(C, Edits));
  return Text;
}

std::string OperandLoops::segmentText(size_t N, const std::vector<TextEdit> &Edits,
                                      unsigned Indent) const {
  const KernelBody &B = S->Body;
  auto IsAgain = [&](const BodyNode &Statement) {
    return Statement.Kind == NodeKind::Declares && all_of(Statement.Children, [&](const auto &D) {
             const Carried *C = carried(D->Variable);
             return C && !C->IsKept;
           });
  };
  std::vector<const BodyNode *> Doing;
  for (const BodyNode *Statement : Segments[N].Statements)
    if (!IsAgain(*Statement))
      Doing.push_back(Statement);
  const bool Nothing = all_of(Doing, [&](const BodyNode *Statement) {
    return Statement->Kind == NodeKind::Declares &&
           all_of(Statement->Children, [&](const auto &D) { return !D->child(0); });
  });
  if (Nothing)
    return "";
  const std::set<unsigned> Needed = neededBy(Doing);
  std::string Text = declarations(N, Needed, Edits, Indent);
  const std::string Space(Indent, ' ');
  for (const BodyNode *Statement : Segments[N].Statements) {
    const bool Declares = Statement->Kind == NodeKind::Declares;
    if (Declares && IsAgain(*Statement) &&
        !all_of(Statement->Children, [&](const auto &D) { return Needed.count(D->Variable); })) {
      for (const auto &D : Statement->Children)
        if (Needed.count(D->Variable))
          Text += Space + againText(*carried(D->Variable), Edits);
      continue;
    }
    if (!Declares || none_of(Statement->Children, [&](const auto &D) {
          const Carried *C = carried(D->Variable);
          return C && C->IsKept;
        })) {
      Text += statementText(*Statement, Edits, Indent, Behind.find(Statement)->second);
      continue;
    }
    for (const auto &D : Statement->Children) {
      const BodyVariable &V = B.Variables[D->Variable];
      const Carried *C = carried(D->Variable);
      const std::string Own = edited(B, D->Begin, D->End, Edits);
      if (!C || !C->IsKept) {
        Text += Space + V.Type.Text + " " + Own + ";\n";
        continue;
      }
      // Used by its name, or only set.
      std::vector<const BodyNode *> Others;
      for (const BodyNode *Other : Segments[N].Statements)
        if (Other != Statement)
          Others.push_back(Other);
      for (const auto &Other : Statement->Children)
        if (Other != D)
          Others.push_back(Other.get());
      if (!variablesIn(Others).count(D->Variable)) {
        if (D->child(0))
          Text += Space + "hk_all_" + V.Name + "[hk_own]" +
                  StringRef(Own).drop_front(V.Name.size()).str() + ";\n";
        continue;
      }
      Text += Space + ownText(V);
      if (D->child(0))
        Text += Space + Own + ";\n";
    }
  }
  return Text;
}

std::string OperandLoops::stepText(const LoopWithOperands &L, const std::vector<TextEdit> &Edits,
                                   unsigned Indent) const {
  const KernelBody &B = S->Body;
  const BodyNode &Body = *L.For->child(3);
  const std::set<unsigned> Needed = neededBy({&Body});
  const unsigned Counter = L.For->child(0)->child(0)->Variable;
  std::string Text;
  if (Needed.count(Counter)) {
    const BodyVariable &V = B.Variables[Counter];
    Text += std::string(Indent, ' ') + "const " + V.Type.Text + " " + V.Name + " = " +
            castTo(V.Type.Text, "hk_first + hk_step") + ";\n";
  }
  for (size_t N = 0; N != Segments.size(); ++N)
    if (Segments[N].Loop >= 0 && &Loops[Segments[N].Loop] == &L)
      Text += declarations(N, Needed, Edits, Indent);
  unsigned From = Body.Begin + 1;
  if (Body.Kind != NodeKind::Block)
    return Text + statementText(Body, Edits, Indent, Body.Begin);
  for (const auto &Child : Body.Children) {
    if (Child->Kind != NodeKind::Empty)
      Text += statementText(*Child, Edits, Indent, From);
    From = Child->End;
  }
  return Text;
}
