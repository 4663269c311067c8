//===- hk/detail/pointwise_kernels.h - The kernels of hk::pointwise -------===//
//
// The way from a work-item to its elements (Mapping):
//
//   Flat    one dimension is left after joining: the index is the position.
//   Rows    two are left, and a workgroup stays within one row: the row is found by one uniform division.
//   Blocks  up to four dimensions, a workgroup stays within one innermost run; also broadcast innermost dimensions,
//           unaligned operands and runs that vectors do not divide.
//   Lanes   the same where runs are shorter than what a workgroup covers: each lane divides, once a vector.
//   Gather  the innermost dimension of an operand is no run of elements: each lane takes one element.
//
// Flat and Rows take operands that are aligned, contiguous in the innermost dimension and made of whole vectors; their
// kernels have no check but the last workgroup's.
//
// Positions are a part that is the same for the workgroup, of 64 bits and in scalar registers, and 32 bits of the lane's
// own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/launch.h"
#include "hk/tuning.h"
#include "hk/tuple.h"
#include "hk/vector.h"

#include <cstdint>
#include <type_traits>

namespace hk {
namespace detail {

/// n / divisor for n < 2^31 by a multiplication (Granlund and Montgomery 1994, figure 4.1).
struct FastDivide {
  uint32_t divisor, multiplier, shift;

