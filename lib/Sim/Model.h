//===- Model.h - Ranks two versions of a kernel -----------------*- C++ -*-===//
#pragma once

#include "hk/Sim/Device.h"

namespace hk::sim {

/// Cycles by the tightest of four limits: issue, matrix cores, LDS, memory. It leaves out latency,
/// waits and caches, so it compares two versions on one target and is no time of any chip.
double modelCycles(const Kernel &K, const LaunchConfig &Config, const Counters &C);

} // namespace hk::sim
