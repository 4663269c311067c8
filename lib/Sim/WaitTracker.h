//===- WaitTracker.h - Uses of a register before its s_waitcnt --*- C++ -*-===//
//
// Memory instructions return later than they are issued; code must wait for the
// counter that covers a register before it touches that register. Results here
// are there at once, so without this tracker a missing wait would go unseen.
//
// Vector memory returns in order, so the n-th last operation is done when
// vmcnt <= n. LDS operations do too, scalar loads do not: while one is pending,
// only lgkmcnt(0) proves anything. Flat operations count on both and prove
// nothing but at 0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Inst.h"

#include <cstdint>
#include <vector>

namespace hk::sim {

struct Wave;

class WaitTracker {
public:
  WaitTracker();

  /// False, and a fault, if \p I touches a register that is still to be written.
  bool check(Wave &W, const Inst &I) {
    return !Pending || checkSlow(W, I);
  }
  /// Remembers what \p I will write.
  void issued(const Inst &I) {
    if (I.Class >= InstClass::Smem && I.Class <= InstClass::Scratch)
      issuedSlow(I);
  }
  /// s_waitcnt with this immediate.
  void wait(uint32_t Imm);

  /// Operations counted by vmcnt (0) or lgkmcnt (1): so far, and those known to be done.
  uint64_t issuedSoFar(unsigned Counter) const { return Issued[Counter]; }
  uint64_t waited(unsigned Counter) const { return Done[Counter]; }

private:
  enum Counter : uint8_t { Vm, Lgkm, Both };
  struct Load {
    uint64_t Number[2]; ///< in the order of vector memory, and of LDS and scalar memory
    Counter Count;
    const Inst *I;
  };

  bool checkSlow(Wave &W, const Inst &I);
  void issuedSlow(const Inst &I);
  void retire();
  bool done(const Load &L) const;
  bool checkRange(Wave &W, const Inst &I, bool Scalar, unsigned First, unsigned Count);

  std::vector<Load> Loads;
  std::vector<uint16_t> Vector, Scalar; ///< index + 1 into Loads, a register
  uint64_t Issued[2] = {0, 0}, Done[2] = {0, 0};
  uint64_t LastSmem = 0; ///< the number of the latest scalar load
  uint64_t LastFlat[2] = {0, 0};
  unsigned Pending = 0;
};

} // namespace hk::sim