  FastDivide() = default;
  explicit FastDivide(uint32_t by) : divisor(by), shift(0) {
    while ((uint64_t(1) << shift) < by)
      ++shift;
    multiplier = uint32_t(((uint64_t(1) << 32) * ((uint64_t(1) << shift) - by)) / by + 1);
  }
  HK_DEVICE uint32_t operator()(uint32_t n) const {
#if HK_AMD
    const uint32_t high = uint32_t(uint64_t(n) * multiplier >> 32);
#else
    const uint32_t high = __umulhi(n, multiplier);
#endif
    return (high + n) >> shift;
  }
};

constexpr int Innermost = 3;

template <class T> struct Strided {
  T *data;
  uint32_t stride[Innermost]; ///< of the dimensions but the innermost; those that are not there come first
};

enum class Mapping { Flat, Rows, Blocks, Lanes, Gather };

/// What a launch covers.
struct PointwiseExtent {
  uint32_t threads;            ///< of a workgroup
  uint32_t inner;              ///< elements of the innermost dimension
  uint32_t total;              ///< work-items' vectors (elements in Gather) of the launch
  FastDivide rows;             ///< by what a row has of workgroups (Rows, Blocks), vectors (Lanes), elements (Gather)
  FastDivide outer[Innermost]; ///< by the sizes of the dimensions but the innermost, 1 if there is none
  uint32_t splats;             ///< bit I: input I has one element for the whole innermost dimension
  int64_t innerStride[8];      ///< Gather: of inputs, then of outputs
};

template <class T, int N> struct PointFragment {
  Raw<std::remove_const_t<T>, N> raw;
};
template <class Types, int N> struct PointFragmentsOf;
template <class... Ts, int N> struct PointFragmentsOf<Tuple<Ts...>, N> {
  using Type = Tuple<PointFragment<Ts, N>...>;
};

template <class Types> struct StridedOf;
template <class... Ts> struct StridedOf<Tuple<Ts...>> {
  using Type = Tuple<Strided<Ts>...>;
};

template <class... Is, class... Os> constexpr int pointVectorLength(const Tuple<Is...> *, const Tuple<Os...> *) {
  int size = 1;
  ((size = int(sizeof(Is)) > size ? int(sizeof(Is)) : size), ...);
  ((size = int(sizeof(Os)) > size ? int(sizeof(Os)) : size), ...);
  return 16 / size;
}

template <class F, class... Bs> void forEachHost(Tuple<> &, const Tuple<> &, F &&) {}
template <class A, class B, class F> void forEachHost(A &a, const B &b, F &&f) {
  if constexpr (A::Size > 0) {
    f(a.first, b.first);
    forEachHost(a.rest, b.rest, f);
  }
}
template <class A, class F> void forEachHost(A &a, F &&f) {
  if constexpr (A::Size > 0) {
    f(a.first);
    forEachHost(a.rest, f);
  }
}

template <class Functor, class Arrays, int... I>
HK_DEVICE auto callFunctor(const Functor &functor, const Arrays &arrays, int n, std::integer_sequence<int, I...>) {
  return functor(get<I>(arrays).at[n]...);
}

template <class F, class = void> struct Prepares : std::false_type {};
template <class F> struct Prepares<F, std::void_t<decltype(std::declval<const F &>().prepare())>> : std::true_type {};

/// What a work-item calls: functor.prepare(), if there is that, else the functor.
template <class F> HK_DEVICE auto prepareFunctor(const F &functor) {
  if constexpr (Prepares<F>::value)
    return functor.prepare();
  else
    return functor;
}

template <class V, int N> struct PointValues {
  V at[N];
};
template <class Types, int N> struct PointValuesOf;
template <class... Ts, int N> struct PointValuesOf<Tuple<Ts...>, N> {
  using Type = Tuple<PointValues<typename Element<std::remove_const_t<Ts>>::Value, N>...>;
};

/// Packs and stores the result I of N elements; floats are rounded, integers cut.
template <bool Some, bool Aligned, class T, class V, int N>
HK_DEVICE void storeValues(T *to, const V (&values)[N], int count) {
  Raw<T, N> raw;
  if constexpr (std::is_same_v<V, float>)
    packFloats<DefaultOverflow<T>>(values, raw);
  else
    raw.template pack<DefaultOverflow<T>>(values);
  if constexpr (Some)
    storeSome<Aligned>(to, raw, count);
  else
    store<Aligned>(to, raw);
}

/// Where a work-item's vector is.
struct Position {
  uint32_t index[Innermost]; ///< of the dimensions but the innermost
  uint32_t start;            ///< in the innermost one: the workgroup's part
  uint32_t lane;             ///< and the work-item's own
};

/// The workgroup's part of an operand's position is added first: it stays in scalar registers.
template <Mapping Map, class T> HK_DEVICE T *elementAt(const Strided<T> &operand, const Position &at, bool splat) {
  T *data = operand.data;
  if constexpr (Map == Mapping::Rows)
    data += uint64_t(at.index[Innermost - 1]) * operand.stride[Innermost - 1];
  else if constexpr (Map != Mapping::Flat)
    data += uint64_t(at.index[0]) * operand.stride[0] + uint64_t(at.index[1]) * operand.stride[1] +
            uint64_t(at.index[2]) * operand.stride[2];
  if (splat)
    return data;
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T *>(reinterpret_cast<Byte *>(data + at.start) + uint32_t(at.lane * uint32_t(sizeof(T))));
}

/// Splits the number of a row into the indices of the dimensions but the innermost.
HK_DEVICE void splitRow(Position &at, const PointwiseExtent &extent, uint32_t row) {
#pragma unroll
  for (int d = Innermost - 1; d > 0; --d) {
    const uint32_t above = extent.outer[d](row);
    at.index[d] = row - above * extent.outer[d].divisor;
    row = above;
  }
  at.index[0] = row;
}

template <class Functor, class Ins, class Outs, int N, int V, bool Aligned, Mapping Map>
__global__ void __launch_bounds__(1024)
    pointwiseKernel(const Functor functor, const typename StridedOf<Ins>::Type inputs,
                    const typename StridedOf<Outs>::Type outputs, const PointwiseExtent extent) {
  awaitPreviousKernel();
  constexpr bool Checks = Map != Mapping::Flat && Map != Mapping::Rows;
  const uint32_t covered = extent.threads * (V * N), lane = threadIdx.x * N;
  Position at[V];
  bool inside[V];
  uint32_t row = 0, start = 0;
  if constexpr (Map == Mapping::Flat) {
    start = blockIdx.x * covered;
  } else if constexpr (Map == Mapping::Rows || Map == Mapping::Blocks) {
    row = extent.rows(blockIdx.x);
    start = (blockIdx.x - row * extent.rows.divisor) * covered;
  }
#pragma unroll
  for (int v = 0; v < V; ++v) {
    at[v].start = start;
    at[v].lane = v * extent.threads * N + lane;
    if constexpr (Map == Mapping::Lanes) {
      const uint32_t vector = (blockIdx.x * V + v) * extent.threads + threadIdx.x;
      inside[v] = vector < extent.total;
      row = extent.rows(vector);
      at[v].lane = (vector - row * extent.rows.divisor) * N;
    } else {
      inside[v] = at[v].lane < extent.inner - start;
    }
    if constexpr (Map == Mapping::Rows)
      at[v].index[Innermost - 1] = row;
    else if constexpr (Checks)
      splitRow(at[v], extent, row);
  }

  typename PointFragmentsOf<Ins, N>::Type in[V];
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (!inside[v])
      continue;
    forEachIndex<Ins::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      auto &raw = get<I>(in[v]).raw;
      const bool splat = Checks && (extent.splats >> I & 1);
      const auto *from = elementAt<Map>(get<I>(inputs), at[v], splat);
      using T = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
      if (splat) {
        Raw<T, 1> one;
        load<true, Use::Cached>(one, from);
        raw.fill(one);
      } else if constexpr (Checks) {
        loadSome<Aligned, Use::Cached>(raw, from, int(extent.inner - at[v].start - at[v].lane));
      } else {
        load<Aligned, Use::Cached>(raw, from);
      }
    });
  }
  const auto ready = prepareFunctor(functor);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (!inside[v])
      continue;
    typename PointValuesOf<Ins, N>::Type values;
    forEachIndex<Ins::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      get<I>(in[v]).raw.unpack(get<I>(values).at);
    });
    using Sequence = std::make_integer_sequence<int, Ins::Size>;
    using Result = decltype(callFunctor(ready, values, 0, Sequence{}));
    Result results[N];
