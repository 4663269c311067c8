//===- AccessPattern.cpp --------------------------------------------------===//

#include "hk/Facts/AccessPattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <array>
#include <map>
#include <set>
#include <tuple>

using namespace llvm;
using namespace hk;

namespace {

constexpr unsigned WaveSize = 64;
constexpr int64_t LineBytes = 128;
constexpr unsigned MaxBytes = 16; ///< of one access of a lane

using Polynomial = std::map<std::vector<std::string>, int64_t>;

const char *const ThreadIdx[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
const char *const BlockDim[] = {"blockDim.x", "blockDim.y", "blockDim.z"};

/// The work-items of a wavefront: the first of its workgroup.
std::vector<std::array<unsigned, 3>> lanesOf(const WorkgroupShape &Shape) {
  // What is not known is taken to be large.
  unsigned X = Shape.Dim[0].value_or(WaveSize), Y = Shape.Dim[1].value_or(WaveSize);
  std::vector<std::array<unsigned, 3>> Lanes;
  uint64_t Items = uint64_t(X) * Y * Shape.Dim[2].value_or(WaveSize);
  for (unsigned L = 0; L != WaveSize && L < Items; ++L)
    Lanes.push_back({L % X, L / X % Y, L / X / Y});
  return Lanes;
}

/// Numbers in place of block sizes that are known.
Polynomial withShape(const Polynomial &P, const WorkgroupShape &Shape) {
  Polynomial Out;
  for (const auto &[Factors, C] : P) {
    int64_t Number = C;
    std::vector<std::string> Rest;
    for (const std::string &F : Factors) {
      auto *At = find(BlockDim, F);
      if (At != std::end(BlockDim) && Shape.Dim[At - BlockDim])
        Number *= *Shape.Dim[At - BlockDim];
      else
        Rest.push_back(F);
    }
    if ((Out[Rest] += Number) == 0)
      Out.erase(Rest);
  }
  return Out;
}

/// What one more in the factor \p Name adds to the sum.
Polynomial coefficientOf(const Polynomial &P, const std::string &Name) {
  Polynomial Out;
  for (const auto &[Factors, C] : P) {
    if (count(Factors, Name) != 1)
      continue;
    std::vector<std::string> Rest = Factors;
    Rest.erase(find(Rest, Name));
    Out[Rest] += C;
  }
  return Out;
}

/// A polynomial that is a number.
std::optional<int64_t> numberOf(const Polynomial &P) {
  if (P.empty())
    return 0;
  if (P.size() == 1 && P.begin()->first.empty())
    return P.begin()->second;
  return std::nullopt;
}

std::string textOf(const Polynomial &P) {
  std::string Text;
  for (const auto &[Factors, C] : P) {
    std::string Term = C == 1 && !Factors.empty() ? join(Factors, "*") : itostr(C);
    if (C != 1 && !Factors.empty())
      Term += "*" + join(Factors, "*");
    Text += (Text.empty() ? "" : " + ") + Term;
  }
  return Text.empty() ? "0" : Text;
}

/// The address of a lane, but for what all lanes share: a number, and sums of arguments times its indices.
std::pair<Polynomial, int64_t> placeOf(const Polynomial &Address, const std::array<unsigned, 3> &Lane) {
  Polynomial Symbols;
  int64_t Number = 0;
  for (const auto &[Factors, C] : Address) {
    int64_t Value = C;
    bool Varies = false;
    std::vector<std::string> Rest;
    for (const std::string &F : Factors) {
      auto *At = find(ThreadIdx, F);
      if (At == std::end(ThreadIdx)) {
        Rest.push_back(F);
        continue;
      }
      Value *= Lane[At - ThreadIdx];
      Varies = true;
    }
    if (Rest.empty())
      Number += Value;
    else if (Varies && Value)
      Symbols[Rest] += Value;
  }
  return {Symbols, Number};
}

int64_t lineOf(int64_t Byte) { return Byte >= 0 ? Byte / LineBytes : -((-Byte + LineBytes - 1) / LineBytes); }

void countLines(AccessPattern &P, const Polynomial &Address, ArrayRef<std::array<unsigned, 3>> Lanes) {
  // Lanes whose symbolic parts differ are taken to be on different lines.
  std::set<std::pair<Polynomial, int64_t>> Lines, Bytes;
  for (const std::array<unsigned, 3> &Lane : Lanes) {
    auto [Symbols, First] = placeOf(Address, Lane);
    for (int64_t Byte = First; Byte != First + int64_t(P.Bytes); ++Byte) {
      Bytes.insert({Symbols, Byte});
      Lines.insert({Symbols, lineOf(Byte)});
    }
  }
  P.Lines = Lines.size();
  P.Fewest = (Bytes.size() + LineBytes - 1) / LineBytes;
}

/// Whether work-items of the workgroup may disagree on whether \p B runs.
bool isPartial(const KernelFacts &K, const BasicBlock *B) {
  for (const DomTreeNode *N = K.DT.getNode(B)->getIDom(); N; N = N->getIDom())
    if (!K.PDT.dominates(B, N->getBlock()) && !K.uniformity().branchIsUniform(*N->getBlock()))
      return true;
  return false;
}

/// Whether lanes that are \p Stride apart may have as many elements each as the loop around the access has trips: not if
/// the trips are known and differ by more than a number, as those over a row with a pitch do.
bool isBlock(const KernelFacts &K, const Loop &L, const Polynomial &Stride, unsigned Bytes, const WorkgroupShape &Shape) {
  if (numberOf(Stride))
    return true;
  const SCEV *Taken = K.SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken))
    return true;
  bool AtTop = L.getExitingBlock() == L.getHeader() && L.getLoopLatch() != L.getHeader();
  const SCEV *Trips = AtTop ? Taken : K.SE.getAddExpr(Taken, K.SE.getOne(Taken->getType()));
  if (auto *Max = dyn_cast<SCEVMinMaxExpr>(Trips);
      Max && Max->getNumOperands() == 2 && isa<SCEVConstant>(Max->getOperand(0)))
    Trips = Max->getOperand(1);
  AffineForm Form = affineForm(K, Trips);
  if (!Form.known())
    return true;
  Polynomial Share;
  for (const auto &[Factors, C] : withShape(Form.Terms, Shape))
    if (!Factors.empty())
      Share[Factors] = C * Bytes;
  return Share == Stride;
}

