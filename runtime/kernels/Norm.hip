//===- Norm.hip - The interface of the norms; rows of float ---------------===//
#include "LayerNorm.h"
#include "ResidualRmsNorm.h"
#include "RmsNorm.h"

using namespace hk;
using namespace hk::kernels;

namespace hk::kernels {
extern template hipError_t rmsNormOf<f16>(const NormCall &);
extern template hipError_t rmsNormOf<bf16>(const NormCall &);
extern template hipError_t residualRmsNormOf<f16>(const NormCall &);
extern template hipError_t residualRmsNormOf<bf16>(const NormCall &);
extern template hipError_t layerNormOf<f16>(const NormCall &);
extern template hipError_t layerNormOf<bf16>(const NormCall &);
} // namespace hk::kernels

int hk_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x,
                hk_vector weight, float epsilon, const hk_output *y) {
  Arguments arguments(Extent::Rows);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.matrix("x", x, FloatTypes);
  arguments.vector("weight", weight, sameOrFloat(x.type));
  arguments.finite("epsilon", epsilon, true);
  arguments.output("y", y, same(x.type), QuantizedTypes);
  return arguments.run([&] {
    const NormCall call{launchOf(*launch), {rows, columns}, x, {}, weight, {}, epsilon, *y};
    return withFloatType(x.type,
                         [&](auto as) { return rmsNormOf<typename decltype(as)::Type>(call); });
  });
}

int hk_residual_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x,
                         hk_matrix residual, hk_vector weight, float epsilon, const hk_output *y) {
  Arguments arguments(Extent::Rows);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.matrix("x", x, FloatTypes);
  arguments.matrix("residual", residual, same(x.type));
  arguments.vector("weight", weight, sameOrFloat(x.type));
  arguments.finite("epsilon", epsilon, true);
  arguments.output("y", y, same(x.type), QuantizedTypes);
  return arguments.run([&] {
    const NormCall call{launchOf(*launch), {rows, columns}, x, residual, weight, {}, epsilon, *y};
    return withFloatType(
        x.type, [&](auto as) { return residualRmsNormOf<typename decltype(as)::Type>(call); });
  });
}

int hk_layer_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x,
                  hk_vector weight, hk_vector bias, float epsilon, const hk_output *y) {
  Arguments arguments(Extent::Rows);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.matrix("x", x, FloatTypes);
  arguments.vector("weight", weight, sameOrFloat(x.type), true);
  arguments.vector("bias", bias, sameOrFloat(x.type), true);
  arguments.require(!weight.data == !bias.data, hipErrorInvalidValue,
                    "bias: weight and bias are given both or none");
  arguments.require(!bias.data || bias.type == weight.type, hipErrorNotSupported,
                    "bias.type: built for the type of weight only");
  arguments.finite("epsilon", epsilon, true);
  arguments.output("y", y, same(x.type), QuantizedTypes);
  return arguments.run([&] {
    const NormCall call{launchOf(*launch), {rows, columns}, x, {}, weight, bias, epsilon, *y};
    return withFloatType(x.type,
                         [&](auto as) { return layerNormOf<typename decltype(as)::Type>(call); });
  });
}
