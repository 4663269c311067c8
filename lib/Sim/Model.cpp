//===- Model.cpp - Ranks two versions of a kernel -------------------------===//

#include "Model.h"

#include <algorithm>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

struct Target {
  StringRef Name;
  double Units;         ///< compute units of the device
  double BytesPerCycle; ///< memory bandwidth over the clock
};
constexpr Target Targets[] = {
    {"gfx90a", 104, 1600.0 / 1.7}, {"gfx942", 304, 5300.0 / 2.1}, {"gfx950", 256, 8000.0 / 2.4}};

} // namespace

double sim::modelCycles(const Kernel &K, const LaunchConfig &Config, const Counters &C) {
  const Target *T = &Targets[1];
  for (const Target &X : Targets)
    if (X.Name == K.Owner->processor())
      T = &X;
  // Few workgroups leave compute units idle, and few wavefronts SIMDs.
  double Groups = std::max<double>(1, C.Workgroups);
  double Units = std::min(T->Units, Groups);
  double Resident = std::min(4 * Units, std::max<double>(1, C.Waves));
  // A wavefront's vector instruction takes 4 cycles of its SIMD, quarter rate ones 16.
  double Issue = 4.0 * (C[InstClass::Valu] + C[InstClass::ValuDouble]) +
                 16.0 * C[InstClass::ValuTranscendental] +
                 4.0 * (C[InstClass::Lds] + C[InstClass::LdsAtomic] + C[InstClass::GlobalLoad] +
                        C[InstClass::GlobalStore] + C[InstClass::GlobalAtomic] +
                        C[InstClass::Scratch] + C[InstClass::Mfma]);
  double Scalar = 4.0 * (C[InstClass::Salu] + C[InstClass::Smem] + C[InstClass::Branch] +
                         C[InstClass::Wait] + C[InstClass::Barrier] + C[InstClass::Message]);
  double Matrix = double(C.MfmaCycles);
  double Lds = double(C.LdsCycles);
  double Memory = 128.0 * double(C.Lines128);
  (void)Config;
  return std::max({std::max(Issue, Scalar) / Resident, Matrix / Resident, Lds / Units,
                   Memory / T->BytesPerCycle});
}
