//===- hk/detail/row_kernels.h - The kernels of hk::rows ------------------===//
//
// One body serves a row in registers, whether it is shared by part of a wavefront, a workgroup or several workgroups
// (RowMode); a second one goes through a long row in steps. A work-item's vectors are `threads` vectors apart, so that
// neighbouring lanes read neighbouring vectors.
//
// The next row's inputs are loaded before this row is reduced. All lanes take part in all reductions; a lane
// without a vector reads the last one of its row, which costs no line, and leaves it out of the reduction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/launch.h"
#include "hk/operands.h"
#include "hk/reduce.h"
#include "hk/split.h"
#include "hk/sync.h"
#include "hk/tuning.h"

namespace hk {

/// Where an element is, for functors that ask.
struct At {
  int64_t row;
  int column;
};

/// Keep the inputs and call the prologue again.
struct KeepInputs {};

namespace detail {

//===-- What a kernel is made of ---------------------------------------------------------------------------------===//

template <class Operands, int N> struct FragmentsOf;
template <class... Os, int N> struct FragmentsOf<Tuple<Os...>, N> {
  using Type = Tuple<Fragment<Os, N>...>;
};
template <class Operands, int N> using Fragments = typename FragmentsOf<Operands, N>::Type;

template <class V, int N> struct Values {
  V at[N];
};
template <class Operands, int N> struct ValuesOf;
template <class... Os, int N> struct ValuesOf<Tuple<Os...>, N> {
  using Type = Tuple<Values<typename Element<typename OperandTraits<Os>::Type>::Value, N>...>;
};

template <class O> constexpr int vectorBytesOf() {
  using Traits = OperandTraits<O>;
  return Traits::Is == Part::PerRow ? 1 : int(sizeof(typename Traits::Type));
}

constexpr int largest(int a) { return a; }
template <class... Rest> constexpr int largest(int a, int b, Rest... rest) { return largest(a > b ? a : b, rest...); }

template <class Inputs, class Extras, class Outputs> struct VectorLengthOf;
template <class... Is, class... Xs, class... Os> struct VectorLengthOf<Tuple<Is...>, Tuple<Xs...>, Tuple<Os...>> {
  static constexpr int Value =
      16 / largest(1, vectorBytesOf<Is>()..., vectorBytesOf<Xs>()..., int(sizeof(typename OutputTraits<Os>::Type))...);
  static constexpr int Group = largest(0, OutputTraits<Os>::Group...);
  static constexpr bool ScaledRows = ((OutputTraits<Os>::Scale == Scaling::PerRow) || ...);
};

template <class K, class R, class P, class I, class E, class X, class O> struct RowProgram {
  using Keep = K;
  using Reduction = R;
  using Inputs = I;
  using Extras = X;
  using Outputs = O;
  using Lengths = VectorLengthOf<I, X, O>;

  static constexpr bool KeepsInputs = std::is_same_v<K, KeepInputs>;
  static constexpr int VectorLength = Lengths::Value;
  static constexpr int GroupVectors = Lengths::Group ? Lengths::Group / VectorLength : 1;
  static constexpr bool ScaledRows = Lengths::ScaledRows;
  static constexpr int KeptBytes = [] {
    if constexpr (KeepsInputs)
      return 4;
    else
      return int(sizeof(K));
  }();
  /// Sharing a row makes sense where something is reduced, and needs room for its words.
  static constexpr bool Splits = (R::Words > 0 || ScaledRows) && R::Words <= MaxExchangeWords;

  P prologue;
  I inputs;
  E epilogue;
  X extras;
  O outputs;
};

/// f(at, args...) or f(args...), whichever there is.
template <class F, class... Args> HK_DEVICE auto callAt(const F &f, const At &at, const Args &...args) {
  if constexpr (std::is_invocable_v<const F &, At, const Args &...>)
    return f(at, args...);
  else
    return f(args...);
}

template <class F, class Arrays, int... I, class... First>
HK_DEVICE auto callWith(const F &f, const At &at, const Arrays &arrays, int n, std::integer_sequence<int, I...>,
                        const First &...first) {
  return callAt(f, at, first..., get<I>(arrays).at[n]...);
}

template <class Operands, int N>
HK_DEVICE void unpackAll(const Fragments<Operands, N> &from, typename ValuesOf<Operands, N>::Type &to) {
  forEachIndex<Operands::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    get<I>(from).unpack(get<I>(to).at);
  });
}

