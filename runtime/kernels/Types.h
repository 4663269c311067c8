//===- Types.h - The types that the library is built for ------------------===//
//
// HK_KERNELS_ARCH is the target as a string: "gfx942", "sm_90". It decides the same on both sides
// of the compilation, which hk::NativeE4M3 does not.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/operands.h"
#include "hk/types.h"
#include "hk_kernels.h"

#include <type_traits>

#ifndef HK_KERNELS_ARCH
#error "HK_KERNELS_ARCH has to name the target"
#endif

namespace hk::kernels {

constexpr bool sameText(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}

constexpr bool Fnuz = sameText(HK_KERNELS_ARCH, "gfx942");
using E4M3 = std::conditional_t<Fnuz, e4m3fnuz, e4m3>;
constexpr hk_type NativeE4M3Type = Fnuz ? HK_E4M3FNUZ : HK_E4M3;

/// A type as an argument of a generic lambda.
template <class T> struct As {
  using Type = T;
};

/// f(As<T>{}) for the T of \p type, which has been looked at before.
template <class F> hipError_t withFloatType(int type, F f) {
  switch (type) {
  case HK_F32:
    return f(As<float>{});
  case HK_F16:
    return f(As<f16>{});
  case HK_BF16:
    return f(As<bf16>{});
  }
  return hipErrorNotSupported;
}

/// X, or float if \p type says so.
template <class X, class F> hipError_t withTypeOrFloat(int type, F f) {
  if constexpr (!std::is_same_v<X, float>)
    if (type != HK_F32)
      return f(As<X>{});
  return f(As<float>{});
}

/// I8 or the library's own E4M3.
template <class F> hipError_t withQuantizedType(int type, F f) {
  return type == HK_I8 ? f(As<int8_t>{}) : f(As<E4M3>{});
}

/// All types of a byte.
template <class F> hipError_t withByteType(int type, F f) {
  switch (type) {
  case HK_I8:
    return f(As<int8_t>{});
  case HK_U8:
    return f(As<uint8_t>{});
  case HK_E4M3:
    return f(As<e4m3>{});
  case HK_E5M2:
    return f(As<e5m2>{});
  case HK_E4M3FNUZ:
    return f(As<e4m3fnuz>{});
  case HK_E5M2FNUZ:
    return f(As<e5m2fnuz>{});
  }
  return hipErrorNotSupported;
}

/// f(output): one with dynamic scales. \p Groups: the sizes of groups that are built.
template <int... Groups, class F> hipError_t withScaledOutput(const hk_output &y, F f) {
  return withQuantizedType(y.values.type, [&](auto as) {
    using Q = typename decltype(as)::Type;
    Q *data = static_cast<Q *>(y.values.data);
    const int64_t pitch = y.values.pitch;
    if (y.scaling == HK_SCALE_ROWS)
      return f(QuantizedRows<Q>{data, pitch, y.scale});
    hipError_t error = hipErrorNotSupported;
    (void)((y.group == Groups &&
            (error = f(QuantizedGroups<Q, Groups>{data, pitch, y.scale, y.scale_pitch}), true)) ||
           ...);
    return error;
  });
}

/// f(output, scale): the output as one of hk/operands.h, and the static scale where it has one.
template <class X, int... Groups, class F> hipError_t withOutput(const hk_output &y, F f) {
  const int64_t pitch = y.values.pitch;
  if (y.scaling == HK_SCALE_ROWS || y.scaling == HK_SCALE_GROUPS)
    return withScaledOutput<Groups...>(y, [&](auto output) { return f(output, Scalar<float>{}); });
  if (y.scaling == HK_SCALE_NONE && y.values.type == int(TypeOf<X>::value))
    return f(Matrix<X>{static_cast<X *>(y.values.data), pitch}, Scalar<float>{});
  return withQuantizedType(y.values.type, [&](auto as) {
    using Q = typename decltype(as)::Type;
    return f(Matrix<Q>{static_cast<Q *>(y.values.data), pitch},
             Scalar<float>{y.scaling == HK_SCALE_TENSOR ? y.scale : nullptr});
  });
}

} // namespace hk::kernels
