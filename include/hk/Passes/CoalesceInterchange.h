//===- CoalesceInterchange.h - Lanes share what one work-item did -*- C++ -*-===//
//
// A work-item that goes through consecutive elements leaves the lanes of its
// wavefront far apart. In the version written here a group of work-items does
// what one did: it shares the iterations of such loops and puts together what
// they reduce; all else each lane does alike, and one of them stores.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"
#include "hk/Passes/Pass.h"

#include <variant>

namespace hk {

std::variant<KernelVersion, Declined> interchange(const KernelSource &S, const PassOptions &Opts);

} // namespace hk