/// Loads chunk \p v of the operands that differ from row to row (PerRow), or of those that do not. What a row has one of
/// is loaded with the first chunk.
template <bool General, bool PerRow, class Operands, int N, int V>
HK_DEVICE void loadSelected(Fragments<Operands, N> (&to)[V], int v, const Operands &from, int row, int column,
                            int count) {
  forEachIndex<Operands::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    constexpr Part Is = OperandTraits<TupleElement<I, Operands>>::Is;
    if constexpr ((Is != Part::PerColumn) == PerRow) {
      if (Is == Part::PerRow && v > 0)
        get<I>(to[v]) = get<I>(to[0]);
      else
        loadOperand<General>(get<I>(to[v]), get<I>(from), row, column, count);
    }
  });
}

/// Takes over the operands that differ from row to row.
template <class Operands, int N> HK_DEVICE void takeSelected(Fragments<Operands, N> &to, const Fragments<Operands, N> &from) {
  forEachIndex<Operands::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    if constexpr (OperandTraits<TupleElement<I, Operands>>::Is != Part::PerColumn)
      get<I>(to) = get<I>(from);
  });
}

/// The values of a chunk, before they are rounded to what is kept.
template <class Program, int N>
HK_DEVICE void valuesOf(const Program &program, const Fragments<typename Program::Inputs, N> &inputs, int row,
                        int column, float (&values)[N]) {
  typename ValuesOf<typename Program::Inputs, N>::Type in;
  unpackAll<typename Program::Inputs, N>(inputs, in);
#pragma unroll
  for (int n = 0; n < N; ++n)
    values[n] = callWith(program.prologue, At{row, column + n}, in, n,
                         std::make_integer_sequence<int, Program::Inputs::Size>{});
}

/// What stays of a chunk between the passes.
template <class Program, int N, bool Inputs = Program::KeepsInputs> struct Kept {
  Raw<typename Program::Keep, N> raw;
  /// Rounds \p values to what is kept.
  HK_DEVICE void keep(const Fragments<typename Program::Inputs, N> &, float (&values)[N]) {
    packFloats<Overflow::Special>(values, raw);
    raw.unpack(values);
  }
  HK_DEVICE void recall(const Program &, int, int, float (&values)[N]) const { raw.unpack(values); }
};
template <class Program, int N> struct Kept<Program, N, true> {
  Fragments<typename Program::Inputs, N> inputs;
  HK_DEVICE void keep(const Fragments<typename Program::Inputs, N> &from, float (&)[N]) { inputs = from; }
  HK_DEVICE void recall(const Program &program, int row, int column, float (&values)[N]) const {
    valuesOf<Program, N>(program, inputs, row, column, values);
  }
};

template <class E, class Result, class = void> struct HasPrepare : std::false_type {};
template <class E, class Result>
struct HasPrepare<E, Result,
                  std::void_t<decltype(std::declval<const E &>().prepare(std::declval<const Result &>(), 0))>>
    : std::true_type {};

template <class E, class Result> HK_DEVICE auto prepareRow(const E &epilogue, const Result &result, int columns) {
  if constexpr (HasPrepare<E, Result>::value)
    return epilogue.prepare(result, columns);
  else
    return result;
}

//===-- Outputs --------------------------------------------------------------------------------------------------===//

/// Below this no scale falls; see hk/operands.h.
constexpr float SmallestMaximum = 0x1p-116f;

template <class T> struct Scale {
  float scale, inverse;
  HK_DEVICE explicit Scale(float maximum) {
    maximum = ::fmaxf(maximum, SmallestMaximum);
    scale = maximum * (1.0f / Element<T>::Max);
    inverse = Element<T>::Max / maximum;
  }
  Scale() = default;
};

