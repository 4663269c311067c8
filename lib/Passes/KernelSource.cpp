//===- KernelSource.cpp ---------------------------------------------------===//

#include "hk/Passes/KernelSource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};

Polynomial constant(int64_t Value) {
  Polynomial P;
  if (Value)
    P[{}] = Value;
  return P;
}

Polynomial factor(const std::string &Name) { return {{{Name}, 1}}; }

bool addTo(Polynomial &To, const std::vector<std::string> &Factors, int64_t C) {
  int64_t &Sum = To[Factors];
  if (__builtin_add_overflow(Sum, C, &Sum))
    return false;
  if (Sum == 0)
    To.erase(Factors);
  return true;
}

} // namespace

std::optional<Polynomial> hk::sum(Polynomial A, const Polynomial &B, int64_t Sign) {
  for (const auto &[Factors, C] : B)
    if (int64_t Value; __builtin_mul_overflow(C, Sign, &Value) || !addTo(A, Factors, Value))
      return std::nullopt;
  return A;
}

std::optional<Polynomial> hk::product(const Polynomial &A, const Polynomial &B) {
  Polynomial P;
  if (A.size() * B.size() > 256)
    return std::nullopt;
  for (const auto &[FA, CA] : A)
    for (const auto &[FB, CB] : B) {
      std::vector<std::string> Factors = FA;
      append_range(Factors, FB);
      llvm::sort(Factors);
      int64_t C;
      if (__builtin_mul_overflow(CA, CB, &C) || !addTo(P, Factors, C))
        return std::nullopt;
    }
  return P;
}

namespace {

/// Names products of built-ins that have one.
Polynomial named(Polynomial P) {
  for (const char *D : Axis) {
    const std::string Suffix = std::string(".") + D;
    // Each product with blockIdx * blockDim has to come with the same one of threadIdx.
    std::vector<std::pair<std::vector<std::string>, int64_t>> Found;
    for (const auto &[Factors, C] : P)
      if (is_contained(Factors, "blockIdx" + Suffix) && is_contained(Factors, "blockDim" + Suffix))
        Found.push_back({Factors, C});
    for (auto &[Factors, C] : Found) {
      std::vector<std::string> Rest = Factors;
      Rest.erase(find(Rest, "blockIdx" + Suffix));
      Rest.erase(find(Rest, "blockDim" + Suffix));
      std::vector<std::string> Thread = Rest, Item = Rest;
      Thread.push_back("threadIdx" + Suffix);
      Item.push_back("item" + Suffix);
      llvm::sort(Thread);
      llvm::sort(Item);
      auto It = P.find(Thread);
      if (It == P.end() || It->second != C)
        continue;
      P.erase(It);
      P.erase(Factors);
      addTo(P, Item, C);
    }
    std::vector<std::string> Total = {"blockDim" + Suffix, "gridDim" + Suffix};
    Polynomial Out;
    for (const auto &[Factors, C] : P) {
      std::vector<std::string> F = Factors;
      if (is_contained(F, Total[0]) && is_contained(F, Total[1])) {
        F.erase(find(F, Total[0]));
        F.erase(find(F, Total[1]));
        F.push_back("items" + Suffix);
        llvm::sort(F);
      }
      addTo(Out, F, C);
    }
    P = std::move(Out);
  }
  return P;
}

} // namespace

void hk::visit(const BodyNode &N, const std::function<bool(const BodyNode &)> &Visit) {
  if (!Visit(N))
    return;
  for (const auto &Child : N.Children)
    if (Child)
      visit(*Child, Visit);
}

bool hk::jumps(const BodyNode &N) {
  bool Found = false;
  visit(N, [&](const BodyNode &Inner) {
    Found |= Inner.Kind == NodeKind::Break || Inner.Kind == NodeKind::Continue ||
             Inner.Kind == NodeKind::Return;
    return !Found;
  });
  return Found;
}

unsigned hk::assignedVariable(const BodyNode &Target, const KernelBody &Body) {
  const BodyNode *N = &Target;
  while (N->Kind == NodeKind::Member || N->Kind == NodeKind::Subscript)
    N = N->child(0);
  if (N->Kind != NodeKind::Reference || Body.Variables[N->Variable].Type.Kind == ValueType::Pointer)
    // An element behind a pointer is memory, the pointer itself a variable.
    return N == &Target && N->Kind == NodeKind::Reference ? N->Variable : ~0u;
  return N->Variable;
}