#pragma unroll
    for (int n = 0; n < N; ++n)
      results[n] = callFunctor(ready, values, n, Sequence{});
    forEachIndex<Outs::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      using Value = decltype(result<I>(results[0]));
      static_assert(std::is_same_v<Value, float> || std::is_same_v<Value, int32_t>,
                    "functors return float or int32_t values");
      Value out[N];
#pragma unroll
      for (int n = 0; n < N; ++n)
        out[n] = result<I>(results[n]);
      storeValues<Checks, Aligned>(elementAt<Map>(get<I>(outputs), at[v], false), out,
                                   int(extent.inner - at[v].start - at[v].lane));
    });
  }
}

template <class Functor, class Ins, class Outs>
__global__ void __launch_bounds__(1024)
    gatherKernel(const Functor functor, const typename StridedOf<Ins>::Type inputs,
                 const typename StridedOf<Outs>::Type outputs, const PointwiseExtent extent) {
  awaitPreviousKernel();
  const uint32_t element = blockIdx.x * extent.threads + threadIdx.x;
  if (element >= extent.total)
    return;
  const uint32_t row = extent.rows(element), inner = element - row * extent.rows.divisor;
  Position at;
  at.start = at.lane = 0;
  splitRow(at, extent, row);
  typename PointValuesOf<Ins, 1>::Type values;
  forEachIndex<Ins::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    const auto *from = elementAt<Mapping::Gather>(get<I>(inputs), at, true) + inner * extent.innerStride[I];
    using T = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
    Raw<T, 1> raw;
    load<true, Use::Cached>(raw, from);
    raw.unpack(get<I>(values).at);
  });
  const auto results = callFunctor(prepareFunctor(functor), values, 0, std::make_integer_sequence<int, Ins::Size>{});
  forEachIndex<Outs::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    const decltype(result<I>(results)) out[1] = {result<I>(results)};
    storeValues<false, true>(elementAt<Mapping::Gather>(get<I>(outputs), at, true) +
                                 inner * extent.innerStride[Ins::Size + I],
                             out, 1);
  });
}