/// The results of the epilogue for the N elements of a chunk: Size arrays of N.
template <class Program, int N, class State>
HK_DEVICE void resultsOf(const Program &program, const float (&values)[N], const State &state,
                         const Fragments<typename Program::Extras, N> &extras, int row, int column,
                         float (&results)[Program::Outputs::Size][N]) {
  typename ValuesOf<typename Program::Extras, N>::Type in;
  unpackAll<typename Program::Extras, N>(extras, in);
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const auto all = callWith(program.epilogue, At{row, column + n}, in, n,
                              std::make_integer_sequence<int, Program::Extras::Size>{}, values[n], state);
    forEachIndex<Program::Outputs::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      results[I][n] = result<I>(all);
    });
  }
}

template <bool General, Overflow O, class T, int N>
HK_DEVICE void storeFloats(T *to, const float (&values)[N], int count) {
  Raw<T, N> raw;
  packFloats<O>(values, raw);
  if constexpr (General)
    storeSome<false>(to, raw, count);
  else if (count > 0)
    store<true>(to, raw);
}

/// Stores the results of a chunk. All lanes have to be here; `count` <= 0 stores nothing.
template <class Program, int N, bool General>
HK_DEVICE void storeResults(const Program &program, const float (&results)[Program::Outputs::Size][N],
                            const float (&inverse)[Program::Outputs::Size], int row, int column, int count) {
  forEachIndex<Program::Outputs::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    const auto &output = get<I>(program.outputs);
    using O = TupleElement<I, typename Program::Outputs>;
    using Traits = OutputTraits<O>;
    using T = typename Traits::Type;
    auto *to = atColumn(output.data + rowOffset(row, output.pitch), uint32_t(column));
    if constexpr (Traits::Scale == Scaling::None) {
      storeFloats<General, DefaultOverflow<T>>(to, results[I], count);
    } else {
      float scaled[N];
      float factor = inverse[I];
      if constexpr (Traits::Scale == Scaling::PerGroup) {
        typename AbsMax::State state = AbsMax::identity();
        AbsMax::add(state, results[I], count);
        constexpr int Lanes = Traits::Group / N;
        state = reduceLanes<AbsMax>(state, Lanes);
        const Scale<T> scale(AbsMax::finish(state));
        factor = scale.inverse;
        if (column % Traits::Group == 0 && count > 0)
          output.scale[rowOffset(row, output.scalePitch) + column / Traits::Group] = scale.scale;
      }
#pragma unroll
      for (int n = 0; n < N; ++n)
        scaled[n] = results[I][n] * factor;
      storeFloats<General, Overflow::InRange>(to, scaled, count);
    }
  });
}

//===-- Reducing a row -------------------------------------------------------------------------------------------===//

struct RowExtent {
  int rows;
  int columns;
  int threads;     ///< that share a row, in a workgroup
  int rowsInWorkgroup;
  int parts;
  int partColumns; ///< of each part but the last
  int workgroups;
  void *workspace;
};

/// Reduces over the work-items that share a row. Each call is one reduction of the workgroup; buffers alternate.
template <RowMode Mode> class RowReducer;

template <> class RowReducer<RowMode::Packed> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &extent) : threads(extent.threads) {}
  template <class R> HK_DEVICE typename R::State operator()(const typename R::State &state, int) {
    return reduceLanes<R>(state, threads);
  }
  HK_DEVICE void leave() {}

private:
  int threads;
};

/// LDS of two reductions: a wavefront that is ahead may write the second while others still read the first.
template <int Words> HK_DEVICE float *reductionBuffer(int turn) {
  __shared__ float buffer[2][Words * MaxWaves];
  return buffer[turn & 1];
}

template <> class RowReducer<RowMode::Block> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &extent)
      : waves(extent.threads / WaveSize), wave(int(threadIdx.x) / WaveSize), lane(int(threadIdx.x) % WaveSize) {}
  template <class R> HK_DEVICE typename R::State operator()(const typename R::State &state, int) {
    typename R::State all = reduceWave<R>(state);
    if (waves == 1)
      return all;
    float *lds = reductionBuffer<MaxExchangeWords>(turn++);
    publishWave<R>(all, lds, wave, lane);
    sync::lds();
    return collectWaves<R>(lds, waves, lane);
  }
  HK_DEVICE void leave() {}

private:
  int waves, wave, lane, turn = 0;
};

