//===- Allocation.cpp - The malloc family ---------------------------------===//
//
// Device, managed and pinned memory are all the host's own; they differ in what the simulator
// checks about them. Memory of a stream or a pool is allocated and freed at once, as all work is.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

namespace {

struct HostBlock {
  unsigned Flags = 0;
  bool Registered = false;
};

/// What hipHostGetFlags tells.
std::map<void *, HostBlock> &hostBlocks() {
  static auto *Blocks = new std::map<void *, HostBlock>;
  return *Blocks;
}

} // namespace

struct ihipMemPoolHandle_t {
  uint64_t ReleaseThreshold = 0;
  int Reuse[3] = {1, 1, 1};
  uint64_t Used = 0, UsedHigh = 0;
};

static ihipMemPoolHandle_t &defaultPool() {
  static ihipMemPoolHandle_t Pool;
  return Pool;
}

static std::set<ihipMemPoolHandle_t *> &pools() {
  static std::set<ihipMemPoolHandle_t *> Pools = {&defaultPool()};
  return Pools;
}

static hipError_t allocate(void **Pointer, size_t Size, sim::MemoryKind Kind) {
  if (!Pointer)
    return hipErrorInvalidValue;
  *Pointer = nullptr;
  if (!Size)
    return hipSuccess;
  Expected<void *> Memory = Runtime::get().memory().allocate(Size, Kind);
  if (!Memory) {
    consumeError(Memory.takeError());
    return hipErrorOutOfMemory;
  }
  *Pointer = *Memory;
  return hipSuccess;
}

