// planGemm() beside an exhaustive search in the model of time: all configurations, and all numbers of splits up to 64, and
// streamed. The plan's time is at most 5 % more, since it does not look at all numbers; it can be run; and it never needs more
// than the workspace.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: {{[0-9]+}} problems: none wrong
#include "hk/gemm.h"

#include <cstdio>

using namespace hk;
using namespace hk::detail;

namespace {

double exhaustive(const Target &target, const GemmProblem &p, size_t workspace) {
  double least = 1e300;
  forEachConfig([&](GemmMode mode, int, const ConfigShape &c) {
    if (!canRun(target, p, c) || (mode != GemmMode::Tile && p.m > c.tileM) || (p.m > c.tileM && p.m <= 64))
      return;
    for (int splits = 0; splits <= 64; ++splits)
      if (canSplit(target, p, c, splits) && splitBytes(target, p, c, splits) <= workspace &&
          (splits <= 1 || splits <= ceilDivide(p.k * p.factorBytes, c.blockBytes))) {
        const double time = timeOf(target, p, mode, c, splits);
        least = time < least ? time : least;
      }
  });
  return least;
}

} // namespace

int main() {
  int problems = 0, wrong = 0;
  const Target targets[] = {{Arch::Gfx90a, 104}, {Arch::Gfx942, 304}, {Arch::Gfx942, 38}, {Arch::Gfx950, 256}};
  const int64_t shapes[][2] = {{2304, 16384}, {16384, 2048}, {13312, 16384}, {1280, 8192}, {5120, 2880}, {2112, 7168},
                               {512, 7168},   {128, 2880},   {17, 7},        {4096, 0},    {28672, 4096}};
  for (const Target &target : targets)
    for (const auto &[n, k] : shapes)
      for (const int64_t m : {1, 3, 8, 9, 16, 31, 32, 64, 65, 500, 4096})
        for (const int bytes : {1, 2, 4, 8})
          for (const bool alongK : {true, false})
            for (const size_t workspace : {size_t(0), MostPooled}) {
              const GemmProblem p{m, n, k, 1, bytes, bytes == 8 ? 8 : 4, alongK, true, bytes <= 2, false};
              const GemmPlan plan = planGemm(target, p, workspace);
              const ConfigShape c = shapeOf(plan.mode, plan.config);
              const double least = exhaustive(target, p, workspace);
              // Dot has to be a tenth better than the others.
              const double most = (plan.mode == GemmMode::Dot ? 1.0 : 1.1) * 1.05 * least;
              ++problems;
              if (!canRun(target, p, c) || !canSplit(target, p, c, plan.splits) ||
                  splitBytes(target, p, c, plan.splits) > workspace || !(timeOf(target, p, plan.mode, c, plan.splits) <= most)) {
                ++wrong;
                std::printf("%d units, %lldx%lldx%lld of %d bytes: mode %d, %d, %d splits: %.2f us, not %.2f\n",
                            target.computeUnits, (long long)m, (long long)n, (long long)k, bytes, int(plan.mode),
                            plan.config, plan.splits, timeOf(target, p, plan.mode, c, plan.splits), least);
              }
            }
  if (wrong)
    std::printf("%d wrong of %d\n", wrong, problems);
  else
    std::printf("%d problems: none wrong\n", problems);
  return wrong != 0;
}