#if HK_AMD
template <> class RowReducer<RowMode::Split> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &extent)
      : exchange(extent.workspace, int(blockIdx.x) / extent.parts, int(blockIdx.x) % extent.parts, extent.parts),
        workgroups(extent.workgroups), waves(extent.threads / WaveSize), wave(int(threadIdx.x) / WaveSize),
        lane(int(threadIdx.x) % WaveSize) {}
  template <class R> HK_DEVICE typename R::State operator()(const typename R::State &state, int number) {
    typename R::State all = reduceWave<R>(state);
    float *lds = reductionBuffer<MaxExchangeWords>(0);
    if (waves > 1) {
      publishWave<R>(all, lds, wave, lane);
      sync::lds();
    }
    float *shared = reductionBuffer<MaxExchangeWords>(1);
    if (wave == 0) {
      if (waves > 1)
        all = collectWaves<R>(lds, waves, lane);
      all = exchange.template combine<R>(all, number, lane);
      if (waves > 1)
        publishWave<R>(all, shared, 0, lane);
    }
    if (waves > 1) {
      sync::lds();
#pragma unroll
      for (int w = 0; w < R::Words; ++w)
        all.word[w] = shared[w * MaxWaves];
    }
    return all;
  }
  HK_DEVICE void leave() {
    if (wave == 0)
      exchange.leave(workgroups, lane);
  }

private:
  Exchange exchange;
  int workgroups, waves, wave, lane;
};
#else
template <> class RowReducer<RowMode::Split> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &extent)
      : part(int(blockIdx.x) % extent.parts), parts(extent.parts), waves(extent.threads / WaveSize),
        wave(int(threadIdx.x) / WaveSize), lane(int(threadIdx.x) % WaveSize) {
    enterCluster();
  }
  template <class R> HK_DEVICE typename R::State operator()(const typename R::State &state, int number) {
    __shared__ float buffer[MaxExchanges][R::Words * MaxParts * MaxWaves];
    const typename R::State all = reduceWave<R>(state);
    if (number == 0)
      awaitCluster();
    return combineCluster<R>(all, buffer[number], part, parts, wave, waves, lane);
  }
  HK_DEVICE void leave() {}

private:
  int part, parts, waves, wave, lane;
};
#endif

/// Adds a chunk of which `count` elements belong to the row: N if `sure`; all or none if not General.
template <class R, bool General, int N>
HK_DEVICE void addChunk(typename R::Accumulator &own, const float (&values)[N], bool sure, int count) {
  if (sure) {
    R::add(own, values);
  } else if constexpr (General) {
    R::add(own, values, count);
  } else {
    typename R::Accumulator with = own;
    R::add(with, values);
    constexpr int Words = R::Words ? int(sizeof(own.word) / sizeof(float)) : 0;
#pragma unroll
    for (int w = 0; w < Words; ++w)
      own.word[w] = count > 0 ? with.word[w] : own.word[w];
  }
}

//===-- A row in registers ---------------------------------------------------------------------------------------===//

/// Work-items of a workgroup at most: NVIDIA's registers do not hold more vectors for more of them.
constexpr int mostThreads(RowMode mode, int chunks) {
  return mode == RowMode::Packed ? 256 : HK_NVIDIA && chunks > 2 ? 512 : 1024;
}

