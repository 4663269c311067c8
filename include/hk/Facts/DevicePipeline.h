//===- DevicePipeline.h - Device IR made ready for analysis -----*- C++ -*-===//
//
// Takes the unoptimized device module of a translation unit to the form the
// fact analyses read: helper functions inlined into kernels, HIP's index
// queries turned into a few known functions, address spaces inferred, scalars
// in registers, loops in simplified and LCSSA form.
//
// The clean-up is light on purpose. A pass that merges or moves memory accesses
// or barriers would break the tie between an IR instruction and one place in
// the source, so there is no GVN, no LICM, no loop rotation, no unrolling, no
// dead store elimination, no sinking or hoisting of common code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/WorkgroupShape.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace llvm {
class CallBase;
class Function;
class Module;
class TargetMachine;
class Value;
template <typename IRUnitT, typename... ExtraArgTs> class AnalysisManager;
using FunctionAnalysisManager = AnalysisManager<Function>;
} // namespace llvm

namespace hk {

/// What an index query of the device code asks for. All are 32-bit; dimension 0 to 2.
enum class IndexQuery { None, ItemId, GroupId, BlockDim, GridDim };

/// If \p V is an index query in the prepared IR: which, and its dimension.
IndexQuery indexQuery(const llvm::Value *V, unsigned &Dim);

/// True for a call that asks for a value combined over the whole workgroup (__syncthreads_count and kin), which
/// contains barriers.
bool isWorkgroupReduction(const llvm::CallBase &Call);

/// True for a call that reads a clock: what a barrier keeps before or after it shows in the time.
bool isClockRead(const llvm::CallBase &Call);

/// True for a call that does not touch memory of the program: math, printf, assert, debug intrinsics.
bool isHarmlessCall(const llvm::CallBase &Call);

class DevicePipeline {
public:
  /// \p Cpu is a gfx name. \p M must outlive this object.
  DevicePipeline(llvm::Module &M, llvm::StringRef Cpu);
  ~DevicePipeline();

  /// Prepares all kernels; \p Shapes maps a kernel's mangled name to what is known of its block size, whose constants
  /// are put into the IR. Returns an error text, or empty.
  std::string run(const llvm::StringMap<WorkgroupShape> &Shapes);

  llvm::FunctionAnalysisManager &analyses();

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace hk
