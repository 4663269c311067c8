//===- Uniformity.h - Which values a workgroup agrees on --------*- C++ -*-===//
//
// LLVM's uniformity analysis answers for a wavefront, and with AMDGPU's cost
// model it takes readfirstlane and item_id / 64 for uniform. A barrier is about
// the workgroup: this runs the same analysis with other divergence sources, so
// that "uniform" means "the same in all work-items of the workgroup that reach
// this point in the same iteration".
//
// Two answers are kept. Proved: loads count as uniform only where the caller
// shows that no work-item can have changed the location in between. Hopeful:
// every load from a uniform address is taken as uniform. A branch that is
// divergent even hopefully is really divergent; one that is uniform only
// hopefully is unknown.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace llvm {
class BasicBlock;
class Function;
class Loop;
class LoadInst;
class Value;
} // namespace llvm

namespace hk {

class WorkgroupUniformity {
public:
  /// \p SharedLoad tells, for a load whose address is uniform, whether all work-items get the same value.
  WorkgroupUniformity(llvm::Function &F,
                      llvm::function_ref<bool(const llvm::LoadInst &)> SharedLoad);
  ~WorkgroupUniformity();
  WorkgroupUniformity(WorkgroupUniformity &&) noexcept;

  /// Proved uniform.
  bool isUniform(const llvm::Value *V) const;
  /// Divergent even if every load from a uniform address gives one value.
  bool isSurelyDivergent(const llvm::Value *V) const;
  bool branchIsUniform(const llvm::BasicBlock &B) const;
  bool branchIsSurelyDivergent(const llvm::BasicBlock &B) const;
  /// Work-items may leave \p L in different iterations.
  bool mayExitDivergently(const llvm::Loop &L) const;

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace hk
