//===- Scheduler.h - Who runs next ------------------------------*- C++ -*-===//
//
// A thread runs one workgroup to its end before it starts another, except that
// a workgroup which waits (its wavefronts sleep, or execute long without
// changing memory) steps back for the next: workgroups may wait for each other.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Wave.h"

#include <memory>
#include <vector>

namespace hk::sim {

class Scheduler {
public:
  Scheduler();
  ~Scheduler();

  /// A scheduler serves one launch after the other and keeps what is costly to make: wavefronts
  /// with their registers, LDS, room for counters.
  void begin(Launch &Of, unsigned Number, bool Counting);
  /// Takes workgroups from the launch until there are none, or a fault ends it.
  void run();
  void end();
  Worker &worker() { return Thread; }

private:
  enum class State { Done, Busy, Waiting, Failed };
  /// What wavefronts that change nothing do; see Hang.cpp.
  enum class Idling { Repeat, Poll, Compute, Changed };

  std::unique_ptr<Workgroup> start(uint64_t Linear);
  State advance(Workgroup &G);
  void setUp(Wave &W, Workgroup &G, unsigned Items, const uint32_t (&Size)[3]);
  bool releaseBarrier(Workgroup &G);
  void recycle(std::unique_ptr<Workgroup> G);
  void fail(Workgroup &G, Wave &W);
  void overran(Workgroup &G, Wave &W);
  Idling probe(Workgroup &G, Wave &W);
  Idling probe();
  bool isHang(uint64_t Progress);
  void hang();
  void moved();

  void runGroups();

  static void release(std::unique_ptr<Wave> W);

  Launch *L = nullptr;
  unsigned Index = 0; ///< of the thread
  RunWave Run;
  Worker Thread;
  std::vector<std::unique_ptr<Workgroup>> Active, Spare;
  std::vector<std::unique_ptr<Wave>> SpareWaves;
  uint64_t Idle = 0;      ///< instructions since something changed
  uint64_t NextProbe = 0; ///< the Idle at which a hang is looked for again
};

} // namespace hk::sim
