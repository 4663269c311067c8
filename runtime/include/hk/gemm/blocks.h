//===- hk/gemm/blocks.h - Rows of W in blocks of K, from memory to registers ----===//
//
// What the kernels that read W without LDS have in common, those of stream_kernel.h and dot_kernel.h:
//
//   BlockPlace        where the blocks of K that a wavefront multiplies begin, one after another
//   multiplyBlocks()  the order of loads and multiplications: Depth blocks of W, and XDepth of X, are under way
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/factor.h"
#include "hk/gemm/split.h"

namespace hk {
namespace detail {

/// Keeps what is computed from a lane's offset next to its use: an address is then a scalar base and 32 bits of the lane's in one
/// instruction, instead of a sum of 64 bits.
HK_DEVICE uint32_t keepHere(uint32_t offset) {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
  asm volatile("" : "+v"(offset));
#endif
  return offset;
}

/// Where the next block of a factor begins in its rows, in units of 1 / Scale element; after the last comes the first. A row
/// has less than 2^32 bytes.
template <int Scale> class BlockPlace {
public:
  BlockPlace() = default;
  HK_DEVICE BlockPlace(int first, int count, int step, int from)
      : at(uint32_t(first + from * step) * Scale), last(uint32_t(first + (count - 1) * step) * Scale),
        first(uint32_t(first) * Scale), step(uint32_t(step) * Scale) {}
  HK_DEVICE uint32_t next() {
    const uint32_t now = at;
    at = now == last ? first : now + step;
    return now;
  }

private:
  uint32_t at, last, first, step;
};

/// \p count blocks. A loop has fetchW(d) and fetchX(d), which ask for the next block of a factor to be put in its registers of
/// number d, and multiply(d, x), which multiplies what those of W and of X hold. Calls \p await() when the first blocks of W have
/// been asked for; on NVIDIA before any of X is. Many: there are at least 2 * Depth.
template <bool Many, int Depth, int XDepth, class Loop, class Await>
HK_DEVICE void multiplyBlocks(Loop &loop, int count, Await await) {
  static_assert(Depth % XDepth == 0);
  // NVIDIA: as much of W as possible before the wait. AMD: in the order in which they are needed, as loads come back in order.
#pragma unroll
  for (int d = 0; d < Depth; ++d) {
    if (Many || d < count)
      loop.fetchW(d);
    if (HK_AMD && d < XDepth && (Many || d < count))
      loop.fetchX(d);
  }
  await();
#pragma unroll
  for (int d = 0; d < XDepth; ++d)
    if (HK_NVIDIA && (Many || d < count))
      loop.fetchX(d);
  int left = count;
  if constexpr (Many) {
    for (; left >= 2 * Depth; left -= Depth) {
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        loop.multiply(d, d % XDepth);
        loop.fetchW(d);
        loop.fetchX(d % XDepth);
      }
    }
  }
#pragma unroll
  for (int d = 0; d < 2 * Depth - 1; ++d) {
    if ((Many && d < Depth) || d < left)
      loop.multiply(d % Depth, d % XDepth);
    if (d < Depth - 1 && d + Depth < left)
      loop.fetchW(d);
    if ((Many && d + XDepth < Depth) || d + XDepth < left)
      loop.fetchX(d % XDepth);
  }
}

} // namespace detail
} // namespace hk
