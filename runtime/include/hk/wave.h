//===- hk/wave.h - Reductions over the lanes of a wavefront ---------------===//
//
// A reduction type R has
//
//   struct State { float word[R::Words]; }    what is combined
//   static State identity()
//   static State combine(State a, State b)    associative up to rounding
//
// AMD moves data between lanes with DPP, which is part of the VALU instruction that adds (CDNA3 ISA, "Data Parallel
// Primitives"): no LDS is touched within 16 lanes and none over the whole wavefront. NVIDIA shuffles. Each lane of a
// group gets the same bits, whatever the schedule: sums are taken in a fixed order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"

namespace hk {
namespace detail {

#if HK_AMD
enum Dpp : int {
  QuadSwap1 = 0xB1,   // quad_perm:[1,0,3,2]
  QuadSwap2 = 0x4E,   // quad_perm:[2,3,0,1]
  HalfMirror = 0x141, // lane i of 8 reads lane 7 - i
  Mirror = 0x140,     // lane i of 16 reads lane 15 - i
  Broadcast15 = 0x142, // lane 15 of each 16 to the next 16
  Broadcast31 = 0x143, // lane 31 to the upper half
};

/// \p value of the lane that \p Control names; in rows of 16 lanes that are not in \p Rows, \p old. If all are, `old` plays
/// no part, and saying so (bound_ctrl) makes the move a part of the instruction that uses it.
template <int Control, int Rows = 0xf> HK_DEVICE float dpp(float value, float old) {
  return __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(__builtin_bit_cast(int, old),
                                                               __builtin_bit_cast(int, value), Control, Rows, 0xf,
                                                               Rows == 0xf));
}

template <class R, int Control, int Rows = 0xf>
HK_DEVICE typename R::State combineDpp(const typename R::State &state) {
  typename R::State other;
  const typename R::State none = R::identity();
#pragma unroll
  for (int w = 0; w < R::Words; ++w)
    other.word[w] = dpp<Control, Rows>(state.word[w], Rows == 0xf ? state.word[w] : none.word[w]);
  return R::combine(state, other);
}

template <class R> HK_DEVICE typename R::State combineSwap16(const typename R::State &state) {
  typename R::State other;
#pragma unroll
  for (int w = 0; w < R::Words; ++w) // swizzle within 32 lanes: xor 16
    other.word[w] =
        __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, state.word[w]), 0x401F));
  return R::combine(state, other);
}
#else
template <class R> HK_DEVICE typename R::State combineXor(const typename R::State &state, int mask) {
  typename R::State other;
#pragma unroll
  for (int w = 0; w < R::Words; ++w)
    other.word[w] = __shfl_xor_sync(0xffffffffu, state.word[w], mask);
  return R::combine(state, other);
}
#endif

} // namespace detail

/// Reduces over each aligned group of \p width lanes: a power of two, at most WaveSize, the same in all lanes. All
/// lanes of the wavefront have to be here, and each gets its group's result.
template <class R> HK_DEVICE typename R::State reduceLanes(typename R::State state, int width) {
#if HK_AMD
  using namespace detail;
  if (width > 1)
    state = combineDpp<R, QuadSwap1>(state);
  if (width > 2)
    state = combineDpp<R, QuadSwap2>(state);
  if (width > 4)
    state = combineDpp<R, HalfMirror>(state);
  if (width > 8)
    state = combineDpp<R, Mirror>(state);
  if (width == 32)
    state = combineSwap16<R>(state);
  if (width == 64) {
    state = combineDpp<R, Broadcast15, 0xa>(state);
    state = combineDpp<R, Broadcast31, 0xc>(state);
#pragma unroll
    for (int w = 0; w < R::Words; ++w)
      state.word[w] = __builtin_bit_cast(
          float, __builtin_amdgcn_readlane(__builtin_bit_cast(int, state.word[w]), 63));
  }
#else
  for (int mask = 1; mask < width; mask *= 2)
    state = detail::combineXor<R>(state, mask);
#endif
  return state;
}

/// Reduces over the whole wavefront.
template <class R> HK_DEVICE typename R::State reduceWave(typename R::State state) {
  return reduceLanes<R>(state, WaveSize);
}

/// The next power of two that is not below \p n > 0.
HK_HOST_DEVICE constexpr int powerOfTwoFrom(int n) {
  int p = 1;
  while (p < n)
    p *= 2;
  return p;
}

/// Wavefronts of a workgroup.
constexpr int MaxWaves = 1024 / WaveSize;

/// A reduction over the wavefronts of a workgroup, around a barrier: each publishes its result in `lds`, of R::Words *
/// MaxWaves floats, and all collect. `lds` is read until the next barrier but one: the next reduction needs another.
template <class R> HK_DEVICE void publishWave(const typename R::State &state, float *lds, int wave, int lane) {
  if (lane == 0) {
#pragma unroll
    for (int w = 0; w < R::Words; ++w)
      lds[w * MaxWaves + wave] = state.word[w];
  }
}

/// Combines what \p count wavefronts have published.
template <class R> HK_DEVICE typename R::State collectWaves(const float *lds, int count, int lane) {
#if HK_AMD
  constexpr int width = MaxWaves; // what is not needed costs less than asking
#else
  const int width = 1 << (32 - __clz(count - 1)); // the power of two from count
#endif
  const int slot = lane & (width - 1), from = slot < count ? slot : 0;
  typename R::State state = R::identity();
#pragma unroll
  for (int w = 0; w < R::Words; ++w) {
    const float found = lds[w * MaxWaves + from];
    state.word[w] = slot < count ? found : state.word[w];
  }
  return reduceLanes<R>(state, width);
}

} // namespace hk