/// Loops: the grid has fewer workgroups than there are rows to take.
template <class Program, RowMode Mode, int V, bool General, bool Loops>
__global__ void __launch_bounds__(mostThreads(Mode, V))
    rowsKernel(const Program program, const RowExtent extent) {
  constexpr int N = Program::VectorLength;
  constexpr bool Packed = Mode == RowMode::Packed, Split = Mode == RowMode::Split;
  using R = typename Program::Reduction;
  using Outputs = typename Program::Outputs;

  const int threads = extent.threads;
  const int thread = Packed ? int(threadIdx.x) & (threads - 1) : int(threadIdx.x);
  const int inWorkgroup = Packed ? int(threadIdx.x) / threads : 0;
  const int offset = Split ? int(blockIdx.x) % extent.parts * extent.partColumns : 0;
  int limit = extent.columns;
  if (Split && offset + extent.partColumns < limit)
    limit = offset + extent.partColumns;

  // Sums of rows and steps stay below 2^32: see launchRows().
  uint32_t first = Split ? int(blockIdx.x) / extent.parts : blockIdx.x * extent.rowsInWorkgroup;
  const uint32_t rows = extent.rows, step = Split ? rows : extent.workgroups * extent.rowsInWorkgroup;

  awaitPreviousKernel();
  RowReducer<Mode> reduce(extent);

  // Only the last chunk of a whole row can be cut short.
  auto isSure = [](int v) { return !General && !Split && v < V - 1; };
  int column[V];
#pragma unroll
  for (int v = 0; v < V; ++v)
    column[v] = offset + (v * threads + thread) * N;
  // Where a chunk is read: lanes beyond the row read its last vector again.
  auto place = [&](int v) {
    if (General || isSure(v))
      return column[v];
    return column[v] < limit ? column[v] : limit - N;
  };
  auto countOf = [&](int v) { return isSure(v) ? N : limit - column[v]; };
  // A workgroup of several rows may have some beyond the last.
  auto rowOf = [&](uint32_t from) {
    const uint32_t row = from + inWorkgroup;
    return int(Packed && row >= rows ? rows - 1 : row);
  };

  Fragments<typename Program::Inputs, N> inputs[V];
  Fragments<typename Program::Extras, N> extras[V];
#pragma unroll
  for (int v = 0; v < V; ++v) {
    loadSelected<General, true, typename Program::Inputs, N>(inputs, v, program.inputs, rowOf(first), place(v),
                                                             countOf(v));
    loadSelected<General, false, typename Program::Inputs, N>(inputs, v, program.inputs, 0, place(v), countOf(v));
  }
#pragma unroll
  for (int v = 0; v < V; ++v)
    loadSelected<General, false, typename Program::Extras, N>(extras, v, program.extras, 0, place(v), countOf(v));

  while (first < rows) {
    const int row = rowOf(first);
    const bool mine = !Packed || first + inWorkgroup < rows;

    Kept<Program, N> kept[V];
    typename R::Accumulator own = R::start();
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float values[N];
      valuesOf<Program, N>(program, inputs[v], row, column[v], values);
      kept[v].keep(inputs[v], values);
      addChunk<R, General>(own, values, isSure(v), countOf(v));
    }
#pragma unroll
    for (int v = 0; v < V; ++v)
      loadSelected<General, true, typename Program::Extras, N>(extras, v, program.extras, row, place(v), countOf(v));
    // Not set if there is no next row: then nobody looks at it, and the compiler need not keep the old values.
    Fragments<typename Program::Inputs, N> next[V];
    if (Loops && first + step < rows) {
#pragma unroll
      for (int v = 0; v < V; ++v)
        loadSelected<General, true, typename Program::Inputs, N>(next, v, program.inputs, rowOf(first + step),
                                                                 place(v), countOf(v));
    }
    typename R::State state = R::seal(own);
    if constexpr (R::Words > 0)
      state = reduce.template operator()<R>(state, 0);
    const auto rowState = prepareRow(program.epilogue, R::finish(state), extent.columns);

    float inverse[Outputs::Size] = {};
    if constexpr (Program::ScaledRows) {
      typename AbsMax::State maximum[Outputs::Size];
      forEachIndex<Outputs::Size>([&](auto i) { maximum[decltype(i)::value] = AbsMax::identity(); });
#pragma unroll
      for (int v = 0; v < V; ++v) {
        float values[N], results[Outputs::Size][N];
        kept[v].recall(program, row, column[v], values);
        resultsOf<Program, N>(program, values, rowState, extras[v], row, column[v], results);
        forEachIndex<Outputs::Size>([&](auto i) {
          constexpr int I = decltype(i)::value;
          if constexpr (OutputTraits<TupleElement<I, Outputs>>::Scale == Scaling::PerRow) {
            addChunk<AbsMax, General>(maximum[I], results[I], isSure(v), countOf(v));
          }
        });
      }
      forEachIndex<Outputs::Size>([&](auto i) {
        constexpr int I = decltype(i)::value;
        using O = TupleElement<I, Outputs>;
        if constexpr (OutputTraits<O>::Scale == Scaling::PerRow) {
          maximum[I] = reduce.template operator()<AbsMax>(maximum[I], 1);
          const Scale<typename OutputTraits<O>::Type> scale(AbsMax::finish(maximum[I]));
          inverse[I] = scale.inverse;
          if (mine && thread == 0 && offset == 0)
            get<I>(program.outputs).scale[row] = scale.scale;
        }
      });
    }
    if constexpr (Split)
      reduce.leave();
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float values[N], results[Outputs::Size][N];
      kept[v].recall(program, row, column[v], values);
      resultsOf<Program, N>(program, values, rowState, extras[v], row, column[v], results);
      storeResults<Program, N, General>(program, results, inverse, row, column[v], mine ? countOf(v) : 0);
    }
    if constexpr (!Loops)
      break;
