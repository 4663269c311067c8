//===- Memory.cpp - Allocations with redzones and a quarantine ------------===//
//
// Small allocations come from the heap with a redzone on both sides. Large ones
// are mappings of their own: pages are committed when they are touched, and
// what is freed gives its pages back but keeps its addresses, so remembering
// it costs nothing.
//
//===----------------------------------------------------------------------===//

#include "hk/Sim/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <mutex>
#include <sys/mman.h>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {
constexpr uint64_t Page = 4096;
constexpr uint64_t SmallAlignment = 256;
constexpr uint64_t QuarantineEntries = 4096;
constexpr uint64_t QuarantineLimit = uint64_t(1) << 40; // addresses, not memory

Error failure(const Twine &Message) { return createStringError(inconvertibleErrorCode(), Message); }
} // namespace

StringRef sim::name(MemoryKind Kind) {
  switch (Kind) {
  case MemoryKind::Device:
    return "device memory";
  case MemoryKind::Managed:
    return "managed memory";
  case MemoryKind::Host:
    return "host memory";
  case MemoryKind::Variable:
    return "variable";
  case MemoryKind::Code:
    return "code";
  case MemoryKind::Internal:
    return "argument memory";
  }
  return "memory";
}

bool ByteBits::create(uint64_t Count) {
  clear();
  uint64_t Bytes = alignTo(divideCeil(std::max<uint64_t>(Count, 1), 64) * 8, Page);
  void *M = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (M == MAP_FAILED)
    return false;
  Words = static_cast<std::atomic<uint64_t> *>(M);
  MappedBytes = Bytes;
  return true;
}

void ByteBits::clear() {
  if (Words)
    ::munmap(Words, MappedBytes);
  Words = nullptr;
}

/// The bits of one word that are of the bytes from \p I to \p End.
static uint64_t bitsOfWord(uint64_t I, uint64_t End, uint64_t &Count) {
  unsigned Bit = I % 64;
  Count = std::min<uint64_t>(64 - Bit, End - I);
  return (Count == 64 ? ~uint64_t(0) : (uint64_t(1) << Count) - 1) << Bit;
}

void sim::markWritten(Allocation &A, uint64_t Offset, uint64_t Bytes) {
  if (!A.Written)
    return;
  for (uint64_t I = Offset, End = Offset + Bytes; I < End;) {
    uint64_t Count, Mask = bitsOfWord(I, End, Count);
    std::atomic<uint64_t> &Word = A.Written[I / 64];
    if ((Word.load(std::memory_order_relaxed) & Mask) != Mask)
      Word.fetch_or(Mask, std::memory_order_relaxed);
    I += Count;
  }
}

bool sim::isWritten(const Allocation &A, uint64_t Offset, uint64_t Bytes) {
  if (!A.Written)
    return true;
  for (uint64_t I = Offset, End = Offset + Bytes; I < End;) {
    uint64_t Count, Mask = bitsOfWord(I, End, Count);
    if (~A.Written[I / 64].load(std::memory_order_relaxed) & Mask)
      return false;
    I += Count;
  }
  return true;
}

DeviceMemory::DeviceMemory() = default;

DeviceMemory::~DeviceMemory() {
  for (auto &[Base, A] : Allocations)
    if (A->Mapping)
      ::munmap(A->Mapping, A->MappingSize);
}

Expected<void *> DeviceMemory::allocate(uint64_t Size, MemoryKind Kind) {
  bool Counts = Kind == MemoryKind::Device || Kind == MemoryKind::Managed;
  if (Size > Capacity || (Counts && Used + Size > Capacity))
    return failure("out of device memory: " + Twine(Size) + " bytes asked, " +
                   Twine(Capacity - std::min<uint64_t>(Used, Capacity)) + " left");
  // A redzone in proportion finds an index that is off by a row, within twice the memory.
  uint64_t Redzone = std::clamp<uint64_t>(Size / 4, SmallAlignment, 16 * Page);
  bool Large = Size >= 4 * Page;
  Redzone = alignTo(Redzone, Large ? Page : SmallAlignment);
  uint64_t Total = alignTo(Size, SmallAlignment) + 2 * Redzone;
  Total = alignTo(Total, Page);
  void *Mapping = ::mmap(nullptr, Total, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Mapping == MAP_FAILED)
    return failure("out of host memory for " + Twine(Size) + " bytes of device memory");

  // Touching it page by page would cost more than what a kernel does with it.
  if (Size >= 1024 * Page)
    ::madvise(Mapping, Total, MADV_HUGEPAGE);

  auto A = std::make_unique<Allocation>();
  A->Mapping = Mapping;
  A->MappingSize = Total;
  A->Base = reinterpret_cast<uint64_t>(Mapping) + Redzone;
  A->Size = Size;
  A->Kind = Kind;
  if (Tracking && Kind == MemoryKind::Device && !A->Written.create(Size)) {
    ::munmap(Mapping, Total);
    return failure("out of host memory for " + Twine(Size) + " bytes of device memory");
  }
  void *Result = reinterpret_cast<void *>(A->Base);
  if (Error E = insert(std::move(A)))
    return std::move(E);
  if (Counts)
    Used += Size;
  return Result;
}