/// Ins, Outs: tuples of the element types.
template <class Functor, class Ins, class Outs> struct PointwiseCall {
  static_assert(Ins::Size + Outs::Size <= 8, "at most eight operands");
  static constexpr int N = pointVectorLength(static_cast<const Ins *>(nullptr), static_cast<const Outs *>(nullptr));
  /// Elements of one launch: indices are 32 bits, and their divisions take 31.
  static constexpr int64_t Most = (int64_t(1) << 31) - 4096 * 16;
  static constexpr int64_t MostStride = int64_t(1) << 32;

  /// An operand while the launch is made: all four strides, innermost last.
  template <class T> struct Plan {
    T *data;
    int64_t stride[4];
  };
  template <class Types> struct PlansOf;
  template <class... Ts> struct PlansOf<Tuple<Ts...>> {
    using Type = Tuple<Plan<Ts>...>;
  };

  const Launch &launch;
  Target target;
  const Functor &functor;
  PointwisePlan plan;
  bool adapt; ///< the plan is the table's
  typename PlansOf<Ins>::Type inputs = {};
  typename PlansOf<Outs>::Type outputs = {};

  template <class F> void each(F &&f) {
    forEachHost(inputs, f);
    forEachHost(outputs, f);
  }

  hipError_t run(int rank, const int64_t *sizes) {
    int64_t size[4] = {1, 1, 1, 1};
    rank = collapse(rank, sizes, size);
    int64_t total = 1;
    for (int d = 0; d < rank; ++d)
      total *= size[d];
    // Along a dimension whose stride is too long for the kernels, one by one.
    for (int d = 0; d < rank - 1; ++d) {
      bool tooLong = false;
      each([&](auto &operand) { tooLong = tooLong || operand.stride[d] >= MostStride || operand.stride[d] < 0; });
      if (tooLong)
        return cut(rank, size, d, 1);
    }
    if (total <= Most)
      return start(rank, size);
    // Along the outermost dimension; a multiple of the vector length keeps alignment.
    const int64_t inside = total / size[0];
    int64_t portion = inside < Most ? Most / inside : 1;
    if (portion > N)
      portion -= portion % N;
    return cut(rank, size, 0, portion);
  }

  /// Drops dimensions of one element and joins those that lie behind each other for all operands.
  int collapse(int rank, const int64_t *sizes, int64_t (&size)[4]) {
    int kept = 0;
    for (int d = 0; d < rank; ++d) {
      if (sizes[d] == 1 && !(d == rank - 1 && kept == 0))
        continue;
      bool joins = kept > 0;
      if (joins)
        each([&](auto &operand) { joins = joins && operand.stride[kept - 1] == operand.stride[d] * sizes[d]; });
      if (!joins)
        ++kept;
      size[kept - 1] = joins ? size[kept - 1] * sizes[d] : sizes[d];
      each([&](auto &operand) { operand.stride[kept - 1] = operand.stride[d]; });
    }
    return kept;
  }

  /// Launches for \p portion elements of dimension \p along each.
  hipError_t cut(int rank, const int64_t (&size)[4], int along, int64_t portion) {
    for (int64_t from = 0; from < size[along]; from += portion) {
      PointwiseCall part = *this;
      part.each([&](auto &operand) { operand.data += from * operand.stride[along]; });
      int64_t sizes[4] = {size[0], size[1], size[2], size[3]};
      sizes[along] = size[along] - from < portion ? size[along] - from : portion;
      if (hipError_t error = part.run(rank, sizes); error != hipSuccess)
        return error;
    }
    return hipSuccess;
  }

  hipError_t start(int rank, const int64_t (&size)[4]) {
    const int last = rank - 1;
    bool runs = true, aligned = true, plain = true;
    PointwiseExtent extent = {};
    int number = 0;
    each([&](auto &operand) {
      const int64_t stride = operand.stride[last];
      extent.innerStride[number] = stride;
      const bool splat = stride == 0 && number < Ins::Size;
      extent.splats |= uint32_t(splat) << number;
      ++number;
      runs = runs && (stride == 1 || splat || size[last] == 1);
      plain = plain && stride == 1;
      if (splat)
        return;
      aligned = aligned && areVectorsAligned<N>(operand.data, 0);
      for (int d = 0; d < last; ++d)
        aligned = aligned && areVectorsAligned<N>(operand.data, operand.stride[d]);
    });
    extent.inner = uint32_t(size[last]);
    int64_t rows = 1;
    for (FastDivide &divide : extent.outer)
      divide = FastDivide(1);
    for (int d = 0; d < last; ++d) {
      extent.outer[Innermost - last + d] = FastDivide(uint32_t(size[d]));
      rows *= size[d];
    }
    typename StridedOf<Ins>::Type ins = {};
    typename StridedOf<Outs>::Type outs = {};
    auto take = [&](auto &to, const auto &from) {
      to.data = from.data;
      for (int d = 0; d < last; ++d)
        to.stride[Innermost - last + d] = uint32_t(from.stride[d]);
    };
    forEachHost(ins, inputs, take);
    forEachHost(outs, outputs, take);

    const int64_t vectors = runs ? (size[last] + N - 1) / N : size[last], all = vectors * rows;
    if (adapt) { // few elements: rather one wavefront a workgroup, on more compute units
      const int wave = waveSizeOf(target);
      while (plan.threads > wave && all < int64_t(plan.threads) * target.computeUnits)
        plan.threads /= 2;
      while (plan.vectors > 1 && all < int64_t(plan.threads) * plan.vectors * target.computeUnits * 4)
        plan.vectors /= 2;
    }
    extent.threads = uint32_t(plan.threads);
    extent.total = uint32_t(all);
    auto groupsFor = [](int64_t n, int64_t each) { return (n + each - 1) / each; };
    auto go = [&](auto kernel, int64_t groups) {
      return launchKernel(target, kernel, dim3(unsigned(groups)), dim3(plan.threads), 0, 1, launch.stream, functor, ins, outs,
                          extent);
    };
    if (!runs) {
      extent.rows = FastDivide(extent.inner);
      return go(gatherKernel<Functor, Ins, Outs>, groupsFor(all, plan.threads));
    }
    plain = plain && aligned && size[last] % N == 0;
    const int64_t covers = int64_t(plan.threads) * plan.vectors, inRow = groupsFor(vectors, covers);
    const bool fills = rank == 1 || inRow * covers <= vectors + vectors / 4;
    if (plain && rank == 1) {
      if (plan.vectors == 1)
        return go(pointwiseKernel<Functor, Ins, Outs, N, 1, true, Mapping::Flat>, inRow);
      if (plan.vectors == 2)
        return go(pointwiseKernel<Functor, Ins, Outs, N, 2, true, Mapping::Flat>, inRow);
      return go(pointwiseKernel<Functor, Ins, Outs, N, 4, true, Mapping::Flat>, inRow);
    }
    if (plain && rank == 2 && fills) {
      extent.rows = FastDivide(uint32_t(inRow));
      if (plan.vectors == 1)
        return go(pointwiseKernel<Functor, Ins, Outs, N, 1, true, Mapping::Rows>, inRow * rows);
      if (plan.vectors == 2)
        return go(pointwiseKernel<Functor, Ins, Outs, N, 2, true, Mapping::Rows>, inRow * rows);
      return go(pointwiseKernel<Functor, Ins, Outs, N, 4, true, Mapping::Rows>, inRow * rows);
    }
    const int64_t inRow1 = groupsFor(vectors, plan.threads);
    if (rank == 1 || inRow1 * plan.threads <= vectors + vectors / 4) {
      extent.rows = FastDivide(uint32_t(inRow1));
      if (aligned)
        return go(pointwiseKernel<Functor, Ins, Outs, N, 1, true, Mapping::Blocks>, inRow1 * rows);
      return go(pointwiseKernel<Functor, Ins, Outs, N, 1, false, Mapping::Blocks>, inRow1 * rows);
    }
    extent.rows = FastDivide(uint32_t(vectors));
    if (aligned)
      return go(pointwiseKernel<Functor, Ins, Outs, N, 1, true, Mapping::Lanes>, groupsFor(all, plan.threads));
    return go(pointwiseKernel<Functor, Ins, Outs, N, 1, false, Mapping::Lanes>, groupsFor(all, plan.threads));
  }
};

} // namespace detail
} // namespace hk
