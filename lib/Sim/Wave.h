//===- Wave.h - State of a wavefront, its workgroup and its launch --------===//
//
// Registers are arrays that handlers index by numbers which decoding has put in
// range: VGPRs row by row with 64 lanes each, scalars by their encoded number,
// so VCC, M0 and EXEC are ordinary entries.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Inst.h"
#include "hk/Sim/Device.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace hk::sim {

class Program;
class RaceDetector;
class WaitTracker;
struct Workgroup;
struct Worker;
struct Launch;

constexpr unsigned NumLanes = 64;
constexpr uint64_t FullMask = ~uint64_t(0);

/// Flat addresses of LDS and scratch: no host address has these high halves.
constexpr uint64_t SharedBase = uint64_t(1) << 48;
constexpr uint64_t PrivateBase = uint64_t(2) << 48;
constexpr uint64_t ApertureMask = ~uint64_t(0xffffffff);

enum class Stop : uint8_t { None, Barrier, End, Fault, Yield };

struct Wave {
  /// 512 rows and some more that a wide access at the end may run into.
  static constexpr unsigned Rows = 512 + 32;

  uint32_t (*V)[NumLanes] = nullptr;
  alignas(64) uint32_t S[160] = {};
  alignas(64) uint32_t Mask[NumLanes] = {}; ///< EXEC as lanes of ones and zeros
  uint64_t MaskOf = 0;                      ///< the EXEC that Mask was made from

  const Inst *Next = nullptr;
  Stop Stopped = Stop::None;
  bool Scc = false;
  /// MODE has a rounding or denormal setting that is not the host's, or GPR indexing is on: each
  /// instruction takes the slow way.
  bool Special = false;
  bool GprIndexing = false;
  uint32_t Mode = 0;
  uint32_t TrapStatus = 0;

  Workgroup *Group = nullptr;
  Worker *Thread = nullptr;
  Launch *L = nullptr;
  WaitTracker *Waits = nullptr; ///< null: not asked for
  unsigned Number = 0;          ///< in the workgroup
  uint64_t Executed = 0;        ///< instructions
  uint64_t Slept = 0;           ///< cycles of s_sleep
  uint8_t *Scratch = nullptr;   ///< a stack a lane, one after the other
  uint32_t ScratchSize = 0;     ///< bytes a lane
  uint32_t ScratchRoom = 0;     ///< bytes a lane that were allocated
  uint32_t ScratchUsed = 0;     ///< bytes a lane that may hold something
  /// Rows that may hold something, architected and accumulation ones.
  unsigned RowsUsed = 0, AccRowsUsed = 0;
  std::unique_ptr<Fault> Failure;

  /// The clock that the wavefront reads: what was executed, at the rate of one SIMD, and slept.
  uint64_t cycles() const { return 4 * Executed + Slept; }

  uint64_t pair(unsigned N) const {
    uint64_t X;
    std::memcpy(&X, &S[N], 8);
    return X;
  }
  void setPair(unsigned N, uint64_t X) { std::memcpy(&S[N], &X, 8); }
  uint64_t exec() const { return pair(SgprExec); }
  void setExec(uint64_t X) { setPair(SgprExec, X); }
  uint64_t vcc() const { return pair(SgprVcc); }

  /// EXEC as 64 words.
  const uint32_t *execMask() {
    uint64_t X = exec();
    if (X != MaskOf)
      makeMask(X);
    return Mask;
  }
  void makeMask(uint64_t X);

  /// Stops the wavefront with a fault at \p I.
  void fault(const Inst &I, FaultKind Kind, const llvm::Twine &Message, int Lane = -1,
             uint64_t Address = 0);
};

