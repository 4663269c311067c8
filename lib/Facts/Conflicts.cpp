//===- Conflicts.cpp ------------------------------------------------------===//

#include "hk/Facts/Conflicts.h"

#include "Terms.h"

#include "hk/Facts/DevicePipeline.h"
#include "hk/Facts/Uniformity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace llvm;
using namespace hk;

namespace {

enum class Waves { Different, One };

using Symbols = std::map<std::string, z3::expr>;

void collectSymbols(const z3::expr &E, Symbols &Out, std::set<unsigned> &Seen) {
  if (!E.is_app() || !Seen.insert(E.id()).second)
    return;
  if (E.num_args() == 0) {
    if (E.decl().decl_kind() == Z3_OP_UNINTERPRETED)
      Out.emplace(E.decl().name().str(), E);
    return;
  }
  for (unsigned I = 0; I < E.num_args(); ++I)
    collectSymbols(E.arg(I), Out, Seen);
}

Symbols symbolsOf(const z3::expr &E) {
  Symbols Out;
  std::set<unsigned> Seen;
  collectSymbols(E, Out, Seen);
  return Out;
}

/// A query's terms may not make a larger circuit than this.
constexpr uint64_t MaxGates = 100000;
/// Numbers that the launch chooses are taken to be below this power of two where races are looked for.
constexpr unsigned PlausibleBits = 24;
/// Making a gate takes about as long as this many steps of the search.
constexpr uint64_t GateSteps = 4;

/// Gates of the circuit that the solver makes of a term, roughly. Its own step count leaves this work out.
uint64_t circuitSize(const z3::expr &E, std::set<unsigned> &Seen) {
  if (!E.is_app() || !Seen.insert(E.id()).second)
    return 0;
  uint64_t Bits = E.is_bv() ? E.get_sort().bv_size() : 1, Gates = 0;
  unsigned Args = E.num_args();
  if (Args && E.arg(0).is_bv())
    Bits = std::max<uint64_t>(Bits, E.arg(0).get_sort().bv_size());
  switch (E.decl().decl_kind()) {
  case Z3_OP_BMUL: {
    unsigned Variable = 0;
    for (unsigned I = 0; I < Args; ++I)
      Variable += !E.arg(I).is_numeral();
    Gates = Variable > 1 ? Bits * Bits * (Variable - 1) : 4 * Bits;
    break;
  }
  case Z3_OP_BUDIV:
  case Z3_OP_BSDIV:
  case Z3_OP_BUREM:
  case Z3_OP_BSREM:
  case Z3_OP_BUDIV_I:
  case Z3_OP_BSDIV_I:
  case Z3_OP_BUREM_I:
  case Z3_OP_BSREM_I:
    Gates = 3 * Bits * Bits;
    break;
  case Z3_OP_BSHL:
  case Z3_OP_BLSHR:
  case Z3_OP_BASHR:
    Gates = E.arg(1).is_numeral() ? 0 : 6 * Bits;
    break;
  case Z3_OP_CONCAT:
  case Z3_OP_EXTRACT:
  case Z3_OP_SIGN_EXT:
  case Z3_OP_ZERO_EXT:
  case Z3_OP_BNUM:
  case Z3_OP_UNINTERPRETED:
    break;
  default:
    Gates = Bits;
  }
  for (unsigned I = 0; I < Args; ++I)
    Gates += circuitSize(E.arg(I), Seen);
  return Gates;
}

uint64_t circuitSize(const z3::expr_vector &All) {
  std::set<unsigned> Seen;
  uint64_t Gates = 0;
  for (const z3::expr &E : All)
    Gates += circuitSize(E, Seen);
  return Gates;
}

} // namespace

namespace {
/// While it lives, terms are made for reports.
struct ReportMode {
  Terms &Tr;
  ReportMode(Terms &Tr, const ConflictOptions &Opts) : Tr(Tr) {
    Tr.Reporting = true;
    Tr.Seen = Opts.SeenShape ? &*Opts.SeenShape : nullptr;
  }
  ~ReportMode() {
    Tr.Reporting = false;
    Tr.Seen = nullptr;
  }
};
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
  uint64_t *Budget = nullptr; ///< that the next query is charged to; null: none
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

  void charge(uint64_t Steps) {
    if (Budget)
      *Budget -= std::min(*Budget, Steps);
  }

