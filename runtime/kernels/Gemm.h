//===- Gemm.h - Multiplication of factors of one type ---------------------===//
#pragma once

#include "AnyMatrix.h"
#include "hk/ops/gemm.h"

namespace hk::kernels {

struct GemmCall {
  Launch launch;
  bool fast;
  GemmShape shape;
  hk_factor a, b;
  hk_matrix y;
  const hk_gemm_options &options;
  const GemmPlan *plan; ///< null: hk::gemm chooses
};

/// An hk_activation, looked up while the kernel runs.
struct AnyActivation {
  uint8_t activation;
  bool fast;

  HK_DEVICE float of(float x) const {
    switch (activation) {
    case HK_RELU:
      return Relu<Exact>::of(x);
    case HK_GELU_EXACT:
      return GeluExact<Exact>::of(x);
    case HK_GELU_TANH:
      return fast ? GeluTanh<Fast>::of(x) : GeluTanh<Exact>::of(x);
    case HK_SILU:
      return fast ? Silu<Fast>::of(x) : Silu<Exact>::of(x);
    }
    return x;
  }
};

struct AnyLinear {
  detail::LinearEpilogue<AnyActivation, Exact> linear;

  template <class Sum>
  HK_DEVICE auto operator()(Sum sum, float c, float bias, float residual, float rowScale, float columnScale,
                            float outScale, float outRowScale) const {
    const float value = linear(sum, c, bias, residual, rowScale, columnScale, outScale, outRowScale);
    if constexpr (std::is_same_v<Sum, int32_t>)
      return FinishedSum{value, sum};
    else
      return value;
  }
};

template <class... Ts> struct TypeList {
  static AnyMatrix<Ts...> matrix(const hk_matrix &m, int64_t stride) { return anyMatrix<Ts...>(m, stride); }
  static AnyVector<Ts...> vector(const hk_vector &v) { return anyVector<Ts...>(v.data, v.type); }
};

/// What may be added to products of T, and what they may be stored as.
template <class T> struct GemmTypes {
  using Extra = TypeList<float, T>;
  using Output = TypeList<float, T, E4M3, int8_t>;
};
template <> struct GemmTypes<float> {
  using Extra = TypeList<float>;
  using Output = TypeList<float>;
};
template <> struct GemmTypes<E4M3> {
  using Extra = TypeList<float, f16, bf16>;
  using Output = TypeList<float, f16, bf16>;
};
template <> struct GemmTypes<int8_t> {
  using Extra = TypeList<float, f16, bf16>;
  using Output = TypeList<float, f16, bf16, int32_t>;
};

template <class T, Layout L> Factor<T, L> factorOf(const hk_factor &f) {
  return {static_cast<const T *>(f.data), f.ld, f.stride};
}

/// Whether sums are stored as they are, but for what is left to \p bias, \p activation and \p scale.
inline bool isPlain(const hk_gemm_options &o, bool bias = false, bool activation = false, bool scale = false) {
  return o.alpha == 1.0f && o.beta == 0.0f && (bias || !o.bias.data) && !o.residual.data &&
         (activation || o.activation == HK_IDENTITY) && !o.row_scale && !o.column_scale && (scale || !o.out_scale) &&
         !o.out_row_scale;
}

/// SiLU of sums with a bias, for a static scale, by the fast policy.
struct SiluOfSums {
  HK_DEVICE float operator()(float sum, float bias, float scale) const {
    return Silu<Fast>::of(sum + bias) * Exact::reciprocal(scale);
  }
};

/// Typed results of factors of T: what is most used has kernels that need not look at types for each element.
template <class T> struct TypedResults {
  static constexpr bool Same = false;      ///< T
  static constexpr bool Quantized = false; ///< E4M3: SiluOfSums with a bias of T
  static constexpr bool Half = false;      ///< f16 and bf16
};
template <> struct TypedResults<f16> {
  static constexpr bool Same = true, Quantized = true, Half = false;
};
template <> struct TypedResults<bf16> {
  static constexpr bool Same = true, Quantized = true, Half = false;
};
template <> struct TypedResults<E4M3> {
  static constexpr bool Same = false, Quantized = false, Half = true;
};

/// Where there is a kernel for the result as it is: whether there is, and the launch's error.
template <class T, class A, class B>
bool gemmOfTyped(const GemmCall &call, const A &a, const B &b, const GemmOptions &options, hipError_t &error) {
  const hk_gemm_options &o = call.options;
  auto store = [&](auto as) {
    using Y = typename decltype(as)::Type;
    if (call.y.type != int(TypeOf<Y>::value))
      return false;
    error = gemm(call.launch, call.shape, a, b, AsSummed{}, tuple(),
                 tuple(batched(Matrix<Y>{static_cast<Y *>(call.y.data), call.y.pitch}, o.y_stride)), options);
    return true;
  };
  if (isPlain(o)) {
    if constexpr (TypedResults<T>::Same)
      if (store(As<T>{}))
        return true;
    if constexpr (TypedResults<T>::Half)
      if (store(As<f16>{}) || store(As<bf16>{}))
        return true;
  }
  if constexpr (TypedResults<T>::Quantized)
    if (call.y.type == NativeE4M3Type && call.fast && o.activation == HK_SILU && isPlain(o, true, true, true) &&
        (!o.bias.data || o.bias.type == int(TypeOf<T>::value))) {
      error = gemm(call.launch, call.shape, a, b, SiluOfSums{},
                   tuple(RowVector<T>{static_cast<const T *>(o.bias.data)}, Scalar<float>{o.out_scale}),
                   tuple(batched(Matrix<E4M3>{static_cast<E4M3 *>(call.y.data), call.y.pitch}, o.y_stride)), options);
      return true;
    }
  return false;
}

template <class T, Layout A, Layout B> hipError_t gemmOf(const GemmCall &call) {
  const hk_gemm_options &o = call.options;
  const GemmOptions options{call.plan, {o.workspace, o.workspace_bytes}, o.constant_b != 0, false};
  if constexpr (A == Layout::RowMajor && B == Layout::ColumnMajor)
    if (hipError_t error; gemmOfTyped<T>(call, factorOf<T, A>(call.a), factorOf<T, B>(call.b), options, error))
      return error;
  using Extra = typename GemmTypes<T>::Extra;
  using Output = typename GemmTypes<T>::Output;
  hk_matrix c = o.c;
  if (o.beta == 0.0f)
    c.data = nullptr;
  const AnyLinear epilogue{{o.alpha,
                            o.beta,
                            o.row_scale != nullptr,
                            o.column_scale != nullptr,
                            o.out_row_scale != nullptr,
                            {uint8_t(o.activation), call.fast}}};
  const auto extras =
      tuple(Extra::matrix(c, o.c_stride), Extra::vector(o.bias), Extra::matrix(o.residual, o.residual_stride),
            ColumnVector<float>{o.row_scale}, anyVector<float>(o.column_scale, HK_F32), Scalar<float>{o.out_scale},
            ColumnVector<float>{o.out_row_scale});
  return gemm(call.launch, call.shape, factorOf<T, A>(call.a), factorOf<T, B>(call.b), epilogue, extras,
              tuple(Output::matrix(call.y, o.y_stride)), options);
}

} // namespace hk::kernels
