//===- hk/tuple.h - A tuple for kernel arguments and results --------------===//
//
// std::tuple is no device type for every host library, and its layout is not ours to pass to a kernel. This one is a
// trivially copyable aggregate. `hk::tuple(a, b)` makes one; functors with several results return it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"

#include <type_traits>
#include <utility>

namespace hk {

template <class... Ts> struct Tuple;

template <> struct Tuple<> {
  static constexpr int Size = 0;
};

template <class T, class... Rest> struct Tuple<T, Rest...> {
  static constexpr int Size = 1 + sizeof...(Rest);
  T first;
  Tuple<Rest...> rest;
};

template <class... Ts> HK_HOST_DEVICE constexpr auto tuple(Ts... values);

namespace detail {

HK_HOST_DEVICE constexpr Tuple<> makeTuple() { return {}; }
template <class T, class... Rest> HK_HOST_DEVICE constexpr Tuple<T, Rest...> makeTuple(T first, Rest... rest) {
  return {first, makeTuple(rest...)};
}

template <class T> struct IsTuple : std::false_type {};
template <class... Ts> struct IsTuple<Tuple<Ts...>> : std::true_type {};

} // namespace detail

template <class... Ts> HK_HOST_DEVICE constexpr auto tuple(Ts... values) { return detail::makeTuple(values...); }

/// The elements of \p t, and one more.
template <class T> HK_HOST_DEVICE constexpr Tuple<T> append(const Tuple<> &, const T &last) { return {last, {}}; }
template <class First, class... Rest, class T>
HK_HOST_DEVICE constexpr Tuple<First, Rest..., T> append(const Tuple<First, Rest...> &t, const T &last) {
  return {t.first, append(t.rest, last)};
}

/// Element \p I.
template <int I, class... Ts> HK_HOST_DEVICE constexpr auto &get(Tuple<Ts...> &t) {
  if constexpr (I == 0)
    return t.first;
  else
    return get<I - 1>(t.rest);
}
template <int I, class... Ts> HK_HOST_DEVICE constexpr const auto &get(const Tuple<Ts...> &t) {
  if constexpr (I == 0)
    return t.first;
  else
    return get<I - 1>(t.rest);
}

template <int I, class T> using TupleElement = std::decay_t<decltype(get<I>(std::declval<T &>()))>;

namespace detail {

/// Element \p I of a functor's result, which is a tuple or, if it is one value, that value.
template <int I, class T> HK_HOST_DEVICE constexpr auto result(const T &value) {
  if constexpr (IsTuple<T>::value) {
    return get<I>(value);
  } else {
    static_assert(I == 0, "the functor returns one value, but there are several outputs");
    return value;
  }
}

/// f(std::integral_constant<int, 0>{}), ... for each index below \p Count.
template <class F, int... I> HK_HOST_DEVICE constexpr void forEachIndex(F &&f, std::integer_sequence<int, I...>) {
  (f(std::integral_constant<int, I>{}), ...);
}
template <int Count, class F> HK_HOST_DEVICE constexpr void forEachIndex(F &&f) {
  forEachIndex(static_cast<F &&>(f), std::make_integer_sequence<int, Count>{});
}

/// On the host: whether \p test holds for all elements.
template <class Test> bool allOf(const Tuple<> &, Test) { return true; }
template <class T, class... Rest, class Test> bool allOf(const Tuple<T, Rest...> &t, Test test) {
  return test(t.first) && allOf(t.rest, test);
}

} // namespace detail
} // namespace hk
