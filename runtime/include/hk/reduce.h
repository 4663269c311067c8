//===- hk/reduce.h - What a row is reduced to -----------------------------===//
//
//   reduction          result                              error of the result, for n columns
//   Sum                sum of the values                   (n / W + log2 W + 8) ulp of the sum of |values|, see below
//   SumSquares         sum of their squares                the same, of the sum of squares
//   Max, AbsMax        maximum, of absolute values         none; NaN is skipped
//   Moments            {mean, variance}, one pass          that of the two-pass formula: a wavefront sums distances from
//                                                          an origin amid its values; wavefronts are merged around
//                                                          their means (Chan, Golub, LeVeque 1979)
//   Softmax<Policy>    {maximum, sum of exp(x - maximum)}  one pass, rescaled on the way; NaN makes the sum NaN
//   Together<A, B...>  a tuple of results
//   NoReduction        nothing
//
// W is the number of work-items that share the row. All are deterministic: the order depends on the shape alone.
//
// A reduction type has State and Words, identity(), combine() (see hk/wave.h) and `finish(state)`; and an Accumulator, in
// which one work-item collects its values: `start()`, `add(accumulator, values)` for N values, `add(accumulator, values,
// count)` for the first count of them, and `seal(accumulator)`, which makes it a State. How the lanes of a wavefront put
// together what they have can be made cheaper by a specialization of detail::InWave.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/math.h"
#include "hk/platform.h"
#include "hk/tuple.h"
#include "hk/wave.h"

