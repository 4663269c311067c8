//===- BiasActivation.hip - The interface of bias and activation; float ---===//
#include "BiasActivation.h"

using namespace hk;
using namespace hk::kernels;

namespace hk::kernels {
extern template hipError_t biasActivationOf<f16>(const BiasActivationCall &);
extern template hipError_t biasActivationOf<bf16>(const BiasActivationCall &);
} // namespace hk::kernels

int hk_bias_activation(const hk_launch *launch, int64_t rows, int64_t columns,
                       hk_activation activation, hk_matrix x, hk_vector bias, hk_matrix y) {
  Arguments arguments(Extent::Elements);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.oneOf("activation", activation, 5);
  arguments.matrix("x", x, FloatTypes);
  arguments.vector("bias", bias, sameOrFloat(x.type), true);
  arguments.matrix("y", y, same(x.type));
  return arguments.run([&] {
    const BiasActivationCall call{
        launchOf(*launch), launch->policy == HK_FAST, activation, {rows, columns}, x, bias, y};
    return withFloatType(
        x.type, [&](auto as) { return biasActivationOf<typename decltype(as)::Type>(call); });
  });
}