Error DeviceMemory::insert(std::unique_ptr<Allocation> A) {
  std::unique_lock Lock(Mutex);
  // What was freed or released at these addresses is over: somebody else has them now.
  auto It = Allocations.upper_bound(A->Base);
  if (It != Allocations.begin() && std::prev(It)->second->end() > A->Base)
    --It;
  while (It != Allocations.end() && It->second->Base < std::max(A->end(), A->Base + 1)) {
    Allocation &Old = *It->second;
    if (Old.end() <= A->Base && Old.Base != A->Base) {
      ++It;
      continue;
    }
    if (!Old.Freed)
      return failure("the memory overlaps memory that is known already");
    llvm::erase(Quarantine, Old.Base);
    It = Allocations.erase(It);
  }
  A->Serial = NextSerial++;
  uint64_t Base = A->Base;
  Allocations[Base] = std::move(A);
  return Error::success();
}

Error DeviceMemory::free(void *Base) {
  std::unique_lock Lock(Mutex);
  auto It = Allocations.find(reinterpret_cast<uint64_t>(Base));
  if (It == Allocations.end() || !It->second->Mapping)
    return failure("the address is not the start of an allocation");
  Allocation &A = *It->second;
  if (A.Freed)
    return failure("the memory was freed before");
  A.Freed = true;
  A.Written.clear();
  if (A.Kind == MemoryKind::Device || A.Kind == MemoryKind::Managed)
    Used -= A.Size;
  // Gives the pages back; what the addresses hold from now on traps.
  ::mmap(A.Mapping, A.MappingSize, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  Quarantine.push_back(A.Base);
  QuarantineBytes += A.MappingSize;
  drainQuarantine();
  return Error::success();
}

void DeviceMemory::drainQuarantine() {
  while (!Launches && !Quarantine.empty() &&
         (Quarantine.size() > QuarantineEntries || QuarantineBytes > QuarantineLimit)) {
    auto It = Allocations.find(Quarantine.front());
    Quarantine.pop_front();
    if (It == Allocations.end())
      continue;
    QuarantineBytes -= It->second->MappingSize;
    ::munmap(It->second->Mapping, It->second->MappingSize);
    Allocations.erase(It);
  }
}

void DeviceMemory::retire(void *Base) {
  std::unique_lock Lock(Mutex);
  auto It = Allocations.find(reinterpret_cast<uint64_t>(Base));
  if (It != Allocations.end())
    It->second->Freed = true;
}

void DeviceMemory::revive(void *Base, uint64_t Size) {
  std::unique_lock Lock(Mutex);
  auto It = Allocations.find(reinterpret_cast<uint64_t>(Base));
  if (It == Allocations.end())
    return;
  It->second->Freed = false;
  It->second->Size = Size;
}

Error DeviceMemory::adopt(void *Base, uint64_t Size, MemoryKind Kind, StringRef Label,
                          bool ReadOnly) {
  auto A = std::make_unique<Allocation>();
  A->Base = reinterpret_cast<uint64_t>(Base);
  A->Size = Size;
  A->Kind = Kind;
  A->Label = Label.str();
  A->ReadOnly = ReadOnly;
  return insert(std::move(A));
}

Error DeviceMemory::release(void *Base) {
  std::unique_lock Lock(Mutex);
  auto It = Allocations.find(reinterpret_cast<uint64_t>(Base));
  if (It == Allocations.end() || It->second->Mapping)
    return failure("the address is not the start of registered memory");
  if (Launches) {
    It->second->Freed = true; // a kernel may hold on to it
    return Error::success();
  }
  Allocations.erase(It);
  return Error::success();
}

const Allocation *DeviceMemory::lookup(uint64_t Address) const {
  const Allocation *A = before(Address);
  return A && A->contains(Address) ? A : nullptr;
}

const Allocation *DeviceMemory::before(uint64_t Address) const {
  std::shared_lock Lock(Mutex);
  auto It = Allocations.upper_bound(Address);
  return It == Allocations.begin() ? nullptr : std::prev(It)->second.get();
}

void DeviceMemory::markWritten(uint64_t Address, uint64_t Bytes) {
  std::shared_lock Lock(Mutex);
  auto It = Allocations.upper_bound(Address);
  if (It == Allocations.begin())
    return;
  Allocation &A = *std::prev(It)->second;
  if (A.contains(Address, Bytes))
    sim::markWritten(A, Address - A.Base, Bytes);
}