namespace hk {

namespace detail {

/// Accumulators that are the state already.
template <int W> struct PlainState {
  static constexpr int Words = W;
  struct State {
    float word[W ? W : 1];
  };
  using Accumulator = State;
  HK_DEVICE static State seal(const Accumulator &accumulator) { return accumulator; }
};

} // namespace detail

struct NoReduction : detail::PlainState<0> {
  struct Result {};
  HK_DEVICE static State identity() { return {{0.0f}}; }
  HK_DEVICE static State start() { return identity(); }
  HK_DEVICE static State combine(const State &a, const State &) { return a; }
  template <int N> HK_DEVICE static void add(State &, const float (&)[N]) {}
  template <int N> HK_DEVICE static void add(State &, const float (&)[N], int) {}
  HK_DEVICE static Result finish(const State &) { return {}; }
};

namespace detail {

/// A reduction to one number, by Step (which has none(), with(result, x) and join(a, b)). Even and odd elements are
/// reduced apart: two short chains of dependent instructions, not a long one.
template <class Step> struct Simple : PlainState<1> {
  using Result = float;
  HK_DEVICE static State identity() { return {{Step::none()}}; }
  HK_DEVICE static State start() { return identity(); }
  HK_DEVICE static State combine(const State &a, const State &b) { return {{Step::join(a.word[0], b.word[0])}}; }
  template <int N> HK_DEVICE static void add(State &state, const float (&values)[N]) {
    float even = state.word[0], odd = Step::none();
#pragma unroll
    for (int n = 0; n < N; n += 2) {
      even = Step::with(even, values[n]);
      if (n + 1 < N)
        odd = Step::with(odd, values[n + 1]);
    }
    state.word[0] = Step::join(even, odd);
  }
  template <int N> HK_DEVICE static void add(State &state, const float (&values)[N], int count) {
#pragma unroll
    for (int n = 0; n < N; ++n)
      state.word[0] = n < count ? Step::with(state.word[0], values[n]) : state.word[0];
  }
  HK_DEVICE static float finish(const State &state) { return state.word[0]; }
};

struct SumStep {
  HK_DEVICE static float none() { return 0.0f; }
  HK_DEVICE static float with(float sum, float x) { return sum + x; }
  HK_DEVICE static float join(float a, float b) { return a + b; }
};
struct SumSquaresStep {
  HK_DEVICE static float none() { return 0.0f; }
  HK_DEVICE static float with(float sum, float x) { return __builtin_fmaf(x, x, sum); }
  HK_DEVICE static float join(float a, float b) { return a + b; }
};
struct MaxStep {
  HK_DEVICE static float none() { return -__builtin_inff(); }
  HK_DEVICE static float with(float max, float x) { return ::fmaxf(max, x); }
  HK_DEVICE static float join(float a, float b) { return ::fmaxf(a, b); }
};
struct AbsMaxStep {
  HK_DEVICE static float none() { return 0.0f; }
  HK_DEVICE static float with(float max, float x) { return ::fmaxf(max, ::fabsf(x)); }
  HK_DEVICE static float join(float a, float b) { return ::fmaxf(a, b); }
};

} // namespace detail

using Sum = detail::Simple<detail::SumStep>;
using SumSquares = detail::Simple<detail::SumSquaresStep>;
using Max = detail::Simple<detail::MaxStep>;
using AbsMax = detail::Simple<detail::AbsMaxStep>;


/// A work-item sums distances from its first value, and their squares: no cancellation beyond the row's own spread, since
/// that value is one of the row's. States are merged around their means.
struct Moments {
  static constexpr int Words = 3; // count, mean, sum of squared distances from it
  struct State {
    float word[3];
  };
  struct Accumulator {
    float word[4]; // count, origin, sums of distances from it and of their squares
  };
  struct Result {
    float mean, variance; ///< of the values themselves: divided by n, not by n - 1
  };
  HK_DEVICE static State identity() { return {{0.0f, 0.0f, 0.0f}}; }
  HK_DEVICE static Accumulator start() { return {{0.0f, 0.0f, 0.0f, 0.0f}}; }
  HK_DEVICE static State combine(const State &a, const State &b) {
    const float count = a.word[0] + b.word[0];
    const float distance = b.word[1] - a.word[1];
    // Within 1 ulp: it weighs the distance between two means of the row.
    const float share = count > 0.0f ? b.word[0] * Fast::reciprocal(count) : 0.0f;
    return {{count, a.word[1] + distance * share, a.word[2] + b.word[2] + distance * distance * a.word[0] * share}};
  }
  template <int N> HK_DEVICE static void add(Accumulator &all, const float (&values)[N]) {
    const float origin = all.word[0] > 0.0f ? all.word[1] : values[0];
    float sum[2] = {all.word[2], 0.0f}, squares[2] = {all.word[3], 0.0f};
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const float distance = values[n] - origin;
      sum[n & 1] += distance;
      squares[n & 1] = __builtin_fmaf(distance, distance, squares[n & 1]);
    }
    all = {{all.word[0] + float(N), origin, sum[0] + sum[1], squares[0] + squares[1]}};
  }
  template <int N> HK_DEVICE static void add(Accumulator &all, const float (&values)[N], int count) {
    const int some = count < N ? count : N;
    if (some <= 0)
      return;
    const float origin = all.word[0] > 0.0f ? all.word[1] : values[0];
    float sum = all.word[2], squares = all.word[3];
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const float distance = n < some ? values[n] - origin : 0.0f;
      sum += distance;
      squares = __builtin_fmaf(distance, distance, squares);
    }
    all = {{all.word[0] + float(some), origin, sum, squares}};
  }
  HK_DEVICE static State seal(const Accumulator &all) {
    const float mean = all.word[0] > 0.0f ? all.word[2] * Fast::reciprocal(all.word[0]) : 0.0f;
    const float squares = all.word[3] - all.word[2] * mean;
    return {{all.word[0], all.word[1] + mean, squares < 0.0f ? 0.0f : squares}}; // NaN stays
  }
  HK_DEVICE static Result finish(const State &state) {
    return {state.word[1], state.word[0] > 0.0f ? state.word[2] / state.word[0] : 0.0f};
  }
};

