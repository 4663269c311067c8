//===- hk/records.h - Records of a workgroup, by way of LDS ---------------===//
//
// Where each work-item uses all of a record, a struct or a few consecutive elements, lanes are a record apart. A workgroup whose
// records are neighbours moves them all, lanes side by side, and each work-item finds its own in LDS:
//
//   __shared__ hk::Records<const float, 3, 256>::Memory memory;
//   const hk::Records<const float, 3, 256> pixel(memory, rgb + 3 * first, count); // records of this workgroup
//   pixel.load();
//   gray = pixel[0] * 0.3f + pixel[1] * 0.6f + pixel[2] * 0.1f;                   // this work-item's
//
// Records lie an odd number of words apart, so that lanes are on different banks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/items.h"
#include "hk/platform.h"
#include "hk/sync.h"

#include <type_traits>

namespace hk {

/// \p Threads records of \p K elements of \p T, of a workgroup of as many work-items; T is const for those that are only read.
template <class T, int K, unsigned Threads> class Records {
  using Value = std::remove_const_t<T>;
  static_assert(std::is_trivially_copyable<Value>::value, "records are copied as bytes");
  static constexpr unsigned RecordBytes = K * sizeof(T);
  static constexpr bool IsWords = RecordBytes % 4 == 0 && alignof(T) >= 4;
  /// Bytes from record to record in LDS: an odd number of banks, or of what is loaded at once, so that lanes are on different ones.
  static constexpr unsigned Grain = alignof(T) < 4 ? 4 : unsigned(alignof(T));
  static constexpr unsigned Apart = IsWords && RecordBytes / Grain % 2 == 0 ? RecordBytes + Grain : RecordBytes;

public:
  struct Memory {
    alignas(Grain < 16 ? 16 : Grain) unsigned char bytes[Threads * Apart];
  };

  /// \p first: the first record of this workgroup; \p count: how many there are.
  HK_DEVICE Records(Memory &memory, T *first, unsigned count) : memory(memory), first(first), count(count) {}

  /// The records can be used behind.
  HK_DEVICE void load() const {
    move<true>();
    sync::lds();
  }
  /// What all work-items have written of their records goes to memory.
  HK_DEVICE void store() const {
    sync::lds();
    move<false>();
  }
  /// An element of this work-item's record.
  HK_DEVICE T &operator[](int element) const {
    return reinterpret_cast<Value *>(memory.bytes + threadIdx.x * Apart)[element];
  }
  /// The record that is one element.
  HK_DEVICE T &own() const { return (*this)[0]; }

private:
  Memory &memory;
  T *first;
  unsigned count;

  /// Copies units of \p Unit bytes; all of them if the memory allows it.
  template <bool Load, class Unit> HK_DEVICE void moveUnits() const {
    constexpr unsigned Size = sizeof(Unit);
    auto *global = reinterpret_cast<unsigned char *>(const_cast<Value *>(first));
    const unsigned bytes = count * RecordBytes, units = bytes / Size;
    auto place = [](unsigned at) { return Apart == RecordBytes ? at : at / RecordBytes * Apart + at % RecordBytes; };
    auto moveOne = [&](unsigned u) {
      Unit value;
      if constexpr (Load) {
        value = reinterpret_cast<const Unit *>(global)[u];
        __builtin_memcpy(memory.bytes + place(u * Size), &value, Size);
      } else {
        __builtin_memcpy(&value, memory.bytes + place(u * Size), Size);
        reinterpret_cast<Unit *>(global)[u] = value;
      }
    };
    if (count == Threads) { // all moves are under way at once
      constexpr unsigned All = Threads * RecordBytes / Size;
#pragma unroll
      for (unsigned n = 0; n < All / Threads; ++n)
        moveOne(n * Threads + threadIdx.x);
      if (All % Threads && threadIdx.x < All % Threads)
        moveOne(All / Threads * Threads + threadIdx.x);
      return;
    }
    for (unsigned u = threadIdx.x; u < units; u += Threads)
      moveOne(u);
    if (Size > 1 && threadIdx.x < bytes % Size) {
      const unsigned at = units * Size + threadIdx.x;
      if constexpr (Load)
        memory.bytes[place(at)] = global[at];
      else
        global[at] = memory.bytes[place(at)];
    }
  }
  template <bool Load> HK_DEVICE void move() const {
    // A unit may not reach over the gap between two records in LDS.
    if constexpr (!IsWords && alignof(T) == 1) {
      if (reinterpret_cast<uintptr_t>(first) % 4 == 0)
        moveUnits<Load, uint32_t>();
      else
        moveUnits<Load, unsigned char>();
    } else if constexpr (!IsWords) {
      moveUnits<Load, uint16_t>();
    } else {
      moveUnits<Load, uint32_t>();
    }
  }
};

} // namespace hk