std::optional<unsigned> KernelSource::variableOf(const std::string &Factor) {
  unsigned V;
  if (Factor.empty() || Factor[0] != 'v' || StringRef(Factor).drop_front().getAsInteger(10, V))
    return std::nullopt;
  return V;
}

struct KernelSource::Context {
  std::vector<const BodyNode *> Loops;
  std::vector<SourceCondition> Conditions;
};

KernelSource::KernelSource(const Kernel &K) : K(K), Body(*K.Tree) {
  if (!Body.Root) {
    Problem = Body.NotCopyable.empty() ? "its text is not in view" : Body.NotCopyable;
    ProblemPlace = K.Place;
    return;
  }
  Assigned.resize(Body.Variables.size());
  Inits.resize(Body.Variables.size());
  Fixable.assign(Body.Variables.size(), true);
  for (size_t V = 0; V != Body.Variables.size(); ++V) {
    const BodyVariable &B = Body.Variables[V];
    if (B.IsReference || B.Type.IsVolatile || B.Pointee.IsVolatile) {
      Fixable[V] = false;
      fail(*Body.Root,
           B.IsReference ? "'" + B.Name + "' is a reference" : "'" + B.Name + "' is volatile");
    }
    if (!B.IsLocal && B.Parameter < 0 && !B.IsShared && !B.Type.IsConst) {
      Fixable[V] = false;
      fail(*Body.Root, "it uses the variable '" + B.Name + "' of the device");
    }
  }
  scan(*Body.Root);
  std::array<bool, 3> Others{false, false, false};
  visit(*Body.Root, [&](const BodyNode &N) {
    if (N.Kind == NodeKind::Builtin) {
      OnlyBlocks[N.Number] |= N.Text == "blockIdx";
      Others[N.Number] |= N.Text != "blockIdx";
    }
    return true;
  });
  for (unsigned D = 0; D != 3; ++D)
    OnlyBlocks[D] &= !Others[D];
  findItems(*Body.Root);
  visit(*Body.Root, [&](const BodyNode &N) {
    if (std::optional<CountedLoop> L = countedLoop(N))
      Counters.insert(L->Variable);
    return true;
  });
  Context C;
  collect(*Body.Root, C);
}

void KernelSource::fail(const BodyNode &N, const std::string &Why) {
  if (!Problem.empty())
    return;
  Problem = Why;
  ProblemPlace = N.Place.valid() ? N.Place : K.Place;
}

/// Declarations, assignments, and what cannot be dealt with.
void KernelSource::scan(const BodyNode &N) {
  switch (N.Kind) {
  case NodeKind::Declare:
    if (!N.Children.empty())
      Inits[N.Variable] = N.child(0);
    else if (Body.Variables[N.Variable].Type.Kind != ValueType::Array)
      Fixable[N.Variable] = false;
    if (Body.Variables[N.Variable].IsShared)
      fail(N, "it uses LDS");
    break;
  case NodeKind::Assign:
  case NodeKind::Unary:
    if (N.Kind == NodeKind::Assign || N.Text == "++" || N.Text == "--")
      if (unsigned V = assignedVariable(*N.child(0), Body); V != ~0u)
        Assigned[V].push_back(&N);
    break;
  case NodeKind::OtherStatement:
    fail(N, "it has a statement of a kind that is not analyzed");
    break;
  case NodeKind::OtherExpression:
    if (N.Text == "&" && N.child(0) && N.child(0)->Kind == NodeKind::Subscript)
      break;
    fail(N, "it has an expression of a kind that is not analyzed");
    break;
  case NodeKind::Call:
    if (!N.Pure)
      fail(N, N.Text.empty() ? "it calls what is not known"
                             : "'" + N.Text + "' may do more than compute a value");
    break;
  default:
    break;
  }
  for (const auto &Child : N.Children)
    if (Child)
      scan(*Child);
}