template <class Policy> struct Softmax : detail::PlainState<2> {
  using State = detail::PlainState<2>::State;
  struct Result {
    float max, sum;
  };
  HK_DEVICE static State identity() { return {{-__builtin_inff(), 0.0f}}; }
  HK_DEVICE static State start() { return identity(); }
  /// What to subtract before exp(): the maximum, unless all there is so far is minus infinity.
  HK_DEVICE static float origin(float max) { return max == -__builtin_inff() ? 0.0f : max; }
  HK_DEVICE static State combine(const State &a, const State &b) {
    const float max = ::fmaxf(a.word[0], b.word[0]), from = origin(max);
    return {{max, a.word[1] * Policy::expDifference(a.word[0], from) + b.word[1] * Policy::expDifference(b.word[0], from)}};
  }
  template <int N> HK_DEVICE static void add(State &state, const float (&values)[N]) {
    float max = state.word[0];
#pragma unroll
    for (int n = 0; n < N; ++n)
      max = ::fmaxf(max, values[n]);
    const float from = origin(max);
    float sum[2] = {state.word[1] * Policy::expDifference(state.word[0], from), 0.0f};
#pragma unroll
    for (int n = 0; n < N; ++n)
      sum[n & 1] += Policy::expDifference(values[n], from);
    state = {{max, sum[0] + sum[1]}};
  }
  template <int N> HK_DEVICE static void add(State &state, const float (&values)[N], int count) {
    float some[N];
#pragma unroll
    for (int n = 0; n < N; ++n)
      some[n] = n < count ? values[n] : -__builtin_inff();
    add(state, some);
  }
  HK_DEVICE static Result finish(const State &state) { return {state.word[0], state.word[1]}; }
};

namespace detail {

/// How the lanes that share a row reduce it. `start` sees the first values of each lane if it `Looks`; `whole`: count is that
/// of all lanes, or their values are others of the same row. All lanes have to be in start() and finish().
template <class R> struct InWave {
  static constexpr bool Looks = false;
  using Accumulator = typename R::Accumulator;
  template <int N> HK_DEVICE static Accumulator start(const float (&)[N], bool, int, int) { return R::start(); }
  template <int N, class... Count>
  HK_DEVICE static void add(Accumulator &all, const float (&values)[N], Count... count) {
    R::add(all, values, count...);
  }
  HK_DEVICE static typename R::State finish(const Accumulator &all, int width) {
    return reduceLanes<R>(R::seal(all), width);
  }
};

/// Lanes sum distances from an origin that they have in common, so that their sums add up: merging means lane by lane costs
/// three times as much. The origin is the mean of one value of each lane. However far one of them is from the others, it is
/// L times closer to their mean, for L lanes, and n / L^2 is small for the n values of a wavefront.
template <> struct InWave<Moments> {
  static constexpr bool Looks = true;
  struct Accumulator {
    float word[4]; // origin; count, sums of distances from it and of their squares
  };
  template <int W> struct Sums : PlainState<W> {
    using State = typename PlainState<W>::State;
    HK_DEVICE static State combine(const State &a, const State &b) {
      State both;
#pragma unroll
      for (int w = 0; w < W; ++w)
        both.word[w] = a.word[w] + b.word[w];
      return both;
    }
    HK_DEVICE static State identity() { return {}; }
  };
  template <int N>
  HK_DEVICE static Accumulator start(const float (&values)[N], bool whole, int count, int width) {
    // Divided first: large values must not overflow.
    const float mine = values[0] * Fast::reciprocal(float(width));
    if (whole)
      return {{reduceLanes<Sums<1>>({{mine}}, width).word[0], 0.0f, 0.0f, 0.0f}};
    const auto all = reduceLanes<Sums<2>>(count > 0 ? Sums<2>::State{{mine, 1.0f}} : Sums<2>::identity(), width);
    const float share = all.word[1] > 0.0f ? float(width) * Fast::reciprocal(all.word[1]) : 0.0f;
    return {{all.word[0] * share, 0.0f, 0.0f, 0.0f}};
  }
  template <int N> HK_DEVICE static void add(Accumulator &all, const float (&values)[N]) {
    float sum[2] = {all.word[2], 0.0f}, squares[2] = {all.word[3], 0.0f};
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const float distance = values[n] - all.word[0];
      sum[n & 1] += distance;
      squares[n & 1] = __builtin_fmaf(distance, distance, squares[n & 1]);
    }
    all = {{all.word[0], all.word[1] + float(N), sum[0] + sum[1], squares[0] + squares[1]}};
  }
  template <int N> HK_DEVICE static void add(Accumulator &all, const float (&values)[N], int count) {
    const int some = count < 0 ? 0 : count < N ? count : N;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const float distance = n < some ? values[n] - all.word[0] : 0.0f;
      all.word[2] += distance;
      all.word[3] = __builtin_fmaf(distance, distance, all.word[3]);
    }
    all.word[1] += float(some);
  }
  HK_DEVICE static Moments::State finish(const Accumulator &all, int width) {
    const auto sums = reduceLanes<Sums<3>>({{all.word[1], all.word[2], all.word[3]}}, width);
    return Moments::seal({{sums.word[0], all.word[0], sums.word[1], sums.word[2]}});
  }
};

