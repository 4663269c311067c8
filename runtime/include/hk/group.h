//===- hk/group.h - A group of work-items that does what one did ----------===//
//
// A kernel in which one work-item goes through a row leaves neighbouring lanes a row apart. Here the lanes of a group share
// the row: they go through it side by side, and what each has summed up is put together behind the loop.
//
//   template <class Row> __global__ void sums(const float *x, float *y, int rows, int columns, hk::Groups groups) {
//     Row row(groups);
//     if (row.isPast())
//       return;
//     float sum = 0;
//     for (int c : row.over(0, columns))     // lane 0, lane 1, ... read neighbours
//       sum += x[row.item() * columns + c];
//     sum = row.sum(sum);                    // all lanes have it
//     if (row.isLeader())
//       y[row.item()] = sum;
//   }
//   hk::launchGroups(rows, columns, hk::Rows::Once, stream, sums<hk::Group<hk::InWave>>, sums<hk::Group<256>>,
//                    sums<hk::Group<512>>, sums<hk::Group<1024>>, x, y, rows, columns);
//
// All lanes of a group have to reach each of its reductions and sync(); groups of one wavefront need not go together.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"
#include "hk/streams.h"

#include <cstddef>
#include <type_traits>

namespace hk {

namespace detail {

HK_DEVICE void trap() {
#if HK_AMD
  __builtin_trap();
#else
  __trap();
#endif
}

/// Numbers From, From + Step, ... that are left to one lane.
template <class T, class Count> class LaneNumbers {
public:
  struct Iterator {
    T base;
    Count at, stride, count;
    T step;
    HK_DEVICE T operator*() const { return T(base + T(at) * step); }
    HK_DEVICE void operator++() { at += stride; }
    HK_DEVICE bool operator!=(const Iterator &) const { return at < count; }
  };
  HK_DEVICE LaneNumbers(T base, T step, Count count, unsigned lane, unsigned lanes)
      : from{base, Count(lane), Count(lanes), count, step} {}
  HK_DEVICE Iterator begin() const { return from; }
  HK_DEVICE Iterator end() const { return from; }

private:
  Iterator from;
};

/// The value of the lane that differs by \p mask in its number; \p lanes are those of the group, for NVIDIA.
template <class T> HK_DEVICE T exchange(T value, int mask, unsigned long long lanes) {
  static_assert(std::is_trivially_copyable<T>::value, "reductions are over plain values");
  constexpr int Words = (sizeof(T) + 3) / 4;
  uint32_t words[Words] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (uint32_t &word : words) {
#if HK_AMD
    (void)lanes;
    word = uint32_t(__shfl_xor(int(word), mask, WaveSize));
#else
    word = __shfl_xor_sync(unsigned(lanes), word, mask);
#endif
  }
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}

} // namespace detail

/// Where `for (i = from; i < to; ++i)` may end because `start + (i - from) < limit` does not hold from there on.
template <class T, class U, class X, class N> HK_DEVICE T endOf(T from, U to, X start, N limit) {
  using Count = unsigned long long;
  const Count trips = from < to ? Count(to) - Count(from) : 0;
  const Count room = start < limit ? Count(limit) - Count(start) : 0;
  return T(from + T(trips < room ? trips : room));
}

/// What a launch says of its groups: how many there are, and the lanes of each, for those within a wavefront.
struct Groups {
  unsigned items;
  unsigned lanesLog2;
};

/// Lanes of a Group that is told at the launch how many they are: a power of two within a wavefront.
constexpr int InWave = 0;

/// Groups of which each wavefront has one lane: neighbouring work-items stay neighbours, and 16 others share what one did.
constexpr int AcrossWaves = -16;

/// A group of \p Lanes work-items: a whole workgroup, of more than one wavefront, or InWave, in workgroups of \p Size, or
/// AcrossWaves.
template <int Lanes, unsigned Size = 256> class Group {
  static constexpr bool IsWorkgroup = Lanes > 0, IsAcross = Lanes < 0;
  static constexpr unsigned Neighbours = 64; ///< work-items of a workgroup, AcrossWaves
  static_assert(Lanes <= 0 || ((Lanes & (Lanes - 1)) == 0 && Lanes > WaveSize && Lanes <= 1024),
                "a power of two of lanes");

public:
  /// Work-items of a workgroup.
  static constexpr unsigned Threads = IsAcross ? Neighbours * unsigned(-Lanes) : IsWorkgroup ? unsigned(Lanes) : Size;

  HK_DEVICE explicit Group(Groups groups) : groups(groups) {}

  /// Lanes of the group.
  HK_DEVICE unsigned size() const {
    return IsAcross ? unsigned(-Lanes) : IsWorkgroup ? unsigned(Lanes) : 1u << groups.lanesLog2;
  }
  /// The number of the work-item whose work this is.
  HK_DEVICE unsigned item() const {
    if (IsAcross)
      return blockIdx.x * Neighbours + threadIdx.x % Neighbours;
    return IsWorkgroup ? blockIdx.x : (blockIdx.x * blockDim.x + threadIdx.x) >> groups.lanesLog2;
  }
  /// How many there are: gridDim.x * blockDim.x of the kernel whose work this is.
  HK_DEVICE unsigned items() const { return groups.items; }
  /// There is no such work-item.
  HK_DEVICE bool isPast() const { return item() >= groups.items; }
  HK_DEVICE unsigned lane() const { return IsAcross ? threadIdx.x / Neighbours : threadIdx.x & (size() - 1); }
  /// One lane of the group: that which stores a result.
  HK_DEVICE bool isLeader() const { return lane() == 0; }

  /// This lane's part of from, from + 1, ... below \p to, compared as `from < to` compares.
  template <class T, class U> HK_DEVICE auto over(T from, U to) const { return steps(from, to, T(1), false); }
  /// The same with \p to.
  template <class T, class U> HK_DEVICE auto through(T from, U to) const { return steps(from, to, T(1), true); }
  /// This lane's part of from, from + step, ... below \p to; \p step > 0.
  template <class T, class U> HK_DEVICE auto overBy(T from, U to, T step) const { return steps(from, to, step, false); }
  template <class T, class U> HK_DEVICE auto throughBy(T from, U to, T step) const { return steps(from, to, step, true); }
  /// This lane's part of from, from - 1, ... above \p to.
  template <class T, class U> HK_DEVICE auto downOver(T from, U to) const { return downSteps(from, to, false); }
  template <class T, class U> HK_DEVICE auto downThrough(T from, U to) const { return downSteps(from, to, true); }

  /// Calls work(i, element of each stream...) for this lane's part of from, from + 1, ... below \p to. Streams, of reads(), writes()
  /// and updates(), start where i is \p from; W neighbours go to one lane in one access each, if all streams are aligned for it.
  template <int W, class T, class U, class Work, class... Streams>
  HK_DEVICE void overWide(Width<W>, T from, U to, Work work, Streams... streams) const {
    wide<W>(from, countOf(from, to, T(1), false), work, streams...);
  }
  template <int W, class T, class U, class Work, class... Streams>
  HK_DEVICE void throughWide(Width<W>, T from, U to, Work work, Streams... streams) const {
    wide<W>(from, countOf(from, to, T(1), true), work, streams...);
  }
  /// The same for from, from - 1, ... above \p to, or with it.
  template <int W, class T, class U, class Work, class... Streams>
  HK_DEVICE void downOverWide(Width<W>, T from, U to, Work work, Streams... streams) const {
    wideDown<W>(from, countDown(from, to, false), work, streams...);
  }
  template <int W, class T, class U, class Work, class... Streams>
  HK_DEVICE void downThroughWide(Width<W>, T from, U to, Work work, Streams... streams) const {
    wideDown<W>(from, countDown(from, to, true), work, streams...);
  }

  // Reductions over the group; each lane gets the result. Lanes are taken in a fixed order.
  template <class T> HK_DEVICE T sum(T value) {
    return reduce(value, [](T a, T b) { return T(a + b); });
  }
  template <class T> HK_DEVICE T product(T value) {
    return reduce(value, [](T a, T b) { return T(a * b); });
  }
  template <class T> HK_DEVICE T max(T value) {
    return reduce(value, [](T a, T b) { return larger(a, b); });
  }
  template <class T> HK_DEVICE T min(T value) {
    return reduce(value, [](T a, T b) { return smaller(a, b); });
  }
  template <class T> HK_DEVICE T bitAnd(T value) {
    return reduce(value, [](T a, T b) { return T(a & b); });
  }
  template <class T> HK_DEVICE T bitOr(T value) {
    return reduce(value, [](T a, T b) { return T(a | b); });
  }
  template <class T> HK_DEVICE T bitXor(T value) {
    return reduce(value, [](T a, T b) { return T(a ^ b); });
  }
  /// \p value in the leader, \p otherwise in the others: what a reduction starts from counts once.
  template <class T> HK_DEVICE T leaderOnly(T value, T otherwise = T(0)) const { return isLeader() ? value : otherwise; }
  template <class T, int N> HK_DEVICE void leaderOnly(T (&values)[N]) const {
#pragma unroll
    for (T &value : values)
      value = leaderOnly(value);
  }
  /// Of each element of an array.
  template <class T, int N> HK_DEVICE void sumEach(T (&values)[N]) {
#pragma unroll
    for (T &value : values)
      value = sum(value);
  }

  /// Memory that lanes of the group have written before can be read by all of them behind.
  HK_DEVICE void sync() const {
    if constexpr (IsWorkgroup || IsAcross) {
      __syncthreads();
    } else {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_wave_barrier();
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#elif HK_NVIDIA
      __syncwarp(unsigned(lanesOfGroup()));
#endif
    }
  }

private:
  Groups groups;
  unsigned round = 0; ///< reductions so far: they use two places in turn, so that one barrier each is enough

  template <class T> static HK_DEVICE T larger(T a, T b) {
    if constexpr (std::is_same<T, float>::value)
      return fmaxf(a, b);
    else if constexpr (std::is_same<T, double>::value)
      return fmax(a, b);
    else
      return a < b ? b : a;
  }
  template <class T> static HK_DEVICE T smaller(T a, T b) {
    if constexpr (std::is_same<T, float>::value)
      return fminf(a, b);
    else if constexpr (std::is_same<T, double>::value)
      return fmin(a, b);
    else
      return b < a ? b : a;
  }

  /// Of the wavefront's lanes, those of this group.
  HK_DEVICE unsigned long long lanesOfGroup() const {
    if (IsWorkgroup || size() >= unsigned(WaveSize))
      return ~0ull;
    const unsigned first = threadIdx.x % unsigned(WaveSize) & ~(size() - 1);
    return ((1ull << size()) - 1) << first;
  }

  template <class T, class U> HK_DEVICE auto steps(T from, U to, T step, bool inclusive) const {
    return numbers(from, step, countOf(from, to, step, inclusive));
  }
  template <class T, class U>
  static HK_DEVICE unsigned long long countOf(T from, U to, T step, bool inclusive) {
    using Common = std::common_type_t<T, U>;
    using Count = std::make_unsigned_t<std::common_type_t<Common, int>>;
    const Common first = Common(from), last = Common(to);
    const bool some = inclusive ? !(last < first) : first < last;
    // Distances are taken without sign, where they cannot overflow.
    const Count span = some ? Count(last) - Count(first) : 0;
    const Count by = Count(step);
    if (!some)
      return 0;
    return inclusive ? (unsigned long long)(span / by) + 1 : ((unsigned long long)(span) + by - 1) / by;
  }
  template <int W, class T, class Work, class... Streams>
  HK_DEVICE void wideDown(T from, unsigned long long count, Work work, Streams... streams) const {
    wide<W>(T(0), count, [&](T n, auto &...elements) { work(T(from - n), elements...); }, streams...);
  }
  template <int W, class T, class Work, class... Streams>
  HK_DEVICE void wide(T from, unsigned long long count, Work work, Streams... streams) const {
    if ((streams.template isAligned<W>() && ...)) {
      wideRuns<W>(from, count, work, streams...);
      return;
    }
    // Runs start at a line, or at least where they can be loaded at once; what is before goes one by one.
    unsigned before = same(streams.template before<128>()...);
    if (before == ~0u)
      before = same(streams.template beforeRuns<W>()...);
    const bool some = before != ~0u && before < count;
    const unsigned long long single = some ? before : count;
    for (unsigned long long at = lane(); at < single; at += size())
      work(T(from + T(at)), streams.at(at)...);
    if (some)
      wideRuns<W>(T(from + T(before)), count - before, work, streams.from(before)...);
  }
  template <int W, class T, class Work, class... Streams>
  HK_DEVICE void wideRuns(T from, unsigned long long count, Work &work, Streams... streams) const {
    const unsigned long long runs = count / W;
    constexpr int Unroll = W < 16 ? 4 : 2;
    // Loads of several runs are under way at once.
#pragma unroll Unroll
    for (unsigned long long run = lane(); run < runs; run += size())
      eachOf<W>(from, run * W, work, streams.template run<W>(run * W)...);
    for (unsigned long long at = runs * W + lane(); at < count; at += size())
      work(T(from + T(at)), streams.at(at)...);
  }
  /// The number that all are; else ~0u.
  template <class... Numbers> static HK_DEVICE unsigned same(unsigned first, Numbers... others) {
    return ((others == first) && ...) ? first : ~0u;
  }
  template <int W, class T, class Work, class... Runs>
  static HK_DEVICE void eachOf(T from, unsigned long long first, Work &work, Runs... runs) {
    (runs.load(), ...);
#pragma unroll
    for (int n = 0; n < W; ++n)
      work(T(from + T(first) + T(n)), runs[n]...);
    (runs.store(), ...);
  }
  template <class T, class U> HK_DEVICE auto downSteps(T from, U to, bool inclusive) const {
    return numbers(from, T(-1), countDown(from, to, inclusive));
  }
  template <class T, class U> static HK_DEVICE unsigned long long countDown(T from, U to, bool inclusive) {
    using Common = std::common_type_t<T, U>;
    using Count = std::make_unsigned_t<std::common_type_t<Common, int>>;
    const Common first = Common(from), last = Common(to);
    const bool some = inclusive ? !(first < last) : last < first;
    const Count span = some ? Count(first) - Count(last) : 0;
    return !some ? 0 : (unsigned long long)(span) + (inclusive ? 1 : 0);
  }
  template <class T> HK_DEVICE auto numbers(T from, T step, unsigned long long count) const {
    // 32 bits are enough for what 32 bits count, but for the last steps past the end: nobody goes through so many.
    using Count = std::conditional_t<sizeof(T) <= 4, unsigned, unsigned long long>;
    if (sizeof(T) <= 4 && count > ~0u - 1024)
      detail::trap();
    return detail::LaneNumbers<T, Count>(from, step, Count(count), lane(), size());
  }

  template <class T, class Combine> HK_DEVICE T reduce(T value, Combine combine) {
    if constexpr (IsAcross) {
      __shared__ T slots[2][-Lanes][Neighbours];
      auto &mine = slots[round++ & 1];
      mine[lane()][threadIdx.x % Neighbours] = value;
      __syncthreads();
      value = mine[0][threadIdx.x % Neighbours];
#pragma unroll
      for (int other = 1; other < -Lanes; ++other)
        value = combine(value, mine[other][threadIdx.x % Neighbours]);
    } else if constexpr (!IsWorkgroup) {
      const unsigned long long lanes = lanesOfGroup();
      for (unsigned mask = 1; mask < size(); mask *= 2)
        value = combine(value, detail::exchange(value, int(mask), lanes));
    } else {
#pragma unroll
      for (int mask = 1; mask < WaveSize; mask *= 2)
        value = combine(value, detail::exchange(value, mask, ~0ull));
      constexpr int Waves = Lanes / WaveSize;
      __shared__ T slots[2][Waves];
      T(&mine)[Waves] = slots[round++ & 1];
      if (threadIdx.x % unsigned(WaveSize) == 0)
        mine[threadIdx.x / unsigned(WaveSize)] = value;
      __syncthreads();
      value = mine[threadIdx.x % unsigned(Waves)];
#pragma unroll
      for (int mask = 1; mask < Waves; mask *= 2)
        value = combine(value, detail::exchange(value, mask, ~0ull));
    }
    return value;
  }
};

/// How a kernel goes through its rows.
enum class Rows {
  Once,  ///< element after element
  Again, ///< several times: as few at once as keep the machine busy, so that caches still hold them
  Many,  ///< reducing many values each: lanes have their cost
};

/// Lanes for each of \p items that take \p steps side by side, elements or runs of them; 0 if that is not known: no more lanes
/// than there are steps, a workgroup for long rows, or for few of them.
inline unsigned groupLanes(size_t items, size_t steps, Rows rows) {
  unsigned lanes = unsigned(WaveSize);
  if (steps && steps <= size_t(WaveSize))
    for (lanes = 1; lanes < steps; lanes *= 2)
      ;
  else if (rows == Rows::Again && steps >= 1024) // four steps a lane, which are under way at once
    lanes = steps >= 4096 ? 1024 : steps >= 2048 ? 512 : 256;
  else if (rows != Rows::Many && (steps >= 512 || (steps >= 128 && items < 4096)))
    lanes = 256;
  // AMD counts the work-items of a launch in 32 bits.
  while (lanes > 1 && items * lanes >= (size_t(1) << 32))
    lanes = lanes > unsigned(WaveSize) ? unsigned(WaveSize) : lanes / 2;
  return lanes;
}

/// Launches that of four versions of a kernel which fits, with groups within wavefronts or of 256, 512 or 1024 work-items. The
/// kernel's last parameter, Groups, is added here.
template <class... Parameters, class... Arguments>
void launchGroups(size_t items, size_t steps, Rows rows, hipStream_t stream, void (*wave)(Parameters...),
                  void (*some)(Parameters...), void (*many)(Parameters...), void (*most)(Parameters...),
                  const Arguments &...arguments) {
  if (items == 0)
    return;
  const unsigned lanes = groupLanes(items, steps, rows), threads = lanes > 256 ? lanes : 256;
  Groups groups = {unsigned(items), 0};
  while (1u << groups.lanesLog2 < lanes)
    ++groups.lanesLog2;
  const size_t workgroups = (items * lanes + threads - 1) / threads;
  void (*kernel)(Parameters...) = lanes <= unsigned(WaveSize) ? wave : lanes == 256 ? some : lanes == 512 ? many : most;
  kernel<<<dim3(unsigned(workgroups)), dim3(threads), 0, stream>>>(arguments..., groups);
}

/// The same with workgroups of \p Size work-items only: groups within wavefronts, or \p whole, with the lanes of one.
template <unsigned Size, class... Parameters, class... Arguments>
void launchGroupsOf(size_t items, size_t steps, Rows rows, hipStream_t stream, void (*wave)(Parameters...), void (*whole)(Parameters...),
                    const Arguments &...arguments) {
  if (items == 0)
    return;
  unsigned lanes = groupLanes(items, steps, rows);
  const bool isWhole = lanes > unsigned(WaveSize) && items * Size < (size_t(1) << 32);
  lanes = isWhole ? Size : lanes < unsigned(WaveSize) ? lanes : unsigned(WaveSize);
  Groups groups = {unsigned(items), 0};
  while (1u << groups.lanesLog2 < lanes)
    ++groups.lanesLog2;
  (isWhole ? whole : wave)<<<dim3(unsigned((items * lanes + Size - 1) / Size)), dim3(Size), 0, stream>>>(arguments..., groups);
}

/// Neighbouring work-items reach neighbours, but there are too few of them to keep a large GPU busy.
inline bool areFew(size_t items) { return items < size_t(1) << 17; }

/// Launches a kernel with groups AcrossWaves.
template <class... Parameters, class... Arguments>
void launchAcross(size_t items, hipStream_t stream, void (*kernel)(Parameters...), const Arguments &...arguments) {
  if (items)
    kernel<<<dim3(unsigned((items + 63) / 64)), dim3(1024), 0, stream>>>(arguments..., Groups{unsigned(items), 0});
}

} // namespace hk