  z3::check_result checkCounted(z3::solver &S) {
    z3::check_result R = S.check();
    charge(stepsSince(S));
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
    uint64_t Gates = circuitSize(All);
    charge(GateSteps * Gates);
    z3::check_result R = Gates > MaxGates ? z3::unknown : checkCounted(S);
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

  /// The addresses overlap. \p From: what they are computed from.
  z3::expr overlap(const KernelAccess &P, const KernelAccess &Q, Symbols &From) {
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
      From.insert(S.begin(), S.end());
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

  /// What the two items compute by the same instruction is surely made from different work-item ids or from loads of
  /// different addresses. Whatever else makes it, a shuffle say, is no evidence.
  z3::expr differs(const Value *V, unsigned DepthLeft = 6) {
    z3::expr No = C.bool_val(false);
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !DepthLeft || K.uniformity().isUniform(V))
      return No;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      if (Load->isVolatile() || Load->isAtomic())
        return No;
      PointerTerm A = Tr.pointer(Load->getPointerOperand(), Tr.S), B = Tr.pointer(Load->getPointerOperand(), Tr.T);
      return A.Object == B.Object ? A.bytes(C) != B.bytes(C) : No;
    }
    unsigned Dim = 0;
    if (indexQuery(V, Dim) == IndexQuery::ItemId)
      return Tr.value(V, Tr.S) != Tr.value(V, Tr.T);
    if (!isa<BinaryOperator, CastInst, SelectInst, UnaryOperator, InsertElementInst, ExtractElementInst>(I))
      return No;
    z3::expr Any = No;
    for (const Use &U : I->operands())
      Any = Any || differs(U.get(), DepthLeft - 1);
    return Any;
  }

  /// The two items of the model collide in these iterations whatever the launch chooses, as long as both get there.
  bool isForced(const z3::model &M, const z3::expr &Items, const z3::expr &Guards, const z3::expr &Over) {
    z3::solver S = makeSolver();
    S.add(Guards);
    for (const z3::expr &E : Tr.conditions())
      S.add(E);
    for (auto &[Name, Symbol] : symbolsOf(Over && Guards && Items))
      if (!Tr.isInput(Name) && !Tr.isHavoc(Name) && M.has_interp(Symbol.decl()))
        S.add(Symbol == M.eval(Symbol, true));
    S.add(!Over);
    return checkCounted(S) == z3::unsat;
  }

  /// Which items collide depends on the numbers the launch chooses, but some do for all that were tried, as long as
  /// any get there.
  bool isCommon(const z3::expr_vector &All, const z3::expr &Reached, const std::vector<z3::expr> &Numbers) {
    static constexpr unsigned Samples[] = {1, 3, 64, 100, 256, 1000};
    if (Numbers.empty() || Numbers.size() > 4)
      return false;
    unsigned Hits = 0;
    for (unsigned I = 0; I < std::size(Samples); ++I) {
      z3::expr Fixed = C.bool_val(true);
      for (unsigned N = 0; N < Numbers.size(); ++N) {
        unsigned Bits = Numbers[N].get_sort().bv_size();
        uint64_t Value = Samples[(I + N) % std::size(Samples)];
        Fixed = Fixed && Numbers[N] == C.bv_val(Bits < 64 ? Value & ((uint64_t(1) << Bits) - 1) : Value, Bits);
      }
      std::optional<z3::model> Model;
      z3::check_result R = attempt(All, &Fixed, Model);
      if (R == z3::sat) {
        ++Hits;
        continue;
      }
      if (R == z3::unknown)
        return false;
      z3::expr_vector Arrive = Tr.conditions();
      Arrive.push_back(Reached);
      if (attempt(Arrive, &Fixed, Model) != z3::unsat)
        return false;
    }
    return Hits >= 2;
  }

