//===- hk/split.h - Workgroups that share a row ---------------------------===//
//
// With fewer rows than compute units, one workgroup a row leaves most of the device idle. Here `parts` workgroups share
// a row: each reduces its part, and they exchange the partial results while they run.
//
// NVIDIA (sm_90): the workgroups are a cluster. Each wavefront writes its result to the LDS of every workgroup of the
// cluster; one cluster barrier makes them visible. The hardware starts a cluster as a whole.
//
// AMD: through a workspace in device memory, which every workgroup of the launch sees. Each 32-bit word of a partial
// result is stored together with the 32-bit number of the launch, as one 64-bit atomic store, in a slot of its own; a
// workgroup waits until all slots of its row carry the launch's number. So no memory has to be cleared between launches
// and no order is needed between two words: a slot is either of this launch, and complete, or not.
//   The number is one more than the `epoch` in the workspace. Workgroups read it when they start and count themselves
// in `arrived` when they have read the slots; the last one resets the counter and advances the epoch, for the next
// launch. A graph that is replayed finds what any launch finds. After 2^32 - 2 launches the last one clears all slots, so
// that no old number comes back.
//   The result is deterministic: all workgroups combine the same numbers in the same order.
//   Progress: a workgroup waits only for others of its own launch, so all of them have to become resident. planRows() starts
// at most one workgroup a compute unit; the kernels are compiled for at most 4 wavefronts a workgroup and at least 4 a
// SIMD (with RowsAtOnce rows: 2 and 2), so that a compute unit has room for 4 such workgroups. A process has at most 4 hardware queues unless it asks for
// more (GPU_MAX_HW_QUEUES), so that at most 4 launches compete, and kernels that do not wait end by themselves. Do not
// pass a workspace where more processes or queues than that run such launches at once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/launch.h"
#include "hk/sync.h"
#include "hk/wave.h"

namespace hk {
namespace detail {

constexpr int MaxParts = 16;
/// Exchanges of one launch, each with words of its own.
constexpr int MaxExchanges = 2;
constexpr int MaxExchangeWords = 4;

struct WorkspaceLayout {
  static constexpr int Slots = 1216; ///< of each word: parts of all rows of a launch
  uint32_t epoch;
  uint32_t arrived;
  uint32_t unused[30];
  uint64_t slot[MaxExchanges * MaxExchangeWords][Slots];
};
static_assert(sizeof(WorkspaceLayout) <= Workspace::Bytes);

#if HK_AMD

/// Exchanges through device memory. All members are called by the first wavefront of the workgroup, whole.
class Exchange {
public:
  /// \p first: the slot of the first row's first part; rows follow each other.
  HK_DEVICE Exchange(void *workspace, int first, int part, int parts)
      : layout(static_cast<WorkspaceLayout *>(workspace)), first(first), part(part), parts(parts) {
    epoch = __hip_atomic_load(&layout->epoch, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }

  /// Combines each \p state over the parts of its row. \p number: of this exchange in the launch. Several rows need a
  /// power of two of parts, and parts * G lanes.
  template <class R, int G> HK_DEVICE void combine(typename R::State (&state)[G], int number, int lane) {
    static_assert(R::Words <= MaxExchangeWords);
    const uint32_t tag = epoch + 1;
    if (lane < G) {
#pragma unroll
      for (int w = 0; w < R::Words; ++w) {
        float mine = state[0].word[w];
#pragma unroll
        for (int g = 1; g < G; ++g)
          mine = lane == g ? state[g].word[w] : mine;
        __hip_atomic_store(slot(number, w) + lane * parts + part,
                           uint64_t(tag) << 32 | __builtin_bit_cast(uint32_t, mine), __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_AGENT);
      }
    }
    const int slots = G * parts;
    typename R::State all = R::identity();
#pragma unroll
    for (int w = 0; w < R::Words; ++w) {
      // Lanes beyond the slots look at the last one.
      const uint64_t *from = slot(number, w) + (lane < slots ? lane : slots - 1);
      uint64_t found;
      while (true) {
        found = __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        if (__builtin_amdgcn_ballot_w64(uint32_t(found >> 32) != tag) == 0)
          break;
        __builtin_amdgcn_s_sleep(1);
      }
      if (lane < slots)
        all.word[w] = __builtin_bit_cast(float, uint32_t(found));
    }
    all = reduceLanes<R>(all, powerOfTwoFrom(parts));
#pragma unroll
    for (int g = 0; g < G; ++g)
#pragma unroll
      for (int w = 0; w < R::Words; ++w)
        state[g].word[w] = __builtin_bit_cast(
            float, __builtin_amdgcn_readlane(__builtin_bit_cast(int, all.word[w]), g * parts));
  }

  /// After the last exchange. \p workgroups: of the launch.
  HK_DEVICE void leave(uint32_t workgroups, int lane) {
    if (lane != 0)
      return;
    const uint32_t before =
        __hip_atomic_fetch_add(&layout->arrived, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (before != workgroups - 1)
      return;
    // All others are past their last read of a slot, and of the epoch.
    uint32_t next = epoch + 1;
    if (next == 0xffffffffu) {
      for (auto &word : layout->slot)
        for (uint64_t &one : word)
          __hip_atomic_store(&one, uint64_t(0), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      next = 0;
    }
    __hip_atomic_store(&layout->arrived, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_store(&layout->epoch, next, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }

private:
  HK_DEVICE uint64_t *slot(int number, int word) const {
    return layout->slot[number * MaxExchangeWords + word] + first;
  }

  WorkspaceLayout *layout;
  uint32_t epoch;
  int first, part, parts;
};

#else

/// Says that this workgroup runs, so that others may write to its LDS; combineCluster() needs all of them to have said so.
HK_DEVICE void enterCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
HK_DEVICE void awaitCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// Writes the result of a wavefront to the LDS of all workgroups of the cluster, and waits for those of the others.
/// `lds` is the same place in each, of R::Words * MaxParts * MaxWaves floats; the next exchange needs another one.
template <class R>
HK_DEVICE typename R::State combineCluster(const typename R::State &state, float *lds, int part, int parts, int wave,
                                           int waves, int lane) {
#if __CUDA_ARCH__ >= 900
  const int entries = parts * waves, own = part * waves + wave;
#pragma unroll
  for (int w = 0; w < R::Words; ++w)
    if (lane < parts) {
      const uint32_t here = uint32_t(__cvta_generic_to_shared(lds + w * MaxParts * MaxWaves + own));
      uint32_t there;
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(lane));
      asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(state.word[w]) : "memory");
    }
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  typename R::State all = R::identity();
  for (int at = lane; at < entries; at += WaveSize) {
    typename R::State one;
#pragma unroll
    for (int w = 0; w < R::Words; ++w)
      one.word[w] = lds[w * MaxParts * MaxWaves + at];
    all = R::combine(all, one);
  }
  return reduceWave<R>(all);
#else
  return state;
#endif
}

#endif

} // namespace detail
} // namespace hk