/// One part after another in `word`.
template <class Whole, class Head, class Tail> HK_DEVICE Whole joinWords(const Head &a, const Tail &b) {
  constexpr int First = sizeof(Head) / 4, Words = sizeof(Whole) / 4;
  Whole all;
#pragma unroll
  for (int w = 0; w < Words; ++w)
    all.word[w] = w < First ? a.word[w < First ? w : 0] : b.word[w < First ? 0 : w - First];
  return all;
}
template <class Piece, int Begin, class Whole> HK_DEVICE Piece pieceOf(const Whole &all) {
  Piece piece;
#pragma unroll
  for (int w = 0; w < int(sizeof(Piece) / 4); ++w)
    piece.word[w] = all.word[Begin + w];
  return piece;
}
template <int N> struct WordsOf {
  float word[N];
};

} // namespace detail

/// Several reductions of the same values at once; the result is a tuple of theirs.
template <class First, class... Rest> struct Together {
  using Others = Together<Rest...>;
  static constexpr int Words = First::Words + Others::Words;
  using State = detail::WordsOf<Words>;
  static constexpr int HeadWords = int(sizeof(typename First::Accumulator) / 4);
  using Accumulator = detail::WordsOf<HeadWords + int(sizeof(typename Others::Accumulator) / 4)>;
  using Result = Tuple<typename First::Result, typename Rest::Result...>;

  HK_DEVICE static auto head(const State &s) { return detail::pieceOf<typename First::State, 0>(s); }
  HK_DEVICE static auto tail(const State &s) { return detail::pieceOf<typename Others::State, First::Words>(s); }

  HK_DEVICE static State identity() { return detail::joinWords<State>(First::identity(), Others::identity()); }
  HK_DEVICE static Accumulator start() { return detail::joinWords<Accumulator>(First::start(), Others::start()); }
  HK_DEVICE static State combine(const State &a, const State &b) {
    return detail::joinWords<State>(First::combine(head(a), head(b)), Others::combine(tail(a), tail(b)));
  }
  template <int N, class... Count>
  HK_DEVICE static void add(Accumulator &all, const float (&values)[N], Count... count) {
    auto a = detail::pieceOf<typename First::Accumulator, 0>(all);
    auto b = detail::pieceOf<typename Others::Accumulator, HeadWords>(all);
    First::add(a, values, count...);
    Others::add(b, values, count...);
    all = detail::joinWords<Accumulator>(a, b);
  }
  HK_DEVICE static State seal(const Accumulator &all) {
    return detail::joinWords<State>(First::seal(detail::pieceOf<typename First::Accumulator, 0>(all)),
                                    Others::seal(detail::pieceOf<typename Others::Accumulator, HeadWords>(all)));
  }
  HK_DEVICE static Result finish(const State &state) { return finishTuple(state); }
  HK_DEVICE static Result finishTuple(const State &state) {
    return {First::finish(head(state)), Others::finishTuple(tail(state))};
  }
};
template <class Only> struct Together<Only> : Only {
  HK_DEVICE static Tuple<typename Only::Result> finishTuple(const typename Only::State &state) {
    return {Only::finish(state), {}};
  }
};

} // namespace hk
