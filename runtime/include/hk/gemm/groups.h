//===- hk/gemm/groups.h - Problems that share a launch, in the kernels -----------===//
//
// What hk::gemmGrouped() (hk/gemm/grouped.h) multiplies, and how a workgroup finds its part of it. The sizes are in
// device memory: the host never reads them, so that a kernel may write them and a graph that was captured may be
// replayed with others.
//
// The rows of each group fall apart into bands of TileM, its last one perhaps with fewer rows. The bands of all groups
// are numbered through, and a workgroup has a band and a tile of N, as it has a tile of M without groups. Each
// wavefront adds up how many bands there are: a lane those of its share of the groups, then the wavefront over its
// lanes. The lane in whose share the band lies knows where to look. The launch has workgroups for the most bands that
// there can be (mostBands()); those without a band leave.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/split.h"
#include "hk/launch.h"

namespace hk {

/// Rows [offsets[g], offsets[g + 1]) of A and of the outputs belong to group g, columns and K are the same in all
/// groups. `offsets` is device memory, of count + 1 elements that do not fall. The first need not be 0, nor the last m:
/// other rows have no group. Rows from shape.m up are not touched, whatever the offsets are.
struct GemmRowGroups {
  const int32_t *offsets;
  int count;
};

/// One problem of its own, in device memory. A size of 0 or less: of m or n there is nothing to do, of K the sums are
/// zero.
struct GemmGroup {
  int32_t m, n, k;
  int32_t row = 0;          ///< the first of its rows, in A and in row-indexed operands
  int64_t ldA = 0, ldB = 0; ///< leading dimensions; 0: those of the factors
};

/// Groups that differ in all sizes. Matrices are batches of the factors and operands.
struct GemmGroups {
  const GemmGroup *groups; ///< device memory
  int count;
};

namespace detail {

/// The rows of a group, and its other sizes.
struct GroupRows {
  int first, end;
};

HK_DEVICE int clampTo(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

HK_DEVICE GroupRows rowsOfGroup(const GemmRowGroups &groups, int group, int m) {
  const int first = clampTo(groups.offsets[group], 0, m);
  return {first, clampTo(groups.offsets[group + 1], first, m)};
}
HK_DEVICE GroupRows rowsOfGroup(const GemmGroups &groups, int group, int) {
  const GemmGroup &own = groups.groups[group];
  return {own.row, own.row + (own.n > 0 && own.m > 0 ? own.m : 0)};
}

HK_DEVICE int fromLane(int value, int lane) {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_readlane(value, lane);
#elif HK_NVIDIA
  return __shfl_sync(0xffffffffu, value, lane);
#else
  return value + lane; // not called on the host
#endif
}
/// The lane for which \p is holds: there is one.
HK_DEVICE int laneWhere(bool is) {
#if HK_AMD && defined(__HIP_DEVICE_COMPILE__)
  return __builtin_ctzll(__ballot(is));
#elif HK_NVIDIA && defined(__CUDA_ARCH__)
  return __ffs(__ballot_sync(0xffffffffu, is)) - 1;
#else
  return is;
#endif
}
/// \p value of lane - \p distance; any number in lanes where there is none.
HK_DEVICE int fromBelow(int value, int distance) {
#if HK_AMD
  return __shfl_up(value, distance, WaveSize);
#else
  return __shfl_up_sync(0xffffffffu, value, distance);
#endif
}

/// GemmExtent of a grouped launch: tilesM is the most bands that there can be. A workgroup sets m, n and k to those of
/// its group.
template <class G> struct GroupedExtent : GemmExtent {
  using Groups = G;
  Groups groups;
};

template <class Extent> constexpr bool IsGrouped = false;
template <class G> constexpr bool IsGrouped<GroupedExtent<G>> = true;

/// One wavefront's view of the bands. All work-items of the workgroup.
template <int TileM, class Extent> class BandFinder {
public:
  HK_DEVICE BandFinder(const Extent &extent, int lane)
      : groups(extent.groups), m(extent.m), most(extent.tilesM), each((groups.count + WaveSize - 1) / WaveSize) {
    awaitPreviousKernel(); // which may have written the sizes
    int own = 0;
    for (int n = 0, group = lane * each; n < each && group < groups.count; ++n, ++group)
      own = add(own, bandsOf(group));
    upTo = own;
#pragma unroll
    for (int distance = 1; distance < WaveSize; distance *= 2) {
      const int below = fromBelow(upTo, distance);
      upTo = lane >= distance ? add(upTo, below) : upTo;
    }
    before = fromBelow(upTo, 1);
    before = lane > 0 ? before : 0;
  }

  /// Of all groups; not more than the launch has workgroups for.
  HK_DEVICE int bands() const { return fromLane(upTo, WaveSize - 1); }

  /// Makes the problem of \p extent, \p w and \p x that of the group with band \p band, which has to be there. \p
  /// batch: the group's number. \p firstM: the band's first row. False if the group has no column \p firstN.
  template <class W, class X>
  HK_DEVICE bool enter(int band, int firstN, Extent &extent, W &w, X &x, int &batch, int &firstM) const {
    const int lane = laneWhere(before <= band && band < upTo);
    int group = lane * each, left = band - fromLane(before, lane);
    for (int bands; left >= (bands = bandsOf(group)); ++group)
      left -= bands;
    const GroupRows rows = rowsOfGroup(groups, group, m);
    batch = waveUniform(group);
    firstM = waveUniform(rows.first) + waveUniform(left) * TileM;
    extent.m = waveUniform(rows.end);
    if constexpr (std::is_same_v<typename Extent::Groups, GemmGroups>) {
      const GemmGroup &own = groups.groups[group];
      extent.n = waveUniform(own.n);
      extent.k = waveUniform(own.k > 0 ? own.k : 0);
      setLd(x, own.ldA);
      setLd(w, own.ldB);
      return firstN < extent.n;
    } else {
      return true;
    }
  }

private:
  HK_DEVICE int bandsOf(int group) const {
    const GroupRows rows = rowsOfGroup(groups, group, m);
    return int((uint32_t(rows.end - rows.first) + (TileM - 1)) / TileM);
  }
  /// Sums stop at `most`, which wrong sizes may exceed.
  HK_DEVICE int add(int a, int b) const {
    const uint32_t sum = uint32_t(a) + uint32_t(b);
    return sum < uint32_t(most) ? int(sum) : most;
  }
  template <class R> static HK_DEVICE void setLd(R &rows, int64_t ld) {
    const uint32_t low = waveUniform(uint32_t(ld)), high = waveUniform(uint32_t(uint64_t(ld) >> 32));
    if (ld)
      rows.ld = int64_t(uint64_t(high) << 32 | low);
  }

  typename Extent::Groups groups;
  int m, most, each;
  int before, upTo; ///< bands before this lane's share of the groups, and up to its end
};

template <int TileM> class BandFinder<TileM, GemmExtent> {
public:
  HK_DEVICE BandFinder(const GemmExtent &, int) {}
};

/// The most bands of \p tileM rows that \p count groups with at most \p m rows together can have: all groups but for
/// the last band full of rows, and a last one of one row in as many groups as possible.
inline int64_t mostBands(int64_t m, int count, int tileM) {
  const int64_t groups = count < m ? count : m;
  return (m + (tileM - 1) * groups) / tileM;
}

} // namespace detail
} // namespace hk
