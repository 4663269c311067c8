//===- Counters.h - What a launch did, counted ------------------*- C++ -*-===//
//
// Exact counts of what was executed. Two of them rest on an assumption about
// the chip: LDS bank conflicts (32 banks of 4 bytes; lanes go in groups of
// consecutive ones, 32 for up to 4 bytes, 16 for 8, 8 for 16; lanes of a group that
// read the same dword share it) and MFMA cycles (the published issue table).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hk::sim {

enum class InstClass : uint8_t {
  Salu,
  Valu,
  ValuTranscendental, ///< quarter rate: rcp, sqrt, exp, sin, 32-bit integer multiply
  ValuDouble,
  Mfma,
  Smem,
  Lds,
  LdsAtomic,
  GlobalLoad,
  GlobalStore,
  GlobalAtomic,
  Scratch,
  Branch,
  Barrier,
  Wait,
  Message, ///< s_sendmsg, s_sleep, s_nop and other housekeeping
};
constexpr unsigned NumInstClasses = unsigned(InstClass::Message) + 1;
/// "salu", "global_load", ...
llvm::StringRef name(InstClass Class);

struct Counters {
  uint64_t Waves = 0;
  uint64_t Workgroups = 0;
  uint64_t WaveInstructions = 0;
  std::array<uint64_t, NumInstClasses> ByClass = {};
  /// Of vector and memory instructions: lanes that took part, of 64 each.
  uint64_t LaneSlots = 0, ActiveLanes = 0;

  uint64_t Segments64 = 0, Lines128 = 0;       ///< touched, summed over wave instructions
  uint64_t Segments64Min = 0, Lines128Min = 0; ///< the fewest that hold the same bytes
  uint64_t BytesLoaded = 0, BytesStored = 0;   ///< lanes times access size
  uint64_t BytesUsed = 0;                      ///< distinct bytes, summed over wave instructions
  uint64_t Atomics = 0;                        ///< lane operations, global and LDS
  uint64_t LdsBytes = 0;
  uint64_t LdsCycles = 0, LdsConflicts = 0; ///< cycles, and those above the fewest possible
  uint64_t Barriers = 0;                    ///< executed by workgroups
  uint64_t Mfma = 0, MfmaCycles = 0;

  Counters &operator+=(const Counters &O);
  uint64_t operator[](InstClass C) const { return ByClass[unsigned(C)]; }
};

struct LineCounters {
  std::string File; ///< empty: code without a line
  unsigned Line = 0;
  Counters Counts;
};

} // namespace hk::sim
