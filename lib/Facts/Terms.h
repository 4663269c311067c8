//===- Terms.h - IR values as bit-vector terms of two work-items -*- C++ -*-===//
//
// Translates integer and pointer values of a kernel into Z3 bit-vector terms,
// as seen by a work-item at one point of its run. Every operation has its
// machine width, so indices wrap as they do on the GPU.
//
// A frame is one work-item (s or t) at one access. What the two frames share
// decides everything: kernel arguments, block and grid indices, and values the
// workgroup agrees on are one symbol in both frames when they belong to the
// same execution of their definition, i.e. when all loops around it are in the
// same iteration. Each loop has an iteration token per frame for that; equal
// tokens mean the same iteration.
//
// What cannot be translated becomes a fresh symbol: the proof of "no conflict"
// stays sound, and a model that depends on one is no witness. Undefined
// behaviour is taken not to happen: signed overflow, indices outside a __shared__ array.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/Intervals.h"
#include "hk/Facts/KernelFacts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <set>
#include <string>
#include <z3++.h>

namespace hk {

/// A work-item at a point of the kernel.
struct Frame {
  char Item = 's';
  const llvm::BasicBlock *At = nullptr;
  std::map<const llvm::Loop *, std::string> Tokens; ///< for the loops around At and tied loops
  llvm::DenseMap<const llvm::Value *, unsigned> Cache; ///< index into Terms::Cached
};

/// An address: a known object, or absolute, and a byte offset as a sum of scaled indices. The scales are kept apart
/// because "same element" is an equality the solver likes, while "bytes overlap" is an inequality it does not.
struct PointerTerm {
  int Object = -1; ///< index into KernelFacts::Objects; -1: the offset is an absolute address
  std::vector<std::pair<z3::expr, uint64_t>> Parts; ///< 64-bit index, bytes a unit
  uint64_t Constant = 0;
  /// No product wraps in 64 bits, so that equal offsets mean equal indices.
  bool Exact = true;

  /// Greatest number that divides every scale and the constant, at most 4096.
  uint64_t unit() const;
  /// The offset in units of \p Unit bytes, which must divide unit().
  z3::expr scaled(z3::context &C, uint64_t Unit) const;
  z3::expr bytes(z3::context &C) const { return scaled(C, 1); }
};

class Terms {
public:
  Terms(const KernelFacts &K, z3::context &C);

  /// Starts a query about two accesses: makes the frames, drops earlier side conditions.
  void begin(const AccessPair &Pair);

  Frame S, T;

  /// An item at a block, its loops unrelated to the two accesses of the query.
  Frame frameAt(char Item, const llvm::BasicBlock *At) const;

  /// For reports only, which want what is likely rather than what is possible: block extents come from the launches in
  /// view or are small, subscripts keep within their row, parameters point to different buffers, products are computed.
  bool Reporting = false;
  const WorkgroupShape *Seen = nullptr; ///< block extents of the launches in view

  z3::expr value(const llvm::Value *V, Frame &F);
  PointerTerm pointer(const llvm::Value *V, Frame &F);
  /// The item reaches F.At in its current iterations.
  z3::expr reached(Frame &F);
  /// From \p P, seen by s, its iteration comes to its end without a barrier.
  z3::expr reachedLatch(const KernelAccess &P);

  z3::expr item(char Item, unsigned Dim);
  z3::expr blockDim(unsigned Dim);
  /// The block is known to have one item in this dimension.
  bool isFlat(unsigned Dim);
  /// x + X * (y + Y * z)
  z3::expr linear(char Item);
  /// Absolute address of an object's first byte.
  z3::expr base(unsigned Object);

  /// Side conditions met so far: ranges, loop facts, no signed overflow. finish() adds those between the frames.
  z3::expr_vector conditions();
  void finish();

