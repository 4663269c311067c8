//===- Trace.h - Prints what instructions did -------------------*- C++ -*-===//
#pragma once

namespace hk::sim {
struct Wave;
struct Inst;
/// One line on stderr: workgroup, wavefront, address, mnemonic, destination, EXEC.
void traceInstruction(Wave &W, const Inst &I);
} // namespace hk::sim
