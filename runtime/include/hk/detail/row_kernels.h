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
  static constexpr int RowScales = (0 + ... + (OutputTraits<Os>::Scale == Scaling::PerRow));
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
  static constexpr bool ScaledRows = Lengths::RowScales > 0;
  /// Words that are reduced over the whole row at once.
  static constexpr int RowWords = R::Words > 0 ? R::Words : ScaledRows ? 1 : 0;
  /// Sharing a row makes sense where something is reduced, and needs room for its words and an exchange for each scale.
  static constexpr bool Splits = RowWords > 0 && R::Words <= MaxExchangeWords && Lengths::RowScales <= MaxExchanges - 1;

  P prologue;
  I inputs;
  E epilogue;
  X extras;
  O outputs;
};

/// Whether f(args...) can be called. std::is_invocable asks in a host function's place, where no device function can be.
template <class Void, class F, class... Args> struct CanCall : std::false_type {};
template <class F, class... Args>
struct CanCall<std::void_t<decltype(std::declval<const F &>()(std::declval<const Args &>()...))>, F, Args...>
    : std::true_type {};

/// f(at, args...) or f(args...), whichever there is.
template <class F, class... Args> HK_DEVICE auto callAt(const F &f, const At &at, const Args &...args) {
  if constexpr (CanCall<void, F, At, Args...>::value)
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
template <bool General, bool PerRow, Use U = Use::Cached, class Operands, int N, int V>
HK_DEVICE void loadSelected(Fragments<Operands, N> (&to)[V], int v, const Operands &from, int row, int column,
                            int count) {
  forEachIndex<Operands::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    constexpr Part Is = OperandTraits<TupleElement<I, Operands>>::Is;
    if constexpr ((Is != Part::PerColumn) == PerRow) {
      if (Is == Part::PerRow && v > 0)
        get<I>(to[v]) = get<I>(to[0]);
      else
        loadOperand<General, U>(get<I>(to[v]), get<I>(from), row, column, count);
    }
  });
}