struct Workgroup {
  uint32_t Id[3] = {0, 0, 0};
  uint64_t Linear = 0;
  std::vector<std::unique_ptr<Wave>> Waves;
  uint8_t *Lds = nullptr;
  uint32_t LdsSize = 0;
  std::vector<uint8_t> LdsStorage;
  std::vector<uint8_t> LdsWritten; ///< a flag a byte, if uninitialized reads are faults
  std::unique_ptr<RaceDetector> Races;
  uint64_t Turn = 0; ///< position in the schedule
  uint64_t Idle = 0; ///< time slices without progress
};

/// Counted at each instruction; two words in the hot loop.
struct InstCount {
  uint64_t Count = 0, Lanes = 0;
};
struct AccessCount {
  uint64_t Segments64 = 0, Lines128 = 0, Segments64Min = 0, Lines128Min = 0;
  uint64_t BytesLoaded = 0, BytesStored = 0, BytesUsed = 0;
  uint64_t Atomics = 0, LdsBytes = 0, LdsCycles = 0, LdsConflicts = 0;
};

/// What belongs to one host thread of a launch.
struct Worker {
  std::vector<InstCount> Counts;
  std::vector<AccessCount> Accesses;
  /// For each memory instruction the allocation it hit last: most never touch another.
  std::vector<const Allocation *> LastHit;
  uint64_t Barriers = 0;
  uint64_t Progress = 0; ///< stores, changing atomics, barriers and ends so far
  uint64_t ClockReads = 0;
  uint64_t Workgroups = 0, Waves = 0;
  bool Counting = false;

  /// Blocks of the program that were entered since reset(): only their counters are not zero.
  std::vector<uint32_t> Blocks;
  std::vector<uint8_t> Entered; ///< the same by block

  /// To be called when control gets to \p I in another way than from its own block: makes room for
  /// what is counted there.
  void enter(const Inst &I, Program &Code) {
    if (I.Block >= Entered.size() || !Entered[I.Block]) [[unlikely]]
      enterSlow(I, Code);
  }
  /// Forgets everything about a launch of this program.
  void reset(Program &Code);

private:
  void enterSlow(const Inst &I, Program &Code);

public:
};

/// What all threads of a launch share.
struct Launch {
  const DeviceOptions &Options;
  DeviceMemory &Memory;
  const Kernel &K;
  const LaunchConfig &Config;
  const Module &Owner;
  Program &Code;
  uint64_t Kernarg = 0;
  uint64_t DispatchPacket = 0;
  uint64_t Queue = 0;
  uint32_t LdsSize = 0;
  uint32_t ScratchSize = 0;
  uint32_t Items[3] = {1, 1, 1}; ///< of the grid
  uint64_t Groups = 0;
  unsigned WavesPerGroup = 0;
  bool Checks = false; ///< races or uninitialized reads are looked for
  bool Trace = false;

  std::atomic<uint64_t> NextGroup = 0;
  std::atomic<uint64_t> Progress = 0; ///< changes whenever some thread got on
  /// For each thread: 0 while it may still change something; else one more than the Progress at
  /// which all its workgroups were seen to do the same over and over, or UINT64_MAX if it has ended.
  std::vector<std::atomic<uint64_t>> Stuck;
  /// The fault of the workgroup with the lowest number so far.
  std::mutex FaultMutex;
  std::atomic<uint64_t> FaultGroup = UINT64_MAX;
  std::unique_ptr<Fault> FirstFault;

  Launch(const DeviceOptions &Options, DeviceMemory &Memory, const Kernel &K,
         const LaunchConfig &Config, Program &Code)
      : Options(Options), Memory(Memory), K(K), Config(Config), Owner(*K.Owner), Code(Code) {}
};

/// Runs a wavefront until it stops or has executed \p Budget instructions.
using RunWave = void (*)(Wave &W, uint64_t Budget);
RunWave runWaveForHost();

/// Reads a scalar source that is no plain register.
uint64_t readSpecial(const Wave &W, unsigned Code);
FaultPlace placeOf(const Module &M, uint64_t Pc);
/// To be called when MODE changes.
void updateMode(Wave &W, uint32_t Mode);

} // namespace hk::sim