static hipError_t release(void *Pointer) {
  if (!Pointer)
    return hipSuccess;
  hostBlocks().erase(Pointer);
  if (Error E = Runtime::get().memory().free(Pointer)) {
    consumeError(std::move(E));
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

static hipError_t allocateHost(void **Pointer, size_t Size, unsigned Flags) {
  hipError_t E = allocate(Pointer, Size, sim::MemoryKind::Host);
  if (E == hipSuccess && *Pointer)
    hostBlocks()[*Pointer] = {Flags, false};
  return E;
}

/// Rows start at multiples of 256 bytes, as on the chip.
static hipError_t allocatePitched(void **Pointer, size_t *Pitch, size_t Width, size_t Rows) {
  if (!Pointer || !Pitch)
    return hipErrorInvalidValue;
  size_t Padded = (Width + 255) / 256 * 256;
  if (Rows && Padded > SIZE_MAX / Rows)
    return hipErrorOutOfMemory;
  hipError_t E = allocate(Pointer, Padded * Rows, sim::MemoryKind::Device);
  if (E == hipSuccess)
    *Pitch = Padded;
  return E;
}

/// Under capture, allocation is a node; its address has to be known now, so the memory is taken
/// now.
static hipError_t allocateInStream(void **Pointer, size_t Size, hipStream_t Stream) {
  if (!streamOf(Stream))
    return hipErrorInvalidResourceHandle;
  hipError_t E = allocate(Pointer, Size, sim::MemoryKind::Device);
  if (E == hipSuccess && streamOf(Stream)->Capture) {
    AllocOp Op;
    Op.Params.bytesize = Size;
    Op.Params.dptr = *Pointer;
    return submit(Stream, Op);
  }
  return E;
}

extern "C" {

hipError_t hipMalloc(void **Pointer, size_t Size) {
  ApiLock Lock;
  return done(allocate(Pointer, Size, sim::MemoryKind::Device));
}

hipError_t hipExtMallocWithFlags(void **Pointer, size_t Size, unsigned) {
  return hipMalloc(Pointer, Size);
}

hipError_t hipMallocManaged(void **Pointer, size_t Size, unsigned Flags) {
  ApiLock Lock;
  if (Flags != hipMemAttachGlobal && Flags != hipMemAttachHost)
    return done(hipErrorInvalidValue);
  if (!Size)
    return done(hipErrorInvalidValue);
  return done(allocate(Pointer, Size, sim::MemoryKind::Managed));
}

hipError_t hipHostMalloc(void **Pointer, size_t Size, unsigned Flags) {
  ApiLock Lock;
  return done(allocateHost(Pointer, Size, Flags));
}

hipError_t hipHostAlloc(void **Pointer, size_t Size, unsigned Flags) {
  return hipHostMalloc(Pointer, Size, Flags);
}

hipError_t hipMallocHost(void **Pointer, size_t Size) { return hipHostMalloc(Pointer, Size, 0); }
hipError_t hipMemAllocHost(void **Pointer, size_t Size) { return hipHostMalloc(Pointer, Size, 0); }

hipError_t hipMallocPitch(void **Pointer, size_t *Pitch, size_t Width, size_t Height) {
  ApiLock Lock;
  return done(allocatePitched(Pointer, Pitch, Width, Height));
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *Pointer, size_t *Pitch, size_t Width, size_t Height,
                            unsigned) {
  return hipMallocPitch(Pointer, Pitch, Width, Height);
}

hipError_t hipMalloc3D(hipPitchedPtr *Pitched, hipExtent Extent) {
  ApiLock Lock;
  if (!Pitched)
    return done(hipErrorInvalidValue);
  size_t Pitch = 0;
  hipError_t E = allocatePitched(&Pitched->ptr, &Pitch, Extent.width, Extent.height * Extent.depth);
  Pitched->pitch = Pitch;
  Pitched->xsize = Extent.width;
  Pitched->ysize = Extent.height;
  return done(E);
}

hipError_t hipFree(void *Pointer) {
  ApiLock Lock;
  auto It = hostBlocks().find(Pointer);
  if (It != hostBlocks().end() && It->second.Registered)
    return done(hipErrorInvalidValue);
  return doneWaiting(release(Pointer));
}

hipError_t hipHostFree(void *Pointer) {
  ApiLock Lock;
  if (Pointer && !hostBlocks().count(Pointer))
    return done(hipErrorInvalidValue);
  return doneWaiting(release(Pointer));
}

hipError_t hipFreeHost(void *Pointer) { return hipHostFree(Pointer); }

hipError_t hipHostRegister(void *Pointer, size_t Size, unsigned Flags) {
  ApiLock Lock;
  if (!Pointer || !Size)
    return done(hipErrorInvalidValue);
  if (hostBlocks().count(Pointer))
    return done(hipErrorHostMemoryAlreadyRegistered);
  if (Error E = Runtime::get().memory().adopt(Pointer, Size, sim::MemoryKind::Host)) {
    consumeError(std::move(E));
    return done(hipErrorHostMemoryAlreadyRegistered);
  }
  hostBlocks()[Pointer] = {Flags, true};
  return hipSuccess;
}

hipError_t hipHostUnregister(void *Pointer) {
  ApiLock Lock;
  auto It = hostBlocks().find(Pointer);
  if (It == hostBlocks().end() || !It->second.Registered)
    return done(Pointer ? hipErrorHostMemoryNotRegistered : hipErrorInvalidValue);
  hostBlocks().erase(It);
  if (Error E = Runtime::get().memory().release(Pointer)) {
    consumeError(std::move(E));
    return done(hipErrorInvalidValue);
  }
  return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void **Device, void *Host, unsigned Flags) {
  ApiLock Lock;
  if (!Device || !Host || Flags)
    return done(hipErrorInvalidValue);
  const sim::Allocation *A = Runtime::get().memory().lookup(reinterpret_cast<uint64_t>(Host));
  if (!A || A->Freed)
    return done(hipErrorInvalidValue);
  *Device = Host;
  return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned *Flags, void *Host) {
  ApiLock Lock;
  auto It = hostBlocks().find(Host);
  if (!Flags || It == hostBlocks().end())
    return done(hipErrorInvalidValue);
  *Flags = It->second.Flags;
  return hipSuccess;
}

hipError_t hipMemGetInfo(size_t *Free, size_t *Total) {
  ApiLock Lock;
  sim::DeviceMemory &Memory = Runtime::get().memory();
  if (Total)
    *Total = Memory.capacity();
  if (Free)
    *Free = Memory.capacity() - Memory.used();
  return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void *Pointer, size_t *Size) {
  ApiLock Lock;
  if (!Size)
    return done(hipErrorInvalidValue);
  const sim::Allocation *A = Runtime::get().memory().lookup(reinterpret_cast<uint64_t>(Pointer));
  if (!A || A->Freed)
    return done(hipErrorInvalidValue);
  *Size = A->Size;
  return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *Base, size_t *Size, hipDeviceptr_t Pointer) {
  ApiLock Lock;
  const sim::Allocation *A = Runtime::get().memory().lookup(reinterpret_cast<uint64_t>(Pointer));
  if (!A || A->Freed)
    return done(hipErrorNotFound);
  if (Base)
    *Base = reinterpret_cast<hipDeviceptr_t>(A->Base);
  if (Size)
    *Size = A->Size;
  return hipSuccess;
}

hipError_t hipMallocAsync(void **Pointer, size_t Size, hipStream_t Stream) {
  ApiLock Lock;
  return done(allocateInStream(Pointer, Size, Stream));
}

hipError_t hipMallocFromPoolAsync(void **Pointer, size_t Size, hipMemPool_t Pool,
                                  hipStream_t Stream) {
  ApiLock Lock;
  if (!pools().count(Pool))
    return done(hipErrorInvalidValue);
  return done(allocateInStream(Pointer, Size, Stream));
}

hipError_t hipFreeAsync(void *Pointer, hipStream_t Stream) {
  ApiLock Lock;
  if (!Pointer)
    return done(hipErrorInvalidValue);
  if (!streamOf(Stream))
    return done(hipErrorInvalidResourceHandle);
  if (streamOf(Stream)->Capture)
    return done(submit(Stream, FreeOp{Pointer}));
  return done(release(Pointer));
}

hipError_t hipMemPoolCreate(hipMemPool_t *Pool, const hipMemPoolProps *Props) {
  ApiLock Lock;
  if (!Pool || !Props || Props->allocType != hipMemAllocationTypePinned ||
      Props->location.type != hipMemLocationTypeDevice)
    return done(hipErrorInvalidValue);
  *Pool = new ihipMemPoolHandle_t;
  pools().insert(*Pool);
  return hipSuccess;
}

hipError_t hipMemPoolDestroy(hipMemPool_t Pool) {
  ApiLock Lock;
  if (Pool == &defaultPool() || !pools().erase(Pool))
    return done(hipErrorInvalidValue);
  delete Pool;
  return hipSuccess;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t Pool, size_t) {
  ApiLock Lock;
  return done(pools().count(Pool) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t Pool, hipMemPoolAttr Attribute, void *Value) {
  ApiLock Lock;
  if (!pools().count(Pool) || !Value)
    return done(hipErrorInvalidValue);
  switch (Attribute) {
  case hipMemPoolReuseFollowEventDependencies:
  case hipMemPoolReuseAllowOpportunistic:
  case hipMemPoolReuseAllowInternalDependencies:
    Pool->Reuse[Attribute - hipMemPoolReuseFollowEventDependencies] = *static_cast<int *>(Value);
    return hipSuccess;
  case hipMemPoolAttrReleaseThreshold:
    Pool->ReleaseThreshold = *static_cast<uint64_t *>(Value);
    return hipSuccess;
  case hipMemPoolAttrReservedMemHigh:
  case hipMemPoolAttrUsedMemHigh:
    Pool->UsedHigh = 0;
    return hipSuccess;
  default:
    return done(hipErrorInvalidValue);
  }
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t Pool, hipMemPoolAttr Attribute, void *Value) {
  ApiLock Lock;
  if (!pools().count(Pool) || !Value)
    return done(hipErrorInvalidValue);
  switch (Attribute) {
  case hipMemPoolReuseFollowEventDependencies:
  case hipMemPoolReuseAllowOpportunistic:
  case hipMemPoolReuseAllowInternalDependencies:
    *static_cast<int *>(Value) = Pool->Reuse[Attribute - hipMemPoolReuseFollowEventDependencies];
    return hipSuccess;
  case hipMemPoolAttrReleaseThreshold:
    *static_cast<uint64_t *>(Value) = Pool->ReleaseThreshold;
    return hipSuccess;
  default: // how much is in use: memory never waits in a pool here
    *static_cast<uint64_t *>(Value) = Runtime::get().memory().used();
    return hipSuccess;
  }
}

hipError_t hipMemPoolSetAccess(hipMemPool_t Pool, const hipMemAccessDesc *, size_t) {
  ApiLock Lock;
  return done(pools().count(Pool) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags *Flags, hipMemPool_t Pool, hipMemLocation *) {
  ApiLock Lock;
  if (!Flags || !pools().count(Pool))
    return done(hipErrorInvalidValue);
  *Flags = hipMemAccessFlagsProtReadWrite;
  return hipSuccess;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *Pool, int Device) {
  ApiLock Lock;
  if (!Pool || Device)
    return done(Pool ? hipErrorInvalidDevice : hipErrorInvalidValue);
  *Pool = &defaultPool();
  return hipSuccess;
}

hipError_t hipDeviceGetMemPool(hipMemPool_t *Pool, int Device) {
  return hipDeviceGetDefaultMemPool(Pool, Device);
}

hipError_t hipDeviceSetMemPool(int Device, hipMemPool_t Pool) {
  ApiLock Lock;
  if (Device)
    return done(hipErrorInvalidDevice);
  return done(pools().count(Pool) ? hipSuccess : hipErrorInvalidValue);
}

// Placement is a hint, and all memory is in one place here.
hipError_t hipMemPrefetchAsync(const void *Pointer, size_t, int, hipStream_t) {
  ApiLock Lock;
  const sim::Allocation *A = Runtime::get().memory().lookup(reinterpret_cast<uint64_t>(Pointer));
  return done(A && A->Kind == sim::MemoryKind::Managed ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemAdvise(const void *Pointer, size_t Size, hipMemoryAdvise, int) {
  return done(Pointer && Size ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipStreamAttachMemAsync(hipStream_t Stream, void *Pointer, size_t, unsigned) {
  ApiLock Lock;
  if (!streamOf(Stream))
    return done(hipErrorInvalidResourceHandle);
  return done(Pointer ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *Attributes, const void *Pointer) {
  ApiLock Lock;
  if (!Attributes || !Pointer)
    return done(hipErrorInvalidValue);
  std::memset(static_cast<void *>(Attributes), 0, sizeof *Attributes);
  const sim::Allocation *A = Runtime::get().memory().lookup(reinterpret_cast<uint64_t>(Pointer));
  if (!A || A->Freed) {
    Attributes->type = hipMemoryTypeUnregistered;
    Attributes->device = -2;
    return hipSuccess;
  }
  void *Address = const_cast<void *>(Pointer);
  Attributes->devicePointer = Address;
  switch (A->Kind) {
  case sim::MemoryKind::Host: {
    Attributes->type = hipMemoryTypeHost;
    Attributes->hostPointer = Address;
    auto It = hostBlocks().find(reinterpret_cast<void *>(A->Base));
    if (It != hostBlocks().end())
      Attributes->allocationFlags = It->second.Flags;
    break;
  }
  case sim::MemoryKind::Managed:
    Attributes->type = hipMemoryTypeManaged;
    Attributes->hostPointer = Address;
    Attributes->isManaged = 1;
    break;
  default:
    Attributes->type = hipMemoryTypeDevice;
  }
  return hipSuccess;
}

hipError_t hipPointerGetAttribute(void *Data, hipPointer_attribute Attribute,
                                  hipDeviceptr_t Pointer) {
  ApiLock Lock;
  if (!Data || !Pointer)
    return done(hipErrorInvalidValue);
  hipPointerAttribute_t All;
  if (hipError_t E = hipPointerGetAttributes(&All, Pointer))
    return E;
  if (All.type == hipMemoryTypeUnregistered)
    return done(hipErrorInvalidValue);
  const sim::Allocation *A = Runtime::get().memory().lookup(reinterpret_cast<uint64_t>(Pointer));
  switch (Attribute) {
  case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<hipMemoryType *>(Data) = All.type;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *static_cast<void **>(Data) = All.devicePointer;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    *static_cast<void **>(Data) = All.hostPointer;
    return done(All.hostPointer ? hipSuccess : hipErrorInvalidValue);
  case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    *static_cast<bool *>(Data) = All.isManaged;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(Data) = All.device;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *static_cast<uint64_t *>(Data) = A->Base;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    *static_cast<size_t *>(Data) = A->Size;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
    *static_cast<unsigned *>(Data) = unsigned(A->Serial);
    return hipSuccess;
  default:
    return unsupported("hipPointerGetAttribute with this attribute");
  }
}

} // extern "C"
