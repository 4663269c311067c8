//===- KernelFacts.h - Accesses, barriers and intervals of a kernel -*- C++ -*-===//
//
// What the passes know about one kernel, read off its prepared device IR and
// tied to source places: memory accesses with their objects, barriers of every
// strength, device-scope synchronization, and the segments between barriers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Facts/Uniformity.h"
#include "hk/Facts/WorkgroupShape.h"
#include "hk/Frontend/TranslationUnit.h"
#include "hk/Support/SourcePlace.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class AAResults;
class BasicBlock;
class DILocation;
class DominatorTree;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class PostDominatorTree;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace hk {

class DevicePipeline;

enum class MemorySpace { Lds, Global, Constant, Generic };

/// The allocation an access starts from.
struct MemoryObject {
  enum KindTy {
    LdsVariable,   ///< __shared__ array or variable of known size
    DynamicLds,    ///< extern __shared__; all such declarations are one allocation
    Argument,      ///< what a pointer parameter points to
    LoadedPointer, ///< what a pointer field of a by-value parameter points to
    Variable,      ///< __device__ or __constant__ variable
    Unknown,       ///< no single base is known
  } Kind = Unknown;
  const llvm::Value *Base = nullptr;
  int64_t FieldOffset = 0; ///< of a LoadedPointer, in bytes
  std::string Name = "unknown memory";
  std::optional<uint64_t> Size; ///< bytes
  bool NoAlias = false;         ///< __restrict__
  bool isLds() const { return Kind == LdsVariable || Kind == DynamicLds; }
};

enum class AccessEffect { Read, Write, Atomic };

struct KernelAccess {
  unsigned Id = 0;
  llvm::Instruction *Inst = nullptr;
  const llvm::Value *Pointer = nullptr; ///< null: touches unknown memory
  AccessEffect Effect = AccessEffect::Read;
  MemorySpace Space = MemorySpace::Generic;
  unsigned Bytes = 0;  ///< 0: extent unknown
  unsigned Object = 0; ///< index into KernelFacts::Objects
  bool Volatile = false;
  bool Fence = false;      ///< stands for a device-scope fence or a clock read; touches nothing itself
  bool Clock = false;      ///< a clock read: its order with every access shows
  /// Synchronizes with other workgroups, or may: atomic and volatile access to global memory, plain access to what is
  /// accessed so elsewhere in the kernel, fences, unknown calls.
  bool DeviceSync = false;
  SourcePlace Place; ///< the subscript or dereference in the user's code
  std::vector<SourcePlace> InlinedAt; ///< user-code call sites, innermost first
  bool writes() const { return Effect != AccessEffect::Read; }
};

enum class BarrierStrength {
  Workgroup, ///< s_barrier with workgroup fences
  Lds,       ///< s_barrier with fences of the local address space only
  Bare,      ///< s_barrier without fences: orders execution, not memory
  Reduction, ///< barriers inside a workgroup-wide count/and/or
  Wave,      ///< wave barrier or acquire-release fence: orders one wavefront
};

struct KernelBarrier {
  unsigned Id = 0;
  llvm::Instruction *Inst = nullptr;
  BarrierStrength Strength = BarrierStrength::Workgroup;
  SourcePlace Place;              ///< the call in user code, a SyncCall's key when one matches
  const SyncCall *Call = nullptr; ///< null: not from a call the front end knows
  std::vector<SourcePlace> InlinedAt;
};

/// A point that synchronizes with other workgroups or that nothing is known about: device-scope fence, global atomic,
/// volatile global access, inline assembly, unknown call.
struct DeviceSync {
  llvm::Instruction *Inst = nullptr;
  std::string What; ///< "atomic on 'count'", "__threadfence()", "inline assembly"
  SourcePlace Place;
};

/// A maximal run of instructions of one block without a barrier.
struct Segment {
  const llvm::BasicBlock *Block = nullptr;
  std::vector<unsigned> Accesses; ///< in program order
  struct Edge {
    unsigned To = 0;
    int Barrier = -1;                   ///< index of the barrier crossed, or -1
    const llvm::Loop *BackEdge = nullptr; ///< the loop whose back edge this is
  };
  llvm::SmallVector<Edge, 2> Out;
  bool Returns = false; ///< ends in a return
};

class KernelFacts {
public:
  /// Collects the facts of \p F. \p P must have prepared the module.
  KernelFacts(llvm::Function &F, const Kernel &K, const TranslationUnit &TU,
              const WorkgroupShape &Shape, DevicePipeline &P);
  ~KernelFacts();

  llvm::Function &F;
  const Kernel &K;
  const TranslationUnit &TU;
  WorkgroupShape Shape;
  /// threadIdx or blockDim of this dimension is read.
  std::array<bool, 3> UsesDim{false, false, false};

  std::vector<MemoryObject> Objects;
  std::vector<KernelAccess> Accesses;
  std::vector<KernelBarrier> Barriers;
  std::vector<DeviceSync> DeviceSyncs;
  std::vector<Segment> Segments;
  /// Calls or control flow the analyses cannot see through; empty when all is known.
  std::string Opaque;
  SourcePlace OpaquePlace;

  llvm::DominatorTree &DT;
  llvm::PostDominatorTree &PDT;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;

  const WorkgroupUniformity &uniformity() const { return *Uniformity; }
  unsigned segmentOf(const llvm::Instruction *I) const;
  /// Position of each loop in the kernel's loops, outer before inner, in program order.
  llvm::DenseMap<const llvm::Loop *, unsigned> LoopNumbers;
  /// Barrier that workgroups meet at (any strength but Wave) inside \p L.
  bool hasBarrier(const llvm::Loop &L) const;
  /// Two accesses may touch a common byte as far as their objects tell. \p Why says what they would need to differ.
  /// \p AssumeNoAlias: different pointer parameters never overlap.
  bool mayShareObject(const KernelAccess &A, const KernelAccess &B, bool AssumeNoAlias) const;
  /// Place of an instruction in user code and the user-code call sites it was inlined at.
  SourcePlace placeOf(const llvm::Instruction &I, std::vector<SourcePlace> *InlinedAt = nullptr) const;
  /// Name of a value for people: parameter, variable, "threadIdx.x".
  std::string nameOf(const llvm::Value *V) const;

private:
  std::unique_ptr<WorkgroupUniformity> Uniformity;
  llvm::DenseMap<const llvm::Instruction *, unsigned> SegmentIndex;
  llvm::StringSet<> UserFiles;

  void collect();
  void addAccess(llvm::Instruction &I, const llvm::Value *Ptr, AccessEffect E, unsigned Bytes,
                 bool Volatile);
  void addOpaque(llvm::Instruction &I, const std::string &What);
  void addFence(llvm::Instruction &I, const char *What, bool Clock);
  bool addBarrier(llvm::Instruction &I);
  void findPlainSyncs();
  void addCall(llvm::Instruction &I);
  unsigned objectOf(const llvm::Value *Ptr);
  void buildSegments();
  bool loadIsShared(const llvm::LoadInst &L) const;
  std::vector<SourcePlace> chainOf(const llvm::Instruction &I) const;
  bool isUserFile(llvm::StringRef File) const;
};

} // namespace hk
