//===- Occupancy.cpp ------------------------------------------------------===//

#include "hk/Target/Occupancy.h"

#include <algorithm>

using namespace hk;

ComputeUnit hk::computeUnit(const std::string &Target) {
  ComputeUnit Unit;
  if (Target == "gfx950")
    Unit.LdsBytes = 160 * 1024;
  return Unit;
}

unsigned hk::residentWorkgroups(const ComputeUnit &Unit, unsigned Threads, unsigned Lds,
                                unsigned Registers) {
  const unsigned Waves = (Threads + 63) / 64;
  // Registers are given out in groups of 8.
  const unsigned Own = std::clamp((Registers + 7) / 8 * 8, 8u, Unit.RegistersOfSimd);
  const unsigned OfSimd = std::min(Unit.WavesOfSimd, Unit.RegistersOfSimd / Own);
  unsigned Workgroups = std::min(Unit.Workgroups, OfSimd * Unit.Simds / Waves);
  if (Lds)
    Workgroups = std::min(Workgroups, Unit.LdsBytes / Lds);
  return Workgroups;
}

unsigned hk::residentWaves(const ComputeUnit &Unit, unsigned Threads, unsigned Lds,
                           unsigned Registers) {
  return residentWorkgroups(Unit, Threads, Lds, Registers) * ((Threads + 63) / 64);
}

unsigned hk::bestWorkgroup(const ComputeUnit &Unit, const std::function<unsigned(unsigned)> &Lds) {
  unsigned Best = 256;
  for (unsigned Threads : {128u, 512u, 64u, 1024u})
    if (residentWaves(Unit, Threads, Lds(Threads)) > residentWaves(Unit, Best, Lds(Best)))
      Best = Threads;
  return Best;
}
