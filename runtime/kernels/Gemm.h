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

template <class T, Layout A, Layout B> hipError_t gemmOf(const GemmCall &call) {
  const hk_gemm_options &o = call.options;
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
  const GemmOptions options{call.plan, {o.workspace, o.workspace_bytes}, o.constant_b != 0, false};
  return gemm(call.launch, call.shape, factorOf<T, A>(call.a), factorOf<T, B>(call.b), epilogue, extras,
              tuple(Output::matrix(call.y, o.y_stride)), options);
}

} // namespace hk::kernels