#pragma unroll
    for (int v = 0; v < V; ++v)
      takeSelected<typename Program::Inputs, N>(inputs[v], next[v]);
    first += step;
  }
}

//===-- A long row, in steps -------------------------------------------------------------------------------------===//

template <class Program, int V, bool General, bool InLds>
__global__ void __launch_bounds__(1024) longRowsKernel(const Program program, const RowExtent extent) {
  constexpr int N = Program::VectorLength;
  using R = typename Program::Reduction;
  using Outputs = typename Program::Outputs;
  // In LDS a work-item reads what it has written itself, so that no barrier is needed for it.
  extern __shared__ __attribute__((aligned(16))) unsigned char rowInLds[];
  auto *keptInLds = reinterpret_cast<Kept<Program, N> *>(rowInLds);

  const int threads = extent.threads, thread = int(threadIdx.x), columns = extent.columns;
  const int stride = threads * N;
  awaitPreviousKernel();
  RowReducer<RowMode::Block> reduce(extent);

  for (uint32_t first = blockIdx.x; first < uint32_t(extent.rows); first += extent.workgroups) {
    const int row = int(first);
    // Calls use(values, column, count, extras) for each chunk of this work-item.
    auto pass = [&](auto first, auto use) {
      constexpr bool First = decltype(first)::value;
      for (int begin = 0; begin < columns; begin += V * stride) {
        Fragments<typename Program::Inputs, N> inputs[V];
        Fragments<typename Program::Extras, N> extras[V];
        int column[V];
#pragma unroll
        for (int v = 0; v < V; ++v) {
          column[v] = begin + v * stride + thread * N;
          const int place = General || column[v] < columns ? column[v] : columns - N;
          if constexpr (First || !InLds) {
            loadSelected<General, true, typename Program::Inputs, N>(inputs, v, program.inputs, row, place,
                                                                     columns - column[v]);
            loadSelected<General, false, typename Program::Inputs, N>(inputs, v, program.inputs, row, place,
                                                                      columns - column[v]);
          }
          if constexpr (!First) {
            loadSelected<General, true, typename Program::Extras, N>(extras, v, program.extras, row, place,
                                                                     columns - column[v]);
            loadSelected<General, false, typename Program::Extras, N>(extras, v, program.extras, row, place,
                                                                      columns - column[v]);
          }
        }
#pragma unroll
        for (int v = 0; v < V; ++v) {
          float values[N];
          if constexpr (First || !InLds) {
            Kept<Program, N> kept;
            valuesOf<Program, N>(program, inputs[v], row, column[v], values);
            kept.keep(inputs[v], values);
            if constexpr (First && InLds) {
              if (column[v] < columns)
                keptInLds[column[v] / N] = kept;
            }
          } else {
            const int at = column[v] < columns ? column[v] : columns - 1;
            keptInLds[at / N].recall(program, row, column[v], values);
          }
          use(values, column[v], columns - column[v], extras[v]);
        }
      }
    };
    using Extras = Fragments<typename Program::Extras, N>;

    typename R::Accumulator own = R::start();
    if constexpr (R::Words > 0 || InLds) {
      pass(std::true_type{}, [&](const float(&values)[N], int, int count, const Extras &) {
        if (count >= N)
          R::add(own, values);
        else if (General)
          R::add(own, values, count);
      });
    }
    typename R::State state = R::seal(own);
    if constexpr (R::Words > 0)
      state = reduce.template operator()<R>(state, 0);
    const auto rowState = prepareRow(program.epilogue, R::finish(state), columns);

    float inverse[Outputs::Size] = {};
    if constexpr (Program::ScaledRows) {
      typename AbsMax::State maximum[Outputs::Size];
      forEachIndex<Outputs::Size>([&](auto i) { maximum[decltype(i)::value] = AbsMax::identity(); });
      pass(std::false_type{}, [&](const float(&values)[N], int column, int count, const Extras &extras) {
        float results[Outputs::Size][N];
        resultsOf<Program, N>(program, values, rowState, extras, row, column, results);
        forEachIndex<Outputs::Size>([&](auto i) { AbsMax::add(maximum[decltype(i)::value], results[decltype(i)::value], count); });
      });
      forEachIndex<Outputs::Size>([&](auto i) {
        constexpr int I = decltype(i)::value;
        using O = TupleElement<I, Outputs>;
        if constexpr (OutputTraits<O>::Scale == Scaling::PerRow) {
          maximum[I] = reduce.template operator()<AbsMax>(maximum[I], 1);
          const Scale<typename OutputTraits<O>::Type> scale(AbsMax::finish(maximum[I]));
          inverse[I] = scale.inverse;
          if (thread == 0)
            get<I>(program.outputs).scale[row] = scale.scale;
        }
      });
    }
    pass(std::false_type{}, [&](const float(&values)[N], int column, int count, const Extras &extras) {
      float results[Outputs::Size][N];
      resultsOf<Program, N>(program, values, rowState, extras, row, column, results);
      storeResults<Program, N, General>(program, results, inverse, row, column, count);
    });
  }
}

