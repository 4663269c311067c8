//===- Conflicts.cpp ------------------------------------------------------===//

#include "hk/Facts/Conflicts.h"

#include "Terms.h"

#include "llvm/IR/Instructions.h"

#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace llvm;
using namespace hk;

namespace {

enum class Waves { Different, One };

void collectSymbols(const z3::expr &E, std::set<std::string> &Out, std::set<unsigned> &Seen) {
  if (!E.is_app() || !Seen.insert(E.id()).second)
    return;
  if (E.num_args() == 0) {
    if (E.decl().decl_kind() == Z3_OP_UNINTERPRETED)
      Out.insert(E.decl().name().str());
    return;
  }
  for (unsigned I = 0; I < E.num_args(); ++I)
    collectSymbols(E.arg(I), Out, Seen);
}

std::set<std::string> symbolsOf(const z3::expr &E) {
  std::set<std::string> Out;
  std::set<unsigned> Seen;
  collectSymbols(E, Out, Seen);
  return Out;
}

} // namespace

std::string hk::coordinates(const std::array<unsigned, 3> &I) {
  return "(" + std::to_string(I[0]) + "," + std::to_string(I[1]) + "," + std::to_string(I[2]) + ")";
}

std::string ConflictWitness::str() const {
  return "work-items " + coordinates(S) + " and " + coordinates(T);
}

struct ConflictChecker::State {
  const KernelFacts &K;
  ConflictOptions Opts;
  z3::context C;
  Terms Tr;
  std::map<AccessPair, ConflictAnswer> Cache;
  std::vector<unsigned> Same; ///< the first access that asks the same question
  unsigned Queries = 0, GaveUp = 0;
  unsigned Steps = 0; ///< for the next query
  uint64_t StepsBefore = 0;

  State(const KernelFacts &K, const ConflictOptions &Opts) : K(K), Opts(Opts), Tr(K, C) {}

  /// A load and a store of one element ask the same question as long as both matter: one pair stands for all that have
  /// the same pointers and blocks.
  AccessPair representative(AccessPair Pair) {
    if (Same.empty())
      for (const KernelAccess &A : K.Accesses) {
        unsigned I = 0;
        for (; I < A.Id; ++I) {
          const KernelAccess &B = K.Accesses[I];
          if (A.Pointer && A.Pointer == B.Pointer && A.Bytes == B.Bytes &&
              A.Inst->getParent() == B.Inst->getParent())
            break;
        }
        Same.push_back(I);
      }
    Pair.P = Same[Pair.P];
    Pair.Q = Same[Pair.Q];
    return Pair;
  }

  /// Steps that this context has used since it was last asked.
  uint64_t stepsSince(const z3::solver &S) {
    z3::stats Statistics = S.statistics();
    for (unsigned I = 0; I < Statistics.size(); ++I)
      if (Statistics.key(I) == "rlimit count") {
        uint64_t Now = Statistics.is_uint(I) ? Statistics.uint_value(I) : uint64_t(Statistics.double_value(I));
        return Now - std::exchange(StepsBefore, Now);
      }
    return 0;
  }

  z3::check_result checkCounted(z3::solver &S) {
    z3::check_result R = S.check();
    if (Opts.StepsLeft)
      *Opts.StepsLeft -= std::min(*Opts.StepsLeft, stepsSince(S));
    return R;
  }

  z3::solver makeSolver() {
    z3::solver S(C, z3::solver::simple());
    z3::params P(C);
    P.set("rlimit", Steps);
    P.set("random_seed", 0u);
    S.set(P);
    return S;
  }

  z3::check_result attempt(const z3::expr_vector &All, const z3::expr *Fixed, std::optional<z3::model> &Model) {
    z3::solver S = makeSolver();
    if (Fixed)
      S.add(*Fixed);
    for (const z3::expr &E : All)
      S.add(E);
    z3::check_result R = checkCounted(S);
    if (R == z3::sat)
      Model = S.get_model();
    return R;
  }

