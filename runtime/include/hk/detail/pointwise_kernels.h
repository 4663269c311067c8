//===- hk/detail/pointwise_kernels.h - The kernels of hk::pointwise -------===//
//
// Three ways from a work-item to its elements:
//
//   Flat      one dimension is left: the index is the position.
//   RowBlocks a workgroup stays within one row of the innermost dimension: the division that finds the row is uniform,
//             and done once.
//   Lanes     rows are shorter than what a workgroup covers: each lane divides, once a vector.
//
// and one for operands whose innermost dimension is no run of elements (Gather): each lane takes one element.
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

template <class T> struct Strided {
  T *data;
  int64_t stride[4];
};

enum class Mapping { Flat, RowBlocks, Lanes };

constexpr int Innermost = 3;

/// What a launch covers. Of the four dimensions, those that are not there come first and have one element.
struct PointwiseExtent {
  int outerDimensions;
  uint32_t inner;      ///< elements of the innermost dimension
  uint32_t total;      ///< vectors, or elements in Gather
  FastDivide rows;     ///< by what a row has of workgroups (RowBlocks), vectors (Lanes), elements (Gather)
  FastDivide outer[3]; ///< by the sizes of the dimensions but the innermost
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

/// Element (or vector) position: the offset of row `row` of the dimensions but the innermost.
template <class T> HK_DEVICE int64_t rowOffset(const Strided<T> &operand, const PointwiseExtent &extent, uint32_t row) {
  int64_t offset = 0;
#pragma unroll
  for (int d = Innermost - 1; d > 0; --d) {
    if (Innermost - d >= extent.outerDimensions) // the outermost one there is
      return offset + int64_t(row) * operand.stride[d];
    const uint32_t above = extent.outer[d](row);
    offset += int64_t(row - above * extent.outer[d].divisor) * operand.stride[d];
    row = above;
  }
  return offset + int64_t(row) * operand.stride[0];
}

template <class Functor, class Arrays, int... I>
HK_DEVICE auto callFunctor(const Functor &functor, const Arrays &arrays, int n, std::integer_sequence<int, I...>) {
  return functor(get<I>(arrays).at[n]...);
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

/// N elements of each operand at \p inner of the innermost dimension.
template <class Functor, class Ins, class Outs, int N, bool Aligned, Mapping Map> struct Points {
  using Inputs = typename StridedOf<Ins>::Type;
  using Outputs = typename StridedOf<Outs>::Type;
  using In = typename PointFragmentsOf<Ins, N>::Type;

  template <class T> HK_DEVICE static int64_t offsetOf(const Strided<T> &operand, const PointwiseExtent &extent,
                                                       uint32_t row, uint32_t inner) {
    // A broadcast innermost dimension has stride 0, a contiguous one 1.
    const int64_t along = int64_t(inner) * operand.stride[Innermost];
    if constexpr (Map == Mapping::Flat)
      return along;
    else
      return rowOffset(operand, extent, row) + along;
  }

  template <bool Some>
  HK_DEVICE static void load(In &to, const Inputs &from, const PointwiseExtent &extent, uint32_t row, uint32_t inner,
                             int count) {
    forEachIndex<Ins::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      const auto &operand = get<I>(from);
      auto &raw = get<I>(to).raw;
      using T = std::remove_const_t<std::remove_pointer_t<decltype(operand.data)>>;
      const T *at = operand.data + offsetOf(operand, extent, row, inner);
      if (operand.stride[Innermost] == 0) {
        // The same element N times.
        Raw<T, 1> one;
        hk::load<true, Use::Again>(one, at);
        uint32_t word = one.words[0];
        if constexpr (sizeof(T) == 1)
          word *= 0x01010101u;
        else if constexpr (sizeof(T) == 2)
          word *= 0x00010001u;
#pragma unroll
        for (uint32_t &w : raw.words)
          w = word;
      } else if constexpr (Some) {
        loadSome<Aligned, Use::Once>(raw, at, count);
      } else {
        hk::load<Aligned, Use::Once>(raw, at);
      }
    });
  }

  template <bool Some>
  HK_DEVICE static void finish(const Functor &functor, const In &in, const Outputs &to, const PointwiseExtent &extent,
                               uint32_t row, uint32_t inner, int count) {
    typename PointValuesOf<Ins, N>::Type values;
    forEachIndex<Ins::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      get<I>(in).raw.unpack(get<I>(values).at);
    });
    using Sequence = std::make_integer_sequence<int, Ins::Size>;
    using Result = decltype(callFunctor(functor, values, 0, Sequence{}));
    Result results[N];
