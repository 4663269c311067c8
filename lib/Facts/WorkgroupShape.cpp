//===- WorkgroupShape.cpp -------------------------------------------------===//

#include "hk/Facts/WorkgroupShape.h"

#include "hk/Frontend/TranslationUnit.h"

#include <algorithm>

using namespace hk;

WorkgroupShape hk::workgroupShape(const TranslationUnit &TU, const Kernel &K, bool AssumeLaunches) {
  WorkgroupShape S;
  // HIP refuses a launch of more work-items than the bound, so it holds whoever launches.
  if (K.LaunchBoundsThreads) {
    S.MaxItems = std::min(S.MaxItems, K.LaunchBoundsThreads);
    for (unsigned &M : S.MaxDim)
      M = S.MaxItems;
    S.Source = "__launch_bounds__(" + std::to_string(K.LaunchBoundsThreads) + ")";
  }
  // A header may be included by files that are not in view.
  bool Closed = K.InternalLinkage && !K.EscapesLaunch && !K.InHeader;
  if (!Closed && !AssumeLaunches)
    return S;

  bool Any = false;
  std::array<std::optional<unsigned>, 3> Common;
  std::array<unsigned, 3> Largest{0, 0, 0};
  uint64_t LargestItems = 0;
  for (const Launch &L : TU.Launches) {
    if (L.Kernel != K.Mangled)
      continue;
    uint64_t Items = 1;
    for (unsigned D = 0; D < 3; ++D) {
      const LaunchDim &B = L.Block[D];
      bool Constant = B.Kind == LaunchDim::Constant && B.Value >= 1 && B.Value <= 1024;
      unsigned Value = Constant ? unsigned(B.Value) : 0;
      if (!Any)
        Common[D] = Constant ? std::optional<unsigned>(Value) : std::nullopt;
      else if (!Constant || Common[D] != Value)
        Common[D] = std::nullopt;
      unsigned Bound = Constant ? Value : S.MaxDim[D];
      Largest[D] = std::max(Largest[D], Bound);
      Items *= Bound;
    }
    LargestItems = std::max(LargestItems, Items);
    Any = true;
  }
  // A kernel nobody launches here runs nowhere or is launched elsewhere: nothing is known either way.
  if (!Any)
    return S;
  S.Dim = Common;
  for (unsigned D = 0; D < 3; ++D)
    S.MaxDim[D] = std::min(S.MaxDim[D], Largest[D]);
  S.MaxItems = unsigned(std::min<uint64_t>(S.MaxItems, LargestItems));
  if (S.Dim[0] || S.Dim[1] || S.Dim[2]) {
    std::string Text;
    for (unsigned D = 0; D < 3; ++D)
      Text += (D ? "x" : "") + (S.Dim[D] ? std::to_string(*S.Dim[D]) : std::string("?"));
    S.Source = "launched with " + Text + " work-items a workgroup";
    S.Assumed = !Closed;
  }
  return S;
}