  /// As a whole first; if that is too hard, value by value of the loop variables that have few. A product with a loop
  /// variable is hard, with a constant it is easy.
  z3::check_result solve(const z3::expr_vector &All, std::optional<z3::model> &Model) {
    z3::check_result R = attempt(All, nullptr, Model);
    if (R != z3::unknown)
      return R;
    for (auto &[Symbol, Values] : Tr.orbits()) {
      if (Values.size() > 16)
        continue;
      R = z3::unsat;
      for (const z3::expr &V : Values) {
        z3::expr Fixed = Symbol == V;
        z3::check_result One = attempt(All, &Fixed, Model);
        if (One == z3::sat)
          return One;
        if (One == z3::unknown) {
          R = One;
          break;
        }
      }
      if (R == z3::unsat)
        return R;
    }
    return z3::unknown;
  }

  uint64_t evaluate(const z3::model &M, const z3::expr &E) {
    z3::expr V = M.eval(E, true);
    uint64_t N = 0;
    return V.is_numeral_u64(N) ? N : 0;
  }

  /// The addresses overlap. \p Symbols: what they are computed from.
  z3::expr overlap(const KernelAccess &P, const KernelAccess &Q, std::set<std::string> &Symbols) {
    // Unknown extents reach anywhere in the object.
    if (!P.Pointer || !Q.Pointer)
      return C.bool_val(true);
    PointerTerm A = Tr.pointer(P.Pointer, Tr.S), B = Tr.pointer(Q.Pointer, Tr.T);
    auto InBounds = [&](const KernelAccess &X, const PointerTerm &T) {
      if (T.Object < 0 || !K.Objects[T.Object].Size)
        return C.bool_val(true);
      uint64_t Size = *K.Objects[T.Object].Size, Bytes = X.Bytes ? X.Bytes : 1;
      if (Size < Bytes || T.Parts.empty())
        return C.bool_val(true);
      uint64_t Unit = T.unit();
      return z3::ule(T.scaled(C, Unit), C.bv_val(uint64_t((Size - Bytes) / Unit), 64));
    };
    z3::expr Bounds = InBounds(P, A) && InBounds(Q, B);
    // One object: compare offsets in the largest common unit. Otherwise compare absolute addresses in bytes.
    uint64_t Unit = 1;
    std::optional<z3::expr> X, Y;
    if (A.Object >= 0 && A.Object == B.Object) {
      if (A.Exact && B.Exact)
        Unit = std::gcd(A.unit(), B.unit());
      X = A.scaled(C, Unit).simplify();
      Y = B.scaled(C, Unit).simplify();
    } else {
      X = (A.Object >= 0 ? Tr.base(A.Object) + A.bytes(C) : A.bytes(C)).simplify();
      Y = (B.Object >= 0 ? Tr.base(B.Object) + B.bytes(C) : B.bytes(C)).simplify();
    }
    for (const z3::expr &E : {*X, *Y}) {
      auto S = symbolsOf(E);
      Symbols.insert(S.begin(), S.end());
    }
    if (!P.Bytes || !Q.Bytes)
      return Bounds;
    // [X, X+p) and [Y, Y+q) meet, in units. Few units: a disjunction of equalities solves far faster.
    uint64_t Reach = (Q.Bytes + Unit - 1) / Unit, Back = (P.Bytes + Unit - 1) / Unit;
    if (Reach + Back <= 18) {
      z3::expr Any = *X == *Y;
      for (uint64_t I = 1; I < Reach; ++I)
        Any = Any || *X == *Y + C.bv_val(I, 64);
      for (uint64_t I = 1; I < Back; ++I)
        Any = Any || *X + C.bv_val(I, 64) == *Y;
      return Bounds && Any;
    }
    z3::expr D = *X - *Y;
    return Bounds && (z3::ult(D, C.bv_val(Reach, 64)) || z3::ult(-D, C.bv_val(Back, 64)));
  }