#pragma unroll
    for (int n = 0; n < N; ++n)
      results[n] = callFunctor(functor, values, n, Sequence{});
    forEachIndex<Outs::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      using V = decltype(result<I>(results[0]));
      static_assert(std::is_same_v<V, float> || std::is_same_v<V, int32_t>,
                    "functors return float or int32_t values");
      V out[N];
#pragma unroll
      for (int n = 0; n < N; ++n)
        out[n] = result<I>(results[n]);
      const auto &operand = get<I>(to);
      storeValues<Some, Aligned>(operand.data + offsetOf(operand, extent, row, inner), out, count);
    });
  }
};

template <class Functor, class Ins, class Outs, int N, int V, bool Aligned, Mapping Map>
__global__ void __launch_bounds__(1024)
    pointwiseKernel(const Functor functor, const typename StridedOf<Ins>::Type inputs,
                    const typename StridedOf<Outs>::Type outputs, const PointwiseExtent extent) {
  using P = Points<Functor, Ins, Outs, N, Aligned, Map>;
  uint32_t row[V], inner[V];
  bool inside[V];
  typename P::In in[V];
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if constexpr (Map == Mapping::RowBlocks) {
      const uint32_t r = extent.rows(blockIdx.x);
      row[v] = r;
      inner[v] = ((blockIdx.x - r * extent.rows.divisor) * (blockDim.x * V) + v * blockDim.x + threadIdx.x) * N;
      inside[v] = inner[v] < extent.inner;
    } else {
      const uint32_t vector = blockIdx.x * (blockDim.x * V) + v * blockDim.x + threadIdx.x;
      inside[v] = vector < extent.total;
      if constexpr (Map == Mapping::Flat) {
        row[v] = 0;
        inner[v] = vector * N;
      } else {
        row[v] = extent.rows(vector);
        inner[v] = (vector - row[v] * extent.rows.divisor) * N;
      }
    }
  }
#pragma unroll
  for (int v = 0; v < V; ++v)
    if (inside[v] && inner[v] + N <= extent.inner)
      P::template load<false>(in[v], inputs, extent, row[v], inner[v], N);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (!inside[v])
      continue;
    const int count = int(extent.inner - inner[v]);
    if (count >= N) {
      P::template finish<false>(functor, in[v], outputs, extent, row[v], inner[v], N);
    } else {
      P::template load<true>(in[v], inputs, extent, row[v], inner[v], count);
      P::template finish<true>(functor, in[v], outputs, extent, row[v], inner[v], count);
    }
  }
}

template <class Functor, class Ins, class Outs>
__global__ void __launch_bounds__(1024)
    gatherKernel(const Functor functor, const typename StridedOf<Ins>::Type inputs,
                 const typename StridedOf<Outs>::Type outputs, const PointwiseExtent extent) {
  using P = Points<Functor, Ins, Outs, 1, true, Mapping::Lanes>;
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= extent.total)
    return;
  const uint32_t row = extent.rows(element), inner = element - row * extent.rows.divisor;
  typename P::In in;
  P::template load<false>(in, inputs, extent, row, inner, 1);
  P::template finish<false>(functor, in, outputs, extent, row, inner, 1);
}