static std::optional<Polynomial>
rawForm(const BodyNode &E, const std::function<std::optional<Polynomial>(const BodyNode &)> &Leaf) {
  auto Operand = [&](unsigned I) { return rawForm(*E.child(I), Leaf); };
  switch (E.Kind) {
  case NodeKind::Integer:
    return constant(E.Number);
  case NodeKind::Reference:
  case NodeKind::Builtin:
    return Leaf(E);
  case NodeKind::Unary: {
    if (E.Text != "-" && E.Text != "+")
      return std::nullopt;
    auto P = Operand(0);
    return P && E.Text == "-" ? sum({}, *P, -1) : P;
  }
  case NodeKind::Binary: {
    if (E.Text != "+" && E.Text != "-" && E.Text != "*" && E.Text != "<<")
      return std::nullopt;
    if (!E.Type.isInteger())
      return std::nullopt;
    auto A = Operand(0), B = Operand(1);
    if (!A || !B)
      return std::nullopt;
    if (E.Text == "<<") {
      const BodyNode &By = *E.child(1);
      if (By.Kind != NodeKind::Integer || By.Number < 0 || By.Number > 30)
        return std::nullopt;
      return product(*A, constant(int64_t(1) << By.Number));
    }
    auto P = E.Text == "*" ? product(*A, *B) : sum(*A, *B, E.Text == "+" ? 1 : -1);
    return P ? std::optional(named(*P)) : P;
  }
  case NodeKind::Cast: {
    const BodyNode &Inner = *E.child(0);
    if (!E.Type.isInteger() || !Inner.Type.isInteger() || E.Type.Kind == ValueType::Bool ||
        E.Type.Bytes < Inner.Type.Bytes)
      return std::nullopt;
    return Operand(0);
  }
  default:
    return std::nullopt;
  }
}

bool KernelSource::isStable(const Polynomial &P) const {
  for (const auto &[Factors, C] : P)
    for (const std::string &F : Factors)
      if (std::optional<unsigned> V = variableOf(F); V && !isFixed(*V) && !Counters.count(*V))
        return false;
  return true;
}

bool KernelSource::dependsOnMemory(const BodyNode &E, bool OrPlace) const {
  std::set<unsigned> Seen;
  std::function<bool(const BodyNode &)> Depends = [&](const BodyNode &E) {
    bool Found = reads(E);
    visit(E, [&](const BodyNode &N) {
      Found |= OrPlace && N.Kind == NodeKind::Builtin;
      if (!Found && N.Kind == NodeKind::Reference && Seen.insert(N.Variable).second) {
        Found |= Inits[N.Variable] && Depends(*Inits[N.Variable]);
        for (const BodyNode *A : Assigned[N.Variable])
          Found |= A->Kind == NodeKind::Assign && Depends(*A->child(1));
      }
      return !Found;
    });
    return Found;
  };
  return Depends(E);
}

bool KernelSource::isOpaque(const Polynomial &P) const {
  for (const auto &[Factors, C] : P)
    for (const std::string &F : Factors)
      if (std::optional<unsigned> V = variableOf(F);
          V && !Counters.count(*V) && Inits[*V] && dependsOnMemory(*Inits[*V], /*OrPlace=*/true))
        return true;
  return false;
}

std::optional<Polynomial> KernelSource::slope(const Polynomial &P, unsigned Dimension) const {
  Polynomial Sum;
  for (const auto &[Factors, C] : P) {
    std::optional<Polynomial> Grows;
    Polynomial Others = constant(C);
    for (const std::string &F : Factors) {
      std::optional<Polynomial> Own = Polynomial();
      if (F == std::string("item.") + Axis[Dimension])
        Own = constant(1);
      else if (std::optional<unsigned> V = variableOf(F); V && !Counters.count(*V) && Inits[*V]) {
        if (isFixed(*V))
          Own = slopeOf(*Inits[*V], Dimension);
        else if (dependsOnMemory(*Inits[*V], /*OrPlace=*/true))
          Own = std::nullopt;
      } else if (StringRef(F).starts_with("threadIdx")) {
        Own = std::nullopt;
      }
      if (!Own)
        return std::nullopt;
      if (Own->empty()) {
        Others = *product(Others, factor(F));
        continue;
      }
      if (Grows)
        return std::nullopt; // the square of it, or the like
      Grows = Own;
    }
    if (!Grows)
      continue;
    std::optional<Polynomial> Term = product(Others, *Grows);
    std::optional<Polynomial> Whole = Term ? sum(Sum, *Term, 1) : std::nullopt;
    if (!Whole)
      return std::nullopt;
    Sum = *Whole;
  }
  return Sum;
}

