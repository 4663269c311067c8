//===- Snapshot.h - Device memory after each launch -------------*- C++ -*-===//
#pragma once

#include "Operation.h"

namespace hk::hip {

/// Adds what memory holds now to the file that HK_SIM_SNAPSHOT names, if it does.
void snapshot(const KernelOp &Op);

} // namespace hk::hip
