//===- CoalesceRecords.h - Arrays of structs by way of LDS ------*- C++ -*-===//
//
// Where each work-item uses a record of its own, a struct or K consecutive
// elements, lanes are a record apart. The version written here lets a workgroup
// move its records, which are neighbours, through LDS.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"
#include "hk/Passes/Pass.h"

#include <variant>

namespace hk {

std::variant<KernelVersion, Declined> stageRecords(const KernelSource &S, const PassOptions &Opts);

} // namespace hk
