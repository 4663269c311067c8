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
  void begin(Launch &Of, bool Counting);
  /// Takes workgroups from the launch until there are none, or a fault ends it.
  void run();
  void end();
  Worker &worker() { return Thread; }

private:
  enum class State { Done, Busy, Waiting, Failed };

  std::unique_ptr<Workgroup> start(uint64_t Linear);
  State advance(Workgroup &G);
  void setUp(Wave &W, Workgroup &G, unsigned Items, const uint32_t (&Size)[3]);
  bool releaseBarrier(Workgroup &G);
  void recycle(std::unique_ptr<Workgroup> G);
  void fail(Workgroup &G, Wave &W);
  void hang(Workgroup &G);
  void overran(Workgroup &G, Wave &W);

  static void release(std::unique_ptr<Wave> W);

  Launch *L = nullptr;
  RunWave Run;
  Worker Thread;
  std::vector<std::unique_ptr<Workgroup>> Active, Spare;
  std::vector<std::unique_ptr<Wave>> SpareWaves;
};

} // namespace hk::sim
