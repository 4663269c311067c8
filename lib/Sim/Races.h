//===- Races.h - Unordered accesses inside a workgroup ----------*- C++ -*-===//
//
// Wavefronts are the threads of this detector, since a wavefront's instructions
// are ordered; a barrier orders everything before it with everything behind it.
// So two accesses of different wavefronts race if no barrier of the workgroup
// lies between them. Atomics do not race with each other, and a
// release/acquire chain through them orders what it connects: an atomic passes
// on the clock of the last one at its address.
//
// A barrier orders accesses of LDS only that have been waited for: those of LDS
// instructions with lgkmcnt, loads from memory straight into LDS with vmcnt.
// Global memory needs no wait for this, since the wavefronts of a workgroup share
// the vector cache of their CU, which works in order ("Memory Model gfx942" of
// LLVM's AMDGPUUsage: a release at workgroup scope waits for lgkmcnt only).
//
// What happened to a dword of global memory is one of few histories: the lanes of
// an instruction repeat, loops repeat. Histories are kept once, and a dword has
// the number of its own, in 2 bytes mostly. A barrier orders all of them, so there
// everything is forgotten. Dwords of LDS, of which there are few, have a history
// each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Inst.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace hk::sim {

struct Wave;
struct Workgroup;

enum class MemoryUse : uint8_t { Load, Store, Atomic };

/// An atomic load or store is an ordinary instruction that goes past caches; so is a volatile one.
bool synchronizes(const Inst &I, MemoryUse Use);

class RaceDetector {
public:
  RaceDetector();

  /// A workgroup starts.
  void reset(unsigned Waves, uint32_t LdsSize);
  /// False, and a fault, if a lane's access races with an earlier one. \p Lds: addresses are offsets.
  bool access(Wave &W, const Inst &I, const uint64_t *Address, uint64_t Lanes, unsigned Bytes,
              MemoryUse Use, bool Lds);
  /// All wavefronts that run have met.
  void barrier(const Workgroup &G);

private:
  /// What is known of a wavefront: how far it was, and how many of its operations had been waited
  /// for.
  struct Known {
    uint32_t Time = 0;
    uint64_t Waited[2] = {0, 0};
    /// True if something was new.
    bool learn(const Known &O) {
      bool New = O.Time > Time || O.Waited[0] > Waited[0] || O.Waited[1] > Waited[1];
      Time = std::max(Time, O.Time);
      for (unsigned N : {0, 1})
        Waited[N] = std::max(Waited[N], O.Waited[N]);
      return New;
    }
  };
  using Clock = std::vector<Known>; // a wavefront's knowledge of each other one

  struct Touch {
    const Inst *I = nullptr;
    uint32_t Time = 0; ///< of the wavefront that did it
    uint64_t Number = 0; ///< that the wait for it must cover; 0: none
    uint8_t Wave = 0, Lane = 0;
    bool Atomic = false;
    uint8_t Counter = 0; ///< of Number: 0 vmcnt, 1 lgkmcnt

    bool operator==(const Touch &) const = default;
  };
  /// Of 4 bytes: the last write and who has read since.
  struct History {
    uint8_t WriteBytes = 0, ReadBytes = 0;
    Touch Write;
    std::vector<Touch> Readers; ///< one a wavefront

    bool operator==(const History &) const = default;
    uint64_t hash() const;
  };
  /// Numbers of histories for the dwords of a page; 0: nothing happened.
  struct Page {
    static constexpr unsigned Cells = 1024;
    uint16_t Low[Cells] = {};
    std::unique_ptr<uint16_t[]> High; ///< only if a number needs it

    uint32_t get(unsigned N) const { return Low[N] | (High ? uint32_t(High[N]) << 16 : 0); }
    void set(unsigned N, uint32_t X) {
      Low[N] = uint16_t(X);
      if (!High && X >> 16)
        High = std::make_unique<uint16_t[]>(Cells);
      if (High)
        High[N] = uint16_t(X >> 16);
    }
  };
  /// What an access made of a history before, as long as no wavefront has learned anything.
  struct Step {
    const Inst *I = nullptr;
    uint64_t Version = 0;
    uint32_t From = 0, To = 0, How = 0;
  };

  bool check(Wave &W, const Inst &I, History &C, uint64_t Address, uint8_t ByteMask, unsigned Lane,
             MemoryUse Use, bool Lds);
  bool met(const Touch &T, unsigned Wave) const { return T.Time <= Clocks[Wave][T.Wave].Time; }
  bool ordered(const Touch &T, unsigned Wave) const {
    return met(T, Wave) && T.Number <= Clocks[Wave][T.Wave].Waited[T.Counter];
  }
  /// \p W is at a point that others learn from.
  void noteWaits(const Wave &W);
  bool report(Wave &W, const Inst &I, const Touch &T, uint64_t Address, unsigned Lane,
              MemoryUse Use, bool Wrote, bool Lds);
  void forget();
  Page &page(uint64_t Number);
  uint32_t number(History H);
  /// Drops histories that no dword has any more.
  void collect();
  bool learn(const Clock &From, unsigned Wave);

  std::vector<Clock> Clocks;
  std::vector<History> LdsCells;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  std::vector<std::unique_ptr<Page>> SparePages;
  Page *LastPage = nullptr;
  uint64_t LastNumber = 0;
  std::vector<History> Histories;
  std::unordered_multimap<uint64_t, uint32_t> ByHash;
  size_t CollectAt = 60000;
  std::vector<Step> Memo;
  uint64_t Version = 1;
  std::unordered_map<uint64_t, Clock> Released; ///< by address of an atomic
};

} // namespace hk::sim