//===-- Launching ------------------------------------------------------------------------------------------------===//

/// Whether N elements at each multiple of N, in each row, are aligned to their size or to 16 bytes.
template <int N, class T> bool isAligned(const T *data, int64_t pitch) {
  constexpr uint64_t Bytes = N * sizeof(T) < 16 ? N * sizeof(T) : 16;
  return reinterpret_cast<uintptr_t>(data) % Bytes == 0 && uint64_t(pitch) * sizeof(T) % Bytes == 0;
}
template <int N, class T> bool isAligned(const Matrix<T> &m) { return isAligned<N>(m.data, m.pitch); }
template <int N, class T> bool isAligned(const RowVector<T> &v) { return isAligned<N>(v.data, 0); }
template <int N, class T> bool isAligned(const ColumnVector<T> &) { return true; }
template <int N, class T> bool isAligned(const Scalar<T> &) { return true; }
template <int N, class T> bool isAligned(const QuantizedRows<T> &m) { return isAligned<N>(m.data, m.pitch); }
template <int N, class T, int G> bool isAligned(const QuantizedGroups<T, G> &m) { return isAligned<N>(m.data, m.pitch); }

template <int N> bool allOf(const Tuple<> &) { return true; }
template <int N, class T, class... Rest> bool allOf(const Tuple<T, Rest...> &t) {
  return isAligned<N>(t.first) && allOf<N>(t.rest);
}
template <int N, class Program> bool allAligned(const Program &program) {
  return allOf<N>(program.inputs) && allOf<N>(program.extras) && allOf<N>(program.outputs);
}

template <RowMode Mode, bool General, class Program>
hipError_t launchInRegisters(const Target &target, const Program &program, const RowExtent &extent, int chunks, dim3 block, int cluster,
                             hipStream_t stream) {
  const bool loops = Mode != RowMode::Split && int64_t(extent.workgroups) * extent.rowsInWorkgroup < extent.rows;
  auto start = [&](auto chunk) {
    constexpr int V = decltype(chunk)::value;
    if (int(block.x) > mostThreads(Mode, V))
      return hipErrorInvalidValue;
    const dim3 grid(unsigned(extent.workgroups));
    // A form that checks everything is not there to save instructions.
    if constexpr (Mode == RowMode::Split)
      return launchKernel(target, rowsKernel<Program, Mode, V, General, false>, grid, block, 0, cluster, stream, program, extent);
    else if (General || loops)
      return launchKernel(target, rowsKernel<Program, Mode, V, General, true>, grid, block, 0, cluster, stream, program, extent);
    else
      return launchKernel(target, rowsKernel<Program, Mode, V, General, General>, grid, block, 0, cluster, stream, program,
                          extent);
  };
  // Where few forms are made, larger ones serve for smaller numbers of chunks.
  if (!General && chunks == 1)
    return start(std::integral_constant<int, General ? 2 : 1>{});
  if (chunks <= 2)
    return start(std::integral_constant<int, 2>{});
  if (!General && chunks <= 4)
    return start(std::integral_constant<int, General ? 8 : 4>{});
  return start(std::integral_constant<int, 8>{});
}

