//===- Counters.cpp - Names and sums --------------------------------------===//

#include "hk/Sim/Counters.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

StringRef sim::name(InstClass Class) {
  static constexpr StringRef Names[NumInstClasses] = {
      "salu",         "valu",          "valu_transcendental",
      "valu_double",  "mfma",          "smem",
      "lds",          "lds_atomic",    "global_load",
      "global_store", "global_atomic", "scratch",
      "branch",       "barrier",       "wait",
      "message"};
  return Names[unsigned(Class)];
}

Counters &Counters::operator+=(const Counters &O) {
  Waves += O.Waves;
  Workgroups += O.Workgroups;
  WaveInstructions += O.WaveInstructions;
  for (unsigned C = 0; C != NumInstClasses; ++C)
    ByClass[C] += O.ByClass[C];
  LaneSlots += O.LaneSlots;
  ActiveLanes += O.ActiveLanes;
  Segments64 += O.Segments64;
  Lines128 += O.Lines128;
  Segments64Min += O.Segments64Min;
  Lines128Min += O.Lines128Min;
  BytesLoaded += O.BytesLoaded;
  BytesStored += O.BytesStored;
  BytesUsed += O.BytesUsed;
  Atomics += O.Atomics;
  LdsBytes += O.LdsBytes;
  LdsCycles += O.LdsCycles;
  LdsConflicts += O.LdsConflicts;
  Barriers += O.Barriers;
  Mfma += O.Mfma;
  MfmaCycles += O.MfmaCycles;
  return *this;
}