  ConflictAnswer query(const AccessPair &Pair, Waves W, bool WantRobust) {
    ConflictAnswer Answer;
    const KernelAccess &P = K.Accesses[Pair.P], &Q = K.Accesses[Pair.Q];
    if (W == Waves::Different && K.Shape.MaxItems <= 64)
      return Answer;
    bool Spent = Opts.StepsLeft && !*Opts.StepsLeft;
    if (++Queries > Opts.MaxQueries || GaveUp >= Opts.MaxGivenUp || Spent) {
      Answer.Verdict = ConflictVerdict::Unknown;
      Answer.Why = Spent                         ? "the solver's budget for this file is used up"
                   : GaveUp >= Opts.MaxGivenUp ? "the solver gave up on too many indices of the kernel"
                                                 : "the kernel has too many pairs of accesses";
      return Answer;
    }
    Steps = WantRobust ? Opts.StepsPerRace : Opts.StepsPerQuery;
    try {
      Tr.begin(Pair);
      z3::expr Distinct = Tr.item('s', 0) != Tr.item('t', 0) || Tr.item('s', 1) != Tr.item('t', 1) ||
                          Tr.item('s', 2) != Tr.item('t', 2);
      z3::expr LinS = Tr.linear('s'), LinT = Tr.linear('t');
      z3::expr WaveS = z3::lshr(LinS, C.bv_val(6, 32)), WaveT = z3::lshr(LinT, C.bv_val(6, 32));
      z3::expr WaveCond = W == Waves::Different ? WaveS != WaveT : WaveS == WaveT;
      std::set<std::string> Symbols;
      z3::expr Over = overlap(P, Q, Symbols);
      z3::expr Guards = Tr.reached(Tr.S) && Tr.reached(Tr.T);
      if (Pair.NoBarrierToLatch)
        Guards = Guards && Tr.reachedLatch(P);
      Tr.finish();
      z3::expr_vector All(C);
      All.push_back(Distinct && WaveCond);
      All.push_back(Guards);
      for (const z3::expr &E : Tr.conditions())
        All.push_back(E);
      All.push_back(Over);
      std::optional<z3::model> Model;
      z3::check_result R = solve(All, Model);
      if (R == z3::unsat)
        return Answer;
      if (R == z3::unknown) {
        ++GaveUp;
        Answer.Verdict = ConflictVerdict::Unknown;
        Answer.Why = "the solver gave up on the indices";
        return Answer;
      }
      z3::model M = *Model;
      Answer.Verdict = W == Waves::Different ? ConflictVerdict::Conflict : ConflictVerdict::OneWave;
      Answer.HasWitness = true;
      for (unsigned D = 0; D < 3; ++D) {
        Answer.Witness.S[D] = evaluate(M, Tr.item('s', D));
        Answer.Witness.T[D] = evaluate(M, Tr.item('t', D));
      }
      bool Pointers = P.Pointer && Q.Pointer && P.Bytes && Q.Bytes;
      Answer.Witness.Exact = Pointers;
      for (const std::string &Name : Symbols)
        if (Tr.isHavoc(Name))
          Answer.Witness.Exact = false;
      for (const std::string &Name : symbolsOf(Over && Guards)) {
        std::string Text = Tr.spelling(Name);
        if (Text.empty() || Text == "a value")
          continue;
        for (unsigned I = 0; I < M.num_consts(); ++I) {
          z3::func_decl Decl = M.get_const_decl(I);
          if (Decl.name().str() == Name)
            Answer.Witness.Values.push_back({Text, evaluate(M, Decl())});
        }
      }
      if (WantRobust && Answer.Witness.Exact) {
        // Keep the two items and their iterations; let the launch choose everything else. If some choice reaches both
        // accesses without a collision, the collision depends on it.
        z3::solver S = makeSolver();
        S.add(Guards);
        for (const z3::expr &E : Tr.conditions())
          S.add(E);
        for (const std::string &Name : symbolsOf(Over && Guards && Distinct && WaveCond))
          if (!Tr.isInput(Name) && !Tr.isHavoc(Name))
            for (unsigned I = 0; I < M.num_consts(); ++I)
              if (z3::func_decl Decl = M.get_const_decl(I); Decl.name().str() == Name)
                S.add(Decl() == M.eval(Decl(), true));
        S.add(!Over);
        Answer.Witness.Robust = checkCounted(S) == z3::unsat;
      }
    } catch (z3::exception &E) {
      Answer.Verdict = ConflictVerdict::Unknown;
      Answer.Why = std::string("the solver failed: ") + E.msg();
    }
    return Answer;
  }
};

