//===- Gemm.hip - The interface of matrix multiplication ------------------===//
#include "Gemm.h"

using namespace hk;
using namespace hk::kernels;

namespace hk::kernels {
extern template hipError_t gemmOf<E4M3, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);
extern template hipError_t gemmOf<int8_t, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);
#define HK_ALL_LAYOUTS(T)                                                                                              \
  extern template hipError_t gemmOf<T, Layout::RowMajor, Layout::RowMajor>(const GemmCall &);                          \
  extern template hipError_t gemmOf<T, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);                       \
  extern template hipError_t gemmOf<T, Layout::ColumnMajor, Layout::RowMajor>(const GemmCall &);                       \
  extern template hipError_t gemmOf<T, Layout::ColumnMajor, Layout::ColumnMajor>(const GemmCall &);
HK_ALL_LAYOUTS(float)
HK_ALL_LAYOUTS(f16)
HK_ALL_LAYOUTS(bf16)
#undef HK_ALL_LAYOUTS
} // namespace hk::kernels

namespace {

constexpr TypeSet FactorTypes = FloatTypes | QuantizedTypes;

bool isFloat(int type) { return FloatTypes >> type & 1; }

/// f(As<T>{}) for the T of factors, whose type has been looked at before.
template <class F> hipError_t withFactorType(int type, F f) {
  return isFloat(type) ? withFloatType(type, f) : withQuantizedType(type, f);
}

template <class T> hipError_t withLayouts(const GemmCall &call) {
  constexpr Layout R = Layout::RowMajor, C = Layout::ColumnMajor;
  const bool b = call.b.layout == HK_COLUMN_MAJOR;
  if constexpr (sizeof(T) == 1)
    return gemmOf<T, R, C>(call);
  else if (call.a.layout == HK_COLUMN_MAJOR)
    return b ? gemmOf<T, C, C>(call) : gemmOf<T, C, R>(call);
  else
    return b ? gemmOf<T, R, C>(call) : gemmOf<T, R, R>(call);
}

void sizes(Arguments &arguments, int64_t m, int64_t n, int64_t k, int64_t batches, const char *batchesName) {
  arguments.shape(m, k, "m", "k");
  arguments.shape(n, k, "n", "k");
  arguments.shape(m, n, "m", "n");
  arguments.require(batches >= 0, hipErrorInvalidValue, "%s: %lld is negative", batchesName, (long long)batches);
  arguments.require(batches <= 65535, hipErrorNotSupported, "%s: %lld is more than 65535", batchesName,
                    (long long)batches);
  if (m == 0 || n == 0 || batches == 0)
    arguments.setEmpty(true);
}

void look(Arguments &arguments, const hk_gemm_options &o, int factors, int y) {
  arguments.finite("options.alpha", o.alpha, false);
  arguments.finite("options.beta", o.beta, false);
  const TypeSet extras = isFloat(factors) ? sameOrFloat(factors) : FloatTypes;
  if (o.beta != 0.0f) {
    arguments.matrix("options.c", o.c, extras);
    arguments.stride("options.c_stride", o.c_stride, o.batches);
  }
  arguments.vector("options.bias", o.bias, extras, true);
  arguments.oneOf("options.activation", o.activation, 5);
  arguments.matrix("options.residual", o.residual, extras, true);
  if (o.residual.data)
    arguments.stride("options.residual_stride", o.residual_stride, o.batches);
  arguments.pointer("options.row_scale", o.row_scale, 4, true);
  arguments.pointer("options.column_scale", o.column_scale, 4, true);
  arguments.pointer("options.out_scale", o.out_scale, 4, true);
  arguments.pointer("options.out_row_scale", o.out_row_scale, 4, true);
  arguments.stride("options.y_stride", o.y_stride, o.batches);
  arguments.require(o.batches < 2 || o.y_stride != 0, hipErrorInvalidValue, "options.y_stride: 0 with %lld batches",
                    (long long)o.batches);
  arguments.pointer("options.workspace", o.workspace, 16, true);
  arguments.oneOf("options.constant_b", o.constant_b, 2);
  arguments.require(o.splits >= 0, hipErrorInvalidValue, "options.splits: %d is negative", o.splits);
  if (o.splits > 0)
    arguments.oneOf("options.mode", o.mode, 5);
  arguments.require(y != HK_I32 || isPlain(o), hipErrorNotSupported,
                    "y.type: I32 is for sums as they are, without other options");
}

} // namespace