struct Candidate {
  const KernelAccess *Access;
  AffineForm Form;
  Polynomial Varying; ///< the address without its constant
  int64_t Constant = 0;
};

class Classifier {
public:
  explicit Classifier(const KernelFacts &K)
      : K(K), Shape(workgroupShape(K.TU, K.K, /*AssumeLaunches=*/true)), Lanes(lanesOf(Shape)) {
    for (const KernelAccess &A : K.Accesses) {
      bool Global = A.Space == MemorySpace::Global || (A.Space == MemorySpace::Generic && !K.Objects[A.Object].isLds());
      if (!Global || A.Fence || !A.Pointer || !A.Bytes)
        continue;
      Candidate C{&A, addressForm(K, A), {}, 0};
      C.Varying = withShape(C.Form.Terms, Shape);
      if (auto At = C.Varying.find({}); At != C.Varying.end()) {
        C.Constant = At->second;
        C.Varying.erase(At);
      }
      All.push_back(std::move(C));
    }
  }

  std::vector<AccessPattern> run() {
    std::vector<AccessPattern> Patterns;
    for (const std::vector<const Candidate *> &Group : groups())
      Patterns.push_back(classify(Group));
    llvm::sort(Patterns, [](const AccessPattern &A, const AccessPattern &B) {
      return A.Accesses.front() < B.Accesses.front();
    });
    return Patterns;
  }

private:
  const KernelFacts &K;
  WorkgroupShape Shape;
  std::vector<std::array<unsigned, 3>> Lanes;
  std::vector<Candidate> All;

  /// Same object and sum but for the constant.
  static bool areSiblings(const Candidate &A, const Candidate &B) {
    return A.Form.known() && B.Form.known() && A.Access->Object == B.Access->Object && A.Varying == B.Varying;
  }

  /// Whether the compiler may move two siblings of a basic block together: nothing between them that may be the same
  /// memory, one of them a write.
  bool mayMerge(const Candidate &A, const Candidate &B) const {
    if (A.Access->Effect != B.Access->Effect || A.Access->Effect == AccessEffect::Atomic || A.Access->Volatile ||
        B.Access->Volatile || A.Access->Bytes < 4 || B.Access->Bytes < 4 ||
        A.Access->Inst->getParent() != B.Access->Inst->getParent() || !areSiblings(A, B))
      return false;
    const Candidate &First = A.Access->Inst->comesBefore(B.Access->Inst) ? A : B, &Second = &First == &A ? B : A;
    return none_of(All, [&](const Candidate &X) {
      return X.Access->Inst->getParent() == First.Access->Inst->getParent() &&
             First.Access->Inst->comesBefore(X.Access->Inst) && X.Access->Inst->comesBefore(Second.Access->Inst) &&
             !areSiblings(First, X) && (X.Access->writes() || Second.Access->writes()) &&
             K.mayShareObject(*X.Access, *Second.Access, /*AssumeNoAlias=*/false);
    });
  }

