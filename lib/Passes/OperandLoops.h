//===- OperandLoops.h - Loops that work-items of a tile share ---*- C++ -*-===//
//
// Takes a kernel apart into loops that all work-items of a workgroup run alike,
// with the elements that each step of them reads, and what stands between them;
// and puts the text of the parts together again, each inside a function of one
// work-item, with what it needs of the parts before.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"
#include "hk/Passes/LaunchRanges.h"

#include <map>
#include <string>
#include <vector>

namespace hk {

/// An element of a parameter, read in each step of a loop: Rest + ByStep * step + the sum of
/// ByItem[d] * item.d, all of them of parameters. The step counts as the loop's variable does.
struct Operand {
  unsigned Root = 0;
  std::vector<const SourceAccess *> Reads; ///< all of that place
  Polynomial Rest, ByStep;
  std::array<Polynomial, 3> ByItem;
  unsigned Bytes = 0;
  bool IsUnsigned32 = false; ///< part of the index is computed so

  // With work-items in tiles:
  unsigned Number = 0;             ///< of those behind the same parameter
  unsigned Dimension = 0;          ///< the side of the tile along which they differ
  bool StepsAreNeighbours = false; ///< else work-items are
  Polynomial Pitch;                ///< from row to row of neighbours
};

struct LoopWithOperands {
  const BodyNode *For = nullptr;
  Polynomial From, End; ///< of parameters; End is not reached
  std::vector<Operand> Operands;
};

/// Statements that stand together outside of these loops, or one of them.
struct LoopSegment {
  std::vector<const BodyNode *> Statements;
  int Loop = -1; ///< into OperandLoops::Loops
};

class OperandLoops {
public:
  explicit OperandLoops(const KernelSource &S) : S(&S) {}

  /// Finds loops whose operands may be taken in tiles. False, and why if there was something to
  /// gain. \p Conditions: what has to hold at the launch.
  bool find(std::set<std::string> &Conditions, Declined &Why);
  /// Leaves those operands that differ along one side of a tile; false if there are none.
  bool settle(unsigned Column, unsigned Row);
  /// Takes the kernel apart. False, and why, if its parts need too much of each other.
  bool split(Declined &Why);

  std::vector<LoopWithOperands> Loops;
  std::vector<LoopSegment> Segments; ///< in program order; the last one stands behind all loops
  WorkItemLimits Limits;
  bool StoresEarly = false; ///< what is written is touched before the last segment

  bool isOperand(const SourceAccess &A) const;
  /// Of what a work-item keeps from segment to segment.
  unsigned stateBytes() const;
  /// Declarations of that, for all work-items of a lane.
  std::string stateText() const;
  /// LoopSegment \p N for one work-item, \p Indent columns in; empty if it does nothing.
  std::string segmentText(size_t N, const std::vector<TextEdit> &Edits, unsigned Indent) const;
  /// A step of \p L for one work-item.
  std::string stepText(const LoopWithOperands &L, const std::vector<TextEdit> &Edits,
                       unsigned Indent) const;

private:
  const KernelSource *S;
  std::vector<const BodyNode *> Statements;    ///< those below the limits, in one list
  std::map<const BodyNode *, unsigned> Behind; ///< where the text before each starts
  /// Variables as they are declared: those that can be computed again where they are used, and those
  /// of others that have to be kept for later segments.
  struct Carried {
    unsigned Variable = 0;
    size_t Segment = 0;
    const BodyNode *Statement = nullptr, *Declaration = nullptr;
    bool IsKept = false;
  };
  std::vector<Carried> Carry;

  bool flatten(Declined &Why);
  bool isShort(const BodyNode &For) const;
  std::optional<LoopWithOperands> loopAt(const BodyNode &For, std::set<std::string> &Conditions,
                                         Declined &Why) const;
  std::optional<Operand> operandAt(const SourceAccess &A, const BodyNode &For,
                                   unsigned Counter) const;
  bool separatesStores(Declined &Why);
  bool carry(Declined &Why);
  const Carried *carried(unsigned Variable) const;
  std::set<unsigned> variablesIn(const std::vector<const BodyNode *> &Nodes) const;
  std::set<unsigned> neededBy(const std::vector<const BodyNode *> &Nodes) const;
  std::string againText(const Carried &C, const std::vector<TextEdit> &Edits) const;
  std::string declarations(size_t N, const std::set<unsigned> &Needed,
                           const std::vector<TextEdit> &Edits, unsigned Indent) const;
  std::string statementText(const BodyNode &N, const std::vector<TextEdit> &Edits, unsigned Indent,
                            unsigned From) const;
};

/// The limit of the numbers of work-items along \p Dimension, for hk::limits().
std::string limitOn(const KernelSource &S, const WorkItemLimits &Limits, unsigned Dimension);

} // namespace hk