void hk_gemm_defaults(hk_gemm_options *options) {
  *options = {};
  options->alpha = 1.0f;
  options->batches = 1;
}

int hk_gemm(const hk_launch *launch, int64_t m, int64_t n, int64_t k, hk_factor a, hk_factor b, hk_matrix y,
            const hk_gemm_options *options) {
  hk_gemm_options defaults;
  hk_gemm_defaults(&defaults);
  const hk_gemm_options &o = options ? *options : defaults;
  Arguments arguments(Extent::Products);
  arguments.launch(launch);
  sizes(arguments, m, n, k, o.batches, "options.batches");
  arguments.factor("a", a, m, k, FactorTypes);
  arguments.factor("b", b, k, n, FactorTypes);
  arguments.stride("a.stride", a.stride, o.batches);
  arguments.stride("b.stride", b.stride, o.batches);
  arguments.require(b.type == a.type, hipErrorNotSupported, "b.type: built for the type of a only");
  if (arguments && !isFloat(a.type)) {
    arguments.require(a.layout == HK_ROW_MAJOR, hipErrorNotSupported,
                      "a.layout: built for row-major only with types of 8 bits");
    arguments.require(b.layout == HK_COLUMN_MAJOR, hipErrorNotSupported,
                      "b.layout: built for column-major only with types of 8 bits");
  }
  if (arguments)
    arguments.matrix("y", y,
                     a.type == HK_F32    ? setOf(HK_F32)
                     : isFloat(a.type)   ? sameOrFloat(a.type) | QuantizedTypes
                     : a.type == HK_I8   ? FloatTypes | setOf(HK_I32)
                                         : FloatTypes);
  look(arguments, o, a.type, y.type);
  return arguments.run([&] {
    const GemmPlan plan{GemmMode(o.mode), o.config, o.splits};
    const GemmCall call{launchOf(*launch),
                        launch->policy == HK_FAST,
                        {m, n, k, int(o.batches)},
                        a,
                        b,
                        y,
                        o,
                        o.splits > 0 ? &plan : nullptr};
    const hipError_t error =
        withFactorType(a.type, [&](auto as) { return withLayouts<typename decltype(as)::Type>(call); });
    arguments.require(o.splits == 0 || error != hipErrorInvalidValue, error,
                      "options.config: there is no such kernel for this, or options.workspace_bytes are too few");
    return error;
  });
}

int hk_gemm_workspace_bytes(int64_t m, int64_t n, int64_t k, int64_t batches, int32_t type, size_t *bytes) {
  Arguments arguments(Extent::Products);
  sizes(arguments, m, n, k, batches, "batches");
  arguments.type("type", type, FactorTypes);
  arguments.require(bytes, hipErrorInvalidValue, "bytes: null");
  if (arguments)
    *bytes = 0;
  return arguments.run([&] {
    return withFactorType(type, [&](auto as) {
      return gemmWorkspaceBytes<typename decltype(as)::Type>({m, n, k, int(batches)}, *bytes);
    });
  });
}

int hk_prepare_gemm_workspace(void *workspace, size_t bytes, void *stream) {
  Arguments arguments(Extent::Products);
  arguments.pointer("workspace", workspace, 16);
  arguments.require(bytes >= detail::GemmPartialsOffset, hipErrorInvalidValue, "bytes: %zu, at least %zu are needed",
                    bytes, detail::GemmPartialsOffset);
  return arguments.run(
      [&] { return prepareGemmWorkspace({workspace, bytes}, static_cast<hipStream_t>(stream)); });
}