std::optional<Polynomial> KernelSource::slopeOf(const BodyNode &E, unsigned Dimension) const {
  if (std::optional<Polynomial> P = form(E))
    return slope(*P, Dimension);
  if (!dependsOnMemory(E, /*OrPlace=*/true))
    return Polynomial();
  if (E.Kind == NodeKind::Cast && E.Type.isInteger())
    return slopeOf(*E.child(0), Dimension);
  if (E.Kind == NodeKind::Binary && (E.Text == "+" || E.Text == "-")) {
    std::optional<Polynomial> A = slopeOf(*E.child(0), Dimension),
                              B = slopeOf(*E.child(1), Dimension);
    return A && B ? sum(*A, *B, E.Text == "+" ? 1 : -1) : std::nullopt;
  }
  return std::nullopt;
}

std::string KernelSource::builtinName(const BodyNode &E) const {
  return (OnlyBlocks[E.Number] ? "item" : E.Text) + "." + Axis[E.Number];
}

std::optional<Polynomial> KernelSource::form(const BodyNode &E) const {
  return rawForm(E, [&](const BodyNode &Leaf) -> std::optional<Polynomial> {
    if (Leaf.Kind == NodeKind::Builtin)
      return factor(builtinName(Leaf));
    const BodyVariable &V = Body.Variables[Leaf.Variable];
    if (!V.Type.isInteger() || V.IsShared)
      return std::nullopt;
    // What stands for it may not change while it lives.
    if (isFixed(Leaf.Variable) && Inits[Leaf.Variable])
      if (std::optional<Polynomial> P = form(*Inits[Leaf.Variable]); P && isStable(*P))
        return P;
    return factor(factorOf(Leaf.Variable));
  });
}

void KernelSource::findItems(const BodyNode &N) {
  if (N.Kind == NodeKind::Builtin) {
    (OnlyBlocks[N.Number] ? Items : Uncovered).push_back(&N);
    return;
  }
  if (N.Kind == NodeKind::Binary && N.Type.isInteger()) {
    auto P = rawForm(N, [&](const BodyNode &Leaf) -> std::optional<Polynomial> {
      return Leaf.Kind == NodeKind::Builtin ? std::optional(factor(builtinName(Leaf)))
                                            : std::nullopt;
    });
    if (P && P->size() == 1 && P->begin()->second == 1 && P->begin()->first.size() == 1 &&
        StringRef(P->begin()->first[0]).starts_with("item")) {
      Items.push_back(&N);
      return;
    }
  }
  for (const auto &Child : N.Children)
    if (Child)
      findItems(*Child);
}

