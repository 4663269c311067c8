//===- KernelSource.h - What a kernel's text says ---------------*- C++ -*-===//
//
// Reads the tree of a kernel for passes that write a second version of it: which
// variables keep their value, what indices are as sums, which memory is reached
// where, and which expressions are a work-item's number.
//
// Factors of the sums are variables ("v3") and these names, for each dimension:
//
//   item.x      blockIdx.x * blockDim.x + threadIdx.x
//   items.x     gridDim.x * blockDim.x
//               (of a dimension in which only blockIdx is used: blockIdx.y, for
//               launches whose workgroups are one work-item deep in it)
//   threadIdx.x, blockIdx.x, blockDim.x, gridDim.x    where they stand otherwise
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/AffineForm.h"
#include "hk/Frontend/TranslationUnit.h"

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hk {

/// for (T i = From; i < To; i += Step), or downwards.
struct CountedLoop {
  const BodyNode *For = nullptr;
  unsigned Variable = 0;
  const BodyNode *From = nullptr;
  /// Each ends the loop: i < To, and once it fails it fails for all that follow.
  struct Bound {
    const BodyNode *To = nullptr;
    bool Inclusive = false;
  };
  std::vector<Bound> Bounds;
  const BodyNode *Step = nullptr; ///< null: 1
  bool Down = false;
  const BodyNode *body() const { return For->child(3); }
};

/// A condition that holds, or does not, where something stands.
struct SourceCondition {
  const BodyNode *Node = nullptr;
  bool Holds = true;
};

/// One read or write of memory that a pointer parameter reaches.
struct SourceAccess {
  const BodyNode *Node = nullptr;  ///< Subscript or Dereference
  unsigned Root = 0;               ///< the parameter
  std::optional<Polynomial> Index; ///< in elements of Node->Type; none: no sum of products
  std::string Member;              ///< ".x" of a struct, when one member is used
  bool Reads = false, Writes = false;
  const BodyNode *Assignment = nullptr;    ///< of a write: Assign or Unary
  std::vector<const BodyNode *> Loops;     ///< around it, outermost first
  std::vector<SourceCondition> Conditions; ///< of if, ?:, && and || around it; not those of loops
};

class KernelSource {
public:
  explicit KernelSource(const Kernel &K);

  const Kernel &K;
  const KernelBody &Body;
  /// What no rewrite can deal with: a call that may do anything, inline assembly, LDS, ...; empty
  /// when there is nothing.
  std::string Problem;
  SourcePlace ProblemPlace;

  std::vector<SourceAccess> Accesses; ///< in program order
  /// Expressions that are item.d or items.d, and so cover each built-in variable, or else Uncovered
  /// is not empty.
  std::vector<const BodyNode *> Items;
  std::vector<const BodyNode *> Uncovered;             ///< built-in variables elsewhere
  std::array<bool, 3> OnlyBlocks{false, false, false}; ///< blockIdx is item, where blockDim is 1

  /// Keeps the value it is declared with.
  bool isFixed(unsigned Variable) const { return Assigned[Variable].empty() && Fixable[Variable]; }
  /// Assign and Unary nodes that change it, or a part of it.
  const std::vector<const BodyNode *> &assignmentsOf(unsigned Variable) const {
    return Assigned[Variable];
  }
  const BodyNode *initOf(unsigned Variable) const { return Inits[Variable]; }

  /// The value as a sum; variables that keep the value of their initializer are replaced by it.
  std::optional<Polynomial> form(const BodyNode &E) const;
  /// The variables and built-ins that a sum or an expression uses.
  static std::string factorOf(unsigned Variable) { return "v" + std::to_string(Variable); }
  static std::optional<unsigned> variableOf(const std::string &Factor);

  /// It may differ between work-items in ways that the sum does not show: by a division of their
  /// number, by memory.
  bool isOpaque(const Polynomial &P) const;

  /// How much \p P grows from a work-item to the next along \p Dimension, through what variables were
  /// given as well; none if that is not known, as behind memory. For the model of lines.
  std::optional<Polynomial> slope(const Polynomial &P, unsigned Dimension) const;

  /// The parameter and the distance from it, of a pointer.
  std::optional<std::pair<unsigned, Polynomial>> pointer(const BodyNode &E) const;

  std::optional<CountedLoop> countedLoop(const BodyNode &For) const;

  /// Has no effect but its value. It may read memory.
  bool isPure(const BodyNode &E) const;
  /// Reads memory.
  bool reads(const BodyNode &E) const;
  /// \p E, or what the variables in it were given, reads memory; \p OrPlace: or asks where the work-item stands.
  bool dependsOnMemory(const BodyNode &E, bool OrPlace = false) const;

private:
  std::vector<std::vector<const BodyNode *>> Assigned;
  std::vector<bool> Fixable;
  std::vector<const BodyNode *> Inits;
  std::set<unsigned> Counters; ///< of loops; nothing else changes them

  void fail(const BodyNode &N, const std::string &Why);
  void scan(const BodyNode &N);
  struct Context;
  void collect(const BodyNode &N, Context &C);
  void findItems(const BodyNode &N);
  std::string builtinName(const BodyNode &E) const;
  std::optional<Polynomial> slopeOf(const BodyNode &E, unsigned Dimension) const;
  bool isStable(const Polynomial &P) const;
};

/// A + Sign * B; none if that overflows.
std::optional<Polynomial> sum(Polynomial A, const Polynomial &B, int64_t Sign);

std::optional<Polynomial> product(const Polynomial &A, const Polynomial &B);

/// Calls \p Visit for \p N and all below it, until it returns false for a node: what is below that
/// is left out.
void visit(const BodyNode &N, const std::function<bool(const BodyNode &)> &Visit);

/// Whether there is a break, a continue or a return in \p N: what stands in it may not happen each
/// time.
bool jumps(const BodyNode &N);

/// The local variable that \p Target, of an assignment, is or is a part of; ~0u for none.
unsigned assignedVariable(const BodyNode &Target, const KernelBody &Body);

} // namespace hk
