//===- hk/gemm/workgroup.h - What the kernels of hk::gemm have in common -------===//
#pragma once

#include "hk/gemm/instructions.h"
#include "hk/platform.h"
#include "hk/vector.h"

namespace hk {
namespace detail {

/// A value that is the same in all lanes of a wavefront, as one that the compiler knows to be.
template <class T> HK_DEVICE T waveUniform(T value) {
  static_assert(sizeof(T) == 4);
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
  return T(__builtin_amdgcn_readfirstlane(value));
#else
  return value;
#endif
}

/// The number of a wavefront.
HK_DEVICE int waveOf(int thread) { return waveUniform(thread / WaveSize); }

HK_DEVICE char *dynamicLds() {
  extern __shared__ __attribute__((aligned(16))) char hkGemmLds[];
  return hkGemmLds;
}

/// With which of its \p count blocks of K a tile begins. Tiles begin at different ones: rows are often a multiple of many kilobytes
/// apart, so that the same place of all rows lies in few of the memory's channels.
HK_DEVICE int firstBlock(int tile, int count) { return count > 0 ? int(uint32_t(tile) * 5 % uint32_t(count)) : 0; }

/// The stages of K of a split, in the order in which it takes them. Splits take turns, so that together they read contiguous memory.
class StageTurns {
public:
  HK_DEVICE StageTurns(int stages, int split, int splits, int tile)
      : count(split < stages ? (stages - split + splits - 1) / splits : 0), split(split), splits(splits),
        offset(firstBlock(tile, count)) {}
  /// The number of its stage \p n.
  HK_DEVICE int of(int n) const {
    const int turn = n + offset < count ? n + offset : n + offset - count;
    return split + turn * splits;
  }

  const int count;

private:
  int split, splits, offset;
};

/// Adds the N sums of \p raw.
template <class Sum, int N> HK_DEVICE void addSums(Sum (&sums)[N], const Raw<Sum, N> &raw) {
  Sum values[N];
  raw.unpack(values);
#pragma unroll
  for (int n = 0; n < N; ++n)
    sums[n] += values[n];
}

/// N sums to memory or LDS, aligned to a vector.
template <class Sum, int N> HK_DEVICE void storeSums(Sum *to, const Sum (&sums)[N]) {
  Raw<Sum, N> raw;
  raw.template pack<Overflow::Special>(sums);
  store<true>(to, raw);
}

/// The Op::Run results of a lane from \p r on, which are neighbours.
template <class Op> HK_DEVICE void storeResults(typename Op::Sum *to, const Sums<typename Op::Sum> &sums, int r) {
  typename Op::Sum values[Op::Run];
#pragma unroll
  for (int n = 0; n < Op::Run; ++n)
    values[n] = Op::result(sums, r + n);
  if constexpr (Op::Run == 1)
    *to = values[0];
  else
    storeSums(to, values);
}

} // namespace detail
} // namespace hk
