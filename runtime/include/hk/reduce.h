//===- hk/reduce.h - What a row is reduced to -----------------------------===//
//
//   reduction          result                              error of the result, for n columns
//   Sum                sum of the values                   (n / W + log2 W + 8) ulp of the sum of |values|, see below
//   SumSquares         sum of their squares                the same, of the sum of squares
//   Max, AbsMax        maximum, of absolute values         none; NaN is skipped
//   Moments            {mean, variance}, one pass          that of the two-pass formula: chunks are reduced around their
//                                                          own mean and merged (Chan, Golub, LeVeque 1979)
//   Softmax<Policy>    {maximum, sum of exp(x - maximum)}  one pass, rescaled on the way; NaN makes the sum NaN
//   Together<A, B...>  a tuple of results
//   NoReduction        nothing
//
// W is the number of work-items that share the row. All are deterministic: the order depends on the shape alone.
//
// A reduction type has State and Words, identity(), combine() (see hk/wave.h), `add(state, values)` for N values,
// `add(state, values, count)` for the first count of them, and `finish(state)`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/math.h"
#include "hk/platform.h"
#include "hk/tuple.h"

namespace hk {

struct NoReduction {
  static constexpr int Words = 0;
  struct State {
    float word[1];
  };
  struct Result {};
  HK_DEVICE static State identity() { return {{0.0f}}; }
  HK_DEVICE static State combine(const State &a, const State &) { return a; }
  template <int N> HK_DEVICE static void add(State &, const float (&)[N]) {}
  template <int N> HK_DEVICE static void add(State &, const float (&)[N], int) {}
  HK_DEVICE static Result finish(const State &) { return {}; }
};

namespace detail {

/// A reduction to one number, by Step (which has none(), with(result, x) and join(a, b)). Even and odd elements are
/// reduced apart: two short chains of dependent instructions, not a long one.
template <class Step> struct Simple {
  static constexpr int Words = 1;
  struct State {
    float word[1];
  };
  using Result = float;
  HK_DEVICE static State identity() { return {{Step::none()}}; }
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


struct Moments {
  static constexpr int Words = 3; // count, mean, sum of squared distances from it
  struct State {
    float word[3];
  };
  struct Result {
    float mean, variance; ///< of the values themselves: divided by n, not by n - 1
  };
  HK_DEVICE static State identity() { return {{0.0f, 0.0f, 0.0f}}; }
  HK_DEVICE static State combine(const State &a, const State &b) {
    const float count = a.word[0] + b.word[0];
    const float distance = b.word[1] - a.word[1];
    const float share = count > 0.0f ? b.word[0] / count : 0.0f;
    return {{count, a.word[1] + distance * share,
             a.word[2] + b.word[2] + distance * distance * a.word[0] * share}};
  }
  template <int N> HK_DEVICE static void add(State &state, const float (&values)[N]) {
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int n = 0; n < N; ++n)
      sum += values[n];
    const float mean = sum * (1.0f / N);
#pragma unroll
    for (int n = 0; n < N; ++n)
      squares = __builtin_fmaf(values[n] - mean, values[n] - mean, squares);
    state = combine(state, State{{float(N), mean, squares}});
  }
  template <int N> HK_DEVICE static void add(State &state, const float (&values)[N], int count) {
    count = count < N ? count : N;
    if (count <= 0)
      return;
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int n = 0; n < N; ++n)
      sum += n < count ? values[n] : 0.0f;
    const float mean = sum / float(count);
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const float distance = n < count ? values[n] - mean : 0.0f;
      squares = __builtin_fmaf(distance, distance, squares);
    }
    state = combine(state, State{{float(count), mean, squares}});
  }
  HK_DEVICE static Result finish(const State &state) {
    return {state.word[1], state.word[0] > 0.0f ? state.word[2] / state.word[0] : 0.0f};
  }
};

template <class Policy> struct Softmax {
  static constexpr int Words = 2;
  struct State {
    float word[2];
  };
  struct Result {
    float max, sum;
  };
  HK_DEVICE static State identity() { return {{-__builtin_inff(), 0.0f}}; }
  /// What to subtract before exp(): the maximum, unless all there is so far is minus infinity.
  HK_DEVICE static float origin(float max) { return max == -__builtin_inff() ? 0.0f : max; }
  HK_DEVICE static State combine(const State &a, const State &b) {
    const float max = ::fmaxf(a.word[0], b.word[0]), from = origin(max);
    return {{max, a.word[1] * Policy::exp(a.word[0] - from) + b.word[1] * Policy::exp(b.word[0] - from)}};
  }
  template <int N> HK_DEVICE static void add(State &state, const float (&values)[N]) {
    float max = state.word[0];
#pragma unroll
    for (int n = 0; n < N; ++n)
      max = ::fmaxf(max, values[n]);
    const float from = origin(max);
    float sum = state.word[1] * Policy::exp(state.word[0] - from);
#pragma unroll
    for (int n = 0; n < N; ++n)
      sum += Policy::exp(values[n] - from);
    state = {{max, sum}};
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

/// Several reductions of the same values at once; the result is a tuple of theirs.
template <class First, class... Rest> struct Together {
  using Others = Together<Rest...>;
  static constexpr int Words = First::Words + Others::Words;
  struct State {
    float word[Words];
  };
  using Result = Tuple<typename First::Result, typename Rest::Result...>;

  HK_DEVICE static typename First::State head(const State &state) {
    typename First::State part;
#pragma unroll
    for (int w = 0; w < First::Words; ++w)
      part.word[w] = state.word[w];
    return part;
  }
  HK_DEVICE static typename Others::State tail(const State &state) {
    typename Others::State part;
#pragma unroll
    for (int w = 0; w < Others::Words; ++w)
      part.word[w] = state.word[First::Words + w];
    return part;
  }
  HK_DEVICE static State join(const typename First::State &a, const typename Others::State &b) {
    State state;
#pragma unroll
    for (int w = 0; w < First::Words; ++w)
      state.word[w] = a.word[w];
#pragma unroll
    for (int w = 0; w < Others::Words; ++w)
      state.word[First::Words + w] = b.word[w];
    return state;
  }
  HK_DEVICE static State identity() { return join(First::identity(), Others::identity()); }
  HK_DEVICE static State combine(const State &a, const State &b) {
    return join(First::combine(head(a), head(b)), Others::combine(tail(a), tail(b)));
  }
  template <int N, class... Count> HK_DEVICE static void add(State &state, const float (&values)[N], Count... count) {
    auto a = head(state);
    auto b = tail(state);
    First::add(a, values, count...);
    Others::add(b, values, count...);
    state = join(a, b);
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