  /// Elements of at least a word that lie side by side are one access for the compiler, up to 16 bytes of a basic block.
  std::vector<std::vector<const Candidate *>> groups() const {
    std::vector<std::vector<const Candidate *>> Groups;
    std::set<const Candidate *> Done;
    for (const Candidate &C : All) {
      if (!Done.insert(&C).second)
        continue;
      std::vector<const Candidate *> Members{&C};
      for (const Candidate &D : All)
        if (!Done.count(&D) && all_of(Members, [&](const Candidate *M) { return mayMerge(*M, D); }))
          Members.push_back(&D);
      llvm::sort(Members, [](const Candidate *A, const Candidate *B) {
        return std::pair(A->Constant, A->Access->Id) < std::pair(B->Constant, B->Access->Id);
      });
      std::vector<const Candidate *> Run;
      auto Flush = [&] {
        if (!Run.empty())
          Groups.push_back(Run);
        Run.clear();
      };
      for (const Candidate *M : Members) {
        Done.insert(M);
        if (!Run.empty()) {
          const Candidate *Last = Run.back();
          bool Next = M->Constant == Last->Constant + int64_t(Last->Access->Bytes);
          if (!Next || M->Constant + M->Access->Bytes - Run.front()->Constant > MaxBytes)
            Flush();
        }
        Run.push_back(M);
      }
      Flush();
    }
    return Groups;
  }

  AccessPattern classify(ArrayRef<const Candidate *> Group) const {
    const Candidate &C = *Group.front();
    AccessPattern P;
    for (const Candidate *M : Group)
      P.Accesses.push_back(M->Access->Id);
    llvm::sort(P.Accesses);
    const Candidate &Last = *Group.back();
    P.Bytes = Last.Constant + Last.Access->Bytes - C.Constant;
    P.Partial = isPartial(K, C.Access->Inst->getParent());
    if (!C.Form.known()) {
      P.Unknown = C.Form.Unknown;
      P.Class = StringRef(P.Unknown).starts_with("a value loaded from memory") ? AccessClass::Gathered
                                                                               : AccessClass::Unknown;
      return P;
    }
    Polynomial Address = C.Varying;
    if (C.Constant)
      Address[{}] = C.Constant;
    countLines(P, Address, Lanes);
    const Polynomial Stride = coefficientOf(Address, ThreadIdx[0]);
    P.Stride = textOf(Stride);
    P.Class = classOf(C, P, Address, Stride);
    return P;
  }

  AccessClass classOf(const Candidate &C, AccessPattern &P, const Polynomial &Address, const Polynomial &Stride) const {
    const std::optional<int64_t> Number = numberOf(Stride);
    if (Number == 0)
      return AccessClass::Uniform;
    if (Number && std::abs(*Number) <= int64_t(P.Bytes))
      return AccessClass::Coalesced;
    auto Reaches = [&](const std::string &Name) {
      auto Step = numberOf(coefficientOf(Address, Name));
      return Step && *Step && std::abs(*Step) <= int64_t(P.Bytes);
    };
    for (int Dim : {1, 2})
      if (Reaches(ThreadIdx[Dim])) {
        P.Contiguous = Dim;
        return AccessClass::Transposed;
      }
    const Loop *L = K.LI.getLoopFor(C.Access->Inst->getParent());
    if (L && Reaches("L" + std::to_string(loopNumber(K, L))) && isBlock(K, *L, Stride, P.Bytes, Shape))
      return AccessClass::Blocked;
    if (!Number)
      return AccessClass::StridedSymbolic;
    bool Siblings = any_of(All, [&](const Candidate &D) {
      return D.Constant != C.Constant && areSiblings(C, D) && std::abs(D.Constant - C.Constant) < std::abs(*Number);
    });
    return Siblings ? AccessClass::ArrayOfStructs : AccessClass::StridedConstant;
  }
};

} // namespace

const char *hk::nameOf(AccessClass C) {
  switch (C) {
  case AccessClass::Uniform:
    return "uniform";
  case AccessClass::Coalesced:
    return "coalesced";
  case AccessClass::StridedConstant:
  case AccessClass::StridedSymbolic:
    return "strided";
  case AccessClass::Blocked:
    return "blocked";
  case AccessClass::ArrayOfStructs:
    return "in an array of structs";
  case AccessClass::Transposed:
    return "transposed";
  case AccessClass::Gathered:
    return "gathered";
  case AccessClass::Unknown:
    return "not classed";
  }
  return "";
}

std::vector<AccessPattern> hk::accessPatterns(const KernelFacts &K) { return Classifier(K).run(); }
