//===- BarrierInsertion.cpp -----------------------------------------------===//

#include "hk/Passes/BarrierInsertion.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace hk;

namespace {

/// The item of \p List that the place lies in.
std::optional<unsigned> itemOf(const StatementList &List, const SourcePlace &P) {
  for (unsigned I = 0; I < List.Items.size(); ++I) {
    const StatementList::Item &Item = List.Items[I];
    // Places compare by file first: one in another file lies in none.
    if (P.File == Item.From.File && !(P < Item.From) && !(Item.To < P))
      return I;
  }
  return std::nullopt;
}

bool separates(const InsertionRange &R, unsigned Before) {
  return R.From < R.To ? R.From < Before && Before <= R.To : R.From < Before || Before <= R.To;
}

} // namespace

std::optional<InsertionRange> hk::insertionRange(const std::vector<StatementList> &Lists, const RaceFinding &R) {
  // Inner lists come after outer ones, so the last list that fits is the innermost.
  for (const StatementList &List : reverse(Lists))
    for (const SourcePlace &First : R.FirstChain)
      for (const SourcePlace &Second : R.SecondChain) {
        std::optional<unsigned> From = itemOf(List, First), To = itemOf(List, Second);
        if (!From || !To)
          continue;
        // In one statement there is no place between them. An outer list would not separate them either.
        if (*From == *To)
          return std::nullopt;
        return InsertionRange{&List, *From, *To};
      }
  return std::nullopt;
}

std::vector<Insertion> hk::chooseInsertions(const std::vector<std::optional<InsertionRange>> &Ranges) {
  std::vector<Insertion> Chosen;
  std::vector<unsigned> Order;
  for (unsigned I = 0; I < Ranges.size(); ++I)
    if (Ranges[I])
      Order.push_back(I);
  // By right end; those that go round a loop come last, since a place chosen for others often serves them.
  llvm::stable_sort(Order, [&](unsigned A, unsigned B) {
    const InsertionRange &X = *Ranges[A], &Y = *Ranges[B];
    bool RoundX = X.From >= X.To, RoundY = Y.From >= Y.To;
    return std::tuple(RoundX, X.To) < std::tuple(RoundY, Y.To);
  });
  for (unsigned I : Order) {
    const InsertionRange &R = *Ranges[I];
    auto It = find_if(Chosen, [&](const Insertion &C) { return C.List == R.List && separates(R, C.Before); });
    if (It == Chosen.end())
      It = Chosen.insert(Chosen.end(), Insertion{R.List, R.To, {}});
    It->Races.push_back(I);
  }
  return Chosen;
}
