//===- Occupancy.cpp - What of a kernel fits on a compute unit ------------===//

#include "Runtime.h"

#include "hk/Target/Occupancy.h"

#include <algorithm>

using namespace hk::hip;

static unsigned ldsOfUnit() { return Runtime::get().chip().Lds; }

/// Workgroups of \p Threads on one compute unit.
static unsigned blocksOf(const hk::sim::Kernel &K, unsigned Threads, size_t DynamicLds) {
  if (!Threads || Threads > K.MaxWorkgroupSize)
    return 0;
  hk::ComputeUnit Unit;
  Unit.LdsBytes = ldsOfUnit();
  const size_t Lds = K.LdsSize + DynamicLds;
  return Lds > Unit.LdsBytes ? 0 : hk::residentWorkgroups(Unit, Threads, unsigned(Lds), K.Vgprs);
}

/// The block with the most work-items on a unit, the largest of equals.
static void bestBlock(const hk::sim::Kernel &K, size_t DynamicLds, int Limit, int &Grid,
                      int &Block) {
  unsigned Most = K.MaxWorkgroupSize;
  if (Limit > 0)
    Most = std::min(Most, unsigned(Limit));
  unsigned Best = 0;
  Block = 0;
  for (unsigned Threads = Most / 64 * 64; Threads >= 64; Threads -= 64) {
    unsigned Resident = blocksOf(K, Threads, DynamicLds) * Threads;
    if (Resident > Best) {
      Best = Resident;
      Block = int(Threads);
    }
  }
  if (!Block)
    Block = int(Most);
  Grid = int(std::max(1u, blocksOf(K, unsigned(Block), DynamicLds)) *
             unsigned(Runtime::get().chip().Units));
}

static hipError_t occupancy(int *Blocks, const void *Function, int Threads, size_t DynamicLds) {
  ApiLock Lock;
  if (!Blocks || Threads <= 0)
    return done(hipErrorInvalidValue);
  ihipModuleSymbol_t *F = nullptr;
  if (hipError_t E = Runtime::get().findFunction(Function, F))
    return done(E);
  *Blocks = int(blocksOf(*F->Kernel, unsigned(Threads), DynamicLds));
  return hipSuccess;
}

static hipError_t potential(int *Grid, int *Block, const void *Function, size_t DynamicLds,
                            int Limit) {
  ApiLock Lock;
  if (!Grid || !Block)
    return done(hipErrorInvalidValue);
  ihipModuleSymbol_t *F = nullptr;
  if (hipError_t E = Runtime::get().findFunction(Function, F))
    return done(E);
  bestBlock(*F->Kernel, DynamicLds, Limit, *Grid, *Block);
  return hipSuccess;
}

extern "C" {

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *Function,
                                                        int Threads, size_t DynamicLds) {
  return occupancy(Blocks, Function, Threads, DynamicLds);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Blocks, const void *Function,
                                                                 int Threads, size_t DynamicLds,
                                                                 unsigned) {
  return occupancy(Blocks, Function, Threads, DynamicLds);
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, hipFunction_t Function,
                                                              int Threads, size_t DynamicLds) {
  return occupancy(Blocks, Function, Threads, DynamicLds);
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, hipFunction_t Function, int Threads, size_t DynamicLds, unsigned) {
  return occupancy(Blocks, Function, Threads, DynamicLds);
}
hipError_t hipOccupancyMaxPotentialBlockSize(int *Grid, int *Block, const void *Function,
                                             size_t DynamicLds, int Limit) {
  return potential(Grid, Block, Function, DynamicLds, Limit);
}
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *Grid, int *Block, hipFunction_t Function,
                                                   size_t DynamicLds, int Limit) {
  return potential(Grid, Block, Function, DynamicLds, Limit);
}
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *Grid, int *Block,
                                                            hipFunction_t Function,
                                                            size_t DynamicLds, int Limit,
                                                            unsigned) {
  return potential(Grid, Block, Function, DynamicLds, Limit);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes *Attributes, const void *Function) {
  ApiLock Lock;
  if (!Attributes)
    return done(hipErrorInvalidValue);
  ihipModuleSymbol_t *F = nullptr;
  if (hipError_t E = Runtime::get().findFunction(Function, F))
    return done(E);
  const hk::sim::Kernel &K = *F->Kernel;
  *Attributes = {};
  Attributes->binaryVersion = Attributes->ptxVersion = 94;
  Attributes->localSizeBytes = K.PrivateSize;
  Attributes->maxDynamicSharedSizeBytes =
      F->MaxDynamicLds ? int(F->MaxDynamicLds) : int(ldsOfUnit() - K.LdsSize);
  Attributes->maxThreadsPerBlock = int(K.MaxWorkgroupSize);
  Attributes->numRegs = int(K.Vgprs);
  Attributes->sharedSizeBytes = K.LdsSize;
  return hipSuccess;
}

hipError_t hipFuncGetAttribute(int *Value, hipFunction_attribute Attribute,
                               hipFunction_t Function) {
  ApiLock Lock;
  if (!Value)
    return done(hipErrorInvalidValue);
  hipFuncAttributes A;
  if (hipError_t E = hipFuncGetAttributes(&A, Function))
    return E;
  switch (Attribute) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *Value = A.maxThreadsPerBlock;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *Value = int(A.sharedSizeBytes);
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    *Value = int(A.constSizeBytes);
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *Value = int(A.localSizeBytes);
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    *Value = A.numRegs;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
  case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
    *Value = A.binaryVersion;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *Value = 0;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *Value = A.maxDynamicSharedSizeBytes;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *Value = A.preferredShmemCarveout;
    return hipSuccess;
  default:
    return done(hipErrorInvalidValue);
  }
}

hipError_t hipFuncSetAttribute(const void *Function, hipFuncAttribute Attribute, int Value) {
  ApiLock Lock;
  ihipModuleSymbol_t *F = nullptr;
  if (hipError_t E = Runtime::get().findFunction(Function, F))
    return done(E);
  switch (Attribute) {
  case hipFuncAttributeMaxDynamicSharedMemorySize:
    if (Value < 0 || unsigned(Value) + F->Kernel->LdsSize > ldsOfUnit())
      return done(hipErrorInvalidValue);
    F->MaxDynamicLds = unsigned(Value);
    return hipSuccess;
  case hipFuncAttributePreferredSharedMemoryCarveout: // a hint
    return hipSuccess;
  default:
    return done(hipErrorInvalidValue);
  }
}

// Hints about a cache that is not split here.
hipError_t hipFuncSetCacheConfig(const void *, hipFuncCache_t) { return hipSuccess; }
hipError_t hipFuncSetSharedMemConfig(const void *, hipSharedMemConfig) { return hipSuccess; }

} // extern "C"
