//===- SegmentWalk.h - Flood fill over a kernel's segments ------*- C++ -*-===//
#pragma once

#include "hk/Facts/KernelFacts.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace hk {

/// The segments that can be reached from \p From, itself included, over edges for which \p Follow holds.
template <typename FollowFn>
llvm::BitVector segmentsFrom(llvm::ArrayRef<Segment> Segments, unsigned From, FollowFn Follow) {
  llvm::BitVector Seen(Segments.size());
  llvm::SmallVector<unsigned, 32> Work{From};
  Seen.set(From);
  while (!Work.empty())
    for (const Segment::Edge &E : Segments[Work.pop_back_val()].Out)
      if (Follow(E) && !Seen[E.To]) {
        Seen.set(E.To);
        Work.push_back(E.To);
      }
  return Seen;
}

} // namespace hk