  /// A symbol that stands for something unknown about the program.
  bool isHavoc(const std::string &Symbol) const { return Havoc.count(Symbol); }
  /// A symbol whose value the launch chooses: kernel arguments and values loaded through them.
  bool isInput(const std::string &Symbol) const { return Inputs.count(Symbol); }
  /// An input that is a number, not an address.
  bool isNumber(const std::string &Symbol) const { return isInput(Symbol) && !Addresses.count(Symbol); }
  /// An address that may be any, also that of another buffer, even where reports are made.
  bool isAnyAddress(const std::string &Symbol) const { return Addresses.count(Symbol) && !Placed.count(Symbol); }
  /// Loop variables with few values, and these values: a query that is too hard as a whole may be easy value by value.
  const std::vector<std::pair<z3::expr, std::vector<z3::expr>>> &orbits() const { return Orbits; }
  /// What a symbol is called in messages; empty if it has no name people know.
  std::string spelling(const std::string &Symbol) const;

private:
  const KernelFacts &K;
  z3::context &C;
  z3::expr_vector Conditions;
  std::vector<z3::expr> Cached;
  std::vector<std::pair<z3::expr, std::vector<z3::expr>>> Orbits;
  std::set<std::string> Havoc, Inputs, Addresses, Placed, Constrained;
  std::map<std::string, std::string> Spellings;
  llvm::DenseMap<const llvm::Value *, unsigned> ValueIds;
  llvm::DenseMap<const llvm::Loop *, unsigned> LoopIds;
  IterationRelation Relation;
  bool AssumeFlags = true;
  unsigned Depth = 0;
  unsigned Nonlinear = 0;
  /// Workgroups that reports take for granted where nothing is known of the launch.
  static constexpr unsigned LikelyItems = 256;

  /// The distance a loop variable has moved by a step that is not a constant.
  struct Travel {
    z3::expr Distance, Start, Step;
    bool Signed = false, NoWrap = false;
  };
  std::vector<Travel> Travels;

  unsigned id(const llvm::Value *V);
  std::string token(const llvm::Loop &L, const Frame &F) const;
  std::string fullToken(const llvm::Loop *L, const Frame &F) const;
  std::string symbolName(const llvm::Value *V, const Frame &F, bool &Shared);
  z3::expr symbol(const std::string &Name, unsigned Bits);
  z3::expr unknown(const llvm::Value *V, const Frame &F);
  z3::expr translate(const llvm::Value *V, Frame &F);
  z3::expr instruction(const llvm::Instruction &I, Frame &F);
  z3::expr binary(const llvm::BinaryOperator &B, Frame &F);
  z3::expr comparison(const llvm::CmpInst &Cmp, Frame &F);
  z3::expr call(const llvm::CallBase &Call, Frame &F);
  z3::expr phi(const llvm::PHINode &P, Frame &F);
  z3::expr headerPhi(const llvm::PHINode &P, const llvm::Loop &L, Frame &F);
  z3::expr edge(const llvm::BasicBlock *From, const llvm::BasicBlock *To, Frame &F);
  z3::expr between(const llvm::BasicBlock *Top, const llvm::BasicBlock *B, Frame &F,
                   std::map<const llvm::BasicBlock *, z3::expr> &Seen);
  z3::expr forward(const llvm::BasicBlock *B, const llvm::Loop &L, Frame &F,
                   std::map<const llvm::BasicBlock *, z3::expr> &Seen);
  z3::expr counter(const llvm::Loop &L, Frame &F);
  bool constrainOrbit(const llvm::PHINode &P, const llvm::Loop &L, Frame &F, const z3::expr &Symbol);
  /// `phi = phi >> c` and the like: what the loop variable is after so many iterations.
  std::optional<z3::expr> shifted(const llvm::PHINode &P, const llvm::Loop &L, Frame &F, const z3::expr &Symbol);
  Frame stepFrame(const llvm::Loop &L, const Frame &F) const;
  Iteration relationOf(const llvm::Loop *L) const;
  /// The frame stands in the iteration of \p L that the token names.
  bool isIn(const llvm::Loop &L, const Frame &F, llvm::StringRef Token) const;
  /// The frame is t's, whose iteration of \p L comes after that of s as \p How says.
  bool isBehind(const llvm::Loop &L, const Frame &F, Iteration How) const;
  z3::expr fit(const z3::expr &E, unsigned Bits, bool Signed = true);
  unsigned bits(const llvm::Value *V) const;
  /// Iteration counters are 40 bits wide: no loop of 32-bit indices runs longer.
  static constexpr unsigned CounterBits = 40;
};

} // namespace hk
