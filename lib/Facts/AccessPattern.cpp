//===- AccessPattern.cpp --------------------------------------------------===//

#include "hk/Facts/AccessPattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
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

/// The address of a lane, but for what all lanes share: a number, and sums of arguments times its
/// indices.
std::pair<Polynomial, int64_t> placeOf(const Polynomial &Address,
                                       const std::array<unsigned, 3> &Lane) {
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

int64_t lineOf(int64_t Byte) {
  return Byte >= 0 ? Byte / LineBytes : -((-Byte + LineBytes - 1) / LineBytes);
}

/// The lines that lanes touch, and the fewest that hold as many bytes.
std::pair<unsigned, unsigned> countLines(const Polynomial &Address, unsigned BytesOfLane,
                                         ArrayRef<std::array<unsigned, 3>> Lanes) {
  // Lanes whose symbolic parts differ are taken to be on different lines.
  std::map<Polynomial, unsigned> Symbolic;
  std::set<std::pair<unsigned, int64_t>> Lines, Bytes;
  for (const std::array<unsigned, 3> &Lane : Lanes) {
    auto [Symbols, First] = placeOf(Address, Lane);
    unsigned Id = Symbolic.try_emplace(Symbols, Symbolic.size()).first->second;
    for (int64_t Byte = First; Byte != First + int64_t(BytesOfLane); ++Byte)
      Bytes.insert({Id, Byte});
    for (int64_t Line = lineOf(First); Line <= lineOf(First + BytesOfLane - 1); ++Line)
      Lines.insert({Id, Line});
  }
  return {unsigned(Lines.size()), unsigned((Bytes.size() + LineBytes - 1) / LineBytes)};
}

/// Whether work-items of the workgroup may disagree on whether \p B runs.
bool isPartial(const KernelFacts &K, const BasicBlock *B) {
  for (const DomTreeNode *N = K.DT.getNode(B)->getIDom(); N; N = N->getIDom())
    if (!K.PDT.dominates(B, N->getBlock()) && !K.uniformity().branchIsUniform(*N->getBlock()))
      return true;
  return false;
}

/// Whether lanes that are \p Stride apart may have as many elements each as the loop around the
/// access has trips: not if the trips are known and differ by more than a number, as those over a
/// row with a pitch do.
bool isBlock(const KernelFacts &K, const Loop &L, const Polynomial &Stride, unsigned Bytes,
             const WorkgroupShape &Shape) {
  if (numberOf(Stride))
    return true;
  AffineForm Form = tripCount(K, L);
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
  int64_t Constant = 0;
  unsigned Sum =
      0; ///< number of the sum without its constant; siblings have the same, and the same object
  unsigned Position = 0; ///< in its basic block
};

/// Positions of a block that siblings cannot be moved across.
using Obstacles = std::vector<unsigned>;

class Classifier {
public:
  explicit Classifier(const KernelFacts &K)
      : K(K), Shape(workgroupShape(K.TU, K.K, /*AssumeLaunches=*/true)), Lanes(lanesOf(Shape)) {
    for (const KernelAccess &A : K.Accesses) {
      bool Global = A.Space == MemorySpace::Global ||
                    (A.Space == MemorySpace::Generic && !K.Objects[A.Object].isLds());
      if (!Global || A.Fence || !A.Pointer || !A.Bytes)
        continue;
      Candidate C{&A, addressForm(K, A)};
      Polynomial Varying = withShape(C.Form.Terms, Shape);
      if (auto At = Varying.find({}); At != Varying.end()) {
        C.Constant = At->second;
        Varying.erase(At);
      }
      C.Sum = Sums.try_emplace(std::move(Varying), Sums.size()).first->second;
      All.push_back(std::move(C));
    }
    for (const auto &[Varying, Number] : Sums)
      SumOf[Number] = &Varying;
    for (Candidate &C : All) {
      Blocks[C.Access->Inst->getParent()].push_back(&C);
      if (C.Form.known())
        Constants[{C.Access->Object, C.Sum}].insert(C.Constant);
    }
    for (auto &[Block, Members] : Blocks) {
      llvm::sort(Members, [](const Candidate *A, const Candidate *B) {
        return A->Access->Inst->comesBefore(B->Access->Inst);
      });
      for (unsigned N = 0; N != Members.size(); ++N)
        Members[N]->Position = N;
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
  std::map<Polynomial, unsigned> Sums;
  std::map<unsigned, const Polynomial *> SumOf;
  std::map<const BasicBlock *, std::vector<Candidate *>> Blocks; ///< in program order
  std::map<std::pair<unsigned, unsigned>, std::set<int64_t>>
      Constants; ///< of siblings: by object and sum
  std::map<std::tuple<unsigned, int64_t, unsigned>, std::pair<unsigned, unsigned>> Counted;
  std::map<const BasicBlock *, bool> Partial;

  /// What the compiler does not move siblings of \p C across: what may be the same memory, if one
  /// of them writes.
  Obstacles obstaclesOf(const Candidate &C) const {
    Obstacles Out;
    for (const Candidate *X : Blocks.at(C.Access->Inst->getParent())) {
      bool Sibling = X->Form.known() && X->Access->Object == C.Access->Object && X->Sum == C.Sum;
      if (!Sibling && (X->Access->writes() || C.Access->writes()) &&
          K.mayShareObject(*X->Access, *C.Access, /*AssumeNoAlias=*/false))
        Out.push_back(X->Position);
    }
    return Out;
  }

  /// Elements of at least a word that lie side by side are one access for the compiler, up to 16
  /// bytes of a basic block.
  std::vector<std::vector<const Candidate *>> groups() const {
    std::vector<std::vector<const Candidate *>> Groups;
    // The order of the map's keys does not show: run() sorts.
    std::map<std::tuple<const BasicBlock *, unsigned, unsigned, AccessEffect>,
             std::vector<const Candidate *>>
        Siblings;
    for (const Candidate &C : All) {
      const KernelAccess &A = *C.Access;
      if (C.Form.known() && A.Bytes >= 4 && A.Effect != AccessEffect::Atomic && !A.Volatile)
        Siblings[{A.Inst->getParent(), A.Object, C.Sum, A.Effect}].push_back(&C);
      else
        Groups.push_back({&C});
    }
    for (auto &[Key, Members] : Siblings) {
      llvm::sort(Members, [](const Candidate *A, const Candidate *B) {
        return std::pair(A->Constant, A->Access->Id) < std::pair(B->Constant, B->Access->Id);
      });
      Obstacles Between = Members.size() > 1 ? obstaclesOf(*Members.front()) : Obstacles();
      std::vector<const Candidate *> Run;
      unsigned First = 0, Last = 0; // positions of the run
      for (const Candidate *M : Members) {
        if (!Run.empty()) {
          unsigned From = std::min(First, M->Position), To = std::max(Last, M->Position);
          auto Obstacle = llvm::upper_bound(Between, From);
          bool Free = Obstacle == Between.end() || *Obstacle >= To;
          bool Next = M->Constant == Run.back()->Constant + int64_t(Run.back()->Access->Bytes);
          if (!Free || !Next || M->Constant + M->Access->Bytes - Run.front()->Constant > MaxBytes) {
            Groups.push_back(std::move(Run));
            Run.clear();
          }
        }
        First = Run.empty() ? M->Position : std::min(First, M->Position);
        Last = Run.empty() ? M->Position : std::max(Last, M->Position);
        Run.push_back(M);
      }
      Groups.push_back(std::move(Run));
    }
    return Groups;
  }

  AccessPattern classify(ArrayRef<const Candidate *> Group) {
    const Candidate &C = *Group.front(), &Last = *Group.back();
    const BasicBlock *Block = C.Access->Inst->getParent();
    AccessPattern P;
    for (const Candidate *M : Group)
      P.Accesses.push_back(M->Access->Id);
    llvm::sort(P.Accesses);
    P.Bytes = Last.Constant + Last.Access->Bytes - C.Constant;
    auto [Known, New] = Partial.try_emplace(Block);
    if (New)
      Known->second = isPartial(K, Block);
    P.Partial = Known->second;
    if (!C.Form.known()) {
      P.Unknown = C.Form.Unknown;
      P.Class = C.Form.FromMemory ? AccessClass::Gathered : AccessClass::Unknown;
      return P;
    }
    Polynomial Address = *SumOf.at(C.Sum);
    const int64_t InLine = C.Constant - lineOf(C.Constant) * LineBytes;
    auto [Lines, Fresh] = Counted.try_emplace({C.Sum, InLine, P.Bytes});
    if (Fresh) {
      Polynomial Place = Address;
      if (InLine)
        Place[{}] = InLine;
      Lines->second = countLines(Place, P.Bytes, Lanes);
    }
    std::tie(P.Lines, P.Fewest) = Lines->second;
    const Polynomial Stride = coefficientOf(Address, ThreadIdx[0]);
    P.Stride = textOf(Stride);
    P.Class = classOf(C, P, Address, Stride);
    return P;
  }

  AccessClass classOf(const Candidate &C, AccessPattern &P, const Polynomial &Address,
                      const Polynomial &Stride) const {
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
    if (L && Reaches("L" + std::to_string(loopNumber(K, L))) &&
        isBlock(K, *L, Stride, P.Bytes, Shape))
      return AccessClass::Blocked;
    if (!Number)
      return AccessClass::StridedSymbolic;
    // A member less than a struct away.
    const std::set<int64_t> &Members = Constants.at({C.Access->Object, C.Sum});
    auto Next = Members.upper_bound(C.Constant), Own = Members.find(C.Constant);
    const int64_t Size = std::abs(*Number);
    bool Siblings = (Next != Members.end() && *Next - C.Constant < Size) ||
                    (Own != Members.begin() && C.Constant - *std::prev(Own) < Size);
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
