//===- Occupancy.h - Wavefronts that a compute unit holds -------*- C++ -*-===//
//
// Of wave64 kernels: what registers, LDS and the size of workgroups allow. The
// figures are those of AMD's published ISA documents and of the compiler's
// resource reports.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>

namespace hk {

/// What workgroups share.
struct ComputeUnit {
  unsigned Simds = 4;
  unsigned WavesOfSimd = 8;
  unsigned RegistersOfSimd = 512; ///< vector registers a lane, for all wavefronts of a SIMD
  unsigned Workgroups = 32;
  unsigned LdsBytes = 65536;
};

/// That of "gfx90a", "gfx942" or "gfx950".
ComputeUnit computeUnit(const std::string &Target);

/// Workgroups of a compute unit that have \p Threads work-items and \p Lds bytes of LDS, and a lane
/// \p Registers vector registers; 0 if none fits.
unsigned residentWorkgroups(const ComputeUnit &Unit, unsigned Threads, unsigned Lds,
                            unsigned Registers);

/// Wavefronts of a compute unit when workgroups have \p Threads work-items and \p Lds bytes of LDS,
/// and a lane \p Registers vector registers; 0 if none fits.
unsigned residentWaves(const ComputeUnit &Unit, unsigned Threads, unsigned Lds,
                       unsigned Registers = 64);

/// The size of workgroups, of 64 to 1024 work-items, with which most wavefronts are resident; 256
/// of equals, and then the one nearest to it. \p Lds: bytes that a workgroup of a size takes.
unsigned bestWorkgroup(const ComputeUnit &Unit, const std::function<unsigned(unsigned)> &Lds);

} // namespace hk
