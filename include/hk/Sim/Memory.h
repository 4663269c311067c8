//===- Memory.h - Memory that simulated kernels may touch -------*- C++ -*-===//
//
// A device address is the host address of the same byte, so nothing is ever
// translated: managed, host and device memory are pointers a program can pass
// around, and a kernel reads what the host wrote. What makes an access valid is
// this map of allocations. Allocations never touch each other (redzones), and a
// freed one stays in the map for as long as the quarantine holds it, so that a
// use after free is told from a wild address.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

namespace hk::sim {

enum class MemoryKind : uint8_t {
  Device,   ///< the host reaches it by copies only
  Managed,  ///< both sides use it
  Host,     ///< pinned or registered host memory
  Variable, ///< a global variable of a module
  Code,     ///< a module's text and constants
  Internal, ///< kernel arguments and the like
};
llvm::StringRef name(MemoryKind Kind);

/// A bit a byte. Pages of it that nobody has touched cost nothing, as with the memory itself.
class ByteBits {
public:
  ByteBits() = default;
  ~ByteBits() { clear(); }
  ByteBits(const ByteBits &) = delete;
  ByteBits &operator=(const ByteBits &) = delete;

  /// Zeros for this many bytes; false if the host has no memory.
  bool create(uint64_t Count);
  void clear();
  explicit operator bool() const { return Words; }
  std::atomic<uint64_t> &operator[](uint64_t Word) const { return Words[Word]; }

private:
  std::atomic<uint64_t> *Words = nullptr;
  uint64_t MappedBytes = 0;
};

struct Allocation {
  uint64_t Base = 0;
  uint64_t Size = 0;
  MemoryKind Kind = MemoryKind::Device;
  bool ReadOnly = false; ///< a kernel's store is a fault
  std::atomic<bool> Freed = false;
  uint64_t Serial = 0; ///< numbered in order of allocation, from 1
  std::string Label;   ///< of a variable: its name
  /// Which bytes were written since it was allocated. Empty: not tracked, all counts as written.
  ByteBits Written;

  uint64_t end() const { return Base + Size; }
  bool contains(uint64_t Address, uint64_t Bytes = 1) const {
    return Address - Base < Size && Bytes <= Size - (Address - Base);
  }

  /// How it was mapped, for DeviceMemory alone.
  void *Mapping = nullptr;
  uint64_t MappingSize = 0;
};

/// All functions may be called from several threads, also while kernels run.
class DeviceMemory {
public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Memory of its own, aligned to 4096 bytes if that large, else to 256. \p Size may be 0.
  llvm::Expected<void *> allocate(uint64_t Size, MemoryKind Kind = MemoryKind::Device);
  /// Fails for what is not the base of a live allocation made by allocate().
  llvm::Error free(void *Base);

  /// For memory that serves again and again, all of it at its base: from now on it counts as freed,
  /// but stays; and as \p Size live bytes, no more than were allocated.
  void retire(void *Base);
  void revive(void *Base, uint64_t Size);

  /// Makes memory that is somebody else's known: registered host memory, variables.
  llvm::Error adopt(void *Base, uint64_t Size, MemoryKind Kind, llvm::StringRef Label = "",
                    bool ReadOnly = false);
  /// Undoes adopt(). The memory is forgotten, not freed.
  llvm::Error release(void *Base);

  /// The allocation, live or freed, that has \p Address; null if there is none. The pointer is good
  /// until the next allocate(), free() or release() while no kernel runs.
  const Allocation *lookup(uint64_t Address) const;
  /// The allocation with the highest base below \p Address, to say what a wild address is next to.
  const Allocation *before(uint64_t Address) const;

  /// Bytes in live allocations of Device and Managed kind.
  uint64_t used() const { return Used.load(std::memory_order_relaxed); }
  /// What allocate() will hand out at most; 192 GiB as on the chip unless set.
  void setCapacity(uint64_t Bytes) { Capacity = Bytes; }
  uint64_t capacity() const { return Capacity; }

  /// From now on, allocations remember which bytes were written. The host says what it writes by
  /// markWritten(); Host and Managed memory is never tracked.
  void trackWritten(bool On) { Tracking = On; }
  void markWritten(uint64_t Address, uint64_t Bytes);

  /// Kernels keep pointers to allocations; while one runs, the quarantine lets nothing go.
  void beginLaunch() { ++Launches; }
  void endLaunch() { --Launches; }

private:
  using Map = std::map<uint64_t, std::unique_ptr<Allocation>>;

  llvm::Error insert(std::unique_ptr<Allocation> A);
  void unmap(Allocation &A);
  void drainQuarantine();

  mutable std::shared_mutex Mutex;
  Map Allocations;
  std::deque<uint64_t> Quarantine; // bases, oldest first
  uint64_t QuarantineBytes = 0;
  std::atomic<uint64_t> Used = 0;
  std::atomic<unsigned> Launches = 0;
  uint64_t Capacity = uint64_t(192) << 30;
  uint64_t NextSerial = 1;
  std::atomic<bool> Tracking = false;
};

/// Marks bytes of a tracked allocation; nothing if it is not tracked.
void markWritten(Allocation &A, uint64_t Offset, uint64_t Bytes);
/// True if all of these bytes were written.
bool isWritten(const Allocation &A, uint64_t Offset, uint64_t Bytes);

} // namespace hk::sim