  ConflictAnswer query(const AccessPair &Pair, Waves W, bool WantRobust) {
    ConflictAnswer Answer;
    const KernelAccess &P = K.Accesses[Pair.P], &Q = K.Accesses[Pair.Q];
    if (W == Waves::Different && K.Shape.MaxItems <= 64)
      return Answer;
    Budget = WantRobust ? Opts.RaceStepsLeft : Opts.StepsLeft;
    bool Spent = Budget && !*Budget;
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
      Symbols From;
      z3::expr Over = overlap(P, Q, From);
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
      std::vector<z3::expr> Numbers;
      if (WantRobust)
        for (auto &[Name, Symbol] : symbolsOf(z3::mk_and(All)))
          if (Tr.isNumber(Name))
            Numbers.push_back(Symbol);
      // Two stores of one instruction race if they may store different values.
      if (WantRobust && Pair.P == Pair.Q)
        if (auto *Store = dyn_cast<StoreInst>(P.Inst))
          All.push_back(differs(Store->getValueOperand()));
      // A race is reported for sizes that occur.
      for (const z3::expr &N : Numbers)
        if (unsigned Bits = N.get_sort().bv_size(); Bits > PlausibleBits)
          All.push_back(z3::ult(N, C.bv_val(uint64_t(1) << PlausibleBits, Bits)));
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
      for (auto &[Name, Symbol] : From)
        if (Tr.isHavoc(Name))
          Answer.Witness.Exact = false;
      for (auto &[Name, Symbol] : symbolsOf(Over && Guards)) {
        std::string Text = Tr.spelling(Name);
        if (!Text.empty() && M.has_interp(Symbol.decl()))
          Answer.Witness.Values.push_back({Text, evaluate(M, Symbol)});
      }
      if (WantRobust && Answer.Witness.Exact) {
        bool Anywhere = any_of(From, [&](auto &Entry) { return Tr.isAnyAddress(Entry.first); });
        Answer.Witness.Robust = isForced(M, Distinct && WaveCond, Guards, Over) ||
                                (!Anywhere && isCommon(All, Distinct && WaveCond && Guards, Numbers));
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
  if (!matters(P, Q))
    return false;
  if (!A.Inst->isAtomic() || !B.Inst->isAtomic())
    return true;
  // Atomics do not race. But a sum that is limited halfway, say, is no result: nobody means that.
  auto *X = dyn_cast<AtomicRMWInst>(A.Inst), *Y = dyn_cast<AtomicRMWInst>(B.Inst);
  auto Accumulates = [](const AtomicRMWInst *I) {
    return I && I->use_empty() && I->getOperation() != AtomicRMWInst::Xchg;
  };
  return Accumulates(X) && Accumulates(Y) && X->getOperation() != Y->getOperation();
}

std::optional<ConflictWitness> ConflictChecker::apart(unsigned All, unsigned Some) {
  State &S = *St;
  S.Budget = S.Opts.RaceStepsLeft;
  S.Steps = S.Opts.StepsPerRace;
  if (++S.Queries > S.Opts.MaxQueries || (S.Budget && !*S.Budget))
    return std::nullopt;
  try {
    ReportMode On(S.Tr, S.Opts);
    S.Tr.begin({All, Some, {}, false});
    Frame Own = S.Tr.frameAt('s', S.K.Accesses[Some].Inst->getParent());
    z3::expr_vector Asked(S.C);
    // Linear ids bring the limits of the workgroup in.
    Asked.push_back(S.Tr.linear('s') != S.Tr.linear('t'));
    z3::expr Theirs = S.Tr.reached(S.Tr.T), Mine = S.Tr.reached(Own);
    Asked.push_back(S.Tr.reached(S.Tr.S));
    Asked.push_back(Theirs);
    Asked.push_back(!Mine);
    S.Tr.finish();
    for (const z3::expr &E : S.Tr.conditions())
      Asked.push_back(E);
    std::optional<z3::model> M;
    if (S.attempt(Asked, nullptr, M) != z3::sat)
      return std::nullopt;
    // The first must keep away from \p Some whatever the values that are not tracked.
    z3::expr_vector Still = S.Tr.conditions();
    Still.push_back(Mine);
    for (auto &[Name, Symbol] : symbolsOf(z3::mk_and(Asked)))
      if (!S.Tr.isHavoc(Name) && M->has_interp(Symbol.decl()))
        Still.push_back(Symbol == M->eval(Symbol, true));
    std::optional<z3::model> Other;
    if (S.attempt(Still, nullptr, Other) != z3::unsat)
      return std::nullopt;
    ConflictWitness W;
    for (unsigned D = 0; D < 3; ++D) {
      W.S[D] = S.evaluate(*M, S.Tr.item('s', D));
      W.T[D] = S.evaluate(*M, S.Tr.item('t', D));
    }
    return W;
  } catch (z3::exception &) {
    return std::nullopt;
  }
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
  ReportMode On(St->Tr, St->Opts);
  return St->query(Pair, DifferentWaves ? Waves::Different : Waves::One, true);
}