/// Takes over the operands that differ from row to row (PerRow), or those that do not.
template <bool PerRow, class Operands, int N>
HK_DEVICE void takeSelected(Fragments<Operands, N> &to, const Fragments<Operands, N> &from) {
  forEachIndex<Operands::Size>([&](auto i) {
    constexpr int I = decltype(i)::value;
    if constexpr ((OperandTraits<TupleElement<I, Operands>>::Is != Part::PerColumn) == PerRow)
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
  HK_DEVICE void refresh() { raw.refresh(); }
};
template <class Program, int N> struct Kept<Program, N, true> {
  Fragments<typename Program::Inputs, N> inputs;
  HK_DEVICE void keep(const Fragments<typename Program::Inputs, N> &from, float (&)[N]) { inputs = from; }
  HK_DEVICE void recall(const Program &program, int row, int column, float (&values)[N]) const {
    valuesOf<Program, N>(program, inputs, row, column, values);
  }
  HK_DEVICE void refresh() {
    forEachIndex<Program::Inputs::Size>([&](auto i) {
      constexpr int I = decltype(i)::value;
      if constexpr (OperandTraits<TupleElement<I, typename Program::Inputs>>::Is != Part::PerRow)
        get<I>(inputs).raw.refresh();
    });
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

/// Of a row no smaller maximum is taken; see hk/operands.h.
template <class T> constexpr float SmallestMaximum = Element<T>::Max > 4096 ? 0x1p-110f : 0x1p-116f;

template <class T> struct Scale {
  float scale, inverse;
  HK_DEVICE explicit Scale(float maximum) {
    maximum = ::fmaxf(maximum, SmallestMaximum<T>);
    scale = maximum * (1.0f / Element<T>::Max);
    inverse = Element<T>::Max / maximum;
  }
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

/// Combines the states of the wavefronts that share a row, for G rows at once. Each call is one reduction of the workgroup.
template <RowMode Mode, int G> class RowReducer;

template <> class RowReducer<RowMode::Packed, 1> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &) {}
  template <class R> HK_DEVICE void combine(typename R::State (&)[1], int) {}
  HK_DEVICE void leave() {}
};

/// LDS of a reduction. They alternate: a wavefront that is ahead may write the second while others still read the first.
template <int Floats> HK_DEVICE float *reductionBuffer(int turn) {
  __shared__ float buffer[2][Floats];
  return buffer[turn & 1];
}
constexpr int BufferFloats = MaxExchangeWords * MaxWaves;

template <> class RowReducer<RowMode::Block, 1> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &extent)
      : waves(extent.threads / WaveSize), wave(int(threadIdx.x) / WaveSize), lane(int(threadIdx.x) % WaveSize) {}
  template <class R> HK_DEVICE void combine(typename R::State (&state)[1], int) {
    if (waves == 1)
      return;
    static_assert(R::Words <= MaxExchangeWords, "more words than there is LDS for");
    float *lds = reductionBuffer<BufferFloats>(turn++);
    publishWave<R>(state[0], lds, wave, lane);
    sync::lds();
    state[0] = collectWaves<R>(lds, waves, lane);
  }
  HK_DEVICE void leave() {}

private:
  int waves, wave, lane, turn = 0;
};

#if HK_AMD
template <int G> class RowReducer<RowMode::Split, G> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &extent)
      : exchange(extent.workspace, int(blockIdx.x) / extent.parts * extent.parts * G,
                 int(blockIdx.x) % extent.parts, extent.parts),
        workgroups(extent.workgroups), waves(extent.threads / WaveSize), wave(int(threadIdx.x) / WaveSize),
        lane(int(threadIdx.x) % WaveSize) {}
  template <class R> HK_DEVICE void combine(typename R::State (&state)[G], int number) {
    if (waves == 1) {
      exchange.template combine<R, G>(state, number, lane);
      return;
    }
    float *own = reductionBuffer<G * BufferFloats>(0), *all = reductionBuffer<G * BufferFloats>(1);
#pragma unroll
    for (int g = 0; g < G; ++g)
      publishWave<R>(state[g], own + g * BufferFloats, wave, lane);
    sync::lds();
    if (wave == 0) {
#pragma unroll
      for (int g = 0; g < G; ++g)
        state[g] = collectWaves<R>(own + g * BufferFloats, waves, lane);
      exchange.template combine<R, G>(state, number, lane);
      if (lane == 0) { // side by side: few wide accesses
#pragma unroll
        for (int g = 0; g < G; ++g)
#pragma unroll
          for (int w = 0; w < R::Words; ++w)
            all[w * G + g] = state[g].word[w];
      }
    }
    sync::lds();
#pragma unroll
    for (int g = 0; g < G; ++g)
#pragma unroll
      for (int w = 0; w < R::Words; ++w)
        state[g].word[w] = all[w * G + g];
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
template <> class RowReducer<RowMode::Split, 1> {
public:
  HK_DEVICE explicit RowReducer(const RowExtent &extent)
      : part(int(blockIdx.x) % extent.parts), parts(extent.parts), waves(extent.threads / WaveSize),
        wave(int(threadIdx.x) / WaveSize), lane(int(threadIdx.x) % WaveSize) {
    enterCluster();
  }
  template <class R> HK_DEVICE void combine(typename R::State (&state)[1], int number) {
    __shared__ float buffer[MaxExchanges][R::Words * MaxParts * MaxWaves];
    if (!entered)
      awaitCluster();
    entered = true;
    state[0] = combineCluster<R>(state[0], buffer[number], part, parts, wave, waves, lane);
  }
  HK_DEVICE void leave() {}

private:
  int part, parts, waves, wave, lane;
  bool entered = false;
};
#endif

/// Adds a chunk of which `count` elements belong to the row: N if `sure`; all or none if not General.
template <class R, bool General, int N>
HK_DEVICE void addChunk(typename InWave<R>::Accumulator &own, const float (&values)[N], bool sure, int count) {
  if (sure) {
    InWave<R>::add(own, values);
  } else if constexpr (General) {
    InWave<R>::add(own, values, count);
  } else {
    typename InWave<R>::Accumulator with = own;
    InWave<R>::add(with, values);
    constexpr int Words = R::Words ? int(sizeof(own.word) / sizeof(float)) : 0;
#pragma unroll
    for (int w = 0; w < Words; ++w)
      own.word[w] = count > 0 ? with.word[w] : own.word[w];
  }
}

//===-- A row in registers ---------------------------------------------------------------------------------------===//

/// The second of the launch bounds: on AMD, wavefronts that a SIMD has to hold (hk/split.h says why, on progress); on
/// NVIDIA, workgroups of a multiprocessor.
constexpr int leastResident(RowMode mode, int chunks, int rows) {
  if (HK_AMD)
    return mode != RowMode::Split ? 1 : rows > 1 ? 2 : 4;
  return mode == RowMode::Split && chunks == 8 ? 2 : 1;
}

/// Nothing is moved across this place: where registers are few, or chunks would be computed all at once.
HK_DEVICE void oneAfterTheOther() {
#if HK_AMD
  __builtin_amdgcn_sched_barrier(0);
#endif
}

/// \p value of the wavefront's first lane.
HK_DEVICE int ofFirstLane(int value) {
#if HK_AMD
  return __builtin_amdgcn_readfirstlane(value);
#else
  return __shfl_sync(0xffffffffu, value, 0);
#endif
}

/// The columns that this workgroup has of a row.
struct RowPart {
  int offset, limit;
  HK_DEVICE RowPart(const RowExtent &extent, bool split)
      : offset(split ? int(blockIdx.x) % extent.parts * extent.partColumns : 0), limit(extent.columns) {
    if (split && offset + extent.partColumns < limit)
      limit = offset + extent.partColumns;
  }
};

/// G: rows that a workgroup has in registers at once. Loops: the grid has fewer workgroups than there are rows to take.
template <class Program, RowMode Mode, int V, int G, bool General, bool Loops>
__global__ void __launch_bounds__(mostThreads(Mode, V, G, HK_AMD), leastResident(Mode, V, G))
    rowsKernel(const Program program, const RowExtent extent) {
  constexpr int N = Program::VectorLength;
  constexpr bool Packed = Mode == RowMode::Packed, Split = Mode == RowMode::Split;
  // Where registers are few, what the epilogue reads comes late, chunk by chunk: it is in the cache for most rows. And
  // inputs come in two halves.
  constexpr bool LateExtras = V > 4;
  constexpr int AtOnce = V > (HK_AMD ? 4 : 2) ? V / 2 : V;
  using R = typename Program::Reduction;
  using Inputs = typename Program::Inputs;
  using Extras = typename Program::Extras;
  using Outputs = typename Program::Outputs;

  const int threads = extent.threads;
  const int thread = Packed ? int(threadIdx.x) & (threads - 1) : int(threadIdx.x);
  const int inWorkgroup = Packed ? int(threadIdx.x) / threads : 0;
  const int width = Packed ? threads : WaveSize; // lanes of a wavefront that share a row
  const RowPart part(extent, Split);
  const int limit = part.limit;

  // Sums of rows and steps stay below 2^32: see launchRows().
  uint32_t first = Split ? int(blockIdx.x) / extent.parts * G : blockIdx.x * extent.rowsInWorkgroup;
  const uint32_t rows = extent.rows, step = extent.workgroups * extent.rowsInWorkgroup;

  awaitPreviousKernel();
  // Other wavefronts of a workgroup may have rows where this one has none. It must not look at theirs: in place, they
  // overwrite them.
  const uint32_t least = Packed ? ofFirstLane(inWorkgroup) : 0;
  if (Packed && first + least >= rows)
    return;
  RowReducer<Mode, G> reducer(extent);

  // Only the last chunk of a whole row can be cut short.
  auto isSure = [](int v) { return !General && !Split && v < V - 1; };
  int column[V];
#pragma unroll
  for (int v = 0; v < V; ++v)
    column[v] = part.offset + (v * threads + thread) * N;
  // Where a chunk is read: lanes beyond the row read its last vector again.
  auto place = [&](int v) {
    if (General || isSure(v))
      return column[v];
    return column[v] < limit ? column[v] : limit - N;
  };
  auto countOf = [&](int v) { return isSure(v) ? N : limit - column[v]; };
  // Without a reduction no barrier is between these loads and the stores of other wavefronts: in place, what they have may be
  // overwritten by now.
  auto isRead = [&](int v) { return General || Program::RowWords > 0 || isSure(v) || countOf(v) > 0; };
  // Some of a wavefront's rows may be beyond the last, which is one of them, then.
  auto rowOf = [&](uint32_t from, int g) {
    const uint32_t row = from + (G > 1 ? g : inWorkgroup);
    return int((Packed || G > 1) && row >= rows ? rows - 1 : row);
  };
  auto isMine = [&](int g) { return !(Packed || G > 1) || first + (G > 1 ? g : inWorkgroup) < rows; };
  auto each = [](auto use) {
#pragma unroll
    for (int g = 0; g < G; ++g)
#pragma unroll
      for (int v = 0; v < V; ++v)
        use(g, v);
  };

  Fragments<Inputs, N> inputs[G][V];
  Fragments<Extras, N> extras[G][V];
  auto loadInputs = [&](int g, int v) {
    if (!isRead(v))
      return;
    loadSelected<General, true, Use::Cached, Inputs, N>(inputs[g], v, program.inputs, rowOf(first, g), place(v),
                                                        countOf(v));
    if (g == 0)
      loadSelected<General, false, Use::Cached, Inputs, N>(inputs[0], v, program.inputs, 0, place(v), countOf(v));
    else
      takeSelected<false, Inputs, N>(inputs[g][v], inputs[0][v]);
  };
  each([&](int g, int v) {
    if (v < AtOnce)
      loadInputs(g, v);
  });
  auto loadColumns = [&](int g, int v) {
    if (g == 0)
      loadSelected<General, false, Use::Cached, Extras, N>(extras[0], v, program.extras, 0, place(v), countOf(v));
    else
      takeSelected<false, Extras, N>(extras[g][v], extras[0][v]);
  };
  if (!LateExtras)
    each(loadColumns);

  while (first + least < rows) {
    Kept<Program, N> kept[G][V];
    typename InWave<R>::Accumulator own[G];
    typename R::State state[G];
    each([&](int g, int v) {
      if (AtOnce < V && v == AtOnce) {
        oneAfterTheOther();
#pragma unroll
        for (int later = AtOnce; later < V; ++later)
          loadInputs(g, later);
      }
      float values[N];
      valuesOf<Program, N>(program, inputs[g][v], rowOf(first, g), column[v], values);
      kept[g][v].keep(inputs[g][v], values);
      if (v == 0)
        own[g] = InWave<R>::start(values, !General, countOf(0), width);
      addChunk<R, General>(own[g], values, isSure(v), countOf(v));
    });
    each([&](int g, int v) {
      if (isRead(v))
        loadSelected<General, true, Use::Cached, Extras, N>(extras[g], v, program.extras, rowOf(first, g), place(v),
                                                            countOf(v));
    });
    // Not set if there is no next row: then nobody looks at it, and the compiler need not keep the old values.
    Fragments<Inputs, N> next[G][V];
    if (Loops && first + step + least < rows)
      each([&](int g, int v) {
        if (isRead(v))
          loadSelected<General, true, Use::Cached, Inputs, N>(next[g], v, program.inputs, rowOf(first + step, g),
                                                              place(v), countOf(v));
      });
#pragma unroll
    for (int g = 0; g < G; ++g)
      state[g] = InWave<R>::finish(own[g], width);
    if constexpr (R::Words > 0)
      reducer.template combine<R>(state, 0);
    using RowState = decltype(prepareRow(program.epilogue, R::finish(state[0]), 0));
    RowState rowState[G];
#pragma unroll
    for (int g = 0; g < G; ++g)
      rowState[g] = prepareRow(program.epilogue, R::finish(state[g]), extent.columns);

    float inverse[G][Outputs::Size] = {};
    if constexpr (Program::ScaledRows) {
      typename AbsMax::State maximum[Outputs::Size][G];
      forEachIndex<Outputs::Size>([&](auto i) {
#pragma unroll
        for (int g = 0; g < G; ++g)
          maximum[decltype(i)::value][g] = AbsMax::identity();
      });
      each([&](int g, int v) {
        if (LateExtras)
          loadColumns(g, v);
        if (V > 4) // in the next pass the same again, rather than kept until then
          kept[g][v].refresh();
        float values[N], results[Outputs::Size][N];
        kept[g][v].recall(program, rowOf(first, g), column[v], values);
        resultsOf<Program, N>(program, values, rowState[g], extras[g][v], rowOf(first, g), column[v], results);
        forEachIndex<Outputs::Size>([&](auto i) {
          constexpr int I = decltype(i)::value;
          if constexpr (OutputTraits<TupleElement<I, Outputs>>::Scale == Scaling::PerRow)
            addChunk<AbsMax, General>(maximum[I][g], results[I], isSure(v), countOf(v));
        });
      });
      forEachIndex<Outputs::Size>([&](auto i) {
        constexpr int I = decltype(i)::value;
        using O = TupleElement<I, Outputs>;
        if constexpr (OutputTraits<O>::Scale == Scaling::PerRow) {
#pragma unroll
          for (int g = 0; g < G; ++g)
            maximum[I][g] = reduceLanes<AbsMax>(maximum[I][g], width);
          reducer.template combine<AbsMax>(maximum[I], 1);
#pragma unroll
          for (int g = 0; g < G; ++g) {
            const Scale<typename OutputTraits<O>::Type> scale(AbsMax::finish(maximum[I][g]));
            inverse[g][I] = scale.inverse;
            if (isMine(g) && thread == 0 && part.offset == 0)
              get<I>(program.outputs).scale[rowOf(first, g)] = scale.scale;
          }
        }
      });
    }
    reducer.leave();
    each([&](int g, int v) {
      if (V > 4)
        oneAfterTheOther();
      if (LateExtras)
        loadColumns(g, v);
      if (V > 4)
        kept[g][v].refresh();
      float values[N], results[Outputs::Size][N];
      const int row = rowOf(first, g);
      kept[g][v].recall(program, row, column[v], values);
      resultsOf<Program, N>(program, values, rowState[g], extras[g][v], row, column[v], results);
      storeResults<Program, N, General>(program, results, inverse[g], row, column[v], isMine(g) ? countOf(v) : 0);
    });
    if constexpr (!Loops)
      break;
    each([&](int g, int v) { takeSelected<true, Inputs, N>(inputs[g][v], next[g][v]); });
    first += step;
  }
}

//===-- A long row, in steps -------------------------------------------------------------------------------------===//

template <class Program, RowMode Mode, int V, bool General, bool InLds>
__global__ void __launch_bounds__(1024) longRowsKernel(const Program program, const RowExtent extent) {
  constexpr int N = Program::VectorLength;
  constexpr bool Split = Mode == RowMode::Split;
  constexpr Use U = InLds ? Use::Streamed : Use::Cached;
  using R = typename Program::Reduction;
  using Inputs = typename Program::Inputs;
  using Extras = Fragments<typename Program::Extras, N>;
  using Outputs = typename Program::Outputs;
  // In LDS a work-item reads what it has written itself, so that no barrier is needed for it.
  extern __shared__ __attribute__((aligned(16))) unsigned char rowInLds[];
  auto *keptInLds = reinterpret_cast<Kept<Program, N> *>(rowInLds);

  const int threads = extent.threads, thread = int(threadIdx.x), stride = threads * N;
  const RowPart part(extent, Split);
  awaitPreviousKernel();
  RowReducer<Mode, 1> reducer(extent);

  uint32_t first = Split ? int(blockIdx.x) / extent.parts : blockIdx.x;
  for (; first < uint32_t(extent.rows); first += extent.workgroups) {
    const int row = int(first);
    // Calls use(values, column, count, extras) for each chunk of this work-item.
    auto pass = [&](auto firstPass, auto use) {
      constexpr bool First = decltype(firstPass)::value;
      for (int begin = part.offset; begin < part.limit; begin += V * stride) {
        Fragments<Inputs, N> inputs[V];
        Extras extras[V];
        int column[V];
#pragma unroll
        for (int v = 0; v < V; ++v) {
          column[v] = begin + v * stride + thread * N;
          const int count = part.limit - column[v];
          // Nothing beyond the row: in place, what another work-item has there may be overwritten by now.
          if (!General && count <= 0)
            continue;
          if constexpr (First || !InLds) {
            loadSelected<General, true, U, Inputs, N>(inputs, v, program.inputs, row, column[v], count);
            loadSelected<General, false, U, Inputs, N>(inputs, v, program.inputs, row, column[v], count);
          }
          if constexpr (!First) {
            using All = typename Program::Extras;
            loadSelected<General, true, U, All, N>(extras, v, program.extras, row, column[v], count);
            loadSelected<General, false, U, All, N>(extras, v, program.extras, row, column[v], count);
          }
        }
#pragma unroll
        for (int v = 0; v < V; ++v) {
          float values[N];
          const int count = part.limit - column[v], at = (column[v] - part.offset) / N;
          if constexpr (First || !InLds) {
            Kept<Program, N> kept;
            valuesOf<Program, N>(program, inputs[v], row, column[v], values);
            kept.keep(inputs[v], values);
            if constexpr (First && InLds) {
              if (count > 0)
                keptInLds[at] = kept;
            }
          } else {
            if (count > 0) {
              keptInLds[at].recall(program, row, column[v], values);
            } else {
#pragma unroll
              for (float &value : values)
                value = 0.0f;
            }
          }
          use(values, column[v], count, extras[v]);
        }
      }
    };

    typename InWave<R>::Accumulator own;
    typename R::State state[1] = {R::identity()};
    if constexpr (R::Words > 0 || InLds) {
      [[maybe_unused]] bool started = false;
      if constexpr (!InWave<R>::Looks)
        own = InWave<R>::start({0.0f}, false, 0, WaveSize);
      pass(std::true_type{}, [&](const float(&values)[N], int, int count, const Extras &) {
        if constexpr (InWave<R>::Looks) {
          if (!started)
            own = InWave<R>::start(values, false, count, WaveSize);
          started = true;
        }
        addChunk<R, General>(own, values, false, count);
      });
    }
    if constexpr (R::Words > 0) {
      state[0] = InWave<R>::finish(own, WaveSize);
      reducer.template combine<R>(state, 0);
    }
    const auto rowState = prepareRow(program.epilogue, R::finish(state[0]), extent.columns);

    float inverse[Outputs::Size] = {};
    if constexpr (Program::ScaledRows) {
      typename AbsMax::State maximum[Outputs::Size][1];
      forEachIndex<Outputs::Size>([&](auto i) { maximum[decltype(i)::value][0] = AbsMax::identity(); });
      pass(std::false_type{}, [&](const float(&values)[N], int column, int count, const Extras &extras) {
        float results[Outputs::Size][N];
        resultsOf<Program, N>(program, values, rowState, extras, row, column, results);
        forEachIndex<Outputs::Size>([&](auto i) {
          addChunk<AbsMax, General>(maximum[decltype(i)::value][0], results[decltype(i)::value], false, count);
        });
      });
      forEachIndex<Outputs::Size>([&](auto i) {
        constexpr int I = decltype(i)::value;
        using O = TupleElement<I, Outputs>;
        if constexpr (OutputTraits<O>::Scale == Scaling::PerRow) {
          maximum[I][0] = reduceWave<AbsMax>(maximum[I][0]);
          reducer.template combine<AbsMax>(maximum[I], 1);
          const Scale<typename OutputTraits<O>::Type> scale(AbsMax::finish(maximum[I][0]));
          inverse[I] = scale.inverse;
          if (thread == 0 && part.offset == 0)
            get<I>(program.outputs).scale[row] = scale.scale;
        }
      });
    }
    reducer.leave();
    pass(std::false_type{}, [&](const float(&values)[N], int column, int count, const Extras &extras) {
      float results[Outputs::Size][N];
      resultsOf<Program, N>(program, values, rowState, extras, row, column, results);
      storeResults<Program, N, General>(program, results, inverse, row, column, count);
    });
    if (Split)
      break;
  }
}

} // namespace detail
} // namespace hk
