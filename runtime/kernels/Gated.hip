//===- Gated.hip - The interface of gated activations; float --------------===//
#include "Gated.h"

using namespace hk;
using namespace hk::kernels;

namespace hk::kernels {
extern template hipError_t gatedOf<f16>(const GatedCall &);
extern template hipError_t gatedOf<bf16>(const GatedCall &);
} // namespace hk::kernels

int hk_gated(const hk_launch *launch, int64_t rows, int64_t columns, hk_activation activation,
             hk_matrix gate, hk_matrix up, const hk_output *y) {
  Arguments arguments(Extent::Rows);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.oneOf("activation", activation, 5);
  arguments.matrix("gate", gate, FloatTypes);
  arguments.matrix("up", up, same(gate.type));
  arguments.output("y", y, same(gate.type), QuantizedTypes);
  return arguments.run([&] {
    const GatedCall call{
        launchOf(*launch), launch->policy == HK_FAST, activation, {rows, columns}, gate, up, *y};
    return withFloatType(gate.type,
                         [&](auto as) { return gatedOf<typename decltype(as)::Type>(call); });
  });
}
