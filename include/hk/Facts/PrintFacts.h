//===- PrintFacts.h - Facts as text -----------------------------*- C++ -*-===//
#pragma once

#include "hk/Facts/KernelFacts.h"

namespace llvm {
class raw_ostream;
}

namespace hk {

/// The printing mode behind `hk-opt facts`: stable text, for people and tests. docs/facts.md explains each line.
void printFacts(llvm::raw_ostream &OS, const KernelFacts &K, bool AssumeNoAlias);

} // namespace hk