ConflictChecker::ConflictChecker(const KernelFacts &K, const ConflictOptions &Opts)
    : St(std::make_unique<State>(K, Opts)) {}
ConflictChecker::~ConflictChecker() = default;
unsigned ConflictChecker::queries() const { return St->Queries; }

bool ConflictChecker::mayRace(unsigned P, unsigned Q) const {
  const KernelAccess &A = St->K.Accesses[P], &B = St->K.Accesses[Q];
  return matters(P, Q) && !(A.Effect == AccessEffect::Atomic && B.Effect == AccessEffect::Atomic);
}

bool ConflictChecker::matters(unsigned P, unsigned Q) const {
  const KernelAccess &A = St->K.Accesses[P], &B = St->K.Accesses[Q];
  if (A.Fence || B.Fence || (!A.writes() && !B.writes()))
    return false;
  // Two atomics do not race, but their order shows, unless both do the same commuting operation and nobody looks at
  // the old value.
  if (A.Effect == AccessEffect::Atomic && B.Effect == AccessEffect::Atomic) {
    auto *X = dyn_cast<AtomicRMWInst>(A.Inst), *Y = dyn_cast<AtomicRMWInst>(B.Inst);
    if (X && Y && X->getOperation() == Y->getOperation() && X->use_empty() && Y->use_empty()) {
      switch (X->getOperation()) {
      case AtomicRMWInst::Add:
      case AtomicRMWInst::Sub:
      case AtomicRMWInst::FAdd:
      case AtomicRMWInst::FSub:
      case AtomicRMWInst::And:
      case AtomicRMWInst::Or:
      case AtomicRMWInst::Xor:
      case AtomicRMWInst::Min:
      case AtomicRMWInst::Max:
      case AtomicRMWInst::UMin:
      case AtomicRMWInst::UMax:
      case AtomicRMWInst::FMin:
      case AtomicRMWInst::FMax:
        return false;
      default:
        break;
      }
    }
  }
  return St->K.mayShareObject(A, B, St->Opts.AssumeNoAlias);
}

const ConflictAnswer &ConflictChecker::check(const AccessPair &Pair) {
  auto [It, New] = St->Cache.try_emplace(St->representative(Pair));
  ConflictAnswer &A = It->second;
  if (!New)
    return A;
  A = St->query(Pair, Waves::Different, false);
  if (A.Verdict == ConflictVerdict::None) {
    A = St->query(Pair, Waves::One, false);
    // Different wavefronts are proved apart: at worst the pair collides within one.
    if (A.Verdict == ConflictVerdict::Unknown)
      A.Verdict = ConflictVerdict::OneWave;
  }
  if (A.HasWitness && !A.Witness.Exact) {
    // Within one wavefront is proved either way; only a claimed collision needs exact addresses.
    if (A.Verdict == ConflictVerdict::Conflict) {
      A.Verdict = ConflictVerdict::Unknown;
      A.Why = "an index is computed from values the analysis does not track";
    }
  }
  return A;
}

ConflictAnswer ConflictChecker::race(const AccessPair &Pair, bool DifferentWaves) {
  if (!mayRace(Pair.P, Pair.Q))
    return {};
  St->Tr.Seen = St->Opts.SeenShape ? &*St->Opts.SeenShape : nullptr;
  ConflictAnswer A = St->query(Pair, DifferentWaves ? Waves::Different : Waves::One, true);
  St->Tr.Seen = nullptr;
  return A;
}