template <class Functor, class Ins, class Outs> struct PointwiseCall {
  static constexpr int N = pointVectorLength(static_cast<const Ins *>(nullptr), static_cast<const Outs *>(nullptr));
  /// Elements of one launch: indices are 32 bits, and their divisions take 31.
  static constexpr int64_t Most = (int64_t(1) << 31) - 4096 * 16;

  const Launch &launch;
  Target target;
  const Functor &functor;
  PointwisePlan plan;
  bool adapt; ///< the plan is the table's
  typename StridedOf<Ins>::Type inputs = {};
  typename StridedOf<Outs>::Type outputs = {};

  template <class F> void each(F &&f) {
    forEachHost(inputs, f);
    forEachHost(outputs, f);
  }

  hipError_t run(int rank, const int64_t *sizes) {
    int64_t size[4];
    rank = collapse(rank, sizes, size);
    return cut(rank, size);
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
      if (joins) {
        size[kept - 1] *= sizes[d];
        each([&](auto &operand) { operand.stride[kept - 1] = operand.stride[d]; });
      } else {
        size[kept] = sizes[d];
        each([&](auto &operand) { operand.stride[kept] = operand.stride[d]; });
        ++kept;
      }
    }
    return kept;
  }

  /// Launches of at most Most elements.
  hipError_t cut(int rank, int64_t (&size)[4]) {
    int64_t total = 1;
    for (int d = 0; d < rank; ++d)
      total *= size[d];
    if (total <= Most)
      return start(rank, size);
    // Along the outermost dimension; a multiple of the vector length keeps alignment.
    const int64_t inside = total / size[0];
    int64_t portion = inside < Most ? Most / inside : 1;
    if (portion > N)
      portion -= portion % N;
    const int64_t whole = size[0];
    const PointwiseCall saved = *this;
    for (int64_t from = 0; from < whole; from += portion) {
      PointwiseCall part = saved;
      part.each([&](auto &operand) { operand.data += from * operand.stride[0]; });
      int64_t sizes[4] = {1, 1, 1, 1};
      for (int d = 0; d < rank; ++d)
        sizes[d] = size[d];
      sizes[0] = whole - from < portion ? whole - from : portion;
      if (hipError_t error = part.run(rank, sizes); error != hipSuccess)
        return error;
    }
    return hipSuccess;
  }

  hipError_t start(int rank, const int64_t (&size)[4]) {
    bool runs = true, aligned = true;
    const int last = rank - 1;
    each([&](auto &operand) {
      using T = std::remove_pointer_t<decltype(operand.data)>;
      constexpr uint64_t Bytes = N * sizeof(T) < 16 ? N * sizeof(T) : 16;
      if (operand.stride[last] == 0)
        return;
      if (operand.stride[last] != 1) {
        runs = false;
        return;
      }
      aligned = aligned && reinterpret_cast<uintptr_t>(operand.data) % Bytes == 0;
      for (int d = 0; d < last; ++d)
        aligned = aligned && uint64_t(operand.stride[d]) * sizeof(T) % Bytes == 0;
    });
    // An output is not broadcast over what it has several elements of.
    forEachHost(outputs, [&](auto &operand) { runs = runs && (operand.stride[last] == 1 || size[last] == 1); });

    PointwiseExtent extent = {};
    extent.outerDimensions = last;
    extent.inner = uint32_t(size[last]);
    int64_t rows = 1;
    for (int d = 0; d < last; ++d) {
      extent.outer[Innermost - last + d] = FastDivide(uint32_t(size[d]));
      rows *= size[d];
    }
    each([&](auto &operand) {
      for (int d = Innermost; d >= 0; --d)
        operand.stride[d] = d >= Innermost - last ? operand.stride[d - (Innermost - last)] : 0;
    });

    if (!runs) {
      extent.rows = FastDivide(uint32_t(size[last]));
      extent.total = uint32_t(rows * size[last]);
      const unsigned groups = unsigned((int64_t(extent.total) + plan.threads - 1) / plan.threads);
      return launchKernel(gatherKernel<Functor, Ins, Outs>, dim3(groups), dim3(plan.threads), 0, 1, launch.stream,
                          functor, inputs, outputs, extent);
    }
    const int64_t vectors = (size[last] + N - 1) / N, all = vectors * rows;
    if (adapt) { // few elements: rather one wavefront a workgroup, on more compute units
      const int wave = waveSizeOf(target);
      while (plan.threads > wave && all < int64_t(plan.threads) * target.computeUnits)
        plan.threads /= 2;
      while (plan.vectors > 1 && all < int64_t(plan.threads) * plan.vectors * target.computeUnits * 4)
        plan.vectors /= 2;
    }
    const int64_t covers = int64_t(plan.threads) * plan.vectors;
    extent.total = uint32_t(all);
    if (rank == 1)
      return startMapped<Mapping::Flat>(aligned, (all + covers - 1) / covers, extent);
    const int64_t inRow = (vectors + covers - 1) / covers;
    if (inRow * covers <= vectors + vectors / 4) {
      extent.rows = FastDivide(uint32_t(inRow));
      return startMapped<Mapping::RowBlocks>(aligned, inRow * rows, extent);
    }
    extent.rows = FastDivide(uint32_t(vectors));
    return startMapped<Mapping::Lanes>(aligned, (all + covers - 1) / covers, extent);
  }

  template <Mapping Map> hipError_t startMapped(bool aligned, int64_t groups, const PointwiseExtent &extent) {
    if (!aligned)
      return startKernel<1, false, Map>(groups * plan.vectors, extent);
    switch (plan.vectors) {
    case 1:
      return startKernel<1, true, Map>(groups, extent);
    case 2:
      return startKernel<2, true, Map>(groups, extent);
    default:
      return startKernel<4, true, Map>(groups, extent);
    }
  }

  template <int V, bool Aligned, Mapping Map> hipError_t startKernel(int64_t groups, const PointwiseExtent &extent) {
    PointwiseExtent e = extent;
    if (Map == Mapping::RowBlocks && V != plan.vectors)
      e.rows = FastDivide(extent.rows.divisor * plan.vectors);
    return launchKernel(pointwiseKernel<Functor, Ins, Outs, N, V, Aligned, Map>, dim3(unsigned(groups)),
                        dim3(plan.threads), 0, 1, launch.stream, functor, inputs, outputs, e);
  }
};

} // namespace detail
} // namespace hk