std::optional<std::pair<unsigned, Polynomial>> KernelSource::pointer(const BodyNode &E) const {
  switch (E.Kind) {
  case NodeKind::Reference: {
    const BodyVariable &V = Body.Variables[E.Variable];
    if (V.Type.Kind != ValueType::Pointer || !isFixed(E.Variable))
      return std::nullopt;
    if (V.Parameter >= 0)
      return std::pair(E.Variable, Polynomial());
    return Inits[E.Variable] ? pointer(*Inits[E.Variable]) : std::nullopt;
  }
  case NodeKind::Binary: {
    if (E.Text != "+" && E.Text != "-")
      return std::nullopt;
    bool Swapped = E.child(0)->Type.Kind != ValueType::Pointer;
    if (Swapped && E.Text == "-")
      return std::nullopt;
    auto Base = pointer(*E.child(Swapped));
    auto Offset = form(*E.child(!Swapped));
    if (!Base || !Offset)
      return std::nullopt;
    auto Whole = sum(Base->second, *Offset, E.Text == "+" ? 1 : -1);
    return Whole ? std::optional(std::pair(Base->first, *Whole)) : std::nullopt;
  }
  case NodeKind::OtherExpression: {
    if (E.Text != "&" || E.child(0)->Kind != NodeKind::Subscript)
      return std::nullopt;
    auto Base = pointer(*E.child(0)->child(0));
    auto Offset = form(*E.child(0)->child(1));
    if (!Base || !Offset)
      return std::nullopt;
    auto Whole = sum(Base->second, *Offset, 1);
    return Whole ? std::optional(std::pair(Base->first, *Whole)) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// The parameter behind a pointer, even if the distance is no sum.
static std::optional<unsigned> rootOf(const KernelSource &S, const BodyNode &E) {
  if (E.Kind == NodeKind::Reference) {
    const BodyVariable &V = S.Body.Variables[E.Variable];
    if (V.Type.Kind != ValueType::Pointer || !S.isFixed(E.Variable))
      return std::nullopt;
    if (V.Parameter >= 0)
      return E.Variable;
    return S.initOf(E.Variable) ? rootOf(S, *S.initOf(E.Variable)) : std::nullopt;
  }
  if (E.Kind == NodeKind::Binary)
    return rootOf(S, *E.child(E.child(0)->Type.Kind != ValueType::Pointer));
  if (E.Kind == NodeKind::OtherExpression && E.Text == "&" &&
      E.child(0)->Kind == NodeKind::Subscript)
    return rootOf(S, *E.child(0)->child(0));
  return std::nullopt;
}

/// The memory access that an lvalue is or is a part of; null for a local variable. \p Member: the
/// part.
static const BodyNode *memoryOf(const BodyNode &N, std::string &Member) {
  const BodyNode *At = &N;
  for (;;) {
    if (At->Kind == NodeKind::Dereference)
      return At;
    if (At->Kind == NodeKind::Subscript) {
      if (At->child(0)->Type.Kind == ValueType::Pointer)
        return At;
      Member = "[]" + Member;
      At = At->child(0);
    } else if (At->Kind == NodeKind::Member) {
      Member = "." + At->Text + Member;
      At = At->child(0);
    } else {
      return nullptr;
    }
  }
}

void KernelSource::collect(const BodyNode &N, Context &C) {
  auto Each = [&](unsigned From) {
    for (size_t I = From; I < N.Children.size(); ++I)
      if (N.child(I))
        collect(*N.child(I), C);
  };
  auto Access = [&](const BodyNode &Lvalue, bool Reads, bool Writes) {
    std::string Member;
    const BodyNode *Memory = memoryOf(Lvalue, Member);
    // Indices on the way.
    for (const BodyNode *At = &Lvalue; At;) {
      if (At->Kind == NodeKind::Subscript)
        collect(*At->child(1), C);
      if (At == Memory || At->Children.empty())
        break;
      At = At->child(0);
    }
    if (!Memory)
      return;
    SourceAccess A;
    A.Node = Memory;
    A.Member = Member;
    A.Reads = Reads;
    A.Writes = Writes;
    A.Assignment = Writes ? &N : nullptr;
    A.Loops = C.Loops;
    A.Conditions = C.Conditions;
    std::optional<unsigned> Root = rootOf(*this, *Memory->child(0));
    if (!Root) {
      fail(*Memory, "an address does not start from a parameter");
      return;
    }
    A.Root = *Root;
    if (auto P = pointer(*Memory->child(0))) {
      if (Memory->Kind == NodeKind::Dereference)
        A.Index = P->second;
      else if (auto I = form(*Memory->child(1)))
        if (auto Whole = sum(P->second, *I, 1))
          A.Index = named(*Whole);
    }
    Accesses.push_back(std::move(A));
  };
  switch (N.Kind) {
  case NodeKind::If:
  case NodeKind::Conditional:
    collect(*N.child(0), C);
    for (unsigned I : {1u, 2u})
      if (N.child(I)) {
        C.Conditions.push_back({N.child(0), I == 1});
        collect(*N.child(I), C);
        C.Conditions.pop_back();
      }
    return;
  case NodeKind::For:
    if (N.child(0))
      collect(*N.child(0), C);
    C.Loops.push_back(&N);
    Each(1);
    C.Loops.pop_back();
    return;
  case NodeKind::While:
  case NodeKind::Do:
    C.Loops.push_back(&N);
    Each(0);
    C.Loops.pop_back();
    return;
  case NodeKind::Binary:
    collect(*N.child(0), C);
    if (N.Text == "&&" || N.Text == "||")
      C.Conditions.push_back({N.child(0), N.Text == "&&"});
    collect(*N.child(1), C);
    if (N.Text == "&&" || N.Text == "||")
      C.Conditions.pop_back();
    return;
  case NodeKind::Assign:
    collect(*N.child(1), C);
    Access(*N.child(0), N.Text != "=", true);
    return;
  case NodeKind::Unary:
    if (N.Text == "++" || N.Text == "--")
      Access(*N.child(0), true, true);
    else
      Each(0);
    return;
  case NodeKind::Subscript:
  case NodeKind::Dereference:
  case NodeKind::Member: {
    std::string Member;
    if (memoryOf(N, Member) || N.Kind != NodeKind::Member)
      Access(N, true, false);
    else
      Each(0);
    return;
  }
  case NodeKind::OtherExpression:
    if (N.Text == "&" && N.child(0) && N.child(0)->Kind == NodeKind::Subscript &&
        rootOf(*this, N)) {
      collect(*N.child(0)->child(1), C); // an address is no access
      return;
    }
    Each(0);
    return;
  default:
    Each(0);
    return;
  }
}

std::optional<CountedLoop> KernelSource::countedLoop(const BodyNode &For) const {
  if (For.Kind != NodeKind::For || !For.child(0) || !For.child(1) || !For.child(2))
    return std::nullopt;
  CountedLoop L;
  L.For = &For;
  const BodyNode *Init = For.child(0);
  if (Init->Kind != NodeKind::Declares || Init->Children.size() != 1 ||
      Init->child(0)->Kind != NodeKind::Declare || !Init->child(0)->child(0))
    return std::nullopt;
  L.Variable = Init->child(0)->Variable;
  L.From = Init->child(0)->child(0);
  const BodyVariable &V = Body.Variables[L.Variable];
  if (!V.Type.isInteger() || V.Type.Kind == ValueType::Bool || V.Type.Bytes < 4)
    return std::nullopt;
  auto IsVariable = [&](const BodyNode &E) {
    const BodyNode *N = &E;
    while (N->Kind == NodeKind::Cast && N->IsImplicit && N->Type.Bytes >= N->child(0)->Type.Bytes)
      N = N->child(0);
    return N->Kind == NodeKind::Reference && N->Variable == L.Variable;
  };
  const BodyNode *Inc = For.child(2);
  if (Inc->Kind == NodeKind::Unary && (Inc->Text == "++" || Inc->Text == "--")) {
    L.Down = Inc->Text == "--";
  } else if (Inc->Kind == NodeKind::Assign && (Inc->Text == "+=" || Inc->Text == "-=")) {
    L.Down = Inc->Text == "-=";
    L.Step = Inc->child(1);
  } else {
    return std::nullopt;
  }
  if (!IsVariable(*Inc->child(0)) ||
      assignmentsOf(L.Variable) != std::vector<const BodyNode *>{Inc})
    return std::nullopt;
  if (L.Step && L.Step->Kind == NodeKind::Integer && L.Step->Number == 1)
    L.Step = nullptr;

  std::vector<const BodyNode *> Parts{For.child(1)};
  while (!Parts.empty()) {
    const BodyNode *Part = Parts.back();
    Parts.pop_back();
    if (Part->Kind == NodeKind::Binary && Part->Text == "&&") {
      Parts.push_back(Part->child(1));
      Parts.push_back(Part->child(0));
      continue;
    }
    if (Part->Kind != NodeKind::Binary)
      return std::nullopt;
    std::string Operator = Part->Text;
    const BodyNode *To = Part->child(1);
    if (!IsVariable(*Part->child(0))) {
      if (!IsVariable(*Part->child(1)) || Operator.empty())
        return std::nullopt;
      To = Part->child(0);
      Operator[0] = Operator[0] == '<' ? '>' : Operator[0] == '>' ? '<' : Operator[0];
    }
    const std::string Strict = L.Down ? ">" : "<";
    if (Operator != Strict && Operator != Strict + "=")
      return std::nullopt;
    L.Bounds.push_back({To, Operator != Strict});
  }
  return L;
}

bool KernelSource::isPure(const BodyNode &E) const {
  bool Pure = true;
  visit(E, [&](const BodyNode &N) {
    switch (N.Kind) {
    case NodeKind::Assign:
    case NodeKind::OtherStatement:
      Pure = false;
      break;
    case NodeKind::OtherExpression:
      Pure &= N.Text == "&";
      break;
    case NodeKind::Unary:
      Pure &= N.Text != "++" && N.Text != "--";
      break;
    case NodeKind::Call:
      Pure &= N.Pure;
      break;
    default:
      break;
    }
    return Pure;
  });
  return Pure;
}

bool KernelSource::reads(const BodyNode &E) const {
  bool Found = false;
  visit(E, [&](const BodyNode &N) {
    std::string Member;
    Found |=
        (N.Kind == NodeKind::Subscript || N.Kind == NodeKind::Dereference) && memoryOf(N, Member);
    return !Found;
  });
  return Found;
}