template <class Program>
hipError_t launchRows(const Launch &launch, const Target &target, const Program &program, int64_t rows, int columns,
                      bool general, const RowPlan &plan) {
  constexpr int N = Program::VectorLength;
  const int wave = waveSizeOf(target);
  const int64_t vectors = (int64_t(columns) + N - 1) / N;
  RowExtent extent{int(rows),          columns, plan.threads, plan.rowsInWorkgroup, plan.parts, columns,
                   int(plan.workgroups), launch.workspace.data};
  const dim3 block(plan.threads * plan.rowsInWorkgroup);
  if (plan.threads <= 0 || plan.rowsInWorkgroup <= 0 || plan.workgroups <= 0 || plan.workgroups > 0x7fffffff || block.x > 1024 || block.x % wave)
    return hipErrorInvalidValue;
  const dim3 grid{unsigned(plan.workgroups)};
  const int64_t held = int64_t(plan.threads) * plan.chunks;
  // Chunks but the last are taken to be whole.
  const bool covers = held >= vectors && (general || held - plan.threads < vectors || plan.chunks == 1);
  switch (plan.mode) {
  case RowMode::Packed:
    if (plan.threads & (plan.threads - 1) || plan.threads > wave || plan.threads < Program::GroupVectors ||
        block.x > 256 || !covers)
      return hipErrorInvalidValue;
    if (general)
      return launchInRegisters<RowMode::Packed, true>(target, program, extent, plan.chunks, block, 1, launch.stream);
    return launchInRegisters<RowMode::Packed, false>(target, program, extent, plan.chunks, block, 1, launch.stream);
  case RowMode::Block:
    if (plan.rowsInWorkgroup != 1 || !covers)
      return hipErrorInvalidValue;
    if (general)
      return launchInRegisters<RowMode::Block, true>(target, program, extent, plan.chunks, block, 1, launch.stream);
    return launchInRegisters<RowMode::Block, false>(target, program, extent, plan.chunks, block, 1, launch.stream);
  case RowMode::Split: {
    const int64_t share = ((vectors + plan.parts - 1) / plan.parts + PartUnit - 1) / PartUnit * PartUnit;
    if (plan.rowsInWorkgroup != 1 || general || plan.parts < 2 || plan.parts > MaxParts ||
        plan.parts & (plan.parts - 1) || held < share || plan.workgroups != rows * plan.parts ||
        plan.workgroups > WorkspaceLayout::Slots || share * (plan.parts - 1) >= vectors ||
        (HK_AMD && !launch.workspace.data))
      return hipErrorInvalidValue;
    extent.partColumns = int(share) * N;
    if constexpr (Program::Splits)
      return launchInRegisters<RowMode::Split, false>(target, program, extent, plan.chunks, block, plan.parts, launch.stream);
    return hipErrorNotSupported;
  }
  case RowMode::Long: {
    if (plan.rowsInWorkgroup != 1 || plan.ldsBytes < 0)
      return hipErrorInvalidValue;
    constexpr bool CanKeep = !Program::KeepsInputs;
    if (CanKeep && plan.ldsBytes) {
      const size_t lds = size_t(vectors) * N * Program::KeptBytes;
      if (general)
        return launchKernel(target, longRowsKernel<Program, 4, true, CanKeep>, grid, block, lds, 1, launch.stream, program,
                            extent);
      return launchKernel(target, longRowsKernel<Program, 4, false, CanKeep>, grid, block, lds, 1, launch.stream, program,
                          extent);
    }
    if (general)
      return launchKernel(target, longRowsKernel<Program, 4, true, false>, grid, block, 0, 1, launch.stream, program, extent);
    return launchKernel(target, longRowsKernel<Program, 4, false, false>, grid, block, 0, 1, launch.stream, program, extent);
  }
  }
  return hipErrorInvalidValue;
}

} // namespace detail
} // namespace hk
